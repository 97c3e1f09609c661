"""A tournament over gRPC whose processes are killed with `kill -9` at random moments comes to the undisturbed ledger.

`make crash` kills twenty times a test, `make test` a few. The moments follow from a seed, as far as moments can.
"""

import contextlib
import json
import os
import random
import signal
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest

from killing import KILLS, LASTCARD, Process, chance_for, processes_with, wait_until
from lastcard.cli.main import main
from lastcard.rules.verify import verify
from lastcard.tournament.director.guard_program import MARK
from lastcard.tournament.ledger import Row, read_rows

pytestmark = [pytest.mark.slow, pytest.mark.timeout(60 + 20 * KILLS)]

HEAD = """\
[tournament]
name = "cup"
seed = 11
table_size = 3
deals = {deals}
options = {{ {options} }}
concurrency = 8
[clock]
limit = "60s"
bank = "120s"
reaction = "60s"
start_up = "60s"
grace = "120s"
"""
CALLING = 'match_end = "target", target_points = 150'
"""Everybody calls, so that no reaction is asked of a bot that is away."""
REACTING = f'{CALLING}, jump_in = "identical"'


def steady(name: str, *, forgetful: bool) -> str:
    environment = '{ FORGETFUL = "1" }' if forgetful else "{}"
    command = json.dumps([sys.executable, str(Path(__file__).with_name("steady_bot.py"))])
    return f'[[bot]]\nname = "{name}"\ncopies = 2\ncommand = {command}\nenvironment = {environment}\n'


def cup(options: str, *, forgetful: bool, deals: int = 2 + KILLS // 3) -> str:
    return (
        HEAD.format(deals=deals, options=options)
        + '[[bot]]\nname = "ann"\ncopies = 2\ncommand = ["lastcard", "bot", "run", "greedy"]\n'
        + steady("ben", forgetful=forgetful)
        + '[[bot]]\nname = "cora"\nbuiltin = "greedy"\n'
    )


class Cup:
    """A tournament in a directory, run by the command again and again."""

    def __init__(self, directory: Path, text: str, out: str) -> None:
        self.directory = directory
        self.out = directory / out
        self._printed = directory / f"{out}.txt"
        (directory / "cup.toml").write_text(text)

    @property
    def rows(self) -> list[Row]:
        ledger = self.out / "ledger.jsonl"
        rows = read_rows(ledger)[0] if ledger.exists() else []
        return [replace(row, times={}) for row in sorted(rows, key=lambda row: row.game)]

    @property
    def printed(self) -> str:
        return self._printed.read_text()

    def start(self, *, slow: bool = False) -> Process:
        """Begin it or go on with it; `slow` has games last until they are killed."""
        (self.directory / "slow").touch() if slow else (self.directory / "slow").unlink(missing_ok=True)
        begun = (self.out / "tournament.toml").exists()
        options = ["--resume"] if begun else ["--overwrite"] if self.out.exists() else []
        command = (*LASTCARD, "tournament", "run", "cup.toml", "--out", self.out.name, *options)
        return Process(*command, directory=self.directory, output=self._printed)

    def seated(self) -> int:
        """How often ben's first copy was told of a seat in a game."""
        log = self.out / "bots" / "ben.log"
        return log.read_text().count(": seated at table game-") if log.exists() else 0

    def bots(self) -> dict[str, int]:
        """The running programs of bots, one of each, by name."""
        try:
            mark = json.loads((self.out / "event.json").read_text())["mark"]
        except FileNotFoundError:
            return {}
        return {environment["LASTCARD_BOT"]: pid for pid, environment in processes_with(MARK, mark)}


def check_records(made: Cup) -> None:
    for row in made.rows:
        found = verify((made.out / row.record).read_bytes())
        assert (found.ok, found.problem, found.revealed) == (True, None, True)
        assert found.record_hash == row.record_hash


def compare(disturbed: Cup, undisturbed: Cup) -> None:
    assert disturbed.rows == undisturbed.rows
    assert not any(row.faults for row in disturbed.rows)
    check_records(disturbed)
    for row in disturbed.rows:
        assert (disturbed.out / row.record).read_bytes() == (undisturbed.out / row.record).read_bytes()
    assert main(["verify", str(disturbed.out)]) == 0
    state = json.loads((disturbed.out / "event.json").read_text())
    assert (state["state"], state["games"]) == ("complete", len(disturbed.rows))


def play_undisturbed(tmp_path: Path, text: str) -> Cup:
    made = Cup(tmp_path, text, "undisturbed")
    with made.start() as process:
        assert process.ended() == 0, made.printed
    return made


def games_hit(made: Cup) -> int:
    """How many games were on in which a director was killed."""
    return made.printed.count(" goes on behind event ")


def test_a_director_and_bots_that_are_killed_at_random_moments(tmp_path: Path) -> None:
    text = cup(CALLING, forgetful=False)
    made = Cup(tmp_path, text, "disturbed")
    chance = chance_for("director and bots")
    bots_killed = 0
    for number in range(KILLS):
        with made.start(slow=True) as process:
            if chance.random() < 0.2:
                time.sleep(chance.uniform(0, 3))  # maybe while it starts
                continue
            process.wait_for("ann is connected")
            process.wait_for("ben is connected")
            if chance.random() < 0.5:
                bots_killed += kill_a_bot(made, chance)
            time.sleep(chance.uniform(0, 1.2))
            assert process.lives(), made.printed
            if number % 3 == 1:
                process.kill_guard()
                process.kill()
                assert made.bots()  # the next director ends them
    finish(made, chance, bots_killed)
    compare(made, play_undisturbed(tmp_path, text))


def kill_a_bot(made: Cup, chance: random.Random) -> bool:
    """Kill one of the bots' programs, when one runs that has finished a game since it last failed."""
    conduct = json.loads((made.out / "event.json").read_text())["bots"]
    running = {name: pid for name, pid in made.bots().items() if not conduct.get(name, {}).get("failures_in_a_row")}
    if not running:
        return False
    time.sleep(chance.uniform(0, 0.5))
    with contextlib.suppress(ProcessLookupError):
        os.kill(running[chance.choice(sorted(running))], signal.SIGKILL)
    return True


def finish(made: Cup, chance: random.Random, bots_killed: int) -> None:
    """Let the event be played to its end, kill at least one bot on the way, and look at what is left behind."""
    with made.start() as process:
        process.wait_for("ben is connected")
        process.wait_for("ann is connected")
        bots_killed += kill_a_bot(made, chance)
        assert process.ended() == 0, made.printed
    assert bots_killed > 0
    assert games_hit(made) > 0, made.printed
    assert made.bots() == {}
    print(f"{KILLS} kills of the director hit {games_hit(made)} games, {bots_killed} kills of bots")


def test_a_director_that_is_killed_while_reactions_are_asked(tmp_path: Path) -> None:
    """No bot is away here but by the director's death, so that every reaction is as it would be."""
    text = cup(REACTING, forgetful=True)
    made = Cup(tmp_path, text, "disturbed")
    chance = chance_for("reactions")
    for _ in range(KILLS):
        with made.start(slow=True) as process:
            process.wait_for("ben is connected")
            time.sleep(chance.uniform(0, 1.5))
            assert process.lives(), made.printed
    with made.start() as process:
        assert process.ended() == 0, made.printed
    assert games_hit(made) > 0, made.printed
    print(f"{KILLS} kills of the director hit {games_hit(made)} games")
    compare(made, play_undisturbed(tmp_path, text))
    told = "".join((made.out / row.record).read_text() for row in made.rows)
    assert '"jump_in":true' in told
    assert '"caught":true' in told


def test_ctrl_c_once_stops_after_the_running_games_and_twice_at_once(tmp_path: Path) -> None:
    text = cup(CALLING, forgetful=False, deals=7)
    made = Cup(tmp_path, text, "disturbed")
    with made.start() as process:
        process.wait_for("ben is connected")
        (tmp_path / "slow").touch()
        wait_until(lambda: len(made.rows) >= 1, "that a game ended")
        process.signal(signal.SIGINT)
        process.wait_for("stopping after ")
        (tmp_path / "slow").unlink()
        assert process.ended() == 1, made.printed
        assert_says_how_to_go_on(made, process)
    assert games_hit(made) == 0
    finished = len(made.rows)
    seated = made.seated()
    with made.start(slow=True) as process:
        wait_until(lambda: made.seated() > seated, "that a game is on")
        process.signal(signal.SIGINT)
        process.wait_for("stopping after ")
        time.sleep(0.6)  # signals that come together count once
        process.signal(signal.SIGINT)
        assert process.ended() == 1, made.printed
        assert "stopping now; --resume goes on where this stops" in process.printed
        assert_says_how_to_go_on(made, process)
    assert games_hit(made) == 0, made.printed  # no game was on when the first run ended
    assert made.bots() == {}
    with made.start(slow=True) as process:
        process.wait_for("ann is connected")
        assert games_hit(made) > 0, made.printed
        process.signal(signal.SIGTERM)
        assert process.ended() == 1, made.printed
    with made.start() as process:
        assert process.ended() == 0, made.printed
    assert len(made.rows) > finished
    compare(made, play_undisturbed(tmp_path, text))


def assert_says_how_to_go_on(made: Cup, process: Process) -> None:
    command = "lastcard tournament run cup.toml --out disturbed --resume"
    assert f"Stopped before all games were played. To go on: {command}\n" in process.printed, made.printed
