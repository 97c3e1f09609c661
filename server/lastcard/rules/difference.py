"""The difference between a recorded event and the one that the rules give, as a sentence.

Here: `difference`. Not here: how the two came about (`replay`). Imports `cards`, `events` and `record_json`.
"""

from typing import Any

from lastcard.rules.cards import COLOR_LETTERS, TEXT
from lastcard.rules.events import Event, Hands
from lastcard.rules.record_json import kind_of

_COLORS = dict(enumerate(COLOR_LETTERS))


def difference(recorded: Event, given: Event, after: str) -> str:
    """Says what stands in the record and what the rules give after `after`; the two differ."""
    if type(recorded) is not type(given):
        return f"after {after} the rules give {kind_of(given)}, the record has {kind_of(recorded)}."
    name = next(name for name in given._fields if getattr(recorded, name) != getattr(given, name))
    has: Any = getattr(recorded, name)
    gives: Any = getattr(given, name)
    where = f"{kind_of(given)}.{name}"
    if name == "hands":
        return _hands_difference(where, has, gives)
    return f"{where} is {_text(name, has)}, the rules give {_text(name, gives)}."


def _hands_difference(where: str, has: Hands, gives: Hands) -> str:
    recorded, given = dict(has), dict(gives)
    for seat in sorted({*recorded, *given}):
        if recorded.get(seat) != given.get(seat):
            mine, other = _text("cards", recorded.get(seat)), _text("cards", given.get(seat))
            return f"{where} of seat {seat} are {mine}, the rules give {other}."
    return f"{where} are not written in the order of the seats, each once."


def _text(name: str, value: Any) -> str:
    if value is None:
        return "absent"
    if name in ("cards", "hand"):
        return " ".join(TEXT.get(face, "?") for face in value) or "empty"
    if name == "card":
        return TEXT.get(value, "none")
    if name == "color":
        return _COLORS[value] if value else "none"
    if isinstance(value, bytes):
        return value.hex() or "empty"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, tuple):
        return " ".join(map(str, value)) or "empty"
    return str(int(value))
