"""What the table machine is told: one small tuple a command.

Here: the commands, which together with their times are all that a table's course depends on. Not here: what they lead
to (`machine`). May import only `lastcard.rules` and `effects`. Seats count from 0; times are whole milliseconds of one
monotonic clock.
"""

from typing import NamedTuple

from lastcard.rules.actions import Action, LeaveCause
from lastcard.table.effects import FaultKind


class Occupy(NamedTuple):
    """A bot or player takes a seat, or the bot that a seat was kept for turns up, reachable."""

    seat: int
    name: str


class Connected(NamedTuple):
    """The occupant of a seat is reachable (again); its open decisions are asked again, as the way to it may be new."""

    seat: int


class Disconnected(NamedTuple):
    """The occupant of a seat is not reachable any more: sent only when the last way to it is gone (A36)."""

    seat: int


class DecisionSent(NamedTuple):
    """A decision was written to the transport (or could not be within its allowance): its clock starts now."""

    seat: int
    decision_id: int


class Answer(NamedTuple):
    """A seat answers a decision, by `choice` (index) or by `action`; exactly one of the two is given.

    `received_ms` is when the answer was read from the transport; `catch_seats` are tried before the answer.
    `network_credit_ms` is what the network is known to have used of the time. A `decision_id` of 0 names none: an
    `action` then answers the open decision of the seat that it fits.
    """

    seat: int
    decision_id: int
    choice: int | None
    action: Action | None
    call_uno: bool
    catch_seats: tuple[int, ...]
    received_ms: int
    network_credit_ms: int = 0


class LeaveSeat(NamedTuple):
    """A seat leaves the match, or is removed for `cause`."""

    seat: int
    cause: LeaveCause


class Tick(NamedTuple):
    """Time has passed: whatever is due by now is done."""


class NextRound(NamedTuple):
    """The seed of the next round is here: 32 bytes. Wanted after `SeedWanted`."""

    seed: bytes


class CloseTable(NamedTuple):
    """The owner or the organiser closes the table without a result."""


class NoteFault(NamedTuple):
    """Something is known of a seat's bot that the table cannot see, as the end of its process; the seat stays."""

    seat: int
    kind: FaultKind
    evidence: str


class Recovered(NamedTuple):
    """The server was down since `since_ms` and goes on: nobody is to blame for that.

    For `grace_ms` no clock runs for a seat that is not back; whoever comes back has the full limit for what is open.
    """

    since_ms: int
    grace_ms: int


Command = (
    Occupy
    | Connected
    | Disconnected
    | DecisionSent
    | Answer
    | LeaveSeat
    | Tick
    | NextRound
    | CloseTable
    | NoteFault
    | Recovered
)
