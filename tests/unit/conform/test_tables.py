"""Tables of the kit: what they show is possible, and they judge as the rules do."""

import pytest

from lastcard.conform.tables import JOINED_AT, Table
from lastcard.rules.actions import play
from lastcard.rules.notation import FACES, read_action
from lastcard.v1.action_pb2 import Action, ActionKind
from lastcard.v1.reason_pb2 import ProtocolReason, Reason
from lastcard.v1.table_pb2 import Act, DecisionKind

TURN, DRAWN, PENALTY, COLOR, REACTION = range(1, 6)
HANDS = ["R1 R2 Y5 W", "*7", "*7"]


def act(decision, choice=0, **fields):
    return Act(table_id=decision.table_id, decision_id=decision.decision_id, choice=choice, **fields)


def chosen(decision, kind):
    """The index of the first legal action of a kind."""
    return [action.kind for action in decision.legal_actions].index(kind)


def test_a_dealt_table_is_told_from_its_first_event_on():
    table = Table(seed=3)
    assert table.play_on()
    seated, events = table.opening(decisions_only=False)
    assert (seated.seated.seat, seated.seated.last_sequence, len(seated.seated.seats)) == (0, 0, 4)
    numbers = [event.sequence for event in events.table_events.events]
    assert numbers == list(range(1, table.sequence + 1))
    assert all(event.WhichOneof("event") for event in events.table_events.events)
    assert table.news(decisions_only=False) == []


def test_events_hide_what_the_seat_may_not_see():
    (hands,) = [
        event.round_started.hands
        for event in Table(seat=2).events(0).table_events.events
        if event.HasField("round_started")
    ]
    assert [hand.seat for hand in hands] == [2]


def test_the_question_of_a_position_shows_it():
    table = Table("t", position={"hands": HANDS, "discard": "G1 R5", "turn": 0})
    decision = table.ask()
    assert (decision.kind, decision.sequence, decision.decision_id) == (TURN, JOINED_AT, 1)
    assert list(decision.view.hand_counts) == [4, 7, 7]
    assert len(decision.view.hand) == 4
    assert decision.view == table.view()
    kinds = [action.kind for action in decision.legal_actions]
    assert kinds.count(ActionKind.ACTION_KIND_PLAY) == 7  # R1, R2, Y5 and four colours of the wild
    assert table.snapshot().table_snapshot.sequence == JOINED_AT


@pytest.mark.parametrize(
    ("kind", "position"),
    [
        (PENALTY, {"hands": HANDS, "discard": "R1 RD", "turn": 0, "pending": 2}),
        (COLOR, {"hands": HANDS, "flip": "W", "dealer": 2}),
        (REACTION, {"hands": HANDS, "discard": "R5", "turn": 1}),
    ],
)
def test_every_kind_of_question_is_asked_in_its_position(kind, position):
    decision = Table("t", position=position).ask()
    assert decision.kind == kind
    assert decision.HasField("bank_left") == (kind != REACTION)
    assert len(decision.legal_actions) > 0


def test_a_legal_answer_takes_effect_and_closes_the_question():
    table = Table("t", position={"hands": HANDS, "discard": "R5", "turn": 0})
    decision = table.ask()
    result = table.judge(act(decision, 1)).act_result
    assert (result.accepted, result.receipt.decision_id) == (True, decision.decision_id)
    assert table.decision is None
    assert table.history
    assert table.play_on()
    assert table.ask().previous_receipt.decision_id == decision.decision_id


def test_a_draw_that_can_be_played_is_asked_about():
    table = Table("t", position={"hands": ["B1 B2", "*7"], "discard": "R5", "turn": 0, "pile": "R7 *"})
    decision = table.ask()
    assert table.judge(act(decision, chosen(decision, ActionKind.ACTION_KIND_DRAW))).act_result.accepted
    assert table.ask().kind == DRAWN


def test_three_refusals_close_a_question():
    table = Table("t", position={"hands": HANDS, "discard": "R5", "turn": 0})
    decision = table.ask()
    for left in (2, 1, 0):
        result = table.judge(act(decision, 99)).act_result
        assert (result.protocol_reason, result.refusals_left) == (
            ProtocolReason.PROTOCOL_REASON_CHOICE_OUT_OF_RANGE,
            left,
        )
        assert "99" in result.message
    assert table.decision is None
    assert table.judge(act(decision)).act_result.reason == Reason.REASON_STALE_DECISION


def test_an_action_that_the_rules_refuse_is_refused_for_their_reason():
    table = Table("t", position={"hands": HANDS, "discard": "R5", "turn": 0})
    decision = table.ask()
    wrong = Act(table_id="t", decision_id=1, action=Action(kind=ActionKind.ACTION_KIND_PLAY, card=0x35))
    assert table.judge(wrong).act_result.reason == Reason.REASON_CARD_NOT_IN_HAND
    assert table.decision is decision


def test_a_call_by_itself_leaves_the_turn_open_and_a_refused_catch_does_not_count():
    table = Table("t", position={"hands": ["R1 R2", "*7"], "discard": "R5", "turn": 0})
    decision = table.ask()
    call = Act(table_id="t", decision_id=1, action=Action(kind=ActionKind.ACTION_KIND_UNO))
    result = table.judge(call).act_result
    assert result.accepted
    assert not result.HasField("receipt")
    assert table.decision is decision
    result = table.judge(act(decision, 0, catch_seats=[1])).act_result
    assert result.accepted
    assert [catch.seat for catch in result.refused_catches] == [1]


def test_a_catch_that_the_answer_makes_itself_is_not_made_twice():
    table = Table("t", seat=1, position={"hands": ["R5 Y7", "*7"], "discard": "R3", "turn": 0})
    table.happen(0, play(FACES["R5"]))
    decision = table.ask()
    assert list(decision.view.catchable_seats) == [0]
    catch = Action(kind=ActionKind.ACTION_KIND_CATCH, target=0)
    result = table.judge(Act(table_id="t", decision_id=decision.decision_id, action=catch, catch_seats=[0])).act_result
    assert (result.accepted, list(result.refused_catches)) == (True, [])


def test_an_answer_that_says_nothing_is_told_so():
    table = Table("t", position={"hands": HANDS, "discard": "R5", "turn": 0})
    table.ask()
    result = table.judge(Act(table_id="t", decision_id=1)).act_result
    assert result.protocol_reason == ProtocolReason.PROTOCOL_REASON_INVALID_ARGUMENT
    assert result.message == "the act says neither choice nor action; set one."


def test_passing_and_jumping_answer_a_reaction():
    options = {"jump_in": "identical"}
    position = {"hands": [*HANDS[:1], "*7"], "discard": "R1", "turn": 1}
    table = Table("t", options=options, position=position)
    decision = table.ask()
    assert [action.kind for action in decision.legal_actions] == [
        ActionKind.ACTION_KIND_JUMP_IN,
        ActionKind.ACTION_KIND_PASS,
    ]
    assert table.judge(act(decision, 1)).act_result.accepted
    assert table.history == []
    assert table.judge(act(table.ask(), 0)).act_result.accepted
    assert table.history


def test_others_play_until_it_is_the_bots_turn_and_the_match_has_an_end():
    table = Table(players=2, preset="official", options={"match_end": "single_round"})
    asked = 0
    while table.play_on():
        decision = table.ask()
        assert decision.kind in DecisionKind.values()
        assert table.judge(act(decision)).act_result.accepted
        asked += 1
    assert asked
    over = table.closed().table_closed
    assert min(over.result.places) == 1
    assert over.previous_receipt.decision_id


def test_notation_of_the_rules_and_actions_of_tables_are_the_same():
    table = Table("t", position={"hands": HANDS, "discard": "R5", "turn": 0})
    legal = {(action.kind, action.card, action.color) for action in table.ask().legal_actions}
    assert {read_action(text)[0][:3] for text in ("R1", "R2", "Y5", "W/R", "W/B", "draw")} <= legal
