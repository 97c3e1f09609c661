"""Opens the store's file in a directory, or says in a sentence why it cannot be used.

Here: `open_store`, `close_store`, `sentence`. Not here: the file's tables (`schema`), what is read and written
(`file`). One server has the file at a time: it is locked exclusively, so that a second one is refused at its start.

A file is read first over a connection that cannot write it, and opened for writing only when all that a start needs
was there and understood. So a file that is refused stays as it is, byte by byte: SQLite would otherwise carry the rest
of its log (`-wal`) over into it when it is closed.
"""

import os
import shutil
import sqlite3
from contextlib import closing, suppress
from pathlib import Path
from typing import NamedTuple

from lastcard.store.file import StoreFile
from lastcard.store.schema import VERSION, StoreError, migrate, version_of
from lastcard.table.journal import Remembered

FILE = "lastcard.sqlite3"

DURABILITY = {"full": "FULL", "normal": "NORMAL"}
"""What `PRAGMA synchronous` is set to. In WAL mode FULL syncs at every commit, so that it survives a loss of power;
NORMAL syncs only when the log is carried over, so that a loss of power may undo the last commits, in order, while the
death of the process undoes none. Source: sqlite.org/pragma.html#pragma_synchronous."""

UNREADABLE = (sqlite3.Error, ValueError, TypeError, LookupError)
"""What reading raises when a file is not as a server of this version writes it."""

_MAGIC = b"SQLite format 3\0"
_HEADER_BYTES = 100
_LOG_PAGES = 4_000
"""Pages in the log (16 MB) after which a commit carries it over."""


class Opened(NamedTuple):
    """An open store: its connection and content, and what is to be said about how it was opened."""

    connection: sqlite3.Connection
    file: StoreFile
    remembered: Remembered
    notes: tuple[str, ...]


def open_store(directory: Path, durability: str = "full") -> Opened:
    """Opens the store in a directory, which is made if it is missing; the connection may be used by any one thread.

    Raises:
        StoreError: directory or file cannot be used; the file is as it was.
    """
    path = directory / FILE
    try:
        directory.mkdir(parents=True, exist_ok=True)
        found = _look_at(path)
    except OSError as error:
        raise StoreError(
            f"the store {path} cannot be opened: {_why(error)}; give a directory that can be written"
        ) from error
    try:
        log = _size(log_of(path)) > 0
        seen = None if found is None else _read(path, log)
        if found is None:
            with suppress(OSError):  # SQLite cannot either, and says why
                make_private(path)
        connection = sqlite3.connect(path, timeout=0, isolation_level=None, check_same_thread=False)
    except UNREADABLE as error:
        raise StoreError(sentence(path, error)) from error
    try:
        return _take(connection, path, durability, log, seen)
    except UNREADABLE as error:
        connection.close()
        raise StoreError(sentence(path, error)) from error
    except BaseException:
        connection.close()
        raise


def _why(error: OSError) -> str:
    if isinstance(error, FileExistsError | NotADirectoryError):
        return f"{error.filename} is not a directory"
    return f"{error.strerror}: {error.filename}"


def make_private(path: Path, like: Path | None = None) -> None:
    """Makes an empty file that its user alone may read, or those who may read `like`.

    A store tells the cards of games that are on. SQLite gives the log beside a file the same mode.

    Raises:
        OSError: it cannot be made.
    """
    os.close(os.open(path, os.O_WRONLY | os.O_CREAT, 0o600))
    if like is not None:
        shutil.copymode(like, path)


def close_store(connection: sqlite3.Connection) -> None:
    """Closes a store, in good order as far as its disk allows it."""
    closed = "UPDATE state SET closed = 1"
    try:
        connection.execute(closed)
    except sqlite3.Error:
        # When the log cannot grow, it is carried over and begun anew, which takes no room. When that is refused too,
        # SQLite keeps the log, and the next start reads it as after a crash.
        with suppress(sqlite3.Error):
            connection.execute("PRAGMA wal_checkpoint(RESTART)")
            connection.execute(closed)
    connection.close()


class _Seen(NamedTuple):
    """What was read of a file before it was opened for writing, and how often it had been opened then."""

    remembered: Remembered
    starts: int


def _look_at(path: Path) -> int | None:
    """The version of a file, from its first bytes; `None` when there is none yet.

    Raises:
        OSError: it cannot be read.
        StoreError: it is no file of ours, of a newer version, or its log is there without it.
    """
    if path.is_dir():
        raise StoreError(f"the store {path} is a directory, not a file; move it away, or give another directory")
    log = log_of(path)
    if not path.exists() or path.stat().st_size == 0:
        if _size(log):
            raise StoreError(
                f"the store {path} is gone, but its log {log} is there; put the file back beside it, or move the log "
                "away to begin with an empty store"
            )
        return None
    with path.open("rb") as file:
        header = file.read(_HEADER_BYTES)
    if len(header) < _HEADER_BYTES or not header.startswith(_MAGIC):
        raise StoreError(f"the file {path} is damaged or no store; move it away, or give another directory")
    version = int.from_bytes(header[60:64], "big")
    if version > VERSION:
        raise too_new(path, version)
    return version


def _read(path: Path, log: bool) -> _Seen | None:
    """All that a start needs, over a connection that cannot write the file; `None` when it is to be read later."""
    try:
        return _read_only(path, log)
    except sqlite3.Error as error:
        # The disk is full, or a file system without shared memory: then it is read by whoever has it for itself.
        if getattr(error, "sqlite_errorname", "").startswith("SQLITE_IOERR_SHM"):
            return None
        raise


def _read_only(path: Path, log: bool) -> _Seen | None:
    with closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True, timeout=0)) as connection:
        if version_of(connection) > VERSION:
            raise too_new(path, version_of(connection))
        if version_of(connection) < VERSION:
            _check_old(connection, path)
            return None
        starts = _starts(connection, path, log)
        return _Seen(StoreFile(connection).remembered(), starts)


def _starts(connection: sqlite3.Connection, path: Path, log: bool) -> int:
    """How often a file was opened; a log that must be there was looked for before (`log`)."""
    starts, closed = connection.execute("SELECT starts, closed FROM state").fetchone()
    if not closed and not log:
        raise log_missing(path)
    return int(starts)


def _check_old(connection: sqlite3.Connection, path: Path) -> None:
    """Looks at all of a file that is to be rewritten."""
    if version_of(connection) == 0 and connection.execute("SELECT count(*) FROM sqlite_master").fetchone() != (0,):
        raise StoreError(f"the file {path} is another program's; move it away, or give another directory")
    (found,) = connection.execute("PRAGMA quick_check(1)").fetchone()
    if found != "ok":
        raise ValueError(found)


def _take(connection: sqlite3.Connection, path: Path, durability: str, log: bool, seen: _Seen | None) -> Opened:
    """Locks a file for this process, and brings it to this version."""
    execute = connection.execute
    execute("PRAGMA locking_mode = EXCLUSIVE")
    execute("BEGIN IMMEDIATE")  # takes the lock before anything is written
    execute("ROLLBACK")
    (mode,) = execute("PRAGMA journal_mode = WAL").fetchone()
    if mode != "wal":
        raise StoreError(
            f"the store {path} is on a file system without what SQLite's WAL needs; give another directory"
        )
    execute(f"PRAGMA synchronous = {DURABILITY[durability]}")
    execute(f"PRAGMA fullfsync = {int(durability == 'full')}")  # without it, macOS leaves the data in the disk's cache
    execute(f"PRAGMA wal_autocheckpoint = {_LOG_PAGES}")
    notes = _bring_up_to_date(connection, path)
    file = StoreFile(connection, 0 if seen is None else sum(len(table.commands) for table in seen.remembered.tables))
    starts = _starts(connection, path, log)
    if seen is not None and starts != seen.starts:
        raise StoreError(f"the store {path} was used by another server just now; stop that one, or try again")
    remembered = file.remembered() if seen is None else seen.remembered
    execute("UPDATE state SET starts = starts + 1, closed = 0")
    # That it is open must be in the file itself, so that a log that is missing later is missed.
    (busy, _, _) = execute("PRAGMA wal_checkpoint(FULL)").fetchone()
    assert not busy, "nobody else can read a file that is locked exclusively"
    return Opened(connection, file, remembered, notes)


def _bring_up_to_date(connection: sqlite3.Connection, path: Path) -> tuple[str, ...]:
    found = version_of(connection)
    if found == 0:
        migrate(connection)
        return ()
    if found >= VERSION:
        if found > VERSION:
            raise too_new(path, found)
        return ()
    copy = _copy(connection, path, found)
    (left,) = connection.execute("SELECT count(*) FROM tables WHERE closed_ms IS NULL").fetchone()
    migrate(connection)
    text = f"the store {path} was of version {found} and is of version {VERSION} now; as it was, it is kept as {copy}"
    if left and found == 1:
        return (text, f"{left} tables that were open in it are not taken up again, since version 1 did not provide it")
    return (text,)


def _copy(connection: sqlite3.Connection, path: Path, version: int) -> Path:
    """Keeps a file as it is under another name beside it."""
    copy = path.with_name(f"{path.name}.version-{version}")
    number = 1
    while copy.exists():
        number += 1
        copy = path.with_name(f"{path.name}.version-{version}-{number}")
    unfinished = path.with_name(f"{path.name}.copying")
    try:
        unfinished.unlink(missing_ok=True)
        with suppress(OSError):
            make_private(unfinished, path)
        with closing(sqlite3.connect(unfinished)) as target:
            connection.backup(target)
        unfinished.replace(copy)
    except BaseException:
        unfinished.unlink(missing_ok=True)
        raise
    return copy


def sentence(path: Path, error: Exception) -> str:
    """What is wrong with a store, and what to do."""
    kind = getattr(error, "sqlite_errorname", "")
    if kind.startswith(("SQLITE_BUSY", "SQLITE_LOCKED")):
        return f"the store {path} is in use by another server; stop that one, or give another directory"
    if kind.startswith(("SQLITE_READONLY", "SQLITE_CANTOPEN", "SQLITE_PERM")):
        return f"the store {path} cannot be written ({error}); give a directory that can be"
    if kind.startswith("SQLITE_FULL"):
        return f"the store {path} cannot be written: its disk is full; make room and start again; nothing told is lost"
    if kind.startswith("SQLITE_IOERR") or isinstance(error, OSError):
        return (
            f"the store {path} cannot be read or written: its disk refuses ({error}{kind and ', '}{kind}); make "
            "room, or see to the disk, and start again; nothing told is lost"
        )
    return (
        f"the store {path} is damaged or no store ({error}) and was left as it is; bring it back from a copy, or give "
        "another directory"
    )


def log_missing(path: Path) -> StoreError:
    """That a store lacks what happened last."""
    return StoreError(
        f"the store {path} was not closed in good order, and its log {log_of(path).name} with what happened last "
        "is missing; put it back beside the file, or give another directory"
    )


def too_new(path: Path, version: int) -> StoreError:
    """That a later server wrote a store."""
    return StoreError(
        f"the store {path} is of version {version}, newer than version {VERSION} of this server; upgrade lastcard or "
        "give another directory"
    )


def log_of(path: Path) -> Path:
    """Where a store has its log."""
    return path.with_name(f"{path.name}-wal")


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except FileNotFoundError:
        return 0
