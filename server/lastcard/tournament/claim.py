"""A results directory belongs to one process at a time.

Here: claiming it. Not here: what is in it (`results`). May import the standard library only.
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

try:
    import fcntl
except ImportError:  # a system without it
    fcntl = None  # type: ignore[assignment]


class InUseError(Exception):
    """Another process works with the directory; the text says so and what to do."""


@contextmanager
def claimed(
    directory: Path, remedy: str = "wait for its end or stop it, or name another directory with --out"
) -> Iterator[None]:
    """Have a directory to oneself, as long as this process lives at most; one that does not exist is not claimed.

    `remedy` says what to do when another process has it.

    It is claimed before anything in it is changed: another director may be in the middle of a line of the ledger. The
    system gives the lock up with the process, however that ends.

    Raises:
        InUseError: another process has it.
    """
    if not directory.is_dir():
        yield
        return
    descriptor = os.open(directory, os.O_RDONLY)
    try:
        if not _lock(descriptor):
            raise InUseError(
                f"the results directory {str(directory)!r} is in use by another process, which plays its event; "
                f"{remedy}"
            )
        yield
    finally:
        os.close(descriptor)


def _lock(descriptor: int) -> bool:
    """Lock a directory; false when another process has. Where there are no such locks, the store has one of its own."""
    if fcntl is not None:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            return not isinstance(error, BlockingIOError)
    return True
