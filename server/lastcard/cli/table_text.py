"""Tables on a server as text: who sits there, by which rules and clock, and how it came out.

Here: the words and the layout. Not here: events of a game (`show_game`), calls (`table_server`).
"""

import json
from collections.abc import Iterator, Sequence
from datetime import datetime

from google.protobuf.duration_pb2 import Duration
from google.protobuf.json_format import MessageToDict
from google.protobuf.message import Message

from lastcard.cli.show_game import INDENT, plain
from lastcard.cli.show_seat import table_text
from lastcard.cli.table_game import hand_of, position_of
from lastcard.rules.transcript import MATCH_TEXT, hand_text
from lastcard.tournament.durations import duration_text
from lastcard.v1 import play_service_pb2, ruleset_pb2, table_pb2

STATES = {
    "waiting": table_pb2.TABLE_STATE_WAITING,
    "running": table_pb2.TABLE_STATE_RUNNING,
    "closed": table_pb2.TABLE_STATE_CLOSED,
}
"""The states of tables as words of the command line."""

_STATE_WORDS = {number: word for word, number in STATES.items()}
_CAUSES = {
    table_pb2.CLOSE_CAUSE_FINISHED: "over",
    table_pb2.CLOSE_CAUSE_ABANDONED: "abandoned: nobody was left to play it",
    table_pb2.CLOSE_CAUSE_CANCELLED: "cancelled: its owner or the organiser closed it",
}
_STATUSES = {
    table_pb2.SEAT_STATUS_RESERVED: "awaited",
    table_pb2.SEAT_STATUS_AWAY: "away",
    table_pb2.SEAT_STATUS_LEFT: "left",
}


def json_text(message: Message) -> str:
    """A message as one line of protobuf-JSON, with the fields named as in the .proto files."""
    value = MessageToDict(message, preserving_proto_field_name=True, always_print_fields_with_no_presence=True)
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def columns(table: Sequence[Sequence[str]]) -> Iterator[str]:
    """Cells as lines in columns."""
    widths = [max(map(len, column)) for column in zip(*table, strict=True)]
    for row in table:
        yield "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()


def state_word(table: table_pb2.Table) -> str:
    """How far a table is, in one word."""
    return _STATE_WORDS.get(table.state, "running")


def seat_text(seat: table_pb2.Seat) -> str:
    """Who plays at a seat."""
    if seat.status == table_pb2.SEAT_STATUS_OPEN:
        return "(open)"
    if seat.builtin:
        own = seat.name if seat.name != seat.builtin else ""
        return plain(f"{own} (builtin {seat.builtin})" if own else f"{seat.builtin} (builtin)")
    status = _STATUSES.get(seat.status)
    return plain(seat.name or "nobody") + (f" ({status})" if status else "")


def seats_text(table: table_pb2.Table) -> str:
    """Who sits where."""
    return ", ".join(f"{seat.seat} {seat_text(seat)}" for seat in table.seats)


def rules_text(rules: ruleset_pb2.Ruleset) -> str:
    """The preset and what departs from it."""
    options = ", ".join(f"{option.name} = {option.value}" for option in rules.options)
    return plain(f"{rules.preset} with {options}" if options else rules.preset)


def _span(duration: Duration) -> str:
    return duration_text(duration.ToMilliseconds())


def table_lines(table: table_pb2.Table) -> Iterator[str]:
    """All about a table but its game."""
    yield f"table {plain(table.table_id)} is {state_word(table)}"
    sealed = table.reactions == table_pb2.REACTION_MODE_SEALED
    draws = "per_seat" if table.draws == table_pb2.DRAW_ORDER_PER_SEAT else "pile"
    yield f"rules {rules_text(table.ruleset)}; draws {draws}; reactions {'sealed' if sealed else 'open'}"
    clock = table.clock
    reaction = f", reaction {_span(clock.reaction)}" if sealed else ""
    credit = f", network credit {_span(clock.network_credit)}" if clock.network_credit.ToMilliseconds() else ""
    yield (
        f"clock: limit {_span(clock.limit)}, bank {_span(clock.bank)}{reaction}, start-up {_span(clock.start_up)}, "
        f"grace {_span(clock.grace)}{credit}"
    )
    yield f"seats {seats_text(table)}"


# ---------------------------------------------------------------------- a list of tables

COLUMNS = ("TABLE", "STATE", "OPENED", "EVENTS", "RULES", "RESULT", "SEATS")


def rows_text(tables: Sequence[table_pb2.Table]) -> Iterator[str]:
    """A row a table, below a row of headings."""
    rows = [COLUMNS, *(_row(table) for table in tables)]
    widths = [max(len(row[column]) for row in rows) for column in range(len(COLUMNS) - 1)]
    for row in rows:
        yield "  ".join([cell.ljust(width) for cell, width in zip(row, widths, strict=False)] + [row[-1]]).rstrip()


def _row(table: table_pb2.Table) -> tuple[str, ...]:
    opened = datetime.fromtimestamp(table.created_at.seconds).astimezone()
    more = f" +{len(table.ruleset.options)}" if table.ruleset.options else ""
    return (
        plain(table.table_id),
        state_word(table),
        f"{opened:%Y-%m-%d %H:%M:%S}",
        str(table.last_sequence),
        plain(table.ruleset.preset) + more,
        _outcome(table) if table.HasField("result") else "-",
        ", ".join(seat_text(seat) for seat in table.seats),
    )


def _outcome(table: table_pb2.Table) -> str:
    """The winners' names, or why there are none."""
    result = table.result
    if result.cause not in (table_pb2.CLOSE_CAUSE_FINISHED, table_pb2.CLOSE_CAUSE_UNSPECIFIED):
        return _CAUSES.get(result.cause, "closed").partition(":")[0]
    first = [_name(table, seat) for seat, place in enumerate(result.places) if place == 1]
    return f"{' and '.join(first)} won" if first else "over"


def _name(table: table_pb2.Table, seat: int) -> str:
    """The name at a seat; its number where nobody ever sat."""
    name = table.seats[seat].name or table.seats[seat].builtin if seat < len(table.seats) else ""
    return plain(name) or f"seat {seat}"


# ---------------------------------------------------------------------- a game that is on, and its end


def snapshot_lines(snapshot: play_service_pb2.TableSnapshot) -> Iterator[str]:
    """Where the game is, for somebody who comes in the middle of it."""
    view = snapshot.view
    seat = view.seat if view.HasField("seat") else None
    yield ""
    yield f"round {view.round}, turn {view.turn}, dealer {view.dealer}, after event {snapshot.sequence}"
    yield f"{INDENT}{table_text(position_of(view), seat)}"
    if seat is not None:
        yield f"{INDENT}{seat} holds {hand_text(hand_of(view))}"
    yield f"{INDENT}points so far {' '.join(map(str, view.totals))}; {view.pile_count} cards in the pile"


def result_lines(table: table_pb2.Table, result: table_pb2.MatchResult) -> Iterator[str]:
    """How a table came out: places, points, faults."""
    yield f"table {plain(table.table_id)} is {_CAUSES.get(result.cause, 'closed')}{_played(result)}"
    seats = sorted(range(len(result.points)), key=lambda seat: (_place(result, seat), seat))
    width = max((len(_name(table, seat)) for seat in seats), default=0)
    for seat in seats:
        place = f"{result.places[seat]}." if seat < len(result.places) else "-"
        yield f"{place:>4}  {_name(table, seat):<{width}}  {result.points[seat]:>5} points  (seat {seat})"
    for fault in result.faults:
        known = fault.kind in table_pb2.FaultKind.values()
        kind = table_pb2.FaultKind.Name(fault.kind).removeprefix("FAULT_KIND_") if known else f"kind {fault.kind}"
        yield f"{INDENT}FAULT {kind} of seat {fault.seat}: {plain(fault.evidence)}"


def _place(result: table_pb2.MatchResult, seat: int) -> int:
    return result.places[seat] if seat < len(result.places) else 0


def _played(result: table_pb2.MatchResult) -> str:
    rounds = "1 round" if result.rounds == 1 else f"{result.rounds} rounds"
    why = MATCH_TEXT.get(int(result.match_cause))
    return f" ({why}) after {rounds}" if why else f", after {rounds}"
