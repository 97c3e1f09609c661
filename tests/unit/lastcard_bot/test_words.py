"""What happens to a bot, in words."""

import pytest

from bot_messages import table_closed
from lastcard.v1.play_service_pb2 import Seated
from lastcard.v1.table_pb2 import Seat
from lastcard_bot.words import fault_texts, protocol_reason_name, reason_name, result_text, seat_text


def closed(cause: int, *points: int, places=()):
    message = table_closed().table_closed
    message.result.cause = cause
    message.result.points.extend(points)
    message.result.places.extend(places)
    return message


@pytest.mark.parametrize(
    ("function", "number", "name"),
    [
        (reason_name, 3, "CARD_NOT_PLAYABLE"),
        (reason_name, 77, "reason 77"),
        (protocol_reason_name, 8, "TOO_FAST"),
        (protocol_reason_name, 77, "reason 77"),
    ],
)
def test_reasons_have_short_names(function, number, name):
    assert function(number) == name


@pytest.mark.parametrize(
    ("seats", "text"),
    [
        ([], "table t, seat 1"),
        ([Seat(name="me"), Seat(builtin="greedy"), Seat()], "table t, seat 1 of me, greedy, nobody yet"),
    ],
)
def test_a_seat_is_told_with_its_neighbours(seats, text):
    assert seat_text(Seated(table_id="t", seat=1, seats=seats)) == text


@pytest.mark.parametrize(
    ("result", "seat", "text"),
    [
        (closed(1, 120, 30, places=[1, 2]), 1, "table t is over: place 2 of 2, 30 points (all: 120 30)"),
        (closed(2, 0, 0, places=[1, 1]), 0, "table t is over, abandoned: place 1 of 2, 0 points (all: 0 0)"),
        (closed(3), 0, "table t is over, cancelled"),
        (closed(9), 0, "table t is over, closed"),
        (closed(1, 5, places=[1]), None, "table t is over"),
        (closed(1, 5, places=[1]), 4, "table t is over"),
    ],
    ids=["finished", "abandoned", "cancelled", "unknown", "no-seat", "other-seat"],
)
def test_a_result_is_told_for_the_own_seat(result, seat, text):
    assert result_text(result, seat) == text


def test_faults_are_told_with_their_evidence():
    message = closed(1)
    for seat, kind in ((0, 1), (1, 3), (0, 88)):
        message.result.faults.add(seat=seat, kind=kind, evidence="so it was")
    assert fault_texts(message, 0) == ["table t, fault TIMEOUT: so it was", "table t, fault kind 88: so it was"]
    assert fault_texts(message, None) == []
