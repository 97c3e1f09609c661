"""Sealed reactions (architecture section 4): who is asked, and when a window closes."""

from lastcard.rules.actions import PASS, Action, Kind, LeaveCause, catch
from lastcard.rules.events import SeatAccused
from lastcard.rules.reasons import Reason
from lastcard.table.commands import LeaveSeat
from lastcard.table.effects import Announce, Ask, Blame, DecisionKind, NoticeKind, Receipt, Withdraw
from lastcard.table.timecontrol import SETTLE_MS
from table_driver import CLOCK, Driver, table_of

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


# ------------------------------------------------------------------ who is asked


def test_without_a_reason_no_window_opens() -> None:
    driver = table_of("R1 R2 R3", "*5", "*5", sealed=True)
    driver.answer(0, "R1")
    assert driver.seats_asked() == {1: TURN}
    assert windows(driver) == 0


def test_C58_a_forgotten_call_is_asked_of_all_but_who_forgot() -> None:
    driver = forgotten()
    assert driver.seats_asked() == {1: REACTION, 2: REACTION, 3: REACTION}
    assert driver.asked(1).legal_actions == (catch(0), PASS)
    assert windows(driver) == 1


def test_the_turn_waits_for_the_window() -> None:
    driver = forgotten()
    assert not any(isinstance(effect, Ask) and effect.kind == TURN for effect in driver.told[-5:])
    for seat in (1, 2, 3):
        driver.answer(seat, "pass")
    assert driver.seats_asked() == {1: TURN}


def test_a_call_with_the_play_opens_no_window() -> None:
    driver = table_of("R1 R2", "*5", "*5", sealed=True)
    driver.answer(0, "R1!")
    assert driver.seats_asked() == {1: TURN}


def test_with_jump_in_every_seat_not_on_turn_is_asked_whether_it_holds_the_card_or_not() -> None:
    driver = table_of("R1 R2 R3", "*5", "R1 B1 B2", "*5", sealed=True, **JUMP)
    driver.answer(0, "R1")
    assert driver.seats_asked() == {0: REACTION, 2: REACTION, 3: REACTION}
    assert driver.asked(0).legal_actions == driver.asked(3).legal_actions == (PASS,)
    assert driver.asked(2).legal_actions == (Action(Kind.JUMP_IN, 0x11), PASS)


def test_with_jump_in_no_window_opens_where_the_rules_let_nobody_jump() -> None:
    driver = table_of("W R2 R3", "*5", "*5", sealed=True, **JUMP)
    driver.answer(0, "W/G")
    assert driver.seats_asked() == {1: TURN}
    driver = table_of("R1 R2 R3", "*5", "*5", sealed=True, **JUMP)
    driver.answer(0, "draw")
    assert driver.seats_asked() == {1: TURN}


def test_the_seats_asked_do_not_depend_on_hidden_cards() -> None:
    one = table_of("R1 R2 R3", "B1 B2 B3", "R1 B4 B5", "*5", sealed=True, **JUMP)
    two = table_of("R1 R2 R3", "B1 B2 B3", "G1 B4 B5", "*5", sealed=True, **JUMP)
    for driver in (one, two):
        driver.answer(0, "R1")
    assert one.seats_asked() == two.seats_asked()
    assert one.table.next_deadline_ms() == two.table.next_deadline_ms()


def test_both_kinds_share_one_window() -> None:
    driver = table_of("R1 R2", "*5", "R1 B4 B5", sealed=True, **JUMP)
    driver.answer(0, "R1")
    assert windows(driver) == 1
    assert driver.asked(0).legal_actions == (PASS,)
    assert driver.asked(1).legal_actions == (catch(0), PASS)
    assert driver.asked(2).legal_actions == (Action(Kind.JUMP_IN, 0x11), catch(0), PASS)


def test_a_seat_whose_bot_is_away_is_not_asked() -> None:
    driver = table_of("R1 R2", "*5", "*5", "*5", sealed=True)
    driver.disconnect(3)
    driver.answer(0, "R1")
    assert driver.seats_asked() == {1: REACTION, 2: REACTION}


def test_when_all_who_could_be_asked_are_away_there_is_no_window() -> None:
    driver = table_of("R1 R2", "*5", "*5", sealed=True)
    driver.disconnect(1)
    driver.disconnect(2)
    driver.answer(0, "R1")
    assert driver.seats_asked() == {1: TURN}
    assert windows(driver) == 0


# ------------------------------------------------------------------ how it closes


def test_it_closes_when_all_have_answered() -> None:
    driver = forgotten()
    for seat in (3, 1):
        driver.answer(seat, "pass")
        assert driver.seats_asked()[2] == REACTION
    driver.answer(2, "pass")
    assert driver.seats_asked() == {1: TURN}


def test_a_missed_reaction_is_a_pass_without_strike_bank_or_blame() -> None:
    driver = forgotten()
    driver.answer(2, "pass")
    due = driver.table.next_deadline_ms()
    assert due == CLOCK.reaction_ms + SETTLE_MS
    driver.tick(due)
    assert driver.seats_asked() == {1: TURN}
    assert driver.all(Blame) == []
    assert driver.state.strikes == [0, 0, 0, 0]
    assert driver.asked(1).bank_ms == CLOCK.bank_ms
    assert driver.receipt(3) == Receipt(driver.receipt(3).decision_id, 0, None, 0, CLOCK.reaction_ms, None, True)
    assert {withdraw.reason for withdraw in driver.all(Withdraw)} == {Reason.TURN_EXPIRED}


def test_C81_a_reaction_stamped_by_its_deadline_counts() -> None:
    driver = forgotten(2)
    driver.at(CLOCK.reaction_ms + SETTLE_MS - 1)
    assert driver.answer(1, "catch 0", stamp=CLOCK.reaction_ms).accepted
    assert driver.events(SeatAccused) == [SeatAccused(1, 0, True)]


def test_a_reaction_stamped_later_is_too_late() -> None:
    driver = forgotten(2)
    verdict = driver.at(CLOCK.reaction_ms + 1).answer(1, "catch 0")
    assert verdict.reason == Reason.TURN_EXPIRED
    driver.tick(CLOCK.reaction_ms + SETTLE_MS)
    assert driver.answer(1, "catch 0", decision=2).reason == Reason.TURN_EXPIRED
    assert driver.events(SeatAccused) == []


def test_a_seat_that_goes_away_does_not_hold_the_window_up() -> None:
    driver = forgotten(3)
    driver.answer(1, "pass")
    driver.at(20).disconnect(2)
    assert driver.seats_asked() == {1: TURN}
    assert driver.last(Withdraw).reason == Reason.STALE_DECISION


def test_a_seat_that_is_back_before_the_window_has_closed_may_answer_with_what_time_is_left() -> None:
    driver = forgotten(4)
    asked = driver.asked(2)
    driver.at(50).disconnect(2)
    assert driver.seats_asked() == {1: REACTION, 2: REACTION, 3: REACTION}
    effects = driver.at(120).connect(2)
    assert [effect for effect in effects if isinstance(effect, Ask)] == [
        asked._replace(limit_ms=CLOCK.reaction_ms - 120)
    ]
    driver.answer(1, "pass")
    driver.answer(3, "pass")
    assert driver.seats_asked() == {2: REACTION}, "it is there again, and waited for"
    assert driver.answer(2, "catch 0").accepted
    assert driver.events(SeatAccused) == [SeatAccused(2, 0, True)]


def test_a_seat_that_is_back_after_the_window_has_closed_learns_that_it_has() -> None:
    driver = forgotten(3)
    asked = driver.asked(2)
    driver.at(50).disconnect(2)
    driver.answer(1, "pass")
    assert driver.seats_asked() == {1: TURN}
    driver.connect(2)
    assert driver.answer(2, "catch 0", decision=asked.decision_id).reason == Reason.STALE_DECISION


def test_the_time_of_a_seat_that_is_away_runs_when_it_is_asked_anew_because_another_left() -> None:
    driver = forgotten(4)
    driver.at(50).disconnect(2)
    before = driver.asked(2).decision_id
    driver.sends = False
    driver.at(60).do(LeaveSeat(3, LeaveCause.LEFT))
    anew = driver.asked(2)
    assert anew.decision_id != before
    assert driver.at(160).asked(2).limit_ms == CLOCK.reaction_ms - 100


def test_the_time_of_a_seat_that_is_away_runs_in_a_window_too() -> None:
    driver = table_of("R1 R2", "*5", "*5", "*5", sealed=True)
    driver.sends = False
    driver.answer(0, "R1")
    driver.at(20).disconnect(2)
    driver.at(250)
    driver.sent(1)
    driver.sent(3)
    driver.tick(20 + CLOCK.reaction_ms + SETTLE_MS)
    assert driver.seats_asked() == {1: REACTION, 3: REACTION}
    assert driver.all(Blame) == []


def test_each_seats_time_runs_from_when_its_own_decision_was_sent() -> None:
    driver = table_of("R1 R2", "*5", "*5", sealed=True)
    driver.sends = False
    driver.answer(0, "R1")
    driver.at(100).sent(1)
    driver.at(250).sent(2)
    driver.tick(100 + CLOCK.reaction_ms + SETTLE_MS)
    assert driver.seats_asked() == {2: REACTION}
    driver.tick(250 + CLOCK.reaction_ms + SETTLE_MS)
    assert driver.seats_asked() == {1: TURN}


def test_refusals_at_a_reaction_are_not_counted() -> None:
    driver = forgotten(2)
    for answer in ("R5", "draw", 7, "catch 1", "jump R5", "uno", None):
        verdict = driver.answer(1, answer)
        assert not verdict.accepted
        assert verdict.refusals_left == 3
        assert verdict.sentence
    assert driver.answer(1, "pass").accepted
    assert driver.all(Blame) == []


def test_a_repeated_reaction_gets_the_first_verdict_again() -> None:
    driver = forgotten(3)
    first = driver.answer(1, "catch 0")
    assert driver.answer(1, "catch 0", decision=first.decision_id) == first
    assert driver.answer(1, "pass", decision=first.decision_id).reason == Reason.STALE_DECISION
    driver.answer(2, "catch 0")
    assert len(driver.events(SeatAccused)) == 1


def test_an_accepted_reaction_tells_nothing_of_what_comes_of_it() -> None:
    driver = forgotten(3)
    before = len(driver.told)
    verdict = driver.at(120).answer(1, "catch 0")
    assert driver.told[before:] == [verdict]
    assert verdict.receipt == Receipt(verdict.decision_id, 0, 120, 0, 120, None, False)


def test_a_sealed_reaction_is_never_told_to_be_without_a_time() -> None:
    driver = forgotten(3)
    assert driver.at(120).asked(1).limit_ms == CLOCK.reaction_ms - 120
    assert driver.at(CLOCK.reaction_ms + 10).asked(1).limit_ms == 1
