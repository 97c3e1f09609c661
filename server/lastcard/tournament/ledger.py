"""The list of results: one row a game, appended to a file and on disk before it counts.

Here: rows, their JSON, reading and appending. Not here: what is computed from them (`statistics`). May import the
standard library and `durable`.

`ledger.jsonl` holds one JSON object a line. A line that was being written when the machine stopped has no line end: it
never counted, and is cut off. Any other line that cannot be read is an error, never skipped.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple, Self

from lastcard.tournament import durable

NAME = "ledger.jsonl"
"""The ledger's name in a results directory."""


class LedgerError(ValueError):
    """A ledger cannot be read or written; the text names file and line and says what is wrong."""


class RowError(ValueError):
    """A line is JSON but no row; the text says what is missing or wrong."""


class SeatFault(NamedTuple):
    """A fault of the bot at a seat; `sequence` is the last event before it, `evidence` one sentence."""

    seat: int
    bot: str
    kind: str
    sequence: int
    evidence: str


@dataclass(frozen=True, slots=True)
class Row:
    """One game. Tuples are by seat; `record` is a path relative to the results directory, `record_hash` 64 hex digits.

    All but `times` follow from the tournament's seed and the bots' moves; what depends on the clock stands in `times`.
    """

    game: int
    set: int
    deal: int
    rotation: int
    seats: tuple[str, ...]
    points: tuple[int, ...]
    places: tuple[int, ...]
    cause: str
    faults: tuple[SeatFault, ...]
    record: str
    record_hash: str
    times: Mapping[str, Any] = field(default_factory=dict)

    def to_json(self) -> str:
        """The row as one line of JSON, without its line end."""
        fields: dict[str, object] = {name: getattr(self, name) for name in self.__slots__}
        fields["faults"] = [fault._asdict() for fault in self.faults]
        fields["times"] = dict(self.times)
        return json.dumps(fields, ensure_ascii=False, separators=(", ", ": "))

    @classmethod
    def from_json(cls, text: str) -> Self:
        """The row of a line; fields that a newer version added are left out.

        Raises:
            RowError: a sentence on what is missing or wrong.
            ValueError: the text is no JSON.
        """
        data = json.loads(text)
        if not isinstance(data, dict):
            raise RowError("a row is a JSON object")
        missing = [name for name in cls.__slots__ if name not in data]
        if missing:
            raise RowError(f"the row has no {', '.join(missing)}")
        values = {name: _READERS[name](name, data[name]) for name in cls.__slots__}
        row = cls(**values)
        if not len(row.seats) == len(row.points) == len(row.places):
            raise RowError("seats, points and places must be equally many")
        return row


class Ledger:
    """A ledger that is open for appending; one process at a time."""

    def __init__(self, path: Path, rows: Sequence[Row]) -> None:
        self.path = path
        self._rows = list(rows)
        self._games = {row.game: row for row in rows}

    @property
    def rows(self) -> Sequence[Row]:
        """All rows, in the order in which they were appended."""
        return self._rows

    def __contains__(self, game: int) -> bool:
        """Whether a game with this number has its row."""
        return game in self._games

    def row(self, game: int) -> Row:
        """The row of a game that has one."""
        return self._games[game]

    def append(self, row: Row) -> None:
        """Append a row; when this returns, it is on disk.

        Raises:
            LedgerError: the game has its row already.
            OSError: it could not be written; nothing of it stays in the file.
        """
        if row.game in self._games:
            raise LedgerError(f"{self.path}: game {row.game} has its row already")
        durable.append(self.path, f"{row.to_json()}\n".encode())
        self._rows.append(row)
        self._games[row.game] = row


def open_ledger(path: Path) -> tuple[Ledger, int]:
    """The ledger at `path`, made if there is none, and how many bytes of a torn last line were cut off.

    Raises:
        LedgerError: a line cannot be read.
    """
    if not path.exists():
        path.touch()
        durable.sync(path.parent)
    rows, torn = read_rows(path)
    if torn:
        durable.cut_torn_line(path)
    return Ledger(path, rows), torn


def read_rows(path: Path) -> tuple[list[Row], int]:
    """All rows of a ledger, and how many bytes of a torn last line were left out.

    Raises:
        LedgerError: a line cannot be read, or a game has two rows.
    """
    data = path.read_bytes()
    whole = data.rfind(b"\n") + 1
    rows: list[Row] = []
    seen: dict[int, int] = {}
    for number, line in enumerate(data[:whole].splitlines(), start=1):
        try:
            row = Row.from_json(line.decode())
        except ValueError as error:
            raise LedgerError(f"{path}:{number}: not a row of a ledger: {error}") from error
        if row.game in seen:
            raise LedgerError(f"{path}:{number}: game {row.game} has its row already, in line {seen[row.game]}")
        seen[row.game] = number
        rows.append(row)
    return rows, len(data) - whole


def _number(name: str, value: object) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or value < 0:
        raise RowError(f"{name} is a whole number from 0, not {value!r}")
    return value


def _text(name: str, value: object) -> str:
    if not isinstance(value, str):
        raise RowError(f"{name} is a text, not {value!r}")
    return value


def _list(name: str, value: object) -> list[Any]:
    if not isinstance(value, list):
        raise RowError(f"{name} is a list, not {value!r}")
    return value


def _numbers(name: str, value: object) -> tuple[int, ...]:
    return tuple(_number(name, each) for each in _list(name, value))


def _texts(name: str, value: object) -> tuple[str, ...]:
    return tuple(_text(name, each) for each in _list(name, value))


def _object(name: str, value: object) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise RowError(f"{name} is an object, not {value!r}")
    return value


def _faults(name: str, value: object) -> tuple[SeatFault, ...]:
    return tuple(_fault(f"{name}[{place}]", each) for place, each in enumerate(_list(name, value)))


def _fault(name: str, value: object) -> SeatFault:
    data = _object(name, value)
    missing = [each for each in SeatFault._fields if each not in data]
    if missing:
        raise RowError(f"{name} has no {', '.join(missing)}")
    return SeatFault(
        seat=_number(f"{name}.seat", data["seat"]),
        bot=_text(f"{name}.bot", data["bot"]),
        kind=_text(f"{name}.kind", data["kind"]),
        sequence=_number(f"{name}.sequence", data["sequence"]),
        evidence=_text(f"{name}.evidence", data["evidence"]),
    )


_READERS: Mapping[str, Callable[[str, object], Any]] = {
    "game": _number,
    "set": _number,
    "deal": _number,
    "rotation": _number,
    "seats": _texts,
    "points": _numbers,
    "places": _numbers,
    "cause": _text,
    "faults": _faults,
    "record": _text,
    "record_hash": _text,
    "times": _object,
}
assert tuple(_READERS) == Row.__slots__
