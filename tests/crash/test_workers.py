"""Tournaments on several server processes, which are killed as well as the director: they come to the same ledger.

`make crash` kills twenty times a test, `make test` a few.
"""

import json
import os
import signal
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest

from killing import KILLS, LASTCARD, Process, chance_for, processes_with, wait_until
from lastcard.cli.main import main
from lastcard.tournament.director.guard_program import MARK
from lastcard.tournament.ledger import Row, read_rows

pytestmark = [pytest.mark.slow, pytest.mark.timeout(90 + 20 * KILLS)]

TEXT = """\
[tournament]
name = "cup"
seed = 12
table_size = 3
deals = {deals}
options = {{ match_end = "target", target_points = 100 }}
concurrency = 4
[clock]
limit = "60s"
bank = "120s"
reaction = "60s"
start_up = "60s"
grace = "120s"
[[bot]]
name = "ann"
command = ["lastcard", "bot", "run", "greedy"]
[[bot]]
name = "ben"
command = {ben}
[[bot]]
name = "cora"
builtin = "greedy"
"""


class Cup:
    """A tournament in a directory, run again and again; with a file `slow` beside it its games last."""

    def __init__(self, directory: Path, out: str, deals: int) -> None:
        self.out = directory / out
        self._directory = directory
        self._printed = directory / f"{out}.txt"
        ben = json.dumps([sys.executable, str(Path(__file__).with_name("steady_bot.py"))])
        (directory / "cup.toml").write_text(TEXT.format(deals=deals, ben=ben))

    def start(self, workers: int) -> Process:
        options = ["--resume"] if (self.out / "tournament.toml").exists() else []
        command = (*LASTCARD, "tournament", "run", "cup.toml", "--out", self.out.name, "--workers", str(workers))
        return Process(*command, *options, directory=self._directory, output=self._printed)

    def slow(self, *, on: bool) -> None:
        (self._directory / "slow").touch() if on else (self._directory / "slow").unlink(missing_ok=True)

    @property
    def printed(self) -> str:
        return self._printed.read_text()

    @property
    def rows(self) -> list[Row]:
        ledger = self.out / "ledger.jsonl"
        rows = read_rows(ledger)[0] if ledger.exists() else []
        return [replace(row, times={}) for row in sorted(rows, key=lambda row: row.game)]

    @property
    def mark(self) -> str:
        return str(json.loads((self.out / "event.json").read_text())["mark"])

    def workers(self) -> list[int]:
        return [pid for pid, _ in processes_with(MARK, f"{self.mark}-worker.")]

    def seated(self) -> int:
        """How often ben was told of a seat in a game."""
        logs = [path.read_text() for path in (self.out / "bots").glob("ben*.log")] if self.out.exists() else []
        return sum(log.count(": seated at table game-") for log in logs)

    def wait_for_games(self, process: Process) -> None:
        """Have games be on that last."""
        self.slow(on=True)
        before = self.seated()
        wait_until(lambda: not process.lives() or self.seated() > before, "that a game is on")
        assert process.lives(), self.printed

    def nothing_is_left(self) -> bool:
        return not list(processes_with(MARK, self.mark))


def play_undisturbed(tmp_path: Path, deals: int) -> Cup:
    made = Cup(tmp_path, "undisturbed", deals)
    made.slow(on=False)
    with made.start(1) as process:
        assert process.ended() == 0, made.printed
    return made


def compare(made: Cup, undisturbed: Cup) -> None:
    assert made.rows == undisturbed.rows
    assert not any(row.faults for row in made.rows)
    for row in made.rows:
        assert (made.out / row.record).read_bytes() == (undisturbed.out / row.record).read_bytes()
    assert main(["verify", str(made.out)]) == 0
    state = json.loads((made.out / "event.json").read_text())
    assert (state["state"], state["games"]) == ("complete", len(made.rows))
    assert not any(facts.get("failures_in_a_row") or facts.get("set_aside") for facts in state["bots"].values())
    assert not (made.out / "incidents.jsonl").exists()


def test_workers_that_are_killed_are_started_again_and_cost_no_bot_anything(tmp_path: Path) -> None:
    kills = 1 + KILLS // 3
    deals = 2 + 2 * kills
    made = Cup(tmp_path, "disturbed", deals)
    chance = chance_for("workers")
    with made.start(2) as process:
        process.wait_for_lines("ben is connected", 2)
        for number in range(1, kills + 1):
            made.wait_for_games(process)
            time.sleep(chance.uniform(0, 0.5))
            os.kill(chance.choice(sorted(made.workers())), signal.SIGKILL)
            process.wait_for_lines(
                "was ended by signal 9 and is started again; its games go on where they were", number
            )
            played = len(made.rows)
            made.slow(on=False)
            wait_until(lambda played=played: not process.lives() or len(made.rows) > played, "that a game ends")  # type: ignore[misc]
        assert process.ended() == 0, made.printed
    assert made.nothing_is_left()
    compare(made, play_undisturbed(tmp_path, deals))


def test_a_director_that_is_killed_takes_its_workers_along_and_the_next_may_have_more_or_fewer(tmp_path: Path) -> None:
    deals = 4
    made = Cup(tmp_path, "disturbed", deals)
    for workers in (2, 3):
        with made.start(workers) as process:
            made.wait_for_games(process)
            assert len(made.workers()) >= workers
        wait_until(made.nothing_is_left, "that workers and bots end with their director")
    assert json.loads((made.out / "event.json").read_text())["stores"] == 3
    made.slow(on=False)
    with made.start(1) as process:
        assert process.ended() == 0, made.printed
    assert " goes on behind event " in made.printed
    assert made.nothing_is_left()
    compare(made, play_undisturbed(tmp_path, deals))
