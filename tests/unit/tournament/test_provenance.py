"""Where the games of a ledger come from: those that an event has given out, on its own cards, and no others."""

from collections.abc import Iterable
from dataclasses import replace
from hashlib import sha256
from pathlib import Path

import pytest

from lastcard.rules.record_reader import Reveal
from lastcard.rules.shuffle import deal_key, event_key, game_salt, round_seed
from lastcard.tournament.conduct import Conduct
from lastcard.tournament.course import Course, KnownRows, is_over
from lastcard.tournament.event_state import COMPLETE, EventState
from lastcard.tournament.file import TournamentFile, load
from lastcard.tournament.ledger import Entries, Row, RulingKind, RulingRow
from lastcard.tournament.outlook import plan_of
from lastcard.tournament.provenance import foreign_chance, foreign_game, opened_key
from lastcard.tournament.schedule import Game
from results_directories import file_text

KEY = event_key(7)
BOTS = ("ann", "ben", "cis", "dan")


def file_of(tmp_path: Path, more: str = "") -> TournamentFile:
    path = tmp_path / "cup.toml"
    path.write_text(file_text(BOTS, deals=2, more=more))
    return load(path, ("greedy",))


def row_of(game: Game) -> Row:
    places = tuple(1 + sorted(game.seats).index(bot) for bot in game.seats)
    return Row(**game._asdict(), points=places, places=places, cause="target", faults=(), record="r", record_hash="0")


def played(file: TournamentFile, rulings: Iterable[RulingRow] = ()) -> Entries:
    """All games of an event, whose first bot by name wins them all."""
    found = Entries([], list(rulings), 0)
    while True:
        known = KnownRows([*found.rows, *found.rulings])
        course = Course(plan_of(file, KEY, file.scoring), known)
        while (lot := course.next()) is not None and is_over(lot, known):
            pass
        if lot is None:
            return found
        found.rows.extend(map(row_of, lot.schedule))


@pytest.mark.parametrize("more", ["", 'format = "swiss"\nrounds = 2', 'format = "ladder"\nrounds = 2'])
def test_what_was_given_out_is_not_foreign_and_whatever_is_changed_is(tmp_path: Path, more: str) -> None:
    file = file_of(tmp_path, more)
    ruling = RulingRow(1, RulingKind.ANNUL, "power cut", 0, 8, game=3, replay=True)
    entries = played(file, [ruling])
    assert any(row.replaces for row in entries.rows)
    assert foreign_game(file, KEY, entries) is None
    assert foreign_game(file, KEY, replace(entries, rows=entries.rows[:5])) is None  # as one that goes on
    assert "but the event has given out" in (foreign_game(file, event_key(8), entries) or "")
    for place in (0, 5, len(entries.rows) - 1):
        row = entries.rows[place]
        for changed in (
            replace(row, deal=row.deal + 1),
            replace(row, rotation=1 - row.rotation),
            replace(row, seats=row.seats[::-1]),
            replace(row, set=row.set % 2 + 1),
            replace(row, replaces=row.replaces + 1),
        ):
            rows = [*entries.rows[:place], changed, *entries.rows[place + 1 :]]
            found = foreign_game(file, KEY, replace(entries, rows=rows))
            assert found is not None
            assert found.startswith(f"game {row.game} is set {changed.set} on deal {changed.deal}, rotation ")
    one_more = replace(entries.rows[0], game=len(entries.rows) + 1)
    found = foreign_game(file, KEY, replace(entries, rows=[*entries.rows, one_more]))
    assert found == f"game {one_more.game} is there, but the event has given out no more than {one_more.game - 1} games"


def test_a_record_must_reveal_the_chance_of_its_game_and_deal() -> None:
    seeds = tuple(round_seed(deal_key(KEY, "4"), number) for number in (1, 2))
    right = Reveal(game_salt(KEY, "9"), seeds)
    assert foreign_chance(KEY, 9, 4, right) is None
    assert foreign_chance(KEY, 8, 4, right) == "its salt is not that of game 8 of the event."
    assert foreign_chance(KEY, 9, 5, right) == "the seed of its round 1 is not that of deal 5 of the event."
    other = Reveal(right.salt, (seeds[0], seeds[0]))
    assert foreign_chance(KEY, 9, 4, other) == "the seed of its round 2 is not that of deal 4 of the event."


def test_a_key_is_taken_from_seed_or_state_and_held_against_its_hash(tmp_path: Path) -> None:
    file = file_of(tmp_path)
    state = EventState("cup", COMPLETE, 0, Conduct(), "mark", sha256(KEY).hexdigest())
    assert opened_key(file, state) == KEY
    secret = replace(file, seed=None)
    assert opened_key(secret, state) is None
    assert opened_key(secret, replace(state, key=KEY.hex())) == KEY
    with pytest.raises(
        ValueError, match=r"^the key that stands in event\.json is 'xy', which is no hexadecimal number"
    ):
        opened_key(secret, replace(state, key="xy"))
    with pytest.raises(ValueError, match=r"^the key that stands in event\.json has not the hash "):
        opened_key(secret, replace(state, key=bytes(32).hex()))
    with pytest.raises(ValueError, match=r"^the key that follows from the seed 8 has not the hash "):
        opened_key(replace(file, seed=8), state)
