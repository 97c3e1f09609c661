"""What waits to be written to one stream.

Here: `Outbox`. Not here: the stream (`sessions`), bytes (`services`). May import only `mail`.
"""

from collections.abc import Callable

from lastcard.table.mail import Delivery

FRAME_BYTES = 1 << 18
"""Largest frame that is written, unless one item alone is larger. gRPC clients read sixteen times as much by default;
but only the end of a write tells that a reader reads, and on a line of 50 kB/s this much takes 5 s."""

SENT_WITHIN_MS = 100
"""How long a decision may wait here before its clock starts, so that a bot that does not read cannot stop time."""


class _Waiting:
    """A decision that waits: its place among all items, when it was released, and when its clock was started."""

    __slots__ = ("delivery", "place", "released_ms", "started_ms")

    def __init__(self, place: int, delivery: Delivery, released_ms: int, started_ms: int | None) -> None:
        self.place = place
        self.delivery = delivery
        self.released_ms = released_ms
        self.started_ms = started_ms


class Outbox:
    """Items in order; decisions among them are reported once, by `pack` or when they have waited too long.

    `late` rewrites the item of a decision whose clock has been running, given the item and the time left.
    """

    __slots__ = ("_late", "_taken", "_waiting", "bytes", "items")

    def __init__(self, late: Callable[[bytes, int], bytes]) -> None:
        self.items: list[bytes] = []
        """What waits; whoever adds here counts `bytes` too (`add`, in one line where it is hot)."""
        self._waiting: list[_Waiting] = []
        self._late = late
        self._taken = 0
        """Items that have left so far."""
        self.bytes = 0

    def __bool__(self) -> bool:
        return bool(self.items)

    def add(self, item: bytes) -> None:
        """Adds an item."""
        self.items.append(item)
        self.bytes += len(item)

    def add_decision(self, delivery: Delivery, now_ms: int, started_ms: int | None = None) -> None:
        """Adds a decision; `started_ms` is since when its clock has been running already."""
        items = self.items
        self._waiting.append(_Waiting(self._taken + len(items), delivery, now_ms, started_ms))
        items.append(delivery.item)
        self.bytes += len(delivery.item)

    def pack(self, now_ms: int) -> tuple[bytes, list[Delivery]]:
        """Takes a frame's worth of items: their bytes joined, and the decisions among them whose clock starts now."""
        items = self.items
        count = len(items) if self.bytes <= FRAME_BYTES else self._count_for_a_frame()
        started = self._start(self._taken + count, now_ms) if self._waiting else []
        self._taken += count
        if count == len(items):
            frame = items[0] if count == 1 else b"".join(items)
            items.clear()
            self.bytes = 0
            return frame, started
        frame = b"".join(items[:count])
        del items[:count]
        self.bytes = sum(map(len, items))
        return frame, started

    def _count_for_a_frame(self) -> int:
        size = 0
        for count, item in enumerate(self.items):
            size += len(item)
            if size > FRAME_BYTES:
                return max(1, count)
        return len(self.items)

    def _start(self, end: int, now_ms: int) -> list[Delivery]:
        """The decisions placed before `end` leave; those already started get their true time left."""
        started = []
        leaving = [waiting for waiting in self._waiting if waiting.place < end]
        self._waiting = [waiting for waiting in self._waiting if waiting.place >= end]
        for waiting in leaving:
            if waiting.started_ms is None:
                started.append(waiting.delivery)
            else:
                left_ms = max(0, waiting.delivery.limit_ms - (now_ms - waiting.started_ms))
                self.items[waiting.place - self._taken] = self._late(waiting.delivery.item, left_ms)
        return started

    def overdue(self, now_ms: int) -> list[Delivery]:
        """The decisions that have waited for too long: their clocks start now, though they have not left."""
        return self._start_released(now_ms - SENT_WITHIN_MS, now_ms)

    def unstarted(self, now_ms: int) -> list[Delivery]:
        """All decisions whose clocks have not been started: they start now."""
        return self._start_released(now_ms, now_ms)

    def _start_released(self, by_ms: int, now_ms: int) -> list[Delivery]:
        """The decisions that were released by a time and have no clock yet."""
        due = [waiting for waiting in self._waiting if waiting.started_ms is None and waiting.released_ms <= by_ms]
        for waiting in due:
            waiting.started_ms = now_ms
        return [waiting.delivery for waiting in due]

    def has_unstarted(self) -> bool:
        """Whether decisions wait whose clocks have not been started."""
        return any(waiting.started_ms is None for waiting in self._waiting)

    def clear(self) -> None:
        """Drops everything."""
        self._taken += len(self.items)
        self.items.clear()
        self._waiting.clear()
        self.bytes = 0
