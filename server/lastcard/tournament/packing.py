"""Compressed records: how they are written, and read whether they are compressed or not.

Here: `packed`, `unpacked`, `first_part`. Not here: which records are compressed (`results`). May import the standard
library only.

A compressed record is a file of gzip whose first member is the record as the table closed it. What is revealed when its
set is complete is a member of its own behind it, since such a file may be put together of several (RFC 1952, 2.2): so a
reveal is appended as to a plain record.
"""

import gzip
import zlib

COMPRESSED = ".gz"
"""How the name of a compressed file ends."""

_MAGIC = b"\x1f\x8b"
_MEMBER = 16 + zlib.MAX_WBITS


def packed(data: bytes) -> bytes:
    """Data as a member of a compressed file; the same data always gives the same bytes."""
    return gzip.compress(data, compresslevel=6, mtime=0)


def unpacked(data: bytes) -> bytes:
    """What a file holds, compressed or not.

    Raises:
        ValueError: it is compressed and damaged.
    """
    if not data.startswith(_MAGIC):
        return data
    try:
        return gzip.decompress(data)
    except (EOFError, OSError, zlib.error) as error:
        raise ValueError(f"it is damaged: {error}") from error


def first_part(data: bytes) -> tuple[bytes, int]:
    """What the first member of a compressed file holds, and how many bytes of the file that takes; all of a plain one.

    What lies behind it is not looked at: it may have been being written when the machine stopped.

    Raises:
        ValueError: the first member is damaged.
    """
    if not data.startswith(_MAGIC):
        return data, len(data)
    reader = zlib.decompressobj(_MEMBER)
    try:
        held = reader.decompress(data)
    except zlib.error as error:
        raise ValueError(f"it is damaged: {error}") from error
    if not reader.eof:
        raise ValueError("it is damaged: its end is missing")
    return held, len(data) - len(reader.unused_data)
