"""What outlives a server, and the store that writes to it in virtual time.

Here: `Disk`, `SlowStore`. Not here: the tables of the file (`store.file`), whose real SQL is used, in memory. The store
does as the one with a thread does: what comes while a commit is under way waits for the next one, all of it together.
"""

import sqlite3
from collections.abc import Callable, Sequence
from random import Random
from typing import TYPE_CHECKING

from lastcard.store.file import StoreFile
from lastcard.table.journal import Commanded, Entry, Remembered, TableOpened
from simulation.stack.loop import VirtualLoop

if TYPE_CHECKING:
    from lastcard.table.commands import Command

Batch = tuple[Sequence[Entry], Callable[[], None]]


class Disk:
    """The file, and how many commands of each table are in it."""

    def __init__(self) -> None:
        self._connection = sqlite3.connect(":memory:", isolation_level=None)
        self.file = StoreFile(self._connection)
        self.commands: dict[int, list[tuple[int, Command]]] = {}
        """Durable commands with their times, by the number of their table."""
        self.opened: dict[str, int] = {}
        """Numbers of the tables whose opening is durable, by their ids."""

    def commit(self, batches: Sequence[Sequence[Entry]]) -> None:
        """Makes entries durable."""
        self.file.commit(batches)
        for entries in batches:
            for entry in entries:
                if type(entry) is Commanded:
                    self.commands.setdefault(entry.number, []).append((entry.at_ms, entry.command))
                elif type(entry) is TableOpened:
                    self.opened[entry.table_id] = entry.number

    def remembered(self) -> Remembered:
        """Opens the file anew, as a server does that starts, and gives back what is in it."""
        self.file = StoreFile(self._connection)
        return self.file.remembered()


class SlowStore:
    """The store of one run of a server."""

    def __init__(
        self, loop: VirtualLoop, disk: Disk, random: Random, most_s: float, failed: Callable[[str], None]
    ) -> None:
        self.is_full = False
        """Whether the next commit fails."""
        self.failure: str | None = None
        self.notes: tuple[str, ...] = ()
        self._failed = failed
        self.after_commit: Callable[[], None] | None = None
        """Called when something has become durable that nobody has been told yet."""
        self._loop = loop
        self._disk = disk
        self._random = random
        self._most_s = most_s
        self._waiting: list[Batch] = []
        self._busy = False

    def start(self) -> Remembered:
        """What is known from before."""
        return self._disk.remembered()

    def append(self, entries: Sequence[Entry], then: Callable[[], None]) -> None:
        """Writes entries after all earlier ones; `then` is called once they are durable."""
        self._waiting.append((entries, then))
        if not self._busy:
            self._busy = True
            self._later(self._write)

    def _later(self, do: Callable[..., None], *args: object) -> None:
        if self._most_s and self._random.random() < 0.5:
            self._loop.call_later(self._random.random() * self._most_s / 2, do, *args)
        else:
            self._loop.call_soon(do, *args)

    def _write(self) -> None:
        batches, self._waiting = self._waiting, []
        if self.is_full and self.failure is None:
            self.failure = "the store cannot be written: the disk is full"
            self._failed(self.failure)
        if self.failure is not None:
            self._busy = False
            return
        self._disk.commit([entries for entries, _ in batches])
        if self.after_commit is not None:
            self.after_commit()
        self._later(self._tell, batches)

    def _tell(self, batches: list[Batch]) -> None:
        for _, then in batches:
            then()
        self._busy = bool(self._waiting)
        if self._busy:
            self._later(self._write)

    def close(self) -> None:
        """Writes what is left, as a server that stops in good order does."""
        batches, self._waiting = self._waiting, []
        if batches and self.failure is None:
            self._disk.commit([entries for entries, _ in batches])

    async def table(self, table_id: str) -> object:
        """The latest closed table of an id."""
        return self._disk.file.table(table_id)
