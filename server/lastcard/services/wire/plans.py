"""A table as it is asked for, from a message to a plan.

Here: `plan_value`. Not here: whether it can be played (`table.plan.check_plan`).
"""

from typing import TYPE_CHECKING

from google.protobuf.message import Message

from lastcard.rules.ruleset import RulesetError
from lastcard.services.wire.rulesets import ruleset_value
from lastcard.table.plan import LONGEST_MS, PlanError, SeatPlan, TablePlan
from lastcard.table.timecontrol import TimeControl
from lastcard.v1 import table_pb2, table_service_pb2

if TYPE_CHECKING:
    from google.protobuf.duration_pb2 import Duration

_REACTIONS = {
    table_pb2.REACTION_MODE_UNSPECIFIED: False,
    table_pb2.REACTION_MODE_OPEN: False,
    table_pb2.REACTION_MODE_SEALED: True,
}
_DRAWS = {
    table_pb2.DRAW_ORDER_UNSPECIFIED: "pile",
    table_pb2.DRAW_ORDER_PILE: "pile",
    table_pb2.DRAW_ORDER_PER_SEAT: "per_seat",
}


def plan_value(request: table_service_pb2.CreateTableRequest) -> TablePlan:
    """The plan that a request asks for; what it leaves out gets its default.

    Raises:
        PlanError: a field holds a value that is none.
    """
    if request.reactions not in _REACTIONS:
        raise PlanError(f"reactions is {request.reactions}; valid are 1 (SEALED) and 2 (OPEN)", "reactions")
    if request.draws not in _DRAWS:
        raise PlanError(f"draws is {request.draws}; valid are 1 (PILE) and 2 (PER_SEAT)", "draws")
    try:
        rules = ruleset_value(request.ruleset)
    except (RulesetError, ValueError) as error:
        raise PlanError(str(error).removesuffix("."), "ruleset") from error
    return TablePlan(
        rules=rules,
        seats=tuple(_seat(seat, number) for number, seat in enumerate(request.seats)),
        clock=_clock(request.clock),
        sealed=_REACTIONS[request.reactions],
        draws=_DRAWS[request.draws],
        round_pause_ms=milliseconds(request, "round_pause", 0),
        deal_key=request.deal_key or None,
        salt=request.salt or None,
        closed=request.closed,
    )


def _seat(seat: table_service_pb2.SeatRequest, number: int) -> SeatPlan:
    occupant = seat.WhichOneof("occupant")
    if occupant == "bot_name":
        return SeatPlan(bot=seat.bot_name)
    if occupant == "builtin":
        return SeatPlan(builtin=seat.builtin)
    if occupant == "open" and not seat.open:
        raise PlanError(
            f"seats[{number}].open is false; leave it out or name a bot or builtin", f"seats[{number}].open"
        )
    return SeatPlan()


def _clock(clock: table_pb2.Clock) -> TimeControl:
    default = TimeControl()
    return TimeControl(
        limit_ms=milliseconds(clock, "limit", default.limit_ms, "clock."),
        bank_ms=milliseconds(clock, "bank", default.bank_ms, "clock."),
        reaction_ms=milliseconds(clock, "reaction", default.reaction_ms, "clock."),
        start_up_ms=milliseconds(clock, "start_up", default.start_up_ms, "clock."),
        grace_ms=milliseconds(clock, "grace", default.grace_ms, "clock."),
        network_credit_ms=milliseconds(clock, "network_credit", default.network_credit_ms, "clock."),
        network_credit_total_ms=milliseconds(clock, "network_credit_total", default.network_credit_total_ms, "clock."),
    )


def milliseconds(message: Message, field: str, default: int, prefix: str = "") -> int:
    """A span of a message in milliseconds; `default` when it is not set.

    Raises:
        PlanError: it is negative, longer than a day, or no valid `Duration`.
    """
    if not message.HasField(field):
        return default
    span: Duration = getattr(message, field)
    value = span.seconds * 1000 + span.nanos // 1_000_000
    if not (0 <= span.nanos < 1_000_000_000 and 0 <= value <= LONGEST_MS):
        nanos = f" and {span.nanos} ns" if span.nanos else ""
        sentence = f"{prefix}{field} is {span.seconds} s{nanos}; it must be 0 s to a day, with 0 to 999999999 ns"
        raise PlanError(sentence, f"{prefix}{field}")
    return value
