"""Bots end with the tournament, even when its process is killed.

Here: starting the guard and telling it what to watch. Not here: what it does then (`guard_program`). May import the
standard library.
"""

import asyncio
import sys
from pathlib import Path
from types import TracebackType
from typing import Self

_PROGRAM = Path(__file__).with_name("guard_program.py")


class Guard:
    """A second process that kills the watched process groups as soon as this one is gone."""

    def __init__(self) -> None:
        self._process: asyncio.subprocess.Process | None = None

    async def __aenter__(self) -> Self:
        self._process = await asyncio.create_subprocess_exec(
            sys.executable,
            *("-I", "-S", str(_PROGRAM)),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.DEVNULL,
            stderr=asyncio.subprocess.DEVNULL,
            start_new_session=True,
        )
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        assert self._process is not None
        assert self._process.stdin is not None
        self._process.stdin.close()
        await self._process.wait()

    def watch(self, group: int, mark: str) -> None:
        """Watch a process group, and the processes elsewhere with this mark."""
        self._tell(f"+{group} {mark}\n")

    def forget(self, group: int) -> None:
        """Watch a process group no more."""
        self._tell(f"-{group}\n")

    def _tell(self, line: str) -> None:
        assert self._process is not None
        assert self._process.stdin is not None
        self._process.stdin.write(line.encode())
