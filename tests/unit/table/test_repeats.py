"""Answers that a network repeats: the first verdict again, and no second effect (rules.md C82)."""

from lastcard.rules.events import CardPlayed, CardsDrawn, SeatAccused, UnoCalled
from lastcard.rules.reasons import Reason
from lastcard.table.commands import CloseTable
from lastcard.table.decisions import REMEMBERED
from lastcard.table.effects import Blame
from lastcard.table.timecontrol import SETTLE_MS
from table_driver import CLOCK, deal, table_of


def test_A43_C82_a_double_click_draws_once() -> None:
    driver = table_of("R5 R6", "*3", top="R1")
    first = driver.answer(0, "draw")
    assert driver.at(3).answer(0, "draw", decision=1) == first
    assert len(driver.events(CardsDrawn)) == 1
    assert driver.answer(0, "R5", decision=1).reason == Reason.STALE_DECISION


def test_A38_an_answer_resent_after_a_lost_connection_takes_effect_once() -> None:
    driver = table_of("R1 R2 R3", "*3")
    driver.at(100).disconnect(0)
    driver.at(500).connect(0)
    assert driver.state.hands[0]
    first = driver.answer(0, "R1")
    driver.disconnect(0)
    driver.connect(0)
    assert driver.answer(0, "R1", decision=1) == first
    assert len(driver.events(CardPlayed)) == 1


def test_the_same_answer_by_index_and_repeated_by_index() -> None:
    driver = table_of("R1 R2 R3", "*3")
    first = driver.answer(0, 0)
    assert driver.answer(0, 0, decision=1) == first
    assert driver.answer(0, 1, decision=1).reason == Reason.STALE_DECISION


def test_another_call_or_catch_makes_another_answer() -> None:
    driver = table_of("R1 R2 R3", "*3")
    driver.answer(0, "R1")
    assert driver.answer(0, "R1!", decision=1).reason == Reason.STALE_DECISION
    assert driver.answer(0, "R1", decision=1, catch=(1,)).reason == Reason.STALE_DECISION


def test_the_first_verdict_comes_again_after_the_round_and_after_the_match() -> None:
    driver = table_of("R5", "*3", top="R1", match_end="rounds", match_rounds=2)
    first = driver.answer(0, "R5")
    assert driver.answer(0, "R5", decision=1) == first
    deal(driver, "R5", "*3", top="R1")
    assert driver.answer(0, "R5", decision=1) == first
    second = driver.answer(0, "R5")
    assert driver.table.closed is not None
    assert driver.answer(0, "R5", decision=second.decision_id) == second
    assert driver.answer(0, "R5", decision=1) == first


def test_the_first_verdict_comes_again_after_the_table_was_cancelled() -> None:
    driver = table_of("R5 R6", "*3", top="R1")
    first = driver.answer(0, "R5")
    driver.do(CloseTable())
    assert driver.answer(0, "R5", decision=1) == first


def test_the_third_refusal_comes_again_and_does_not_strike_twice() -> None:
    driver = table_of("B2 G7", "*3")
    verdicts = [driver.answer(0, "B2") for _ in range(3)]
    assert driver.answer(0, "B2", decision=1) == verdicts[2]
    assert len(driver.all(Blame)) == 1
    assert driver.state.strikes == [1, 0]


def test_an_earlier_refusal_comes_again_once_the_decision_is_closed() -> None:
    driver = table_of("B2 G7 R7", "*3")
    refused = driver.answer(0, "B2")
    driver.answer(0, "R7")
    assert driver.answer(0, "B2", decision=1) == refused


def test_a_refused_answer_is_judged_again_while_the_decision_is_open() -> None:
    driver = table_of("B2 G7", "*3")
    assert [driver.answer(0, "B2").refusals_left for _ in range(2)] == [2, 1]


def test_a_call_repeated_at_an_open_decision_is_made_once() -> None:
    driver = table_of("R1 R2", "*3", false_uno_penalty=2)
    first = driver.answer(0, "uno")
    assert first.accepted
    assert driver.answer(0, "uno", decision=1) == first
    assert driver.events(UnoCalled) == [UnoCalled(0)]
    assert driver.events(CardsDrawn) == []


def test_a_false_catch_repeated_costs_once() -> None:
    driver = table_of("R1 R2", "*3", false_catch_penalty=1, pile="B1 B2 B3")
    first = driver.answer(0, "catch 1")
    assert first.accepted
    assert driver.answer(0, "catch 1", decision=1) == first
    assert driver.events(SeatAccused) == [SeatAccused(0, 1, False)]
    assert driver.asked(0).decision_id == 1


def test_a_late_answer_is_late_before_and_after_the_timer() -> None:
    driver = table_of("R1 R2", "*3")
    whole = CLOCK.limit_ms + CLOCK.bank_ms
    assert driver.at(whole + 1).answer(0, "R1").reason == Reason.TURN_EXPIRED
    driver.tick(whole + SETTLE_MS)
    assert driver.answer(0, "R1", decision=1, stamp=whole + 1).reason == Reason.TURN_EXPIRED


def test_enough_closed_decisions_of_a_seat_are_remembered() -> None:
    driver = table_of("*7", "*7", "*7", max_turns_per_round=1_000)
    verdicts = []
    for _ in range(3 * REMEMBERED):
        seat = driver.state.turn
        verdicts.append(("draw", driver.answer(seat, "draw")))
        if driver.state.turn == seat:
            verdicts.append(("keep", driver.answer(seat, "keep")))
    mine = [(text, verdict) for text, verdict in verdicts if verdict.seat == 0][-REMEMBERED:]
    assert len(mine) == REMEMBERED
    for text, verdict in mine:
        assert driver.answer(0, text, decision=verdict.decision_id) == verdict


def test_a_decision_long_closed_is_stale_and_has_no_effect() -> None:
    driver = table_of("*7", "*7", max_turns_per_round=1_000)
    driver.answer(0, "draw")
    for _ in range(100):
        driver.answer(driver.state.turn, 0 if driver.asked(driver.state.turn).kind.name == "DRAWN_CARD" else "draw")
    before = driver.state.turn_number
    assert driver.answer(0, "draw", decision=1).reason == Reason.STALE_DECISION
    assert driver.state.turn_number == before
