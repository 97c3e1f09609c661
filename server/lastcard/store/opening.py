"""Opens the store's file in a directory, or says in a sentence why it cannot be used.

Here: `open_file`, `sentence`. Not here: the file's tables (`schema`), what is read and written (`file`). One server
has the file at a time: it is locked exclusively, so that a second one is refused at its start.
"""

import sqlite3
from pathlib import Path

from lastcard.store.schema import VERSION, StoreError, version_of

FILE = "lastcard.sqlite3"


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
        raise StoreError(sentence(path, error)) from error
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
    connection.execute("ROLLBACK")
    found = version_of(connection)
    if found > VERSION:
        raise StoreError(
            f"the store {path} is of version {found}, newer than version {VERSION} of this server; "
            "upgrade lastcard or give another directory"
        )


def sentence(path: Path, error: Exception) -> str:
    """What is wrong with a store, and what to do."""
    text = str(error)
    if "locked" in text:
        return f"the store {path} is in use by another server; stop that one or give another directory"
    if "readonly" in text or "unable to open" in text:
        return f"the store {path} cannot be written ({text}); give a directory that can be"
    if "disk" in text and "full" in text:
        return f"the disk of the store {path} is full; make room or give another directory"
    return f"the store {path} is damaged or no store ({text}); move it away, or give another directory"
