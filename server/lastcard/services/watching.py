"""A watched table as a stream of a call.

Here: `watch`. Not here: who may watch (`table_service`), what there is to see (`table.hosted`).
"""

import asyncio
from collections import deque
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
        self.overflowed = False
        self._bytes = 0
        self._most = most_bytes

    def take(self, delivery: Delivery) -> None:
        """Takes a delivery."""
        if self.overflowed:
            return
        self._bytes += len(delivery.item)
        if self._bytes > self._most:
            self.overflowed = True
            self.waiting.clear()
        else:
            self.waiting.append((asyncio.get_running_loop().time(), delivery))
        self.came.set()

    def pop(self) -> Delivery:
        """The oldest delivery."""
        delivery = self.waiting.popleft()[1]
        self._bytes -= len(delivery.item)
        return delivery


async def watch(
    desk: Desk, table: HostedTable, seat: int | None, context: Any, *, last_seen: int, delay_ms: int, most_bytes: int
) -> None:
    """Writes a table to a call until the table is over or the caller goes.

    With a delay everything is held back as long, the first snapshot too, so that nothing shows earlier.

    Raises:
        DomainError: READER_TOO_SLOW.
    """
    box = _Box(most_bytes)
    watcher = desk.watch(table, seat, last_seen, box)
    try:
        while True:
            delivery = await _next(box, delay_ms / 1000)
            message = watch_message(delivery.kind, delivery.item)
            if message is not None:
                await context.write(table_service_pb2.WatchTableResponse.FromString(message))
            if delivery.kind == Body.CLOSED:
                return
    finally:
        desk.unwatch(table, watcher)


async def _next(box: _Box, delay_s: float) -> Delivery:
    while not box.waiting:
        if box.overflowed:
            sentence = "the watcher does not read fast enough; watch again with the last number seen"
            raise DomainError(TransportReason.READER_TOO_SLOW, sentence, retry_after_ms=0)
        box.came.clear()
        await box.came.wait()
    if delay_s:
        due = box.waiting[0][0] + delay_s
        await asyncio.sleep(max(0.0, due - asyncio.get_running_loop().time()))
    return box.pop()
