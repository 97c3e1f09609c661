import pytest

from lastcard.table.mail import Body, Delivery
from lastcard.table.outbox import FRAME_BYTES, SENT_WITHIN_MS, Outbox


def late(item, left_ms):
    return item + f"({left_ms} left)".encode()


@pytest.fixture
def outbox():
    return Outbox(late)


def decision(number, limit_ms=2_000, item=b"?"):
    return Delivery(("a",), Body.DECISION, "t", item, number, limit_ms)


def test_a_frame_is_all_that_waits_in_order(outbox):
    for item in (b"1", b"2", b"3"):
        outbox.add(item)
    assert outbox.pack(0) == (b"123", [])
    assert not outbox
    assert outbox.bytes == 0


def test_a_decision_is_reported_once_by_the_frame_that_takes_it(outbox):
    outbox.add(b"1")
    outbox.add_decision(decision(7), 0)
    assert outbox.pack(10) == (b"1?", [decision(7)])
    outbox.add(b"2")
    assert outbox.pack(20) == (b"2", [])


def test_what_is_too_much_for_a_frame_leaves_with_the_next(outbox):
    big = bytes(FRAME_BYTES - 10)
    outbox.add(big)
    outbox.add_decision(decision(7, item=b"?" * 20), 0)
    assert outbox.pack(0) == (big, [])
    assert outbox.bytes == 20
    assert outbox.pack(0) == (b"?" * 20, [decision(7, item=b"?" * 20)])


def test_an_item_larger_than_a_frame_leaves_alone(outbox):
    outbox.add(bytes(FRAME_BYTES + 1))
    outbox.add(b"2")
    assert len(outbox.pack(0)[0]) == FRAME_BYTES + 1
    assert outbox.pack(0) == (b"2", [])


def test_a_decision_that_cannot_leave_is_started_after_its_allowance(outbox):
    outbox.add_decision(decision(7), 1_000)
    assert outbox.overdue(1_000 + SENT_WITHIN_MS - 1) == []
    assert outbox.has_unstarted()
    assert outbox.overdue(1_000 + SENT_WITHIN_MS) == [decision(7)]
    assert outbox.overdue(1_000 + SENT_WITHIN_MS) == []
    assert not outbox.has_unstarted()


def test_all_that_wait_can_be_started_before_their_allowance_is_over(outbox):
    outbox.add_decision(decision(7), 1_000, 900)
    outbox.add_decision(decision(8), 1_000)
    assert outbox.unstarted(1_000) == [decision(8)]
    assert outbox.unstarted(1_000) == []
    assert outbox.overdue(9_999) == []


def test_a_decision_started_before_it_leaves_tells_its_true_time_left(outbox):
    outbox.add(b"1")
    outbox.add_decision(decision(7), 0)
    outbox.overdue(100)
    outbox.add_decision(decision(8), 200)
    assert outbox.pack(900) == (b"1?(1200 left)?", [decision(8)])


def test_no_time_left_is_told_as_none_rather_than_less(outbox):
    outbox.add_decision(decision(7, limit_ms=50), 0)
    outbox.overdue(100)
    assert outbox.pack(900) == (b"?(0 left)", [])


def test_cleared_is_empty(outbox):
    outbox.add_decision(decision(7), 0)
    outbox.clear()
    assert not outbox
    assert outbox.overdue(9_999) == []
