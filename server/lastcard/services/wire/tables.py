"""Tables, seats and results as messages of the generated classes.

Here: the cold messages about tables. Not here: what goes over streams all the time (`frames`).
"""

from typing import cast

from lastcard.services.wire.rulesets import clock_message, ruleset_message
from lastcard.table.hosted import HostedTable
from lastcard.table.plan import TableResult
from lastcard.table.seats import SeatState
from lastcard.v1 import event_pb2, table_pb2


def seat_message(place: int, state: SeatState) -> table_pb2.Seat:
    """Who plays at a seat."""
    status = cast("table_pb2.SeatStatus.ValueType", int(state.status))
    return table_pb2.Seat(seat=place, name=state.name, builtin=state.builtin, status=status)


def result_message(result: TableResult, *, closed: bool) -> table_pb2.MatchResult:
    """How a match came out, as everybody is told.

    At a closed table the evidence stays away, which says what was refused out of which hand, and so does the hash of
    the record: with all but a few cards known, those could be tried until it fits.
    """
    return table_pb2.MatchResult(
        cause=cast("table_pb2.CloseCause.ValueType", int(result.cause)),
        match_cause=cast("event_pb2.MatchCause.ValueType", int(result.match_cause)),
        points=result.points,
        places=result.places,
        faults=[
            table_pb2.Fault(
                seat=blame.seat,
                kind=cast("table_pb2.FaultKind.ValueType", int(blame.kind)),
                sequence=blame.sequence,
                evidence="" if closed else blame.evidence,
            )
            for blame in result.faults
        ],
        record_hash=b"" if closed else result.record_hash,
        rounds=result.rounds,
    )


def table_message(table: HostedTable) -> table_pb2.Table:
    """A table and its seats."""
    plan = table.plan
    message = table_pb2.Table(
        table_id=table.table_id,
        state=table_state(table),
        ruleset=ruleset_message(plan.rules),
        clock=clock_message(plan.clock),
        reactions=table_pb2.REACTION_MODE_SEALED if plan.sealed else table_pb2.REACTION_MODE_OPEN,
        draws=table_pb2.DRAW_ORDER_PER_SEAT if plan.draws == "per_seat" else table_pb2.DRAW_ORDER_PILE,
        seats=[seat_message(place, state) for place, state in enumerate(table.machine.seats)],
        last_sequence=table.feed.last,
    )
    message.created_at.FromMilliseconds(table.created_ms)
    if table.result is not None:
        message.result.CopyFrom(result_message(table.result, closed=plan.closed))
    return message


def table_state(table: HostedTable) -> "table_pb2.TableState.ValueType":
    """How far a table is."""
    if table.result is not None:
        return table_pb2.TABLE_STATE_CLOSED
    return table_pb2.TABLE_STATE_RUNNING if table.machine.running else table_pb2.TABLE_STATE_WAITING
