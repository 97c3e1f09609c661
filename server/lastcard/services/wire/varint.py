"""The few primitives of protobuf's encoding that the hot messages need.

Here: whole numbers, packed numbers, text and nested messages as bytes. Not here: any message. Imports nothing of ours.
A *tag* is given as bytes, computed once where a message is described (`tag`).

Source: the protobuf encoding specification (varints little-endian by 7 bits, zigzag for sint32, wire type 2 with a
length in front).
"""

from collections.abc import Callable, Iterable, Sequence
from typing import TypeVar

VARINT, LENGTH = 0, 2


def encode(number: int) -> bytes:
    """A whole number, not negative, as a varint."""
    out = bytearray()
    while number > 127:
        out.append(number & 127 | 128)
        number >>= 7
    out.append(number)
    return bytes(out)


SMALL: tuple[bytes, ...] = tuple(encode(number) for number in range(4096))
"""The varints of the numbers that occur most."""


def varint(number: int) -> bytes:
    """A whole number, not negative, as a varint, from the table where it can be."""
    return SMALL[number] if number < 4096 else encode(number)


def tag(field: int, wire_type: int = LENGTH) -> bytes:
    """The tag of a field."""
    return encode(field << 3 | wire_type)


def nested(field_tag: bytes, body: bytes) -> bytes:
    """A nested message, text or bytes under its tag, present even when it is empty."""
    return field_tag + varint(len(body)) + body


def number(field_tag: bytes, value: int) -> bytes:
    """A number under its tag; nothing for 0, which is how proto3 writes its default."""
    return field_tag + varint(value) if value else b""


def text(field_tag: bytes, value: str) -> bytes:
    """Text under its tag; nothing for the empty one."""
    return nested(field_tag, value.encode()) if value else b""


def packed(field_tag: bytes, values: Sequence[int]) -> bytes:
    """Repeated numbers in one field; nothing for none."""
    if not values:
        return b""
    if type(values) is bytes:
        return field_tag + varint(len(values)) + values if max(values) < 128 else packed(field_tag, list(values))
    body = bytes(values) if max(values) < 128 else b"".join(map(varint, values))
    return field_tag + varint(len(body)) + body


def joined(field_tag: bytes, bodies: Iterable[bytes]) -> bytes:
    """Repeated nested messages."""
    return b"".join([field_tag + varint(len(body)) + body for body in bodies])


def zigzag(value: int) -> int:
    """A signed number as sint32 numbers it."""
    return value << 1 if value >= 0 else (-value << 1) - 1


_SECONDS = tag(1, VARINT)
_NANOS = tag(2, VARINT)


def span(milliseconds: int) -> bytes:
    """The body of a Duration or Timestamp, not negative."""
    seconds, rest = divmod(milliseconds, 1000)
    return number(_SECONDS, seconds) + number(_NANOS, rest * 1_000_000)


KEPT = 20_000
"""Entries that a table of written fields keeps; it starts anew when it is full, so its size is bounded."""


Key = TypeVar("Key")


class Written(dict[Key, bytes]):
    """Fields already written, by value: reading one that is there costs a look-up and no call.

    With `keeps` false none is there: for values that hardly ever come again.
    """

    __slots__ = ("_keeps", "_write")

    def __init__(self, write: Callable[[Key], bytes], *, keeps: bool = True) -> None:
        super().__init__()
        self._write = write
        self._keeps = keeps

    def __missing__(self, value: Key) -> bytes:
        """Writes the field and keeps it."""
        if not self._keeps:
            return self._write(value)
        if len(self) >= KEPT:
            self.clear()
        field = self[value] = self._write(value)
        return field


def numbers(field: int) -> Written[int]:
    """A number's field; empty for 0, as proto3 writes its default."""
    field_tag = tag(field, VARINT)
    return Written(lambda value: number(field_tag, value))


def optional_numbers(field: int) -> Written[int | None]:
    """An optional number's field: 0 is written, `None` is not."""
    field_tag = tag(field, VARINT)
    return Written(lambda value: b"" if value is None else field_tag + varint(value))


def spans(field: int) -> Written[int | None]:
    """A Duration's or Timestamp's field, in milliseconds; empty for `None` alone."""
    field_tag = tag(field)
    return Written(lambda value: b"" if value is None else nested(field_tag, span(value)))


def heads(field: int) -> tuple[bytes, ...]:
    """Tag and length of a packed field, by its length in bytes below 512; empty for length 0."""
    field_tag = tag(field)
    return (b"", *[field_tag + varint(length) for length in range(1, 512)])


class ItemHeads:
    """Everything before the body of an item: a message of a repeated field 1 that holds one message under `field`.

    The heads of short bodies are made once; `of` gives any.
    """

    def __init__(self, field: int) -> None:
        self._tag = tag(field)
        self.short: tuple[bytes, ...] = tuple(self._make(length) for length in range(2048))
        """Heads by the body's length."""

    def _make(self, length: int) -> bytes:
        inner = self._tag + varint(length)
        return b"\x0a" + varint(len(inner) + length) + inner

    def item(self, body: bytes) -> bytes:
        """The item of a body."""
        length = len(body)
        return (self.short[length] if length < 2048 else self._make(length)) + body


def counts(heads_of_field: tuple[bytes, ...], values: Sequence[int]) -> bytes:
    """A packed field of numbers that are nearly always below 128."""
    try:
        body = bytes(values)
    except ValueError:
        body = b"\xff"
    if not body.isascii():
        body = b"".join(map(varint, values))
    return heads_of_field[len(body)] + body
