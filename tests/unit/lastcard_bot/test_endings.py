"""What the end of a stream means."""

import grpc
import pytest
from google.protobuf import any_pb2, duration_pb2
from google.rpc import status_pb2

from lastcard.rules.reasons import Reason as GameReason
from lastcard.services.errors import status_of
from lastcard.table.refusals import DomainError, TransportReason
from lastcard.v1.reason_pb2 import ErrorCause, ProtocolReason, Reason
from lastcard_bot.endings import DETAILS_KEY, Next, cause_of, judge

Code = grpc.StatusCode


def ending(code=Code.UNAVAILABLE, cause: ErrorCause | None = None, **fields):
    return judge(code, "because", cause, **{"with_token": False, "with_secret": False, "known": True, **fields})


def transport(name: str) -> ErrorCause:
    return ErrorCause(protocol_reason=ProtocolReason.Value(f"PROTOCOL_REASON_{name}"))


@pytest.mark.parametrize(
    "code",
    [
        Code.UNAVAILABLE,
        Code.INTERNAL,
        Code.UNKNOWN,
        Code.CANCELLED,
        Code.RESOURCE_EXHAUSTED,
        Code.DEADLINE_EXCEEDED,
        Code.ABORTED,
    ],
)
def test_a_lost_connection_is_made_again(code):
    judged = ending(code, transport("DRAINING"))
    assert judged.next is Next.RECONNECT
    assert judged.sentence == f"connection lost ({code.name}: because)"


def test_a_connection_that_never_was_is_not_called_lost():
    assert ending(known=False).sentence == "no connection (UNAVAILABLE: because)"


def test_a_server_that_is_no_arena_is_not_tried_again():
    judged = ending(Code.UNIMPLEMENTED, known=False)
    assert judged == (Next.FAIL, "what answers at this address is no arena that this client knows: because")


@pytest.mark.parametrize(
    "cause",
    [transport("SESSION_REPLACED"), ErrorCause(reason=Reason.REASON_SESSION_REPLACED)],
    ids=["transport", "game"],
)
@pytest.mark.parametrize("code", [Code.ABORTED, Code.INTERNAL, Code.OK])
def test_a_session_that_another_program_took_over_is_not_fought_over(code, cause):
    judged = ending(code, cause)
    assert judged.next is Next.FAIL
    assert "another program with the same identity" in judged.sentence


def test_an_abort_without_a_cause_counts_as_replaced():
    assert ending(Code.ABORTED).next is Next.FAIL


def test_a_server_that_ends_the_stream_in_good_order_is_done_with_the_bot():
    assert ending(Code.OK).next is Next.FINISH


def test_a_server_that_said_it_shuts_down_will_be_back():
    assert ending(Code.OK, draining=True).next is Next.RECONNECT


@pytest.mark.parametrize(
    ("code", "cause"),
    [(Code.UNAUTHENTICATED, None), (Code.INTERNAL, transport("UNAUTHENTICATED"))],
    ids=["status", "message"],
)
@pytest.mark.parametrize(
    ("who", "next_step", "said"),
    [
        ({"with_token": True, "known": True}, Next.FINISH, "the event is over"),
        ({"with_token": True, "known": False}, Next.FAIL, "does not accept the token"),
        ({"with_secret": True}, Next.FORGET, "does not know this session"),
        ({}, Next.FAIL, "set LASTCARD_TOKEN"),
    ],
    ids=["revoked", "wrong", "forgotten", "needed"],
)
def test_who_is_not_known_any_more(code, cause, who, next_step, said):
    judged = ending(code, cause, **who)
    assert judged.next is next_step
    assert said in judged.sentence
    assert judged.sentence.endswith("because")


@pytest.mark.parametrize(
    "code", [Code.FAILED_PRECONDITION, Code.INVALID_ARGUMENT, Code.PERMISSION_DENIED, Code.UNIMPLEMENTED]
)
def test_what_would_be_refused_again_is_not_tried_again(code):
    judged = ending(code)
    assert judged.next is Next.FAIL
    assert judged.sentence == "the server refused the bot: because"


@pytest.mark.parametrize("reason", list(TransportReason), ids=lambda reason: reason.name)
def test_every_reason_that_the_server_gives_is_read(reason):
    status = status_of(DomainError(reason, "because", fact=1, retry_after_ms=5))
    cause = cause_of(((DETAILS_KEY, status.SerializeToString()),))
    assert ProtocolReason.Name(cause.protocol_reason) == f"PROTOCOL_REASON_{reason.name}"


def test_a_reason_of_the_game_is_read():
    status = status_of(DomainError(GameReason.FORBIDDEN, "because"))
    assert cause_of((("x", "y"), (DETAILS_KEY, status.SerializeToString()))).reason == Reason.REASON_FORBIDDEN


def test_details_of_others_are_passed_over():
    status = status_pb2.Status(
        code=14, details=[any_pb2.Any(type_url="type.googleapis.com/other.Thing", value=b"\xff")]
    )
    packed = any_pb2.Any()
    packed.Pack(duration_pb2.Duration(seconds=1))
    status.details.append(packed)
    assert cause_of(((DETAILS_KEY, status.SerializeToString()),)) is None


@pytest.mark.parametrize(
    "metadata",
    [None, (), (("other", b"1"),), ((DETAILS_KEY, "text"),), ((DETAILS_KEY, b"\xff\xff\xff"),)],
    ids=["none", "empty", "other", "text", "rubbish"],
)
def test_a_status_without_readable_details_has_no_cause(metadata):
    assert cause_of(metadata) is None
