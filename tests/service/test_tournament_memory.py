"""What a long event keeps in memory: of each game a row without times, and nothing else."""

import asyncio
import gc
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from lastcard.app import Arena, Settings
from lastcard.cli.tournament_view import PlainView
from lastcard.rules.record_json import BODIES
from lastcard.services.event_arena import EventArena
from lastcard.tournament.director import Director
from lastcard.tournament.director.tables import Tables
from lastcard.tournament.file import load
from lastcard.tournament.results import Results
from lastcard.tournament.scoring import scores

TEXT = """\
[tournament]
name = "cup"
seed = 3
table_size = 2
deals = {deals}
options = {{ match_end = "single_round", hand_size = 2 }}
concurrency = 4
[[bot]]
name = "ann"
builtin = "greedy"
[[bot]]
name = "ben"
builtin = "random"
"""
FEW, MANY = 80, 240
"""Games of a short event and of a long one: what is there once is there in both."""


def objects() -> Counter[str]:
    """How many objects there are that the collector knows, by type.

    Events and scores are left out: what they came to is kept, up to limits of its own, since most come again and again.
    """
    scores.cache_clear()
    gc.collect()
    return Counter(type(each).__qualname__ for each in gc.get_objects() if type(each) not in BODIES)


def grown(kept: Counter[str], before: Counter[str]) -> Counter[str]:
    """What there is more of than before, but for rows, and weak references, which come and go with caches of others."""
    more = kept - before
    del more["Row"], more["ReferenceType"]
    return more


async def kept_by(directory: Path, games: int, is_at_rest: Callable[[Counter[str]], bool]) -> Counter[str]:
    """The objects that are there while an event has written the rows of all its games and computes nothing yet.

    Its last games and what is being stored of them go when they are done with: looks until all is at rest, or for the
    last time.
    """
    (directory / "cup.toml").write_text(TEXT.format(deals=games // 2))
    file = load(directory / "cup.toml", ("greedy", "random"))
    results = Results.create(directory / "out", file.text, file.name, file.seed)
    kept = Counter[str]()
    written = Tables.written

    async def counted(tables: Tables) -> None:
        nonlocal kept
        await written(tables)
        for _ in range(100):
            kept = objects()
            if is_at_rest(kept):
                return
            await asyncio.sleep(0.1)

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(Tables, "written", counted)
        async with Arena(Settings(data=results.store, anonymous=False)) as arena:
            report = await Director(file, results, (EventArena(arena),), PlainView().show).run()
    assert (report.complete, report.problems) == (True, ())
    assert results.ledger.read_text().count('"thinking"') == games
    return kept


@pytest.mark.slow
async def test_memory_does_not_grow_with_the_number_of_games_but_for_a_row_of_each(tmp_path: Path) -> None:
    for name in ("first", "few", "many"):
        (tmp_path / name).mkdir()
    games = MANY - FEW

    def keeps_less_than_an_object_of_each_game(kept: Counter[str]) -> bool:
        return max(grown(kept, few).values(), default=0) < games / 2

    await kept_by(tmp_path / "first", 4, bool)  # imports what events import
    few = await kept_by(tmp_path / "few", FEW, bool)
    many = await kept_by(tmp_path / "many", MANY, keeps_less_than_an_object_of_each_game)
    assert keeps_less_than_an_object_of_each_game(many), grown(many, few).most_common(12)
    # A row of each; less by as many rows of tests before this one as are dropped only now.
    assert games / 2 < many["Row"] - few["Row"] <= games
