"""What a director writes at an event's end is, byte by byte, what anybody computes from its directory afterwards."""

import asyncio
from pathlib import Path

import pytest

from arena_double import ArenaDouble
from lastcard.tournament.director import Director
from lastcard.tournament.director.books import scoring_of
from lastcard.tournament.file import load
from lastcard.tournament.notices import GameFinished, Notice
from lastcard.tournament.report.played import read_played
from lastcard.tournament.report.written import NAMES, figures_of, html_of, write_figures
from lastcard.tournament.results import Results
from results_directories import event_directory, file_text, rotated


async def played_directory(tmp_path: Path, *, stop_after: int | None = None) -> Path:
    """The directory of an event that was played to its end, or stopped."""
    path = tmp_path / "cup.toml"
    path.write_text(
        file_text(
            ("ann", "ben", "cis"), size=3, deals=2, more='concurrency = 1\noptions = { match_end = "single_round" }'
        )
    )
    file = load(path, ("greedy",))
    results = Results.create(tmp_path / "out", file.text, file.name, file.seed)

    def observe(notice: Notice) -> None:
        if isinstance(notice, GameFinished) and notice.played == stop_after:
            director.stop()

    async with ArenaDouble() as arena, asyncio.timeout(100):
        director = Director(file, results, (arena,), observe)
        await director.run()
    return results.directory


@pytest.mark.parametrize("stop_after", [None, 2], ids=["complete", "stopped"])
async def test_what_is_written_at_the_end_is_computed_again_to_the_same_bytes(
    tmp_path: Path, stop_after: int | None
) -> None:
    directory = await played_directory(tmp_path, stop_after=stop_after)
    before = {name: (directory / name).read_bytes() for name in NAMES}
    assert b"thinking" in before["standings.json"]
    played = read_played(directory, ("greedy",))
    assert (len(played.entries.rows) == 6) is (stop_after is None)
    write_figures(directory, figures_of(played, scoring_of(played.file)))
    assert {name: (directory / name).read_bytes() for name in NAMES} == before


async def test_the_order_of_the_rows_makes_no_difference(tmp_path: Path) -> None:
    directory = await played_directory(tmp_path)
    before = {name: (directory / name).read_bytes() for name in NAMES}
    lines = (directory / "ledger.jsonl").read_text().splitlines(keepends=True)
    (directory / "ledger.jsonl").write_text("".join(reversed(lines)))
    played = read_played(directory, ("greedy",))
    write_figures(directory, figures_of(played, scoring_of(played.file)))
    assert {name: (directory / name).read_bytes() for name in NAMES} == before


@pytest.mark.parametrize("style", ["round-robin", "swiss"])
def test_nothing_is_called_settled_where_whom_one_meets_depends_on_how_one_did(tmp_path: Path, style: str) -> None:
    bots = ("ann", "ben")
    more = f'format = "{style}"' + ("\nrounds = 1" if style == "swiss" else "")
    rows = rotated([bots] * 40)
    played = read_played(event_directory(tmp_path / "cup", file_text(bots, deals=40, more=more), rows), ("greedy",))
    made = figures_of(played, scoring_of(played.file))
    assert (made.further.verdict is None) is (style == "swiss")
    assert ("The ranking is settled" in html_of(made)) is (style == "round-robin")
