"""What happens to a bot, in words for its log.

Here: reasons, seats, results and faults as text. Not here: what is done about them (`session`). Imports `lastcard.v1`.
"""

from lastcard.v1.play_service_pb2 import Seated, TableClosed
from lastcard.v1.reason_pb2 import ProtocolReason, Reason
from lastcard.v1.table_pb2 import CloseCause, FaultKind


def reason_name(reason: int) -> str:
    """The short name of a reason of the game; its number when this client does not know it."""
    return Reason.Name(reason).removeprefix("REASON_") if reason in Reason.values() else f"reason {reason}"  # type: ignore[arg-type]


def protocol_reason_name(reason: int) -> str:
    """The short name of a reason of the transport; its number when this client does not know it."""
    if reason not in ProtocolReason.values():
        return f"reason {reason}"
    return ProtocolReason.Name(reason).removeprefix("PROTOCOL_REASON_")  # type: ignore[arg-type]


def seat_text(seated: Seated) -> str:
    """Where a bot sits and with whom: `table T, seat 0 of me, greedy`."""
    names = ", ".join(seat.name or seat.builtin or "nobody yet" for seat in seated.seats)
    return f"table {seated.table_id}, seat {seated.seat}" + (f" of {names}" if names else "")


def result_text(closed: TableClosed, seat: int | None) -> str:
    """How a table came out for a seat: `table T is over: place 2 of 4, 30 points (all: 120 30 0 0)`."""
    result = closed.result
    over = f"table {closed.table_id} is over"
    if result.cause not in (CloseCause.CLOSE_CAUSE_UNSPECIFIED, CloseCause.CLOSE_CAUSE_FINISHED):
        known = result.cause in CloseCause.values()
        over += f", {CloseCause.Name(result.cause).removeprefix('CLOSE_CAUSE_').lower() if known else 'closed'}"
    if seat is None or seat >= min(len(result.places), len(result.points)):
        return over
    points = " ".join(map(str, result.points))
    return f"{over}: place {result.places[seat]} of {len(result.places)}, {result.points[seat]} points (all: {points})"


def fault_texts(closed: TableClosed, seat: int | None) -> list[str]:
    """What the server holds against a seat, each with its evidence."""
    return [
        f"table {closed.table_id}, fault {_fault_name(fault.kind)}: {fault.evidence}"
        for fault in closed.result.faults
        if fault.seat == seat
    ]


def _fault_name(kind: FaultKind.ValueType) -> str:
    return FaultKind.Name(kind).removeprefix("FAULT_KIND_") if kind in FaultKind.values() else f"kind {kind}"
