"""A bot in the event: its program is started, watched, and started again after a failure until it is set aside.

Here: the running of one bot. Not here: the process (`program`), how failures count (`conduct`), the games (`event`).
May import the standard library, the pure modules of `tournament`, `ports`, `guard`, `output` and `program`.
"""

import asyncio
import contextlib
import os
import sys
from collections.abc import Callable
from pathlib import Path

from lastcard.tournament.director.guard import Guard
from lastcard.tournament.director.output import Output
from lastcard.tournament.director.program import Program, status_text
from lastcard.tournament.entries import BotEntry
from lastcard.tournament.ports import ArenaPort

FAREWELL_S = 3.0
"""How long a program may take to end after it was asked to."""

_BACKOFF_S = 0.2
"""Wait before a program's second start; twice as long before the third."""


class Competitor:
    """One bot of the event.

    `settled` is set while the bot can be seated, or is set aside and will not come any more. `ready` is called with the
    number of the program's starts when it has connected, `failed` with the reason when it has failed, and gives how
    often that was in a row; what it leads to is done by then. `mark` begins the marks of the bot's processes.
    """

    def __init__(
        self,
        entry: BotEntry,
        arena: ArenaPort,
        mark: str,
        ready: Callable[[str, int], None],
        failed: Callable[[str, str], int],
    ) -> None:
        self.name = entry.name
        self.settled = asyncio.Event()
        self._aside = False
        self._entry = entry
        self._arena = arena
        self._mark = mark
        self._ready = ready
        self._failed = failed
        self._starts = 0
        self._token = ""
        self._program: Program | None = None
        self._ending = asyncio.Event()
        if entry.command is None:
            self.settled.set()

    async def supervise(self, log: Path, start_up_ms: int, guard: Guard) -> None:
        """Keep the bot's program running until the event ends or the bot is set aside; its output goes to `log`."""
        if self._entry.command is None:
            return
        self._token = await self._arena.mint(self.name)
        environment = self._environment(self._token)
        output = Output(log)
        try:
            while not self._ending.is_set() and not self._aside:
                why = await self._run(environment, output, start_up_ms, guard)
                if why is not None and not self._ending.is_set():
                    await self._pause(self._failed(self.name, why))
        finally:
            output.close()

    def end(self) -> None:
        """End the bot's program for good: at first politely, then with its children."""
        self._ending.set()
        if self._program is not None:
            self._program.ask_to_end()
            asyncio.get_running_loop().call_later(FAREWELL_S, self._program.kill)

    def set_aside(self) -> None:
        """End the bot's program at once; it is not started again."""
        self._aside = True
        self.settled.set()
        if self._program is not None:
            self._program.kill()

    def _environment(self, token: str) -> dict[str, str]:
        beside = str(Path(sys.executable).parent)
        path = os.environ.get("PATH", os.defpath)
        return {
            "PYTHONUNBUFFERED": "1",  # or what a bot printed before a crash would be lost in its buffer
            **os.environ,
            "PATH": f"{path}{os.pathsep}{beside}",  # scripts find `lastcard` as commands do
            **self._entry.environment,
            "LASTCARD_SERVER": self._arena.address,
            "LASTCARD_TOKEN": token,
            "LASTCARD_BOT": self.name,
        }

    async def _run(self, environment: dict[str, str], output: Output, start_up_ms: int, guard: Guard) -> str | None:
        """Run the program once; why it failed, or `None` when it was ended by the event."""
        assert self._entry.command is not None
        assert self._entry.directory is not None
        self._starts += 1
        output.note(f"start {self._starts} of {self.name}")
        try:
            self._program = await Program.start(
                self._entry.command,
                directory=self._entry.directory,
                environment=environment,
                output=output,
                mark=self._mark,
            )
        except OSError as error:
            return f"could not be started: {error.strerror}"
        guard.watch(self._program.pid, self._program.mark)
        try:
            why = await self._watch(self._program, output, start_up_ms)
        finally:
            program, self._program = self._program, None
            if not self._aside:
                self.settled.clear()
            await program.close()
            guard.forget(program.pid)
        output.note(why or "the event is over")
        return why

    async def _watch(self, program: Program, output: Output, start_up_ms: int) -> str | None:
        if self._ending.is_set():
            return None
        end = asyncio.create_task(program.wait())
        hello = asyncio.create_task(self._arena.connected(self._token))
        try:
            await asyncio.wait({end, hello}, timeout=start_up_ms / 1000, return_when=asyncio.FIRST_COMPLETED)
            if end.done():
                return f"{status_text(end.result())} before it connected{_printed(output)}"
            if not hello.done():
                program.kill()
                await end
                return f"did not connect within {start_up_ms / 1000:g} s{_printed(output)}"
            hello.result()
            self.settled.set()
            self._ready(self.name, self._starts)
            status = await end
            if self._ending.is_set() or self._aside:
                return None
            why = f"{status_text(status)}{_printed(output)}"
            self._arena.report_crash(self._token, why)
            return why
        finally:
            for task in (end, hello):
                task.cancel()
            await asyncio.gather(end, hello, return_exceptions=True)

    async def _pause(self, failures: int) -> None:
        """Wait before the next start, but not beyond the event's end."""
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(self._ending.wait(), _BACKOFF_S * 2 ** (failures - 1))


def _printed(output: Output) -> str:
    """What a bot printed last, to follow the reason of its failure."""
    return f"; it printed {output.last_line!r}" if output.last_line else ""
