"""One structure for the deadlines of all tables.

Here: `Deadlines`, a heap that is checked lazily. Not here: what happens at a deadline (`pump`). Imports nothing of
ours.
"""

from heapq import heappop, heappush
from itertools import count
from typing import Generic, Protocol, TypeVar

NOT_QUEUED = 1 << 62
"""`queued_ms` of what has no entry in the heap."""


class Queued(Protocol):
    """Something with a deadline; `queued_ms` belongs to `Deadlines`."""

    queued_ms: int


Table = TypeVar("Table", bound=Queued)


class Deadlines(Generic[Table]):
    """When to look at which table.

    Invariant: a table that was given a deadline is looked at by then. A deadline that moves into the future, as nearly
    all do, costs one comparison: the look comes early, and who looks sets the deadline again.
    """

    def __init__(self) -> None:
        self._heap: list[tuple[int, int, Table]] = []
        self._order = count()

    def set(self, table: Table, due_ms: int) -> None:
        """Has a table looked at by `due_ms`."""
        if due_ms < table.queued_ms:
            table.queued_ms = due_ms
            heappush(self._heap, (due_ms, next(self._order), table))

    def next_ms(self) -> int | None:
        """When `due` should be called next; `None` when nothing is waiting."""
        return self._heap[0][0] if self._heap else None

    def due(self, now_ms: int) -> list[Table]:
        """The tables to look at now, each once; their deadlines are to be set again."""
        came = []
        heap = self._heap
        while heap and heap[0][0] <= now_ms:
            due_ms, _, table = heappop(heap)
            if table.queued_ms == due_ms:
                table.queued_ms = NOT_QUEUED
                came.append(table)
        return came
