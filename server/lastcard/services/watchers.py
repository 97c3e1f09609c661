"""Calls that watch something: what waits for each, how many there may be, and how they end.

Here: `Box`, `Boxes`, `next_of`, `write_to`. Not here: what is watched (`watching`, `tournament_watching`).
"""

import asyncio
from collections import Counter, deque
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any, Generic, Protocol, TypeVar

import structlog
from google.protobuf.message import Message

from lastcard.table.refusals import DomainError, TransportReason

BY_ONE = 500
"""How many calls of one caller may watch at once: each costs the tables it watches as much as a seat."""


_log = structlog.get_logger()


class Waiting(Protocol):
    """Something for a watcher."""

    @property
    def item(self) -> bytes:
        """Its bytes."""


W = TypeVar("W", bound=Waiting)


class Box(Generic[W]):
    """What waits for a watcher, with the time at which it came; nothing is dropped in silence."""

    def __init__(self, most_bytes: int) -> None:
        self.waiting: deque[tuple[float, W]] = deque()
        self.came = asyncio.Event()
        self.ending: DomainError | None = None
        """Why the server ends the call."""
        self.writer: asyncio.Task[Any] | None = None
        """Who is in the middle of a write, which may never end when the watcher does not read."""
        self._is_new = True
        self._bytes = 0
        self._most = most_bytes

    def take(self, delivery: W) -> None:
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

    def pop(self) -> W:
        """The oldest delivery."""
        delivery = self.waiting.popleft()[1]
        self._bytes -= len(delivery.item)
        return delivery


class Boxes(Generic[W]):
    """All calls that watch `what`, at most `most`; for each at most so many bytes wait."""

    def __init__(self, what: str, most_bytes: int, most: int) -> None:
        self._what = what
        self._most_bytes = most_bytes
        self._most = most
        self._boxes: set[Box[W]] = set()
        self._by_key: Counter[str] = Counter()
        self._draining = False

    def __len__(self) -> int:
        return len(self._boxes)

    @contextmanager
    def box(self, key: str) -> Iterator[Box[W]]:
        """A box for a call, which is counted for `key` as long as the block lasts.

        Raises:
            DomainError: LIMIT_REACHED, DRAINING.
        """
        self._check_room(key)
        box: Box[W] = Box(self._most_bytes)
        self._boxes.add(box)
        self._by_key[key] += 1
        try:
            yield box
        finally:
            self._boxes.discard(box)
            self._by_key[key] -= 1
            if not self._by_key[key]:
                del self._by_key[key]

    def _check_room(self, key: str) -> None:
        if self._draining:
            raise _draining()
        if len(self._boxes) >= self._most:
            sentence = f"{len(self._boxes)} calls watch {self._what}, which is the most that this server serves"
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


async def next_of(box: Box[W], delay_s: float = 0) -> W:
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


async def write_to(box: Box[W], context: Any, message: Message) -> None:
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
