"""Events as JSON equal protobuf-JSON of the same events, and can be read back."""

import json
import re
from typing import Any

import pytest
from google.protobuf.json_format import MessageToDict, Parse
from hypothesis import given
from hypothesis import strategies as st

from event_strategies import EVENTS, OF_TYPE
from lastcard.rules import events
from lastcard.rules.events import Event
from lastcard.rules.record_json import CARD_NAMES, COLOR_NAMES, event_text
from lastcard.rules.record_json_reader import EventError, event_from
from lastcard.v1 import card_pb2, event_pb2


def message_of(sequence: int, event: Event) -> event_pb2.Event:
    """The protobuf message of an event, made from the names of its fields alone."""
    name = re.sub(r"(?<!^)(?=[A-Z])", "_", type(event).__name__).lower()
    message = event_pb2.Event(sequence=sequence)
    part = getattr(message, name)
    part.SetInParent()
    for field, value in event._asdict().items():
        if field == "hands":
            part.hands.extend(event_pb2.SeatHand(seat=seat, cards=cards) for seat, cards in value)
        elif isinstance(value, tuple):
            getattr(part, field).extend(value)
        elif value is not None:
            setattr(part, field, value)
    return message


def test_every_event_of_the_wire_has_its_tuple() -> None:
    on_the_wire = {field.name for field in event_pb2.Event.DESCRIPTOR.oneofs_by_name["event"].fields}
    assert on_the_wire == {re.sub(r"(?<!^)(?=[A-Z])", "_", kind.__name__).lower() for kind in OF_TYPE}
    assert set(OF_TYPE) == set(Event.__args__)


@pytest.mark.parametrize("kind", OF_TYPE, ids=lambda kind: kind.__name__)
@given(data=st.data(), sequence=st.integers(1, 2**32 - 1))
def test_text_equals_protobuf_json(kind: type, data: st.DataObject, sequence: int) -> None:
    event = data.draw(OF_TYPE[kind])
    message = message_of(sequence, event)
    text = event_text(sequence, event)
    expected = MessageToDict(message, preserving_proto_field_name=True, always_print_fields_with_no_presence=True)
    assert json.loads(text) == expected
    assert Parse(text, event_pb2.Event()) == message


@given(EVENTS, st.integers(0, 2**32 - 1))
def test_what_was_written_reads_back_the_same(event: Event, sequence: int) -> None:
    number, read = event_from(json.loads(event_text(sequence, event)))
    assert (number, read, type(read)) == (sequence, event, type(event))


@given(EVENTS)
def test_text_is_canonical(event: Event) -> None:
    text = event_text(1, event)
    assert text == json.dumps(json.loads(text), separators=(",", ":"))
    fields = [field.name for field in getattr(event_pb2.Event(), list(json.loads(text))[1]).DESCRIPTOR.fields]
    written = list(json.loads(text).popitem()[1])
    assert written == [name for name in fields if name in written]


def test_every_card_and_colour_has_the_name_of_the_wire() -> None:
    reserved = {"CARD_UNSPECIFIED", "CARD_SHUFFLE_HANDS", "CARD_SWAP_HANDS", "CARD_CUSTOMIZABLE"}
    assert {name: face for face, name in CARD_NAMES.items()} == {
        name: face for name, face in card_pb2.Card.items() if name not in reserved
    }
    assert {name: color for color, name in COLOR_NAMES.items()} == dict(card_pb2.Color.items())


TURN = {"sequence": 3, "turn_started": {"seat": 1, "turn": 2}}
PLAYED = json.loads(event_text(4, events.CardPlayed(0, 21, 1, None, False, False, 6, 1, 0)))


def changed(value: dict[str, Any], *path: str, to: object) -> dict[str, Any]:
    """A copy of a JSON value with one field set."""
    copy: dict[str, Any] = json.loads(json.dumps(value))
    place = copy
    for name in path[:-1]:
        place = place[name]
    place[path[-1]] = to
    return copy


@pytest.mark.parametrize(
    ("value", "problem"),
    [
        ([], "an event is an object"),
        ({"sequence": 1}, "exactly one field"),
        ({"turn_started": {"seat": 1, "turn": 2}}, "'sequence'"),
        ({**TURN, "card_kept": {"seat": 1}}, "exactly one field"),
        ({"sequence": 1, "hand_waved": {}}, "'hand_waved' is no event; the events are round_started"),
        (changed(TURN, "sequence", to=True), "sequence is True"),
        (changed(TURN, "sequence", to=-1), "sequence is -1"),
        (changed(TURN, "sequence", to=2**32), "sequence is 4294967296"),
        (changed(TURN, "turn_started", to=3), "turn_started is 3, not an object"),
        (changed(TURN, "turn_started", "seat", to="1"), "turn_started.seat is '1'"),
        (changed(TURN, "turn_started", "color", to=1), "has a field 'color'; its fields are seat, turn"),
        (changed(TURN, "turn_started", to={"seat": 1}), "turn_started lacks the field 'turn'"),
        (changed(PLAYED, "card_played", "card", to="CARD_RED_15"), "'CARD_RED_15', not the name of a card"),
        (changed(PLAYED, "card_played", "card", to="CARD_UNSPECIFIED"), "'CARD_UNSPECIFIED', not the name of a card"),
        (changed(PLAYED, "card_played", "card", to=21), "card_played.card is 21"),
        (changed(PLAYED, "card_played", "direction", to=0), "neither 1 nor -1"),
        (changed(PLAYED, "card_played", "direction", to=True), "neither 1 nor -1"),
        (changed(PLAYED, "card_played", "jump_in", to=0), "neither true nor false"),
        ({"sequence": 1, "match_ended": {"cause": "MATCH_CAUSE_TARGET", "places": 1, "totals": []}}, "not a list"),
        (
            {
                "sequence": 1,
                "round_started": {"round": 1, "dealer": 0, "commitment": "?", "hand_counts": [], "hands": []},
            },
            "not a text in base64",
        ),
    ],
)
def test_what_is_no_event_is_refused(value: object, problem: str) -> None:
    with pytest.raises(EventError, match=re.escape(problem)):
        event_from(value)
