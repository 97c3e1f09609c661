"""One structure for the deadlines of all tables.

Here: `Deadlines`, a heap that is checked lazily. Not here: what happens at a deadline (`pump`). Imports nothing of
ours.
"""

from heapq import heappop, heappush


class Deadlines:
    """The next deadline of each table, by the table's number.

    Invariant: a table with a deadline has a heap entry that is due at it or earlier. So a deadline that moves into the
    future, as nearly all do, costs one comparison: the early entry finds out when it comes up.
    """

    def __init__(self) -> None:
        self._heap: list[tuple[int, int]] = []
        self._queued: dict[int, int] = {}
        """Due time of the earliest heap entry of each table."""
        self._wanted: dict[int, int] = {}

    def set(self, table: int, due_ms: int | None) -> None:
        """Sets, moves or (`None`) removes the deadline of a table."""
        if due_ms is None:
            self._wanted.pop(table, None)
            return
        self._wanted[table] = due_ms
        queued = self._queued.get(table)
        if queued is None or due_ms < queued:
            self._queued[table] = due_ms
            heappush(self._heap, (due_ms, table))

    def next_ms(self) -> int | None:
        """When `due` should be called next; `None` when nothing is waiting. May be too early, never too late."""
        return self._heap[0][0] if self._heap else None

    def due(self, now_ms: int) -> list[int]:
        """The tables whose deadline has come, each once; their deadlines are removed."""
        came = []
        heap = self._heap
        while heap and heap[0][0] <= now_ms:
            queued_ms, table = heappop(heap)
            if self._queued.get(table) != queued_ms:
                continue
            del self._queued[table]
            wanted = self._wanted.get(table)
            if wanted is None:
                continue
            if wanted <= now_ms:
                del self._wanted[table]
                came.append(table)
            else:
                self._queued[table] = wanted
                heappush(heap, (wanted, table))
        return came
