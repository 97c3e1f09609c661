"""Starting the bot that is judged: as a command of its own process group, or however a `Launcher` does it.

Here: `Launcher`, `Running`, `Command`. Not here: when it is started (`bench`). Imports the standard library only.
"""

import asyncio
import contextlib
import errno
import os
import shutil
import signal
import sys
from collections import deque
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Protocol

LAST_LINES = 40
"""Lines of what a bot prints that are kept."""
LONGEST_LINE = 2_000
_CHUNK_BYTES = 1 << 14
PATIENCE_S = 2.0
"""How long a bot that is asked to end at the end of a check may take before it is killed."""


class Running(Protocol):
    """A bot that was started."""

    def terminate(self) -> None:
        """Asks it to end, as SIGTERM does."""

    def kill(self) -> None:
        """Ends it at once, with all that it has started."""

    async def wait(self) -> int:
        """Its exit status, once it has ended; negative for a signal."""

    def complaint(self) -> str:
        """The last that it wrote, to stderr or stdout."""


class Launcher(Protocol):
    """Starts bots."""

    async def start(self, environment: Mapping[str, str]) -> Running:
        """Starts one, with these variables in its environment."""


class LaunchError(Exception):
    """The bot could not be started at all; a sentence."""


class Command:
    """Starts a bot as a command, as a tournament does: in the present directory.

    A program without a slash is looked for beside the running Python first, where `lastcard` and `python` are, and then
    on the path.
    """

    def __init__(self, command: Sequence[str]) -> None:
        name, *arguments = command
        beside = str(Path(sys.executable).parent)
        found = shutil.which(name, path=beside) if os.sep not in name else None
        self._command = (found or name, *arguments)
        self._path = os.pathsep.join((os.environ.get("PATH", os.defpath), beside))

    async def start(self, environment: Mapping[str, str]) -> Running:
        """Starts it in a process group of its own.

        Raises `LaunchError` when the system refuses.
        """
        # A pipe of our own: with asyncio's, a child that is left behind and holds it would hide the program's end.
        reading, writing = os.pipe()
        try:
            process = await asyncio.create_subprocess_exec(
                *self._command,
                env={**os.environ, "PATH": self._path, **environment},
                stdin=asyncio.subprocess.DEVNULL,
                stdout=writing,
                stderr=writing,
                start_new_session=True,
            )
        except OSError as error:
            os.close(reading)
            raise LaunchError(
                f"{self._command[0]!r} could not be started: {_refused(self._command[0], error)}"
            ) from error
        except BaseException:
            os.close(reading)
            raise
        finally:
            os.close(writing)
        return _Process(process, reading)


def _refused(program: str, error: OSError) -> str:
    """Why a program could not be started, and what helps."""
    why = error.strerror or str(error)
    if isinstance(error, FileNotFoundError) and any(map(str.isspace, program)):
        return f"{why}; give the program and each of its arguments as a word of its own, without quotes around all"
    if isinstance(error, PermissionError) and Path(program).is_file():
        return f"{why}; make it executable (chmod +x), or name the program that runs it, as in `python bot.py`"
    if error.errno == errno.ENOEXEC:
        return f"{why}; a script needs a first line such as #!/bin/sh"
    return why


class _Process:
    """A bot's process and the end of what it prints."""

    def __init__(self, process: asyncio.subprocess.Process, reading: int) -> None:
        self._process = process
        self._lines: deque[str] = deque(maxlen=LAST_LINES)
        self._reader = asyncio.create_task(self._read(reading), name=f"output of {process.pid}")

    async def _read(self, reading: int) -> None:
        stream = asyncio.StreamReader()
        transport, _ = await asyncio.get_running_loop().connect_read_pipe(
            lambda: asyncio.StreamReaderProtocol(stream), os.fdopen(reading, "rb", buffering=0)
        )
        rest = b""
        try:
            while chunk := await stream.read(_CHUNK_BYTES):
                *lines, rest = (rest + chunk).split(b"\n")
                rest = rest[-LONGEST_LINE:]
                self._lines.extend(line[:LONGEST_LINE].decode(errors="replace").rstrip() for line in lines)
            if rest:
                self._lines.append(rest.decode(errors="replace"))
        finally:
            transport.close()

    def terminate(self) -> None:
        self._signal(signal.SIGTERM)

    def kill(self) -> None:
        self._signal(signal.SIGKILL)

    def _signal(self, number: signal.Signals) -> None:
        # The group, since a command may be a script that starts the bot; it is gone when nobody of it is left.
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, number)

    async def wait(self) -> int:
        status = await self._process.wait()
        self.kill()  # children that were left behind
        await asyncio.wait({self._reader}, timeout=PATIENCE_S)
        self._reader.cancel()  # only what has left the group could still hold the pipe open
        return status

    def complaint(self) -> str:
        return "\n".join(self._lines)


async def end(running: Running) -> None:
    """Ends a bot: asks first, and kills it when that does not help."""
    running.terminate()
    try:
        await asyncio.wait_for(running.wait(), PATIENCE_S)
    except TimeoutError:
        running.kill()
        await running.wait()
    except asyncio.CancelledError:
        running.kill()  # there is no time left to be patient
        raise
