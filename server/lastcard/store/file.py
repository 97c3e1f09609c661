"""The store over one SQLite connection, without threads: entries in, and what a server starts with out.

Here: `StoreFile`, `StoredTable`. Not here: its tables (`schema`), opening a file on a disk (`opening`), when a commit
is made (`sqlite`), what is dropped (`compaction`). `SqliteStore` uses it in its thread; over `:memory:` it is the store
of simulations, which may open it again on the same connection after a crash.
"""

import gc
import json
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import chain
from operator import itemgetter
from typing import TYPE_CHECKING, Any, NamedTuple
from zlib import compress, decompress

from lastcard.store import compaction
from lastcard.store.commands_text import commands_text, commands_value
from lastcard.store.compaction import Compaction, without
from lastcard.store.schema import checksum, migrate
from lastcard.table.journal import (
    Bound,
    Checkpoint,
    Commanded,
    Entry,
    Forgotten,
    IdentityMade,
    IdentityRevoked,
    Pruned,
    Registered,
    Remembered,
    RememberedTable,
    Requested,
    TableClosed,
    TableOpened,
    Unbound,
    Unregistered,
)

CLOSED_KEPT = 200
"""Closed tables that are taken up again at most, the newest: whoever comes back for the end of one comes soon."""

ASKED_FOR_MS = 60_000
"""How long before the last time in the file a table may have ended to be taken up though all its bots know its end:
somebody may be watching it, or about to write down its result."""

REQUESTS_KEPT = 10_000
"""Answers to calls with a key that are remembered, the newest."""

_QUICK = 1
"""Level of compression; what higher ones gain is a tenth."""

_COMPRESSED = b"\x78"
"""How everything begins that is compressed (RFC 1950), and nothing that is JSON does."""

PRUNED_AT_ONCE = 200
"""Closed tables that one commit drops at most: some tens of milliseconds, for which moves wait."""

_REQUESTS_TRIMMED = 100
"""Answers between two removals of the oldest."""

if TYPE_CHECKING:
    from lastcard.table.commands import Command

_NUMBER, _TIME = itemgetter(0), itemgetter(1)


class StoredTable(NamedTuple):
    """A closed table: who opened it, its plan and result as JSON, and its record."""

    owner: str
    plan: str
    result: str
    record: bytes
    receipts: bytes


class ClosedTable(NamedTuple):
    """A closed table with its id and when it was opened and closed, in unix milliseconds."""

    table_id: str
    opened_ms: int
    closed_ms: int
    stored: StoredTable


class StoreFile:
    """Reads and writes the store; used by one thread at a time.

    After an error in `commit` the object is of no use any more, since what it knows may be ahead of the file; another
    one over the same connection starts from the file. `needed` says how many of the commands in the file are known to
    be needed; `remembered` counts them.
    """

    def __init__(self, connection: sqlite3.Connection, needed: int = 0) -> None:
        connection.isolation_level = None
        migrate(connection)
        self._connection = connection
        execute = connection.execute
        rows = execute("SELECT batch, count FROM journal ORDER BY batch").fetchall()
        self._batch: int = rows[-1][0] if rows else 0
        (self._last_ms,) = execute("SELECT coalesce(max(last_ms), 0) FROM journal").fetchone()
        self._heard_ms: int = self._last_ms
        """The latest time at which a table was opened or closed, or later."""
        (self._request,) = execute("SELECT coalesce(max(number), 0) FROM requests").fetchone()
        kept = execute(
            "SELECT number, kept.closed, sequence FROM kept JOIN tables USING (number) ORDER BY closed_ms, number"
        ).fetchall()
        self._kept = {number for number, _, _ in kept}
        """Tables whose commands are needed."""
        self._closed = dict.fromkeys(number for number, closed, _ in kept if closed)
        """Those of them that are closed, in the order in which they were."""
        self._checkpointed = {number for number, _, sequence in kept if sequence is not None}
        self._compaction = Compaction(rows, needed)

    # ------------------------------------------------------------------ writing

    def commit(self, batches: Iterable[Sequence[Entry]]) -> None:
        """Writes entries in one transaction: when it returns, all of them are kept, and when it raises, none is.

        Raises:
            sqlite3.Error: the file cannot be read or written.
            ValueError: what was written earlier cannot be read.
        """
        entries = list(chain.from_iterable(batches))
        if not entries:
            return
        commands = [entry for entry in entries if type(entry) is Commanded]
        self._connection.execute("BEGIN IMMEDIATE")
        try:
            if self._checkpointed and commands:
                self._void_checkpoints(set(map(_NUMBER, commands)))
            if len(commands) < len(entries):
                for entry in entries:
                    if type(entry) is not Commanded:
                        _WRITE[type(entry)](self, entry)
            self._write_commands(commands)
            self._compact()
            self._connection.execute("COMMIT")
        except BaseException:
            if self._connection.in_transaction:
                self._connection.execute("ROLLBACK")
            raise

    def _write_commands(self, commands: Sequence[Commanded]) -> None:
        last_ms = max(map(_TIME, commands), default=0)
        if commands or self._heard_ms > self._last_ms:
            self._last_ms = max(self._last_ms, self._heard_ms, last_ms)
            for start in range(0, max(1, len(commands)), compaction.SLICE):
                part = commands[start : start + compaction.SLICE]
                self._batch += 1
                self._write_row(self._batch, len(part), commands_text(part))
                self._compaction.added((self._batch, len(part)))

    def _write_row(self, batch: int, count: int, text: str) -> None:
        row = (batch, self._last_ms, count, checksum(text), text)
        self._connection.execute("INSERT INTO journal VALUES (?, ?, ?, ?, ?)", row)

    def _compact(self) -> None:
        """Goes on with the pass over the journal, if there is one, by a slice."""
        rows = self._compaction.next_slice()
        if not rows:
            return
        first, last = rows[0][0], rows[-1][0]
        execute = self._connection.execute
        # In one row, since the interpreter is let go and asked for again with every row that is fetched.
        (text,) = execute(
            "SELECT group_concat(batch || ' ' || sum || ' ' || commands, char(10)) FROM journal "
            "WHERE batch BETWEEN ? AND ?",
            (first, last),
        ).fetchone()
        read = sorted((int(batch), int(found), commands) for batch, found, commands in map(_split, text.split("\n")))
        for batch, found, commands in read:
            _check(batch, found, commands)
        texts = [(count, commands) for (_, count), (_, _, commands) in zip(rows, read, strict=True)]
        count, kept = without(texts, self._kept)
        if count < sum(row[1] for row in rows) or len(rows) > 1:
            execute("DELETE FROM journal WHERE batch BETWEEN ? AND ?", (first, last))
            self._write_row(last, count, kept)
        self._compaction.replaced(rows, (last, count))

    def _open(self, entry: TableOpened) -> None:
        self._connection.execute("INSERT INTO tables VALUES (?, ?, ?, ?, ?, NULL, NULL, NULL, NULL)", entry)
        self._connection.execute("INSERT INTO kept VALUES (?, 0, NULL, NULL)", (entry.number,))
        self._kept.add(entry.number)
        self._heard_ms = max(self._heard_ms, entry.opened_ms)

    def _close(self, entry: TableClosed) -> None:
        number, closed_ms, result, files = entry
        self._connection.execute(
            "UPDATE tables SET closed_ms = ?, result = ?, record = ?, receipts = ? WHERE number = ?",
            (closed_ms, result, packed(files.record), packed(files.receipts), number),
        )
        self._heard_ms = max(self._heard_ms, closed_ms)
        if number in self._kept:
            self._connection.execute("UPDATE kept SET closed = 1 WHERE number = ?", (number,))
            self._closed[number] = None
            if len(self._closed) > CLOSED_KEPT:
                self._drop(next(iter(self._closed)))

    def _forget(self, entry: Forgotten) -> None:
        if entry.number in self._closed:
            self._drop(entry.number)

    def _drop(self, number: int) -> None:
        """A closed table need not be taken up again: its commands go when the journal is gone through."""
        del self._closed[number]
        self._kept.discard(number)
        self._connection.execute("DELETE FROM kept WHERE number = ?", (number,))
        self._connection.execute("DELETE FROM seats WHERE number = ?", (number,))

    def _bind(self, entry: Bound) -> None:
        if entry.number in self._kept:
            self._connection.execute("INSERT OR REPLACE INTO seats VALUES (?, ?, ?)", entry)

    def _unbind(self, entry: Unbound) -> None:
        self._connection.execute("DELETE FROM seats WHERE number = ? AND seat = ?", entry)

    def _check_in(self, entry: Checkpoint) -> None:
        self._connection.execute("UPDATE kept SET sequence = ?, digest = ? WHERE number = ?", (*entry[1:], entry[0]))
        self._checkpointed.add(entry.number)

    def _void_checkpoints(self, numbers: set[int]) -> None:
        """Tables that are told something are not any more where they were when the server was stopped."""
        for number in self._checkpointed & numbers:
            self._connection.execute("UPDATE kept SET sequence = NULL, digest = NULL WHERE number = ?", (number,))
            self._checkpointed.discard(number)

    def _answer(self, entry: Requested) -> None:
        self._request += 1
        self._connection.execute("INSERT INTO requests VALUES (?, ?, ?, ?)", (self._request, *entry))
        if self._request % _REQUESTS_TRIMMED == 0:
            oldest = self._request - REQUESTS_KEPT
            self._connection.execute("DELETE FROM requests WHERE number <= ?", (oldest,))

    def _make_identity(self, entry: IdentityMade) -> None:
        self._connection.execute("INSERT OR REPLACE INTO identities VALUES (?, ?, ?)", entry)

    def _revoke_identity(self, entry: IdentityRevoked) -> None:
        self._connection.execute("DELETE FROM identities WHERE identity = ?", entry)

    def _register(self, entry: Registered) -> None:
        self._connection.execute("INSERT OR REPLACE INTO registered VALUES (?, ?, ?)", entry)

    def _unregister(self, entry: Unregistered) -> None:
        self._connection.execute("DELETE FROM registered WHERE kind = ? AND name = ?", entry)

    def _prune(self, entry: Pruned) -> None:
        self._drop_closed(entry.before_ms, PRUNED_AT_ONCE)

    def prune(self, before_ms: int) -> int:
        """Drop all closed tables that ended before a time, but for the last of all; how many.

        Raises:
            sqlite3.Error: the file cannot be written.
        """
        return self._drop_closed(before_ms, -1)

    def _drop_closed(self, before_ms: int, most: int) -> int:
        # The last one tells which numbers were given out: commands of a dropped table may still be in the journal.
        return self._connection.execute(
            "DELETE FROM tables WHERE number IN (SELECT number FROM tables WHERE closed_ms < ? "
            "AND number NOT IN (SELECT number FROM kept) AND number < (SELECT max(number) FROM tables) "
            "ORDER BY number LIMIT ?)",
            (before_ms, most),
        ).rowcount

    # ------------------------------------------------------------------ reading

    def closed(self, since_ms: int = 0) -> Iterator[ClosedTable]:
        """All closed tables that ended at a time or later, in the order in which they were opened.

        Raises:
            sqlite3.Error: the file cannot be read.
            zlib.error: a record cannot be read.
        """
        rows = self._connection.execute(
            "SELECT table_id, opened_ms, closed_ms, owner, plan, result, record, receipts FROM tables "
            "WHERE closed_ms >= ? AND result IS NOT NULL ORDER BY number",
            (since_ms,),
        )
        for table_id, opened_ms, closed_ms, owner, plan, result, record, receipts in rows:
            stored = StoredTable(owner, plan, result, unpacked(record), unpacked(receipts))
            yield ClosedTable(table_id, opened_ms, closed_ms, stored)

    def table(self, table_id: str) -> StoredTable | None:
        """The latest closed table of an id; `None` when there is none."""
        row = self._connection.execute(
            "SELECT owner, plan, result, record, receipts FROM tables WHERE table_id = ? AND result IS NOT NULL "
            "ORDER BY number DESC LIMIT 1",
            (table_id,),
        ).fetchone()
        if row is None:
            return None
        owner, plan, result, record, receipts = row
        return StoredTable(owner, plan, result, unpacked(record), unpacked(receipts))

    def remembered(self) -> Remembered:
        """What a server starts with. To be asked before the first commit.

        Raises:
            sqlite3.Error: the file cannot be read.
            ValueError: something in it is not what a server of this version writes.
        """
        execute = self._connection.execute
        identities = execute("SELECT identity, bot, minted FROM identities").fetchall()
        (number,) = execute("SELECT coalesce(max(number), 0) FROM tables").fetchone()
        requests = execute(
            "SELECT place, asked, answer FROM requests WHERE number > ? ORDER BY number",
            (self._request - REQUESTS_KEPT,),
        ).fetchall()
        return Remembered(
            tuple(IdentityMade(identity, bot, bool(minted)) for identity, bot, minted in identities),
            number + 1,
            self._last_ms,
            self._tables(),
            tuple(Requested(*request) for request in requests),
            tuple(Registered(*row) for row in execute("SELECT kind, name, facts FROM registered")),
        )

    def _tables(self) -> tuple[RememberedTable, ...]:
        execute = self._connection.execute
        tables = execute(
            "SELECT number, table_id, opened_ms, owner, plan, kept.closed, sequence, digest, result "
            "FROM kept JOIN tables USING (number) WHERE closed_ms IS NULL OR closed_ms >= ? "
            "OR EXISTS (SELECT 1 FROM seats WHERE seats.number = kept.number) ORDER BY number",
            (self._last_ms - ASKED_FOR_MS,),
        ).fetchall()
        with _without_collector():
            commands = self._commands(number for number, *_ in tables)
        seats: dict[int, list[tuple[int, str]]] = {number: [] for number in commands}
        for number, seat, identity in execute("SELECT number, seat, identity FROM seats ORDER BY number, seat"):
            if number in seats:
                seats[number].append((seat, identity))
        for _, table_id, _, _, plan, *_ in tables:
            _check_plan(table_id, plan)
        return tuple(
            RememberedTable(
                TableOpened(number, table_id, opened_ms, owner, plan),
                seats[number],
                commands[number],
                bool(closed),
                None if sequence is None else Checkpoint(number, sequence, digest),
                result or "",
            )
            for number, table_id, opened_ms, owner, plan, closed, sequence, digest, result in tables
        )

    def _commands(self, numbers: Iterable[int]) -> dict[int, list[tuple[int, "Command"]]]:
        """The commands of tables, each with its time, in order."""
        commands: dict[int, list[tuple[int, Command]]] = {number: [] for number in numbers}
        needed = 0
        rows = []
        journal = self._connection.execute("SELECT batch, count, sum, commands FROM journal ORDER BY batch")
        for batch, count, found, text in journal:
            rows.append((batch, count))
            _check(batch, found, text)
            for number, at_ms, command in commands_value(text):
                if number in commands:
                    commands[number].append((at_ms, command))
                    needed += 1
        self._compaction = Compaction(rows, needed)
        return commands


@contextmanager
def _without_collector() -> Iterator[None]:
    """Lets Python's collector rest while nothing but what stays is made: it would look through all of it many times."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


def packed(lines: bytes) -> bytes:
    """JSON lines as they are kept: compressed, a record is a third, since it is half hashes, and receipts an eighth."""
    return compress(lines, _QUICK)


def unpacked(kept: bytes) -> bytes:
    """JSON lines as they were given; those of earlier versions were kept as they were, and begin like JSON."""
    return decompress(kept) if kept.startswith(_COMPRESSED) else kept


def _split(line: str) -> list[str]:
    return line.split(" ", 2)


def _check_plan(table_id: str, plan: str) -> None:
    try:
        json.loads(plan)
    except ValueError as error:
        raise ValueError(f"the plan of table {table_id!r}: {error}") from error


def _check(batch: int, found: int, text: str) -> None:
    if checksum(text) != found:
        raise ValueError(f"batch {batch} of its journal is not as it was written")


_WRITE: dict[type, Callable[[StoreFile, Any], None]] = {
    TableOpened: StoreFile._open,  # noqa: SLF001 - the class's own table of entries
    TableClosed: StoreFile._close,  # noqa: SLF001
    Forgotten: StoreFile._forget,  # noqa: SLF001
    Bound: StoreFile._bind,  # noqa: SLF001
    Unbound: StoreFile._unbind,  # noqa: SLF001
    Checkpoint: StoreFile._check_in,  # noqa: SLF001
    Requested: StoreFile._answer,  # noqa: SLF001
    IdentityMade: StoreFile._make_identity,  # noqa: SLF001
    IdentityRevoked: StoreFile._revoke_identity,  # noqa: SLF001
    Registered: StoreFile._register,  # noqa: SLF001
    Unregistered: StoreFile._unregister,  # noqa: SLF001
    Pruned: StoreFile._prune,  # noqa: SLF001
}
