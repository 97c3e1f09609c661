"""What happens when a seat's time runs out (rules.md C79-C80, K4, K7, K9), and what is said of it."""

import pytest

from lastcard.rules.actions import LeaveCause
from lastcard.rules.events import CardKept, CardsDrawn, ColorChosen, DrawCause, PenaltyAccepted, SeatLeft, TimedOut
from lastcard.rules.reasons import Reason
from lastcard.rules.state import Phase
from lastcard.table.commands import NextRound
from lastcard.table.effects import Blame, DecisionKind, FaultKind, Verdict, Withdraw
from lastcard.table.timecontrol import TimeControl
from table_driver import CLOCK, Driver, deal, hand_of, table_of

WHOLE = CLOCK.limit_ms + CLOCK.bank_ms
SHORT = TimeControl(limit_ms=100, bank_ms=0, reaction_ms=50)


def expire(driver: Driver) -> list[object]:
    """Lets the time of the open decision run out."""
    due = driver.table.next_deadline_ms()
    assert due is not None
    return list(driver.tick(due))


def test_C80_a_timeout_draws_one_and_passes() -> None:
    driver = table_of("R1 R2 R3", "G1 G2 G3", "*3", pile="R9 Y1")
    expire(driver)
    assert driver.events(CardsDrawn) == [CardsDrawn(0, 1, DrawCause.TIMEOUT, (0x19,))]
    assert driver.hand(0) == hand_of("R1 R2 R3 R9")
    assert driver.state.turn == 1
    assert driver.asked(1).kind == DecisionKind.TURN


def test_C80_the_effects_of_a_timeout_come_in_their_order() -> None:
    driver = table_of("R1 R2 R3", "G1 G2 G3")
    kinds = [type(effect).__name__ for effect in expire(driver)]
    assert kinds == ["Withdraw", "Blame", "Happened", "Ask"]


def test_C80_the_decision_is_withdrawn_as_expired_and_the_bank_is_used_up() -> None:
    driver = table_of("R1 R2 R3", "G1 G2 G3")
    expire(driver)
    withdraw = driver.last(Withdraw)
    assert withdraw.reason == Reason.TURN_EXPIRED
    assert withdraw.receipt == driver.receipt(0)
    assert withdraw.receipt is not None
    assert (withdraw.receipt.charged_ms, withdraw.receipt.bank_left_ms) == (WHOLE, 0)
    assert withdraw.receipt.timed_out
    assert withdraw.receipt.received_ms is None


def test_C80_uno_is_never_called_for_a_seat() -> None:
    driver = table_of("R1 R2", "G1 G2 G3", uno_catch_window="own_next_turn")
    driver.answer(0, "R1")
    assert driver.state.liable == 1
    expire(driver)
    assert driver.state.called == 0


def test_A32_a_timeout_is_legal_where_drawing_by_choice_is_not() -> None:
    driver = table_of("R5 R6", "*3", "*3", top="R1", preset="german")
    assert DrawCause.TIMEOUT not in [event.cause for event in driver.events(CardsDrawn)]
    expire(driver)
    assert sum(driver.hand(0).values()) == 3
    assert driver.state.turn == 1
    assert driver.last(Blame).kind == FaultKind.TIMEOUT


def test_C80_a_drawn_card_is_kept() -> None:
    driver = table_of("B1 R2", "*3", pile="R9")
    driver.answer(0, "draw")
    assert driver.asked(0).kind == DecisionKind.DRAWN_CARD
    expire(driver)
    assert driver.events(CardKept) == [CardKept(0)]
    assert driver.hand(0) == hand_of("B1 R2 R9")


def test_C79_a_pending_penalty_is_accepted_even_while_its_seat_is_away() -> None:
    driver = table_of("W4 B1 B2", "*3", "*3", clock=SHORT)
    driver.answer(0, "W4/B")
    assert driver.asked(1).kind == DecisionKind.PENALTY
    driver.at(10).disconnect(1)
    expire(driver)
    assert driver.events(PenaltyAccepted) == [PenaltyAccepted(1)]
    assert driver.events(CardsDrawn)[-1].count == 4
    assert driver.state.turn == 2


def test_K9_only_the_choice_of_a_colour_is_lost() -> None:
    driver = wild_start()
    chooser = driver.state.turn
    expire(driver)
    chosen = driver.events(ColorChosen)
    assert [(event.seat, event.by_server) for event in chosen] == [(chooser, True)]
    assert driver.state.color == chosen[0].color
    assert driver.asked(chooser).kind == DecisionKind.TURN
    assert driver.events(TimedOut) == [TimedOut(chooser, 1)]


def wild_start() -> Driver:
    """A round that opened on a wild: the first player is asked for its colour."""
    for number in range(200):
        driver = Driver("a", "b", "c")
        driver.occupy_all()
        driver.do(NextRound(number.to_bytes(32, "big")))
        if driver.state.phase == Phase.COLOR:
            assert driver.asked(driver.state.turn).kind == DecisionKind.COLOR
            return driver
    raise AssertionError("no seed opens on a wild")


def test_K4_a_timeout_closes_the_window_of_the_seat_before() -> None:
    driver = table_of("R1 R2", "*3", "*3", clock=SHORT)
    driver.answer(0, "R1")
    assert driver.state.liable == 1
    expire(driver)
    assert driver.state.liable == 0
    assert driver.seats_asked() == {2: DecisionKind.TURN}


@pytest.mark.parametrize("limit", [1, 3])
def test_K7_the_default_action_happens_first_then_the_removal(limit: int) -> None:
    driver = table_of("R1 R2 R3", "*3", "*3", clock=SHORT, max_timeouts=limit)
    for strike in range(1, limit + 1):
        expire(driver)
        assert driver.events(TimedOut)[-1] == TimedOut(0, strike)
        if strike < limit:
            driver.answer(1, "draw")
            driver.answer(2, "draw")
    assert [(event.seat, event.cause) for event in driver.events(SeatLeft)] == [(0, LeaveCause.TIMEOUTS)]
    assert driver.events(CardsDrawn)[-1].cause == DrawCause.TIMEOUT
    assert driver.state.turn == 1
    assert driver.table.seats[0].status.name == "LEFT"
    assert [blame.kind for blame in driver.all(Blame)] == [FaultKind.TIMEOUT] * limit


def test_K7_zero_means_never_removed() -> None:
    driver = table_of("*3", "*3", clock=SHORT, max_timeouts=0, max_turns_per_round=100)
    for _ in range(20):
        expire(driver)
    assert driver.events(SeatLeft) == []
    assert driver.state.strikes == [10, 10]


def test_a_forfeit_removes_at_the_first_timeout() -> None:
    driver = table_of("*3", "*3", "*3", clock=SHORT, timeout_action="forfeit")
    expire(driver)
    assert [event.cause for event in driver.events(SeatLeft)] == [LeaveCause.TIMEOUTS]
    assert driver.state.turn == 1


def test_strikes_are_counted_over_the_match() -> None:
    driver = table_of("R5", "*3", match_end="rounds", match_rounds=2, clock=SHORT, top="R1", turn=1)
    expire(driver)
    driver.answer(0, "R5")
    deal(driver, "*3", "*3", turn=1)
    expire(driver)
    assert driver.events(TimedOut) == [TimedOut(1, 1), TimedOut(1, 2)]


def test_A33_a_bot_that_never_answers_costs_only_itself() -> None:
    driver = table_of("*7", "*7", "*7", clock=SHORT, max_timeouts=3)
    other = table_of("*7", "*7", "*7", clock=SHORT, max_timeouts=3)
    while driver.state.active[2]:
        seat = driver.state.turn
        if seat == 2:
            expire(driver)
        else:
            driver.answer(seat, "draw")
            if driver.state.turn == seat:
                driver.answer(seat, "keep")
    assert [blame.seat for blame in driver.all(Blame)] == [2, 2, 2]
    assert driver.state.round_on()
    assert driver.table.running
    assert other.all(Blame) == []
    assert all(verdict.accepted for verdict in driver.all(Verdict))


def test_the_evidence_of_a_timeout_says_what_time_there_was() -> None:
    driver = table_of("R1 R2 R3", "*3")
    expire(driver)
    blame = driver.last(Blame)
    assert (blame.seat, blame.kind, blame.sequence) == (0, FaultKind.TIMEOUT, 1)
    assert blame.evidence == ("decision 1 (TURN) had no accepted answer within 6000 ms: limit 1000 ms, bank 5000 ms")


def test_the_evidence_of_a_timeout_names_absence_and_refused_answers() -> None:
    driver = table_of("R1 R2 R3", "*3", clock=SHORT)
    driver.answer(0, "G7")
    driver.disconnect(0)
    expire(driver)
    evidence = driver.last(Blame).evidence
    assert "; the seat was away; refused answers: CARD_NOT_IN_HAND, seat 0 does not hold G7" in evidence
