"""Whether a bot does the same in the same situation, by games of copies of it on the same deals.

Here: the games to play for that, and what they show. Not here: playing them (`director`), what is printed (`cli`). May
import the standard library, `lastcard.rules` and the pure modules of this package.

Copies of a bot play each deal in every rotation of the seats. As long as all of them do the same in the same situation,
all games on a deal are the same, and every copy comes out exactly equal. Where two games part, a copy has done what
another, at the same seat with the same cards after the same events, has not.
"""

import tomllib
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from lastcard.rules.events import Event, RoundStarted
from lastcard.rules.notation import move_text
from lastcard.rules.record_json import kind_of
from lastcard.rules.replay import move_of
from lastcard.rules.ruleset import ruleset
from lastcard.rules.transcript import event_text
from lastcard.tournament.entries import BotEntry
from lastcard.tournament.file import TournamentFile
from lastcard.tournament.format_keys import FORMAT_KEYS
from lastcard.tournament.ledger import Row
from lastcard.tournament.toml_text import toml_text

LIMIT_MS = 60_000
BANK_MS = 600_000
REACTION_MS = 10_000
"""Times at least, so that nothing depends on how fast a bot is."""


class Played(NamedTuple):
    """A game of copies: its row and all its events."""

    row: Row
    events: Sequence[Event]


class Parting(NamedTuple):
    """Where two games on a deal part: at event `event` of both, by what `one` and the `other` copy did there.

    `seat` is who acted in the first game, or `None` where nobody did.
    """

    deal: int
    games: tuple[int, int]
    event: int
    seat: int | None
    bots: tuple[str, str]
    did: tuple[str, str]

    def sentence(self) -> str:
        """The evidence in words."""
        one, other = self.did
        return (
            f"deal {self.deal}, event {self.event}: after the same {self.event - 1} events, "
            f"{one} in game {self.games[0]} ({self.bots[0]}), but {other} in game {self.games[1]} ({self.bots[1]})"
        )


class Finding(NamedTuple):
    """What the games of a bot's copies show: where games part, and what went wrong with the bot."""

    bot: str
    games: int
    deals: int
    partings: tuple[Parting, ...]
    faults: tuple[str, ...]

    @property
    def verdict(self) -> str:
        """`failed`, `not deterministic` or `deterministic`."""
        return "failed" if self.faults else "not deterministic" if self.partings else "deterministic"


def copies_name(bot: str, copy: int) -> str:
    """The name of a copy, from 1."""
    return f"{bot[:60]}.{copy}"


def event_of_copies(file: TournamentFile, bot: BotEntry, deals: int) -> TournamentFile:
    """The event in which a bot of a file plays against copies of itself: same rules and draws, nothing else counts.

    Every deal is played in every rotation, with the colours as dealt and time enough; reactions are taken sealed, since
    open ones go to whoever is fastest. A match that time would end is one round.
    """
    rules, clock = file.rules, file.clock
    if "time" in rules.match_end.split("+"):
        rules = ruleset(rules.preset, {**dict(rules.overrides()), "match_end": "single_round"})
    event = replace(
        file,
        name=bot.name,
        rules=rules,
        format="round-robin",
        deals=deals,
        seats="rotations",
        stop="deals",
        format_options={},
        duplicates=True,
        disguise=False,
        clock=replace(
            clock,
            limit_ms=max(clock.limit_ms, LIMIT_MS),
            bank_ms=max(clock.bank_ms, BANK_MS),
            reaction_ms=max(clock.reaction_ms, REACTION_MS),
            sealed=True,
        ),
        bots=tuple(
            replace(bot, name=copies_name(bot.name, copy), owner="", copies=1 if bot.command else 0)
            for copy in range(1, file.table_size + 1)
        ),
    )
    return replace(event, text=_text_of(event, file, bot.name))


def _text_of(event: TournamentFile, file: TournamentFile, bot: str) -> str:
    """The file of an event of copies, so that what is kept of it can be read and verified as any other."""
    values = tomllib.loads(file.text)
    entry = next(each for each in values["bot"] if each["name"] == bot)
    entry = {key: value for key, value in entry.items() if key not in ("owner", "copies")}
    clock = event.clock
    values["tournament"] = {
        **{key: value for key, value in values["tournament"].items() if key not in FORMAT_KEYS},
        "name": event.name,
        **({} if event.seed is None else {"seed": event.seed}),
        "options": dict(event.rules.overrides()),
        "table_size": event.table_size,
        "deals": event.deals,
        "duplicates": True,
        "disguise": False,
    }
    values["clock"] = {
        **values.get("clock", {}),
        "limit": f"{clock.limit_ms}ms",
        "bank": f"{clock.bank_ms}ms",
        "reaction": f"{clock.reaction_ms}ms",
        "reactions": "sealed",
    }
    copies = {"copies": 1} if "command" in entry else {}
    values["bot"] = [{**entry, **copies, "name": each.name} for each in event.bots]
    return toml_text(values)


def finding(bot: str, played: Iterable[Played], aside: Mapping[str, str]) -> Finding:
    """What the games show; `aside` says why copies were set aside, by name."""
    games = sorted(played, key=lambda game: game.row.game)
    by_deal: defaultdict[int, list[Played]] = defaultdict(list)
    for game in games:
        by_deal[game.row.deal].append(game)
    faults = [f"{name}: {why}" for name, why in aside.items()]
    faults += [
        f"game {game.row.game}: {fault.bot} {fault.kind}: {fault.evidence}"
        for game in games
        for fault in game.row.faults
    ]
    faults += [  # a crash that cost nothing, since the copy was started again in time, is one all the same
        f"game {game.row.game}: {fault['bot']} {fault['kind']}: {fault['evidence']}"
        for game in games
        for fault in game.row.times.get("recovered", ())
    ]
    partings = [parting for _, same in sorted(by_deal.items()) if (parting := _first_parting(same)) is not None]
    return Finding(bot, len(games), len(by_deal), tuple(partings), tuple(faults))


def _first_parting(games: Sequence[Played]) -> Parting | None:
    """The earliest event at which a game parts from the first on the deal."""
    found = [parting for other in games[1:] if (parting := parting_of(games[0], other)) is not None]
    return min(found, key=lambda parting: parting.event, default=None)


def parting_of(one: Played, other: Played) -> Parting | None:
    """Where two games on one deal part; their commitments, which differ by salt, are passed over."""
    longest = max(len(one.events), len(other.events))
    for index in range(longest):
        first, second = (game.events[index] if index < len(game.events) else None for game in (one, other))
        if _plain(first) != _plain(second) or type(first) is not type(second):
            seat = _seat(first) if _seat(first) is not None else _seat(second)
            return Parting(
                one.row.deal,
                (one.row.game, other.row.game),
                index + 1,
                seat,
                (_name(one.row, first, seat), _name(other.row, second, seat)),
                (_did(first), _did(second)),
            )
    return None


def _plain(event: Event | None) -> Event | None:
    return event._replace(commitment=b"") if isinstance(event, RoundStarted) else event


def _seat(event: Event | None) -> int | None:
    move = None if event is None else move_of(event)
    return None if move is None else move.seat


def _name(row: Row, event: Event | None, seat: int | None) -> str:
    """The copy that acted, or that sat where another acted in the other game."""
    mine = _seat(event)
    seat = mine if mine is not None else seat
    return "nobody" if seat is None else row.seats[seat]


def _did(event: Event | None) -> str:
    """What an event tells, as it follows a comma in a sentence."""
    if event is None:
        return "the game was over"
    move = move_of(event)
    if move is None:
        return event_text(event).note or kind_of(event)
    return f"seat {move.seat} answered {move_text(*move).partition(' ')[2]!r}"
