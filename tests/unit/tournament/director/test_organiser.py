"""Rulings and late entries come to the same wherever the power fails, and the event goes on after them."""

import asyncio
import itertools
import json
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from arena_double import ArenaDouble
from lastcard.table.effects import Blame, FaultKind
from lastcard.table.plan import TablePlan
from lastcard.tournament import notices
from lastcard.tournament.director import Director, look_again
from lastcard.tournament.director.organiser import rule, take_up
from lastcard.tournament.event_state import COMPLETE, STOPPED
from lastcard.tournament.file import TournamentFile, load
from lastcard.tournament.judging import SetStatus, judge
from lastcard.tournament.ledger import RulingKind, read_entries
from lastcard.tournament.notices import Notice
from lastcard.tournament.ports import Played
from lastcard.tournament.results import Results
from lastcard.tournament.rule_book import RulingError, Wish
from power_cuts import Power, PowerLostError, power_supply, without_processes

BUILTINS = ("greedy",)
AT = "2026-11-30T06:00:00+00:00"
HEAD = """\
[tournament]
name = "cup"
seed = 5
table_size = 2
concurrency = 1
options = { match_end = "single_round" }
"""
ANNUL = Wish(RulingKind.ANNUL, 2, "the lights went out", replay=True)


def text_of(bots: str, more: str) -> str:
    return f"{HEAD}{more}\n" + "".join(f'[[bot]]\nname = "{bot}"\nbuiltin = "greedy"\n' for bot in bots)


def file_of(tmp_path: Path, bots: str, more: str, name: str = "cup.toml") -> TournamentFile:
    (tmp_path / name).write_text(text_of(bots, more))
    return load(tmp_path / name, BUILTINS)


@pytest.fixture(autouse=True)
def _no_processes(monkeypatch: pytest.MonkeyPatch) -> None:
    without_processes(monkeypatch)


@pytest.fixture
def power(monkeypatch: pytest.MonkeyPatch) -> Power:
    return power_supply(monkeypatch)


async def play(file: TournamentFile, results: Results, stop_after: int = 1000) -> bool:
    """Play an event, or look at it when it is complete; whether it is complete then."""
    if results.begun is not None and results.begun.state == COMPLETE:
        return look_again(file, results, lambda _: None).complete

    def observe(notice: Notice) -> None:
        if isinstance(notice, notices.GameFinished) and notice.row.game == stop_after:
            director.stop()

    async with ArenaDouble() as arena, asyncio.timeout(100):
        director = Director(file, results, (arena,), observe)
        report = await director.run()
    assert report.problems == ()
    return report.complete


async def begin(directory: Path, file: TournamentFile, stop_after: int = 1000) -> bool:
    return await play(file, Results.create(directory, file.text, file.name, file.seed), stop_after)


async def go_on(directory: Path, file: TournamentFile, *entering: str, stop_after: int = 1000) -> bool:
    return await play(file, take_up(directory, file, entering, AT), stop_after)


def outcome(directory: Path) -> dict[str, Any]:
    """All that is equal however often the power failed, and whenever it was."""
    files = {str(path.relative_to(directory)): path.read_bytes() for path in directory.rglob("*") if path.is_file()}
    state = json.loads(files.pop("event.json"))
    entries = read_entries(directory / "ledger.jsonl")
    del files["ledger.jsonl"], state["mark"]
    rows = sorted((replace(row, times={}) for row in entries.rows), key=lambda row: row.game)
    return {"rows": rows, "rulings": entries.rulings, "torn": entries.torn, "state": state, "files": files}


# ---------------------------------------------------------------- rulings


async def test_an_annulled_set_is_played_again_on_a_fresh_deal(tmp_path: Path) -> None:
    file, out = file_of(tmp_path, "xy", "deals = 2"), tmp_path / "out"
    assert await begin(out, file)
    before = (out / "standings.json").read_bytes()
    ruled = rule(out, BUILTINS, ANNUL, AT)
    assert (ruled.unfinished, ruled.figures.standings.sets, ruled.row.after) == (True, 1, 4)
    assert await go_on(out, file)
    rows = {row.game: row for row in read_entries(out / "ledger.jsonl").rows}
    annulled = rows[2].set
    assert sorted(rows) == [1, 2, 3, 4, 5, 6]
    assert {(rows[game].set, rows[game].deal, rows[game].replaces) for game in (5, 6)} == {(3, 3, annulled)}
    state = json.loads((out / "event.json").read_text())
    assert (state["state"], state["games"], "event_key" in state) == (COMPLETE, 6, True)
    assert not (out / "store").exists()
    judged = rule(out, BUILTINS, Wish(RulingKind.TAKE_BACK, 1, "they had not"), AT).figures.judged
    assert [judged.sets[number].status for number in (1, 2, 3)] == [*[SetStatus.COUNTED] * 2, SetStatus.VOID]
    after = json.loads((out / "standings.json").read_text())
    assert [each["score"] for each in after["ranking"]] == [each["score"] for each in json.loads(before)["ranking"]]


async def test_an_annulled_set_of_a_stopped_event_is_played_when_the_others_are_over(tmp_path: Path) -> None:
    file, out = file_of(tmp_path, "xy", "deals = 2"), tmp_path / "out"
    assert not await begin(out, file, stop_after=2)
    assert rule(out, BUILTINS, ANNUL, AT).row.after == 4
    assert json.loads((out / "event.json").read_text())["state"] == STOPPED
    assert await go_on(out, file)
    rows = read_entries(out / "ledger.jsonl").rows
    assert [row.game for row in rows] == [1, 2, 3, 4, 5, 6]
    assert {row.replaces for row in rows[4:]} == {rows[1].set}


async def test_a_set_that_is_being_played_again_is_played_to_its_end_when_the_annulment_is_taken_back(
    tmp_path: Path,
) -> None:
    file, out = file_of(tmp_path, "xy", "deals = 2"), tmp_path / "out"
    assert await begin(out, file)
    annulled = rule(out, BUILTINS, ANNUL, AT)
    assert not await go_on(out, file, stop_after=5)
    taken_back = rule(out, BUILTINS, Wish(RulingKind.TAKE_BACK, 1, "they had not"), AT)
    assert (annulled.row.after, taken_back.row.after, taken_back.unfinished) == (4, 6, True)
    assert await go_on(out, file)
    entries = read_entries(out / "ledger.jsonl")
    statuses = [each.status for each in judge(entries, file.scoring).sets.values()]
    assert statuses == [SetStatus.COUNTED, SetStatus.COUNTED, SetStatus.VOID]
    assert len(entries.rows) == 6


async def test_a_bot_is_disqualified_before_the_first_game_is_over(tmp_path: Path) -> None:
    file, out = file_of(tmp_path, "xyz", "deals = 1"), tmp_path / "out"
    Results.create(out, file.text, file.name, file.seed)
    row = rule(out, BUILTINS, Wish(RulingKind.DISQUALIFY, "x", "it talks"), AT).row
    assert (row.stage, row.after) == (1, 6)
    assert await go_on(out, file)
    rows = read_entries(out / "ledger.jsonl").rows
    assert {bool(row.faults) for row in rows if "x" in row.seats} == {True}
    ranking = json.loads((out / "standings.json").read_text())["ranking"]
    assert [each["bot"] for each in ranking] in (["y", "z"], ["z", "y"])


async def test_a_disqualified_bot_forfeits_what_was_given_out(tmp_path: Path) -> None:
    file, out = file_of(tmp_path, "xyz", "deals = 1"), tmp_path / "out"
    assert not await begin(out, file, stop_after=1)
    gone = read_entries(out / "ledger.jsonl").rows[0].seats[0]
    rule(out, BUILTINS, Wish(RulingKind.DISQUALIFY, gone, "it talks"), AT)
    assert await go_on(out, file)
    rows = read_entries(out / "ledger.jsonl").rows
    later = [row for row in rows[1:] if gone in row.seats]
    assert later
    for row in later:
        (fault,) = row.faults
        assert (fault.bot, fault.evidence) == (gone, "forfeited: disqualified: it talks")
    ranking = json.loads((out / "standings.json").read_text())["ranking"]
    assert {each["bot"] for each in ranking} == set("xyz") - {gone}


@pytest.mark.slow
async def test_the_power_fails_at_every_step_of_a_ruling(tmp_path: Path, power: Power) -> None:
    file = file_of(tmp_path, "xy", "deals = 2")
    assert await begin(tmp_path / "played", file)
    shutil.copytree(tmp_path / "played", tmp_path / "undisturbed")
    power.restore()
    power.writes.clear()
    asked = ANNUL._replace(request="0f")
    rule(tmp_path / "undisturbed", BUILTINS, asked, AT)
    steps, writes = power.steps, list(power.writes)
    assert await go_on(tmp_path / "undisturbed", file)
    expected = outcome(tmp_path / "undisturbed")
    for fails_at, torn in [*((step, False) for step in range(1, steps + 1)), *((step, True) for step in writes)]:
        out = tmp_path / f"{fails_at}{torn}"
        shutil.copytree(tmp_path / "played", out)
        power.steps, power.fails_at, power.torn = 0, fails_at, torn
        with pytest.raises(PowerLostError):
            rule(out, BUILTINS, asked, AT)
        power.restore()
        if torn or not read_entries(out / "ledger.jsonl").rulings:
            assert rule(out, BUILTINS, asked, AT).row.number == 1  # found again where it is written already
        assert await go_on(out, file), (fails_at, torn)
        assert outcome(out) == expected, (fails_at, torn)
    assert steps > 12


@pytest.mark.slow
async def test_the_power_fails_at_every_step_when_a_complete_event_is_opened_again(
    tmp_path: Path, power: Power
) -> None:
    """Where the ruling's row is all that was written of it; when games are played is tested in `test_power`."""
    file = file_of(tmp_path, "xy", "deals = 1")
    assert await begin(tmp_path / "played", file)
    with (tmp_path / "played" / "ledger.jsonl").open("a") as ledger:
        shutil.copytree(tmp_path / "played", tmp_path / "ruled")
        ledger.write(f"{rule(tmp_path / 'ruled', BUILTINS, ANNUL, AT).row.to_json()}\n")
    shutil.copytree(tmp_path / "played", tmp_path / "undisturbed")
    power.restore()
    assert await go_on(tmp_path / "undisturbed", file)
    expected = outcome(tmp_path / "undisturbed")
    assert len(expected["rows"]) == 4
    for fails_at in range(1, 20):
        out = tmp_path / str(fails_at)
        shutil.copytree(tmp_path / "played", out)
        power.steps, power.fails_at, power.torn = 0, fails_at, fails_at % 2 == 0
        with pytest.raises(PowerLostError):
            await go_on(out, file)
        power.restore()
        assert await go_on(out, file), fails_at
        assert outcome(out) == expected, fails_at


async def test_figures_that_were_not_written_behind_a_ruling_are_written_by_the_next_run(
    tmp_path: Path, power: Power
) -> None:
    file, out = file_of(tmp_path, "xy", "deals = 2"), tmp_path / "out"
    assert await begin(out, file)
    shutil.copytree(out, tmp_path / "undisturbed")
    wish = Wish(RulingKind.ANNUL, 1, "no replay")
    rule(tmp_path / "undisturbed", BUILTINS, wish, AT)
    power.steps, power.fails_at = 0, 3
    with pytest.raises(PowerLostError):
        rule(out, BUILTINS, wish, AT)
    power.restore()
    assert len(read_entries(out / "ledger.jsonl").rulings) == 1
    assert outcome(out) != outcome(tmp_path / "undisturbed")
    assert await go_on(out, file)
    assert outcome(out) == outcome(tmp_path / "undisturbed")


class Blaming(ArenaDouble):
    """An arena in which the first seat of game 2 is to blame."""

    async def play(self, plan: TablePlan, begun: Callable[[int], None]) -> Played:
        played = await super().play(plan, begun)
        if plan.table_id != "game-00002":
            return played
        blame = Blame(0, FaultKind.DISCONNECT, 3, "it did not come back")
        return played._replace(result=replace(played.result, faults=(blame,)))


@pytest.mark.parametrize("policy", ["loss", "void", "replay"])
async def test_what_a_fault_costs_is_as_the_file_says(tmp_path: Path, policy: str) -> None:
    (tmp_path / "cup.toml").write_text(text_of("xy", "deals = 2") + f'[rulings]\ndisconnect = "{policy}"\n')
    file, out = load(tmp_path / "cup.toml", BUILTINS), tmp_path / "out"
    results = Results.create(out, file.text, file.name, file.seed)
    async with Blaming() as arena, asyncio.timeout(100):
        assert (await Director(file, results, (arena,), lambda _: None).run()).complete
    entries = read_entries(out / "ledger.jsonl")
    faulty = next(row for row in entries.rows if row.faults)
    culprit, other = faulty.seats[0], faulty.seats[1]
    again = [row.set for row in entries.rows if row.replaces == faulty.set]
    assert again == ([3, 3] if policy == "replay" else [])
    judged = judge(entries, file.scoring)
    counted = {bot: {each.number for each in judged.sets.values() if bot in each.counts_for} for bot in "xy"}
    assert counted[culprit] == {1, 2}
    kept = {number for number in (1, 2) if policy == "loss" or number != faulty.set}
    assert counted[other] == kept.union(again)
    ranking = {each["bot"]: each for each in json.loads((out / "standings.json").read_text())["ranking"]}
    assert (ranking[culprit]["lost_by_ruling"], ranking[culprit]["sets"]) == (1, 2)


# ---------------------------------------------------------------- late entries

SWISS = 'deals = 1\nformat = "swiss"\nrounds = 3'


async def test_a_bot_enters_with_the_next_stage(tmp_path: Path) -> None:
    file, out = file_of(tmp_path, "wxyz", SWISS), tmp_path / "out"
    assert not await begin(out, file, stop_after=2)
    later = file_of(tmp_path, "wxyzvu", SWISS, "later.toml")
    assert await go_on(out, later, "v", "u", "v")  # who is named twice enters once
    entries = read_entries(out / "ledger.jsonl")
    assert [(row.kind, row.bot, row.stage, row.after) for row in entries.rulings] == [
        (RulingKind.ENTER, "v", 1, 4),
        (RulingKind.ENTER, "u", 1, 4),
    ]
    played = {bot: [row.game for row in entries.rows if bot in row.seats] for bot in "wv"}
    assert min(played["w"]) <= 4 < min(played["v"])
    assert (out / "tournament.toml").read_text() == later.text
    assert await go_on(out, later)


async def test_a_format_that_admits_nobody_any_more_says_so(tmp_path: Path) -> None:
    more = 'format = "knockout"\nbest_of = 1\nadvance = 1'
    file, out = file_of(tmp_path, "wxyz", more), tmp_path / "out"
    assert not await begin(out, file, stop_after=1)
    before = outcome(out)
    with pytest.raises(RulingError, match="v cannot enter any more: "):
        await go_on(out, file_of(tmp_path, "wxyzv", more, "later.toml"), "v")
    assert outcome(out) == before


async def test_nobody_enters_behind_the_last_stage(tmp_path: Path) -> None:
    file, out = file_of(tmp_path, "wxyz", SWISS), tmp_path / "out"
    assert await begin(out, file)
    before = outcome(out)
    with pytest.raises(RulingError, match="v cannot enter any more: no stage follows in which it would play"):
        await go_on(out, file_of(tmp_path, "wxyzv", SWISS, "later.toml"), "v")
    assert outcome(out) == before


async def test_a_complete_round_robin_goes_on_with_a_bot_that_enters(tmp_path: Path) -> None:
    file, out = file_of(tmp_path, "xy", "deals = 1"), tmp_path / "out"
    assert await begin(out, file)
    assert await go_on(out, file_of(tmp_path, "xyz", "deals = 1", "later.toml"), "z")
    rows = read_entries(out / "ledger.jsonl").rows
    assert {frozenset(row.seats) for row in rows[2:]} == {frozenset("xz"), frozenset("yz")}
    assert {each["bot"] for each in json.loads((out / "standings.json").read_text())["ranking"]} == set("xyz")


@pytest.mark.slow
async def test_the_power_fails_at_every_step_when_bots_enter(tmp_path: Path, power: Power) -> None:
    file = file_of(tmp_path, "wxyz", SWISS)
    assert not await begin(tmp_path / "played", file, stop_after=2)
    later = file_of(tmp_path, "wxyzvu", SWISS, "later.toml")
    for torn in (False, True):
        expected = None
        for fails_at in itertools.count(1):
            out = tmp_path / f"{fails_at}{torn}"
            shutil.copytree(tmp_path / "played", out)
            power.steps, power.fails_at, power.torn = 0, fails_at, torn
            complete = _taken_up(lambda out=out: take_up(out, later, ("v", "u"), AT))  # type: ignore[misc]
            power.restore()
            entered = "u" in {row.bot for row in read_entries(out / "ledger.jsonl").rulings}
            file_is_new = (out / "tournament.toml").read_text() == later.text
            assert entered or not file_is_new
            take_up(out, later, () if entered else ("v", "u"), AT)
            assert (out / "tournament.toml").read_text() == later.text
            expected = expected or outcome(out)["rulings"]
            assert outcome(out)["rulings"] == expected
            if complete:
                break
        assert fails_at > 5


def _taken_up(enter: Callable[[], object]) -> bool:
    try:
        enter()
    except PowerLostError:
        return False
    return True
