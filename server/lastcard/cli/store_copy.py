"""A copy of a store to read, for commands that work while its server runs.

Here: `store_copy`, `span_of`. Not here: how a store is copied (`lastcard.store.copying`).
"""

import argparse
import re
import sqlite3
import tempfile
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from lastcard.cli.errors import CommandError
from lastcard.store.copying import copy_store
from lastcard.store.file import StoreFile
from lastcard.store.opening import FILE, UNREADABLE, sentence
from lastcard.store.schema import StoreError

_UNITS = {"m": 60_000, "h": 3_600_000, "d": 86_400_000}
_SPAN = re.compile(r"(\d{1,6})([mhd])", re.ASCII)


def span_of(text: str) -> int:
    """The milliseconds of a span of time such as `30d`, `12h`, `90m`.

    Raises:
        argparse.ArgumentTypeError: it is none.
    """
    match = _SPAN.fullmatch(text)
    if match is None:
        raise argparse.ArgumentTypeError(f"{text!r} is no span of time; valid are such as '30d', '12h' and '90m'")
    return int(match[1]) * _UNITS[match[2]]


@contextmanager
def store_copy(directory: Path) -> Iterator[StoreFile]:
    """A store as it is now, copied to where the system keeps temporary files, and removed at the end.

    Raises:
        CommandError: it cannot be copied, or something in it cannot be read.
    """
    path = directory / FILE
    try:
        with tempfile.TemporaryDirectory(prefix="lastcard-") as place:
            copy = copied(directory, Path(place) / FILE)
            with closing(sqlite3.connect(copy)) as connection:
                yield StoreFile(connection)
    except UNREADABLE as error:
        raise CommandError(sentence(path, error)) from error


def copied(directory: Path, target: Path) -> Path:
    """Copy a store to a file.

    Raises:
        CommandError: it cannot be copied.
    """
    try:
        return copy_store(directory, target)
    except StoreError as error:
        raise CommandError(str(error)) from error
    except OSError as error:
        raise CommandError(
            f"the store in {directory} cannot be copied to {target.parent}: {error.strerror or error}; make room "
            "there, or name another place (TMPDIR for temporary files)"
        ) from error
