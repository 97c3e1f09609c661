"""Rounds and the end of the match: seeds, pauses, numbers, time, results."""

import pytest

from lastcard.rules.actions import LeaveCause
from lastcard.rules.deal import start_round
from lastcard.rules.disguise import DisguisedChance
from lastcard.rules.events import MatchCause, MatchEnded, RoundEnded, RoundStarted, TurnStarted
from lastcard.rules.reasons import Reason
from lastcard.rules.ruleset import ruleset
from lastcard.rules.shuffle import SeededChance, commitment, round_seed
from lastcard.rules.state import new_match
from lastcard.table.commands import (
    CloseTable,
    Connected,
    DecisionSent,
    Disconnected,
    LeaveSeat,
    NextRound,
    Occupy,
    Tick,
)
from lastcard.table.effects import CloseCause, Closed, DecisionKind, Happened, SeedWanted, Withdraw
from lastcard.table.machine import Table
from lastcard.table.setup import SeatRequest, TableSetup
from table_driver import CLOCK, SALT, SEED, Driver, deal, table_of

TWO = {"match_end": "rounds", "match_rounds": 2}


def test_a_round_is_dealt_from_its_seed_and_bound_by_the_tables_salt() -> None:
    driver = Driver("a", "b")
    driver.occupy_all()
    driver.do(NextRound(SEED))
    started = driver.events(RoundStarted)
    assert [event.commitment for event in started] == [commitment(SEED, SALT)]
    assert driver.state.round == 1
    assert driver.all(Happened)[0].first_sequence == 1
    assert driver.seats_asked()[driver.state.turn] in (DecisionKind.TURN, DecisionKind.COLOR, DecisionKind.PENALTY)


@pytest.mark.parametrize("draws", ["pile", "per_seat"])
def test_the_order_of_draws_is_the_tables(draws: str) -> None:
    setup = TableSetup(rules=ruleset(), seats=(SeatRequest(bot="a"), SeatRequest(bot="b")), salt=SALT, draws=draws)
    table = Table(setup)
    table.handle(Occupy(0, "a"), 0)
    table.handle(Occupy(1, "b"), 0)
    table.handle(NextRound(SEED), 0)
    assert table.state.chance is not None
    assert table.state.chance.draws == draws
    expected = SeededChance(SEED, SALT, draws)
    assert table.state.chance.shuffled("x", range(9)) == expected.shuffled("x", range(9))


def test_a_round_of_a_disguised_table_is_dealt_in_other_colours() -> None:
    rules = ruleset()
    setup = TableSetup(rules=rules, seats=(SeatRequest(bot="a"), SeatRequest(bot="b")), salt=SALT, disguise=True)
    table = Table(setup)
    for seat, name in enumerate("ab"):
        table.handle(Occupy(seat, name), 0)
    told = [effect for effect in table.handle(NextRound(SEED), 0) if isinstance(effect, Happened)]
    faces = rules.deck()
    assert told[0].events[0] == start_round(new_match(rules, 2), DisguisedChance(SEED, SALT, "pile", faces))[0]
    assert told[0].events[0] != start_round(new_match(rules, 2), SeededChance(SEED, SALT))[0]


def test_A51_the_same_seed_deals_the_same_hands_at_another_table() -> None:
    hands = []
    for names in (("a", "b", "c"), ("x", "y", "z")):
        driver = Driver(*names)
        driver.occupy_all()
        driver.do(NextRound(round_seed(SEED, 1)))
        hands.append(driver.events(RoundStarted)[0].hands)
    assert hands[0] == hands[1]


def test_a_seed_that_is_not_wanted_is_ignored() -> None:
    driver = Driver("a", "b")
    assert driver.do(NextRound(SEED)) == []
    driver.occupy_all()
    driver.do(NextRound(SEED))
    assert driver.do(NextRound(SEED)) == []
    assert len(driver.events(RoundStarted)) == 1


def test_a_seed_of_the_wrong_length_is_an_error_and_the_right_one_still_wanted() -> None:
    driver = Driver("a", "b")
    driver.occupy_all()
    with pytest.raises(ValueError, match="32 bytes"):
        driver.do(NextRound(b"short"))
    driver.do(NextRound(SEED))
    assert driver.state.round == 1


def test_events_are_numbered_without_gaps_over_all_rounds() -> None:
    driver = table_of("R5", "*3", top="R1", **TWO)
    driver.answer(0, "R5")
    deal(driver, "R5", "*3", top="R1")
    driver.answer(0, "R5")
    numbers = []
    for happened in driver.all(Happened):
        numbers += range(happened.first_sequence, happened.first_sequence + len(happened.events))
    assert numbers == list(range(1, driver.table.last_sequence + 1))
    assert len(driver.events(RoundEnded)) == 2
    assert isinstance(driver.all(Happened)[-1].events[-1], MatchEnded)


def test_between_rounds_the_next_seed_is_wanted_after_the_pause() -> None:
    setup = TableSetup(
        rules=ruleset("official", TWO),
        seats=(SeatRequest(bot="bot0"), SeatRequest(bot="bot1")),
        salt=SALT,
        round_pause_ms=3_000,
    )
    driver = Driver("bot0", "bot1", **TWO)
    driver.table = Table(setup)
    driver.occupy_all()
    deal(driver, "R5", "*3", top="R1")
    assert driver.all(SeedWanted) == [SeedWanted(1, 0)]
    driver.at(500).answer(0, "R5")
    assert driver.all(SeedWanted)[1:] == [SeedWanted(2, 3_500)]
    assert driver.table.running
    assert driver.seats_asked() == {}


def test_without_a_pause_the_next_seed_is_wanted_at_once() -> None:
    driver = table_of("R5", "*3", top="R1", **TWO)
    driver.at(500).answer(0, "R5")
    assert driver.last(SeedWanted) == SeedWanted(2, 500)


def test_the_effects_of_a_rounds_end_come_in_their_order() -> None:
    driver = table_of("R5", "*3", top="R1", **TWO)
    before = len(driver.told)
    driver.answer(0, "R5")
    assert [type(effect).__name__ for effect in driver.told[before:]] == ["Verdict", "Happened", "SeedWanted"]


def test_the_effects_of_a_matchs_end_come_in_their_order() -> None:
    driver = table_of("R5", "*3", top="R1")
    before = len(driver.told)
    driver.answer(0, "R5")
    assert [type(effect).__name__ for effect in driver.told[before:]] == ["Verdict", "Happened", "Closed"]


def test_banks_last_the_whole_match() -> None:
    driver = table_of("R5", "*3", top="R1", **TWO)
    driver.at(1_700).answer(0, "R5")
    deal(driver, "R5", "*3", top="R1")
    assert driver.asked(0).bank_ms == CLOCK.bank_ms - 700


def test_the_result_of_a_match_is_that_of_the_rules() -> None:
    driver = table_of("R5", "B7 W", top="R1")
    driver.answer(0, "R5")
    assert driver.table.closed == Closed(CloseCause.FINISHED, MatchCause.SINGLE_ROUND, (57, 0), (1, 2), 1)
    assert driver.told[-1] == driver.table.closed
    assert not driver.table.running


# ------------------------------------------------------------------- match by time


def test_C84_when_the_time_is_over_the_round_is_played_out() -> None:
    driver = table_of("R5 R6", "*3", top="R1", match_end="time", match_time_s=3, match_tie="shared")
    driver.answer(0, "R5!")
    driver.answer(1, "draw")
    assert driver.tick(3_000) == []
    assert driver.table.closed is None
    driver.answer(0, "R6")
    assert driver.table.closed is not None
    assert driver.table.closed.match_cause == MatchCause.TIME


def test_C84_before_its_time_the_match_goes_on_after_a_round() -> None:
    driver = table_of("R5", "*3", top="R1", match_end="time", match_time_s=3)
    driver.answer(0, "R5")
    assert driver.table.closed is None
    assert driver.last(SeedWanted).round == 2


def test_C84_time_that_runs_out_between_rounds_ends_the_match_at_once() -> None:
    driver = table_of("R5", "*3", top="R1", match_end="time", match_time_s=3, match_tie="shared")
    driver.answer(0, "R5")
    assert driver.table.next_deadline_ms() == 3_000
    driver.tick(3_000)
    assert driver.table.closed is not None
    assert driver.table.closed.match_cause == MatchCause.TIME
    assert driver.do(NextRound(SEED)) == []
    assert len(driver.events(MatchEnded)) == 1


def test_the_end_of_the_matchs_time_does_not_end_the_settling_time_of_a_decision() -> None:
    driver = table_of("R5 R6", "*3", top="R1", match_end="time", match_time_s=6)
    assert CLOCK.limit_ms + CLOCK.bank_ms == 6_000
    assert driver.tick(6_000) == []
    assert driver.answer(0, "R5", stamp=6_000).accepted


def test_the_time_of_a_match_counts_from_its_beginning() -> None:
    driver = Driver("a", "b", match_end="time", match_time_s=3)
    driver.at(9_000).occupy_all()
    assert driver.table.next_deadline_ms() == 12_000


def test_a_match_without_a_time_has_no_such_deadline() -> None:
    driver = Driver("a", "b", match_end="target", match_time_s=3)
    driver.occupy_all()
    assert driver.table.next_deadline_ms() is None


# ------------------------------------------------------------------------- closing


@pytest.mark.parametrize("when", ["waiting", "running", "between rounds"])
def test_a_table_can_be_closed_at_any_time_without_a_result(when: str) -> None:
    if when == "waiting":
        driver = Driver("a", "b")
    else:
        driver = table_of("R5", "*3", top="R1", **TWO)
        if when == "between rounds":
            driver.answer(0, "R5")
    points, rounds = tuple(driver.state.totals), driver.state.round
    effects = driver.do(CloseTable())
    assert effects[-1] == Closed(CloseCause.CANCELLED, 0, points, (), rounds)
    assert driver.table.next_deadline_ms() is None
    assert driver.seats_asked() == {}


def test_open_decisions_are_withdrawn_when_the_table_is_closed() -> None:
    driver = table_of("R5 R6", "*3", top="R1")
    effects = driver.do(CloseTable())
    assert [type(effect) for effect in effects] == [Withdraw, Closed]


def test_a_closed_table_does_nothing_any_more() -> None:
    driver = table_of("R5", "*3", top="R1")
    driver.answer(0, "R5")
    closed = driver.table.closed
    for command in (
        Tick(),
        Connected(0),
        Disconnected(0),
        DecisionSent(0, 1),
        LeaveSeat(1, LeaveCause.LEFT),
        NextRound(SEED),
        CloseTable(),
        Occupy(0, "x"),
    ):
        assert driver.do(command) == []
    assert driver.table.closed == closed
    assert driver.answer(1, "draw", decision=1).reason == Reason.MATCH_OVER


def test_the_first_turn_is_told_before_it_is_asked() -> None:
    driver = table_of("R5 R6", "*3")
    kinds = [type(effect).__name__ for effect in driver.told]
    assert kinds[-2:] == ["Happened", "Ask"]
    assert driver.events(TurnStarted) == [TurnStarted(0, 1)]
