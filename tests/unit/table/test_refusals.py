"""Refused answers: reason, sentence, what they count (architecture section 3), and their order."""

import pytest

from lastcard.rules.actions import Action, Kind, LeaveCause
from lastcard.rules.events import CardsDrawn, SeatAccused, TimedOut
from lastcard.rules.reasons import Reason
from lastcard.table.commands import CloseTable, LeaveSeat
from lastcard.table.effects import Blame, DecisionKind, FaultKind, Happened
from lastcard.table.timecontrol import SETTLE_MS
from table_driver import CLOCK, Driver, deal, table_of


def test_a_refusal_says_why_and_leaves_the_decision_open() -> None:
    driver = table_of("B2 G7", "*3")
    told = len(driver.all(Happened))
    verdict = driver.answer(0, "B2")
    assert (verdict.accepted, verdict.reason, verdict.refusals_left) == (False, Reason.CARD_NOT_PLAYABLE, 2)
    assert verdict.sentence.startswith("B2 may not be played now")
    assert verdict.receipt is None
    assert driver.asked(0).decision_id == 1
    assert len(driver.all(Happened)) == told
    assert driver.answer(0, "draw").accepted


def test_the_clock_runs_on_after_a_refusal() -> None:
    driver = table_of("B2 G7", "*3")
    driver.at(800).answer(0, "B2")
    driver.at(1_300).answer(0, "draw")
    assert driver.receipt(0).charged_ms == 1_300


def test_A45_cards_that_are_not_held_are_refused() -> None:
    driver = table_of("B2 G7", "*3")
    assert driver.answer(0, "W4/B").reason == Reason.CARD_NOT_IN_HAND
    assert driver.answer(0, "R9").reason == Reason.CARD_NOT_IN_HAND
    assert driver.asked(0).decision_id == 1


def test_A47_an_illegal_card_on_ones_own_turn_is_not_called_another_turn() -> None:
    driver = table_of("B2 G7", "*3")
    assert driver.answer(0, "B2").reason == Reason.CARD_NOT_PLAYABLE
    assert driver.answer(1, "draw", decision=0).reason == Reason.NOT_YOUR_TURN


@pytest.mark.parametrize("answers", [("B2", "B2", "B2"), ("B2", "G7", 99), (None, -1, "accept")])
def test_the_third_refusal_counts_as_a_timeout(answers: tuple[str | int | None, ...]) -> None:
    driver = table_of("B2 G7", "*3")
    lefts = [driver.answer(0, answer).refusals_left for answer in answers[:2]]
    assert lefts == [2, 1]
    verdict = driver.at(1_200).answer(0, answers[2])
    assert not verdict.accepted
    assert verdict.refusals_left == 0
    assert verdict.receipt == driver.receipt(0)
    assert verdict.receipt is not None
    assert (verdict.receipt.charged_ms, verdict.receipt.bank_left_ms) == (1_200, CLOCK.bank_ms - 200)
    assert not verdict.receipt.timed_out
    assert driver.events(TimedOut) == [TimedOut(0, 1)]
    assert driver.state.turn == 1
    assert [blame.kind for blame in driver.all(Blame)] == [FaultKind.REFUSALS]


def test_the_evidence_of_refusals_names_them() -> None:
    driver = table_of("B2 G7", "*3")
    for answer in ("B2", 99, "keep"):
        driver.answer(0, answer)
    evidence = driver.last(Blame).evidence
    assert evidence.startswith("decision 1 (TURN) had 3 refused answers: CARD_NOT_PLAYABLE, B2 may not be played now")
    assert "; CHOICE_OUT_OF_RANGE, choice is 99; " in evidence
    assert "; ACTION_NOT_AVAILABLE, " in evidence


def test_refusals_are_counted_for_each_decision_alone() -> None:
    driver = table_of("B2 G7", "*3")
    driver.answer(0, "B2")
    driver.answer(0, "B2")
    driver.answer(0, "draw")
    driver.answer(1, "draw")
    assert driver.answer(0, "accept").refusals_left == 2


def test_a_choice_out_of_range_is_a_fault_of_the_message_that_counts() -> None:
    driver = table_of("B2 R7", "*3")
    verdict = driver.answer(0, 2)
    assert verdict.choice_out_of_range
    assert (verdict.accepted, verdict.reason, verdict.refusals_left) == (False, None, 2)
    assert verdict.sentence == "choice is 2; valid choices are 0 to 1"


def test_an_answer_without_choice_and_action_is_refused() -> None:
    driver = table_of("B2", "*3")
    verdict = driver.answer(0, None)
    assert verdict.choice_out_of_range
    assert verdict.sentence == "the answer has neither choice nor action; the only choice is 0"


def test_a_refused_catch_does_not_count() -> None:
    driver = table_of("B2 G7", "*3")
    for _ in range(5):
        verdict = driver.answer(0, "catch 1")
        assert (verdict.reason, verdict.refusals_left) == (Reason.NOT_LIABLE, 3)
    assert driver.answer(0, "draw", catch=(1,)).accepted


def test_a_wrong_call_counts() -> None:
    driver = table_of("B2 G7 R1", "*3")
    verdict = driver.answer(0, "uno")
    assert (verdict.reason, verdict.refusals_left) == (Reason.ACTION_NOT_AVAILABLE, 2)


@pytest.mark.parametrize(
    "action",
    [Action(Kind.LEAVE, 1), Action(Kind.TIMEOUT), Action(Kind.PASS), Action(Kind.JUMP_IN, 0x15), Action(99), Action(0)],
    ids=["leave", "timeout", "pass", "jump in", "an unknown kind", "no kind"],
)
def test_a_seat_cannot_send_what_is_no_answer_to_a_turn(action: Action) -> None:
    driver = table_of("B2 R7", "*3")
    verdict = driver.answer(0, action)
    assert (verdict.reason, verdict.refusals_left) == (Reason.ACTION_NOT_AVAILABLE, 2)
    assert verdict.sentence.endswith("is not possible at a TURN decision; valid are R7, draw")
    assert driver.state.active == [True, True]


@pytest.mark.parametrize(
    "action",
    [Action(Kind.PLAY, 255), Action(Kind.PLAY, 10_000), Action(Kind.PLAY, -3), Action(Kind.CHOOSE_COLOR, 0, 77)],
    ids=["no face", "beyond a byte", "negative", "no colour"],
)
def test_values_that_do_not_exist_are_refused(action: Action) -> None:
    driver = table_of("B2 R7", "*3")
    assert driver.answer(0, action).reason in (Reason.CARD_NOT_IN_HAND, Reason.ACTION_NOT_AVAILABLE)


# --------------------------------------------------------- which reason comes first


def test_A42_the_second_of_two_plays_at_one_decision_is_stale() -> None:
    driver = table_of("R5 R6", "*3", top="R1")
    assert driver.answer(0, "R5").accepted
    verdict = driver.answer(0, "R6", decision=1)
    assert verdict.reason == Reason.STALE_DECISION
    assert sum(driver.hand(0).values()) == 1
    assert driver.state.turn == 1


def test_A42_without_a_decision_named_it_is_another_turn() -> None:
    driver = table_of("R5 R6", "*3", top="R1")
    assert driver.answer(0, "R5", decision=0).accepted
    assert driver.answer(0, "R6", decision=0).reason == Reason.NOT_YOUR_TURN


def test_an_index_needs_its_decision_named() -> None:
    driver = table_of("R5 R6", "*3", top="R1")
    verdict = driver.answer(0, 0, decision=0)
    assert verdict.unknown_decision
    assert not verdict.accepted


def test_a_decision_that_was_never_asked_is_unknown() -> None:
    driver = table_of("R5 R6", "*3")
    verdict = driver.answer(0, "R6", decision=7)
    assert (verdict.unknown_decision, verdict.reason, verdict.refusals_left) == (True, None, 0)
    assert verdict.sentence == "decision 7 was never asked; the last one that seat 0 was asked is 1"
    assert driver.asked(0).decision_id == 1


def test_before_the_first_decision_all_are_unknown() -> None:
    driver = Driver("a", "b")
    verdict = driver.answer(0, "R6", decision=1)
    assert verdict.unknown_decision
    assert verdict.sentence == "decision 1 was never asked; seat 0 has not been asked yet"


def test_A46_another_seats_decision_is_forbidden() -> None:
    driver = table_of("R5 R6", "*3")
    verdict = driver.answer(1, "draw", decision=1)
    assert verdict.reason == Reason.FORBIDDEN
    assert verdict.sentence == "decision 1 is for seat 0 to answer, not for seat 1"
    assert driver.events(CardsDrawn) == []


def test_a_seat_that_has_left_is_forbidden_everything() -> None:
    driver = table_of("R5 R6", "*3", "*3")
    driver.do(LeaveSeat(0, LeaveCause.LEFT))
    assert driver.answer(0, "R6", decision=1).reason == Reason.FORBIDDEN
    assert driver.answer(0, "R6", decision=2).reason == Reason.FORBIDDEN


def test_a_decision_closed_by_its_deadline_is_expired_for_ever() -> None:
    driver = table_of("R5 R6", "*3", max_timeouts=0, max_turns_per_round=2_000)
    driver.tick(CLOCK.limit_ms + CLOCK.bank_ms + SETTLE_MS)
    for _ in range(60):
        driver.answer(driver.state.turn, "draw")
        assert driver.answer(0, "R5", decision=1).reason == Reason.TURN_EXPIRED


def test_C72_A35_after_the_round_every_answer_is_told_so() -> None:
    driver = table_of("R5", "*3", top="R1", match_end="rounds", match_rounds=2)
    driver.answer(0, "R5")
    for decision in (1, 2, 0, 99):
        assert driver.answer(1, "draw", decision=decision).reason == Reason.ROUND_OVER


def test_the_round_comes_before_the_deadline_and_the_owner() -> None:
    driver = table_of("R5", "*3", top="R1", turn=1, match_end="rounds", match_rounds=2, clock=CLOCK)
    driver.tick(CLOCK.limit_ms + CLOCK.bank_ms + SETTLE_MS)
    assert driver.answer(1, "draw", decision=2).reason == Reason.TURN_EXPIRED
    assert driver.answer(0, "draw", decision=2).reason == Reason.FORBIDDEN
    driver.answer(0, "R5")
    assert driver.answer(1, "draw", decision=2).reason == Reason.ROUND_OVER
    assert driver.answer(0, "draw", decision=2).reason == Reason.ROUND_OVER


def test_in_the_next_round_an_old_decision_is_stale() -> None:
    driver = table_of("R5", "*3", top="R1", match_end="rounds", match_rounds=2)
    driver.answer(0, "R5")
    deal(driver, "*3", "*3", turn=1)
    assert driver.answer(0, "draw", decision=1).reason == Reason.STALE_DECISION


@pytest.mark.parametrize("end", ["finished", "cancelled"])
def test_A35_after_the_match_every_answer_is_told_so(end: str) -> None:
    driver = table_of("R5", "*3", top="R1")
    if end == "finished":
        driver.answer(0, "R5")
    else:
        driver.do(CloseTable())
    for seat, decision in ((1, 1), (1, 0), (1, 99), (0, 99)):
        assert driver.answer(seat, "draw", decision=decision).reason == Reason.MATCH_OVER


# ------------------------------------------------------------------------- catches


def test_catch_seats_out_of_range_are_refused_beside_the_answer() -> None:
    driver = table_of("B2 R7", "*3")
    verdict = driver.answer(0, "draw", catch=(7, 255, -1, 0))
    assert verdict.accepted
    assert [(catch.seat, catch.reason) for catch in verdict.refused_catches] == [
        (7, Reason.NOT_LIABLE),
        (255, Reason.NOT_LIABLE),
        (-1, Reason.NOT_LIABLE),
        (0, Reason.ACTION_NOT_AVAILABLE),
    ]
    assert driver.events(SeatAccused) == []


def test_a_seat_named_twice_is_caught_once_and_pays_once() -> None:
    driver = table_of("B2 R7", "*3", false_catch_penalty=2)
    verdict = driver.answer(0, "draw", catch=(1, 1, 1))
    assert verdict.accepted
    assert driver.events(SeatAccused) == [SeatAccused(0, 1, False)]
    assert driver.seats_asked() == {1: DecisionKind.TURN}
