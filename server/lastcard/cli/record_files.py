"""Finding and reading the files that `lastcard verify` and `lastcard show` are given.

Here: paths of records, what a ledger beside them says of them, errors of reading as sentences. Not here: what is in a
record (`lastcard.rules.record_reader`).
"""

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from lastcard.cli.errors import CommandError
from lastcard.tournament.packing import COMPRESSED, unpacked

LEDGER = "ledger.jsonl"
"""The list of a tournament's games in its results directory."""

_HEADER = b'{"header":{"format":'


def read_record_file(path: Path) -> bytes:
    """The bytes of a record.

    Raises:
        CommandError: there is no such file, it cannot be read, or no line of it is, or was, one of a record.
    """
    data = read_file(path)
    if not data:
        raise CommandError(f"{path} is empty, not a record")
    if not data.startswith(_HEADER) and b'"previous":"' not in data:
        raise CommandError(f"{path} is no record: a record begins with a header and each further line carries a hash")
    return data


def read_file(path: Path) -> bytes:
    """The bytes of a file; one that is compressed (`.gz`) is read as what it was.

    Raises:
        CommandError: there is no such file, or it cannot be read.
    """
    try:
        data = path.read_bytes()
        return unpacked(data)
    except ValueError as error:
        raise CommandError(f"{path} cannot be read: {error}") from error
    except OSError as error:
        raise CommandError(f"{path} cannot be read: {error.strerror}") from error


def records_in(directory: Path) -> list[Path]:
    """The records in a directory and below, by path.

    Raises:
        CommandError: there is none, or one, or a directory, cannot be read.
    """
    found = sorted(
        path
        for path in _files_in(directory)
        if path.name.removesuffix(COMPRESSED).endswith(".jsonl") and path.name != LEDGER and path.is_file()
    )
    records = [path for path in found if read_file(path)[: len(_HEADER)] == _HEADER or path.parent.name == "records"]
    if not records:
        raise CommandError(
            f"{directory} holds no record; records are files *.jsonl or *.jsonl.gz that begin with a header"
        )
    return records


def _files_in(directory: Path) -> Iterator[Path]:
    def refuse(error: OSError) -> None:
        raise CommandError(f"{error.filename} cannot be read: {error.strerror}") from error

    for where, _, names in os.walk(directory, onerror=refuse):
        yield from (Path(where, name) for name in names)


class Listed(NamedTuple):
    """What a ledger says of a game; what its line does not have is `None`."""

    record_hash: str
    game: Any
    deal: Any
    seats: Any
    points: Any
    places: Any
    cause: Any
    luck: Any


def ledger_games(directory: Path) -> dict[Path, Listed]:
    """What the ledger in a results directory says of each record; empty where there is no ledger.

    Raises:
        CommandError: a line of the ledger cannot be read, or names the record of another line.
    """
    ledger = directory / LEDGER
    if not ledger.is_file():
        return {}
    games: dict[Path, Listed] = {}
    for number, line in enumerate(read_file(ledger).splitlines(), 1):
        try:
            row = json.loads(line)
        except (ValueError, RecursionError) as error:
            raise CommandError(f"{ledger} line {number} is not JSON, so it says nothing about a record") from error
        if isinstance(row, dict) and isinstance(row.get("record"), str) and isinstance(row.get("record_hash"), str):
            record = directory / row["record"]
            if record in games:
                raise CommandError(
                    f"{ledger} line {number} names the record {row['record']!r}, as a line before it does"
                )
            games[record] = Listed._make(row.get(name) for name in Listed._fields)
    return games
