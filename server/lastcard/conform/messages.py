"""Messages of a server in few words.

Here: one function a message, and what a newer server might add to any. Not here: what is true at a table (`tables`).
Imports
`lastcard.v1` and the wire's encoding.
"""

from typing import TypeVar

from google.protobuf.message import Message

from lastcard.services.wire.varint import VARINT, nested, number, tag, text
from lastcard.v1.play_service_pb2 import Draining, Heartbeat, MessageRefused, Notice, ServerMessage
from lastcard.v1.reason_pb2 import ProtocolReason, Reason
from lastcard.v1.table_pb2 import Act, Decision, Receipt

SENT_S = 1_800_000_000
"""When decisions of the kit are sent, in unix seconds, if anybody asks."""
CHARGED_MS = 20

_M = TypeVar("_M", bound=Message)

_UNKNOWN_FIELDS = number(tag(4000, VARINT), 42) + text(tag(4001), "new") + tag(4002, 5) + bytes(4)
"""A number, a text and four bytes in fields that no message has yet."""
_UNKNOWN_KIND = nested(tag(3912), text(tag(1), "new"))
"""The body of a `ServerMessage` of a kind that nobody knows yet."""


def receipt(decision_id: int, *, bank_s: int | None = 60, timed_out: bool = False) -> Receipt:
    """The account of a decision that was answered in time, or not."""
    made = Receipt(decision_id=decision_id, timed_out=timed_out)
    made.sent_at.seconds = SENT_S
    if not timed_out:
        made.received_at.seconds = SENT_S
        made.received_at.nanos = CHARGED_MS * 1_000_000
    made.charged.FromMilliseconds(CHARGED_MS)
    if bank_s is not None:
        made.bank_left.FromSeconds(bank_s)
    return made


def accepted(decision: Decision | Act, *, closes: bool = True) -> ServerMessage:
    """The answer took effect; one that does not close its decision has no receipt."""
    message = ServerMessage()
    result = message.act_result
    result.table_id, result.decision_id, result.accepted = decision.table_id, decision.decision_id, True
    if closes:
        result.receipt.CopyFrom(receipt(decision.decision_id))
    return message


def refused(decision: Decision | Act, reason: str, sentence: str, *, left: int = 2) -> ServerMessage:
    """The answer was refused, for a reason of the game or of the transport by its short name."""
    message = ServerMessage()
    result = message.act_result
    result.table_id, result.decision_id, result.message = decision.table_id, decision.decision_id, sentence
    result.refusals_left = left
    if f"REASON_{reason}" in Reason.keys():  # noqa: SIM118 - an enum's wrapper is no dict
        result.reason = Reason.Value(f"REASON_{reason}")
    else:
        result.protocol_reason = ProtocolReason.Value(f"PROTOCOL_REASON_{reason}")
    return message


def decision_closed(decision: Decision, reason: str = "STALE_DECISION") -> ServerMessage:
    """The decision needs no answer any more: TURN_EXPIRED or STALE_DECISION."""
    message = ServerMessage()
    closed = message.decision_closed
    closed.table_id, closed.decision_id = decision.table_id, decision.decision_id
    closed.reason = Reason.Value(f"REASON_{reason}")
    closed.receipt.CopyFrom(receipt(decision.decision_id, timed_out=reason == "TURN_EXPIRED"))
    return message


def message_refused(reason: str, sentence: str, table_id: str = "") -> ServerMessage:
    """A message was refused that was no answer."""
    value = ProtocolReason.Value(f"PROTOCOL_REASON_{reason}")
    return ServerMessage(message_refused=MessageRefused(reason=value, message=sentence, table_id=table_id))


def heartbeat(count: int) -> ServerMessage:
    """The server lives."""
    return ServerMessage(heartbeat=Heartbeat(number=count))


def draining(seconds: float) -> ServerMessage:
    """The server shuts down."""
    message = ServerMessage(draining=Draining())
    message.draining.time_left.FromMilliseconds(round(seconds * 1000))
    return message


def notice(table_id: str, kind: int, seat: int | None = None) -> ServerMessage:
    """Something that is not part of the game."""
    message = ServerMessage(notice=Notice(table_id=table_id, kind=kind))  # type: ignore[arg-type]
    if seat is not None:
        message.notice.seat = seat
    return message


def unknown_message() -> ServerMessage:
    """A message of a kind that no client knows yet."""
    return ServerMessage.FromString(_UNKNOWN_KIND)


def with_unknown_fields(message: _M) -> _M:
    """The message with fields that no client knows yet, in it and in every message in it."""
    for field, value in message.ListFields():
        if field.type != field.TYPE_MESSAGE:
            continue
        for part in [value] if isinstance(value, Message) else value:
            with_unknown_fields(part)
    message.MergeFromString(_UNKNOWN_FIELDS)
    return message
