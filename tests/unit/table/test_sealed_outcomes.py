"""Sealed reactions (architecture section 4): how a window is resolved, and what leaving does to it."""

import pytest

from lastcard.rules.actions import PASS, UNO, LeaveCause, catch
from lastcard.rules.events import CardPlayed, CardsDrawn, DrawCause, HandsMoved, PenaltyAccepted, SeatAccused, UnoCalled
from lastcard.rules.reasons import Reason
from lastcard.table.commands import LeaveSeat, Tick
from lastcard.table.effects import Announce, Ask, DecisionKind, NoticeKind, Verdict
from table_driver import CLOCK, Driver, hand_of, table_of

REACTION = DecisionKind.REACTION
TURN = DecisionKind.TURN
JUMP = {"jump_in": "identical"}


def windows(driver: Driver) -> int:
    return sum(1 for notice in driver.all(Announce) if notice.kind == NoticeKind.REACTION_OPENED)


def forgotten(seats: int = 4, **options: object) -> Driver:
    """Seat 0 has just played to one card without a call; the window is open."""
    driver = table_of("R1 R2", *["*5"] * (seats - 1), sealed=True, **options)
    driver.answer(0, "R1")
    return driver


@pytest.mark.parametrize("arrival", [(1, 2, 3), (3, 2, 1), (2, 3, 1)])
def test_one_penalty_however_many_catch_and_arrival_decides_nothing(arrival: tuple[int, ...]) -> None:
    driver = forgotten()
    for seat in arrival:
        driver.answer(seat, "catch 0")
    assert driver.events(SeatAccused) == [SeatAccused(1, 0, True)]
    assert [(event.seat, event.count) for event in driver.events(CardsDrawn)] == [(0, 2)]
    assert all(verdict.accepted and not verdict.refused_catches for verdict in driver.all(Verdict))


def test_nobody_pays_for_a_false_catch_in_a_window() -> None:
    driver = forgotten(4, false_catch_penalty=2)
    verdict = driver.answer(1, "catch 2")
    assert verdict.reason == Reason.NOT_LIABLE
    verdict = driver.answer(1, "pass", catch=(2, 3, 9, 1))
    assert [(catch.seat, catch.reason.name) for catch in verdict.refused_catches] == [
        (2, "NOT_LIABLE"),
        (3, "NOT_LIABLE"),
        (9, "NOT_LIABLE"),
        (1, "ACTION_NOT_AVAILABLE"),
    ]
    driver.answer(2, "pass")
    driver.answer(3, "pass")
    assert driver.events(CardsDrawn) == []
    assert driver.events(SeatAccused) == []


def test_a_catch_may_ride_on_a_pass() -> None:
    driver = forgotten(2)
    assert driver.answer(1, "pass", catch=(0,)).accepted
    assert driver.events(SeatAccused) == [SeatAccused(1, 0, True)]


def test_a_call_forgotten_in_the_play_cannot_be_repaired_in_the_window() -> None:
    driver = table_of("R1 R2", "*5", "*5", sealed=True, **JUMP)
    driver.answer(0, "R1")
    assert driver.asked(0).legal_actions == (PASS,)
    assert driver.answer(0, "uno").reason == Reason.ACTION_NOT_AVAILABLE


def test_a_catch_may_ride_on_ones_own_answer_while_the_preset_holds_the_seat_liable() -> None:
    driver = forgotten(3, uno_catch_window="own_next_turn")
    for seat in (1, 2):
        driver.answer(seat, "pass")
    driver.answer(1, "draw")
    assert driver.answer(2, "draw", catch=(0,)).accepted
    assert driver.events(SeatAccused) == [SeatAccused(2, 0, True)]


def test_an_old_duty_opens_no_second_window() -> None:
    driver = forgotten(3, uno_catch_window="own_next_turn")
    for seat in (1, 2):
        driver.answer(seat, "pass")
    driver.answer(1, "draw")
    assert driver.seats_asked() == {2: TURN}
    assert windows(driver) == 1


def test_C39_a_duty_that_arose_by_anothers_play_is_called_first() -> None:
    driver = swapped()
    assert driver.asked(1).legal_actions == (UNO, PASS)
    assert driver.asked(2).legal_actions == (catch(1), PASS)
    driver.answer(2, "catch 1")
    driver.answer(0, "catch 1")
    driver.answer(1, "uno")
    assert driver.events(UnoCalled) == [UnoCalled(1)]
    assert driver.events(SeatAccused) == []
    assert driver.state.called == 0b010


def test_C39_who_does_not_call_for_itself_is_caught() -> None:
    driver = swapped()
    driver.answer(1, "pass")
    driver.answer(0, "catch 1")
    driver.answer(2, "pass")
    assert driver.events(SeatAccused) == [SeatAccused(0, 1, True)]


def test_C39_who_has_called_pays_nothing_when_a_leaving_has_ended_the_duty() -> None:
    """The turn that seat 2 comes to by the leaving closes its window; its call was right when it was made."""
    options = {"seven_swap": True, "passive_uno": "required", "uno_catch_window": "own_next_turn"}
    driver = table_of("R7 B2", "*5", "*5", "*5", sealed=True, false_uno_penalty=2, **options)
    driver.answer(0, "R7>2")
    assert driver.answer(2, "uno").accepted
    driver.do(LeaveSeat(1, LeaveCause.LEFT))
    assert driver.state.turn == 2
    assert driver.seats_asked() == {2: TURN}
    assert driver.hand(2) == hand_of("B2")
    assert driver.events(CardsDrawn) == []


def swapped() -> Driver:
    """Seat 0 has swapped its one card to seat 1, which now owes a call by another's action."""
    driver = table_of("R7 B2", "*5", "*5", sealed=True, seven_swap=True, passive_uno="required")
    driver.answer(0, "R7>1")
    assert driver.events(HandsMoved)
    assert driver.seats_asked() == {0: REACTION, 1: REACTION, 2: REACTION}
    return driver


def test_the_jumper_nearest_in_the_direction_of_play_plays() -> None:
    four = {"jump_in": "identical_incl_w4"}
    driver = table_of("W4 R2 R3", "*5", "W4 B1 B2", "W4 B1 B2", sealed=True, **four)
    driver.answer(0, "W4/G")
    assert driver.seats_asked() == {0: REACTION, 2: REACTION, 3: REACTION}
    driver.answer(3, "jump W4/Y")
    driver.answer(0, "pass")
    driver.answer(2, "jump W4/B")
    played = driver.events(CardPlayed)[-1]
    assert (played.seat, played.jump_in, played.color) == (2, True, 4)
    assert sum(driver.hand(3).values()) == 3


def test_the_direction_counts_when_it_is_reversed() -> None:
    four = {"jump_in": "identical_incl_w4"}
    driver = table_of("W4 R2 R3", "W4 B1 B2", "W4 B1 B2", "*5", sealed=True, **four)
    driver.state.direction = -1
    driver.answer(0, "W4/G")
    assert driver.seats_asked() == {0: REACTION, 1: REACTION, 2: REACTION}
    for seat in (1, 2):
        driver.answer(seat, "jump W4/B")
    driver.answer(0, "pass")
    assert driver.events(CardPlayed)[-1].seat == 2


def test_who_played_may_jump_on_its_own_card_but_is_the_last_in_order() -> None:
    four = {"jump_in": "identical_incl_w4"}
    driver = table_of("W4 W4 R2", "*5", "W4 B1 B2", sealed=True, **four)
    driver.answer(0, "W4/G")
    driver.answer(0, "jump W4/R")
    driver.answer(2, "jump W4/B")
    assert driver.events(CardPlayed)[-1].seat == 2
    driver = table_of("W4 W4 R2", "*5", "W4 B1 B2", sealed=True, **four)
    driver.answer(0, "W4/G")
    driver.answer(0, "jump W4/R")
    driver.answer(2, "pass")
    assert driver.events(CardPlayed)[-1].seat == 0


def test_a_jump_is_a_play_and_opens_the_next_window() -> None:
    driver = table_of("R1 R2 R3", "*5", "R1 B1 B2", "*5", sealed=True, **JUMP)
    driver.answer(0, "R1")
    driver.answer(0, "pass")
    driver.answer(2, "jump R1")
    driver.answer(3, "pass")
    assert driver.state.turn == 3
    assert driver.seats_asked() == {0: REACTION, 1: REACTION, 2: REACTION}
    assert windows(driver) == 2


def test_a_jump_with_a_call_counts_as_called() -> None:
    driver = table_of("R1 R2 R3", "*5", "R1 B1", sealed=True, **JUMP)
    driver.answer(0, "R1")
    driver.answer(0, "pass")
    driver.answer(2, "jump R1!")
    assert (driver.state.called, driver.state.liable) == (0b100, 0)


def test_catches_come_before_the_jump() -> None:
    driver = table_of("R1 R2", "*5", "R1 B1 B2", sealed=True, **JUMP)
    driver.answer(0, "R1")
    driver.answer(0, "pass")
    driver.answer(2, "jump R1", catch=(0,))
    driver.answer(1, "pass")
    kinds = [
        type(event).__name__ for happened in driver.told if hasattr(happened, "events") for event in happened.events
    ]
    assert kinds[-4:] == ["SeatAccused", "CardsDrawn", "CardPlayed", "TurnStarted"]


def test_K1_without_a_jump_the_penalty_is_served_by_itself() -> None:
    driver = table_of("RD R2 R3", "*5", "*5", sealed=True, **JUMP)
    driver.answer(0, "RD")
    assert driver.seats_asked() == {0: REACTION, 2: REACTION}
    driver.answer(0, "pass")
    driver.answer(2, "pass")
    assert driver.events(PenaltyAccepted) == [PenaltyAccepted(1)]
    assert [(event.seat, event.count, event.cause) for event in driver.events(CardsDrawn)] == [
        (1, 2, DrawCause.PENALTY)
    ]
    assert driver.seats_asked() == {2: TURN}


def test_K1_a_jump_cancels_the_penalty_before_it_is_served() -> None:
    driver = table_of("RD R2 R3", "*5", "RD B1 B2", "*5", sealed=True, **JUMP)
    driver.answer(0, "RD")
    driver.answer(0, "pass")
    driver.answer(3, "pass")
    driver.answer(2, "jump RD")
    for seat in (0, 1, 2):
        driver.answer(seat, "pass")
    assert [(event.seat, event.count) for event in driver.events(CardsDrawn)] == [(3, 2)]


@pytest.mark.parametrize("hand", ["BD B1 B2", "B3 B1 B2"], ids=["with a draw two", "without"])
def test_K1_a_penalty_that_might_be_stacked_is_asked_whatever_the_hand(hand: str) -> None:
    driver = table_of("RD R2 R3", hand, "*5", sealed=True, stack_draw_two="same", **JUMP)
    driver.answer(0, "RD")
    driver.answer(0, "pass")
    driver.answer(2, "pass")
    assert driver.seats_asked() == {1: DecisionKind.PENALTY}


def test_a_last_wild_may_be_jumped_with_and_a_colour_that_is_not_needed_is_ignored() -> None:
    four = {"jump_in": "identical_incl_w4"}
    driver = table_of("W4 R2 R3", "*5", "W4", sealed=True, **four)
    driver.answer(0, "W4/G")
    driver.answer(0, "pass")
    assert driver.answer(2, "jump W4/B").accepted
    assert driver.table.closed is not None
    assert driver.table.closed.places[2] == 1


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        ("jump W4", Reason.COLOR_REQUIRED),
        ("jump R2", Reason.CARD_NOT_IN_HAND),
        ("jump B1", Reason.CARD_NOT_PLAYABLE),
        ("B1", Reason.ACTION_NOT_AVAILABLE),
        ("accept", Reason.ACTION_NOT_AVAILABLE),
    ],
)
def test_an_impossible_jump_is_refused_for_the_reason_of_the_rules(answer: str, reason: Reason) -> None:
    driver = table_of("W4 R2 R3", "*5", "W4 B1", sealed=True, jump_in="identical_incl_w4")
    driver.answer(0, "W4/G")
    before = bytes(driver.state.hands[2])
    assert driver.answer(2, answer).reason == reason
    assert bytes(driver.state.hands[2]) == before
    assert driver.seats_asked()[2] == REACTION


# ------------------------------------------------------------------ leaving meanwhile


def test_a_seat_that_leaves_does_not_hold_the_window_up() -> None:
    driver = forgotten(3)
    driver.answer(1, "pass")
    driver.do(LeaveSeat(2, LeaveCause.LEFT))
    assert driver.seats_asked() == {1: TURN}


def test_what_a_seat_answered_is_void_once_it_has_left() -> None:
    driver = forgotten(4)
    driver.answer(1, "catch 0")
    driver.do(LeaveSeat(1, LeaveCause.LEFT))
    driver.answer(2, "pass")
    driver.answer(3, "pass")
    assert driver.events(SeatAccused) == []


def test_when_the_liable_seat_leaves_there_is_nothing_to_ask_any_more() -> None:
    driver = forgotten(4)
    driver.answer(1, "catch 0")
    driver.do(LeaveSeat(0, LeaveCause.LEFT))
    assert driver.seats_asked() == {1: TURN}
    assert driver.events(SeatAccused) == []


def test_a_leaving_that_changes_what_may_be_done_asks_anew() -> None:
    driver = table_of("R1 R2", "R1 B1 B2", "*5", "*5", sealed=True, **JUMP)
    driver.answer(0, "R1")
    first = driver.asked(1)
    assert first.legal_actions == (catch(0), PASS)
    driver.at(200).do(LeaveSeat(0, LeaveCause.LEFT))
    assert driver.seats_asked() == {2: REACTION, 3: REACTION}
    assert driver.asked(2).legal_actions == (PASS,)
    assert driver.asked(2).limit_ms == CLOCK.reaction_ms
    assert driver.answer(1, "catch 0", decision=first.decision_id).reason == Reason.STALE_DECISION


def test_a_seat_that_comes_on_turn_by_a_leaving_cannot_jump_any_more() -> None:
    driver = table_of("R1 R2 R3", "*5", "R1 B1 B2", "*5", sealed=True, **JUMP)
    driver.answer(0, "R1")
    driver.do(LeaveSeat(1, LeaveCause.LEFT))
    assert driver.state.turn == 2
    assert driver.seats_asked() == {0: REACTION, 3: REACTION}
    driver.answer(0, "pass")
    driver.answer(3, "pass")
    assert driver.seats_asked() == {2: TURN}


def test_a_jump_that_has_become_impossible_is_a_pass() -> None:
    driver = table_of("R1 R2 R3", "*5", "R1 B1 B2", "*5", sealed=True, **JUMP)
    driver.answer(0, "R1")
    driver.answer(2, "jump R1")
    driver.do(LeaveSeat(1, LeaveCause.LEFT))
    driver.answer(0, "pass")
    driver.answer(3, "pass")
    assert driver.seats_asked() == {2: TURN}
    assert len(driver.events(CardPlayed)) == 1


def test_the_end_of_the_match_in_a_window_closes_it() -> None:
    driver = forgotten(2)
    driver.do(LeaveSeat(1, LeaveCause.LEFT))
    assert driver.table.closed is not None
    assert driver.seats_asked() == {}
    assert driver.do(Tick()) == []


def test_the_window_gives_nobody_away_who_is_asked_alone() -> None:
    driver = forgotten(3)
    asks = [ask for ask in driver.all(Ask) if ask.kind == REACTION]
    assert {(ask.limit_ms, ask.bank_ms) for ask in asks} == {(CLOCK.reaction_ms, None)}
