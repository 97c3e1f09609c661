import pytest
from hypothesis import given
from hypothesis import strategies as st

import event_strategies
from lastcard.services.wire.events import _BODIES, _RARE, _TAGGED, event_item
from lastcard.v1 import play_service_pb2
from wire_reference import event_message


@pytest.mark.parametrize("kind", event_strategies.OF_TYPE, ids=lambda kind: kind.__name__)
@given(data=st.data(), sequence=st.integers(1, 100_000))
def test_an_event_is_written_as_the_generated_classes_write_it(kind, data, sequence):
    event = data.draw(event_strategies.OF_TYPE[kind])
    expected = play_service_pb2.TableEvents(events=[event_message(sequence, event)]).SerializeToString()
    assert event_item(sequence, event) == expected


def test_every_kind_of_event_can_be_written():
    assert set(_BODIES) == set(event_strategies.OF_TYPE)


@given(first=event_strategies.EVENTS, second=event_strategies.EVENTS)
def test_equal_tuples_of_two_types_are_two_events(first, second):
    assert event_item(1, first) == play_service_pb2.TableEvents(events=[event_message(1, first)]).SerializeToString()
    assert event_item(2, second) == play_service_pb2.TableEvents(events=[event_message(2, second)]).SerializeToString()


@pytest.mark.parametrize("kind", _RARE, ids=lambda kind: kind.__name__)
@given(data=st.data())
def test_events_that_hardly_ever_come_again_are_not_kept(kind, data):
    event_item(1, data.draw(event_strategies.OF_TYPE[kind]))
    assert _TAGGED[kind] == {}
