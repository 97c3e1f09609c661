from hypothesis import given
from hypothesis import strategies as st

from lastcard.rules.actions import DRAW, Action, Kind, play
from lastcard.rules.cards import TEXT
from lastcard.rules.reasons import Reason
from lastcard.services.wire import decisions
from lastcard.services.wire.actions import action_body, action_value
from lastcard.services.wire.varint import nested, tag
from lastcard.table.effects import Ask, DecisionKind, Receipt, RefusedCatch, Verdict, Withdraw
from lastcard.v1 import action_pb2, play_service_pb2, table_pb2
from wire_reference import action_messages, receipt_message

ID = "t7"
TABLE = nested(tag(1), ID.encode())
SPANS = st.integers(0, 90_000_000)
TIMES = st.integers(1_700_000_000_000, 1_900_000_000_000)
RECEIPTS = st.builds(
    Receipt, st.integers(0, 9_999), TIMES, st.none() | TIMES, SPANS, SPANS, st.none() | SPANS, st.booleans()
)
ACTIONS = st.builds(
    Action, st.integers(Kind.PLAY, Kind.PASS), st.sampled_from([0, *TEXT]), st.integers(0, 4), st.integers(-1, 9)
)
ASKS = st.builds(
    Ask,
    st.integers(0, 9),
    st.integers(1, 9_999),
    st.sampled_from(DecisionKind),
    st.lists(ACTIONS, min_size=1, max_size=20).map(tuple),
    st.integers(1, 90_000_000),
    st.none() | SPANS,
    st.none() | RECEIPTS,
)
CATCHES = st.lists(
    st.builds(RefusedCatch, st.integers(0, 9), st.sampled_from(Reason), st.text(max_size=20)), max_size=3
)
VERDICTS = st.builds(
    Verdict,
    st.integers(0, 9),
    st.integers(0, 9_999),
    st.just(False),
    st.sampled_from(Reason),
    st.just(False),
    st.just(False),
    st.text(max_size=40),
    st.none() | RECEIPTS,
    CATCHES.map(tuple),
    st.integers(0, 3),
)


def body_of_receipt(receipt):
    return b"" if receipt is None else decisions.receipt_body(receipt)


@given(RECEIPTS)
def test_a_receipt_is_written_as_the_generated_classes_write_it(receipt):
    assert decisions.receipt_body(receipt) == receipt_message(receipt).SerializeToString()


@given(ASKS, st.integers(1, 100_000))
def test_a_decision_is_written_as_the_generated_classes_write_it(ask, sequence):
    written = decisions.decision_body(TABLE, ask, sequence, b"\x08\x03", body_of_receipt(ask.previous_receipt))
    expected = table_pb2.Decision(
        table_id=ID,
        decision_id=ask.decision_id,
        kind=int(ask.kind),
        sequence=sequence,
        legal_actions=action_messages(ask.legal_actions),
    )
    expected.view.seat = 3
    expected.time_left.FromMilliseconds(ask.limit_ms)
    if ask.bank_ms is not None:
        expected.bank_left.FromMilliseconds(ask.bank_ms)
    if ask.previous_receipt is not None:
        expected.previous_receipt.CopyFrom(receipt_message(ask.previous_receipt))
    assert written == expected.SerializeToString()


def ask(limit_ms, bank_ms):
    return Ask(0, 7, DecisionKind.TURN, (DRAW,), limit_ms, bank_ms, None)


def test_a_standing_reaction_has_no_time_left():
    written = decisions.decision_body(TABLE, ask(0, None), 1, b"", b"")
    assert not table_pb2.Decision.FromString(written).HasField("time_left")


def test_a_decision_with_only_its_bank_left_says_so():
    message = table_pb2.Decision.FromString(decisions.decision_body(TABLE, ask(0, 500), 1, b"", b""))
    assert message.HasField("time_left")
    assert message.time_left.ToMilliseconds() == 0
    assert message.bank_left.ToMilliseconds() == 500


@given(st.integers(0, 5_000), st.integers(0, 5_000))
def test_a_late_decision_says_what_is_left(limit_ms, left_ms):
    body = decisions.decision_body(TABLE, ask(limit_ms, 500), 1, b"", b"")
    late = table_pb2.Decision.FromString(decisions.late_decision_body(body, left_ms))
    expected = table_pb2.Decision.FromString(body)
    expected.time_left.FromMilliseconds(left_ms)
    assert late == expected


@given(VERDICTS)
def test_a_refusal_is_written_as_the_generated_classes_write_it(verdict):
    expected = table_pb2.ActResult(
        table_id=ID,
        decision_id=verdict.decision_id,
        reason=int(verdict.reason),
        message=verdict.sentence,
        refusals_left=verdict.refusals_left,
        refused_catches=[
            table_pb2.RefusedCatch(seat=catch.seat, reason=int(catch.reason), message=catch.sentence)
            for catch in verdict.refused_catches
        ],
    )
    if verdict.receipt is not None:
        expected.receipt.CopyFrom(receipt_message(verdict.receipt))
    written = decisions.verdict_body(TABLE, verdict, body_of_receipt(verdict.receipt))
    assert table_pb2.ActResult.FromString(written) == expected


def verdict(**changes):
    fields = {
        "seat": 0,
        "decision_id": 4,
        "accepted": False,
        "reason": None,
        "choice_out_of_range": False,
        "unknown_decision": False,
        "sentence": "",
        "receipt": None,
        "refused_catches": (),
        "refusals_left": 0,
    }
    return Verdict(**(fields | changes))


def test_an_accepted_answer_has_no_reason():
    message = table_pb2.ActResult.FromString(decisions.verdict_body(TABLE, verdict(accepted=True), b""))
    assert message == table_pb2.ActResult(table_id=ID, decision_id=4, accepted=True)


def test_faults_of_the_transport_have_reasons_of_the_transport():
    range_ = decisions.verdict_body(TABLE, verdict(choice_out_of_range=True, sentence="s"), b"")
    unknown = decisions.verdict_body(TABLE, verdict(unknown_decision=True, sentence="s"), b"")
    assert table_pb2.ActResult.FromString(range_).protocol_reason == 3
    assert table_pb2.ActResult.FromString(unknown).protocol_reason == 5


@given(st.none() | RECEIPTS)
def test_a_closed_decision_is_written_as_the_generated_classes_write_it(receipt):
    withdraw = Withdraw(2, 9, Reason.TURN_EXPIRED, receipt)
    expected = play_service_pb2.DecisionClosed(table_id=ID, decision_id=9, reason=int(Reason.TURN_EXPIRED))
    if receipt is not None:
        expected.receipt.CopyFrom(receipt_message(receipt))
    assert decisions.decision_closed_body(TABLE, withdraw, body_of_receipt(receipt)) == expected.SerializeToString()


@given(ACTIONS)
def test_an_action_comes_back_as_it_was_sent(action):
    assert action_value(action_pb2.Action.FromString(action_body(action))) == action


def test_seat_0_is_a_target_and_no_target_is_none():
    assert action_value(action_pb2.Action(kind=1, card=17, target=0)) == play(17, target=0)
    assert action_value(action_pb2.Action(kind=1, card=17)) == play(17)


def test_kinds_of_the_server_alone_cannot_be_sent():
    assert [action_value(action_pb2.Action(kind=kind)) for kind in (0, Kind.LEAVE, Kind.TIMEOUT, 99)] == [None] * 4
