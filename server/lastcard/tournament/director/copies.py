"""A copy of a bot's program: started, watched, and started again after a failure.

Here: the running of one copy. Not here: the process (`program`), all copies together (`competitor`), how failures count
(`conduct`). May import the standard library, the pure modules of `tournament`, `ports`, `output` and
`program`.
"""

import asyncio
import contextlib
import os
import sys
from collections.abc import Callable
from pathlib import Path

from lastcard.tournament.conduct import CRASHES, DISCONNECTS, STARTS
from lastcard.tournament.director.instance import Instance, Reports, Stage, drop_tasks, first_done
from lastcard.tournament.director.output import LIMIT_BYTES, Output
from lastcard.tournament.director.program import Program, status_text
from lastcard.tournament.entries import BotEntry
from lastcard.tournament.passes import from_here
from lastcard.tournament.ports import ArenaPort

FAREWELL_S = 3.0
"""How long a program may take to end after it was asked to."""

FIRST_PAUSE_S = 0.2
"""Wait before a program's second start; it doubles with each failure in a row."""

LONGEST_PAUSE_S = 30.0

STEADY_S = 30.0
"""A program that was connected for so long begins with the shortest wait again."""


class Copy(Instance):
    """One of the `copies` processes of a bot; what it prints goes to `log`."""

    def __init__(
        self,
        entry: BotEntry,
        *,
        number: int,
        copies: int,
        arena: ArenaPort,
        log: Path,
        reports: Reports,
        changed: Callable[[], None],
    ) -> None:
        super().__init__(entry.name, number, reports, changed)
        self._entry = entry
        self._copies = copies
        self._arena = arena
        self._log = log
        self._starts = 0
        self._failures = 0
        """In a row, of this copy alone."""
        self._token = ""
        self._run = 0
        """The arena's run in which the token was made."""
        self._program: Program | None = None
        self._again = False
        """Whether the program was ended to be started anew."""

    async def run_on(self, stage: Stage) -> None:
        """Keep the program running until the event ends or the bot is set aside."""
        output = Output(self._log, LIMIT_BYTES // self._copies)
        try:
            while not self._ending.is_set():
                troubles = self._reports.troubles(self.bot)
                why = await self._run_once(stage, output)
                if why is not None and not self._ending.is_set():
                    self._failures += 1
                    self.was_tried = True
                    self._reports.fail(self.bot, why, troubles)
                    self._changed()
                    await self._pause()
        finally:
            output.close()

    def end(self) -> None:
        """End the program for good: at first politely, then with its children."""
        super().end()
        if self._program is not None:
            self._program.ask_to_end()
            asyncio.get_running_loop().call_later(FAREWELL_S, self._program.kill)

    def drop(self) -> None:
        """End the program at once; it is not started again."""
        super().drop()
        if self._token:
            self._arena.revoke(self._token)
        if self._program is not None:
            self._program.kill()

    def restart(self) -> None:
        """End the program at once and start it anew, which is no failure."""
        if self._program is not None and not self._ending.is_set():
            self.was_tried = False
            self._again = True
            self._set_down()
            self._program.kill()

    # ------------------------------------------------------------------ one start

    async def _run_once(self, stage: Stage, output: Output) -> str | None:
        """Run the program once; why it failed, or `None` when it did not."""
        assert self._entry.command is not None
        assert self._entry.directory is not None
        run = await self._get_token()
        if self._ending.is_set():
            return None
        self._starts += 1
        self._reports.note(self.bot, STARTS)
        output.note(f"start {self._starts} of {self.bot}")
        self._again = False
        try:
            program = self._program = await Program.start(
                self._entry.command,
                directory=self._entry.directory,
                environment=self._environment(),
                output=output,
                mark=stage.mark,
            )
        except OSError as error:
            return f"could not be started: {error.strerror}"
        stage.guard.watch(program.pid, program.mark)
        try:
            why = await self._watch(program, output, stage.start_up_ms, run)
        finally:
            self._program = None
            self._set_down()
            await program.close()
            stage.guard.forget(program.pid)
        output.note(why or ("it is started anew" if not self._ending.is_set() else "the event is over"))
        return why

    async def _get_token(self) -> int:
        """Have a token that is valid in the arena's present run, and return which run that is."""
        while True:
            run = self._arena.run
            if run == self._run:
                return run
            self._token = await self._arena.mint(self.bot)
            self._run = run if self._arena.run == run else 0

    def _environment(self) -> dict[str, str]:
        beside = str(Path(sys.executable).parent)
        path = os.environ.get("PATH", os.defpath)
        return {
            "PYTHONUNBUFFERED": "1",  # or what a bot printed before a crash would be lost in its buffer
            **os.environ,
            "PATH": f"{path}{os.pathsep}{beside}",  # scripts find `lastcard` as commands do
            **self._entry.environment,
            "LASTCARD_SERVER": from_here(self._arena.address),
            "LASTCARD_TOKEN": self._token,
            "LASTCARD_BOT": self.bot,
            "LASTCARD_COPY": str(self.number),
        }

    async def _watch(self, program: Program, output: Output, start_up_ms: int, run: int) -> str | None:
        """Watch a program to its end; why that is a failure, if it is one."""
        if self._ending.is_set():
            return None
        end = asyncio.create_task(program.wait())
        hello = asyncio.create_task(self._arena.connected(self._token))
        gone = asyncio.create_task(self._arena.gone(run))
        streams: list[asyncio.Task[object]] = []
        try:
            await first_done(end, hello, gone, timeout_s=start_up_ms / 1000)
            if not end.done() and not gone.done() and hello.done():
                connected = asyncio.get_running_loop().time()
                streams.append(asyncio.create_task(self._count_streams()))
                self._reports.ready(self.bot, self._starts, self.number, hello.result())
                self._set_up(is_up=True)
                await first_done(end, gone)
                if asyncio.get_running_loop().time() - connected >= STEADY_S:
                    self._failures = 0
            why = await self._judge(program, end, output, start_up_ms)
            if why is None or self._ending.is_set() or self._again or not await self._arena.lasts(run):
                return None
            if self.is_up:
                self._reports.note(self.bot, CRASHES)
                self._arena.report_crash(self._token, why)
            return why
        finally:
            await drop_tasks(end, hello, gone, *streams)

    async def _judge(self, program: Program, end: "asyncio.Task[int]", output: Output, start_up_ms: int) -> str | None:
        """What a program did wrong that was waited for; one that did nothing wrong is ended now."""
        if end.done():
            when = "" if self.is_up else " before it connected"
            return f"{status_text(end.result())}{when}{_printed(output)}"
        program.kill()
        await end
        return None if self.is_up else f"did not connect within {start_up_ms / 1000:g} s{_printed(output)}"

    async def _count_streams(self) -> None:
        """Count the connections that are lost while the program goes on, once they are back."""
        while True:
            await self._arena.lost(self._token)
            await self._arena.connected(self._token)
            self._reports.note(self.bot, DISCONNECTS)

    def _set_down(self) -> None:
        if self.is_up:
            self._set_up(is_up=False)

    async def _pause(self) -> None:
        """Wait before the next start, but not beyond the event's end."""
        seconds = min(LONGEST_PAUSE_S, FIRST_PAUSE_S * 2 ** (self._failures - 1))
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(self._ending.wait(), seconds)


def _printed(output: Output) -> str:
    """What a bot printed last, to follow the reason of its failure."""
    return f"; it printed {output.last_line!r}" if output.last_line else ""
