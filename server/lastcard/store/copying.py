"""Copies a store while its server runs, without asking or holding up the server.

Here: `copy_store`. Not here: what is in a store (`file`), opening one for a server (`opening`), what else lies in a
data directory (`cli.store_backup`).

A running server has its file locked, so SQLite's own backup cannot read it from another process; but its bytes can be
read. File and log make a whole of the last commit when the file is read first and the log has not begun anew meanwhile:
every page that was carried over from the log into the file since is then in the log that is read behind it. That the
log has begun anew is seen by the two random numbers in its header. Source: sqlite.org/fileformat2.html, section 4.
"""

import os
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

from lastcard.store.opening import FILE, UNREADABLE, log_missing, log_of, make_private, sentence, too_new
from lastcard.store.schema import VERSION, StoreError, version_of

ATTEMPTS = 20
"""How often a copy is begun before the store is said to change too fast."""

_LOG_HEADER_BYTES = 32


def copy_store(directory: Path, target: Path) -> Path:
    """Copy the store in a directory to the file `target`, as it was at a moment between begin and return.

    The copy is a store that was closed in good order: one file, without a log, synced to disk.

    Raises:
        StoreError: there is no store, it cannot be read, it is damaged, or it changes too fast to be copied.
        OSError: the copy cannot be written.
    """
    path = directory / FILE
    if not path.is_file():
        raise StoreError(f"there is no store in {directory}: it has no file {FILE}; give a server's --data directory")
    unfinished = target.with_name(f"{target.name}.copying")
    try:
        with_log = _copy_bytes(path, unfinished)
        try:
            _close(unfinished, path, with_log)
        except UNREADABLE as error:
            raise StoreError(sentence(path, error)) from error
        with unfinished.open("rb") as file:
            os.fsync(file.fileno())
        unfinished.replace(target)
    finally:
        for rest in (unfinished, log_of(unfinished), unfinished.with_name(f"{unfinished.name}-shm")):
            rest.unlink(missing_ok=True)
    return target


def _copy_bytes(path: Path, copy: Path) -> bool:
    """Copy file and log; whether there is a log."""
    for _ in range(ATTEMPTS):
        before = _state(path)
        make_private(copy, path)
        shutil.copyfile(path, copy)
        log_of(copy).unlink(missing_ok=True)
        if before.log:
            make_private(log_of(copy), path)
            try:
                shutil.copyfile(log_of(path), log_of(copy))
            except FileNotFoundError:
                continue  # the server has just stopped
        if _state(path) == before:
            return bool(before.log)
    raise StoreError(
        f"the store {path} changed too fast to be copied in {ATTEMPTS} attempts; try again when its server has less to "
        "do, or stop it first"
    )


class _State:
    """What tells whether a log has begun anew, or a file without a log has changed."""

    def __init__(self, log: bytes, file: tuple[int, int]) -> None:
        self.log = log
        self._file = file

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, _State) or self.log != other.log:
            return False
        return bool(self.log) or self._file == other._file

    def __hash__(self) -> int:
        return hash(self.log)


def _state(path: Path) -> _State:
    try:
        with log_of(path).open("rb") as file:
            log = file.read(_LOG_HEADER_BYTES)
    except FileNotFoundError:
        log = b""
    found = path.stat()
    return _State(log, (found.st_mtime_ns, found.st_size))


def _close(copy: Path, path: Path, with_log: bool) -> None:
    """Carry the log of a copy over into it and mark it as closed in good order."""
    with closing(sqlite3.connect(copy, isolation_level=None)) as connection:
        connection.execute("PRAGMA locking_mode = EXCLUSIVE")
        version = version_of(connection)
        if version > VERSION:
            raise too_new(path, version)
        if version >= 2:  # the first that notes it
            (closed,) = connection.execute("SELECT closed FROM state").fetchone()
            if not closed and not with_log:
                raise log_missing(path)
            connection.execute("UPDATE state SET closed = 1")
        (mode,) = connection.execute("PRAGMA journal_mode = DELETE").fetchone()
        assert mode == "delete", "nobody else has the copy"
        (found,) = connection.execute("PRAGMA integrity_check(1)").fetchone()
        if found != "ok":
            raise ValueError(found)
