"""Starting raw bots for the bench as if they were programs.

Here: `Launch`. Not here: the bots.
"""

import asyncio
from collections.abc import Callable, Mapping

from conform.calls import Dialer
from conform.raw_bot import RightBot

TERMINATED, KILLED = -15, -9


class Launch:
    """Starts bots of a class in this process; `dialer` says how they get to an address."""

    def __init__(self, kind: type[RightBot], dialer: Callable[[str], Dialer]) -> None:
        self._kind = kind
        self._dialer = dialer

    async def start(self, environment: Mapping[str, str]) -> "Started":
        return Started(self._kind, self._dialer, environment)


class Started:
    """A bot that runs as a task."""

    def __init__(self, kind: type[RightBot], dialer: Callable[[str], Dialer], environment: Mapping[str, str]) -> None:
        self._stop = asyncio.Event()
        self._bot = kind(dialer, environment, self._stop)
        self._failure = ""
        self._task = asyncio.create_task(self._run(), name=kind.__name__)

    async def _run(self) -> int:
        try:
            return await self._bot.run()
        except Exception as error:  # noqa: BLE001 - what ends a program is its own affair; here it is its status
            self._failure = f"{type(error).__name__}: {error}"
            return 1

    def terminate(self) -> None:
        self._stop.set()

    def kill(self) -> None:
        self._task.cancel()

    async def wait(self) -> int:
        await asyncio.wait({self._task})
        return KILLED if self._task.cancelled() else self._task.result()

    def complaint(self) -> str:
        return self._failure or self._bot.complaint
