"""Files that bear the end of power at any moment: what was there stays, or what is new is there whole.

Here: the few ways in which files of a results directory are changed. Not here: which files there are (`results`), what
a line is (`ledger`). May import the standard library only. All goes through functions of `os`, one by one, so that
tests can let the power fail between any two of them.
"""

import os
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from pathlib import Path

SYNCS = 16
"""So many files are waited for together: the disk then takes hardly longer than for one."""

_syncing = ThreadPoolExecutor(SYNCS, thread_name_prefix="sync")


def temporary_name(name: str) -> str:
    """The name under which a file is written before it takes the place of the one that is called `name`."""
    return f".{name}.new"


def replace(path: Path, data: bytes) -> None:
    """Replace a file's content, whole or not at all, or make the file; when this returns, it is on disk."""
    put(path, data)
    sync(path.parent)


def put(path: Path, data: bytes) -> None:
    """As `replace`, but for the name, which is on disk after the next `sync` of its directory."""
    temporary = path.with_name(temporary_name(path.name))
    descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o666)
    _fill(descriptor, data)
    temporary.replace(path)


def put_all(files: Sequence[tuple[Path, bytes]]) -> None:
    """As `put` for several files, for all of which the disk is waited for together."""
    temporary = [path.with_name(temporary_name(path.name)) for path, _ in files]
    descriptors: list[int] = []
    try:
        for place, (_, data) in zip(temporary, files, strict=True):
            descriptors.append(os.open(place, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o666))
            _write(descriptors[-1], data)
        _sync_all(descriptors)
    finally:
        for descriptor in descriptors:
            os.close(descriptor)
    for place, (path, _) in zip(temporary, files, strict=True):
        place.replace(path)


def write_secret(path: Path, data: bytes) -> None:
    """Make a file that only its owner may read; when this returns, it is on disk.

    Raises:
        FileExistsError: there is one already.
    """
    _fill(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), data)
    sync(path.parent)


def append(path: Path, data: bytes) -> None:
    """Append to a file that exists; what could not be written whole is taken back.

    Raises:
        OSError: it could not be written; nothing of it stays in the file.
    """
    descriptor = os.open(path, os.O_WRONLY | os.O_APPEND)
    try:
        size = os.lseek(descriptor, 0, os.SEEK_END)
        try:
            _write(descriptor, data)
            os.fsync(descriptor)
        except OSError:
            os.ftruncate(descriptor, size)
            raise
    finally:
        os.close(descriptor)


def rewrite_end(path: Path, size: int, data: bytes) -> None:
    """Keep the first `size` bytes of a file and let `data` follow them; when this returns, it is on disk."""
    descriptor = os.open(path, os.O_WRONLY)
    try:
        os.lseek(descriptor, size, os.SEEK_SET)
        _write(descriptor, data)
        os.ftruncate(descriptor, size + len(data))
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def rewrite_ends(ends: Sequence[tuple[Path, int, bytes]]) -> None:
    """As `rewrite_end` for several files, for all of which the disk is waited for together."""
    descriptors: list[int] = []
    try:
        for path, size, data in ends:
            descriptors.append(os.open(path, os.O_WRONLY))
            os.lseek(descriptors[-1], size, os.SEEK_SET)
            _write(descriptors[-1], data)
            os.ftruncate(descriptors[-1], size + len(data))
        _sync_all(descriptors)
    finally:
        for descriptor in descriptors:
            os.close(descriptor)


def cut_torn_line(path: Path) -> int:
    """Cut off a last line without its end, which was being written when the machine stopped; how many bytes it had."""
    data = path.read_bytes()
    torn = len(data) - (data.rfind(b"\n") + 1)
    if torn:
        rewrite_end(path, len(data) - torn, b"")
    return torn


def make_directory(path: Path) -> None:
    """Make a directory, unless it is there."""
    path.mkdir(exist_ok=True)
    sync(path.parent)


def remove(path: Path) -> None:
    """Remove a file, if it is there."""
    path.unlink(missing_ok=True)


def sync(directory: Path) -> None:
    """Make the names in a directory durable."""
    descriptor = os.open(directory, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _fill(descriptor: int, data: bytes) -> None:
    try:
        _write(descriptor, data)
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _sync_all(descriptors: Sequence[int]) -> None:
    syncs = [_syncing.submit(os.fsync, descriptor) for descriptor in descriptors]
    wait(syncs)  # all of them, since whoever calls closes the files even when one cannot be written
    for each in syncs:
        each.result()


def _write(descriptor: int, data: bytes) -> None:
    left = memoryview(data)
    while left:
        left = left[os.write(descriptor, left) :]
