"""What a table does when its server was down: nobody is to blame, nothing is lost, and no time has passed for any."""

import pytest

from lastcard.rules.events import TimedOut
from lastcard.rules.reasons import Reason
from lastcard.table.commands import Connected, DecisionSent, NoteFault, Occupy, Recovered, Tick
from lastcard.table.effects import Announce, Ask, Blame, CloseCause, DecisionKind, FaultKind, NoticeKind, Withdraw
from lastcard.table.seats import SeatStatus
from lastcard.table.timecontrol import SETTLE_MS
from table_driver import CLOCK, Driver, table_of

GRACE = 30_000
WHOLE = CLOCK.limit_ms + CLOCK.bank_ms


def crashed(*hands: str, after_ms: int = 700, down_ms: int = 60_000, **options: object) -> Driver:
    """A table whose server died `after_ms` after the turn's decision was sent, and is back."""
    driver = table_of(*hands, **options)
    driver.at(after_ms)
    driver.at(after_ms + down_ms).do(Recovered(after_ms, GRACE))
    driver.sends = False
    return driver


def back(driver: Driver, seat: int) -> list[object]:
    """A seat's stream is there again, and what it is asked has been written to it."""
    effects = list(driver.connect(seat))
    driver.sent(seat)
    return effects


def test_an_open_decision_has_its_number_its_full_limit_and_the_same_bank_again() -> None:
    driver = table_of("R1 R2 R3", "G1 G2 G3")
    before = driver.asked(0)
    driver.at(700).do(Recovered(700, GRACE))
    assert driver.open(0) == (before._replace(limit_ms=CLOCK.limit_ms, bank_ms=CLOCK.bank_ms),)


def test_no_clock_runs_for_a_seat_that_is_not_back() -> None:
    driver = crashed("R1 R2 R3", "G1 G2 G3")
    driver.do(DecisionSent(0, driver.asked(0).decision_id))
    driver.at(driver.now + GRACE - 1).do(Tick())
    assert driver.asked(0).limit_ms == CLOCK.limit_ms
    assert not driver.all(Blame)


def test_who_comes_back_is_asked_again_and_the_clock_begins_when_that_is_sent() -> None:
    driver = crashed("R1 R2 R3", "G1 G2 G3")
    driver.at(driver.now + 20_000)
    asked = driver.asked(0)
    assert driver.connect(0) == [Announce(NoticeKind.SEAT_BACK, 0), asked]
    driver.at(driver.now + 50).sent(0)
    driver.at(driver.now + CLOCK.limit_ms + 5)
    verdict = driver.answer(0, "R1")
    assert verdict.accepted
    assert verdict.receipt is not None
    assert (verdict.receipt.charged_ms, verdict.receipt.bank_left_ms) == (CLOCK.limit_ms + 5, CLOCK.bank_ms - 5)


def test_the_bank_that_was_used_before_stays_used() -> None:
    driver = table_of("R1 R2 R3 B7", "R4 G2 G3")
    driver.at(CLOCK.limit_ms + 300).answer(0, "R1")
    driver.do(Recovered(driver.now, GRACE))
    driver.at(driver.now + 10)
    back(driver, 1)
    driver.answer(1, "R4")
    assert driver.asked(0).bank_ms == CLOCK.bank_ms - 300


def test_others_play_on_while_one_is_awaited_and_its_new_decision_has_no_clock_either() -> None:
    driver = crashed("R1 R2 R3", "G1 G2 G3")
    back(driver, 0)
    driver.answer(0, "R1")
    driver.do(DecisionSent(1, driver.asked(1).decision_id))
    driver.tick(driver.now + GRACE - 1)
    assert driver.asked(1).limit_ms == CLOCK.limit_ms
    back(driver, 1)
    driver.tick(driver.now + WHOLE + SETTLE_MS)
    assert driver.last(Blame).kind == FaultKind.TIMEOUT
    assert driver.last(Blame).seat == 1


def test_who_is_not_back_in_time_is_away_like_anybody_with_its_whole_limit_bank_and_grace() -> None:
    driver = crashed("R1 R2 R3", "G1 G2 G3")
    back(driver, 1)
    over = driver.now + GRACE
    driver.tick(over)
    assert not driver.all(Blame)
    driver.tick(over + WHOLE + SETTLE_MS)
    assert driver.events(TimedOut) == [TimedOut(0, 1)]
    assert "the seat was away" in driver.last(Blame).evidence
    driver.tick(over + CLOCK.grace_ms)
    assert driver.last(Blame).kind == FaultKind.DISCONNECT
    assert [seat.status for seat in driver.table.seats] == [SeatStatus.LEFT, SeatStatus.PRESENT]


def test_a_seat_that_was_away_before_is_awaited_too() -> None:
    driver = table_of("*3", "*3", "*3")
    driver.at(100).disconnect(2)
    driver.at(100 + CLOCK.grace_ms - 1).do(Recovered(driver.now, GRACE))
    back(driver, 0)
    driver.tick(driver.now + GRACE - 1)
    assert not [blame for blame in driver.all(Blame) if blame.seat == 2]
    back(driver, 2)
    assert driver.table.seats[2].status == SeatStatus.PRESENT


def test_nobody_back_is_no_loss_of_those_who_come_later_but_a_table_ends_when_nobody_comes() -> None:
    driver = crashed("*3", "*3")
    over = driver.now + GRACE
    driver.tick(over)
    assert driver.table.closed is None
    while driver.table.closed is None:
        due = driver.table.next_deadline_ms()
        assert due is not None
        driver.tick(due)
    assert driver.table.closed.cause == CloseCause.ABANDONED
    assert driver.table.closed.places == (1, 1)
    assert driver.now >= over + CLOCK.grace_ms


def test_who_is_gone_for_too_long_is_removed_though_the_others_are_only_awaited() -> None:
    """They may still come; when they do not, they are given up in their turn."""
    driver = table_of("*3", "*3", "*3")
    driver.at(10).do(Recovered(10, GRACE))
    back(driver, 0)
    driver.disconnect(0)
    driver.tick(driver.now + CLOCK.grace_ms)
    assert [blame.kind for blame in driver.all(Blame) if blame.kind != FaultKind.TIMEOUT] == [FaultKind.DISCONNECT]
    assert driver.table.closed is None


def test_a_sealed_window_waits_for_those_who_come_back_and_has_its_full_time_again() -> None:
    driver = table_of("R1 R2", "G1 G2 G3", "*3", sealed=True)
    driver.answer(0, "R1")
    assert set(driver.seats_asked().values()) == {DecisionKind.REACTION}
    driver.at(driver.now + 200).do(Recovered(driver.now, GRACE))
    driver.sends = False
    assert {ask.limit_ms for seat in driver.seats_asked() for ask in driver.open(seat)} == {CLOCK.reaction_ms}
    asked = list(driver.seats_asked())
    driver.tick(driver.now + 5_000)
    assert list(driver.seats_asked()) == asked
    for seat in asked:
        back(driver, seat)
        driver.answer(seat, "pass")
    assert driver.asked(1).kind == DecisionKind.TURN
    assert not driver.all(Blame)


def test_a_sealed_window_does_not_wait_beyond_the_recovery_grace() -> None:
    driver = table_of("R1 R2", "G1 G2 G3", "*3", sealed=True)
    driver.answer(0, "R1")
    driver.do(Recovered(driver.now, GRACE))
    driver.sends = False
    driver.tick(driver.now + GRACE)
    assert driver.asked(1).kind == DecisionKind.TURN
    assert {withdraw.reason for withdraw in driver.all(Withdraw)} == {Reason.STALE_DECISION}


@pytest.mark.parametrize("down_ms", [0, 5_000, 3_600_000])
@pytest.mark.parametrize("grace_ms", [0, 5_000, 25_000])
def test_the_start_up_limit_goes_on_where_it_was_and_leaves_the_recovery_grace(down_ms: int, grace_ms: int) -> None:
    driver = Driver("a", "b")
    driver.at(10_000).do(Occupy(0, "a"))
    driver.at(10_000 + down_ms).do(Recovered(10_000, grace_ms))
    driver.do(Connected(0))
    left = max(CLOCK.start_up_ms - 10_000, grace_ms)
    driver.tick(driver.now + left - 1)
    assert not driver.all(Blame)
    driver.tick(driver.now + 1)
    assert [(blame.seat, blame.kind) for blame in driver.all(Blame)] == [(1, FaultKind.START_UP)]


def test_the_match_s_own_time_stands_still_too() -> None:
    driver = table_of("*3", "*3", match_end="time", match_time_s=60)
    driver.at(20_000).do(Recovered(20_000, 0))
    later = driver.now + 3_600_000
    driver.at(later).do(Recovered(20_000, GRACE))
    due = driver.table.next_deadline_ms()
    assert due is not None
    assert due > later


def test_a_second_restart_before_anybody_is_back_changes_nothing_but_the_time() -> None:
    driver = crashed("R1 R2 R3", "G1 G2 G3")
    asked = driver.asked(0)
    driver.at(driver.now + GRACE - 1).do(Recovered(driver.now - 5, GRACE))
    assert driver.asked(0) == asked
    driver.tick(driver.now + GRACE - 1)
    assert not driver.all(Blame)
    back(driver, 0)
    assert driver.answer(0, "R1").accepted


def test_a_repeated_answer_gets_its_first_verdict_after_a_restart() -> None:
    driver = table_of("R1 R2 R3", "G1 G2 G3")
    number = driver.asked(0).decision_id
    first = driver.at(300).answer(0, "R1")
    driver.at(90_000).do(Recovered(400, GRACE))
    driver.sends = False
    back(driver, 0)
    assert driver.answer(0, "R1", decision=number) == first
    assert driver.answer(0, "R2", decision=number).reason == Reason.STALE_DECISION


def test_a_fault_that_the_table_cannot_see_is_noted_and_the_seat_stays() -> None:
    driver = table_of("R1 R2 R3", "G1 G2 G3")
    assert driver.do(NoteFault(1, FaultKind.CRASH, "was ended by SIGKILL")) == [
        Blame(1, FaultKind.CRASH, 1, "was ended by SIGKILL")
    ]
    assert driver.table.seats[1].status == SeatStatus.PRESENT


def test_what_is_asked_of_one_who_is_awaited_is_asked_once() -> None:
    driver = crashed("R1 R2 R3", "G1 G2 G3")
    number = driver.asked(0).decision_id
    assert [ask.decision_id for ask in driver.all(Ask) if ask.seat == 0] == [number]
    back(driver, 0)
    assert {ask.decision_id for ask in driver.all(Ask) if ask.seat == 0} == {number}
