"""The program that outlives a killed tournament just long enough to end its bots.

Here: the whole program, run by `guard` as a script with an isolated interpreter, so that it starts fast; and finding
the processes of a bot that left its group, which `program` uses too. Imports the standard library only.

It reads process groups from its input, `+N MARK` to watch and `-N` to forget one. The input ends when the tournament's
process is gone, however that went; then all groups that are still watched are killed.
"""

import os
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

MARK = "LASTCARD_RUN"
"""The variable in a bot's environment that its children inherit, wherever they go; its value is the event's mark, a
dot, and another word each time."""

_MOST_ROUNDS = 10
"""So often processes are looked for: one that is just being killed may have started another."""


def kill(group: int, mark: str) -> None:
    """Kill a process group, and the processes that left it but still have this mark (where there is `/proc`)."""
    # Where nothing is left, or what is left has changed its user, nothing more can be done.
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(group, signal.SIGKILL)
    _kill_marked(f"{MARK}={mark}".encode().__eq__)


def kill_event(mark: str) -> None:
    """Kill all processes that an event with this mark has started, in whatever run (where there is `/proc`)."""
    _kill_marked(_is_of(mark))


def processes_of(mark: str) -> list[int]:
    """The processes that an event with this mark has started, in whatever run, and that have not ended."""
    return list(_marked(_is_of(mark)))


def _is_of(mark: str) -> Callable[[bytes], bool]:
    begin = f"{MARK}={mark}.".encode()
    return lambda variable: variable.startswith(begin)


def _kill_marked(wanted: Callable[[bytes], bool]) -> None:
    """Kill all processes with such a variable."""
    for _ in range(_MOST_ROUNDS):
        left = list(_marked(wanted))
        if not left:
            return
        for process in left:
            with suppress(ProcessLookupError, PermissionError):
                os.kill(process, signal.SIGKILL)


def _marked(wanted: Callable[[bytes], bool]) -> Iterator[int]:
    """Running processes with such a variable; one that has ended has no environment any more."""
    for path in Path("/proc").glob("[0-9]*/environ"):
        try:
            environment = path.read_bytes()
        except OSError:
            continue  # it has ended, or is another user's
        if any(map(wanted, environment.split(b"\0"))):
            yield int(path.parent.name)


def main() -> None:
    """Watch until the input ends, then kill what is left."""
    groups: dict[int, str] = {}
    for line in iter(sys.stdin.readline, ""):
        number, _, mark = line[1:].strip().partition(" ")
        if line.startswith("+"):
            groups[int(number)] = mark
        else:
            groups.pop(int(number), None)
    for group, mark in groups.items():
        kill(group, mark)


if __name__ == "__main__":
    main()
