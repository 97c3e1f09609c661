"""What the end of a stream means: come back, come back as somebody new, stop, or give up.

Here: reading the status of a finished call. Not here: acting on it (`connection`). Imports `lastcard.v1` and grpc.
"""

from collections.abc import Iterable
from enum import Enum, auto
from typing import Any, NamedTuple

import grpc
from google.protobuf import any_pb2, descriptor_pb2, descriptor_pool, message_factory
from google.protobuf.message import DecodeError, Message

from lastcard.v1.reason_pb2 import ErrorCause, ProtocolReason, Reason

DETAILS_KEY = "grpc-status-details-bin"


class Next(Enum):
    """What to do after a stream."""

    RECONNECT = auto()
    FORGET = auto()
    """Reconnect without the resume secret: the server does not know it any more."""
    FINISH = auto()
    """The server is done with this bot."""
    FAIL = auto()
    """It would fail again, or somebody else plays in our place."""


class Ending(NamedTuple):
    """What to do next and why, in a sentence."""

    next: Next
    sentence: str


def judge(
    code: grpc.StatusCode,
    text: str,
    cause: ErrorCause | None,
    *,
    with_token: bool,
    with_secret: bool,
    known: bool,
    draining: bool = False,
) -> Ending:
    """Judges the end of a stream.

    `with_token` and `with_secret` say how the bot identified itself on it; `known` whether the server has welcomed
    this bot before, on this stream or an earlier one; `draining` whether the server said that it shuts down.
    """
    reason = ProtocolReason.PROTOCOL_REASON_UNSPECIFIED if cause is None else cause.protocol_reason
    replaced = cause is not None and cause.reason == Reason.REASON_SESSION_REPLACED
    replaced = replaced or reason == ProtocolReason.PROTOCOL_REASON_SESSION_REPLACED
    if replaced or (code == grpc.StatusCode.ABORTED and cause is None):
        return Ending(Next.FAIL, f"another program with the same identity took the session over: {text}")
    if code == grpc.StatusCode.OK:
        if draining:
            return Ending(Next.RECONNECT, "the server has shut down")
        return Ending(Next.FINISH, "the server ended the session")
    if code == grpc.StatusCode.UNAUTHENTICATED or reason == ProtocolReason.PROTOCOL_REASON_UNAUTHENTICATED:
        if with_token:
            finished = Ending(Next.FINISH, f"the token is not valid any more, so the event is over: {text}")
            return finished if known else Ending(Next.FAIL, f"the server does not accept the token: {text}")
        if with_secret:
            return Ending(Next.FORGET, f"the server does not know this session any more: {text}")
        return Ending(Next.FAIL, f"the server wants a token (set LASTCARD_TOKEN): {text}")
    if code == grpc.StatusCode.UNIMPLEMENTED and not known:
        return Ending(Next.FAIL, f"what answers at this address is no arena that this client knows: {text}")
    if code in _HOPELESS:
        return Ending(Next.FAIL, f"the server refused the bot: {text}")
    return Ending(Next.RECONNECT, f"{'connection lost' if known else 'no connection'} ({code.name}: {text})")


_HOPELESS = frozenset(
    {
        grpc.StatusCode.FAILED_PRECONDITION,
        grpc.StatusCode.INVALID_ARGUMENT,
        grpc.StatusCode.PERMISSION_DENIED,
        grpc.StatusCode.UNIMPLEMENTED,
    }
)
"""Codes after which the same `Hello` would be refused again."""


def cause_of(trailing_metadata: Iterable[tuple[str, str | bytes]] | None) -> ErrorCause | None:
    """The `ErrorCause` in the details of a status; `None` when there is none or it cannot be read."""
    for key, value in trailing_metadata or ():
        if key != DETAILS_KEY or not isinstance(value, bytes):
            continue
        try:
            status: Any = _Status.FromString(value)
            details: Iterable[any_pb2.Any] = status.details
            for detail in details:
                cause = ErrorCause()
                if detail.Unpack(cause):
                    return cause
        except DecodeError:
            return None
    return None


def _status_class() -> type[Message]:
    """A message class that reads `google.rpc.Status`, which a base install does not hold."""
    pool = descriptor_pool.DescriptorPool()
    pool.AddSerializedFile(any_pb2.DESCRIPTOR.serialized_pb)
    file = descriptor_pb2.FileDescriptorProto(
        name="lastcard_bot/status.proto", package="lastcard_bot", syntax="proto3", dependency=[any_pb2.DESCRIPTOR.name]
    )
    status = file.message_type.add(name="Status")
    field = descriptor_pb2.FieldDescriptorProto
    status.field.add(name="code", number=1, type=field.TYPE_INT32, label=field.LABEL_OPTIONAL)
    status.field.add(name="message", number=2, type=field.TYPE_STRING, label=field.LABEL_OPTIONAL)
    status.field.add(
        name="details",
        number=3,
        type=field.TYPE_MESSAGE,
        type_name=".google.protobuf.Any",
        label=field.LABEL_REPEATED,
    )
    pool.Add(file)
    return message_factory.GetMessageClass(pool.FindMessageTypeByName("lastcard_bot.Status"))


_Status = _status_class()
