"""The program that outlives a killed tournament just long enough to end its bots.

Here: the whole program, run by `guard` as a script with an isolated interpreter, so that it starts fast. Imports the
standard library only.

It reads process groups from its input, `+N` to watch and `-N` to forget one. The input ends when the tournament's
process is gone, however that went; then all groups that are still watched are killed.
"""

import os
import signal
import sys


def main() -> None:
    """Watch until the input ends, then kill what is left."""
    groups: set[int] = set()
    for line in iter(sys.stdin.readline, ""):
        number = int(line[1:])
        if line.startswith("+"):
            groups.add(number)
        else:
            groups.discard(number)
    for group in groups:
        try:
            os.killpg(group, signal.SIGKILL)
        except (ProcessLookupError, PermissionError):
            continue  # it ended by itself meanwhile


if __name__ == "__main__":
    main()
