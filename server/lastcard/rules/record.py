"""The record of a match: lines of JSON, each bound to the one before by its SHA-256.

Here: the writer. Not here: the JSON of events (`record_json`), reading (`record_reader`), checking (`verify`). Imports
`events`, `record_json`, `ruleset` and `shuffle`. The format is described in server/docs/record.md.

A record is a header, a line for each numbered event, a closing line, and behind it, when the chance may be known, a
line that reveals it. Nothing in it depends on a clock, a connection or a process, so that the same game has the same
bytes wherever and however often it is played.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from hashlib import sha256
from types import MappingProxyType
from typing import Any

from lastcard.rules.events import Event, MatchEnded, RoundStarted
from lastcard.rules.record_json import BODIES
from lastcard.rules.ruleset import Ruleset
from lastcard.rules.shuffle import DRAW_ORDERS, KEY_BYTES

FORMAT = 2
"""Number of the format, raised when a reader of an older one would misread a record.

A record is written in the oldest format that can tell it: format 2 has the field `disguise`, and only disguised games
have that.
"""

REACTIONS = ("sealed", "open")
"""How actions out of turn may be taken (rules.md 7.8)."""

_NO_LABELS: Mapping[str, str] = MappingProxyType({})


_ENCODER = json.JSONEncoder(separators=(",", ":"), ensure_ascii=True, allow_nan=False)


def canonical(value: object) -> str:
    """A JSON value as this format writes it: no blanks, ASCII, keys in the order of the mapping."""
    return _ENCODER.encode(value)


def line_hash(line: bytes) -> str:
    """SHA-256 of a line's bytes without its line feed, as 64 hexadecimal digits."""
    return sha256(line).hexdigest()


@dataclass(frozen=True, slots=True)
class Header:
    """What stands above the events.

    `options` are those that differ from the preset, as text; `bots` the names by seat; `labels` texts that are the same
    whenever the game is played again; `commitment` is that of the first round in hexadecimal, empty when none began;
    `disguise` tells whether the colours were renamed.
    """

    preset: str
    options: Mapping[str, str]
    draws: str
    reactions: str
    bots: tuple[str, ...]
    labels: Mapping[str, str]
    commitment: str
    disguise: bool = False

    def value(self) -> dict[str, Any]:
        """The header as a JSON value, its fields in order."""
        return {
            "format": 2 if self.disguise else 1,
            "preset": self.preset,
            "options": dict(sorted(self.options.items())),
            "draws": self.draws,
            **({"disguise": True} if self.disguise else {}),
            "reactions": self.reactions,
            "bots": list(self.bots),
            "labels": dict(sorted(self.labels.items())),
            "commitment": self.commitment,
        }


def header_line(header: Header) -> bytes:
    """The first line, without a line feed."""
    return f'{{"header":{canonical(header.value())}}}'.encode("ascii")


def closing_text(events: int, *, complete: bool) -> str:
    """What the closing line says."""
    return f'{{"events":{events},"complete":{"true" if complete else "false"}}}'


def chained(kind: str, text: str, previous: str) -> bytes:
    """A line of `kind` with its content and the hash of the line before, without a line feed."""
    return f'{{"{kind}":{text},"previous":"{previous}"}}'.encode("ascii")


def reveal_line(record_hash: str, seeds: Sequence[bytes], salt: bytes) -> bytes:
    """The line that opens a record's chance, to be appended to the finished file: the seeds of all rounds, the salt.

    Raises:
        ValueError: the salt or a seed is not 32 bytes long.
    """
    for name, value in (("salt", salt), *((f"seed of round {number}", seed) for number, seed in enumerate(seeds, 1))):
        if len(value) != KEY_BYTES:
            raise ValueError(f"the {name} has {len(value)} bytes; it must have {KEY_BYTES}")
    text = canonical({"salt": salt.hex(), "seeds": [seed.hex() for seed in seeds]})
    return chained("reveal", text, record_hash) + b"\n"


@lru_cache(maxsize=256)
def _overrides(rules: Ruleset) -> Mapping[str, str]:
    return MappingProxyType(dict(rules.overrides()))


class RecordWriter:
    """Builds the record of one match from its events as they happen, at a microsecond or two an event.

    What it is made with stands in the header: see `Header`. `bots` is read when the header is written, with the first
    round, since a seat may be left before and another taken after that. A label may be a game's number in its event,
    never an id or a time.
    """

    __slots__ = (
        "_bots",
        "_hash",
        "_header",
        "_lines",
        "_revealed",
        "_rounds",
        "_waiting",
        "closed",
        "complete",
        "sequence",
    )

    def __init__(
        self,
        rules: Ruleset,
        bots: Sequence[str],
        *,
        draws: str,
        reactions: str,
        labels: Mapping[str, str] = _NO_LABELS,
        disguise: bool = False,
    ) -> None:
        if draws not in DRAW_ORDERS:
            raise ValueError(f"draws is {draws!r}; valid are {', '.join(DRAW_ORDERS)}")
        if reactions not in REACTIONS:
            raise ValueError(f"reactions is {reactions!r}; valid are {', '.join(REACTIONS)}")
        self._header = Header(rules.preset, _overrides(rules), draws, reactions, (), dict(labels), "", disguise)
        self._bots = bots
        self._lines: list[bytes] = []
        self._hash = b""
        self._waiting: list[Event] = []
        self._rounds = 0
        self._revealed = False
        self.sequence = 0
        """Number of the last event added; 0 before the first."""
        self.closed = False
        """Whether the closing line is written."""
        self.complete = False
        """Whether the match was played to its end."""

    def _append(self, line: bytes) -> None:
        self._lines.append(line)
        self._hash = sha256(line).hexdigest().encode("ascii")

    def _open(self, commitment: bytes) -> None:
        """Writes the header, and the events that came before the first round: a seat may leave even then."""
        self._append(header_line(replace(self._header, bots=tuple(self._bots), commitment=commitment.hex())))
        waiting, self._waiting = self._waiting, []
        self.sequence = 0
        self._write(waiting)

    def add(self, first_sequence: int, events: Sequence[Event]) -> None:
        """Adds events with all that happened in them, hidden cards included; the first has number `first_sequence`.

        Raises:
            ValueError: a number was left out or comes again, or the record is closed; nothing was added.
        """
        if self.closed:
            raise ValueError(f"the record was closed after event {self.sequence}; event {first_sequence} is too late")
        if first_sequence != self.sequence + 1:
            raise ValueError(f"event {first_sequence} does not follow event {self.sequence}")
        if self._hash:
            self._write(events)
            return
        self._waiting += events
        self.sequence += len(events)
        started = next((event for event in events if type(event) is RoundStarted), None)
        if started is not None:
            self._open(started.commitment)

    def _write(self, events: Sequence[Event]) -> None:
        # One loop without calls of our own: it runs for every event of every game.
        append, line_hash, sequence, bodies = self._lines.append, self._hash, self.sequence, BODIES
        for event in events:
            sequence += 1
            kind = type(event)
            line = b'{"event":{"sequence":%d,%b},"previous":"%b"}' % (sequence, bodies[kind][event], line_hash)
            line_hash = sha256(line).hexdigest().encode()
            append(line)
            if kind is RoundStarted:
                self._rounds += 1
            elif kind is MatchEnded:
                self.complete = True
        self._hash, self.sequence = line_hash, sequence

    def close(self) -> str:
        """Writes the closing line unless it is there, and returns the `record_hash`."""
        if not self.closed:
            if not self._hash:
                self._open(b"")
            text = closing_text(self.sequence, complete=self.complete)
            self._append(chained("closing", text, self._hash.decode("ascii")))
            self.closed = True
        return self._hash.decode("ascii")

    def digest(self, sequence: int) -> str:
        """SHA-256 of the line of event number `sequence`, which binds all before; empty when it is not written yet."""
        return sha256(self._lines[sequence]).hexdigest() if 0 < sequence < len(self._lines) else ""

    @property
    def record_hash(self) -> str:
        """SHA-256 of the closing line, as 64 hexadecimal digits.

        Raises:
            ValueError: the record is not closed.
        """
        if not self.closed:
            raise ValueError("a record has a hash only when it is closed")
        return self._hash.decode("ascii")

    def reveal(self, seeds: Sequence[bytes], salt: bytes) -> bytes:
        """Appends and returns the line that opens the chance of all rounds that began; once, after `close`.

        Raises:
            ValueError: not closed, revealed before, not a seed for each round, or not 32 bytes long.
        """
        if self._revealed:
            raise ValueError("the record was revealed before")
        if len(seeds) != self._rounds:
            raise ValueError(f"{len(seeds)} seeds for {self._rounds} rounds; each round that began has one")
        line = reveal_line(self.record_hash, seeds, salt)
        self._lines.append(line[:-1])
        self._revealed = True
        return line

    def to_bytes(self) -> bytes:
        """The record so far, every line with a line feed; nothing before the first round, which the header names."""
        return b"\n".join([*self._lines, b""])
