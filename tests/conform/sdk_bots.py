"""Bots of the Python SDK, started for the bench as if they were programs.

Here: `SdkLaunch` and one bot of each kind. Not here: signals and the environment's variables as a program reads them,
which the tests of commands see to.
"""

import asyncio
import logging
from collections.abc import Callable, Mapping

from lastcard_bot import AsyncBot, Bot, BotError
from lastcard_bot.connection import Connection
from lastcard_bot.settings import settings


class Threaded(Bot):
    """Thinks in a thread, one thing at a time: what a newcomer writes."""

    def choose(self, view, legal_actions):
        return 0


class Inline(Bot):
    """Thinks where the stream is read."""

    threaded = False
    max_open_decisions = 0

    def choose(self, view, legal_actions):
        return legal_actions[-1]


class Coroutines(AsyncBot):
    """Thinks about everything at once."""

    async def choose(self, view, legal_actions):
        await asyncio.sleep(0.06)
        return 0


class Listening(Inline):
    """Wants events, too."""

    def on_event(self, table_id, event):
        pass


class SdkLaunch:
    """Starts bots of a class of the SDK in this process."""

    def __init__(self, kind: Callable[[], Bot | AsyncBot]) -> None:
        self._kind = kind

    async def start(self, environment: Mapping[str, str]) -> "SdkStarted":
        return SdkStarted(Connection(self._kind(), settings(environment, default_name="sdk")))


class SdkStarted:
    """A connection of the SDK that runs as a task; its outcome is what `lastcard_bot.run` makes of it."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._complaint = ""
        self._task = asyncio.create_task(self._run())

    async def _run(self) -> int:
        try:
            await self._connection.run()
        except BotError as error:
            self._complaint = f"error: {error}"
            return 1
        except Exception:
            logging.getLogger("lastcard_bot").exception("the bot failed")
            raise
        return 0

    def terminate(self) -> None:
        self._connection.stop()

    def kill(self) -> None:
        self._task.cancel()

    async def wait(self) -> int:
        await asyncio.wait({self._task})
        return -9 if self._task.cancelled() else self._task.result()

    def complaint(self) -> str:
        return self._complaint
