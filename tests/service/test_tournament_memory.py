"""What a long event keeps in memory: of each game a row without times, and nothing else."""

import gc
from collections import Counter
from pathlib import Path

import pytest

from lastcard.app import Arena, Settings
from lastcard.cli.tournament_view import PlainView
from lastcard.rules.record_json import BODIES
from lastcard.services.event_arena import EventArena
from lastcard.tournament import notices
from lastcard.tournament.director import Director
from lastcard.tournament.file import load
from lastcard.tournament.intervals import student
from lastcard.tournament.notices import Notice
from lastcard.tournament.results import Results

TEXT = """\
[tournament]
name = "cup"
seed = 3
table_size = 2
deals = 160
options = { match_end = "single_round", hand_size = 2 }
concurrency = 4
[[bot]]
name = "ann"
builtin = "greedy"
[[bot]]
name = "ben"
builtin = "random"
"""
FIRST, LAST = 120, 320
"""What is there once is there by the first of these games."""


def objects() -> Counter[str]:
    """How many objects there are that the collector knows, by type.

    Events are left out: what is written of them is kept, up to limits of its own, since most come again and again.
    """
    gc.collect()
    return Counter(type(each).__qualname__ for each in gc.get_objects() if type(each) not in BODIES)


@pytest.mark.slow
async def test_memory_does_not_grow_with_the_number_of_games_but_for_a_row_of_each(tmp_path: Path) -> None:
    (tmp_path / "cup.toml").write_text(TEXT)
    file = load(tmp_path / "cup.toml", ("greedy", "random"))
    results = Results.create(tmp_path / "out", file.text, file.name, file.seed)
    counts: dict[int, Counter[str]] = {}
    view = PlainView()
    student(9)  # imports what the view would import when it has time

    def look(notice: Notice) -> None:
        view.show(notice)
        if isinstance(notice, notices.GameFinished) and notice.played in (FIRST, LAST):
            counts[notice.played] = objects()

    async with Arena(Settings(data=results.store, anonymous=False)) as arena:
        report = await Director(file, results, (EventArena(arena),), look).run()
    assert (report.complete, report.problems) == (True, ())
    grown = counts[LAST] - counts[FIRST]
    games = LAST - FIRST
    assert grown["Row"] == pytest.approx(games, abs=10)
    del grown["Row"]
    del grown["ReferenceType"]  # weak ones keep nothing, and come and go with caches of others
    # Games that are on, and batches that are being stored, make a difference by chance, some dozens of a type. What is
    # kept of each game makes one of so many.
    assert max(grown.values()) < games, grown.most_common(12)
    ledger = results.ledger.read_text()
    assert ledger.count('"thinking"') == LAST
