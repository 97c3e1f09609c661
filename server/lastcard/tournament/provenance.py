"""Where the games of a ledger come from: whether the event has given them out as they are listed, on its own cards.

Here: `opened_key`, `foreign_game`, `foreign_chance`. Not here: whether a record is right by itself
(`lastcard.rules.verify`), how the games of an event are decided (`course`). May import the standard library,
`lastcard.rules` and the pure modules of this package.

All that is drawn follows from the tournament file, the event's key and the games before. The key is bound by its hash
before the first game and open when the event is complete. So nobody can choose deals, seats or shuffles afterwards, nor
list a game as one that it was not.
"""

from hashlib import sha256

from lastcard.rules.record_reader import Reveal
from lastcard.rules.shuffle import deal_key, event_key, game_salt, round_seed
from lastcard.tournament.course import Course, KnownRows, is_over
from lastcard.tournament.event_state import EventState
from lastcard.tournament.file import TournamentFile
from lastcard.tournament.ledger import Entries, Row
from lastcard.tournament.outlook import plan_of
from lastcard.tournament.schedule import Game


def opened_key(file: TournamentFile, state: EventState) -> bytes | None:
    """The key of an event, where it is open or follows from the seed in its file.

    Raises:
        ValueError: it is not the one that is bound by its hash.
    """
    if file.seed is not None:
        key, where = event_key(file.seed), f"follows from the seed {file.seed}"
    elif state.key is None:
        return None
    else:
        where = "stands in event.json"
        try:
            key = bytes.fromhex(state.key)
        except ValueError:
            raise ValueError(f"the key that {where} is {state.key!r}, which is no hexadecimal number") from None
    if sha256(key).hexdigest() != state.key_sha256:
        raise ValueError(f"the key that {where} has not the hash {state.key_sha256} by which the event is bound to it")
    return key


def foreign_game(file: TournamentFile, key: bytes, entries: Entries) -> str | None:
    """What is wrong with the first game that the event has not given out as the ledger has it; `None` if none is."""
    rows = KnownRows([*entries.rows, *entries.rulings])
    course = Course(plan_of(file, key, file.scoring), rows)
    while (lot := course.next()) is not None:
        for game in lot.schedule:
            if game.game not in rows:
                continue
            listed = _game_of(rows.row(game.game))
            if listed != game:
                return f"game {game.game} is {_text(listed)}, but the event has given out {_text(game)}"
        if not is_over(lot, rows):
            break
    last = course.given_out.games
    behind = sorted(row.game for row in entries.rows if row.game > last)
    return f"game {behind[0]} is there, but the event has given out no more than {last} games" if behind else None


def foreign_chance(key: bytes, game: int, deal: int, reveal: Reveal) -> str | None:
    """What is wrong with what a game's record reveals of its chance, if it was played on a deal of an event."""
    if reveal.salt != game_salt(key, str(game)):
        return f"its salt is not that of game {game} of the event."
    dealt = deal_key(key, str(deal))
    for number, seed in enumerate(reveal.seeds, 1):
        if seed != round_seed(dealt, number):
            return f"the seed of its round {number} is not that of deal {deal} of the event."
    return None


def _game_of(row: Row) -> Game:
    return Game(row.game, row.set, row.deal, row.rotation, tuple(row.seats), row.replaces)


def _text(game: Game) -> str:
    instead = f" in place of set {game.replaces}" if game.replaces else ""
    return f"set {game.set} on deal {game.deal}, rotation {game.rotation}, of {', '.join(game.seats)}{instead}"
