import pytest
from hypothesis import given
from hypothesis import strategies as st

from lastcard.rules.actions import play
from lastcard.services.wire.requests import frame_messages, hello_of
from lastcard.table.mail import Acknowledged, Acted, Left
from lastcard.table.refusals import DomainError, TransportReason
from lastcard.table.said import Ending, HeartbeatReply, Refusal
from lastcard.v1 import play_service_pb2 as pb

MOST = 4_096


def frame(*messages):
    return pb.PlayRequest(messages=[pb.ClientMessage(**message) for message in messages]).SerializeToString()


def said(*messages):
    return frame_messages(frame(*messages), "me", "here", received_ms=5, credit_ms=2, most_bytes=MOST)


def test_an_answer_by_index():
    act = {"table_id": "t", "decision_id": 9, "choice": 0, "call_uno": True, "catch_seats": [2, 1]}
    assert said({"act": act}) == [Acted("t", "me", "here", 9, 0, None, True, (2, 1), 5, 2)]


def test_an_answer_by_action():
    act = {"table_id": "t", "decision_id": 9, "action": {"kind": 1, "card": 17}}
    assert said({"act": act}) == [Acted("t", "me", "here", 9, None, play(17), False, (), 5, 2)]


def test_the_other_messages_in_their_order():
    assert said(
        {"leave": {"table_id": "a"}}, {"heartbeat_reply": {"number": 3}}, {"table_closed_received": {"table_id": "b"}}
    ) == [Left("a", "me", "here"), HeartbeatReply(3), Acknowledged("b", "me")]


@pytest.mark.parametrize(
    ("message", "word"),
    [
        ({"act": {"table_id": "t", "decision_id": 9}}, "neither choice nor action"),
        ({"act": {"table_id": "t", "decision_id": 9, "action": {"kind": 0}}}, "action.kind is 0"),
        ({"act": {"table_id": "t", "decision_id": 9, "action": {"kind": 77}}}, "action.kind is 77"),
        ({"act": {"table_id": "t", "decision_id": 9, "choice": 0, "catch_seats": [0] * 11}}, "names 11 seats"),
    ],
    ids=["no-answer", "kind-0", "unknown-kind", "too-many-catches"],
)
def test_a_bad_answer_is_refused_alone(message, word):
    refusal, other = said(message, {"leave": {"table_id": "a"}})
    assert isinstance(refusal, Refusal)
    assert (refusal.reason, refusal.table_id, refusal.decision_id) == (TransportReason.INVALID_ARGUMENT, "t", 9)
    assert word in refusal.sentence
    assert isinstance(other, Left)


def test_an_empty_message_is_refused_alone():
    (refusal,) = said({})
    assert refusal.reason is TransportReason.INVALID_ARGUMENT
    assert "heartbeat_reply" in refusal.sentence


def refused(read):
    with pytest.raises(DomainError) as error:
        read()
    return error.value


def test_a_frame_over_the_limit_is_refused_with_both_sizes():
    error = refused(lambda: hello_of(bytes(MOST + 1), MOST))
    assert error.reason is TransportReason.FRAME_TOO_LARGE
    assert str(MOST) in error.sentence
    assert str(MOST + 1) in error.sentence


def test_a_frame_of_the_largest_size_is_read():
    name = "x" * (MOST - 4)
    hello = frame({"leave": {"table_id": name}})
    assert len(hello) > MOST
    exact = frame({"leave": {"table_id": "x" * (len(name) - (len(hello) - MOST))}})
    assert len(exact) == MOST
    assert len(frame_messages(exact, "me", "here", received_ms=0, credit_ms=0, most_bytes=MOST)) == 1


def test_a_second_hello_ends_the_stream_after_what_came_before_it():
    leave, ending = said({"leave": {"table_id": "a"}}, {"hello": {"protocol_version": 1}})
    assert leave == Left("a", "me", "here")
    assert isinstance(ending, Ending)
    assert ending.reason is TransportReason.HELLO_REQUIRED


@pytest.mark.parametrize(
    ("opening", "reason", "word"),
    [
        (frame(), TransportReason.HELLO_REQUIRED, "empty frame"),
        (frame({"leave": {"table_id": "a"}}), TransportReason.HELLO_REQUIRED, "with leave"),
        (frame({"hello": {}}), TransportReason.VERSION_UNSUPPORTED, "version 0"),
        (frame({"hello": {"protocol_version": 2}}), TransportReason.VERSION_UNSUPPORTED, "valid is 1"),
        (frame({"hello": {"protocol_version": 1, "bot_name": "a b"}}), TransportReason.INVALID_ARGUMENT, "'a b'"),
        (frame({"hello": {"protocol_version": 1, "bot_name": "x" * 65}}), TransportReason.INVALID_ARGUMENT, "bot_name"),
        (frame({"hello": {"protocol_version": 1, "client_name": "x" * 65}}), TransportReason.INVALID_ARGUMENT, "65"),
        (b"\xff\xff\xff", TransportReason.MALFORMED, "3 bytes"),
    ],
    ids=["empty", "other-message", "no-version", "newer-version", "name", "long-name", "long-client", "no-message"],
)
def test_an_opening_that_is_no_hello_is_refused(opening, reason, word):
    error = refused(lambda: hello_of(opening, MOST))
    assert error.reason is reason
    assert word in error.sentence


def test_what_follows_hello_in_its_frame_is_kept():
    hello, rest = hello_of(
        frame({"hello": {"protocol_version": 1, "bot_name": "a"}}, {"leave": {"table_id": "t"}}), MOST
    )
    assert hello.bot_name == "a"
    assert frame_messages(rest, "me", "here", received_ms=0, credit_ms=0, most_bytes=MOST) == [Left("t", "me", "here")]


@given(st.binary(max_size=200))
def test_random_bytes_are_read_or_refused_with_a_sentence_and_nothing_else(data):
    sentences = []
    for read in (
        hello_of,
        lambda frame, most: frame_messages(frame, "", "", received_ms=0, credit_ms=0, most_bytes=most),
    ):
        try:
            read(data, MOST)
        except DomainError as error:
            sentences.append(error.sentence)
    assert all(sentences)
