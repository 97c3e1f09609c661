"""The program that outlives a killed tournament just long enough to end its bots.

Here: the whole program, run by `guard` as a script with an isolated interpreter, so that it starts fast; and finding
the processes of a bot that left its group, which `program` uses too. Imports the standard library only.

It reads process groups from its input, `+N MARK` to watch and `-N` to forget one. The input ends when the tournament's
process is gone, however that went; then all groups that are still watched are killed.
"""

import os
import signal
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

MARK = "LASTCARD_RUN"
"""The variable in a bot's environment that its children inherit, wherever they go; its value is another each time."""

_MOST_ROUNDS = 10
"""So often processes are looked for: one that is just being killed may have started another."""


def kill(group: int, mark: str) -> None:
    """Kill a process group, and the processes that left it but still have this mark (where there is `/proc`)."""
    # Where nothing is left, or what is left has changed its user, nothing more can be done.
    gone = suppress(ProcessLookupError, PermissionError)
    with gone:
        os.killpg(group, signal.SIGKILL)
    for _ in range(_MOST_ROUNDS):
        left = list(_marked(mark))
        if not left:
            return
        for process in left:
            with gone:
                os.kill(process, signal.SIGKILL)


def _marked(mark: str) -> Iterator[int]:
    """Running processes with this mark; one that has ended has no environment any more."""
    wanted = f"{MARK}={mark}".encode()
    for path in Path("/proc").glob("[0-9]*/environ"):
        try:
            environment = path.read_bytes()
        except OSError:
            continue  # it has ended, or is another user's
        if wanted in environment.split(b"\0"):
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
