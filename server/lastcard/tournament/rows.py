"""The rows of a ledger: one a game, and one for each ruling of the organiser.

Here: their fields and their JSON. Not here: the file they are in (`ledger`), what they mean (`judging`), how single
values are read (`row_values`). May import the standard library and `row_values`.
"""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from types import MappingProxyType
from typing import Any, Self

from lastcard.tournament import row_values
from lastcard.tournament.row_values import RowError, SeatFault

RULING = "ruling"
"""The value of `row` in a ruling's row; a game's row has no such key."""


@dataclass(frozen=True, slots=True)
class Row:
    """One game. Tuples are by seat; `record` is a path relative to the results directory, `record_hash` 64 hex digits.

    All but `times` follow from the tournament's seed and the bots' moves; what depends on the clock stands in `times`.
    `versions` are those of the bots, empty where unknown; `luck` are figures of each seat's cards, empty where unknown;
    `replaces` is the set in whose place this game's set is played, 0 for none.
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
    versions: tuple[str, ...] = ()
    luck: tuple[tuple[float, ...], ...] = ()
    replaces: int = 0
    times: Mapping[str, Any] = field(default_factory=dict)

    def to_json(self) -> str:
        """The row as one line of JSON, without its line end."""
        fields: dict[str, object] = {name: getattr(self, name) for name in self.__slots__}
        fields["faults"] = [fault._asdict() for fault in self.faults]
        fields["times"] = dict(self.times)
        if not self.replaces:
            del fields["replaces"]
        return _line(fields)

    @classmethod
    def from_data(cls, data: Mapping[str, object]) -> Self:
        """The row of a game's line; fields that a newer version added are left out, an older one may lack some.

        Raises:
            RowError: a sentence on what is missing or wrong.
        """
        row = cls(**_read(data, _GAME, _GAME_OPTIONAL))
        if not len(row.seats) == len(row.points) == len(row.places):
            raise RowError("seats, points and places must be equally many")
        if not row.seats or len(set(row.seats)) < len(row.seats):
            raise RowError(f"seats are different bots, at least one, not {list(row.seats)!r}")
        for name, values in (("versions", row.versions), ("luck", row.luck)):
            if values and len(values) != len(row.seats):
                raise RowError(f"{name} must be as many as seats, or none")
        for fault in row.faults:
            if fault.seat >= len(row.seats):
                raise RowError(f"a fault is of seat {fault.seat}, but there are {len(row.seats)} seats, from 0")
        if row.replaces and row.replaces >= row.set:
            raise RowError(f"replaces is a set before set {row.set}, not {row.replaces}")
        return row


class RulingBy(StrEnum):
    """Who makes a ruling."""

    ORGANISER = "organiser"
    BOT = "bot"
    """The bot that it is about, which withdraws itself."""
    EVENT = "event"
    """The event itself, which withdraws a bot that was set aside."""


class RulingKind(StrEnum):
    """What an organiser can rule."""

    ANNUL = "annul"
    DISQUALIFY = "disqualify"
    WITHDRAW = "withdraw"
    ENTER = "enter"
    TAKE_BACK = "take_back"


@dataclass(frozen=True, slots=True)
class RulingRow:
    """A ruling, numbered from 1 in an event.

    `after` is the highest number of a game that had been given out: what was drawn until then is not drawn anew.
    `stage`, from 0, is the first stage that is decided with the ruling. `at` is when it was made. Of `game`, `bot` and
    `ruling` there is the one that it is about; `replay` says of an annulled game that its set is played again.

    `by` is who made it, one of `RulingBy` or what a newer version knows, empty where it was not written down. `request`
    marks the call by which it was made on a server, so that the same call again finds it.
    """

    number: int
    kind: RulingKind
    reason: str
    stage: int
    after: int
    at: str = ""
    game: int | None = None
    bot: str | None = None
    ruling: int | None = None
    replay: bool = False
    by: str = ""
    request: str = ""

    def to_json(self) -> str:
        """The row as one line of JSON, without its line end."""
        fields = {name: getattr(self, name) for name in self.__slots__}
        left_out = {name for name, value in fields.items() if value is None or value is False}
        left_out |= {name for name in ("by", "request") if not fields[name]}
        told = {name: value for name, value in fields.items() if name not in left_out}
        return _line({"row": RULING, **told})

    @classmethod
    def from_data(cls, data: Mapping[str, object]) -> Self:
        """The row of a ruling's line.

        Raises:
            RowError: a sentence on what is missing or wrong.
        """
        values = _read(data, _RULING, _RULING_OPTIONAL)
        if values["kind"] not in list(RulingKind):
            raise RowError(f"kind is one of {', '.join(RulingKind)}, not {values['kind']!r}")
        about = ABOUT[RulingKind(values["kind"])]
        if about not in values:
            raise RowError(f"the ruling has no {about}")
        return cls(**values | {"kind": RulingKind(values["kind"])})


ABOUT: Mapping[RulingKind, str] = MappingProxyType(
    {
        RulingKind.ANNUL: "game",
        RulingKind.DISQUALIFY: "bot",
        RulingKind.WITHDRAW: "bot",
        RulingKind.ENTER: "bot",
        RulingKind.TAKE_BACK: "ruling",
    }
)
"""What each ruling is about, by the name of its field."""


def row_of_line(line: str) -> Row | RulingRow:
    """The row of a line of a ledger.

    Raises:
        RowError: a sentence on what is missing or wrong.
        ValueError: the text is no JSON.
    """
    data = json.loads(line)
    if not isinstance(data, dict):
        raise RowError("a row is a JSON object")
    kind = data.get("row")
    if kind is None:
        return Row.from_data(data)
    if kind == RULING:
        return RulingRow.from_data(data)
    raise RowError(f"row is {kind!r}; valid are {RULING!r}, and none for a game")


def _line(fields: Mapping[str, object]) -> str:
    return json.dumps(fields, ensure_ascii=False, separators=(", ", ": "))


_Reader = Callable[[str, object], Any]


def _read(data: Mapping[str, object], needed: Mapping[str, _Reader], optional: Mapping[str, _Reader]) -> dict[str, Any]:
    missing = [name for name in needed if name not in data]
    if missing:
        raise RowError(f"the row has no {', '.join(missing)}")
    readers = {**needed, **optional}
    return {name: reader(name, data[name]) for name, reader in readers.items() if name in data}


_GAME: Mapping[str, _Reader] = {
    "game": row_values.number,
    "set": row_values.number,
    "deal": row_values.number,
    "rotation": row_values.number,
    "seats": row_values.texts,
    "points": row_values.numbers,
    "places": row_values.numbers,
    "cause": row_values.text,
    "faults": row_values.faults,
    "record": row_values.text,
    "record_hash": row_values.text,
    "times": row_values.times,
}
_GAME_OPTIONAL: Mapping[str, _Reader] = {
    "versions": row_values.texts,
    "luck": row_values.figures,
    "replaces": row_values.number,
}
assert _GAME.keys() | _GAME_OPTIONAL.keys() == set(Row.__slots__)

_RULING: Mapping[str, _Reader] = {
    "number": row_values.number,
    "kind": row_values.text,
    "reason": row_values.text,
    "stage": row_values.number,
    "after": row_values.number,
}
_RULING_OPTIONAL: Mapping[str, _Reader] = {
    "at": row_values.text,
    "game": row_values.number,
    "bot": row_values.text,
    "ruling": row_values.number,
    "replay": row_values.flag,
    "by": row_values.text,
    "request": row_values.text,
}
assert _RULING.keys() | _RULING_OPTIONAL.keys() == set(RulingRow.__slots__)
