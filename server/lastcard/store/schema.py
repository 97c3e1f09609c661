"""The tables of the store's file, by versions: each step brings a file from one version to the next.

Here: `VERSION`, `version_of`, `migrate`, `StoreError`. Not here: opening a file on a disk (`opening`), reading and
writing it (`file`). A step never changes once a server with it has been given out: a later version gets a step of its
own. A new file goes through all steps too, so that new and migrated files cannot differ.
"""

import json
import sqlite3
from collections.abc import Callable
from zlib import crc32

VERSION = 3
"""Version of the tables that this server reads and writes, kept as `user_version`."""

_VERSION_1 = (
    "CREATE TABLE journal (batch INTEGER PRIMARY KEY, commands TEXT NOT NULL) STRICT",
    """CREATE TABLE tables (
        number INTEGER PRIMARY KEY,
        table_id TEXT NOT NULL,
        opened_ms INTEGER NOT NULL,
        owner TEXT NOT NULL,
        plan TEXT NOT NULL,
        first_batch INTEGER NOT NULL,
        closed_ms INTEGER,
        result TEXT,
        record BLOB,
        receipts BLOB
    ) STRICT""",
    "CREATE INDEX tables_by_id ON tables (table_id)",
    "CREATE INDEX tables_open ON tables (first_batch) WHERE closed_ms IS NULL",
    """CREATE TABLE seats (
        number INTEGER NOT NULL,
        seat INTEGER NOT NULL,
        identity TEXT NOT NULL,
        PRIMARY KEY (number, seat)
    ) STRICT, WITHOUT ROWID""",
    """CREATE TABLE identities (
        identity TEXT PRIMARY KEY,
        bot TEXT NOT NULL,
        minted INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID""",
)

# `kept` names the tables whose commands are kept; it is apart from `tables` because a row there holds a whole record,
# which every change would write anew. No table of version 1 is among them: its servers did not take any up again, and
# numbered decisions otherwise, so that its commands would lead elsewhere now. `state` has one row: how often the file
# was opened, and whether it was closed in good order, which is looked at in `opening`.
_VERSION_2 = (
    """CREATE TABLE kept (
        number INTEGER PRIMARY KEY,
        closed INTEGER NOT NULL,
        sequence INTEGER,
        digest TEXT
    ) STRICT""",
    """CREATE TABLE requests (
        number INTEGER PRIMARY KEY,
        place TEXT NOT NULL,
        asked BLOB NOT NULL,
        answer BLOB NOT NULL
    ) STRICT""",
    "DROP INDEX tables_open",
    "ALTER TABLE tables DROP COLUMN first_batch",
    "DELETE FROM seats",
    "CREATE TABLE state (starts INTEGER NOT NULL, closed INTEGER NOT NULL) STRICT",
    "INSERT INTO state VALUES (0, 1)",
    "ALTER TABLE journal RENAME TO journal_1",
    """CREATE TABLE journal (
        batch INTEGER PRIMARY KEY,
        last_ms INTEGER NOT NULL,
        count INTEGER NOT NULL,
        sum INTEGER NOT NULL,
        commands TEXT NOT NULL
    ) STRICT""",
)

_VERSION_3 = (
    """CREATE TABLE registered (
        kind TEXT NOT NULL,
        name TEXT NOT NULL,
        facts TEXT NOT NULL,
        PRIMARY KEY (kind, name)
    ) STRICT, WITHOUT ROWID""",
)


class StoreError(Exception):
    """The store cannot be used; the message names the file and says what to do."""


def checksum(text: str) -> int:
    """What the store writes beside the commands of a batch: a changed byte is found, and not played."""
    return crc32(text.encode())


def version_of(connection: sqlite3.Connection) -> int:
    """The version of a file's tables; 0 for a file without any."""
    (found,) = connection.execute("PRAGMA user_version").fetchone()
    return int(found)


def migrate(connection: sqlite3.Connection) -> None:
    """Brings a file to `VERSION`, step by step; one that is there already is not written.

    Raises:
        sqlite3.Error: the file cannot be read or written; what was done of the step is undone.
        ValueError: what an older version wrote cannot be read.
    """
    for version in range(version_of(connection), VERSION):
        connection.execute("BEGIN IMMEDIATE")
        try:
            _STEPS[version](connection)
            connection.execute(f"PRAGMA user_version = {version + 1}")
            connection.execute("COMMIT")
        except BaseException:
            if connection.in_transaction:
                connection.execute("ROLLBACK")
            raise


def _to_version_1(connection: sqlite3.Connection) -> None:
    for statement in _VERSION_1:
        connection.execute(statement)


def _to_version_2(connection: sqlite3.Connection) -> None:
    for statement in _VERSION_2:
        connection.execute(statement)
    texts = connection.execute("SELECT commands FROM journal_1").fetchall()
    times = [at_ms for (text,) in texts for _, at_ms, _, _ in json.loads(text)]
    times += connection.execute("SELECT max(opened_ms) FROM tables").fetchone()
    times += connection.execute("SELECT max(closed_ms) FROM tables").fetchone()
    last_ms = max((time for time in times if time is not None), default=None)
    if last_ms is not None:
        connection.execute("INSERT INTO journal VALUES (1, ?, 0, ?, '[]')", (last_ms, checksum("[]")))
    connection.execute("DROP TABLE journal_1")


def _to_version_3(connection: sqlite3.Connection) -> None:
    for statement in _VERSION_3:
        connection.execute(statement)


_STEPS: tuple[Callable[[sqlite3.Connection], None], ...] = (_to_version_1, _to_version_2, _to_version_3)
"""By the version that they start from."""
