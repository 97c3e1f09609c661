"""Messages of a server as a bot gets them, in few words: cards and actions by notation, one seat 0 at a table `t`."""

from collections.abc import Iterable

from lastcard.rules.cards import FACES
from lastcard.rules.notation import read_action
from lastcard.v1.action_pb2 import Action
from lastcard.v1.play_service_pb2 import (
    Draining,
    Heartbeat,
    MessageRefused,
    Seated,
    ServerMessage,
    TableEvents,
    TableSnapshot,
    Welcome,
)
from lastcard.v1.reason_pb2 import ProtocolReason, Reason
from lastcard.v1.ruleset_pb2 import RuleOption
from lastcard.v1.table_pb2 import Decision, DecisionKind, Receipt
from lastcard.v1.view_pb2 import View
from wire_reference import action_message

TURN = DecisionKind.DECISION_KIND_TURN
REACTION = DecisionKind.DECISION_KIND_REACTION


def actions(*texts: str) -> list[Action]:
    """`R5`, `W/G`, `jump R6`, `catch 2`, `pass` and so on."""
    return [action_message(read_action(text)[0]) if text != "pass" else Action(kind=10) for text in texts]


def action(text: str) -> Action:
    return actions(text)[0]


def view(hand: str = "R1 R2 Y1", counts: Iterable[int] | None = None, options: dict[str, str] | None = None, **fields):
    """What seat 0 of two sees, unless told otherwise."""
    cards = [FACES[text] for text in hand.split()]
    made = View(
        hand=cards, hand_counts=counts or (len(cards), 5), seat=0, active_seats=(0, 1), direction=1, turn_seat=0
    )
    made.ruleset.options.extend(RuleOption(name=name, value=value) for name, value in (options or {}).items())
    for name, value in fields.items():
        if isinstance(value, tuple | list):
            del getattr(made, name)[:]
            getattr(made, name).extend(value)
        else:
            setattr(made, name, value)
    return made


def decision(number: int = 1, *legal: str, table: str = "t", kind=TURN, seen: View | None = None) -> Decision:
    """A question: two plays and a draw to choose from, unless told otherwise."""
    return Decision(
        table_id=table,
        decision_id=number,
        kind=kind,
        view=seen or view(),
        legal_actions=actions(*legal or ("R1", "R2", "draw")),
    )


def asked(number: int = 1, *legal: str, receipt: int | None = None, **fields) -> ServerMessage:
    message = ServerMessage(decision=decision(number, *legal, **fields))
    if receipt is not None:
        message.decision.previous_receipt.decision_id = receipt
    return message


def welcome(**fields) -> ServerMessage:
    return ServerMessage(welcome=Welcome(**{"session_id": "s", "bot_name": "me", "protocol_version": 1, **fields}))


def seated(table: str = "t", **fields) -> ServerMessage:
    return ServerMessage(seated=Seated(table_id=table, **fields))


def accepted(number: int = 1, table: str = "t", *, receipt: bool = True) -> ServerMessage:
    """The answer took effect; without a receipt the decision stays open."""
    message = ServerMessage()
    message.act_result.table_id = table
    message.act_result.decision_id = number
    message.act_result.accepted = True
    if receipt:
        message.act_result.receipt.decision_id = number
    return message


def refused(number: int = 1, reason: str = "CARD_NOT_PLAYABLE", left: int = 2, table: str = "t") -> ServerMessage:
    """The answer was refused for a reason of the game or of the transport."""
    message = ServerMessage()
    result = message.act_result
    result.table_id, result.decision_id, result.refusals_left = table, number, left
    result.message = "no, because"
    if f"REASON_{reason}" in Reason.keys():  # noqa: SIM118 - an enum's wrapper is no dict
        result.reason = Reason.Value(f"REASON_{reason}")
    else:
        result.protocol_reason = ProtocolReason.Value(f"PROTOCOL_REASON_{reason}")
    return message


def decision_closed(number: int = 1, reason: str = "TURN_EXPIRED", table: str = "t", *, receipt: bool = True):
    message = ServerMessage()
    message.decision_closed.table_id = table
    message.decision_closed.decision_id = number
    message.decision_closed.reason = Reason.Value(f"REASON_{reason}")
    if receipt:
        message.decision_closed.receipt.CopyFrom(Receipt(decision_id=number, timed_out=reason == "TURN_EXPIRED"))
    return message


def events(*sequences: int, table: str = "t") -> ServerMessage:
    """Events of a table, all of them turns that began."""
    message = ServerMessage(table_events=TableEvents(table_id=table))
    for sequence in sequences:
        message.table_events.events.add(sequence=sequence).turn_started.turn = sequence
    return message


def snapshot(sequence: int, table: str = "t") -> ServerMessage:
    return ServerMessage(table_snapshot=TableSnapshot(table_id=table, sequence=sequence, view=view()))


def table_closed(table: str = "t", receipt: int | None = None) -> ServerMessage:
    message = ServerMessage()
    message.table_closed.table_id = table
    if receipt is not None:
        message.table_closed.previous_receipt.decision_id = receipt
    return message


def message_refused(reason: str, table: str = "", retry_ms: int | None = None) -> ServerMessage:
    message = ServerMessage(
        message_refused=MessageRefused(
            reason=ProtocolReason.Value(f"PROTOCOL_REASON_{reason}"), message="no, because", table_id=table
        )
    )
    if retry_ms is not None:
        message.message_refused.retry_after.FromMilliseconds(retry_ms)
    return message


def heartbeat(number: int) -> ServerMessage:
    return ServerMessage(heartbeat=Heartbeat(number=number))


def draining() -> ServerMessage:
    message = ServerMessage(draining=Draining())
    message.draining.time_left.FromMilliseconds(1_500)
    return message
