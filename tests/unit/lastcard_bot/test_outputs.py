"""Packing messages into frames."""

import pytest

from lastcard.v1.play_service_pb2 import ClientMessage, PlayRequest
from lastcard.v1.table_pb2 import Act
from lastcard_bot.outputs import frames


def messages(count: int, table: str = "t") -> list[ClientMessage]:
    return [ClientMessage(act=Act(table_id=table, decision_id=number)) for number in range(count)]


def test_without_a_limit_all_goes_into_one_frame():
    assert frames(messages(500), 0) == [messages(500)]


def test_nothing_makes_no_frame():
    assert frames([], 100) == []


@pytest.mark.parametrize("limit", [40, 64, 100, 1_000])
def test_no_frame_is_larger_than_the_limit_and_the_order_stays(limit):
    packed = frames(messages(200), limit)
    assert [message for frame in packed for message in frame] == messages(200)
    assert max(PlayRequest(messages=frame).ByteSize() for frame in packed) <= limit
    assert len(packed) <= 2 + sum(message.ByteSize() + 6 for message in messages(200)) // (limit - 20)


def test_a_message_over_the_limit_has_a_frame_of_its_own():
    [small], [large] = messages(1), messages(1, "x" * 200)
    assert frames([small, large, small, small], 100) == [[small], [large], [small, small]]
