"""Replies as messages: what is checked, what is added, what stands in for nonsense."""

import pytest

from bot_messages import REACTION, action, actions, decision, view
from lastcard.v1.action_pb2 import Action
from lastcard.v1.table_pb2 import Act, DecisionKind
from lastcard_bot import Answer, Bot
from lastcard_bot.answers import BadReplyError, act_for, after_apart, fallback, is_apart, leaves_one_card, resolve


class Like:
    """A whole number of a library, as numpy has them."""

    def __repr__(self) -> str:
        return "Like()"

    def __index__(self) -> int:
        return 1


class Says(Bot):
    """Gives the reply that it was made with."""

    def __init__(self, reply):
        self.reply = reply

    def choose(self, view, legal_actions):
        return self.reply


# ------------------------------------------------------------------ choices


@pytest.mark.parametrize("reply", [1, Like(), action("R2"), Answer(1), Answer(action("R2"))], ids=str)
def test_a_choice_is_an_index_or_an_action(reply):
    act = act_for(decision(7, "R1", "R2", "draw", table="x"), reply)
    assert act == Act(table_id="x", decision_id=7, choice=1)


@pytest.mark.parametrize(
    ("reply", "sentence"),
    [
        (3, "choice 3 is no index into legal_actions; valid are 0 to 2"),
        (-1, "choice -1 is no index"),
        (Answer(99), "choice 99"),
        (None, "not NoneType None"),
        (True, "not bool True"),
        (1.0, "not float 1.0"),
        ("draw", "not str 'draw'"),
        ([0], "not list [0]"),
        (action("B5"), "B5 is not a legal action; valid are R1, R2, draw"),
        (action("pass"), "pass is not a legal action"),
        (Action(), "?0 is not a legal action"),
        (Action(kind=77), "?77 is not a legal action"),
    ],
    ids=str,
)
def test_any_other_reply_is_refused_with_what_would_be_valid(reply, sentence):
    with pytest.raises(BadReplyError) as error:
        act_for(decision(), reply)
    assert sentence in str(error.value)


@pytest.mark.parametrize(
    ("given", "legal"),
    [("W/G", "W/G"), ("R7>2", "R7>2"), ("color B", "color B"), ("catch 3", "catch 3"), ("jump R6", "jump R6")],
)
def test_an_action_is_found_among_the_legal_ones(given, legal):
    kind = REACTION if legal[0] in "cj" else DecisionKind.DECISION_KIND_TURN
    asked = decision(1, "W/R", "W/G", "R7>1", "R7>2", "color R", "color B", "jump R6", "catch 3", kind=kind)
    act = act_for(asked, action(given))
    assert asked.legal_actions[act.choice] == action(legal)


def test_a_colour_or_target_that_is_not_needed_does_no_harm():
    surplus = action("R1")
    surplus.color, surplus.target = 3, 1
    assert act_for(decision(), surplus).choice == 0


@pytest.mark.parametrize("given", ["W", "W/B"])
def test_a_wild_needs_a_legal_colour(given):
    with pytest.raises(BadReplyError, match="valid are W/R, W/G"):
        act_for(decision(1, "W/R", "W/G"), action(given))


@pytest.mark.parametrize("text", ["uno", "catch 1"])
def test_C53_C56_a_call_or_catch_may_be_sent_by_itself_in_the_own_turn(text):
    act = act_for(decision(), action(text))
    assert act.action == action(text)
    assert is_apart(act)
    assert not act.call_uno


def test_a_reaction_is_chosen_among_what_is_offered():
    with pytest.raises(BadReplyError, match="catch 1 is not a legal action; valid are uno, pass"):
        act_for(decision(1, "uno", "pass", kind=REACTION), action("catch 1"))
    act = act_for(decision(1, "uno", "pass", kind=REACTION), action("uno"))
    assert act.choice == 0
    assert not is_apart(act)


# ------------------------------------------------------------------ calling UNO


def called(hand: str, play: str, **fields) -> bool:
    seen = view(hand, fields.pop("counts", None), fields.pop("options", None), **fields)
    return act_for(decision(1, play, seen=seen), 0).call_uno


@pytest.mark.parametrize(
    ("hand", "play", "due"),
    [
        ("R1 R2", "R1", True),
        ("W R2", "W/B", True),
        ("R1 R2", "jump R1", True),
        ("R1 R2 R3", "R1", False),
        ("R1", "R1", False),
        ("R1 R2", "draw", False),
        ("R1 R2", "keep", False),
        ("R1 R2", "challenge", False),
    ],
)
def test_M19_uno_is_called_with_the_play_that_leaves_one_card(hand, play, due):
    assert called(hand, play) == due


@pytest.mark.parametrize(
    ("hand", "counts", "due"),
    [("R7 R2 R3", (3, 5, 1), True), ("R7 R2", (2, 5, 4), False), ("R7 R2", (2, 5, 1), True)],
)
def test_C63_after_a_swap_the_hand_that_is_taken_counts(hand, counts, due):
    swap = {"counts": counts, "active_seats": (0, 1, 2), "options": {"seven_swap": "true"}}
    assert called(hand, "R7>2", **swap) == due


@pytest.mark.parametrize(("direction", "due"), [(1, True), (-1, False)])
def test_C63_C66_after_a_rotation_the_hand_that_comes_counts(direction, due):
    fields = {"counts": (3, 5, 6, 1), "active_seats": (0, 1, 3), "options": {"zero_rotate": "true"}}
    assert called("R0 R2 R3", "R0", direction=direction, **fields) == due


@pytest.mark.parametrize("play", ["R7>1", "R0"])
@pytest.mark.parametrize(("effect", "due"), [("win", False), ("apply", True)])
def test_C64_a_last_card_that_moves_hands_counts_only_when_it_has_its_effect(play, effect, due):
    options = {"seven_swap": "true", "zero_rotate": "true", "last_card_hand_effect": effect}
    assert called(play.partition(">")[0], play, counts=(1, 1), options=options) == due


def test_zeros_and_sevens_are_plain_numbers_without_their_options():
    assert called("R0 R2", "R0", counts=(2, 5))
    assert called("R7 R2", "R7", counts=(2, 5))
    assert leaves_one_card(view("W R2"), action("W/R"))


@pytest.mark.parametrize(
    ("reply", "auto", "said"),
    [
        (Answer(0), True, True),
        (Answer(0), False, False),
        (Answer(0, call_uno=False), True, False),
        (Answer(0, call_uno=True), False, True),
    ],
)
def test_an_answer_says_more_than_the_automatic_call(reply, auto, said):
    assert act_for(decision(1, "R1", seen=view("R1 R2")), reply, auto_uno=auto).call_uno == said


@pytest.mark.parametrize("call", ["yes", 1, 0.0, []], ids=repr)
def test_a_call_that_is_no_truth_value_is_refused(call):
    with pytest.raises(BadReplyError, match="call_uno must be True, False or None"):
        act_for(decision(), Answer(0, call_uno=call))


# ------------------------------------------------------------------ catching


@pytest.mark.parametrize(
    ("options", "caught"),
    [({}, [1, 3]), ({"false_catch_penalty": "0"}, [1, 3]), ({"false_catch_penalty": "2"}, [])],
    ids=["preset", "free", "costs"],
)
def test_who_forgot_is_caught_where_that_costs_nothing(options, caught):
    seen = view(options=options, catchable_seats=(0, 1, 3))
    assert list(act_for(decision(seen=seen), 0).catch_seats) == caught
    assert list(act_for(decision(seen=seen), 0, auto_catch=False).catch_seats) == []


def test_a_spectator_s_view_has_no_own_seat_to_spare():
    seen = view(catchable_seats=(0, 1))
    seen.ClearField("seat")
    assert list(act_for(decision(seen=seen), 0).catch_seats) == [0, 1]


@pytest.mark.parametrize("text", ["uno", "catch 1"])
def test_a_call_or_catch_by_itself_carries_no_other_catches(text):
    assert list(act_for(decision(seen=view(catchable_seats=[1])), action(text)).catch_seats) == []


@pytest.mark.parametrize("seats", [(1,), [1, 1], {1: None}, (Like(),)], ids=str)
def test_an_answer_says_whom_to_catch(seats):
    seen = view(catchable_seats=(0,))
    assert list(act_for(decision(seen=seen), Answer(0, catch_seats=seats)).catch_seats) == [1]


def test_an_answer_may_catch_nobody():
    seen = view(catchable_seats=(1,))
    assert list(act_for(decision(seen=seen), Answer(0, catch_seats=())).catch_seats) == []


@pytest.mark.parametrize("seats", [(2,), (-1,), ("1",), "1", 1, (True,), (None,), (10**12,)], ids=repr)
def test_seats_that_do_not_exist_are_refused_before_they_are_sent(seats):
    with pytest.raises(BadReplyError, match=r"catch_seats .*seats from 0 to 1"):
        act_for(decision(), Answer(0, catch_seats=seats))


# ------------------------------------------------------------------ after calls, and in place of nonsense


def test_the_view_after_a_call_is_a_copy():
    before = decision()
    after = after_apart(before, Act(action=action("uno")))
    assert list(after.view.called_seats) == [0]
    assert before == decision()


def test_calling_twice_is_seen_once():
    once = after_apart(decision(), Act(action=action("uno")))
    assert after_apart(once, Act(action=action("uno"))) == once


@pytest.mark.parametrize(
    ("kind", "legal", "refused", "index"),
    [
        (DecisionKind.DECISION_KIND_TURN, ["R1", "R2", "draw"], (), 0),
        (DecisionKind.DECISION_KIND_TURN, ["R1", "R2", "draw"], (0, 1), 2),
        (DecisionKind.DECISION_KIND_TURN, ["R1", "draw"], (0, 1), 0),
        (REACTION, ["jump R6", "catch 1", "pass"], (), 2),
        (REACTION, ["jump R6", "catch 1", "pass"], (2,), 1),
    ],
)
def test_the_fallback_is_legal_and_not_refused_before_and_passes_out_of_turn(kind, legal, refused, index):
    assert fallback(decision(1, *legal, kind=kind), refused) == index


@pytest.mark.parametrize(
    ("reply", "choice", "complaint"), [(2, 2, ""), (9, 0, "choice 9 is no index"), ("R1", 0, "not str 'R1'")]
)
def test_resolve_answers_whatever_the_bot_says(reply, choice, complaint):
    act, said = resolve(Says(reply), decision())
    assert act.choice == choice
    assert complaint in said
    assert bool(complaint) == bool(said)


def test_resolve_heeds_what_the_bot_wants_automatic():
    bot = Says(9)
    asked = decision(1, "R1", seen=view("R1 R2", catchable_seats=[1]))
    act, _ = resolve(bot, asked)
    assert (act.call_uno, list(act.catch_seats)) == (True, [1])
    bot.auto_uno = bot.auto_catch = False
    act, _ = resolve(bot, asked)
    assert (act.call_uno, list(act.catch_seats)) == (False, [])


def test_resolve_leaves_exceptions_to_the_caller():
    class Raises(Bot):
        def choose(self, view, legal_actions):
            raise LookupError("lost")

    with pytest.raises(LookupError, match="lost"):
        resolve(Raises(), decision())


def test_notation_of_these_tests_is_that_of_the_wire():
    assert [one.kind for one in actions("R1", "draw", "uno", "catch 1", "pass")] == [1, 2, 8, 9, 10]
