"""Calls and catches as answers to a turn's decision, and catches that ride on an answer (rules.md C53-C58)."""

from lastcard.rules.actions import DRAW
from lastcard.rules.events import CardPlayed, CardsDrawn, DrawCause, SeatAccused, UnoCalled
from lastcard.rules.reasons import Reason
from lastcard.table.effects import Ask, Verdict, Withdraw
from table_driver import CLOCK, hand_of, table_of


def test_C53_an_early_call_takes_effect_and_leaves_the_decision_open() -> None:
    driver = table_of("R1 R2", "*3")
    verdict = driver.answer(0, "uno")
    assert (verdict.accepted, verdict.receipt, verdict.refusals_left) == (True, None, 3)
    assert driver.events(UnoCalled) == [UnoCalled(0)]
    assert driver.asked(0).decision_id == 1
    assert driver.all(Withdraw) == []
    driver.answer(0, "R1")
    assert (driver.state.liable, driver.state.called) == (0, 1)


def test_a_catch_at_ones_own_turn_takes_effect_and_leaves_the_decision_open() -> None:
    driver = table_of("R1 R2", "*3", "*3")
    driver.answer(0, "R1")
    verdict = driver.answer(1, "catch 0", decision=driver.asked(1).decision_id)
    assert verdict.accepted
    assert driver.events(SeatAccused) == [SeatAccused(1, 0, True)]
    assert sum(driver.hand(0).values()) == 3
    assert driver.asked(1).kind.name == "TURN"
    assert driver.answer(1, "draw").accepted


def test_catches_ride_on_an_answer_and_come_before_it() -> None:
    driver = table_of("R1 R2", "*3", "*3", top="R5")
    driver.answer(0, "R1")
    verdict = driver.answer(1, "draw", catch=(0,))
    assert verdict.accepted
    assert verdict.refused_catches == ()
    drawn = [(event.seat, event.cause) for event in driver.events(CardsDrawn)]
    assert drawn == [(0, DrawCause.CAUGHT), (1, DrawCause.TURN)]


def test_C57_the_second_catch_is_refused_and_nobody_draws() -> None:
    driver = table_of("R1 R2", "*3", "*3")
    driver.answer(0, "R1")
    driver.answer(2, "catch 0")
    verdict = driver.answer(1, "draw", catch=(0,))
    assert verdict.accepted
    assert [(catch.seat, catch.reason) for catch in verdict.refused_catches] == [(0, Reason.NOT_LIABLE)]
    assert len(driver.events(SeatAccused)) == 1


def test_C56_a_catch_that_came_second_is_never_punished() -> None:
    driver = table_of("R1 R2", "*3", "*3", false_catch_penalty=2)
    driver.answer(0, "R1")
    driver.answer(2, "catch 0")
    verdict = driver.answer(1, "draw", catch=(0,))
    assert "could be caught when decision" in verdict.refused_catches[0].sentence
    assert [event.cause for event in driver.events(CardsDrawn)] == [DrawCause.CAUGHT, DrawCause.TURN]


def test_the_catches_of_a_refused_answer_take_effect() -> None:
    driver = table_of("R1 R2", "B2 B3", "*3")
    driver.answer(0, "R1")
    verdict = driver.answer(1, "B2", catch=(0,))
    assert verdict.reason == Reason.CARD_NOT_PLAYABLE
    assert driver.events(SeatAccused) == [SeatAccused(1, 0, True)]
    assert driver.answer(1, "draw", catch=(0,)).refused_catches[0].reason == Reason.NOT_LIABLE


def test_a_catch_that_is_the_answer_too_counts_once() -> None:
    driver = table_of("R1 R2", "*3", "*3")
    driver.answer(0, "R1")
    verdict = driver.answer(1, "catch 0", catch=(0,), decision=driver.asked(1).decision_id)
    assert verdict.accepted
    assert len(driver.events(SeatAccused)) == 1


def test_a_decision_whose_legal_actions_change_is_asked_anew_with_the_same_clock() -> None:
    driver = table_of("B1 B2", "*3", false_catch_penalty=1, pile="R9")
    assert driver.asked(0).legal_actions == (DRAW,)
    driver.answer(0, "B1")
    due = driver.table.next_deadline_ms()
    verdict = driver.at(400).answer(0, "catch 1")
    assert verdict.accepted
    assert driver.table.next_deadline_ms() == due
    assert driver.last(Withdraw) == Withdraw(0, 1, Reason.STALE_DECISION, None)
    asked = driver.asked(0)
    assert asked.decision_id == 3
    assert [action.card for action in asked.legal_actions] == [0x19, 0]
    assert driver.last(Ask).limit_ms == CLOCK.limit_ms - 400
    assert driver.answer(0, "B1").refusals_left == 1
    driver.at(1_500).answer(0, "R9")
    assert driver.receipt(0).charged_ms == 1_500


def test_an_answer_to_the_decision_before_it_was_asked_anew_is_stale_but_its_catch_is_remembered() -> None:
    driver = table_of("B1 B2", "*3", false_catch_penalty=1, pile="R9")
    first = driver.answer(0, "catch 1")
    assert driver.answer(0, "draw", decision=1).reason == Reason.STALE_DECISION
    assert driver.answer(0, "catch 1", decision=1) == first


def test_a_draw_that_a_false_catch_makes_illegal_is_refused_and_asked_anew() -> None:
    driver = table_of("B1 B2", "*3", preset="german", false_catch_penalty=1, pile="R9")
    verdict = driver.answer(0, 0, catch=(1,))
    assert verdict.reason == Reason.ACTION_NOT_AVAILABLE
    assert driver.hand(0) == hand_of("B1 B2 R9")
    assert driver.asked(0).decision_id == 3
    assert driver.answer(0, "R9").accepted


def test_a_verdict_comes_before_what_it_led_to() -> None:
    driver = table_of("R1 R2 R3", "*3")
    before = len(driver.told)
    driver.answer(0, "R1")
    assert [type(effect).__name__ for effect in driver.told[before:]] == ["Verdict", "Happened", "Ask"]


def test_a_call_with_the_play_is_part_of_it() -> None:
    driver = table_of("R1 R2", "*3")
    driver.answer(0, "R1!")
    assert driver.events(CardPlayed)[0].uno_called
    assert driver.state.liable == 0
    assert all(verdict.accepted for verdict in driver.all(Verdict))
