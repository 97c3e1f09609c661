"""The disk is full at any moment of an event: it stops with a sentence, and comes to the undisturbed ledger later."""

import asyncio
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from arena_double import ArenaDouble
from lastcard.tournament.director import Director, EventBrokenOff, EventError, Report, look_again
from lastcard.tournament.director.organiser import take_up
from lastcard.tournament.event_state import COMPLETE
from lastcard.tournament.file import TournamentFile, load
from lastcard.tournament.ledger import read_rows
from lastcard.tournament.results import Results
from power_cuts import Disk, disk_with_an_end, without_processes

TEXT = """\
[tournament]
name = "cup"
seed = 5
table_size = 2
deals = 1
concurrency = 2
options = { match_end = "single_round" }
[[bot]]
name = "x"
builtin = "greedy"
[[bot]]
name = "y"
builtin = "greedy"
"""


@pytest.fixture(autouse=True)
def _no_processes(monkeypatch: pytest.MonkeyPatch) -> None:
    without_processes(monkeypatch)


class Event:
    """One event on the double, from stop to stop."""

    def __init__(self, directory: Path, file: TournamentFile) -> None:
        self.directory = directory
        self._file = file
        self._arena: ArenaDouble | None = None

    def begin(self) -> Results:
        file = self._file
        return Results.create(self.directory, file.text, file.name, file.seed, overwrite=self.directory.exists())

    async def run(self, opened: Results) -> Report:
        if opened.begun is not None and opened.begun.state == COMPLETE:
            return look_again(self._file, opened, lambda _: None)
        self._arena = ArenaDouble(self._arena)
        async with self._arena as arena, asyncio.timeout(100):
            return await Director(self._file, opened, (arena,), lambda _: None).run()

    async def go_on(self) -> Report:
        return await self.run(take_up(self.directory, self._file, (), "now"))

    def outcome(self) -> dict[str, Any]:
        rows, torn = read_rows(self.directory / "ledger.jsonl")
        files = [path for path in self.directory.rglob("*") if path.is_file()]
        kept = {str(path.relative_to(self.directory)): path.read_bytes() for path in files}
        state = json.loads(kept.pop("event.json"))
        del kept["ledger.jsonl"], state["mark"]
        rows = sorted((replace(row, times={}) for row in rows), key=lambda row: row.game)
        return {"rows": rows, "torn": torn, "state": state, "files": kept}


@pytest.mark.slow
async def test_the_disk_is_full_at_every_step_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "cup.toml").write_text(TEXT)
    file = load(tmp_path / "cup.toml", ("greedy",))
    whole = Event(tmp_path / "whole", file)
    assert (await whole.run(whole.begin())).complete
    expected = whole.outcome()
    disk = disk_with_an_end(monkeypatch)
    counted = Event(tmp_path / "counted", file)
    opened = counted.begin()
    first = disk.steps
    await counted.run(opened)
    steps = disk.steps
    assert steps > first + 12
    for fails_at in range(first + 1, steps + 1):
        event = Event(tmp_path / str(fails_at), file)
        disk.restore()
        opened = event.begin()
        disk.steps, disk.fails_at, disk.torn = first, fails_at, fails_at % 2 == 0
        with pytest.raises((EventBrokenOff, OSError), match=r"No space left on device") as stopped:
            await event.run(opened)
        if isinstance(stopped.value, EventBrokenOff):  # all but the first steps, in which a director opens its books
            assert "No space left on device; make room; the " in str(stopped.value)
            assert "--resume goes on with the event" in str(stopped.value)
        with pytest.raises((EventError, OSError), match="No space left on device"):
            await event.go_on()
        disk.restore()
        report = await event.go_on()
        assert (report.complete, report.problems) == (True, ()), fails_at
        assert event.outcome() == expected, fails_at


def test_a_disk_that_is_full_at_the_begin_leaves_room_for_a_new_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "cup.toml").write_text(TEXT)
    file = load(tmp_path / "cup.toml", ("greedy",))
    disk: Disk = disk_with_an_end(monkeypatch)
    Event(tmp_path / "counted", file).begin()
    steps = disk.steps
    assert steps > 5
    for fails_at in range(1, steps + 1):
        event = Event(tmp_path / str(fails_at), file)
        disk.steps, disk.fails_at, disk.torn = 0, fails_at, fails_at % 2 == 0
        with pytest.raises(OSError, match="No space left on device"):
            event.begin()
        disk.restore()
        assert event.begin().begun is None
