"""What happened: one small tuple an event, with fields named as on the wire.

Here: the event types and the causes they name. Not here: who may see what (`view`), their JSON (`record`). Imports
nothing of ours. Events carry faces, never card ids (rules.md C87); seats are whole numbers from 0; a sequence of
events is numbered by its holder.
"""

from enum import IntEnum
from typing import NamedTuple


class DrawCause(IntEnum):
    """Why cards were drawn, numbered as on the wire."""

    TURN = 1
    PENALTY = 2
    CHALLENGE = 3
    CAUGHT = 4
    FALSE_CATCH = 5
    FALSE_UNO = 6
    TIMEOUT = 7


class RoundCause(IntEnum):
    """Why a round ended, numbered as on the wire."""

    OUT = 1
    BLOCKED = 2
    LEFT = 3


class MatchCause(IntEnum):
    """Why a match ended, numbered as on the wire."""

    TARGET = 1
    ROUNDS = 2
    TIME = 3
    SINGLE_ROUND = 4
    LAST_SEAT = 5


Hands = tuple[tuple[int, tuple[int, ...]], ...]
"""Hands in an event: pairs of seat and ascending faces."""


class RoundStarted(NamedTuple):
    """A round began; `commitment` binds its chance."""

    round: int
    dealer: int
    commitment: bytes
    hand_counts: tuple[int, ...]
    hands: Hands


class StartCardTurned(NamedTuple):
    """A card was turned up at the start; `put_back` when another follows."""

    card: int
    put_back: bool


class TurnStarted(NamedTuple):
    """A seat's turn began; `turn` counts from 1 in the round."""

    seat: int
    turn: int


class CardPlayed(NamedTuple):
    """A card was played; counts, `direction` and `pending` are as the play left them, before any swap of hands."""

    seat: int
    card: int
    color: int
    target: int | None
    uno_called: bool
    jump_in: bool
    hand_count: int
    direction: int
    pending: int


class CardsDrawn(NamedTuple):
    """A seat drew `count` cards; `cards` in the order drawn."""

    seat: int
    count: int  # type: ignore[assignment]  # the wire's name, which hides the tuple's own method
    cause: int
    cards: tuple[int, ...]


class CardKept(NamedTuple):
    """A playable drawn card was kept."""

    seat: int


class PenaltyAccepted(NamedTuple):
    """A seat took the pending penalty by its own answer."""

    seat: int


class ChallengeResolved(NamedTuple):
    """A wild draw four was challenged; `hand` is the offender's hand at the play without that card."""

    challenger: int
    offender: int
    guilty: bool
    hand: tuple[int, ...]


class ColorChosen(NamedTuple):
    """The colour of a wild that opened the round was named."""

    seat: int
    color: int
    by_server: bool


class SeatSkipped(NamedTuple):
    """A seat lost its turn."""

    seat: int


class HandsMoved(NamedTuple):
    """Hands changed places: seat i now holds what `from_seats[i]` held."""

    from_seats: tuple[int, ...]
    hand_counts: tuple[int, ...]
    hands: Hands


class PileRebuilt(NamedTuple):
    """The discards but the top card were shuffled into a pile of `count` cards."""

    count: int  # type: ignore[assignment]  # the wire's name, which hides the tuple's own method


class UnoCalled(NamedTuple):
    """UNO was called apart from a play."""

    seat: int


class SeatAccused(NamedTuple):
    """A seat was accused of a forgotten call; rightly when `caught`."""

    accuser: int
    target: int
    caught: bool


class TimedOut(NamedTuple):
    """A seat's time ran out for the `strikes`-th time in the match."""

    seat: int
    strikes: int


class SeatLeft(NamedTuple):
    """A seat left the match with `hand_count` cards worth `points`."""

    seat: int
    cause: int
    hand_count: int
    points: int
    cards: tuple[int, ...]


class RoundEnded(NamedTuple):
    """A round ended; `scores` and `totals` by seat."""

    round: int
    cause: int
    winner: int | None
    scores: tuple[int, ...]
    totals: tuple[int, ...]
    hands: Hands


class MatchEnded(NamedTuple):
    """The match ended; `places` from 1, shared when equal."""

    cause: int
    places: tuple[int, ...]
    totals: tuple[int, ...]


Event = (
    RoundStarted
    | StartCardTurned
    | TurnStarted
    | CardPlayed
    | CardsDrawn
    | CardKept
    | PenaltyAccepted
    | ChallengeResolved
    | ColorChosen
    | SeatSkipped
    | HandsMoved
    | PileRebuilt
    | UnoCalled
    | SeatAccused
    | TimedOut
    | SeatLeft
    | RoundEnded
    | MatchEnded
)
