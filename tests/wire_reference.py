"""Plain values as messages of the generated classes, field by field: what hand-written bytes are compared with."""

import re
from collections.abc import Iterable

from lastcard.rules.actions import NO_TARGET, Action
from lastcard.rules.events import Event, Hands
from lastcard.rules.view import View
from lastcard.table.effects import Receipt
from lastcard.v1 import action_pb2, event_pb2, table_pb2, view_pb2


def event_message(sequence: int, event: Event) -> event_pb2.Event:
    name = re.sub(r"(?<!^)(?=[A-Z])", "_", type(event).__name__).lower()
    message = event_pb2.Event(sequence=sequence)
    body = getattr(message, name)
    body.SetInParent()
    for field, value in event._asdict().items():
        fill(body, field, value)
    return message


def fill(message, field: str, value) -> None:
    if value is None:
        return
    if field in ("hands", "known_cards"):
        getattr(message, field).extend(hand_messages(value))
    elif isinstance(value, (tuple, list)):
        getattr(message, field).extend(value)
    else:
        setattr(message, field, value)


def hand_messages(hands: Hands) -> list[event_pb2.SeatHand]:
    return [event_pb2.SeatHand(seat=seat, cards=cards) for seat, cards in hands]


def action_message(action: Action) -> action_pb2.Action:
    message = action_pb2.Action(kind=int(action.kind), card=action.card, color=action.color)
    if action.target != NO_TARGET:
        message.target = action.target
    return message


def action_messages(actions: Iterable[Action]) -> list[action_pb2.Action]:
    return [action_message(action) for action in actions]


def view_message(view: View) -> view_pb2.View:
    message = view_pb2.View()
    for field, value in view._asdict().items():
        if field == "ruleset":
            message.ruleset.preset = value.preset
            for name, text in value.overrides():
                message.ruleset.options.add(name=name, value=text)
        elif field == "round_scores":
            for scores in value:
                message.round_scores.add(scores=scores)
        elif field in ("hand", "discard"):
            fill(message, field, tuple(value))
        else:
            fill(message, field, value)
    return message


def receipt_message(receipt: Receipt) -> table_pb2.Receipt:
    message = table_pb2.Receipt(decision_id=receipt.decision_id, timed_out=receipt.timed_out)
    message.sent_at.FromMilliseconds(receipt.sent_ms)
    if receipt.received_ms is not None:
        message.received_at.FromMilliseconds(receipt.received_ms)
    message.network_credit.FromMilliseconds(receipt.network_credit_ms)
    message.charged.FromMilliseconds(receipt.charged_ms)
    if receipt.bank_left_ms is not None:
        message.bank_left.FromMilliseconds(receipt.bank_left_ms)
    return message
