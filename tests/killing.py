"""Real processes of the project that are killed in tests: started, looked for, ended.

Times here are real: a test waits for conditions with a bound, and for random times only before it kills.
"""

import contextlib
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Self

KILLS = int(os.environ.get("KILLS", "3"))
"""How often a process is killed in each test of `tests/crash`; `make crash` says more."""

SEED = os.environ.get("SEED", "1")
"""What the moments of killing follow from, as far as moments can follow from anything."""

LASTCARD = (sys.executable, "-m", "lastcard.cli.main")
BOUND_S = 120.0


def chance_for(test: str) -> random.Random:
    """The chance by which a test kills."""
    return random.Random(f"{test} {SEED} {KILLS}")


def wait_until(condition: Callable[[], bool], what: str, bound_s: float = BOUND_S) -> None:
    """Return as soon as `condition` holds; fail with `what` when it does not within the bound."""
    end = time.monotonic() + bound_s
    while not condition():
        assert time.monotonic() < end, f"{what} did not come about within {bound_s:g} s"
        time.sleep(0.01)


class Process:
    """A process in a group of its own whose output goes to the end of a file."""

    def __init__(self, *command: str, directory: Path, output: Path, environment: dict[str, str] | None = None) -> None:
        self.output = output
        self._before = output.stat().st_size if output.exists() else 0
        with output.open("ab") as file:
            self._process = subprocess.Popen(
                command,
                cwd=directory,
                env={**os.environ, "PYTHONUNBUFFERED": "1", **(environment or {})},
                stdin=subprocess.DEVNULL,
                stdout=file,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        self.pid = self._process.pid

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.kill()

    @property
    def printed(self) -> str:
        """What it has printed."""
        with self.output.open("rb") as file:
            file.seek(self._before)
            return file.read().decode()

    def lives(self) -> bool:
        """Whether it has not ended."""
        return self._process.poll() is None

    def has_printed(self, text: str) -> bool:
        """Whether it has printed this; a process that ended without it fails the test."""
        found = text in self.printed
        assert found or self.lives(), f"ended with status {self._process.returncode}: {self.printed}"
        return found

    def wait_for(self, text: str) -> None:
        """Wait until it has printed this."""
        wait_until(lambda: self.has_printed(text), f"that the process printed {text!r}")

    def wait_for_lines(self, text: str, number: int) -> None:
        """Wait until it has printed so many lines with this."""
        wait_until(lambda: self.has_printed(text) and self.printed.count(text) >= number, f"{number} × {text!r}")

    def signal(self, number: signal.Signals) -> None:
        """Send it a signal."""
        self._process.send_signal(number)

    def kill_guard(self) -> None:
        """Kill the process that would end the bots of a tournament, which this is; then nobody does."""
        for path in Path("/proc").glob("[0-9]*/stat"):
            with contextlib.suppress(OSError):  # it has ended
                parent = int(path.read_text().rpartition(") ")[2].split()[1])
                if parent == self.pid and b"guard_program" in path.with_name("cmdline").read_bytes():
                    os.kill(int(path.parent.name), signal.SIGKILL)

    def kill(self) -> None:
        """Kill its group, as the end of power would, and wait for its own end."""
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.pid, signal.SIGKILL)
        self._process.wait()

    def ended(self, bound_s: float = BOUND_S) -> int:
        """Wait for its end and return its status."""
        try:
            return self._process.wait(bound_s)
        except subprocess.TimeoutExpired:
            raise AssertionError(f"has not ended within {bound_s:g} s: {self.printed}") from None


def processes_with(name: str, value: str) -> Iterator[tuple[int, dict[str, str]]]:
    """The processes in whose environment a variable begins with `value`, with their environments."""
    begin = f"{name}={value}"
    for path in Path("/proc").glob("[0-9]*/environ"):
        try:
            variables = path.read_bytes().decode(errors="replace").split("\0")
        except OSError:
            continue  # it has ended, or is another user's
        if any(variable.startswith(begin) for variable in variables):
            yield int(path.parent.name), dict(variable.split("=", 1) for variable in variables if "=" in variable)
