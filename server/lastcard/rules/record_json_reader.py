"""Events back from their JSON.

Here: one reader for each type of event, strict about every field. Not here: how events are written (`record_json`),
lines and hashes (`record_reader`). Imports `events` and `record_json`.
"""

from base64 import b64decode
from binascii import Error as Base64Error
from collections.abc import Callable, Mapping
from typing import Any

from lastcard.rules import events
from lastcard.rules.events import Event
from lastcard.rules.record_json import (
    CARD_NAMES,
    COLOR_NAMES,
    DRAW_NAMES,
    LEAVE_NAMES,
    MATCH_NAMES,
    ROUND_NAMES,
)


class EventError(ValueError):
    """A JSON value is not an event; the text says which field and what would be valid."""


def shown(value: object) -> str:
    """A value as it stands in a sentence: its beginning, when it is long."""
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:57]}…"


_Reader = Callable[[str, Any], Any]

_LARGEST = 2**32 - 1


def _number(where: str, value: Any) -> int:
    if type(value) is not int or not 0 <= value <= _LARGEST:
        raise EventError(f"{where} is {shown(value)}, not a whole number from 0")
    return value


def _direction(where: str, value: Any) -> int:
    if value not in (1, -1) or type(value) is not int:
        raise EventError(f"{where} is {shown(value)}, neither 1 nor -1")
    return value


def _flag(where: str, value: Any) -> bool:
    if type(value) is not bool:
        raise EventError(f"{where} is {shown(value)}, neither true nor false")
    return value


def _bytes(where: str, value: Any) -> bytes:
    if not isinstance(value, str):
        raise EventError(f"{where} is {shown(value)}, not a text in base64")
    try:
        return b64decode(value, validate=True)
    except (Base64Error, ValueError) as error:
        raise EventError(f"{where} is {shown(value)}, not a text in base64") from error


def _name_of(names: Mapping[int, str], what: str) -> _Reader:
    values = {name: number for number, name in names.items()}

    def read(where: str, value: Any) -> int:
        if not isinstance(value, str) or value not in values:
            raise EventError(f"{where} is {shown(value)}, not the name of a {what}")
        return values[value]

    return read


def _list_of(read_one: _Reader) -> _Reader:
    def read(where: str, value: Any) -> tuple[Any, ...]:
        if not isinstance(value, list):
            raise EventError(f"{where} is {shown(value)}, not a list")
        return tuple([read_one(where, one) for one in value])

    return read


def _seat_hand(where: str, value: Any) -> tuple[int, tuple[int, ...]]:
    seat, cards = _fields(where, value, _SEAT_HAND, frozenset())
    return seat, cards


_card = _name_of(CARD_NAMES, "card")
_color = _name_of(COLOR_NAMES, "colour")
_faces = _list_of(_card)
_seats = _list_of(_number)
_all_hands = _list_of(_seat_hand)
_SEAT_HAND: dict[str, _Reader] = {"seat": _number, "cards": _faces}

_READERS: dict[str, tuple[type, dict[str, _Reader]]] = {
    "round_started": (
        events.RoundStarted,
        {"round": _number, "dealer": _number, "commitment": _bytes, "hand_counts": _seats, "hands": _all_hands},
    ),
    "start_card_turned": (events.StartCardTurned, {"card": _card, "put_back": _flag}),
    "turn_started": (events.TurnStarted, {"seat": _number, "turn": _number}),
    "card_played": (
        events.CardPlayed,
        {
            "seat": _number,
            "card": _card,
            "color": _color,
            "target": _number,
            "uno_called": _flag,
            "jump_in": _flag,
            "hand_count": _number,
            "direction": _direction,
            "pending": _number,
        },
    ),
    "cards_drawn": (
        events.CardsDrawn,
        {"seat": _number, "count": _number, "cause": _name_of(DRAW_NAMES, "cause"), "cards": _faces},
    ),
    "card_kept": (events.CardKept, {"seat": _number}),
    "penalty_accepted": (events.PenaltyAccepted, {"seat": _number}),
    "challenge_resolved": (
        events.ChallengeResolved,
        {"challenger": _number, "offender": _number, "guilty": _flag, "hand": _faces},
    ),
    "color_chosen": (events.ColorChosen, {"seat": _number, "color": _color, "by_server": _flag}),
    "seat_skipped": (events.SeatSkipped, {"seat": _number}),
    "hands_moved": (events.HandsMoved, {"from_seats": _seats, "hand_counts": _seats, "hands": _all_hands}),
    "pile_rebuilt": (events.PileRebuilt, {"count": _number}),
    "uno_called": (events.UnoCalled, {"seat": _number}),
    "seat_accused": (events.SeatAccused, {"accuser": _number, "target": _number, "caught": _flag}),
    "timed_out": (events.TimedOut, {"seat": _number, "strikes": _number}),
    "seat_left": (
        events.SeatLeft,
        {
            "seat": _number,
            "cause": _name_of(LEAVE_NAMES, "cause"),
            "hand_count": _number,
            "points": _number,
            "cards": _faces,
        },
    ),
    "round_ended": (
        events.RoundEnded,
        {
            "round": _number,
            "cause": _name_of(ROUND_NAMES, "cause"),
            "winner": _number,
            "scores": _seats,
            "totals": _seats,
            "hands": _all_hands,
        },
    ),
    "match_ended": (
        events.MatchEnded,
        {"cause": _name_of(MATCH_NAMES, "cause"), "places": _seats, "totals": _seats},
    ),
}

_OPTIONAL: dict[str, frozenset[str]] = {
    "card_played": frozenset({"target"}),
    "round_ended": frozenset({"winner"}),
}


def _fields(where: str, value: Any, readers: dict[str, _Reader], optional: frozenset[str]) -> list[Any]:
    """The fields of an object in the order of `readers`; an optional one that is absent is `None`."""
    if not isinstance(value, dict):
        raise EventError(f"{where} is {shown(value)}, not an object")
    for name in value:
        if name not in readers:
            raise EventError(f"{where} has a field {shown(name)}; its fields are {', '.join(readers)}")
    found = []
    for name, read in readers.items():
        if name in value:
            found.append(read(f"{where}.{name}", value[name]))
        elif name in optional:
            found.append(None)
        else:
            raise EventError(f"{where} lacks the field {shown(name)}")
    return found


def event_from(value: object) -> tuple[int, Event]:
    """The number and the event that a parsed JSON object stands for.

    Raises:
        EventError: it is not exactly one known event with all its fields.
    """
    if not isinstance(value, dict):
        raise EventError(f"an event is an object, not {shown(value)}")
    kinds = [name for name in value if name != "sequence"]
    if "sequence" not in value or len(kinds) != 1:
        raise EventError("an event has 'sequence' and exactly one field that names what happened")
    kind = kinds[0]
    if kind not in _READERS:
        raise EventError(f"{shown(kind)} is no event; the events are {', '.join(_READERS)}")
    make, readers = _READERS[kind]
    event: Event = make(*_fields(kind, value[kind], readers, _OPTIONAL.get(kind, frozenset())))
    return _number("sequence", value["sequence"]), event
