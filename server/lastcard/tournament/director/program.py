"""One run of a bot's program: started in a process group of its own, read from, and ended with its children.

Here: the process. Not here: when it is started again (`competitor`), where its output goes (`output`), finding children
that left the group (`guard_program`). May import the standard library and those.
"""

import asyncio
import contextlib
import os
import secrets
import signal
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Self

from lastcard.tournament.director.guard_program import MARK, kill
from lastcard.tournament.director.output import Output

_CHUNK_BYTES = 1 << 16
_PACE_S = 0.005
"""Pause after each chunk of output, so that a bot that floods is held up and not the tournament."""
_DRAIN_S = 1.0
"""How long output is read on after the end: only a process that could not be found could still hold the pipe open."""


class Program:
    """A running program."""

    def __init__(self, process: asyncio.subprocess.Process, mark: str, pump: asyncio.Task[None]) -> None:
        self.mark = mark
        """What the environment of its children has under the name `MARK`."""
        self._process = process
        self._pump = pump

    @classmethod
    async def start(
        cls,
        command: Sequence[str],
        *,
        directory: Path,
        environment: Mapping[str, str],
        output: Output,
        mark: str = "",
    ) -> Self:
        """Start a command with this environment; what it prints goes to `output`.

        Its mark begins with `mark`, the event's, and is another at each start.

        Raises:
            OSError: it could not be started.
        """
        mark = f"{mark}.{secrets.token_hex(8)}"
        reading, writing = os.pipe()
        try:
            process = await asyncio.create_subprocess_exec(
                *command,
                cwd=directory,
                env={**environment, MARK: mark},
                stdin=asyncio.subprocess.DEVNULL,
                stdout=writing,
                stderr=writing,
                start_new_session=True,
            )
        except BaseException:
            os.close(reading)
            raise
        finally:
            os.close(writing)
        return cls(process, mark, asyncio.create_task(_pump(reading, output), name=f"output of {process.pid}"))

    @property
    def pid(self) -> int:
        """The process's number, which is its group's too."""
        return self._process.pid

    async def wait(self) -> int:
        """Wait for the end and return the status, negative for a signal; children left behind are ended too."""
        status = await self._process.wait()
        await self._kill_all()
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(self._pump, _DRAIN_S)
        return status

    async def close(self) -> None:
        """End what is left of the program, and read no more of it."""
        await self._kill_all()
        self._pump.cancel()
        await asyncio.gather(self._process.wait(), self._pump, return_exceptions=True)

    async def _kill_all(self) -> None:
        # In a thread: looking at every process of a large machine takes longer than games should have to wait.
        await asyncio.to_thread(kill, self.pid, self.mark)

    def ask_to_end(self) -> None:
        """Ask the program and its children to end."""
        self._signal(signal.SIGTERM)

    def kill(self) -> None:
        """End the program and its children at once."""
        self._signal(signal.SIGKILL)

    def _signal(self, number: signal.Signals) -> None:
        # Nothing of the group is left, or what is left has changed its user: nothing more can be done.
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, number)


def status_text(status: int) -> str:
    """How a process ended, in words."""
    if status >= 0:
        return f"ended with status {status}"
    try:
        return f"was ended by {signal.Signals(-status).name}"
    except ValueError:
        return f"was ended by signal {-status}"


async def _pump(reading: int, output: Output) -> None:
    """Move what comes through the pipe to the output until its writers are gone."""
    reader = asyncio.StreamReader()
    loop = asyncio.get_running_loop()
    transport, _ = await loop.connect_read_pipe(
        lambda: asyncio.StreamReaderProtocol(reader), os.fdopen(reading, "rb", buffering=0)
    )
    try:
        while data := await reader.read(_CHUNK_BYTES):
            output.write(data)
            await asyncio.sleep(_PACE_S if len(data) == _CHUNK_BYTES else 0)
    finally:
        transport.close()
