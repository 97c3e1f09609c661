"""Running a bot as a program.

Here: `run` and `play`, and the exit status. Not here: the connection itself (`connection`), `signals`. Imports those.
"""

import asyncio
import logging
import os
import sys
from collections.abc import Callable

from lastcard_bot.bot import AsyncBot, Bot
from lastcard_bot.connection import Connection
from lastcard_bot.settings import BotError, Settings, settings
from lastcard_bot.signals import listening


def run(
    bot: Bot | AsyncBot,
    *,
    server: str | None = None,
    token: str | None = None,
    name: str | None = None,
    log_level: int = logging.INFO,
) -> None:
    """Plays until the event is over or the program is asked to end (SIGTERM, SIGINT), then returns.

    What is not given comes from `LASTCARD_SERVER`, `LASTCARD_TOKEN` and `LASTCARD_BOT`. Logs to stderr unless the
    program has set up `logging` itself. When the bot cannot play (on), says why on stderr and exits with status 1.
    """
    if not logging.getLogger().handlers:
        logging.basicConfig(level=log_level, format="%(asctime)s %(levelname)s %(name)s: %(message)s")
    try:
        asyncio.run(play((bot, bot_settings(bot, server=server, token=token, name=name))))
    except BotError as error:
        print(f"error: {error}", file=sys.stderr)  # noqa: T201 - for the person who started the bot
        raise SystemExit(1) from None


def bot_settings(
    bot: Bot | AsyncBot, *, server: str | None = None, token: str | None = None, name: str | None = None
) -> Settings:
    """Settings for a bot from arguments, the environment and the bot's own name.

    Raises `BotError` when no server is named or a value cannot be used.
    """
    default_name = bot.name or type(bot).__name__.lower()
    return settings(os.environ, server=server, token=token, name=name, default_name=default_name)


async def play(*players: tuple[Bot | AsyncBot, Settings]) -> None:
    """Plays bots on the running event loop, each on a connection of its own, until all have ended.

    In the main thread SIGTERM and SIGINT end them cleanly. Cancelling breaks the streams off. Raises `BotError` when
    one could not play on; the others have then played to their end.
    """
    loop = asyncio.get_running_loop()
    connections = [Connection(bot, where) for bot, where in players]
    for (bot, _), connection in zip(players, connections, strict=True):
        bot.attach(
            lambda table_id, leave=connection.leave: _soon(loop, leave, table_id),  # type: ignore[misc]
            lambda stop=connection.stop: _soon(loop, stop),  # type: ignore[misc]
        )

    def stop_all() -> None:
        for connection in connections:
            connection.stop()

    with listening(lambda: _soon(loop, stop_all)):
        outcomes = await asyncio.gather(*(connection.run() for connection in connections), return_exceptions=True)
    for outcome in outcomes:
        if isinstance(outcome, BaseException):
            raise outcome


def _soon(loop: asyncio.AbstractEventLoop, callback: Callable[..., None], *arguments: object) -> None:
    """Calls on the event loop from any thread; nothing happens when the loop is gone."""
    if not loop.is_closed():
        loop.call_soon_threadsafe(callback, *arguments)
