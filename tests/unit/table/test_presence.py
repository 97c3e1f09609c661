"""Who takes a seat, who stays away, and what becomes of it: start-up limit, grace, leaving, tables given up."""

import pytest

from lastcard.rules.actions import LeaveCause
from lastcard.rules.events import CardsDrawn, MatchCause, SeatLeft, TimedOut
from lastcard.rules.reasons import Reason, Refused
from lastcard.rules.ruleset import ruleset
from lastcard.table.commands import Connected, Disconnected, LeaveSeat, Occupy, Tick
from lastcard.table.effects import Announce, Ask, Blame, CloseCause, Closed, FaultKind, NoticeKind, SeedWanted
from lastcard.table.machine import Table
from lastcard.table.seats import SeatState, SeatStatus
from lastcard.table.setup import IDLE_MS, SeatRequest, TableSetup
from table_driver import CLOCK, SALT, Driver, deal, table_of


def statuses(driver: Driver) -> list[str]:
    return [seat.status.name for seat in driver.table.seats]


# ------------------------------------------------------------------- taking a seat


def test_a_table_waits_until_all_seats_are_occupied() -> None:
    driver = Driver("a", "", "c")
    assert statuses(driver) == ["RESERVED", "OPEN", "RESERVED"]
    assert not driver.table.running
    assert driver.do(Occupy(0, "a")) == [Announce(NoticeKind.SEAT_TAKEN, 0)]
    driver.do(Occupy(1, "somebody"))
    assert not driver.table.running
    assert driver.at(70).do(Occupy(2, "c")) == [Announce(NoticeKind.SEAT_TAKEN, 2), SeedWanted(1, 70)]
    assert driver.table.running
    assert driver.table.seats[1] == SeatState("somebody", "", SeatStatus.PRESENT)


@pytest.mark.parametrize(
    ("seat", "name", "sentence"),
    [
        (0, "b", "seat 0 is kept for a, not for b"),
        (1, "x", "seat 1 is taken by guest; no seat is open"),
        (7, "x", "there is no seat 7; seats are 0 to 2"),
        (-1, "x", "there is no seat -1; seats are 0 to 2"),
    ],
    ids=["kept for another", "taken", "beyond the last", "negative"],
)
def test_a_seat_that_cannot_be_taken_is_refused_and_nothing_changes(seat: int, name: str, sentence: str) -> None:
    driver = Driver("a", "", "c")
    driver.do(Occupy(1, "guest"))
    before = driver.table.seats
    with pytest.raises(Refused) as checked:
        driver.table.check_occupy(seat, name)
    with pytest.raises(Refused) as refused:
        driver.do(Occupy(seat, name))
    assert (refused.value.reason, refused.value.sentence) == (Reason.FORBIDDEN, sentence)
    assert checked.value.sentence == sentence
    assert driver.table.seats == before


def test_a_refused_seat_names_the_open_ones() -> None:
    driver = Driver("a", "", "")
    driver.do(Occupy(0, "a"))
    with pytest.raises(Refused, match="seat 0 is taken by a; open seats: 1, 2"):
        driver.do(Occupy(0, "a"))


def test_builtins_are_there_from_the_start_and_begin_by_themselves() -> None:
    setup = TableSetup(
        rules=ruleset(),
        seats=(SeatRequest(builtin="greedy"), SeatRequest(builtin="random", name="rnd")),
        salt=SALT,
        opened_ms=500,
    )
    table = Table(setup)
    assert table.seats == (
        SeatState("greedy", "greedy", SeatStatus.PRESENT),
        SeatState("rnd", "random", SeatStatus.PRESENT),
    )
    assert table.next_deadline_ms() == 500
    assert table.handle(Tick(), 500) == [SeedWanted(1, 500)]
    assert table.running
    assert table.handle(Disconnected(0), 600) == []


# -------------------------------------------------------------------- start-up limit


def test_a_bot_that_does_not_turn_up_loses_its_seat_and_the_match_goes_on() -> None:
    driver = Driver("a", "b", "c")
    driver.do(Occupy(0, "a"))
    driver.do(Occupy(2, "c"))
    assert driver.table.next_deadline_ms() == CLOCK.start_up_ms
    assert driver.tick(CLOCK.start_up_ms - 1) == []
    driver.tick(CLOCK.start_up_ms)
    assert driver.all(Blame) == [Blame(1, FaultKind.START_UP, 0, "b did not connect within 30000 ms")]
    assert [(event.seat, event.cause) for event in driver.events(SeatLeft)] == [(1, LeaveCause.START_UP)]
    assert driver.last(SeedWanted) == SeedWanted(1, CLOCK.start_up_ms)
    assert statuses(driver) == ["PRESENT", "LEFT", "PRESENT"]
    with pytest.raises(Refused, match="seat 1 has left the match"):
        driver.do(Occupy(1, "b"))


def test_the_only_bot_that_turned_up_wins() -> None:
    driver = Driver("a", "b")
    driver.do(Occupy(0, "a"))
    driver.tick(CLOCK.start_up_ms)
    assert driver.table.closed == Closed(CloseCause.FINISHED, MatchCause.LAST_SEAT, (0, 0), (1, 2), 0)


def test_a_table_at_which_nobody_turned_up_is_given_up() -> None:
    driver = Driver("a", "b", "c")
    driver.tick(CLOCK.start_up_ms)
    assert driver.table.closed == Closed(CloseCause.ABANDONED, 0, (0, 0, 0), (1, 1, 1), 0)
    assert [(blame.seat, blame.kind) for blame in driver.all(Blame)] == [
        (seat, FaultKind.START_UP) for seat in range(3)
    ]
    assert driver.events(SeatLeft) == []


def test_an_open_seat_has_no_start_up_limit() -> None:
    driver = Driver("a", "")
    driver.do(Occupy(0, "a"))
    driver.tick(CLOCK.start_up_ms + 1)
    assert driver.all(Blame) == []
    assert driver.table.next_deadline_ms() == IDLE_MS


def test_a_table_that_waits_in_vain_is_given_up_after_an_idle_time() -> None:
    driver = Driver("", "")
    driver.at(1_000).do(Occupy(0, "x"))
    driver.tick(1_000 + IDLE_MS - 1)
    assert driver.table.closed is None
    driver.tick(1_000 + IDLE_MS)
    assert driver.table.closed == Closed(CloseCause.ABANDONED, 0, (0, 0), (1, 1), 0)


# ---------------------------------------------------------------------------- grace


def test_a_lost_connection_is_told_once_and_its_return_too() -> None:
    driver = table_of("*3", "*3", "*3")
    assert driver.disconnect(1) == [Announce(NoticeKind.SEAT_AWAY, 1)]
    assert driver.disconnect(1) == []
    assert statuses(driver)[1] == "AWAY"
    assert driver.connect(1) == [Announce(NoticeKind.SEAT_BACK, 1)]
    assert statuses(driver)[1] == "PRESENT"
    assert driver.connect(1) == []


def test_who_does_not_come_back_within_the_grace_is_removed() -> None:
    driver = table_of("*3", "*3", "*3", max_timeouts=0)
    driver.at(100).disconnect(1)
    driver.tick(100 + CLOCK.grace_ms - 1)
    assert driver.events(SeatLeft) == []
    driver.tick(100 + CLOCK.grace_ms)
    assert [(event.seat, event.cause) for event in driver.events(SeatLeft)] == [(1, LeaveCause.DISCONNECTED)]
    blame = [blame for blame in driver.all(Blame) if blame.kind == FaultKind.DISCONNECT]
    assert [one.evidence for one in blame] == ["bot1 lost its connection and was not back within 10000 ms"]
    assert statuses(driver)[1] == "LEFT"


def test_who_comes_back_in_time_has_no_grace_running() -> None:
    driver = table_of("*3", "*3", "*3", max_timeouts=0)
    driver.at(100).disconnect(1)
    driver.at(100 + CLOCK.grace_ms - 1).connect(1)
    driver.tick(100 + 2 * CLOCK.grace_ms)
    assert driver.events(SeatLeft) == []


def test_A36_the_grace_counts_from_the_last_loss_of_connection() -> None:
    driver = table_of("*3", "*3", "*3", max_timeouts=0)
    driver.at(100).disconnect(1)
    driver.at(200).connect(1)
    driver.at(9_000).disconnect(1)
    driver.tick(100 + CLOCK.grace_ms)
    assert driver.events(SeatLeft) == []
    driver.tick(9_000 + CLOCK.grace_ms)
    assert len(driver.events(SeatLeft)) == 1


def test_the_clock_runs_on_during_the_grace() -> None:
    driver = table_of("*3", "*3")
    driver.at(100).disconnect(0)
    driver.tick(CLOCK.limit_ms + CLOCK.bank_ms + 50)
    assert driver.events(TimedOut) == [TimedOut(0, 1)]


def test_A37_all_come_back_inside_the_grace_and_nothing_has_changed() -> None:
    driver = table_of("R1 R2 R3", "G1 G2 G3")
    hands = [driver.hand(seat) for seat in range(2)]
    sequence = driver.table.last_sequence
    driver.at(100).disconnect(0)
    driver.disconnect(1)
    driver.at(900).connect(1)
    driver.connect(0)
    assert [driver.hand(seat) for seat in range(2)] == hands
    assert driver.table.last_sequence == sequence
    assert driver.state.turn == 0
    assert driver.answer(0, "R1").accepted


def test_A37_when_nobody_comes_back_the_table_is_given_up_with_a_result() -> None:
    driver = table_of("R1 R2 R3", "G1 G2 G3", max_timeouts=0)
    driver.at(100).disconnect(0)
    driver.at(600).disconnect(1)
    driver.tick(100 + CLOCK.grace_ms)
    assert driver.table.closed is None, "nobody shall win by having been cut off last"
    driver.tick(600 + CLOCK.grace_ms)
    assert driver.table.closed == Closed(CloseCause.ABANDONED, 0, (0, 0), (1, 1), 1)
    assert [blame.seat for blame in driver.all(Blame) if blame.kind == FaultKind.DISCONNECT] == [0, 1]
    assert driver.table.open_decisions(0) == driver.table.open_decisions(1) == ()
    assert driver.table.next_deadline_ms() is None


def test_C77_leavers_come_below_those_who_were_still_in_when_the_table_was_given_up() -> None:
    driver = table_of("*3", "*3", "*3", "*3", max_timeouts=0)
    driver.do(LeaveSeat(2, LeaveCause.LEFT))
    driver.do(LeaveSeat(0, LeaveCause.LEFT))
    driver.disconnect(1)
    driver.disconnect(3)
    driver.tick(CLOCK.grace_ms)
    assert driver.table.closed == Closed(CloseCause.ABANDONED, 0, (0, 0, 0, 0), (3, 1, 4, 1), 1)


def test_A37_who_comes_back_first_wins_over_those_whose_grace_is_over() -> None:
    driver = table_of("R1 R2 R3", "G1 G2 G3", max_timeouts=0)
    driver.at(100).disconnect(0)
    driver.at(600).disconnect(1)
    driver.tick(100 + CLOCK.grace_ms)
    driver.at(300 + CLOCK.grace_ms).connect(1)
    assert driver.table.closed is not None
    assert driver.table.closed.places == (2, 1)
    assert [blame.seat for blame in driver.all(Blame) if blame.kind == FaultKind.DISCONNECT] == [0]


def test_A37_who_comes_back_although_its_grace_is_over_plays_on_while_nobody_else_is_there() -> None:
    driver = table_of("R1 R2 R3", "G1 G2 G3", max_timeouts=0)
    driver.at(100).disconnect(0)
    driver.at(600).disconnect(1)
    driver.tick(100 + CLOCK.grace_ms)
    driver.at(300 + CLOCK.grace_ms).connect(0)
    assert driver.table.closed is None
    driver.tick(600 + CLOCK.grace_ms)
    assert driver.table.closed is not None
    assert driver.table.closed.places == (1, 2)


def test_a_builtin_that_is_there_needs_no_company() -> None:
    setup = TableSetup(
        rules=ruleset("official", {"max_timeouts": 0}), seats=(SeatRequest(builtin="greedy"), SeatRequest()), salt=SALT
    )
    table = Table(setup)
    table.handle(Occupy(1, "x"), 0)
    table.handle(Disconnected(1), 10)
    table.handle(Tick(), 10 + setup.clock.grace_ms)
    assert table.closed is not None
    assert table.closed.places == (1, 2)


def test_a_seat_removed_for_timeouts_is_left_for_presence_too() -> None:
    driver = table_of("*3", "*3", "*3", max_timeouts=1)
    driver.tick(CLOCK.limit_ms + CLOCK.bank_ms + 50)
    assert statuses(driver) == ["LEFT", "PRESENT", "PRESENT"]
    assert driver.disconnect(0) == []
    assert driver.connect(0) == []
    driver.tick(10 * CLOCK.grace_ms)
    assert [event.seat for event in driver.events(SeatLeft)] == [0, 1]
    assert driver.table.closed is not None
    assert driver.table.closed.places == (3, 2, 1)


# -------------------------------------------------------------------------- leaving


def test_leaving_is_blamed_when_it_is_the_bots_own_will() -> None:
    driver = table_of("*3", "*3", "*3")
    driver.do(LeaveSeat(1, LeaveCause.LEFT))
    assert driver.all(Blame) == [Blame(1, FaultKind.LEFT, 1, "bot1 left the match of its own will")]
    driver.do(LeaveSeat(2, LeaveCause.REMOVED))
    assert len(driver.all(Blame)) == 1
    assert [event.cause for event in driver.events(SeatLeft)] == [LeaveCause.LEFT, LeaveCause.REMOVED]


def test_leaving_twice_does_nothing() -> None:
    driver = table_of("*3", "*3", "*3")
    driver.do(LeaveSeat(1, LeaveCause.LEFT))
    assert driver.do(LeaveSeat(1, LeaveCause.LEFT)) == []


def test_C29_who_leaves_out_of_turn_does_not_move_the_turn() -> None:
    driver = table_of("*3", "*3", "*3")
    decision = driver.asked(0).decision_id
    driver.do(LeaveSeat(1, LeaveCause.LEFT))
    assert driver.asked(0).decision_id == decision
    driver.answer(0, "draw")
    assert driver.state.turn == 2


def test_C30_who_leaves_on_turn_passes_it_on() -> None:
    driver = table_of("*3", "*3", "*3")
    driver.state.direction = -1
    driver.do(LeaveSeat(0, LeaveCause.LEFT))
    assert driver.asked(2).kind.name == "TURN"


def test_A31_C44_a_penalty_lapses_when_its_target_leaves() -> None:
    driver = table_of("W4 R1 R2", "*3", "*3")
    driver.answer(0, "W4/G")
    driver.do(LeaveSeat(1, LeaveCause.LEFT))
    assert driver.events(CardsDrawn) == []
    assert driver.state.color == 3
    assert driver.asked(2).kind.name == "TURN"


def test_C43_an_offender_who_leaves_does_not_end_the_challenge() -> None:
    driver = table_of("W4 R1 R2", "*3", "*3")
    driver.answer(0, "W4/G")
    decision = driver.asked(1).decision_id
    driver.do(LeaveSeat(0, LeaveCause.LEFT))
    assert driver.asked(1).decision_id == decision
    driver.answer(1, "challenge")
    assert driver.events(CardsDrawn) == []
    assert driver.asked(1).kind.name == "TURN"


def test_a_leaving_that_changes_what_is_legal_asks_anew_with_a_new_clock() -> None:
    driver = table_of("R7 B1 B2", "*3", "*3", seven_swap=True)
    assert len(driver.asked(0).legal_actions) == 3
    assert driver.answer(0, "B1").refusals_left == 2
    driver.at(1_100).do(LeaveSeat(2, LeaveCause.LEFT))
    asked = driver.last(Ask)
    assert (asked.seat, asked.decision_id, asked.limit_ms, asked.bank_ms) == (0, 4, 1_000, 4_900)
    assert len(asked.legal_actions) == 2
    assert driver.answer(0, "B1").refusals_left == 1
    assert driver.answer(0, "R7>2", decision=1).reason == Reason.STALE_DECISION


def test_K25_leaving_between_rounds() -> None:
    driver = table_of("R5", "*3", "*3", top="R1", match_end="rounds", match_rounds=2)
    driver.answer(0, "R5")
    driver.do(LeaveSeat(1, LeaveCause.LEFT))
    assert len(driver.all(SeedWanted)) == 2
    deal(driver, "*3", "", "*3")
    assert driver.state.active == [True, False, True]
    driver.do(LeaveSeat(2, LeaveCause.LEFT))
    assert driver.table.closed is not None
    assert driver.table.closed.places == (1, 3, 2)


def test_K25_the_last_but_one_leaving_between_rounds_ends_the_match() -> None:
    driver = table_of("R5", "*3", top="R1", match_end="rounds", match_rounds=2)
    driver.answer(0, "R5")
    driver.do(LeaveSeat(0, LeaveCause.LEFT))
    assert driver.table.closed is not None
    assert driver.table.closed.match_cause == MatchCause.LAST_SEAT
    assert driver.table.closed.places == (2, 1)


def test_who_gives_up_an_open_seat_before_the_match_makes_room() -> None:
    driver = Driver("a", "", "")
    driver.do(Occupy(1, "x"))
    assert driver.do(LeaveSeat(1, LeaveCause.LEFT)) == []
    assert driver.table.seats[1] == SeatState("", "", SeatStatus.OPEN)
    driver.do(Occupy(1, "y"))
    assert driver.table.seats[1].name == "y"
    assert driver.all(Blame) == []
    assert driver.events(SeatLeft) == []


def test_who_is_cut_off_before_the_match_loses_an_open_seat_after_the_grace() -> None:
    driver = Driver("a", "", "")
    driver.do(Occupy(1, "x"))
    driver.at(50).disconnect(1)
    driver.tick(50 + CLOCK.grace_ms)
    assert driver.table.seats[1] == SeatState("", "", SeatStatus.OPEN)
    assert driver.all(Blame) == []


def test_a_bot_that_leaves_before_the_match_is_out_of_it() -> None:
    driver = Driver("a", "b", "c")
    driver.do(Occupy(1, "b"))
    driver.do(LeaveSeat(1, LeaveCause.LEFT))
    assert statuses(driver) == ["RESERVED", "LEFT", "RESERVED"]
    driver.do(Occupy(0, "a"))
    driver.do(Occupy(2, "c"))
    assert driver.table.running
    assert driver.state.active == [True, False, True]


def test_presence_of_an_empty_seat_means_nothing() -> None:
    driver = Driver("a", "")
    for command in (Connected(0), Disconnected(0), Connected(1), Disconnected(1), LeaveSeat(1, LeaveCause.LEFT)):
        assert driver.do(command) == []
    assert statuses(driver) == ["RESERVED", "OPEN"]
