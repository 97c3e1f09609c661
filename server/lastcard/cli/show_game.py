"""The course of a recorded game as lines of text.

Here: heading, events in their order, layout. Not here: the words of one event (`lastcard.rules.transcript`), what a
seat was asked (`show_seat`).
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from lastcard.rules import events as ev
from lastcard.rules.events import Event
from lastcard.rules.record import Header
from lastcard.rules.record_reader import Record
from lastcard.rules.transcript import event_text, hand_text
from lastcard.rules.verify import Verification

INDENT = " " * 6
"""What stands before a line that belongs to the move above it."""

_MOVE_WIDTH = 14


@dataclass(frozen=True, slots=True)
class Shown:
    """An event as it is shown: its number, round and turn, whether it is the turn's first move, and its text."""

    sequence: int
    round: int
    turn: int
    opens: bool
    move: str
    note: str
    event: Event

    def lines(self) -> Iterator[str]:
        """The event as lines; none for the beginning of a turn."""
        if isinstance(self.event, ev.RoundStarted):
            yield ""
            yield self.note
            for seat, cards in self.event.hands:
                yield f"{INDENT}{seat} holds {hand_text(cards)}"
        elif self.move:
            number = self.turn if self.opens else ""
            yield f"{number:>4}  {self.move:<{_MOVE_WIDTH}}{self.note}".rstrip()
        elif self.note:
            yield f"{INDENT}{self.note}"


class Narrator:
    """Tells events as they come, with the round and the turn in which they happened."""

    def __init__(self, round_number: int = 0, turn: int = 0) -> None:
        """Begins at the start of a match, or in the middle of the turn that is named."""
        self._round = round_number
        self._turn = turn
        self._opened = 0
        self._before: Event | None = None

    def show(self, sequence: int, event: Event) -> Shown:
        """The event with its text; what the server did for a seat whose time ran out is no move of that seat."""
        if isinstance(event, ev.RoundStarted):
            self._round, self._turn, self._opened = event.round, 0, 0
        elif isinstance(event, ev.TurnStarted):
            self._turn = event.turn
        move, note = event_text(event)
        if isinstance(self._before, ev.TimedOut) and isinstance(event, ev.CardKept | ev.PenaltyAccepted):
            move, note = "", "the drawn card is kept" if isinstance(event, ev.CardKept) else "the penalty is accepted"
        opens = bool(move) and self._turn != self._opened
        if move:
            self._opened = self._turn
        self._before = event
        return Shown(sequence, self._round, self._turn, opens, move, note, event)


def shown_events(events: Sequence[Event]) -> Iterator[Shown]:
    """Every event of a match from its first, with its text."""
    narrator = Narrator()
    for sequence, event in enumerate(events, 1):
        yield narrator.show(sequence, event)


def plain(text: str) -> str:
    """A name as it may be printed: what a terminal would take for a command is written as an escape."""
    return text if text.isprintable() else text.encode("unicode_escape").decode("ascii")


def heading(record: Record, found: Verification) -> Iterator[str]:
    """What the record says above its events, and whether it is right."""
    header = record.header
    if header.labels:
        yield ", ".join(f"{plain(name)} {plain(text)}" for name, text in header.labels.items())
    disguise = "; colours renamed" if header.disguise else ""
    yield f"rules {_rules_text(header)}; draws {header.draws}; reactions {header.reactions}{disguise}"
    yield "seats " + ", ".join(f"{seat} {plain(name)}" for seat, name in enumerate(header.bots))
    if found.ok:
        chance = "chance verified" if found.revealed else "chance not yet revealed"
        yield f"{len(record.events)} events, record right, {chance}, hash {found.record_hash}"
    else:
        yield f"{len(record.events)} events, RECORD WRONG in line {found.line}: {found.problem}"


def _rules_text(header: Header) -> str:
    options = ", ".join(f"{name} = {value}" for name, value in header.options.items())
    return plain(f"{header.preset} with {options}" if options else header.preset)


def game_lines(record: Record) -> Iterator[str]:
    """The whole game, all cards open."""
    for shown in shown_events(record.events):
        yield from shown.lines()
