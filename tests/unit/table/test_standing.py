"""Open reactions: first come, first served, with standing decisions beside the turn's (architecture section 4)."""

import pytest

from lastcard.rules.actions import PASS, UNO, Action, Kind, LeaveCause, catch
from lastcard.rules.events import CardPlayed, CardsDrawn, DrawCause, PenaltyAccepted, SeatAccused, UnoCalled
from lastcard.rules.reasons import Reason
from lastcard.table.commands import LeaveSeat, Tick
from lastcard.table.effects import Announce, Ask, Blame, DecisionKind, NoticeKind, Withdraw
from lastcard.table.timecontrol import SETTLE_MS
from table_driver import CLOCK, Driver, table_of

REACTION = DecisionKind.REACTION
TURN = DecisionKind.TURN
JUMP = {"jump_in": "identical"}


def forgotten(seats: int = 4, **options: object) -> Driver:
    """Seat 0 has just played to one card without a call; it is seat 1's turn."""
    driver = table_of("R1 R2", *["*5"] * (seats - 1), **options)
    driver.answer(0, "R1")
    return driver


def test_each_entitled_seat_has_a_standing_decision_of_its_own_beside_the_turn() -> None:
    driver = forgotten()
    assert driver.seats_asked() == {0: REACTION, 1: TURN, 2: REACTION, 3: REACTION}
    assert driver.asked(0).legal_actions == (UNO, PASS)
    assert driver.asked(2).legal_actions == (catch(0), PASS)
    ids = [driver.asked(seat).decision_id for seat in range(4)]
    assert len(set(ids)) == 4


def test_a_standing_decision_has_no_time_of_its_own() -> None:
    driver = forgotten()
    asked = driver.asked(2)
    assert (asked.limit_ms, asked.bank_ms) == (0, None)
    assert driver.table.next_deadline_ms() == CLOCK.limit_ms + CLOCK.bank_ms + SETTLE_MS


def test_no_notice_gives_away_who_may_react() -> None:
    driver = forgotten()
    assert [notice.kind for notice in driver.all(Announce) if notice.kind == NoticeKind.REACTION_OPENED] == []


def test_only_holders_are_asked_to_jump() -> None:
    driver = table_of("R1 R2 R3", "*5", "R1 B1 B2", "*5", **JUMP)
    driver.answer(0, "R1")
    assert driver.seats_asked() == {1: TURN, 2: REACTION}
    assert driver.asked(2).legal_actions == (Action(Kind.JUMP_IN, 0x11), PASS)


def test_the_first_catch_counts_and_the_others_standing_decisions_are_withdrawn() -> None:
    driver = forgotten()
    stale = driver.asked(3).decision_id
    assert driver.answer(2, "catch 0").accepted
    assert driver.events(SeatAccused) == [SeatAccused(2, 0, True)]
    assert driver.seats_asked() == {1: TURN}
    assert driver.answer(3, "catch 0", decision=stale).reason == Reason.STALE_DECISION
    assert len(driver.events(SeatAccused)) == 1


def test_the_turns_decision_stands_while_others_react() -> None:
    driver = forgotten()
    turn = driver.asked(1).decision_id
    driver.answer(2, "catch 0")
    assert driver.asked(1).decision_id == turn
    assert [withdraw for withdraw in driver.all(Withdraw) if withdraw.decision_id == turn] == []


def test_C53_a_forgotten_call_can_be_repaired_until_caught() -> None:
    driver = forgotten()
    assert driver.answer(0, "uno").accepted
    assert driver.events(UnoCalled) == [UnoCalled(0)]
    assert driver.seats_asked() == {1: TURN}
    assert driver.state.called == 1


def test_C54_the_next_turn_action_closes_the_window() -> None:
    driver = forgotten()
    driver.answer(1, "draw")
    assert driver.seats_asked() == {2: TURN}
    assert driver.state.liable == 0


def test_C55_until_the_own_next_turn_the_decisions_stand_or_are_asked_again() -> None:
    driver = forgotten(3, uno_catch_window="own_next_turn")
    driver.answer(1, "draw")
    assert driver.seats_asked() == {0: REACTION, 1: REACTION, 2: TURN}
    driver.answer(1, "catch 0")
    assert driver.events(SeatAccused) == [SeatAccused(1, 0, True)]


def test_C70_a_jump_takes_the_turn_even_from_who_is_deciding_about_a_drawn_card() -> None:
    driver = table_of("R1 R2 R3", "B1 B2", "R1 B3 B4", "*5", pile="R9", **JUMP)
    driver.answer(0, "R1")
    driver.at(100).answer(1, "draw")
    assert driver.asked(1).kind == DecisionKind.DRAWN_CARD
    decision = driver.asked(1).decision_id
    driver.at(300).answer(2, "jump R1")
    played = driver.events(CardPlayed)[-1]
    assert (played.seat, played.jump_in) == (2, True)
    withdrawn = driver.all(Withdraw)[-1]
    assert (withdrawn.decision_id, withdrawn.reason) == (decision, Reason.STALE_DECISION)
    assert withdrawn.receipt is not None
    assert (withdrawn.receipt.charged_ms, withdrawn.receipt.timed_out) == (200, False)
    assert driver.seats_asked() == {3: TURN}
    assert driver.answer(1, "keep", decision=decision).reason == Reason.STALE_DECISION


def test_C71_a_second_jump_is_judged_against_the_new_top_card() -> None:
    driver = table_of("W4 R2 R3", "*5", "W4 B1 B2", "W4 B1 B2", jump_in="identical_incl_w4")
    driver.answer(0, "W4/G")
    first, second = driver.asked(3).decision_id, driver.asked(2).decision_id
    driver.answer(3, "jump W4/Y", decision=first)
    assert driver.answer(2, "jump W4/B", decision=second).reason == Reason.STALE_DECISION
    assert driver.asked(2).decision_id != second
    assert driver.answer(2, "jump W4/B").accepted


def test_C72_a_jump_with_the_last_card_ends_the_round_at_once() -> None:
    driver = table_of("R6 R2 R3", "R1 B4", "R6", **JUMP)
    driver.answer(0, "R6")
    driver.answer(2, "jump R6")
    assert driver.table.closed is not None
    assert driver.table.closed.places[2] == 1
    assert driver.answer(1, "R1", decision=2).reason == Reason.MATCH_OVER


def test_K1_the_target_is_asked_while_somebody_may_jump() -> None:
    driver = table_of("RD R2 R3", "*5", "RD B1 B2", "*5", **JUMP)
    driver.answer(0, "RD")
    assert driver.seats_asked() == {1: DecisionKind.PENALTY, 2: REACTION}
    driver.answer(1, "accept")
    assert driver.events(PenaltyAccepted) == [PenaltyAccepted(1)]
    assert driver.seats_asked() == {2: TURN}


def test_a_jump_that_brings_the_turn_to_the_same_seat_asks_it_anew() -> None:
    driver = table_of("W4 W4 R2 R3", "*5", jump_in="identical_incl_w4")
    driver.answer(0, "W4/G")
    first = driver.asked(1)
    assert first.kind == DecisionKind.PENALTY
    driver.at(700).answer(0, "jump W4/B")
    second = driver.asked(1)
    assert second.decision_id != first.decision_id
    assert (second.limit_ms, second.bank_ms) == (CLOCK.limit_ms, CLOCK.bank_ms)


def test_a_pass_closes_it_until_something_else_is_possible() -> None:
    driver = forgotten(3, uno_catch_window="own_next_turn")
    driver.answer(2, "pass")
    assert driver.seats_asked() == {0: REACTION, 1: TURN}
    driver.answer(0, "pass")
    driver.answer(1, "draw")
    assert driver.seats_asked() == {1: REACTION, 2: TURN}


def test_after_the_next_play_who_passed_is_asked_again() -> None:
    driver = table_of("R1 R2", "R4 B2 B3", "*5", "*5", uno_catch_window="own_next_turn")
    driver.answer(0, "R1")
    driver.answer(3, "pass")
    driver.answer(1, "R4")
    assert driver.seats_asked() == {0: REACTION, 1: REACTION, 2: TURN, 3: REACTION}


def test_refusals_at_a_standing_decision_are_not_counted() -> None:
    driver = forgotten(3)
    for answer in ("R5", "draw", "accept", 9, "catch 1", "catch 2", "jump R1", "uno", None):
        verdict = driver.answer(2, answer)
        assert (verdict.accepted, verdict.refusals_left) == (False, 3)
        assert verdict.sentence
    assert driver.all(Blame) == []
    assert driver.answer(2, "catch 0").accepted


def test_a_false_catch_at_a_standing_decision_costs_where_the_rules_say_so() -> None:
    driver = forgotten(4, false_catch_penalty=1)
    assert driver.answer(2, "catch 3").accepted
    assert driver.events(SeatAccused) == [SeatAccused(2, 3, False)]
    assert [(event.seat, event.cause) for event in driver.events(CardsDrawn)] == [(2, DrawCause.FALSE_CATCH)]
    assert driver.seats_asked() == {0: REACTION, 1: TURN, 2: REACTION, 3: REACTION}


def test_catches_ride_on_a_jump() -> None:
    driver = table_of("R1 R2", "*5", "R1 B1 B2", **JUMP)
    driver.answer(0, "R1")
    assert driver.answer(2, "jump R1", catch=(0,)).accepted
    assert driver.events(SeatAccused) == [SeatAccused(2, 0, True)]
    assert driver.events(CardPlayed)[-1].seat == 2


def test_an_action_without_a_decision_named_answers_the_standing_one() -> None:
    driver = forgotten(3)
    assert driver.answer(2, "catch 0", decision=0).accepted
    assert driver.answer(2, "catch 0", decision=0).reason == Reason.NOT_YOUR_TURN


@pytest.mark.parametrize("grace", [0, 400])
def test_C39_catches_are_held_back_where_the_duty_arose_by_anothers_play(grace: int) -> None:
    driver = table_of("R7 B2", "*5", "*5", "*5", seven_swap=True, passive_uno="required", uno_grace_ms=grace)
    driver.at(1_000).answer(0, "R7>2")
    assert driver.asked(2).legal_actions == (UNO, PASS)
    if not grace:
        assert driver.asked(3).legal_actions == (catch(2), PASS)
        return
    assert driver.seats_asked() == {1: TURN, 2: REACTION}
    refused = driver.answer(1, "catch 2")
    assert (refused.reason, refused.refusals_left) == (Reason.NOT_LIABLE, 3)
    assert refused.sentence == "seat 2 has 400 ms left to call UNO for itself before it can be caught"
    assert driver.table.next_deadline_ms() == 1_400
    driver.tick(1_400)
    assert driver.asked(3).legal_actions == (catch(2), PASS)
    assert driver.answer(3, "catch 2").accepted


def test_C39_a_call_within_the_grace_ends_the_duty() -> None:
    driver = table_of("R7 B2", "*5", "*5", "*5", seven_swap=True, passive_uno="required", uno_grace_ms=400)
    driver.answer(0, "R7>2")
    driver.at(399).answer(2, "uno")
    driver.tick(400)
    assert driver.seats_asked() == {1: TURN}
    assert driver.state.called == 0b100


def test_C39_a_duty_of_ones_own_play_has_no_grace_left_over_from_an_earlier_one() -> None:
    driver = table_of(
        "R7 B2", "*5", "*5", pile="R9 R8", top="R5", seven_swap=True, passive_uno="required", uno_grace_ms=2_000
    )
    driver.answer(0, "R7>1")
    driver.at(10).answer(1, "uno")
    driver.at(20).answer(1, "draw")
    driver.at(30).answer(1, "R9")
    assert driver.state.liable == 0b010
    assert driver.at(40).answer(2, "catch 1").accepted
    assert driver.events(SeatAccused) == [SeatAccused(2, 1, True)]


def test_a_seat_that_is_away_keeps_its_standing_decision() -> None:
    driver = forgotten(3)
    driver.disconnect(2)
    effects = driver.at(50).connect(2)
    assert [effect.kind for effect in effects if isinstance(effect, Ask)] == [REACTION]
    assert driver.answer(2, "catch 0").accepted


def test_a_leaver_has_no_decision_any_more_and_the_others_are_put_right() -> None:
    driver = forgotten(4)
    driver.do(LeaveSeat(0, LeaveCause.LEFT))
    assert driver.seats_asked() == {1: TURN}
    driver = forgotten(4)
    turn = driver.asked(1).decision_id
    driver.do(LeaveSeat(3, LeaveCause.LEFT))
    assert driver.seats_asked() == {0: REACTION, 1: TURN, 2: REACTION}
    assert driver.asked(1).decision_id == turn


def test_a_catch_that_changes_what_the_caught_may_do_gives_it_a_new_clock() -> None:
    driver = table_of("RS R2", "*5", pile="R9 B9")
    driver.answer(0, "RS")
    assert driver.seats_asked() == {0: TURN, 1: REACTION}
    first = driver.asked(0)
    driver.at(900).answer(1, "catch 0")
    second = driver.asked(0)
    assert second.decision_id != first.decision_id
    assert len(second.legal_actions) == len(first.legal_actions) + 1
    assert second.limit_ms == CLOCK.limit_ms
    assert driver.answer(0, "R2", decision=first.decision_id).reason == Reason.STALE_DECISION
    assert driver.at(1_900).answer(0, "R2").receipt is not None
    assert driver.receipt(0).bank_left_ms == CLOCK.bank_ms


def test_a_timeout_of_the_turn_puts_the_standing_decisions_right() -> None:
    driver = forgotten(4)
    driver.tick(CLOCK.limit_ms + CLOCK.bank_ms + SETTLE_MS)
    assert driver.seats_asked() == {2: TURN}


def test_a_standing_decision_never_expires() -> None:
    driver = forgotten(3, max_timeouts=0)
    decision = driver.asked(2).decision_id
    driver.at(CLOCK.limit_ms + CLOCK.bank_ms)
    assert driver.answer(2, "catch 0", decision=decision).accepted
    assert driver.do(Tick()) == []


def test_the_end_of_the_round_withdraws_all() -> None:
    driver = table_of("R1 R2", "R9", "*5", uno_catch_window="own_next_turn")
    driver.answer(0, "R1")
    driver.answer(1, "R9")
    assert driver.table.closed is not None
    assert driver.seats_asked() == {}
