import pytest
from hypothesis import given
from hypothesis import strategies as st

from lastcard.rules.ruleset import ruleset
from lastcard.services.wire.frames import WireEncoder, body_of, watch_message
from lastcard.services.wire.varint import ItemHeads, nested, tag
from lastcard.table.effects import Announce, CloseCause, NoticeKind
from lastcard.table.greeting import Greeting, Limits
from lastcard.table.mail import Body
from lastcard.table.plan import SeatPlan, TablePlan, TableResult
from lastcard.table.seats import SeatState, SeatStatus
from lastcard.v1 import play_service_pb2, table_service_pb2

ENCODER = WireEncoder("1.2.3")
PLAN = TablePlan(
    rules=ruleset("german", {"jump_in": "identical"}), seats=(SeatPlan(bot="a"), SeatPlan(builtin="greedy"))
)
TABLE = ENCODER.table("t1", PLAN)
GREETING = Greeting("i", "a", False, "lcs_x", 0, 0, False, ())


def only_message(*items):
    response = play_service_pb2.PlayResponse.FromString(b"".join(items))
    assert len(response.messages) == len(items)
    return response.messages[0]


@given(st.binary(max_size=70_000))
def test_the_body_of_an_item_is_what_was_put_in(body):
    item = ItemHeads(5).item(body)
    assert body_of(item) == body
    inner = encoded(5, body)
    assert item == encoded(1, inner)


def encoded(field, body):
    return nested(tag(field), body)


def test_items_joined_are_a_frame_of_their_messages():
    frame = ENCODER.heartbeat(1) + ENCODER.heartbeat(300) + ENCODER.draining(1_500)
    messages = play_service_pb2.PlayResponse.FromString(frame).messages
    assert [message.WhichOneof("message") for message in messages] == ["heartbeat", "heartbeat", "draining"]
    assert messages[1].heartbeat.number == 300
    assert messages[2].draining.time_left.ToMilliseconds() == 1_500


def test_welcome_tells_secret_limits_and_version():
    limits = Limits(max_frame_bytes=2_000, heartbeat_ms=2_500)
    welcome = only_message(ENCODER.welcome("s1", GREETING, limits, 16)).welcome
    assert welcome.resume_secret == GREETING.secret
    assert (welcome.session_id, welcome.bot_name, welcome.server_version) == ("s1", "a", "1.2.3")
    assert (welcome.max_frame_bytes, welcome.max_tables, welcome.protocol_version) == (2_000, 16, 1)
    assert welcome.heartbeat_interval.ToMilliseconds() == 2_500


def test_a_refusal_names_reason_sentence_table_and_wait():
    refused = only_message(ENCODER.refused(8, "too many", "t9", 250)).message_refused
    assert (refused.reason, refused.message, refused.table_id) == (8, "too many", "t9")
    assert refused.retry_after.ToMilliseconds() == 250
    assert not only_message(ENCODER.refused(4, "x", "")).message_refused.HasField("retry_after")


def test_an_answer_refused_by_the_transport_names_its_decision():
    result = only_message(ENCODER.act_refused("t9", 7, 4, "no such table")).act_result
    assert (result.table_id, result.decision_id, result.protocol_reason) == ("t9", 7, 4)
    assert not result.accepted
    assert result.message == "no such table"


def test_seated_tells_rules_clock_and_neighbours():
    seats = (SeatState("a", "", SeatStatus.PRESENT), SeatState("greedy", "greedy", SeatStatus.PRESENT))
    seated = only_message(TABLE.seated(0, seats, 17, True, None)).seated
    assert (seated.table_id, seated.seat, seated.last_sequence, seated.resumed) == ("t1", 0, 17, True)
    assert seated.ruleset.preset == "german"
    assert [(option.name, option.value) for option in seated.ruleset.options] == [("jump_in", "identical")]
    assert seated.clock.limit.ToMilliseconds() == 2_000
    assert [(seat.name, seat.builtin, seat.status) for seat in seated.seats] == [("a", "", 3), ("greedy", "greedy", 3)]


def test_closed_tells_the_result():
    result = TableResult(
        table_id="t1",
        names=("a", "greedy"),
        cause=CloseCause.FINISHED,
        match_cause=1,
        points=(10, 500),
        places=(2, 1),
        rounds=3,
        faults=(),
        last_sequence=99,
        record_hash=bytes(32),
        decisions=50,
        started_ms=1,
        ended_ms=2,
        thinking_ms=(0, 0),
    )
    closed = only_message(TABLE.closed(result, None)).table_closed
    assert (list(closed.result.points), list(closed.result.places), closed.result.rounds) == ([10, 500], [2, 1], 3)
    assert closed.result.record_hash == bytes(32)


@pytest.mark.parametrize("seat", [None, 0, 3])
def test_a_notice_names_its_seat_if_it_has_one(seat):
    notice = only_message(TABLE.notice(Announce(NoticeKind.SEAT_AWAY, seat))).notice
    assert notice.HasField("seat") == (seat is not None)
    assert (notice.table_id, notice.kind, notice.seat) == ("t1", 1, seat or 0)


def test_a_watcher_gets_the_same_body_in_its_own_envelope():
    item = TABLE.notice(Announce(NoticeKind.SEAT_BACK, 1))
    message = table_service_pb2.WatchTableResponse.FromString(watch_message(Body.NOTICE, item))
    assert message.notice == only_message(item).notice


def test_a_watcher_is_told_nothing_of_seating():
    assert watch_message(Body.SEATED, b"\x0a\x02\x12\x00") is None


def test_a_late_decision_stays_an_item():
    item = ItemHeads(3).item(b"\x0a\x02t1")
    decision = only_message(ENCODER.late_decision(item, 40)).decision
    assert (decision.table_id, decision.time_left.ToMilliseconds()) == ("t1", 40)
