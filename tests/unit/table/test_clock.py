"""When clocks run, what a decision costs, and what its receipt says (architecture section 4, rules.md C81)."""

from dataclasses import replace

import pytest

from lastcard.rules.actions import LeaveCause
from lastcard.rules.events import CardsDrawn, TimedOut
from lastcard.rules.reasons import Reason
from lastcard.table.commands import DecisionSent, LeaveSeat, Tick
from lastcard.table.effects import Ask, Receipt, Withdraw
from lastcard.table.timecontrol import SETTLE_MS, TimeControl
from table_driver import CLOCK, Driver, deal, table_of

WHOLE = CLOCK.limit_ms + CLOCK.bank_ms
"""Time for a decision with a full bank."""


def unsent() -> Driver:
    """Seat 0 was asked, and the decision is still held back by its session."""
    driver = Driver("bot0", "bot1", match_end="single_round")
    driver.sends = False
    driver.occupy_all()
    deal(driver, "R1 R2 R3", "G1 G2 G3")
    return driver


def test_the_clock_starts_when_the_decision_is_sent() -> None:
    driver = unsent()
    driver.at(700).sent(0)
    driver.at(900).answer(0, "R1")
    assert driver.receipt(0) == Receipt(1, 700, 900, 0, 200, CLOCK.bank_ms, False)


def test_a_decision_held_back_by_its_session_never_expires() -> None:
    driver = unsent()
    assert driver.table.next_deadline_ms() is None
    driver.tick(100 * WHOLE)
    assert driver.asked(0).limit_ms == CLOCK.limit_ms
    assert driver.events(TimedOut) == []


def test_a_second_report_of_sending_does_not_start_the_clock_again() -> None:
    driver = unsent()
    driver.at(100).sent(0)
    driver.at(600).sent(0)
    driver.at(800).answer(0, "R1")
    assert driver.receipt(0).charged_ms == 700


def test_a_report_of_sending_a_closed_decision_is_ignored() -> None:
    driver = table_of("R1 R2 R3", "G1 G2 G3")
    driver.answer(0, "R1")
    before = driver.table.next_deadline_ms()
    assert driver.at(50).do(DecisionSent(0, 1)) == []
    assert driver.do(DecisionSent(1, 1)) == []
    assert driver.do(DecisionSent(0, 99)) == []
    assert driver.table.next_deadline_ms() == before


def test_an_answer_read_before_its_decision_was_reported_as_sent_costs_nothing() -> None:
    driver = unsent()
    driver.at(4_000).answer(0, "R1")
    assert driver.receipt(0) == Receipt(1, 4_000, 4_000, 0, 0, CLOCK.bank_ms, False)


def test_within_the_limit_the_bank_is_not_used() -> None:
    driver = table_of("R1 R2 R3", "G1 G2 G3")
    driver.at(CLOCK.limit_ms).answer(0, "R1")
    assert driver.receipt(0).bank_left_ms == CLOCK.bank_ms


def test_beyond_the_limit_the_bank_pays_and_both_are_told() -> None:
    driver = table_of("R1 R2 R3", "G1 G2 G3")
    ask = driver.asked(0)
    assert (ask.limit_ms, ask.bank_ms) == (1_000, 5_000)
    verdict = driver.at(1_400).answer(0, "draw")
    assert verdict.receipt == driver.receipt(0) == Receipt(1, 0, 1_400, 0, 1_400, 4_600, False)
    driver.answer(1, "draw")
    assert driver.asked(0).bank_ms == 4_600
    assert driver.last(Ask).previous_receipt == verdict.receipt


def test_the_first_decision_has_no_receipt_before_it() -> None:
    assert table_of("R1 R2", "G1 G2").last(Ask).previous_receipt is None


def test_a_seat_without_bank_has_the_limit_alone() -> None:
    driver = table_of("R1 R2 R3", "G1 G2 G3")
    driver.at(WHOLE).answer(0, "draw")
    assert driver.receipt(0).bank_left_ms == 0
    driver.answer(1, "draw")
    driver.tick(WHOLE + CLOCK.limit_ms + SETTLE_MS - 1)
    assert driver.events(TimedOut) == []
    driver.tick(WHOLE + CLOCK.limit_ms + SETTLE_MS)
    assert driver.events(TimedOut) == [TimedOut(0, 1)]


def test_banks_belong_to_seats() -> None:
    driver = table_of("R1 R2 R3", "G1 G2 G3")
    driver.at(3_000).answer(0, "draw")
    assert driver.asked(1).bank_ms == CLOCK.bank_ms


CREDITED = replace(CLOCK, network_credit_ms=100, network_credit_total_ms=250)


def credited(first: str = "R1 R2 R3", second: str = "G1 G2 G3", **options: object) -> Driver:
    return table_of(first, second, clock=CREDITED, **options)


def test_nothing_is_credited_unless_the_time_control_says_so() -> None:
    driver = table_of("R1 R2 R3", "G1 G2 G3")
    driver.at(1_250).answer(0, "draw", credit=5_000)
    assert driver.receipt(0) == Receipt(1, 0, 1_250, 0, 1_250, 4_750, False)


def test_the_network_is_credited_up_to_a_limit() -> None:
    driver = credited()
    driver.at(1_250).answer(0, "draw", credit=5_000)
    assert driver.receipt(0) == Receipt(1, 0, 1_250, 100, 1_150, 4_850, False)
    driver.at(2_300).answer(1, "draw", credit=30)
    assert driver.receipt(1) == Receipt(2, 1_250, 2_300, 30, 1_020, 4_980, False)


def test_a_quick_answer_costs_nothing_and_uses_up_no_credit() -> None:
    driver = credited()
    for turn in range(6):
        seat = turn % 2
        driver.at(driver.now + 900).answer(seat, "draw", credit=5_000)
        assert (driver.receipt(seat).network_credit_ms, driver.receipt(seat).charged_ms) == (100, 800)
    assert driver.table._docket.credits == [250, 250]


def test_all_credits_of_a_seat_together_are_limited() -> None:
    driver = credited()
    receipts = []
    for _ in range(4):
        driver.at(driver.now + 1_500).answer(0, "draw", credit=5_000)
        receipts.append(driver.receipt(0))
        driver.at(driver.now + 1).answer(1, "draw")
    assert [(one.network_credit_ms, one.charged_ms) for one in receipts] == [
        (100, 1_400), (100, 1_400), (50, 1_450), (0, 1_500),
    ]  # fmt: skip
    assert [one.bank_left_ms for one in receipts] == [4_600, 4_200, 3_750, 3_250]


def test_the_next_decision_carries_the_credited_receipt_and_the_bank_that_is_left() -> None:
    driver = credited()
    driver.at(1_250).answer(0, "draw", credit=40)
    driver.answer(1, "draw")
    ask = driver.asked(0)
    assert (ask.bank_ms, ask.previous_receipt) == (4_790, Receipt(1, 0, 1_250, 40, 1_210, 4_790, False))


@pytest.mark.parametrize("clock", [CLOCK, CREDITED], ids=["off", "on"])
def test_C81_the_deadline_stays_whatever_is_credited(clock: TimeControl) -> None:
    driver = table_of("R1 R2 R3", "G1 G2 G3", clock=clock)
    assert driver.table.next_deadline_ms() == WHOLE + SETTLE_MS
    late = driver.at(WHOLE + 1).answer(0, "draw", credit=5_000)
    assert late.reason == Reason.TURN_EXPIRED
    driver.tick(WHOLE + SETTLE_MS)
    assert driver.receipt(0) == Receipt(1, 0, None, 0, WHOLE, 0, True)


def test_an_answer_at_the_deadline_is_in_time_and_its_credit_is_what_is_left() -> None:
    driver = credited()
    assert driver.at(WHOLE).answer(0, "draw", credit=5_000).accepted
    assert driver.receipt(0) == Receipt(1, 0, WHOLE, 100, WHOLE - 100, 100, False)


def test_what_others_close_is_credited_nothing() -> None:
    driver = credited("R1 R2 R3", "G1 G2 G3")
    driver.at(1_500).do(LeaveSeat(0, LeaveCause.LEFT))
    assert driver.table.last_receipt(0).network_credit_ms == 0


def test_what_is_left_is_told_to_who_asks() -> None:
    driver = table_of("R1 R2 R3", "G1 G2 G3")
    assert [(ask.limit_ms, ask.bank_ms) for ask in driver.at(400).open(0)] == [(600, 5_000)]
    assert [(ask.limit_ms, ask.bank_ms) for ask in driver.at(1_600).open(0)] == [(0, 4_400)]


# ------------------------------------------------------------------- the deadline


def test_C81_an_answer_stamped_by_the_deadline_counts_although_handled_later() -> None:
    driver = table_of("R1 R2 R3", "G1 G2 G3")
    driver.tick(WHOLE + SETTLE_MS - 1)
    verdict = driver.answer(0, "draw", stamp=WHOLE)
    assert verdict.accepted
    assert driver.events(TimedOut) == []


def test_C81_an_answer_stamped_after_the_deadline_is_too_late_even_before_the_timer() -> None:
    driver = table_of("R1 R2 R3", "G1 G2 G3")
    verdict = driver.at(WHOLE + 1).answer(0, "draw")
    assert verdict.reason == Reason.TURN_EXPIRED
    assert not verdict.accepted
    assert verdict.refusals_left == 3
    assert driver.events(CardsDrawn) == []
    driver.tick(WHOLE + SETTLE_MS)
    assert driver.events(TimedOut) == [TimedOut(0, 1)]


def test_C81_an_applied_timeout_is_never_undone() -> None:
    driver = table_of("R1 R2 R3", "G1 G2 G3")
    driver.tick(WHOLE + SETTLE_MS)
    verdict = driver.answer(0, "R1", decision=1, stamp=WHOLE - 1)
    assert verdict.reason == Reason.TURN_EXPIRED
    assert driver.state.turn == 1


@pytest.mark.parametrize("order", ["answer first", "timer first"])
def test_A34_exactly_one_of_action_and_timeout_takes_effect(order: str) -> None:
    driver = table_of("R1 R2 R3", "G1 G2 G3", voluntary_draw="allowed")
    driver.at(WHOLE + SETTLE_MS)
    if order == "timer first":
        driver.do(Tick())
    verdict = driver.answer(0, "draw", decision=1, stamp=WHOLE)
    driver.do(Tick())
    assert verdict.accepted == (order == "answer first")
    assert len(driver.events(TimedOut)) == (order == "timer first")
    assert len(driver.events(CardsDrawn)) == 1
    assert driver.state.turn == 1


def test_the_timer_fires_a_settling_time_after_the_deadline() -> None:
    driver = table_of("R1 R2 R3", "G1 G2 G3")
    assert driver.table.next_deadline_ms() == WHOLE + SETTLE_MS
    assert driver.tick(WHOLE) == []
    assert isinstance(driver.tick(WHOLE + SETTLE_MS)[0], Withdraw)


def test_a_tick_too_early_does_nothing() -> None:
    driver = table_of("R1 R2 R3", "G1 G2 G3")
    for now in (0, 1, 500, WHOLE - 1):
        assert driver.tick(now) == []


# ------------------------------------------------------------- away and back again


def test_a_seat_that_is_away_has_its_clock_started_when_it_is_asked() -> None:
    driver = table_of("R1 R2 R3", "G1 G2 G3")
    driver.sends = False
    driver.at(100).disconnect(1)
    driver.at(200).answer(0, "R1")
    assert driver.table.next_deadline_ms() == 200 + WHOLE + SETTLE_MS
    driver.tick(200 + WHOLE + SETTLE_MS)
    assert driver.events(TimedOut) == [TimedOut(1, 1)]


def test_a_decision_that_was_not_sent_yet_runs_from_when_its_seat_goes_away() -> None:
    driver = unsent()
    driver.at(500).disconnect(0)
    driver.tick(500 + WHOLE + SETTLE_MS)
    assert driver.events(TimedOut) == [TimedOut(0, 1)]


def test_C79_a_reconnected_seat_is_asked_again_with_what_is_left() -> None:
    driver = table_of("R1 R2 R3", "G1 G2 G3")
    driver.at(300).disconnect(0)
    effects = driver.at(1_800).connect(0)
    asked = [effect for effect in effects if isinstance(effect, Ask)]
    assert [(ask.decision_id, ask.limit_ms, ask.bank_ms) for ask in asked] == [(1, 0, 4_200)]
    driver.at(2_000).answer(0, "draw")
    assert driver.receipt(0) == Receipt(1, 0, 2_000, 0, 2_000, 4_000, False)


def test_a_new_stream_of_a_present_seat_gets_the_open_decision_too() -> None:
    driver = table_of("R1 R2 R3", "G1 G2 G3")
    effects = driver.at(300).connect(0)
    assert [type(effect) for effect in effects] == [Ask]
    assert driver.asked(0).limit_ms == 700
