"""A watched tournament as a stream of a call.

Here: `TournamentWatching`. Not here: who may watch (`tournament_service`), what there is to see (`HostedEvent`). Rows
are read from the ledger as the watcher reads them, so nobody who is behind has anything kept for him; only what is no
row waits in a box, and whoever does not read while it fills is cut.
"""

import asyncio
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

from lastcard.services.watchers import Box, Boxes, write_to
from lastcard.services.wire.tournaments import line_message, news_message, standings_message, tournament_message
from lastcard.table.refusals import DomainError, TransportReason
from lastcard.tournament.director.hosted_event import HostedEvent
from lastcard.tournament.director.hosted_figures import unreadable
from lastcard.tournament.director.hosted_ports import Changed, News
from lastcard.tournament.ledger import LedgerError
from lastcard.v1.tournament_service_pb2 import WatchTournamentRequest, WatchTournamentResponse

if TYPE_CHECKING:
    from lastcard.v1.tournament_pb2 import Tournament

ROWS = 100
"""Rows that are read at once."""

LEAST_PAUSE_S = 1.0
SHARE = 30
"""The pause between two rankings is at least that long, and so many times as long as the last took to be computed."""


class _Waiting(NamedTuple):
    news: News
    item: bytes


class TournamentWatching:
    """All calls that watch tournaments."""

    def __init__(self, most_bytes: int, most: int, online: Callable[[str], bool]) -> None:
        self._boxes: Boxes[_Waiting] = Boxes("tournaments", most_bytes, most)
        self._online = online

    def __len__(self) -> int:
        return len(self._boxes)

    async def watch(
        self, event: HostedEvent, request: WatchTournamentRequest, context: Any, *, key: str, whole: bool
    ) -> None:
        """Writes a tournament to a call until it is over or the caller goes; `whole` tells all of open sets too.

        Raises:
            DomainError: LIMIT_REACHED, READER_TOO_SLOW, DRAINING, CURSOR_BEYOND_END, NOT_KEPT.
        """
        lines = await event.lines()
        if request.last_sequence > len(lines):
            sentence = (
                f"last_sequence is {request.last_sequence}, beyond the last row {len(lines)} of {event.name!r}; name "
                f"a number from 0 to {len(lines)}"
            )
            raise DomainError(TransportReason.CURSOR_BEYOND_END, sentence, field="last_sequence")
        with self._boxes.box(key) as box:

            def look_on(news: News) -> None:
                message = news_message(news)
                box.take(_Waiting(news, b"" if message is None else message.SerializeToString()))

            event.onlookers.add(look_on)
            try:
                # Apart from the first message, with which gRPC would send it again when that is broken off.
                await context.send_initial_metadata(())
                await _Watch(event, request, box, context, self._online, whole=whole).run()
            finally:
                event.onlookers.discard(look_on)

    def drain(self) -> None:
        """The server is shutting down: all calls end, and no more are taken."""
        self._boxes.drain()


class _Watch:
    """One call."""

    def __init__(
        self,
        event: HostedEvent,
        request: WatchTournamentRequest,
        box: Box[_Waiting],
        context: Any,
        online: Callable[[str], bool],
        *,
        whole: bool,
    ) -> None:
        self._event = event
        self._box = box
        self._context = context
        self._online = online
        self._whole = whole
        self._seen = request.last_sequence
        self._told: Tournament | None = None
        self._ranked: int | None = None
        """The last row that is in the ranking told last."""
        self._due = 0.0
        self._with_standings = request.standings

    async def run(self) -> None:
        """Writes everything there is, then everything that comes, until the tournament is over."""
        await self._tell_tournament()
        while True:
            is_over = self._event.is_over
            await self._tell_rows()
            await self._tell_standings(at_once=is_over)
            if self._box.waiting:
                await self._tell(self._box.pop())
            elif is_over:
                return
            else:
                await self._wait()

    async def _wait(self) -> None:
        """Waits for something to tell; for a ranking that is due only later, no longer than that."""
        if self._box.ending is not None:
            raise self._box.ending
        self._box.came.clear()
        pause_s = None
        if self._with_standings and self._ranked != await self._last():
            pause_s = max(0.0, self._due - asyncio.get_running_loop().time())
        try:
            async with asyncio.timeout(pause_s):
                await self._box.came.wait()
        except TimeoutError:
            pass
        if self._box.ending is not None:
            raise self._box.ending

    async def _last(self) -> int:
        return len(await self._event.lines())

    async def _tell(self, waiting: _Waiting) -> None:
        if isinstance(waiting.news, Changed):
            await self._tell_tournament()
        elif waiting.item:
            await self._write(WatchTournamentResponse.FromString(waiting.item))

    async def _tell_tournament(self) -> None:
        message = await tournament_message(self._event, self._online, with_file=False)
        if message != self._told:
            self._told = message
            await self._write(WatchTournamentResponse(tournament=message))

    async def _tell_rows(self) -> None:
        lines = await self._event.lines()
        while self._seen < len(lines):
            try:
                found = await asyncio.to_thread(lines.lines, self._seen + 1, ROWS)
            except (LedgerError, OSError) as error:
                raise unreadable(self._event.name, error) from error
            for line in found:
                await self._write(WatchTournamentResponse(row=line_message(line, whole=self._whole)))
                self._seen = line.number

    async def _tell_standings(self, *, at_once: bool) -> None:
        """Tells the ranking if it is wanted, has changed and is due."""
        loop = asyncio.get_running_loop()
        begun = loop.time()
        if not self._with_standings or self._ranked == await self._last() or (begun < self._due and not at_once):
            return
        last, made = await self._event.standings()
        self._ranked = last
        ended = loop.time()
        self._due = ended + max(LEAST_PAUSE_S, SHARE * (ended - begun))
        message = standings_message(made, last)
        await self._write(WatchTournamentResponse(standings=message))

    async def _write(self, message: WatchTournamentResponse) -> None:
        if self._box.ending is not None:
            raise self._box.ending
        await write_to(self._box, self._context, message)
