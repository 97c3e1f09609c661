"""The default store: one SQLite file, written by one thread, several entries a commit.

Here: `SqliteStore`. Not here: the file's tables (`schema`). The event loop hands entries over and goes on; the thread
takes all that has come meanwhile into one commit, so that durability costs a move almost nothing and its delay adapts
to the load by itself.
"""

import asyncio
import sqlite3
from collections.abc import Callable, Sequence
from pathlib import Path
from queue import SimpleQueue
from threading import Thread
from typing import NamedTuple

from lastcard.store.commands_text import commands_text
from lastcard.store.schema import StoreError, open_file
from lastcard.table.journal import (
    Bound,
    Checkpoint,
    Commanded,
    Entry,
    Forgotten,
    IdentityMade,
    IdentityRevoked,
    Remembered,
    Requested,
    TableClosed,
    TableOpened,
    Unbound,
)

PRUNED_EVERY = 512
"""Commits between two removals of what no open table needs any more."""


class StoredTable(NamedTuple):
    """A closed table: who opened it, its plan and result as JSON, and its record."""

    owner: str
    plan: str
    result: str
    record: bytes
    receipts: bytes


_Batch = tuple[Sequence[Entry], Callable[[], None]]
_Question = tuple[Callable[[sqlite3.Connection], object], Callable[[object], None]]


class SqliteStore:
    """Keeps entries in a directory.

    `failed` is called in the event loop when the disk refuses; from then on nothing is kept, and nobody is told of
    anything as durable.
    """

    def __init__(self, directory: Path, failed: Callable[[str], None]) -> None:
        self.path = directory
        self._failed = failed
        self._connection = open_file(directory)
        self._loop = asyncio.get_running_loop()
        self._queue: SimpleQueue[_Batch | _Question | None] = SimpleQueue()
        row = self._connection.execute("SELECT coalesce(max(batch), 0) FROM journal").fetchone()
        self._batch = int(row[0])
        self._commits = 0
        self._thread = Thread(target=self._run, name="store")
        self._broken = False

    def start(self) -> Remembered:
        """Begins to write; what is known from before.

        Raises:
            StoreError: the file cannot be read.
        """
        try:
            remembered = self._remembered()
        except sqlite3.Error as error:
            raise StoreError(f"the store in {self.path} cannot be read: {error}") from error
        self._thread.start()
        return remembered

    def _remembered(self) -> Remembered:
        execute = self._connection.execute
        identities = execute("SELECT identity, bot, minted FROM identities").fetchall()
        number, opened_ms, closed_ms = execute(
            "SELECT coalesce(max(number), 0), coalesce(max(opened_ms), 0), coalesce(max(closed_ms), 0) FROM tables"
        ).fetchone()
        return Remembered(
            tuple(IdentityMade(identity, bot, bool(minted)) for identity, bot, minted in identities),
            number + 1,
            max(opened_ms, closed_ms),
        )

    def append(self, entries: Sequence[Entry], then: Callable[[], None]) -> None:
        """Writes entries after all earlier ones; `then` is called in the event loop once they are durable."""
        self._queue.put((entries, then))

    async def table(self, table_id: str) -> StoredTable | None:
        """The latest closed table of an id; `None` when there is none."""
        answered: asyncio.Future[StoredTable | None] = self._loop.create_future()

        def ask(connection: sqlite3.Connection) -> StoredTable | None:
            row = connection.execute(
                "SELECT owner, plan, result, record, receipts FROM tables WHERE table_id = ? AND result IS NOT NULL "
                "ORDER BY number DESC LIMIT 1",
                (table_id,),
            ).fetchone()
            return None if row is None else StoredTable(*row)

        def answer(found: object) -> None:
            if not answered.done():
                answered.set_result(found)  # type: ignore[arg-type] # what `ask` returned

        self._queue.put((ask, answer))
        return await answered

    def close(self) -> None:
        """Writes what is left and closes the file."""
        self._queue.put(None)
        if self._thread.is_alive():
            self._thread.join()

    # ------------------------------------------------------------------ in the thread

    def _run(self) -> None:
        going = True
        while going:
            batches, questions, going = self._take()
            try:
                if batches and not self._broken:
                    self._commit([entries for entries, _ in batches])
                answers = [(answer, ask(self._connection)) for ask, answer in questions]
            except Exception as error:  # noqa: BLE001 - whatever it is, nothing is durable any more and must be told so
                self._broken = True
                self._call(self._failed, f"the store in {self.path} cannot be written: {error}")
                continue
            if batches and not self._broken:
                self._call(_call_all, [then for _, then in batches])
            for answer, found in answers:
                self._call(answer, found)
        self._connection.close()

    def _call(self, function: Callable[..., None], *arguments: object) -> None:
        if not self._loop.is_closed():
            self._loop.call_soon_threadsafe(function, *arguments)

    def _take(self) -> tuple[list[_Batch], list[_Question], bool]:
        """Everything that waits; waits for something when nothing does. False at the end."""
        batches: list[_Batch] = []
        questions: list[_Question] = []
        item = self._queue.get()
        while item is not None:
            if callable(item[0]):
                questions.append(item)
            else:
                batches.append(item)
            if self._queue.empty():
                return batches, questions, True
            item = self._queue.get()
        return batches, questions, False

    def _commit(self, batches: list[Sequence[Entry]]) -> None:
        execute = self._connection.execute
        self._batch += 1
        execute("BEGIN IMMEDIATE")
        try:
            commands = [entry for entries in batches for entry in entries if type(entry) is Commanded]
            for entries in batches:
                for entry in entries:
                    if type(entry) is not Commanded and not isinstance(entry, Forgotten | Checkpoint | Requested):
                        execute(*self._statement(entry))
            if commands:
                execute("INSERT INTO journal VALUES (?, ?)", (self._batch, commands_text(commands)))
            self._commits += 1
            if self._commits % PRUNED_EVERY == 0:
                execute(
                    "DELETE FROM journal WHERE batch < "
                    "(SELECT coalesce(min(first_batch), ?) FROM tables WHERE closed_ms IS NULL)",
                    (self._batch,),
                )
            execute("COMMIT")
        except sqlite3.Error:
            if self._connection.in_transaction:
                execute("ROLLBACK")
            raise

    def _statement(self, entry: Entry) -> tuple[str, tuple[object, ...]]:
        match entry:
            case TableOpened(number, table_id, opened_ms, owner, plan):
                values = (number, table_id, opened_ms, owner, plan, self._batch)
                return "INSERT INTO tables VALUES (?, ?, ?, ?, ?, ?, NULL, NULL, NULL, NULL)", values
            case TableClosed(number, closed_ms, result, files):
                text = "UPDATE tables SET closed_ms = ?, result = ?, record = ?, receipts = ? WHERE number = ?"
                return text, (closed_ms, result, files.record, files.receipts, number)
            case Bound(number, seat, identity):
                return "INSERT OR REPLACE INTO seats VALUES (?, ?, ?)", (number, seat, identity)
            case Unbound(number, seat):
                return "DELETE FROM seats WHERE number = ? AND seat = ?", (number, seat)
            case IdentityMade(identity, bot, minted):
                return "INSERT OR REPLACE INTO identities VALUES (?, ?, ?)", (identity, bot, minted)
            case IdentityRevoked(identity):
                return "DELETE FROM identities WHERE identity = ?", (identity,)
            case _:
                raise TypeError(f"{type(entry).__name__} is no entry of the journal")


def _call_all(functions: list[Callable[[], None]]) -> None:
    for function in functions:
        function()
