"""Numbered events as bytes.

Here: the body of each kind of event and the item of `TableEvents.events`. Not here: who may see what (`rules.view`
redacts before), how items are framed (`frames`). The bodies of small events are kept, since the same ones come again
and again at all tables.
"""

from collections.abc import Callable
from typing import Any

from lastcard.rules import events as happened
from lastcard.rules.events import Event, Hands
from lastcard.services.wire.varint import (
    LENGTH,
    VARINT,
    Written,
    heads,
    joined,
    nested,
    number,
    numbers,
    packed,
    tag,
    varint,
    zigzag,
)

_N = tuple(tag(field, VARINT) for field in range(12))
"""Tags of numbers by field."""
_L = tuple(tag(field, LENGTH) for field in range(24))
"""Tags of everything with a length by field."""


def hand(seat: int, cards: tuple[int, ...]) -> bytes:
    """The body of a `SeatHand`."""
    return number(_N[1], seat) + packed(_L[2], cards)


def hands(field_tag: bytes, pairs: Hands) -> bytes:
    """Repeated `SeatHand` under a tag."""
    return joined(field_tag, [hand(seat, cards) for seat, cards in pairs])


def present(field_tag: bytes, value: int | None) -> bytes:
    """An optional number: 0 is written, `None` is not."""
    return b"" if value is None else field_tag + varint(value)


def _round_started(event: happened.RoundStarted) -> bytes:
    return (
        number(_N[1], event.round)
        + number(_N[2], event.dealer)
        + (nested(_L[3], event.commitment) if event.commitment else b"")
        + packed(_L[4], event.hand_counts)
        + hands(_L[5], event.hands)
    )


def _start_card_turned(event: happened.StartCardTurned) -> bytes:
    return number(_N[1], event.card) + number(_N[2], event.put_back)


def _turn_started(event: happened.TurnStarted) -> bytes:
    return number(_N[1], event.seat) + number(_N[2], event.turn)


def _card_played(event: happened.CardPlayed) -> bytes:
    return (
        number(_N[1], event.seat)
        + number(_N[2], event.card)
        + number(_N[3], event.color)
        + present(_N[4], event.target)
        + number(_N[5], event.uno_called)
        + number(_N[6], event.jump_in)
        + number(_N[7], event.hand_count)
        + number(_N[8], zigzag(event.direction))
        + number(_N[9], event.pending)
    )


def _cards_drawn(event: happened.CardsDrawn) -> bytes:
    return (
        number(_N[1], event.seat) + number(_N[2], event.count) + number(_N[3], event.cause) + packed(_L[4], event.cards)
    )


def _seat_alone(
    event: happened.CardKept | happened.PenaltyAccepted | happened.SeatSkipped | happened.UnoCalled,
) -> bytes:
    return number(_N[1], event.seat)


def _challenge_resolved(event: happened.ChallengeResolved) -> bytes:
    return (
        number(_N[1], event.challenger)
        + number(_N[2], event.offender)
        + number(_N[3], event.guilty)
        + packed(_L[4], event.hand)
    )


def _color_chosen(event: happened.ColorChosen) -> bytes:
    return number(_N[1], event.seat) + number(_N[2], event.color) + number(_N[3], event.by_server)


def _hands_moved(event: happened.HandsMoved) -> bytes:
    return packed(_L[1], event.from_seats) + packed(_L[2], event.hand_counts) + hands(_L[3], event.hands)


def _pile_rebuilt(event: happened.PileRebuilt) -> bytes:
    return number(_N[1], event.count)


def _seat_accused(event: happened.SeatAccused) -> bytes:
    return number(_N[1], event.accuser) + number(_N[2], event.target) + number(_N[3], event.caught)


def _timed_out(event: happened.TimedOut) -> bytes:
    return number(_N[1], event.seat) + number(_N[2], event.strikes)


def _seat_left(event: happened.SeatLeft) -> bytes:
    return (
        number(_N[1], event.seat)
        + number(_N[2], event.cause)
        + number(_N[3], event.hand_count)
        + number(_N[4], event.points)
        + packed(_L[5], event.cards)
    )


def _round_ended(event: happened.RoundEnded) -> bytes:
    return (
        number(_N[1], event.round)
        + number(_N[2], event.cause)
        + present(_N[3], event.winner)
        + packed(_L[4], event.scores)
        + packed(_L[5], event.totals)
        + hands(_L[6], event.hands)
    )


def _match_ended(event: happened.MatchEnded) -> bytes:
    return number(_N[1], event.cause) + packed(_L[2], event.places) + packed(_L[3], event.totals)


_BODIES: dict[type, tuple[int, Callable[[Any], bytes]]] = {
    happened.RoundStarted: (2, _round_started),
    happened.StartCardTurned: (3, _start_card_turned),
    happened.TurnStarted: (4, _turn_started),
    happened.CardPlayed: (5, _card_played),
    happened.CardsDrawn: (6, _cards_drawn),
    happened.CardKept: (7, _seat_alone),
    happened.PenaltyAccepted: (8, _seat_alone),
    happened.ChallengeResolved: (9, _challenge_resolved),
    happened.ColorChosen: (10, _color_chosen),
    happened.SeatSkipped: (11, _seat_alone),
    happened.HandsMoved: (12, _hands_moved),
    happened.PileRebuilt: (13, _pile_rebuilt),
    happened.UnoCalled: (14, _seat_alone),
    happened.SeatAccused: (15, _seat_accused),
    happened.TimedOut: (16, _timed_out),
    happened.SeatLeft: (17, _seat_left),
    happened.RoundEnded: (18, _round_ended),
    happened.MatchEnded: (19, _match_ended),
}
"""Field of `Event.event` and writer of the body, by type."""


_RARE = (
    happened.RoundStarted,
    happened.ChallengeResolved,
    happened.HandsMoved,
    happened.SeatLeft,
    happened.RoundEnded,
    happened.MatchEnded,
)
"""Types of event that are hardly ever equal to one before: kept, they would be some tens of megabytes of no use."""


def _tagged(kind: type) -> Written[Event]:
    field, body = _BODIES[kind]
    return Written(lambda event: nested(_L[field], body(event)), keeps=kind not in _RARE)


_TAGGED = {kind: _tagged(kind) for kind in _BODIES}
"""Tagged bodies already written. One table a type: equal tuples of two types are equal keys."""

_SEQUENCE = numbers(1)
_ITEM = heads(2)


def event_item(sequence: int, event: Event) -> bytes:
    """One entry of `TableEvents.events` (tag and length included): an event with its number."""
    message = _SEQUENCE[sequence] + _TAGGED[type(event)][event]
    return (_ITEM[len(message)] if len(message) < 512 else _LONG_ITEM + varint(len(message))) + message


_LONG_ITEM = tag(2)
