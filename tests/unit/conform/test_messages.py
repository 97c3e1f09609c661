"""Messages of the kit: what a newer server adds is unknown to the generated classes and survives them."""

from google.protobuf import unknown_fields

from lastcard.conform import messages
from lastcard.conform.tables import Table
from lastcard.v1.play_service_pb2 import PlayResponse, ServerMessage
from lastcard.v1.reason_pb2 import ProtocolReason, Reason
from lastcard.v1.table_pb2 import Decision


def numbers(message) -> list[int]:
    return [field.field_number for field in unknown_fields.UnknownFieldSet(message)]


def test_unknown_fields_are_added_to_a_message_and_all_that_is_in_it():
    plain = ServerMessage(decision=Table(seat=1).ask())
    more = ServerMessage()
    more.CopyFrom(plain)
    more = ServerMessage.FromString(messages.with_unknown_fields(more).SerializeToString())
    view = more.decision.view
    for part in (more, more.decision, view, view.ruleset, more.decision.legal_actions[0], more.decision.time_left):
        assert numbers(part) == [4000, 4001, 4002]
    more.DiscardUnknownFields()
    assert more == plain


def test_an_unknown_message_has_no_kind_and_survives_a_frame():
    frame = PlayResponse.FromString(PlayResponse(messages=[messages.unknown_message()]).SerializeToString())
    assert frame.messages[0].WhichOneof("message") is None
    assert numbers(frame.messages[0]) == [3912]


def test_a_refusal_is_of_the_game_or_of_the_transport():
    decision = Decision(table_id="t", decision_id=4)
    game = messages.refused(decision, "CARD_NOT_PLAYABLE", "no.", left=1).act_result
    assert (game.reason, game.protocol_reason, game.refusals_left) == (Reason.REASON_CARD_NOT_PLAYABLE, 0, 1)
    transport = messages.refused(decision, "TOO_FAST", "no.").act_result
    assert (transport.reason, transport.protocol_reason) == (0, ProtocolReason.PROTOCOL_REASON_TOO_FAST)
    assert (transport.table_id, transport.decision_id) == ("t", 4)


def test_a_closed_decision_has_the_receipt_that_fits():
    decision = Decision(table_id="t", decision_id=4)
    late = messages.decision_closed(decision, "TURN_EXPIRED").decision_closed.receipt
    assert (late.timed_out, late.HasField("received_at")) == (True, False)
    stale = messages.decision_closed(decision).decision_closed.receipt
    assert (stale.timed_out, stale.HasField("received_at")) == (False, True)
