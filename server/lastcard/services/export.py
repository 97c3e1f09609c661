"""A results directory as a gzipped tar archive, made while it is sent.

Here: `exported`. Not here: who may have it (`tournament_service`). Of a tournament that is not over, the secret key and
the records of sets that are not complete stay behind.
"""

import asyncio
import io
import tarfile
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

from lastcard.rules.record_reader import receipts_name
from lastcard.tournament import ledger
from lastcard.tournament.judging import complete_sets
from lastcard.tournament.ledger import read_rows
from lastcard.tournament.results import KEY, RECORDS, STORE

CHUNK = 256 * 1024
"""Bytes of a part: small enough for every client's limit."""


class _Buffer(io.RawIOBase):
    """What has been written and was not taken yet."""

    def __init__(self) -> None:
        self.parts: list[bytes] = []
        self.size = 0

    def writable(self) -> bool:
        return True

    def write(self, data: object) -> int:
        part = bytes(data)  # type: ignore[call-overload]  # what a file is given to write
        self.parts.append(part)
        self.size += len(part)
        return len(part)

    def take(self) -> bytes:
        data, self.parts, self.size = b"".join(self.parts), [], 0
        return data


async def exported(directory: Path, name: str, *, all_orders: bool, records: bool = True) -> AsyncIterator[bytes]:
    """The parts of an archive in which everything lies in a directory `name`; with `all_orders` sets are that large.

    Without `records` those of all games are left out.

    Raises:
        LedgerError: the ledger cannot be read.
        OSError: a file cannot be read.
    """
    parts = _parts(directory, name, all_orders, records=records)
    while (part := await asyncio.to_thread(next, parts, None)) is not None:
        yield part


def _parts(directory: Path, name: str, all_orders: bool, *, records: bool) -> Iterator[bytes]:
    open_records = _open_records(directory, all_orders) if records else set()
    buffer = _Buffer()
    with tarfile.open(fileobj=buffer, mode="w|gz", format=tarfile.PAX_FORMAT) as archive:
        for path in sorted(directory.rglob("*")):
            place = path.relative_to(directory).as_posix()
            is_closed = place.startswith(f"{RECORDS}/") and place not in open_records
            if _is_told(place) and not is_closed and path.is_file():
                _add(archive, path, f"{name}/{place}")
            if buffer.size >= CHUNK:
                yield from _cut(buffer.take())
    yield from _cut(buffer.take())


def _cut(data: bytes) -> Iterator[bytes]:
    for begin in range(0, len(data), CHUNK):
        yield data[begin : begin + CHUNK]


def _open_records(directory: Path, all_orders: bool) -> set[str]:
    """The paths of the records and receipts that may be shown: those of complete sets."""
    path = directory / ledger.NAME
    rows = read_rows(path)[0] if path.exists() else []
    done = complete_sets(rows, all_orders=all_orders)
    records = {row.record for row in rows if row.set in done}
    return records | {receipts_name(record) for record in records}


def _is_told(place: str) -> bool:
    """Whether a file may leave the server: neither the key, nor the store, nor what is just being written."""
    first = place.partition("/")[0]
    return first not in (KEY, STORE) and not any(part.startswith(".") for part in place.split("/"))


def _add(archive: tarfile.TarFile, path: Path, name: str) -> None:
    """Adds a file as it is now: one that grows meanwhile is not read further."""
    data = path.read_bytes()
    info = tarfile.TarInfo(name)
    info.size = len(data)
    info.mtime = int(path.stat().st_mtime)
    info.mode = 0o644
    archive.addfile(info, io.BytesIO(data))
