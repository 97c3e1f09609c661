"""A watched table as a stream of a call.

Here: `Watching`. Not here: who may watch (`table_service`), what there is to see (`table.hosted`).
"""

import asyncio
from collections import deque
from contextlib import suppress
from typing import Any

from lastcard.services.wire.frames import watch_message
from lastcard.table.desk import Desk
from lastcard.table.hosted import HostedTable
from lastcard.table.mail import Body, Delivery
from lastcard.table.refusals import DomainError, TransportReason
from lastcard.v1 import table_service_pb2


class _Box:
    """What waits for a watcher, with the time at which it came; nothing is dropped in silence."""

    def __init__(self, most_bytes: int) -> None:
        self.waiting: deque[tuple[float, Delivery]] = deque()
        self.came = asyncio.Event()
        self.ending: DomainError | None = None
        """Why the server ends the call."""
        self._bytes = 0
        self._most = most_bytes

    def take(self, delivery: Delivery) -> None:
        """Takes a delivery."""
        if self.ending is not None:
            return
        self._bytes += len(delivery.item)
        if self._bytes > self._most:
            sentence = (
                f"more than {self._most} bytes wait for this watcher; watch again with the last number seen, "
                "and read faster or take a shorter delay"
            )
            self.end(DomainError(TransportReason.READER_TOO_SLOW, sentence, retry_after_ms=0))
        else:
            self.waiting.append((asyncio.get_running_loop().time(), delivery))
            self.came.set()

    def end(self, ending: DomainError) -> None:
        """Ends the call; what waits is not told any more."""
        self.ending = ending
        self.waiting.clear()
        self.came.set()

    def pop(self) -> Delivery:
        """The oldest delivery."""
        delivery = self.waiting.popleft()[1]
        self._bytes -= len(delivery.item)
        return delivery


class Watching:
    """All calls that watch tables."""

    def __init__(self, desk: Desk, most_bytes: int) -> None:
        self._desk = desk
        self._most_bytes = most_bytes
        self._boxes: set[_Box] = set()

    async def watch(self, table: HostedTable, seat: int | None, context: Any, *, last_seen: int, delay_ms: int) -> None:
        """Writes a table to a call until the table is over or the caller goes.

        With a delay everything is held back as long, the first snapshot too, so that nothing shows earlier.

        Raises:
            DomainError: READER_TOO_SLOW, DRAINING.
        """
        box = _Box(self._most_bytes)
        self._boxes.add(box)
        watcher = self._desk.watch(table, seat, last_seen, box)
        try:
            while True:
                delivery = await _next(box, delay_ms / 1000)
                message = watch_message(delivery.kind, delivery.item)
                if message is not None:
                    await context.write(table_service_pb2.WatchTableResponse.FromString(message))
                if delivery.kind == Body.CLOSED:
                    return
        finally:
            self._boxes.discard(box)
            self._desk.unwatch(table, watcher)

    def drain(self) -> None:
        """The server is shutting down: all calls end."""
        for box in self._boxes:
            sentence = "the server is shutting down; watch again later"
            box.end(DomainError(TransportReason.DRAINING, sentence, retry_after_ms=1_000))


async def _next(box: _Box, delay_s: float) -> Delivery:
    """The oldest delivery, as soon as it may be shown."""
    loop = asyncio.get_running_loop()
    while box.ending is None:
        wait_s = None
        if box.waiting:
            wait_s = box.waiting[0][0] + delay_s - loop.time()
            if wait_s <= 0:
                return box.pop()
        box.came.clear()
        with suppress(TimeoutError):
            async with asyncio.timeout(wait_s):
                await box.came.wait()
    raise box.ending
