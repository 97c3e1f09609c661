"""What the table machine asks its shell to do: one small tuple an effect, in the order in which they count.

Here: the effects and the values they carry. Not here: how they travel (`host`, `services`). May import only
`lastcard.rules`.
"""

from enum import IntEnum
from typing import NamedTuple

from lastcard.rules.actions import Action
from lastcard.rules.events import Event
from lastcard.rules.reasons import Reason


class DecisionKind(IntEnum):
    """What is asked, numbered as on the wire."""

    TURN = 1
    DRAWN_CARD = 2
    PENALTY = 3
    COLOR = 4
    REACTION = 5


class FaultKind(IntEnum):
    """What went wrong with a bot, numbered as on the wire."""

    TIMEOUT = 1
    REFUSALS = 2
    DISCONNECT = 3
    START_UP = 4
    CRASH = 5
    LEFT = 6


class CloseCause(IntEnum):
    """Why a table was closed, numbered as on the wire."""

    FINISHED = 1
    ABANDONED = 2
    CANCELLED = 3


class NoticeKind(IntEnum):
    """What a notice is about, numbered as on the wire."""

    SEAT_AWAY = 1
    SEAT_BACK = 2
    REACTION_OPENED = 3
    RECOVERED = 4
    SEAT_TAKEN = 5


class Receipt(NamedTuple):
    """The account of one decision; all times in milliseconds, `None` where there was none (REACTION has no bank)."""

    decision_id: int
    sent_ms: int
    received_ms: int | None
    network_credit_ms: int
    charged_ms: int
    bank_left_ms: int | None
    timed_out: bool


class Ask(NamedTuple):
    """Put a decision to a seat; the view is the table's present one.

    `limit_ms` and `bank_ms` (`None` for REACTION) are what the seat has once it is sent; a REACTION with a `limit_ms`
    of 0 has no deadline and stands until it is withdrawn. Asked again after a reconnect with what is left.
    """

    seat: int
    decision_id: int
    kind: DecisionKind
    legal_actions: tuple[Action, ...]
    limit_ms: int
    bank_ms: int | None
    previous_receipt: Receipt | None


class Withdraw(NamedTuple):
    """A decision was closed by something other than its seat's answer: `TURN_EXPIRED` or `STALE_DECISION`."""

    seat: int
    decision_id: int
    reason: Reason
    receipt: Receipt | None


class RefusedCatch(NamedTuple):
    """A catch that did not count."""

    seat: int
    reason: Reason
    sentence: str


class Verdict(NamedTuple):
    """The verdict on an answer; `reason` is `None` when accepted.

    `choice_out_of_range` and `unknown_decision` are faults of the transport's message rather than of the game: then
    `reason` is `None` too and `accepted` is false.
    """

    seat: int
    decision_id: int
    accepted: bool
    reason: Reason | None
    choice_out_of_range: bool
    unknown_decision: bool
    sentence: str
    receipt: Receipt | None
    refused_catches: tuple[RefusedCatch, ...]
    refusals_left: int


class Happened(NamedTuple):
    """Events to number and publish: the first has number `first_sequence`."""

    first_sequence: int
    events: tuple[Event, ...]


class Announce(NamedTuple):
    """A notice without a number."""

    kind: NoticeKind
    seat: int | None


class SeedWanted(NamedTuple):
    """Round `round` is to be dealt: answer with `NextRound`, not before `not_before_ms`."""

    round: int
    not_before_ms: int


class Blame(NamedTuple):
    """A fault of a seat's bot, with one sentence of evidence."""

    seat: int
    kind: FaultKind
    sequence: int
    evidence: str


class Closed(NamedTuple):
    """The table is over; `match_cause` is 0 when the match did not end."""

    cause: CloseCause
    match_cause: int
    points: tuple[int, ...]
    places: tuple[int, ...]
    rounds: int


Effect = Ask | Withdraw | Verdict | Happened | Announce | SeedWanted | Blame | Closed
