"""Items of frames: what the two encoder ports of `table` ask for.

Here: `WireEncoder`, `TableWriter`. Not here: the bodies of hot messages (`events`, `views`, `decisions`). A frame is
its items joined, since repeated fields of protobuf concatenate.
"""

from collections.abc import Sequence
from functools import lru_cache

from lastcard.rules.view import View
from lastcard.services.wire import decisions
from lastcard.services.wire.decisions import decision_body, receipt_body, verdict_body
from lastcard.services.wire.events import event_item, present
from lastcard.services.wire.rulesets import clock_body, ruleset_body
from lastcard.services.wire.tables import result_message, seat_message
from lastcard.services.wire.varint import VARINT, ItemHeads, joined, nested, number, span, tag, text
from lastcard.services.wire.views import ViewWriter
from lastcard.table.effects import Announce, Ask, Receipt, Verdict, Withdraw
from lastcard.table.greeting import Greeting, Limits
from lastcard.table.mail import Body
from lastcard.table.plan import TablePlan, TableResult
from lastcard.table.refusals import shortened
from lastcard.table.seats import SeatState
from lastcard.v1 import play_service_pb2, table_pb2

PROTOCOL_VERSION = 1

(
    _WELCOME,
    _SEATED,
    _DECISION,
    _ACT_RESULT,
    _EVENTS,
    _SNAPSHOT,
    _NOTICE,
    _CLOSED,
    _HEARTBEAT,
    _DRAINING,
    _REFUSED,
    _DECISION_CLOSED,
) = (ItemHeads(field) for field in range(1, 13))
"""Kinds of `ServerMessage` as items of `PlayResponse`; their tags have one byte, on which `body_of` relies."""

_WATCH_TAGS = {
    Body.SNAPSHOT: tag(1),
    Body.EVENTS: tag(2),
    Body.DECISION: tag(3),
    Body.NOTICE: tag(4),
    Body.CLOSED: tag(5),
    Body.DECISION_CLOSED: tag(6),
}
"""Fields of `WatchTableResponse`."""

_N = tuple(tag(field, VARINT) for field in range(10))
_L = tuple(tag(field) for field in range(10))


def body_of(item: bytes) -> bytes:
    """The body within an item: two tags of a byte and two lengths before it."""
    at = _after_varint(item, 1)
    return item[_after_varint(item, at + 1) :]


def _after_varint(data: bytes, at: int) -> int:
    while data[at] > 127:
        at += 1
    return at + 1


def watch_message(kind: Body, item: bytes) -> bytes | None:
    """A whole `WatchTableResponse` from an item of a play stream; `None` for what watchers are not told."""
    field_tag = _WATCH_TAGS.get(kind)
    return None if field_tag is None else nested(field_tag, body_of(item))


@lru_cache(maxsize=4096)
def _seat_body(place: int, state: SeatState) -> bytes:
    return seat_message(place, state).SerializeToString()


class WireEncoder:
    """The encoder of sessions, and the maker of tables' encoders.

    `server_version` is told in `Welcome`.
    """

    def __init__(self, server_version: str) -> None:
        self._server_version = server_version

    def table(self, table_id: str, plan: TablePlan) -> "TableWriter":
        """The encoder of one table."""
        return TableWriter(table_id, plan)

    def late_decision(self, item: bytes, time_left_ms: int) -> bytes:
        """The item of a decision with less time left than it says."""
        return _DECISION.item(decisions.late_decision_body(body_of(item), time_left_ms))

    def welcome(self, session_id: str, greeting: Greeting, limits: Limits, max_tables: int) -> bytes:
        """The item that answers `Hello`."""
        message = play_service_pb2.Welcome(
            session_id=session_id,
            bot_name=greeting.bot,
            resume_secret=greeting.secret,
            server_version=self._server_version,
            protocol_version=PROTOCOL_VERSION,
            max_frame_bytes=limits.max_frame_bytes,
            max_tables=max_tables,
        )
        message.heartbeat_interval.FromMilliseconds(limits.heartbeat_ms)
        return _WELCOME.item(message.SerializeToString())

    def heartbeat(self, number_: int) -> bytes:
        """The item of a heartbeat."""
        return _HEARTBEAT.item(number(_N[1], number_))

    def draining(self, time_left_ms: int) -> bytes:
        """The item that tells that the server is shutting down."""
        return _DRAINING.item(nested(_L[1], span(time_left_ms)))

    def refused(self, reason: int, sentence: str, table_id: str, retry_after_ms: int | None = None) -> bytes:
        """The item of a `MessageRefused`."""
        retry = b"" if retry_after_ms is None else nested(_L[4], span(retry_after_ms))
        return _REFUSED.item(number(_N[1], reason) + text(_L[2], shortened(sentence)) + text(_L[3], table_id) + retry)

    def act_refused(self, table_id: str, decision_id: int, reason: int, sentence: str) -> bytes:
        """The item of an `ActResult` that the transport alone gives."""
        said = text(_L[6], shortened(sentence))
        body = text(_L[1], table_id) + number(_N[2], decision_id) + number(_N[5], reason) + said
        return _ACT_RESULT.item(body)


class TableWriter:
    """The encoder of one table; keeps what is the same in all its messages."""

    def __init__(self, table_id: str, plan: TablePlan) -> None:
        self._id = table_id
        reactions = table_pb2.REACTION_MODE_SEALED if plan.sealed else table_pb2.REACTION_MODE_OPEN
        self._rules_and_clock = (
            nested(_L[3], ruleset_body(plan.rules)) + nested(_L[4], clock_body(plan.clock)) + number(_N[5], reactions)
        )
        self._closed = plan.closed
        self._result = b""
        self._table_id = nested(_L[1], table_id.encode())
        self._views = ViewWriter(ruleset_body(plan.rules))
        self._receipts: list[tuple[Receipt | None, bytes]] = [(None, b"")] * len(plan.seats)

    event = staticmethod(event_item)

    def events(self, entries: Sequence[bytes]) -> bytes:
        """The item of a `TableEvents`."""
        return _EVENTS.item(self._table_id + b"".join(entries))

    def snapshot(self, sequence: int, view: View) -> bytes:
        """The item of a `TableSnapshot`."""
        return _SNAPSHOT.item(self._table_id + number(_N[2], sequence) + nested(_L[3], self._views.body(view)))

    def decision(self, ask: Ask, sequence: int, view: View) -> bytes:
        """The item of a `Decision`."""
        receipt = self._receipt(ask.seat, ask.previous_receipt)
        return _DECISION.item(decision_body(self._table_id, ask, sequence, self._views.body(view), receipt))

    def _receipt(self, seat: int, receipt: Receipt | None) -> bytes:
        """The body of a receipt; each is written once, since the next decision repeats it."""
        if receipt is None:
            return b""
        known = self._receipts[seat]
        if known[0] is receipt:
            return known[1]
        body = receipt_body(receipt)
        self._receipts[seat] = (receipt, body)
        return body

    def view(self, view: View) -> bytes:
        """The body of a `View`."""
        return self._views.body(view)

    def decision_closed(self, withdraw: Withdraw) -> bytes:
        """The item of a `DecisionClosed`."""
        receipt = self._receipt(withdraw.seat, withdraw.receipt)
        return _DECISION_CLOSED.item(decisions.decision_closed_body(self._table_id, withdraw, receipt))

    def verdict(self, verdict: Verdict) -> bytes:
        """The item of an `ActResult`."""
        receipt = self._receipt(verdict.seat, verdict.receipt)
        return _ACT_RESULT.item(verdict_body(self._table_id, verdict, receipt))

    def notice(self, announce: Announce) -> bytes:
        """The item of a `Notice`."""
        return _NOTICE.item(self._table_id + number(_N[2], announce.kind) + present(_N[3], announce.seat))

    def seated(
        self, seat: int, seats: Sequence[SeatState], last_sequence: int, resumed: bool, receipt: Receipt | None
    ) -> bytes:
        """The item of a `Seated`."""
        return _SEATED.item(
            b"".join(
                (
                    self._table_id,
                    number(_N[2], seat),
                    self._rules_and_clock,
                    joined(_L[6], [_seat_body(place, state) for place, state in enumerate(seats)]),
                    number(_N[7], last_sequence),
                    number(_N[8], resumed),
                    nested(_L[9], receipt_body(receipt)) if receipt is not None else b"",
                )
            )
        )

    def closed(self, result: TableResult, receipt: Receipt | None) -> bytes:
        """The item of a `TableClosed`."""
        if not self._result:
            self._result = nested(_L[2], result_message(result, closed=self._closed).SerializeToString())
        told = nested(_L[3], receipt_body(receipt)) if receipt is not None else b""
        return _CLOSED.item(self._table_id + self._result + told)

    def refused(self, reason: int, sentence: str) -> bytes:
        """The item of a `MessageRefused` about this table."""
        return _REFUSED.item(number(_N[1], reason) + text(_L[2], sentence) + text(_L[3], self._id))
