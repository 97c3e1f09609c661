"""A watched table as a stream of a call.

Here: `Watching`. Not here: who may watch (`table_service`), what there is to see (`table.hosted`).
"""

import asyncio
from collections import Counter, deque
from contextlib import suppress
from typing import Any

import structlog

from lastcard.services.wire.frames import watch_message
from lastcard.table.desk import Desk
from lastcard.table.hosted import HostedTable
from lastcard.table.mail import Body, Delivery
from lastcard.table.refusals import DomainError, TransportReason
from lastcard.v1 import table_service_pb2

BY_ONE = 500
"""How many calls of one caller may watch at once: each costs the tables it watches as much as a seat."""


_log = structlog.get_logger()


class _Box:
    """What waits for a watcher, with the time at which it came; nothing is dropped in silence."""

    def __init__(self, most_bytes: int) -> None:
        self.waiting: deque[tuple[float, Delivery]] = deque()
        self.came = asyncio.Event()
        self.ending: DomainError | None = None
        """Why the server ends the call."""
        self.writer: asyncio.Task[Any] | None = None
        """Who is in the middle of a write, which may never end when the watcher does not read."""
        self._is_new = True
        self._bytes = 0
        self._most = most_bytes

    def take(self, delivery: Delivery) -> None:
        """Takes a delivery."""
        if self.ending is not None:
            return
        if self._is_new:
            # What was missed comes as one; however much it is, its watcher has had no time to read it.
            self._is_new = False
            self._most += len(delivery.item)
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
        if self.ending is not None:
            return
        self.ending = ending
        self.waiting.clear()
        self.came.set()
        if self.writer is not None:
            self.writer.cancel()

    def pop(self) -> Delivery:
        """The oldest delivery."""
        delivery = self.waiting.popleft()[1]
        self._bytes -= len(delivery.item)
        return delivery


class Watching:
    """All calls that watch tables."""

    def __init__(self, desk: Desk, most_bytes: int, most: int) -> None:
        self._desk = desk
        self._most_bytes = most_bytes
        self._most = most
        self._boxes: set[_Box] = set()
        self._by_key: Counter[str] = Counter()
        self._draining = False

    def __len__(self) -> int:
        return len(self._boxes)

    async def watch(
        self, table: HostedTable, seat: int | None, context: Any, *, key: str, last_seen: int, delay_ms: int
    ) -> None:
        """Writes a table to a call until the table is over or the caller goes.

        With a delay everything is held back as long, the first snapshot too, so that nothing shows earlier. `key` is
        whom the call is counted for.

        Raises:
            DomainError: LIMIT_REACHED, READER_TOO_SLOW, DRAINING.
        """
        self._check_room(key)
        box = _Box(self._most_bytes)
        self._boxes.add(box)
        self._by_key[key] += 1
        watcher = self._desk.watch(table, seat, last_seen, box)
        try:
            while True:
                delivery = await _next(box, delay_ms / 1000)
                message = watch_message(delivery.kind, delivery.item)
                if message is not None:
                    await _write(box, context, table_service_pb2.WatchTableResponse.FromString(message))
                if delivery.kind == Body.CLOSED:
                    return
        finally:
            self._boxes.discard(box)
            self._by_key[key] -= 1
            if not self._by_key[key]:
                del self._by_key[key]
            self._desk.unwatch(table, watcher)

    def _check_room(self, key: str) -> None:
        if self._draining:
            raise _draining()
        if len(self._boxes) >= self._most:
            sentence = f"{len(self._boxes)} calls watch tables, which is the most that this server serves"
            raise DomainError(TransportReason.LIMIT_REACHED, sentence, retry_after_ms=5_000)
        if self._by_key[key] >= BY_ONE:
            sentence = f"this caller watches with {BY_ONE} calls already, which is the most for one; end some"
            raise DomainError(TransportReason.LIMIT_REACHED, sentence, retry_after_ms=5_000)

    def drain(self) -> None:
        """The server is shutting down: all calls end, and no more are taken."""
        self._draining = True
        for box in list(self._boxes):
            box.end(_draining())


def _draining() -> DomainError:
    sentence = "the server is shutting down; watch again later"
    return DomainError(TransportReason.DRAINING, sentence, retry_after_ms=1_000)


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


async def _write(box: _Box, context: Any, message: table_service_pb2.WatchTableResponse) -> None:
    """Writes a message; a write that the server breaks off, since its watcher does not read, ends with the reason."""
    writer = asyncio.current_task()
    assert writer is not None
    box.writer = writer
    try:
        await context.write(message)
    except asyncio.CancelledError:
        if box.ending is None or writer.uncancel():
            raise  # the caller has gone
        raise box.ending from None
    except Exception as error:
        # A write fails in grpc's own ways when a peer is gone, which is no fault of ours.
        _log.info("stream.broken", error=repr(error))
        raise asyncio.CancelledError from error
    finally:
        box.writer = None
