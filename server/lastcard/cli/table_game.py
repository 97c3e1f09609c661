"""A watched table's messages as values of the rules, for the code that shows recorded games.

Here: events, actions and positions from the wire. Not here: their text (`show_game`, `show_seat`, `table_text`).
"""

from google.protobuf.json_format import MessageToDict

from lastcard.cli.show_seat import Question, table_text
from lastcard.rules.cards import COLORS, NO_CARD, NO_COLOR, TEXT
from lastcard.rules.events import Event
from lastcard.rules.notation import action_text
from lastcard.rules.position import Position
from lastcard.rules.record_json_reader import EventError, event_from
from lastcard.rules.transcript import hand_text
from lastcard.services.wire.actions import action_value
from lastcard.v1 import action_pb2, event_pb2, table_pb2, view_pb2


def event_of(message: event_pb2.Event) -> Event | None:
    """The event; `None` when it is of a kind, or has a value, that this version does not know."""
    as_json = MessageToDict(message, preserving_proto_field_name=True, always_print_fields_with_no_presence=True)
    try:
        return event_from(as_json)[1]
    except EventError:
        return None


def hand_of(view: view_pb2.View) -> list[int]:
    """The viewer's hand as far as this version knows the cards."""
    return [face for face in view.hand if face in TEXT]


def position_of(view: view_pb2.View) -> Position:
    """The position that a view shows; cards that the viewer does not know are no cards, but they count."""
    position = Position(len(view.hand_counts))
    position.hands = [[NO_CARD] * count for count in view.hand_counts]
    if view.HasField("seat") and view.seat < len(position.hands):
        position.hands[view.seat] = hand_of(view)
    position.top = view.discard[-1] if view.discard else NO_CARD
    position.color = view.active_color if view.active_color in COLORS else NO_COLOR
    position.pending = view.pending
    position.direction = view.direction or 1
    position.round, position.turn = view.round, view.turn
    return position


def question_of(decision: table_pb2.Decision) -> Question:
    """A decision as `lastcard show --seat` shows one."""
    position, seat = position_of(decision.view), decision.view.seat
    kind = table_pb2.DecisionKind.Name(decision.kind) if decision.kind in table_pb2.DecisionKind.values() else "UNKNOWN"
    return Question(
        decision.decision_id,
        kind.removeprefix("DECISION_KIND_"),
        decision.sequence,
        [_action_text(action) for action in decision.legal_actions],
        hand_text(hand_of(decision.view)),
        table_text(position, seat),
    )


def _action_text(message: action_pb2.Action) -> str:
    action = action_value(message)
    known = message.card in (NO_CARD, *TEXT) and message.color in (NO_COLOR, *COLORS)
    return action_text(action) if action is not None and known else f"action {message.kind}"
