"""An instance of a bot that somebody else starts: given a token, and waited for.

Here: the waiting. Not here: what it is given (`passes`), programs that the event starts (`copies`), what missing it
costs in a game (the table). May import the standard library, the pure modules of `tournament`, and `ports`.

Before it has come it is waited for as long as the file says. If it does not, that is a failure, and the games go on
without it; it may come as long as it is not set aside. A connection that is lost is waited for as long as the grace of
a game, before games are begun without it.
"""

import asyncio
from collections.abc import Awaitable, Callable
from typing import TypeVar

from lastcard.tournament import notices
from lastcard.tournament.conduct import DISCONNECTS, STARTS
from lastcard.tournament.director.instance import Instance, Reports, Stage
from lastcard.tournament.entries import BotEntry
from lastcard.tournament.passes import Pass, Passes, from_elsewhere
from lastcard.tournament.ports import ArenaPort

T = TypeVar("T")


class Remote(Instance):
    """One instance of a remote bot."""

    def __init__(
        self,
        entry: BotEntry,
        *,
        number: int,
        arena: ArenaPort,
        passes: Passes,
        reports: Reports,
        changed: Callable[[], None],
    ) -> None:
        super().__init__(entry.name, number, reports, changed)
        self._wait_ms = entry.wait_ms
        self._arena = arena
        self._passes = passes
        self._token = ""
        """Empty for a bot that is registered with its arena."""

    async def run_on(self, stage: Stage) -> None:
        """Wait for the bot, again and again, until the event ends or the bot is set aside."""
        connected, lost = await self._ways()
        troubles = self._reports.troubles(self.bot)
        came = 0
        while not self._ending.is_set():
            wait_ms = stage.grace_ms if came else self._wait_ms
            version = await self._within(connected, wait_ms)
            if version is None and not self._ending.is_set():
                self.was_tried = self.is_given_up = True
                if not came:
                    self._reports.fail(self.bot, f"did not come within {wait_ms / 1000:g} s", troubles)
                self._changed()
                version = await self._within(connected, None)
            if version is None:
                break
            came += 1
            self.is_given_up = False
            self._reports.note(self.bot, STARTS if came == 1 else DISCONNECTS)
            self._reports.ready(self.bot, came, self.number, version)
            self._set_up(is_up=True)
            await self._within(lost, None)
            self._set_up(is_up=False)

    def drop(self) -> None:
        """It is wanted no more: its stream ends, and it may not come again."""
        super().drop()
        if self._token:
            self._arena.revoke(self._token)

    def restart(self) -> None:
        """It is not ours to begin anew."""

    async def _ways(self) -> tuple[Callable[[], Awaitable[str]], Callable[[], Awaitable[None]]]:
        """What returns when the bot is there and when it is not; on the way there it is given its token."""
        arena, bot = self._arena, self.bot
        if arena.registered:
            return lambda: arena.bot_connected(bot), lambda: arena.bot_lost(bot)
        known = self._passes.read(bot, self.number)
        if known is None:
            token = await arena.mint(bot)
        else:
            token = known.token
            await arena.adopt(bot, token)
        self._token = token
        server = from_elsewhere(arena.address)
        path = self._passes.write(self.number, Pass(server, token, bot))
        self._reports.tell(notices.RemoteAwaited(bot, server, token, str(path), self._wait_ms))
        return lambda: arena.connected(token), lambda: arena.lost(token)

    async def _within(self, wait: Callable[[], Awaitable[T]], within_ms: int | None) -> T | None:
        """What something that is waited for gives, at most so long and not beyond the event's end; else `None`."""
        coming = asyncio.ensure_future(wait())
        ending = asyncio.create_task(self._ending.wait())
        try:
            await asyncio.wait(
                (coming, ending),
                timeout=None if within_ms is None else within_ms / 1000,
                return_when=asyncio.FIRST_COMPLETED,
            )
            return coming.result() if coming.done() else None
        finally:
            for task in (coming, ending):
                task.cancel()
            await asyncio.gather(coming, ending, return_exceptions=True)
