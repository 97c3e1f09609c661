"""Reading a record: bytes to lines, lines to header, events, closing and reveal.

Here: the syntax of each line, exactly as `record` writes it. Not here: whether the chain holds and the game was played
by the rules (`verify`). Imports `events`, `record`, `record_json`,
`record_json_reader` and `shuffle`.

A line must be written canonically, byte for byte, so that there is only one way to write a record and no byte of it may
be other than it is.
"""

import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, NoReturn

from lastcard.rules.events import Event
from lastcard.rules.record import FORMAT, REACTIONS, Header, canonical, chained, closing_text, header_line, line_hash
from lastcard.rules.record_json import event_text
from lastcard.rules.record_json_reader import EventError, event_from, shown
from lastcard.rules.shuffle import DRAW_ORDERS

KINDS = ("header", "event", "closing", "reveal")
"""The kinds of line, in the order in which they stand."""

_HEX = frozenset("0123456789abcdef")


class RecordError(ValueError):
    """A line of a record cannot be read; `line` is its number from 1, the text one sentence that says why."""

    def __init__(self, line: int, sentence: str) -> None:
        super().__init__(f"line {line}: {sentence}")
        self.line = line
        self.sentence = sentence


@dataclass(frozen=True, slots=True)
class Closing:
    """The line behind the events: how many there are, and whether the match was played to its end."""

    events: int
    complete: bool


@dataclass(frozen=True, slots=True)
class Reveal:
    """The line that opens the chance: the seeds of all rounds in order and the salt, each of 32 bytes."""

    salt: bytes
    seeds: tuple[bytes, ...]


@dataclass(frozen=True, slots=True)
class Numbered:
    """An event and its number over the whole match, from 1."""

    sequence: int
    event: Event


Content = Header | Numbered | Closing | Reveal


@dataclass(frozen=True, slots=True)
class Line:
    """One line: its number from 1, its content, the hash it carries (empty in the header) and its own hash."""

    number: int
    content: Content
    previous: str
    hash: str


@dataclass(frozen=True, slots=True)
class Record:
    """A record as it reads; `closing` and `reveal` are absent while the match is on or its chance is closed."""

    header: Header
    events: tuple[Event, ...]
    closing: Closing | None
    reveal: Reveal | None
    record_hash: str | None

    @property
    def seeds(self) -> tuple[bytes, ...] | None:
        """The seeds of all rounds, once revealed."""
        return None if self.reveal is None else self.reveal.seeds

    @property
    def salt(self) -> bytes | None:
        """The salt of the game, once revealed."""
        return None if self.reveal is None else self.reveal.salt


class _Unreadable(ValueError):
    """What is wrong with the line being read; its number is known further up."""


def _refuse(sentence: str) -> NoReturn:
    raise _Unreadable(sentence)


def _text(where: str, value: Any) -> str:
    return value if isinstance(value, str) else _refuse(f"{where} is {shown(value)}, not a text")


def _texts(where: str, value: Any) -> tuple[str, ...]:
    return tuple(_text(where, one) for one in value) if isinstance(value, list) else _refuse(f"{where} is no list")


def _text_map(where: str, value: Any) -> dict[str, str]:
    if not isinstance(value, dict):
        _refuse(f"{where} is {shown(value)}, not an object")
    return {name: _text(f"{where}.{name}", one) for name, one in value.items()}


def _digits(where: str, value: Any) -> str:
    if not isinstance(value, str) or len(value) != 64 or not _HEX.issuperset(value):
        _refuse(f"{where} is {shown(value)}, not 64 hexadecimal digits in lower case")
    return value


def _one_of(where: str, value: Any, valid: Iterable[str]) -> str:
    return next((one for one in valid if one == value), None) or _refuse(
        f"{where} is {shown(value)}; valid are {', '.join(valid)}"
    )


def _named(where: str, value: Any, names: tuple[str, ...]) -> tuple[Any, ...]:
    """The values of an object that must have exactly the fields `names`."""
    if not isinstance(value, dict):
        _refuse(f"{where} is {shown(value)}, not an object")
    if set(value) != set(names):
        _refuse(f"{where} has the fields {', '.join(map(shown, value)) or 'none'}; it must have {', '.join(names)}")
    return tuple(value[name] for name in names)


_HEADER_FIELDS = ("format", "preset", "options", "draws", "reactions", "bots", "labels", "commitment")


def _header(value: Any) -> tuple[Header, str]:
    disguised = False
    if isinstance(value, dict):
        number = value.get("format")
        if type(number) is not int or not 1 <= number <= FORMAT:
            _refuse(f"the record has format {shown(number)}; this version reads formats 1 to {FORMAT}")
        disguised = number > 1
    fields = (*_HEADER_FIELDS, "disguise") if disguised else _HEADER_FIELDS
    _, preset, options, draws, reactions, bots, labels, commitment, *disguise = _named("header", value, fields)
    if disguise and disguise[0] is not True:
        _refuse(f"header.disguise is {shown(disguise[0])}; in format 2 it is true, and format 1 has no such field")
    header = Header(
        _text("header.preset", preset),
        _text_map("header.options", options),
        _one_of("header.draws", draws, DRAW_ORDERS),
        _one_of("header.reactions", reactions, REACTIONS),
        _texts("header.bots", bots),
        _text_map("header.labels", labels),
        _digits("header.commitment", commitment) if commitment != "" else "",
        disguised,
    )
    return header, canonical(header.value())


def _event(value: Any) -> tuple[Numbered, str]:
    try:
        sequence, event = event_from(value)
    except EventError as error:
        raise _Unreadable(str(error)) from error
    return Numbered(sequence, event), event_text(sequence, event)


def _closing(value: Any) -> tuple[Closing, str]:
    events, complete = _named("closing", value, ("events", "complete"))
    if type(events) is not int or events < 0:
        _refuse(f"closing.events is {shown(events)}, not a whole number from 0")
    if type(complete) is not bool:
        _refuse(f"closing.complete is {shown(complete)}, neither true nor false")
    return Closing(events, complete), closing_text(events, complete=complete)


def _reveal(value: Any) -> tuple[Reveal, str]:
    salt, seeds = _named("reveal", value, ("salt", "seeds"))
    if not isinstance(seeds, list):
        _refuse(f"reveal.seeds is {shown(seeds)}, not a list")
    digits = [_digits("reveal.seeds", seed) for seed in seeds]
    text = canonical({"salt": _digits("reveal.salt", salt), "seeds": digits})
    return Reveal(bytes.fromhex(salt), tuple(bytes.fromhex(seed) for seed in digits)), text


_CONTENTS: dict[str, Callable[[Any], tuple[Content, str]]] = {
    "header": _header,
    "event": _event,
    "closing": _closing,
    "reveal": _reveal,
}


def _parse(raw: bytes) -> dict[str, Any]:
    try:
        value = json.loads(raw.decode("ascii"))
    except UnicodeDecodeError as error:
        raise _Unreadable(f"byte {error.start + 1} of the line is not ASCII") from error
    except (ValueError, RecursionError) as error:
        raise _Unreadable(f"it is not JSON ({error})") from error
    if not isinstance(value, dict):
        _refuse("it is not a JSON object")
    return value


def _read_line(number: int, raw: bytes) -> Line:
    value = _parse(raw)
    kinds = [kind for kind in KINDS if kind in value]
    if len(kinds) != 1:
        _refuse(f"it must have exactly one of the fields {', '.join(KINDS)}")
    kind = kinds[0]
    if kind == "header":
        _named("the line", value, ("header",))
        previous = ""
    else:
        _named("the line", value, (kind, "previous"))
        previous = _digits("previous", value["previous"])
    content, text = _CONTENTS[kind](value[kind])
    written = header_line(content) if isinstance(content, Header) else chained(kind, text, previous)
    if written != raw:
        _refuse("it is not written as this format writes it (field order, blanks, escapes and spelling are fixed)")
    return Line(number, content, previous, line_hash(raw))


def read_lines(data: bytes) -> tuple[list[Line], RecordError | None]:
    """The lines up to the first that cannot be read, and the error of that one."""
    lines: list[Line] = []
    parts = data.split(b"\n")
    for number, raw in enumerate(parts[:-1], 1):
        try:
            lines.append(_read_line(number, raw))
        except _Unreadable as error:
            return lines, RecordError(number, f"{error}.")
    if parts[-1]:
        return lines, RecordError(len(parts), "the line has no end: the file was cut off, or bytes were appended.")
    return lines, None


def first_misplaced(lines: list[Line]) -> RecordError | None:
    """The first line that may not stand where it does: header, events numbered from 1, closing, reveal.

    An end without a closing line is no error here.
    """
    sequence = 0
    place = -1
    for line in lines:
        kind = _place_of(line.content)
        if place < 0 and kind != 0:
            return RecordError(line.number, "a record begins with its header.")
        if isinstance(line.content, Numbered) and place < 2:
            if line.content.sequence != sequence + 1:
                return RecordError(
                    line.number, f"it holds event {line.content.sequence} where event {sequence + 1} belongs."
                )
            sequence += 1
        elif kind <= place or (kind == 3 and place < 2):
            before = KINDS[place]
            return RecordError(line.number, f"a line of kind {KINDS[kind]!r} may not follow one of kind {before!r}.")
        if isinstance(line.content, Closing) and line.content.events != sequence:
            return RecordError(line.number, f"it closes {line.content.events} events, but there are {sequence}.")
        place = kind
    return None


def _place_of(content: Content) -> int:
    for place, kind in enumerate((Header, Numbered, Closing, Reveal)):
        if isinstance(content, kind):
            return place
    raise AssertionError(content)


def read_record(data: bytes) -> Record:
    """The record that `data` holds; it may end before its closing line. Neither chain nor game is checked.

    Raises:
        RecordError: a line cannot be read or may not stand where it does, or there is no line.
    """
    lines, error = read_lines(data)
    error = first_misplaced(lines) or error
    if error is not None:
        raise error
    if not lines:
        raise RecordError(1, "the record is empty.")
    header = lines[0].content
    assert isinstance(header, Header)
    events = tuple(line.content.event for line in lines if isinstance(line.content, Numbered))
    closing = next(((line.content, line.hash) for line in lines if isinstance(line.content, Closing)), (None, None))
    reveal = next((line.content for line in lines if isinstance(line.content, Reveal)), None)
    return Record(header, events, closing[0], reveal, closing[1])


def receipts_name(record_name: str) -> str:
    """The name of the file of receipts beside a record's: `a.jsonl` has `a.receipts.ndjson`, and `.gz` behind both.

    It ends otherwise than a record's, so that `*.jsonl` names the records and nothing else.
    """
    plain = record_name.removesuffix(".gz")
    return f"{plain.removesuffix('.jsonl')}.receipts.ndjson{record_name[len(plain) :]}"
