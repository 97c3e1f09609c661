"""The plan of a game's table: what of the tournament file reaches it."""

from pathlib import Path

import pytest

from lastcard.rules.events import MatchCause
from lastcard.rules.shuffle import event_key
from lastcard.table.effects import CloseCause
from lastcard.table.plan import TableResult
from lastcard.tournament import outlook
from lastcard.tournament.course import Course, KnownRows
from lastcard.tournament.director.game import plan_of, row_of
from lastcard.tournament.file import load
from lastcard.tournament.reading import Reading
from lastcard.tournament.schedule import Game
from lastcard.tournament.scoring import Scoring

TEXT = """
[tournament]
name = "cup"
table_size = 2
deals = 1
{more}
[[bot]]
name = "a"
builtin = "greedy"
[[bot]]
name = "b"
builtin = "random"
"""


@pytest.mark.parametrize(("more", "duplicates"), [("", True), ("duplicates = false", False)])
def test_games_of_a_set_share_their_deal_unless_the_file_says_otherwise(
    tmp_path: Path, more: str, duplicates: bool
) -> None:
    path = tmp_path / "cup.toml"
    path.write_text(TEXT.format(more=more))
    lot = Course(outlook.plan_of(load(path, ["greedy", "random"]), bytes(32), Scoring()), KnownRows(())).next()
    assert lot is not None
    assert [game.set for game in lot.schedule] == [1, 1]
    assert len({game.deal for game in lot.schedule}) == (1 if duplicates else 2)


@pytest.mark.parametrize(("more", "disguise"), [("", True), ("disguise = false", False)])
def test_games_are_disguised_unless_the_file_says_otherwise(tmp_path: Path, more: str, disguise: bool) -> None:
    path = tmp_path / "cup.toml"
    path.write_text(TEXT.format(more=more))
    file = load(path, ["greedy", "random"])
    one, other = (plan_of(Game(number, 1, 1, number, ("a", "b")), file, event_key(7)) for number in (1, 2))
    assert (one.disguise, other.disguise) == (disguise, disguise)
    assert one.deal_key == other.deal_key
    assert one.salt != other.salt


@pytest.mark.parametrize(("begun", "started"), [(5, 5), (0, 9)])
def test_a_game_that_was_over_before_it_began_began_at_its_end(begun: int, started: int) -> None:
    """As when all its bots but one are set aside; otherwise it would have begun in 1970."""
    result = TableResult(
        table_id="game",
        names=("a", "b"),
        cause=CloseCause.FINISHED,
        match_cause=MatchCause.LAST_SEAT,
        points=(0, 0),
        places=(1, 2),
        rounds=0,
        faults=(),
        last_sequence=3,
        record_hash=bytes(32),
        decisions=0,
        started_ms=begun,
        ended_ms=9,
        thinking_ms=(0, 0),
    )
    reading = Reading(False, 0, {}, {})
    row = row_of(Game(1, 1, 1, 0, ("a", "b")), result, "records/1", reading=reading, forfeits=(), versions={})
    assert (row.times["started_ms"], row.times["ended_ms"]) == (started, 9)
