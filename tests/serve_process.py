"""`lastcard serve` as a process of its own, to be killed, stopped and started again by tests."""

import asyncio
import os
import signal
import sys
from pathlib import Path
from typing import Self

START_S = 60.0
"""How long a server may take until it serves; it only bounds failures."""


class ServeProcess:
    """One server process on a port that stays the same over its starts; `address` is where it serves."""

    def __init__(self, data: Path, *options: str) -> None:
        self._options = ("--data", str(data), "--log", "json", "--log-level", "error", *options)
        self._port = "0"
        self.address = ""
        self.process: asyncio.subprocess.Process | None = None

    async def __aenter__(self) -> Self:
        await self.start()
        return self

    async def __aexit__(self, *_: object) -> None:
        if self.process is not None and self.process.returncode is None:
            self.process.kill()
            await self.process.wait()

    async def begin(self) -> None:
        """Starts the process and waits for nothing."""
        self.process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "lastcard.cli.main", "serve", "--port", self._port, *self._options),
            stdout=asyncio.subprocess.PIPE,
            env={name: text for name, text in os.environ.items() if not name.startswith("LASTCARD_")},
        )

    async def start(self) -> None:
        """Starts the server and waits until it serves."""
        await self.begin()
        assert self.process is not None
        assert self.process.stdout is not None
        async with asyncio.timeout(START_S):
            line = (await self.process.stdout.readline()).decode()
        assert line.startswith("lastcard: serving on "), f"the server said {line!r}"
        self.address = line.split()[-1]
        self._port = self.address.rpartition(":")[2]

    def send(self, number: signal.Signals) -> None:
        """Sends the process a signal."""
        assert self.process is not None
        self.process.send_signal(number)

    async def kill(self) -> None:
        """Kills the process as a machine would that loses power to it."""
        self.send(signal.SIGKILL)
        await self.wait()

    async def wait(self) -> int:
        """Waits for the process's end and returns its status."""
        assert self.process is not None
        async with asyncio.timeout(START_S):
            return await self.process.wait()
