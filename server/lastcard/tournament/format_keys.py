"""The keys of a tournament file that say who plays whom: format, tables, sets, seats, and the end.

Here: reading them, with a refusal for a key that belongs to another format. Not here: the rest of the file (`file`),
what a format makes of them (`formats`).
May import the standard library, `file_section`, `formats` and `schedule`.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, cast, get_args

from lastcard.tournament.file_section import Section, listed, shown, unknown
from lastcard.tournament.formats import FORMATS
from lastcard.tournament.formats.contract import Format, Option, OptionValue
from lastcard.tournament.schedule import SEATS, Seats

Stop = Literal["deals", "significant"]
STOPS: tuple[str, ...] = get_args(Stop)
"""When it ends: when all deals are played, or as soon as the ranking is settled."""

MOST_ALL_ORDERS = 5
"""Tables of at most so many play every order of the seats: 120 games a set."""

_OWN_KEYS = ("format", "table_size", "deals", "seats", "stop", "confidence")
FORMAT_KEYS = (*_OWN_KEYS, *dict.fromkeys(option.name for each in FORMATS.values() for option in each.options))
"""All keys that are read here."""


@dataclass(frozen=True, slots=True)
class FormatChoice:
    """What the file says of its format; `deals` is the number of sets that a table plays in a stage."""

    format: str
    table_size: int
    deals: int
    seats: Seats
    stop: Stop
    confidence: float
    options: Mapping[str, OptionValue]


def read_format(section: Section, bots: Sequence[str]) -> FormatChoice:
    """The format and what belongs to it; `bots` are the names of the file's.

    Raises:
        FileError: a value is wrong, or a key belongs to another format.
    """
    chosen = FORMATS[section.word("format", FORMATS, "round-robin")]
    table_size = section.number("table_size", 2, 10)
    options = _options(section, chosen, bots)
    seats = cast(Seats, section.word("seats", SEATS, "rotations"))
    if seats == "all" and table_size > MOST_ALL_ORDERS:
        raise section.refuse(
            "seats", f'"all" is for tables of at most {MOST_ALL_ORDERS}; valid at tables of {table_size} is "rotations"'
        )
    stop = cast(Stop, section.word("stop", STOPS, "deals"))
    if stop == "significant" and not chosen.by_score:
        by_score = [f'"{each.name}"' for each in FORMATS.values() if each.by_score]
        raise section.refuse(
            "stop",
            f'"significant" is for rankings by mean score at tables that play equally often, that is for the '
            f'formats {listed(by_score)}; valid for {chosen.name} is "deals"',
        )
    if stop == "deals" and "confidence" in section:
        raise section.refuse("confidence", 'is for stop = "significant"; leave it out, or stop then')
    return FormatChoice(
        format=chosen.name,
        table_size=table_size,
        deals=_sets(section, chosen, options),
        seats=seats,
        stop=stop,
        confidence=section.share("confidence", 0.5, 0.9999, 0.95),
        options=options,
    )


def _sets(section: Section, chosen: Format, options: Mapping[str, OptionValue]) -> int:
    if chosen.sets_key == "deals":
        return section.number("deals", 1, 1_000_000)
    if "deals" in section:
        raise section.refuse(
            "deals", f"is not for {chosen.name}, where {chosen.sets_key} says how many sets are played"
        )
    value = options[chosen.sets_key]
    assert isinstance(value, int)
    return value


def _options(section: Section, chosen: Format, bots: Sequence[str]) -> dict[str, OptionValue]:
    own = {option.name for option in chosen.options}
    for key in FORMAT_KEYS:
        if key in section and key not in own and key not in _OWN_KEYS:
            others = [each.name for each in FORMATS.values() if key in {option.name for option in each.options}]
            raise section.refuse(key, f"is for the format {listed(others)}, not for {chosen.name}; leave it out")
    found = ((option.name, _value(section, option, bots)) for option in chosen.options)
    return {name: value for name, value in found if value is not None}


def _value(section: Section, option: Option, bots: Sequence[str]) -> OptionValue | None:
    if option.name not in section and not option.required:
        return option.default
    if option.kind == "number":
        return section.number(option.name, option.least, option.most)
    if option.kind == "switch":
        return section.flag(option.name, default=option.default is True)
    if option.kind == "bot":
        return section.word(option.name, bots)
    names = section.texts(option.name, json.dumps(bots[:2])) or ()
    for place, name in enumerate(names):
        if name not in bots:
            raise section.source.refuse((*section.path, option.name, place), unknown("bot", name, bots))
    if len(set(names)) < len(names):
        raise section.refuse(option.name, f"must name each bot once, not {shown(list(names))}")
    return names
