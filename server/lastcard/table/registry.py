"""The tables of one host: by id and by number, how many are open, and what became of those that are over.

Here: `Registry`. Not here: what happens at tables (`hosted`), who is told (`host`). Knows asyncio: results are waited
for.
"""

import asyncio
from collections import deque
from collections.abc import Iterator

from lastcard.table.hosted import HostedTable
from lastcard.table.plan import RecordFiles, TableResult

CLOSED_KEPT = 1_000
"""Closed tables kept in memory for those who come back for the end; the records of older ones are in the store."""

EVENTS_KEPT = 400_000
"""Events of closed tables kept in memory. A round has a hundred and a long match thousands, with as many decisions."""

LEAST_KEPT = 50
"""Closed tables kept in memory however long their matches were."""


FILES_KEPT_MS = 10_000
"""How long the files of a closed table are kept in memory when the store has them: they are most of what a table is,
and whoever waits for the end asks for them at once."""


class Registry:
    """All tables that are open, and the latest that are over."""

    def __init__(self) -> None:
        self.are_files_stored = False
        """Whether the store gives out files, so that they need not be kept here."""
        self.by_id: dict[str, HostedTable] = {}
        """Tables by id."""
        self.by_number: dict[int, HostedTable] = {}
        self.open_count = 0
        self._files: dict[str, RecordFiles | None] = {}
        """Of each closed table; `None` when the store alone has them."""
        self._with_files: deque[tuple[str, int]] = deque()
        """Closed tables whose files are here too, oldest first, with the times of their ends."""
        self._closed: dict[str, int] = {}
        """The number of events of each closed table, oldest first."""
        self._closed_events = 0
        self._ended: dict[str, asyncio.Future[TableResult]] = {}
        self._newest = 0
        self._is_unordered = False
        """Whether a table was added after one that was opened later, as tables of an earlier run are."""

    def add(self, table: HostedTable) -> None:
        """Adds a table; one that is over already is to be given its files next."""
        self.by_id[table.table_id] = self.by_number[table.number] = table
        self._is_unordered |= table.number < self._newest
        self._newest = max(self._newest, table.number)
        self.open_count += table.result is None

    def newest_first(self) -> Iterator[HostedTable]:
        """All tables, the one that was opened last first."""
        if self._is_unordered:
            ordered = sorted(self.by_number.items())
            self.by_number.clear()
            self.by_number.update(ordered)
            self._is_unordered = False
        return reversed(self.by_number.values())

    def note_end(self, table: HostedTable, files: RecordFiles | None) -> list[str]:
        """The end of a table is stored: whoever waits for it hears of it. Without files, the store alone has them.

        Returns the ids of the oldest closed tables when too much of them is kept; they are to be taken out.
        """
        assert table.result is not None
        self._files[table.table_id] = files
        ended = self._ended.pop(table.table_id, None)
        if ended is not None and not ended.done():
            ended.set_result(table.result)
        table.drop_writers()
        if self.are_files_stored and files is not None:
            self._with_files.append((table.table_id, table.result.ended_ms))
            self._drop_files(table.result.ended_ms - FILES_KEPT_MS)
        self._closed[table.table_id] = table.feed.last
        self._closed_events += table.feed.last
        return self._too_old()

    def _drop_files(self, before_ms: int) -> None:
        while self._with_files[0][1] < before_ms:
            table_id, _ = self._with_files.popleft()
            if table_id in self._files:
                self._files[table_id] = None

    def _too_old(self) -> list[str]:
        too_old = []
        count, events = len(self._closed), self._closed_events
        for table_id, of_table in self._closed.items():
            if count <= LEAST_KEPT or (count <= CLOSED_KEPT and events <= EVENTS_KEPT):
                break
            too_old.append(table_id)
            count, events = count - 1, events - of_table
        return too_old

    def take_out(self, table_id: str) -> HostedTable | None:
        """Takes a closed table out and returns it; `None` for one that is open or unknown."""
        if table_id not in self._files:
            return None
        del self._files[table_id]
        self._closed_events -= self._closed.pop(table_id)
        table = self.by_id.pop(table_id)
        self.by_number.pop(table.number, None)
        return table

    async def result(self, table_id: str) -> TableResult:
        """How a table came out, as soon as that is stored.

        Raises:
            KeyError: there is no such table.
        """
        table = self.by_id[table_id]
        if table_id in self._files:
            assert table.result is not None
            return table.result
        ended = self._ended.get(table_id)
        if ended is None:
            ended = self._ended[table_id] = asyncio.get_running_loop().create_future()
        return await asyncio.shield(ended)

    def is_over(self, table_id: str) -> bool:
        """Whether a table is over and its end is stored."""
        return table_id in self._files

    def record(self, table_id: str) -> RecordFiles | None:
        """The record of a closed table; `None` while it is not stored, and later when the store alone has it.

        Raises:
            KeyError: there is no such table.
        """
        if table_id not in self.by_id:
            raise KeyError(table_id)
        return self._files.get(table_id)
