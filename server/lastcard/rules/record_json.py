"""Events as JSON text, equal to protobuf-JSON of `lastcard.v1.Event`.

Here: one writer for each type of event, and the names that JSON has for cards, colours and causes. Not here: the way
back (`record_json_reader`), lines and hashes (`record`). Imports `actions`, `cards` and `events`.

The text is canonical: fields in the order of their numbers, no blanks, ASCII. It equals `MessageToDict(event,
preserving_proto_field_name=True, always_print_fields_with_no_presence=True)`: enums by name, bytes in base64, an
absent optional left out.
"""

import re
from base64 import b64encode
from collections.abc import Callable, Iterable, Mapping
from enum import IntEnum
from typing import Any

from lastcard.rules import events
from lastcard.rules.actions import LeaveCause
from lastcard.rules.cards import COLORS, NO_COLOR, TEXT, color_of, is_wild, rank_of
from lastcard.rules.events import DrawCause, Event, Hands, MatchCause, RoundCause

_COLOR_WORDS = ("UNSPECIFIED", "RED", "YELLOW", "GREEN", "BLUE")
_RANK_WORDS = (
    "0",
    "1",
    "2",
    "3",
    "4",
    "5",
    "6",
    "7",
    "8",
    "9",
    "SKIP",
    "REVERSE",
    "DRAW_TWO",
    "WILD",
    "WILD_DRAW_FOUR",
)


def _card_name(face: int) -> str:
    """Name of a face in the enum `lastcard.v1.Card`."""
    rank = _RANK_WORDS[rank_of(face)]
    return f"CARD_{rank}" if is_wild(face) else f"CARD_{_COLOR_WORDS[color_of(face)]}_{rank}"


CARD_NAMES: dict[int, str] = {face: _card_name(face) for face in TEXT}
"""JSON name of every face."""

COLOR_NAMES: dict[int, str] = {color: f"COLOR_{_COLOR_WORDS[color]}" for color in (NO_COLOR, *COLORS)}
"""JSON name of every colour."""


def _names(prefix: str, causes: type[IntEnum]) -> dict[int, str]:
    return {cause.value: f"{prefix}_{cause.name}" for cause in causes}


DRAW_NAMES = _names("DRAW_CAUSE", DrawCause)
LEAVE_NAMES = _names("LEAVE_CAUSE", LeaveCause)
ROUND_NAMES = _names("ROUND_CAUSE", RoundCause)
MATCH_NAMES = _names("MATCH_CAUSE", MatchCause)
"""JSON names of the causes, by what they are causes of."""

# Plain f-strings, since this runs for every event of every game.

_CARD = {face: f'"{name}"' for face, name in CARD_NAMES.items()}
_COLOR = {color: f'"{name}"' for color, name in COLOR_NAMES.items()}
_DRAW = {cause: f'"{name}"' for cause, name in DRAW_NAMES.items()}
_LEAVE = {cause: f'"{name}"' for cause, name in LEAVE_NAMES.items()}
_ROUND = {cause: f'"{name}"' for cause, name in ROUND_NAMES.items()}
_MATCH = {cause: f'"{name}"' for cause, name in MATCH_NAMES.items()}
_BOOL = ("false", "true")


def _cards(faces: Iterable[int]) -> str:
    return ",".join([_CARD[face] for face in faces])


def _numbers(numbers: Iterable[int]) -> str:
    return ",".join(map(str, numbers))


def _hands(hands: Hands) -> str:
    return ",".join([f'{{"seat":{seat},"cards":[{_cards(faces)}]}}' for seat, faces in hands])


def _round_started(event: events.RoundStarted) -> str:
    return (
        f'"round_started":{{"round":{event.round},"dealer":{event.dealer},'
        f'"commitment":"{b64encode(event.commitment).decode("ascii")}",'
        f'"hand_counts":[{_numbers(event.hand_counts)}],"hands":[{_hands(event.hands)}]}}'
    )


def _start_card_turned(event: events.StartCardTurned) -> str:
    return f'"start_card_turned":{{"card":{_CARD[event.card]},"put_back":{_BOOL[event.put_back]}}}'


def _turn_started(event: events.TurnStarted) -> str:
    return f'"turn_started":{{"seat":{event[0]},"turn":{event[1]}}}'


def _card_played(event: events.CardPlayed) -> str:
    seat, card, color, target, uno_called, jump_in, hand_count, direction, pending = event
    aimed = "" if target is None else f'"target":{target},'
    return (
        f'"card_played":{{"seat":{seat},"card":{_CARD[card]},"color":{_COLOR[color]},{aimed}'
        f'"uno_called":{_BOOL[uno_called]},"jump_in":{_BOOL[jump_in]},"hand_count":{hand_count},'
        f'"direction":{direction},"pending":{pending}}}'
    )


def _cards_drawn(event: events.CardsDrawn) -> str:
    seat, count, cause, cards = event
    return f'"cards_drawn":{{"seat":{seat},"count":{count},"cause":{_DRAW[cause]},"cards":[{_cards(cards)}]}}'


def _card_kept(event: events.CardKept) -> str:
    return f'"card_kept":{{"seat":{event.seat}}}'


def _penalty_accepted(event: events.PenaltyAccepted) -> str:
    return f'"penalty_accepted":{{"seat":{event.seat}}}'


def _challenge_resolved(event: events.ChallengeResolved) -> str:
    return (
        f'"challenge_resolved":{{"challenger":{event.challenger},"offender":{event.offender},'
        f'"guilty":{_BOOL[event.guilty]},"hand":[{_cards(event.hand)}]}}'
    )


def _color_chosen(event: events.ColorChosen) -> str:
    return f'"color_chosen":{{"seat":{event.seat},"color":{_COLOR[event.color]},"by_server":{_BOOL[event.by_server]}}}'


def _seat_skipped(event: events.SeatSkipped) -> str:
    return f'"seat_skipped":{{"seat":{event.seat}}}'


def _hands_moved(event: events.HandsMoved) -> str:
    return (
        f'"hands_moved":{{"from_seats":[{_numbers(event.from_seats)}],'
        f'"hand_counts":[{_numbers(event.hand_counts)}],"hands":[{_hands(event.hands)}]}}'
    )


def _pile_rebuilt(event: events.PileRebuilt) -> str:
    return f'"pile_rebuilt":{{"count":{event[0]}}}'


def _uno_called(event: events.UnoCalled) -> str:
    return f'"uno_called":{{"seat":{event.seat}}}'


def _seat_accused(event: events.SeatAccused) -> str:
    return f'"seat_accused":{{"accuser":{event.accuser},"target":{event.target},"caught":{_BOOL[event.caught]}}}'


def _timed_out(event: events.TimedOut) -> str:
    return f'"timed_out":{{"seat":{event.seat},"strikes":{event.strikes}}}'


def _seat_left(event: events.SeatLeft) -> str:
    return (
        f'"seat_left":{{"seat":{event.seat},"cause":{_LEAVE[event.cause]},"hand_count":{event.hand_count},'
        f'"points":{event.points},"cards":[{_cards(event.cards)}]}}'
    )


def _round_ended(event: events.RoundEnded) -> str:
    winner = "" if event.winner is None else f'"winner":{event.winner},'
    return (
        f'"round_ended":{{"round":{event.round},"cause":{_ROUND[event.cause]},{winner}'
        f'"scores":[{_numbers(event.scores)}],"totals":[{_numbers(event.totals)}],"hands":[{_hands(event.hands)}]}}'
    )


def _match_ended(event: events.MatchEnded) -> str:
    return (
        f'"match_ended":{{"cause":{_MATCH[event.cause]},"places":[{_numbers(event.places)}],'
        f'"totals":[{_numbers(event.totals)}]}}'
    )


_WRITERS: dict[type, Callable[[Any], str]] = {
    events.RoundStarted: _round_started,
    events.StartCardTurned: _start_card_turned,
    events.TurnStarted: _turn_started,
    events.CardPlayed: _card_played,
    events.CardsDrawn: _cards_drawn,
    events.CardKept: _card_kept,
    events.PenaltyAccepted: _penalty_accepted,
    events.ChallengeResolved: _challenge_resolved,
    events.ColorChosen: _color_chosen,
    events.SeatSkipped: _seat_skipped,
    events.HandsMoved: _hands_moved,
    events.PileRebuilt: _pile_rebuilt,
    events.UnoCalled: _uno_called,
    events.SeatAccused: _seat_accused,
    events.TimedOut: _timed_out,
    events.SeatLeft: _seat_left,
    events.RoundEnded: _round_ended,
    events.MatchEnded: _match_ended,
}


_KINDS: dict[type, str] = {kind: re.sub(r"(?<!^)(?=[A-Z])", "_", kind.__name__).lower() for kind in _WRITERS}


def kind_of(event: Event) -> str:
    """The name of the event's type in JSON, for example `card_played`."""
    return _KINDS[type(event)]


class _Bodies(dict[Event, bytes]):
    """The JSON of the events of one type without their numbers, kept since most come again and again.

    One dict a type: two events of different types may be equal as tuples.
    """

    __slots__ = ("_keeps", "_write")

    def __init__(self, write: Callable[[Any], str], *, keeps: bool) -> None:
        self._write = write
        self._keeps = keeps

    def __missing__(self, event: Event) -> bytes:
        body = self._write(event).encode("ascii")
        if self._keeps:
            if len(self) >= _KEPT:
                self.clear()
            self[event] = body
        return body


_KEPT = 8192
"""Events of one type whose JSON is kept: about two megabytes where they are all different."""

_RARE = (events.RoundStarted, events.HandsMoved, events.SeatLeft, events.RoundEnded, events.MatchEnded)
"""Types of event that are hardly ever equal to one before."""

BODIES: Mapping[type, Mapping[Event, bytes]] = {
    kind: _Bodies(write, keeps=kind not in _RARE) for kind, write in _WRITERS.items()
}
"""By type, the JSON of an event without its number, as `"card_kept":{"seat":0}`."""


def event_text(sequence: int, event: Event) -> str:
    """The numbered event as one JSON object."""
    return f'{{"sequence":{sequence},{BODIES[type(event)][event].decode("ascii")}}}'
