"""What bots send, as plain values, checked field by field.

Here: frames of a play stream and `Hello`. Not here: what is done with them (`table.session`). A frame that is no
message at all is MALFORMED; a single bad message is refused alone, and the rest of its frame counts.
"""

from google.protobuf.message import DecodeError

from lastcard.services.wire.actions import action_value
from lastcard.services.wire.frames import PROTOCOL_VERSION
from lastcard.table.mail import Acknowledged, Acted, Left
from lastcard.table.plan import NAME
from lastcard.table.refusals import DomainError, TransportReason
from lastcard.table.said import Ending, HeartbeatReply, Refusal, Said
from lastcard.v1 import play_service_pb2, table_pb2

MOST_CATCHES = 10
"""A table has no more seats."""

MOST_MESSAGES = 10_000
"""In a frame: more than a bot with all its tables can have to say, and read in a few hundredths of a second."""

MOST_CURSORS = 4_096
LONGEST_TEXT = 64


def frame_messages(
    frame: bytes, identity: str, address: str, *, received_ms: int, credit_ms: int, most_bytes: int
) -> list[Said]:
    """The messages of a frame.

    Raises:
        DomainError: FRAME_TOO_LARGE, MALFORMED; both end the stream.
    """
    said: list[Said] = []
    for message in parse_frame(frame, most_bytes).messages:
        kind = message.WhichOneof("message")
        if kind == "act":
            said.append(act_value(message.act, identity, address, received_ms, credit_ms))
        else:
            said.append(_other(message, kind, identity, address))
    return said


def parse_frame(frame: bytes, most_bytes: int) -> play_service_pb2.PlayRequest:
    """The frame as a message.

    Raises:
        DomainError: FRAME_TOO_LARGE, MALFORMED.
    """
    if len(frame) > most_bytes:
        sentence = f"the frame has {len(frame)} bytes; the most that is read is {most_bytes}: send several frames"
        raise DomainError(TransportReason.FRAME_TOO_LARGE, sentence, bytes=len(frame), most=most_bytes)
    try:
        request = play_service_pb2.PlayRequest.FromString(frame)
    except DecodeError as error:
        sentence = f"the frame's {len(frame)} bytes are no lastcard.v1.PlayRequest"
        raise DomainError(TransportReason.MALFORMED, sentence, bytes=len(frame)) from error
    count = len(request.messages)
    if count > MOST_MESSAGES:
        sentence = f"the frame has {count} messages; the most that is read is {MOST_MESSAGES}: send several frames"
        raise DomainError(TransportReason.FRAME_TOO_LARGE, sentence, messages=count, most=MOST_MESSAGES)
    return request


def act_value(act: table_pb2.Act, identity: str, address: str, received_ms: int, credit_ms: int) -> Acted | Refusal:
    """An answer, or why it is none."""
    table_id, decision_id = act.table_id, act.decision_id
    catches = act.catch_seats
    if len(catches) > MOST_CATCHES:
        sentence = f"catch_seats names {len(catches)} seats; a table has at most {MOST_CATCHES}"
        return Refusal(TransportReason.INVALID_ARGUMENT, sentence, table_id, decision_id)
    answer = act.WhichOneof("answer")
    if answer == "choice":
        return Acted(
            table_id,
            identity,
            address,
            decision_id,
            act.choice,
            None,
            act.call_uno,
            tuple(catches) if catches else (),
            received_ms,
            credit_ms,
        )
    if answer is None:
        sentence = "the act says neither choice nor action; set choice to an index into legal_actions, or action"
        return Refusal(TransportReason.INVALID_ARGUMENT, sentence, table_id, decision_id)
    action = action_value(act.action)
    if action is None:
        sentence = f"action.kind is {act.action.kind}; valid are 1 (PLAY) to 10 (PASS)"
        return Refusal(TransportReason.INVALID_ARGUMENT, sentence, table_id, decision_id)
    return Acted(
        table_id, identity, address, decision_id, None, action, act.call_uno, tuple(catches), received_ms, credit_ms
    )


def _other(message: play_service_pb2.ClientMessage, kind: str | None, identity: str, address: str) -> Said:
    if kind == "heartbeat_reply":
        return HeartbeatReply(message.heartbeat_reply.number)
    if kind == "table_closed_received":
        return Acknowledged(message.table_closed_received.table_id, identity)
    if kind == "leave":
        return Left(message.leave.table_id, identity, address)
    if kind == "hello":
        return Ending(TransportReason.HELLO_REQUIRED, "a second Hello came; it opens a stream and comes once")
    sentence = (
        "the message says nothing that is known here; valid are act, leave, heartbeat_reply, table_closed_received"
    )
    return Refusal(TransportReason.INVALID_ARGUMENT, sentence, "", 0)


def hello_of(frame: bytes, most_bytes: int) -> tuple[play_service_pb2.Hello, bytes]:
    """The `Hello` that opens a stream, checked, and what else its frame held, as a frame.

    Raises:
        DomainError: FRAME_TOO_LARGE, MALFORMED, HELLO_REQUIRED, VERSION_UNSUPPORTED, INVALID_ARGUMENT.
    """
    request = parse_frame(frame, most_bytes)
    if not request.messages or request.messages[0].WhichOneof("message") != "hello":
        first = request.messages[0].WhichOneof("message") if request.messages else None
        what = f"with {first}" if first else "with an empty frame"
        sentence = f"the stream opened {what}; its first message must be Hello"
        raise DomainError(TransportReason.HELLO_REQUIRED, sentence)
    hello = request.messages[0].hello
    if hello.protocol_version != PROTOCOL_VERSION:
        sentence = f"protocol version {hello.protocol_version} is not spoken here; valid is {PROTOCOL_VERSION}"
        raise DomainError(
            TransportReason.VERSION_UNSUPPORTED, sentence, version=hello.protocol_version, valid=PROTOCOL_VERSION
        )
    _check_hello(hello)
    del request.messages[0]
    return hello, request.SerializeToString() if request.messages else b""


def _check_hello(hello: play_service_pb2.Hello) -> None:
    for name in ("bot_version", "client_name", "client_version"):
        value = getattr(hello, name)
        if len(value) > LONGEST_TEXT:
            sentence = f"hello.{name} has {len(value)} characters; the most is {LONGEST_TEXT}"
            raise DomainError(TransportReason.INVALID_ARGUMENT, sentence, field=f"hello.{name}")
    if hello.bot_name and not NAME.fullmatch(hello.bot_name):
        sentence = f"hello.bot_name is {hello.bot_name!r}; a name is 1 to 64 letters, digits, '-', '_' or '.'"
        raise DomainError(TransportReason.INVALID_ARGUMENT, sentence, field="hello.bot_name")
    if len(hello.cursors) > MOST_CURSORS:
        sentence = f"hello.cursors has {len(hello.cursors)} entries; the most is {MOST_CURSORS}"
        raise DomainError(TransportReason.INVALID_ARGUMENT, sentence, field="hello.cursors")
