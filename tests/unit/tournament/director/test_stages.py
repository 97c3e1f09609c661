"""Stages in the director: what is told of them, and what becomes of bots that are set aside between two of them."""

import json
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from arena_double import CLIENT, ArenaDouble
from lastcard.tournament import notices
from lastcard.tournament.director import Director, Report
from lastcard.tournament.file import load
from lastcard.tournament.ledger import Entries, RulingKind, read_entries
from lastcard.tournament.notices import Notice
from lastcard.tournament.results import Results
from lastcard.tournament.resumption import resume

HEAD = """\
[tournament]
name = "cup"
seed = 5
table_size = 2
options = { match_end = "single_round" }
concurrency = 3
[clock]
start_up = "20s"
"""
GREEDY = "".join(f'[[bot]]\nname = "{name}"\nbuiltin = "greedy"\n' for name in "acd")
FAILS = f'[[bot]]\nname = "b"\ncommand = {json.dumps([sys.executable, "-c", "raise SystemExit(3)"])}\n'


def text(keys: str, bots: str = GREEDY) -> str:
    return HEAD.replace("table_size", f"{keys}\ntable_size", 1) + bots


async def play(
    tmp_path: Path, cup: str, *, out: str = "out", on: Callable[[Director, Notice], None] | None = None
) -> tuple[Report, list[Notice]]:
    """Begin an event, or go on with it."""
    path = tmp_path / "cup.toml"
    path.write_text(cup)
    file = load(path, ("greedy",))
    directory = tmp_path / out
    begun = directory.exists()
    results = resume(directory, file) if begun else Results.create(directory, file.text, file.name, file.seed)
    told: list[Notice] = []

    def observe(notice: Notice) -> None:
        told.append(notice)
        if on is not None:
            on(director, notice)

    async with ArenaDouble() as arena:
        director = Director(file, results, (arena,), observe)
        return await director.run(), told


def entries(tmp_path: Path, out: str = "out") -> Entries:
    found = read_entries(tmp_path / out / "ledger.jsonl")
    rows = sorted((replace(row, times={}) for row in found.rows), key=lambda row: row.game)
    return Entries(rows, [replace(row, at="") for row in found.rulings], 0)


def stages(told: list[Notice]) -> list[notices.StageStarted]:
    return [notice for notice in told if isinstance(notice, notices.StageStarted)]


async def test_stages_are_told_and_how_many_games_there_will_be(tmp_path: Path) -> None:
    report, told = await play(tmp_path, text('format = "swiss"\nrounds = 3\ndeals = 2'))
    assert report.complete
    assert stages(told) == [notices.StageStarted(at, f"round {at} of 3", 4) for at in (1, 2, 3)]
    (started,) = (notice for notice in told if isinstance(notice, notices.Started))
    assert started.games == 12
    assert {notice.games for notice in told if isinstance(notice, notices.GameFinished)} == {12}


async def test_an_event_that_may_end_early_looks_behind_each_lot(tmp_path: Path) -> None:
    bots = GREEDY.replace('[[bot]]\nname = "d"\nbuiltin = "greedy"\n', "")
    report, told = await play(tmp_path, text('stop = "significant"\ndeals = 20', bots))
    assert report.complete
    assert [stage.games for stage in stages(told)] == [16, 16, 8]
    looked = [notice for notice in told if isinstance(notice, notices.Looked)]
    assert [notice.settled for notice in looked] == [False, False, False]
    for notice, rounds in zip(looked, (8, 16, 20), strict=True):
        assert notice.sentence.startswith(f"the ranking is not settled after {rounds} rounds")


async def test_a_bot_that_was_set_aside_is_left_out_of_the_next_stage(tmp_path: Path) -> None:
    cup = text('format = "ladder"\nrounds = 3\ndeals = 1', GREEDY + FAILS)
    report, _ = await play(tmp_path, cup)
    assert report.complete
    found = entries(tmp_path)
    (ruling,) = found.rulings
    why = "set aside after 3 failures in a row, the last: ended with status 3 before it connected"
    assert (ruling.kind, ruling.bot, ruling.reason, ruling.stage, ruling.after) == (RulingKind.WITHDRAW, "b", why, 1, 4)
    assert any("b" in row.seats for row in found.rows[:4])
    assert not any("b" in row.seats for row in found.rows[4:])
    assert len(found.rows) == 4 + 2 * 2
    assert report.aside == (("b", why),)


@pytest.mark.parametrize("keys", ["deals = 2", 'format = "ladder"\nrounds = 1\ndeals = 2'])
async def test_no_row_is_written_where_no_stage_follows(tmp_path: Path, keys: str) -> None:
    report, _ = await play(tmp_path, text(keys, GREEDY + FAILS))
    assert report.complete
    assert entries(tmp_path).rulings == []
    assert (await play(tmp_path, text(keys, GREEDY + FAILS)))[0].complete
    assert entries(tmp_path).rulings == []


async def test_a_bot_that_is_set_aside_in_a_stage_plays_that_stage_to_its_end_without_games(tmp_path: Path) -> None:
    """Also when the event goes on from the middle of that stage: what has begun with the bot is not drawn anew."""
    stays = (
        f'[[bot]]\nname = "b"\ncommand = {json.dumps([sys.executable, "-c", CLIENT + "link.recv(1)"])}\ncopies = 1\n'
    )
    cup = text('format = "ladder"\nrounds = 3\ndeals = 1', GREEDY + stays).replace("concurrency = 3", "concurrency = 1")

    def stop(director: Director, notice: Notice) -> None:
        if isinstance(notice, notices.GameFinished) and notice.played == 5:
            director.stop()

    report, told = await play(tmp_path, cup, on=stop)
    assert not report.complete
    assert len(stages(told)) == 2
    before = entries(tmp_path).rows
    assert len(before) == 5
    state = json.loads((tmp_path / "out" / "event.json").read_text())
    state["bots"] = {"b": {"failures_in_a_row": 3, "set_aside": "set aside after 3 failures in a row, the last: so"}}
    (tmp_path / "out" / "event.json").write_text(json.dumps(state))
    report, _ = await play(tmp_path, cup)
    assert report.complete
    found = entries(tmp_path)
    assert found.rows[:5] == before
    assert [(ruling.bot, ruling.after, ruling.stage) for ruling in found.rulings] == [("b", 8, 2)]
    assert any("b" in row.seats for row in found.rows[5:8])
    assert not any("b" in row.seats for row in found.rows[8:])


async def test_an_event_that_stops_between_two_stages_goes_on_as_if_it_had_not(tmp_path: Path) -> None:
    """Also when it stops before it is written down that a bot is left out."""
    cup = text('format = "ladder"\nrounds = 3\ndeals = 1', GREEDY + FAILS)
    await play(tmp_path, cup, out="undisturbed")
    expected = entries(tmp_path, "undisturbed")

    def stop(director: Director, notice: Notice) -> None:
        if isinstance(notice, notices.GameFinished) and notice.played in stops:
            stops.remove(notice.played)
            director.stop()

    stops = {4, 6}
    runs = 0
    complete = False
    while not complete:
        report, told = await play(tmp_path, cup, on=stop)
        complete = report.complete
        runs += 1
        assert len(stages(told)) == 1  # the next one is not announced when the event stops before it
    assert runs == 3
    found = entries(tmp_path)
    assert found.rows == expected.rows
    assert found.rulings == expected.rulings
