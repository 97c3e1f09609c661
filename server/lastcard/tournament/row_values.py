"""The values in a ledger's rows: reading them out of JSON so that what is wrong is said with the field's name.

Here: one function for each kind of value, and the fault of a seat. Not here: which fields a row has (`rows`). May
import the standard library and `rulings`.
"""

from typing import Any, NamedTuple

from lastcard.tournament.rulings import Fault

MOST = 10**13
"""Nothing that is counted in a row is larger, and figures could not be computed from numbers without end."""


class RowError(ValueError):
    """A line is JSON but no row; the text says what is missing or wrong."""


class SeatFault(NamedTuple):
    """A fault of the bot at a seat; `sequence` is the last event before it, `evidence` one sentence."""

    seat: int
    bot: str
    kind: str
    sequence: int
    evidence: str


def number(name: str, value: object) -> int:
    """A whole number from 0."""
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value <= MOST:
        raise RowError(f"{name} is a whole number from 0 to {MOST}, not {_shown(value)}")
    return value


def figure(name: str, value: object) -> float:
    """A number of any kind that can be reckoned with: JSON as Python reads it has NaN and Infinity too."""
    if not isinstance(value, int | float) or isinstance(value, bool) or not abs(value) <= MOST:
        raise RowError(f"{name} is a number of at most {MOST}, not {_shown(value)}")
    return value


def _shown(value: object) -> str:
    try:
        text = repr(value)
    except ValueError:  # more than 4300 digits
        return "a number without end"
    return text if len(text) <= 60 else f"{text[:57]}..."


def flag(name: str, value: object) -> bool:
    """True or false."""
    if not isinstance(value, bool):
        raise RowError(f"{name} is true or false, not {value!r}")
    return value


def text(name: str, value: object) -> str:
    """A text."""
    if not isinstance(value, str):
        raise RowError(f"{name} is a text, not {value!r}")
    return value


def list_(name: str, value: object) -> list[Any]:
    """A list."""
    if not isinstance(value, list):
        raise RowError(f"{name} is a list, not {value!r}")
    return value


def numbers(name: str, value: object) -> tuple[int, ...]:
    """A list of whole numbers from 0."""
    return tuple(number(name, each) for each in list_(name, value))


def texts(name: str, value: object) -> tuple[str, ...]:
    """A list of texts."""
    return tuple(text(name, each) for each in list_(name, value))


def figures(name: str, value: object) -> tuple[tuple[float, ...], ...]:
    """A list of lists of numbers."""
    return tuple(tuple(figure(name, each) for each in list_(name, inner)) for inner in list_(name, value))


def object_(name: str, value: object) -> dict[str, Any]:
    """An object."""
    if not isinstance(value, dict):
        raise RowError(f"{name} is an object, not {value!r}")
    return value


def times(name: str, value: object) -> dict[str, Any]:
    """What depends on the clock: of what a report reads, that it can be read."""
    data = object_(name, value)
    for each in ("started_ms", "ended_ms"):
        number(f"{name}.{each}", data.get(each, 0))
    list_(f"{name}.recovered", data.get("recovered", []))
    for place, seat in enumerate(list_(f"{name}.thinking", data.get("thinking", []))):
        where = f"{name}.thinking[{place}]"
        histogram = object_(where, seat)
        number(f"{where}.max_ms", histogram.get("max_ms", 0))
        for bucket in list_(f"{where}.buckets", histogram.get("buckets", [])):
            if len(numbers(f"{where}.buckets", bucket)) != 2:
                raise RowError(f"{where}.buckets has pairs of a number and a count, not {bucket!r}")
    return data


def faults(name: str, value: object) -> tuple[SeatFault, ...]:
    """A list of faults."""
    return tuple(_fault(f"{name}[{place}]", each) for place, each in enumerate(list_(name, value)))


def _fault(name: str, value: object) -> SeatFault:
    data = object_(name, value)
    missing = [each for each in SeatFault._fields if each not in data]
    if missing:
        raise RowError(f"{name} has no {', '.join(missing)}")
    return SeatFault(
        seat=number(f"{name}.seat", data["seat"]),
        bot=text(f"{name}.bot", data["bot"]),
        kind=_kind(f"{name}.kind", data["kind"]),
        sequence=number(f"{name}.sequence", data["sequence"]),
        evidence=text(f"{name}.evidence", data["evidence"]),
    )


def _kind(name: str, value: object) -> str:
    kind = text(name, value)
    if kind not in list(Fault):
        raise RowError(f"{name} is {kind!r}; valid are {', '.join(Fault)}")
    return kind
