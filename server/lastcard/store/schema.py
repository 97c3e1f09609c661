"""The file of the SQLite store: its tables, its version, and opening it.

Here: `open_file`, `StoreError`. Not here: what is written (`sqlite`). One server has the file at a time: it is locked
exclusively, so that a second one is refused at its start.
"""

import sqlite3
from pathlib import Path

VERSION = 1
"""Version of the tables, kept as `user_version`."""

FILE = "lastcard.sqlite3"

_TABLES = """
CREATE TABLE journal (
    batch INTEGER PRIMARY KEY,
    commands TEXT NOT NULL
) STRICT;
CREATE TABLE tables (
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
) STRICT;
CREATE INDEX tables_by_id ON tables (table_id);
CREATE INDEX tables_open ON tables (first_batch) WHERE closed_ms IS NULL;
CREATE TABLE seats (
    number INTEGER NOT NULL,
    seat INTEGER NOT NULL,
    identity TEXT NOT NULL,
    PRIMARY KEY (number, seat)
) STRICT, WITHOUT ROWID;
CREATE TABLE identities (
    identity TEXT PRIMARY KEY,
    bot TEXT NOT NULL,
    minted INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
"""


class StoreError(Exception):
    """The store cannot be used; the message names the file and says what to do."""


def open_file(directory: Path) -> sqlite3.Connection:
    """Opens the store in a directory, which is made if it is missing; the connection may be used by any one thread.

    Raises:
        StoreError: the directory or file cannot be written, is in use, is damaged, or is of a newer version.
    """
    path = directory / FILE
    try:
        directory.mkdir(parents=True, exist_ok=True)
        connection = sqlite3.connect(path, timeout=0, isolation_level=None, check_same_thread=False)
    except (OSError, sqlite3.Error) as error:
        raise StoreError(f"cannot open the store {path}: {error}; give a directory that can be written") from error
    try:
        _prepare(connection, path)
    except sqlite3.Error as error:
        connection.close()
        raise StoreError(_sentence(path, error)) from error
    except StoreError:
        connection.close()
        raise
    return connection


def _prepare(connection: sqlite3.Connection, path: Path) -> None:
    connection.execute("PRAGMA locking_mode = EXCLUSIVE")
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA synchronous = FULL")
    connection.execute("PRAGMA wal_autocheckpoint = 4000")
    connection.execute("BEGIN IMMEDIATE")
    (found,) = connection.execute("PRAGMA user_version").fetchone()
    if found > VERSION:
        connection.execute("ROLLBACK")
        raise StoreError(
            f"the store {path} is of version {found}, newer than version {VERSION} of this server; "
            "upgrade lastcard or give another directory"
        )
    if found == 0:
        connection.execute("COMMIT")
        connection.executescript(f"BEGIN; {_TABLES} PRAGMA user_version = {VERSION}; COMMIT;")
    else:
        connection.execute("SELECT count(*) FROM tables WHERE closed_ms IS NULL").fetchone()
        connection.execute("COMMIT")


def _sentence(path: Path, error: sqlite3.Error) -> str:
    text = str(error)
    if "locked" in text:
        return f"the store {path} is in use by another server; stop that one or give another directory"
    if "readonly" in text or "unable to open" in text:
        return f"the store {path} cannot be written ({text}); give a directory that can be"
    if "disk" in text and "full" in text:
        return f"the disk of the store {path} is full; make room or give another directory"
    return f"the store {path} is damaged or no store ({text}); move it away, or give another directory"
