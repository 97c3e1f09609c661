"""The power fails between any two changes of a file; what an event comes to in the end does not depend on it.

After it has failed (`power_cuts`) a new director goes on in the same directory.
"""

import asyncio
import itertools
import json
import random
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from arena_double import ArenaDouble, Table
from lastcard.tournament.director import Director, Report, look_again
from lastcard.tournament.event_state import COMPLETE
from lastcard.tournament.file import TournamentFile, load
from lastcard.tournament.ledger import read_rows
from lastcard.tournament.results import Results, ResultsError
from lastcard.tournament.resumption import resume
from power_cuts import Power, PowerLostError, power_supply, without_processes

TEXT = """\
[tournament]
name = "cup"
seed = 5
table_size = 2
deals = 1
concurrency = 1
options = { match_end = "single_round" }
[[bot]]
name = "a"
builtin = "greedy"
[[bot]]
name = "b"
command = ["python3", "-c", ""]
[[bot]]
name = "c"
command = ["python3", "-c", ""]
"""
SEVERAL_AT_A_TIME = TEXT[: TEXT.index("[[bot]]")].replace("concurrency = 1", "concurrency = 3") + "".join(
    f'[[bot]]\nname = "{name}"\nbuiltin = "greedy"\n' for name in "xyz"
)
COMPRESSED = TEXT[: TEXT.index("[[bot]]")].replace("deals = 1", 'deals = 2\nrecords = "gzip"') + "".join(
    f'[[bot]]\nname = "{name}"\nbuiltin = "greedy"\n' for name in "xy"
)

PARTS = 4
"""Into how many tests the steps of an event are divided."""


@pytest.fixture
def power(monkeypatch: pytest.MonkeyPatch) -> Power:
    return power_supply(monkeypatch)


@pytest.fixture(autouse=True)
def _no_processes(monkeypatch: pytest.MonkeyPatch) -> None:
    without_processes(monkeypatch)


class Event:
    """One event on the double, from crash to crash."""

    def __init__(self, directory: Path, file: TournamentFile) -> None:
        self.directory = directory
        self._file = file
        self._arena: ArenaDouble | None = None

    async def run(self) -> Report:
        """Begin it or go on with it, as an organiser would."""
        begun = self.directory.exists() and any(self.directory.iterdir())
        try:
            opened = resume(self.directory, self._file) if begun else self._create(overwrite=False)
        except ResultsError as error:
            if "it anew with --overwrite" not in str(error):
                raise
            opened = self._create(overwrite=True)
        if opened.begun is not None and opened.begun.state == COMPLETE:
            return look_again(self._file, opened, lambda _: None)
        self._arena = ArenaDouble(self._arena)
        self._arena.times_out = late
        async with self._arena as arena, asyncio.timeout(100):
            return await Director(self._file, opened, (arena,), lambda _: None).run()

    def _create(self, *, overwrite: bool) -> Results:
        file = self._file
        return Results.create(self.directory, file.text, file.name, file.seed, overwrite=overwrite)

    def outcome(self) -> dict[str, Any]:
        """All that is equal however often the power failed."""
        rows, torn = read_rows(self.directory / "ledger.jsonl")
        files = [path for path in self.directory.rglob("*") if path.is_file()]
        kept = {str(path.relative_to(self.directory)): path.read_bytes() for path in files}
        state = json.loads(kept.pop("event.json"))
        incidents = kept.pop("incidents.jsonl", b"")
        del kept["ledger.jsonl"], state["mark"]
        # An incident is noted after it counts, and so may be missing or there twice; but each is a whole line.
        assert {json.loads(line)["bot"] for line in incidents.splitlines()} <= {"b", "c"}
        return {
            "rows": sorted((replace(row, times={}) for row in rows), key=lambda row: row.game),
            "torn": torn,
            "state": state,
            "files": kept,
        }


def late(table: Table, step: int) -> str:
    """Bot b times out of all its games, until it is set aside, and c of its first."""
    if step != 12:
        return ""
    if "b" in table.names:
        return "b"
    return "c" if "c" in table.names and table.plan.table_id == "game-00001" else ""


async def undisturbed(tmp_path: Path, file: TournamentFile) -> dict[str, Any]:
    made = Event(tmp_path / "undisturbed", file)
    report = await made.run()
    assert (report.complete, report.problems) == (True, ())
    return made.outcome()


@pytest.fixture
def cup(tmp_path: Path) -> TournamentFile:
    path = tmp_path / "cup.toml"
    path.write_text(TEXT)
    return load(path, ("greedy",))


async def test_what_is_written_in_these_tests_is_all_that_can_be(tmp_path: Path, cup: TournamentFile) -> None:
    expected = await undisturbed(tmp_path, cup)
    assert expected["state"]["bots"]["b"]["set_aside"].startswith("set aside after 3 failures in a row")
    assert [fault.kind for row in expected["rows"] for fault in row.faults] == ["start_up"]


@pytest.mark.slow
@pytest.mark.parametrize("part", range(PARTS))
@pytest.mark.parametrize("text", [TEXT, SEVERAL_AT_A_TIME, COMPRESSED], ids=["one", "several", "gzip"])
async def test_the_power_fails_at_every_step_once(tmp_path: Path, power: Power, text: str, part: int) -> None:
    (tmp_path / "cup.toml").write_text(text)
    cup = load(tmp_path / "cup.toml", ("greedy",))
    expected = await undisturbed(tmp_path, cup)
    before = [(fails_at, False) for fails_at in range(1, power.steps + 1)]
    within = [(fails_at, True) for fails_at in power.writes]
    assert len(within) > 20
    for number, (fails_at, torn) in enumerate((before + within)[part::PARTS]):
        disturbed = Event(tmp_path / str(number), cup)
        power.steps, power.fails_at, power.torn = 0, fails_at, torn
        with pytest.raises(PowerLostError):
            await disturbed.run()
        power.restore()
        report = await disturbed.run()
        assert (report.complete, report.problems) == (True, ()), (fails_at, torn)
        assert disturbed.outcome() == expected, (fails_at, torn)


@pytest.mark.parametrize("seed", range(30))
async def test_the_power_fails_again_and_again(tmp_path: Path, cup: TournamentFile, power: Power, seed: int) -> None:
    expected = await undisturbed(tmp_path, cup)
    chance = random.Random(seed)
    disturbed = Event(tmp_path / "disturbed", cup)
    failures = 0
    while True:
        power.steps, power.fails_at, power.torn = 0, chance.randint(1, 40), chance.random() < 0.5
        try:
            await disturbed.run()
        except PowerLostError:
            failures += 1
        else:
            break
    power.restore()
    assert failures >= 2
    assert disturbed.outcome() == expected


async def test_the_power_fails_while_earlier_results_are_replaced(
    tmp_path: Path, cup: TournamentFile, power: Power
) -> None:
    expected = await undisturbed(tmp_path, cup)
    for fails_at in itertools.count(1):
        directory = tmp_path / str(fails_at)
        shutil.copytree(tmp_path / "undisturbed", directory)
        power.steps, power.fails_at = 0, fails_at
        try:
            Results.create(directory, cup.text, cup.name, cup.seed, overwrite=True)
        except PowerLostError:
            power.restore()
        else:
            break
        Results.create(directory, cup.text, cup.name, cup.seed, overwrite=True)
        again = Event(directory, cup)
        assert (await again.run()).complete
        assert again.outcome() == expected
    assert fails_at > 20
