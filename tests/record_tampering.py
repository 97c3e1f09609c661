"""Ways to tamper with a record, each with the number of the line that is then wrong first."""

import json
import random
from collections.abc import Iterator
from hashlib import sha256
from typing import Any, NamedTuple

from lastcard.rules.record_json import CARD_NAMES, COLOR_NAMES


class Tampered(NamedTuple):
    """The bytes of a record that was tampered with, and the first line that is wrong."""

    data: bytes
    line: int


def split(record: bytes) -> list[bytes]:
    """The lines of a record, without line feeds."""
    return record.split(b"\n")[:-1]


def joined(lines: list[bytes]) -> bytes:
    """A record of these lines as they are."""
    return b"".join(line + b"\n" for line in lines)


def chained_again(lines: list[bytes]) -> bytes:
    """A record of these lines with every hash computed anew, as a forger would."""
    done: list[bytes] = []
    for line in lines:
        head, mark, _ = line.rpartition(b',"previous":"')
        done.append(head + mark + sha256(done[-1]).hexdigest().encode() + b'"}' if mark and done else line)
    return joined(done)


def flip_bit(record: bytes, lot: random.Random) -> Tampered:
    """One bit of one byte is other than it was; the line feed belongs to its line."""
    at = lot.randrange(len(record))
    changed = bytearray(record)
    changed[at] ^= 1 << lot.randrange(8)
    return Tampered(bytes(changed), record[:at].count(b"\n") + 1)


def remove_line(record: bytes, lot: random.Random) -> Tampered:
    """A line is missing; not the last, without which a record is one that is not revealed or not closed yet."""
    lines = split(record)
    at = lot.randrange(len(lines) - 1)
    return Tampered(joined(lines[:at] + lines[at + 1 :]), at + 1)


def swap_lines(record: bytes, lot: random.Random) -> Tampered:
    """Two lines have changed places."""
    lines = split(record)
    first, second = sorted(lot.sample(range(len(lines)), 2))
    lines[first], lines[second] = lines[second], lines[first]
    return Tampered(joined(lines), first + 1)


def double_line(record: bytes, lot: random.Random) -> Tampered:
    """A line stands there twice."""
    lines = split(record)
    at = lot.randrange(len(lines))
    return Tampered(joined([*lines[: at + 1], *lines[at:]]), at + 2)


def append_something(record: bytes, lot: random.Random) -> Tampered:
    """Something stands behind the end."""
    lines = split(record)
    more = lot.choice((b"\n", b"x", b"{}\n", b" \n", lot.choice(lines) + b"\n"))
    return Tampered(record + more, len(lines) + 1)


def insert_event(record: bytes, lot: random.Random) -> Tampered:
    """An event stands there twice, and all events are numbered and chained anew."""
    lines = split(record)
    events = [at for at, line in enumerate(lines) if line.startswith(b'{"event"')]
    at = lot.choice(events)
    lines.insert(at + 1, lines[at])
    numbered = [_with_number(line, number) for number, line in enumerate(lines)]
    return Tampered(chained_again(numbered), at + 2)


def _with_number(line: bytes, number: int) -> bytes:
    value = json.loads(line)
    if "event" in value:
        value["event"]["sequence"] = number
    elif "closing" in value:
        value["closing"]["events"] = number - 1
    return dumped(value)


def dumped(value: object) -> bytes:
    """A JSON value as a record has it."""
    return json.dumps(value, separators=(",", ":")).encode()


Path = tuple[str | int, ...]


def leaves(value: object, path: Path = ()) -> Iterator[tuple[Path, Any]]:
    """Every single value in a JSON value, with the way to it."""
    if isinstance(value, dict):
        for name, one in value.items():
            yield from leaves(one, (*path, name))
    elif isinstance(value, list):
        for index, one in enumerate(value):
            yield from leaves(one, (*path, index))
    else:
        yield path, value


def with_leaf(value: Any, path: Path, leaf: object) -> Any:
    """A copy of a JSON value with another single value at `path`."""
    copy = json.loads(json.dumps(value))
    place = copy
    for step in path[:-1]:
        place = place[step]
    place[path[-1]] = leaf
    return copy


def another(value: Any, lot: random.Random) -> Any:
    """Another value of the same kind."""
    if isinstance(value, bool):
        return not value
    if isinstance(value, int):
        return -value if value == -1 else value + 1
    if value in CARD_NAMES.values():
        return lot.choice([name for name in CARD_NAMES.values() if name != value])
    if value in COLOR_NAMES.values():
        return lot.choice([name for name in COLOR_NAMES.values() if name != value])
    for names in _CAUSES:
        if value in names:
            return lot.choice([name for name in names if name != value])
    if len(value) in (44, 64):  # a hash in base64 or hexadecimal
        return ("A" if value[0] == "B" else "B") + value[1:] if len(value) == 44 else value[::-1]
    return value + "x"


_CAUSES = (
    ("DRAW_CAUSE_TURN", "DRAW_CAUSE_PENALTY", "DRAW_CAUSE_TIMEOUT", "DRAW_CAUSE_CAUGHT", "DRAW_CAUSE_CHALLENGE"),
    ("LEAVE_CAUSE_LEFT", "LEAVE_CAUSE_TIMEOUTS", "LEAVE_CAUSE_REMOVED", "LEAVE_CAUSE_START_UP"),
    ("ROUND_CAUSE_OUT", "ROUND_CAUSE_BLOCKED", "ROUND_CAUSE_LEFT"),
    ("MATCH_CAUSE_TARGET", "MATCH_CAUSE_ROUNDS", "MATCH_CAUSE_TIME", "MATCH_CAUSE_SINGLE_ROUND"),
)
