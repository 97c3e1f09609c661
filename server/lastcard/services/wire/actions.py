"""Actions, both ways.

Here: `Action` as bytes (each kept for good: there are a few hundred) and from a message. Not here: whether it is legal.
"""

from lastcard.rules.actions import NO_TARGET, Action, Kind
from lastcard.services.wire.events import present
from lastcard.services.wire.varint import VARINT, Written, nested, number, tag
from lastcard.v1 import action_pb2

_KIND = tag(1, VARINT)
_CARD = tag(2, VARINT)
_COLOR = tag(3, VARINT)
_TARGET = tag(4, VARINT)
_LEGAL_ACTIONS = tag(6)

_SENDABLE = frozenset(range(Kind.PLAY, Kind.PASS + 1))
"""Kinds that a seat may send; `LEAVE` and `TIMEOUT` are the server's own."""


def action_body(action: Action) -> bytes:
    """The body of an `Action`."""
    return (
        number(_KIND, action.kind)
        + number(_CARD, action.card)
        + number(_COLOR, action.color)
        + present(_TARGET, None if action.target == NO_TARGET else action.target)
    )


_ITEMS: Written[Action] = Written(lambda action: nested(_LEGAL_ACTIONS, action_body(action)))

legal_item = _ITEMS.__getitem__
"""One entry of `Decision.legal_actions` as it stands in the decision."""


def action_value(message: action_pb2.Action) -> Action | None:
    """The action that a message names; `None` when its kind is none that a seat may send."""
    if message.kind not in _SENDABLE:
        return None
    target = message.target if message.HasField("target") else NO_TARGET
    return Action(message.kind, message.card, message.color, target)
