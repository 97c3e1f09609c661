"""A program whose standard input and output are lines: started, fed, heard and ended.

Here: `Program`. Not here: what the lines say (`bridge`). Imports `settings`.
"""

import asyncio
import os
import signal
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress

from lastcard_bot.settings import TOKEN, BotError

MOST_LINE = 1 << 20
"""Most bytes of a line that is read."""
MOST_UNREAD = 32 << 20
"""Most bytes that may wait for a program that does not read."""
END_S = 1.0
"""How long a program may take to end when its input has ended, and again when it was asked to by SIGTERM."""


class Program:
    """A running program, in a process group of its own; what it writes to standard error goes where ours does.

    `write` gives it a line, `read` hears it to its end, `end` ends it.
    """

    def __init__(self, command: Sequence[str], process: asyncio.subprocess.Process) -> None:
        self._name = command[0]
        self._process = process
        self._ending = False
        self._reading = False
        self._overfull = False

    @classmethod
    async def start(cls, command: Sequence[str], environment: Mapping[str, str]) -> "Program":
        """Starts a program. It is not told our token, which it has no use for.

        Raises:
            BotError: it cannot be started.
        """
        try:
            process = await asyncio.create_subprocess_exec(
                *command,
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                limit=MOST_LINE,
                env={name: value for name, value in environment.items() if name != TOKEN},
                process_group=0,
            )
        except OSError as error:
            reason = error.strerror or str(error)
            raise BotError(f"cannot start {command[0]!r} ({reason}); give a program and its arguments") from None
        return cls(command, process)

    def write(self, line: str) -> None:
        """Gives the program a line; nothing is waited for, and nothing happens when it has ended."""
        stdin = self._process.stdin
        assert stdin is not None
        if self._ending or stdin.is_closing():
            return
        stdin.write(line.encode() + b"\n")
        if stdin.transport.get_write_buffer_size() > MOST_UNREAD and not self._overfull:
            self._overfull = True
            self._signal(signal.SIGKILL)  # so that `read` comes to an end, too

    async def read(self, hear: Callable[[str], None]) -> None:
        """Calls `hear` with each line until the program ends with status 0, or `end` is called.

        Raises:
            BotError: the program ended otherwise, closed its output, wrote a line that is too long, or does not read.
        """
        self._reading = True
        try:
            await self._read_lines(hear)
        finally:
            self._reading = False
        await self._judge_end()

    async def _read_lines(self, hear: Callable[[str], None]) -> None:
        stdout = self._process.stdout
        assert stdout is not None
        while True:
            try:
                line = await stdout.readline()
            except ValueError:
                sentence = f"{self._name} wrote a line of more than {MOST_LINE} bytes; a line is one JSON object"
                raise BotError(sentence) from None
            if self._overfull:
                raise BotError(f"{self._name} does not read: more than {MOST_UNREAD} bytes wait for it")
            if not line:
                return
            hear(line.decode(errors="replace").rstrip("\r\n"))

    async def _judge_end(self) -> None:
        """Says how a program ended that closed its output."""
        try:
            status = await asyncio.wait_for(self._process.wait(), END_S)
        except TimeoutError:
            if not self._ending:
                raise BotError(f"{self._name} closed its standard output; answers are read from there") from None
            return
        if status and not self._ending:
            raise BotError(
                f"{self._name} {_ended(status)} while it was to play; what it wrote to standard error says why"
            )

    async def end(self) -> None:
        """Ends the program: by the end of its input, else by SIGTERM, else by SIGKILL."""
        self._ending = True
        stdin = self._process.stdin
        assert stdin is not None
        stdin.close()
        for number in (signal.SIGTERM, signal.SIGKILL):
            with suppress(TimeoutError):
                await asyncio.wait_for(self._process.wait(), END_S)
                break
            self._signal(number)
        await self._process.wait()
        if not self._reading:
            await self._drain()

    def _signal(self, number: signal.Signals) -> None:
        """Signals the program and all that it started and that stayed in its group."""
        with suppress(ProcessLookupError):
            os.killpg(self._process.pid, number)

    async def _drain(self) -> None:
        """Reads what is left and nobody wants any more: asyncio closes a pipe only at its end."""
        stdout = self._process.stdout
        assert stdout is not None
        with suppress(TimeoutError):
            async with asyncio.timeout(END_S):
                while await stdout.read(MOST_LINE):
                    pass


def _ended(status: int) -> str:
    """How a process ended, in words."""
    if status >= 0:
        return f"ended with status {status}"
    names = {number.value: number.name for number in signal.Signals}
    return f"was ended by {names.get(-status, f'signal {-status}')}"
