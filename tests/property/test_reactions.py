"""Reactions at tables of every kind: what architecture section 4 and rules.md (C53 to C58, C68 to C72) promise."""

from random import Random

from hypothesis import given

import random_games as games
from lastcard.rules.actions import ACCEPT, PASS, UNO, Kind, LeaveCause, catch
from lastcard.rules.events import CardKept, CardPlayed, CardsDrawn, DrawCause, Event, SeatAccused, UnoCalled
from lastcard.rules.legality import reaction_actions
from lastcard.rules.reasons import Reason
from lastcard.rules.state import State
from lastcard.table.commands import Answer, Connected, Disconnected, LeaveSeat, Tick
from lastcard.table.effects import Blame, DecisionKind, Verdict
from lastcard.table.setup import TableSetup
from lastcard.table.timecontrol import SETTLE_MS
from reaction_windows import CLOCK, Play, answer_to, answers_of, orders, reaction_tables, windows

SEALED = reaction_tables(sealed=True)
OPEN = reaction_tables(sealed=False)


def outcome(play: Play, since: int) -> tuple[object, ...]:
    """What has come of a window, and what is asked next; receipts and times left out."""
    state = play.table.state
    asked = [(ask.seat, ask.decision_id, ask.kind, ask.legal_actions) for ask in play.open()]
    hands = [bytes(hand) for hand in state.hands]
    return play.events(since), asked, hands, list(state.strikes), state.liable, state.called


# ---------------------------------------------------------------- sealed


@given(setup=SEALED, rng=games.dice)
def test_in_a_window_arrival_decides_nothing(setup: TableSetup, rng: Random) -> None:
    """The same answers in any order, at any times by the deadline, give the same events."""
    for window in windows(setup, rng):
        given_answers = answers_of(window.play(), rng)
        outcomes = []
        for order in orders(len(given_answers), rng):
            play = window.play()
            since = len(play.told)
            for number in order:
                play.now += rng.randrange(CLOCK.reaction_ms // 10)
                play.do(given_answers[number]._replace(received_ms=play.now))
            outcomes.append(outcome(play, since))
        assert all(one == outcomes[0] for one in outcomes)


@given(setup=SEALED, rng=games.dice)
def test_nothing_is_told_of_a_window_before_it_closes(setup: TableSetup, rng: Random) -> None:
    for window in windows(setup, rng):
        play = window.play()
        given_answers = answers_of(play, rng)
        for answer in given_answers[:-1]:
            effects = play.do(answer)
            assert [type(effect) for effect in effects] == [Verdict]
            assert isinstance(effects[0], Verdict)
            assert effects[0].accepted


@given(setup=SEALED, rng=games.dice)
def test_a_window_is_resolved_by_rule(setup: TableSetup, rng: Random) -> None:
    """Own calls, then one catch for each who can be caught, then the nearest jumper: against a reckoning of its own."""
    for window in windows(setup, rng):
        play = window.play()
        before = play.table.state.clone()
        given_answers = answers_of(play, rng)
        since, strikes = len(play.told), list(play.table.state.strikes)
        for answer in given_answers:
            play.do(answer)
        events = play.events(since)
        check_resolution(before, last_player(window.play()), given_answers, events, play)
        assert not [effect for effect in play.told[since:] if isinstance(effect, Blame)]
        assert play.table.state.strikes == strikes


def check_resolution(before: State, actor: int, given_answers: list[Answer], events: list[Event], play: Play) -> None:
    liable = {seat for seat in range(before.players) if before.liable >> seat & 1}
    named = {answer.seat: targets_of(answer) for answer in given_answers}
    callers = {answer.seat for answer in given_answers if kind_of(answer) == Kind.UNO}
    wanted = {
        target for seat, targets in named.items() for target in targets if target in liable - callers and target != seat
    }
    calls = [event for event in events if isinstance(event, UnoCalled)]
    catches = [event for event in events if isinstance(event, SeatAccused)]
    played = [event for event in events if isinstance(event, CardPlayed)]
    assert {event.seat for event in calls} == callers <= liable
    over = before.rules.pile_empty == "end_round" and not play.table.state.round_on() and not played
    assert [event.target for event in catches] == sorted(wanted)[: len(catches) if over else None]
    assert all(event.caught and event.target in named[event.accuser] for event in catches)
    drawn = [event for event in events if isinstance(event, CardsDrawn)]
    assert [event for event in drawn if event.cause == DrawCause.FALSE_CATCH] == []
    jumps = [answer for answer in given_answers if kind_of(answer) == Kind.JUMP_IN]
    if jumps and not wanted:
        # What a catch has done may have spoilt a jump, which is a pass then.
        assert played[0].seat == min(jumps, key=lambda answer: distance(before, actor, answer.seat)).seat
    assert len(played) <= 1
    assert all(event.jump_in and event.seat in {answer.seat for answer in jumps} for event in played)
    order = [event for event in events if isinstance(event, UnoCalled | SeatAccused | CardPlayed)]
    assert order == [*calls, *catches, *played]


def targets_of(answer: Answer) -> set[int]:
    own = {answer.action.target} if answer.action is not None and answer.action.kind == Kind.CATCH else set()
    return {*answer.catch_seats, *own}


def kind_of(answer: Answer) -> int:
    assert answer.action is not None
    return answer.action.kind


def distance(before: State, actor: int, seat: int) -> int:
    """How far a seat is from the one that played, in the direction of play; that one itself is the farthest."""
    return (seat - actor) * before.direction % before.players or before.players


def last_player(play: Play) -> int:
    return next(event.seat for event in reversed(play.events()) if isinstance(event, CardPlayed))


@given(setup=SEALED, rng=games.dice)
def test_a_missed_reaction_is_a_pass(setup: TableSetup, rng: Random) -> None:
    """Silence, and an absence, come to the same as passing; they cost no strike, no bank and no refusal."""
    for window in windows(setup, rng):
        given_answers = answers_of(window.play(), rng)
        silent = {answer.seat for answer in given_answers if rng.random() < 0.5}
        passing, missing, gone = (window.play() for _ in range(3))
        since = len(passing.told)
        for answer in given_answers:
            if answer.seat not in silent:
                for play in (passing, missing, gone):
                    play.do(answer)
            else:
                passing.do(answer._replace(action=PASS, call_uno=False, catch_seats=()))
        for seat in silent:
            gone.do(Disconnected(seat))
        missing.do(Tick(), missing.now + CLOCK.reaction_ms + SETTLE_MS)
        assert outcome(missing, since) == outcome(passing, since)
        # Who is away is not asked in the next window either, which may be over at once.
        events = passing.events(since)
        assert gone.events(since)[: len(events)] == events
        for play in (missing, gone):
            assert not [effect for effect in play.told[since:] if isinstance(effect, Blame)]
            assert play.table.state.strikes == passing.table.state.strikes
            assert {ask.bank_ms for ask in play.open()} <= {CLOCK.bank_ms, None}


@given(setup=SEALED, rng=games.dice)
def test_whatever_seats_do_meanwhile_a_window_comes_to_its_end(setup: TableSetup, rng: Random) -> None:
    """Seats answer, answer wrongly, leave, go, come back or are silent, in any order; nobody is blamed for it."""
    for window in windows(setup, rng):
        play = window.play()
        since, seats = len(play.told), play.table.state.players
        pending = answers_of(play, rng)
        rng.shuffle(pending)
        for answer in pending:
            play.now += rng.randrange(20)
            match rng.randrange(7):
                case 0:
                    play.do(LeaveSeat(rng.randrange(seats), LeaveCause.REMOVED))
                case 1:
                    play.do(Disconnected(rng.randrange(seats)))
                case 2:
                    seat = rng.randrange(seats)
                    play.do(Disconnected(seat))
                    play.do(Connected(seat))
                case 3:
                    play.do(answer._replace(action=ACCEPT))
                case _:
                    pass
            play.do(answer._replace(received_ms=play.now))
            play.settle(rng)
        settled = len(play.told)
        play.do(Tick(), play.now + CLOCK.reaction_ms + SETTLE_MS)
        assert (
            play.table.closed
            or not play.table.state.round_on()
            or [ask for ask in play.open() if ask.kind != DecisionKind.REACTION]
            or play.reactions()
        )
        blames = [effect for effect in play.told[since:settled] if isinstance(effect, Blame)]
        assert blames == []


# ---------------------------------------------------------------- open


@given(setup=OPEN, rng=games.dice)
def test_first_come_first_served(setup: TableSetup, rng: Random) -> None:
    """Of two answers that come together the first takes effect; the second does too, or learns why not at no cost."""
    for window in windows(setup, rng):
        play = window.play()
        answers = [answer_to(ask, play.now, rng, play.table.state.players) for ask in play.open() for _ in range(2)]
        pairs = [(one, two) for one in answers for two in answers if one.seat != two.seat]
        for one, two in rng.sample(pairs, min(12, len(pairs))):
            check_race(window.play(), one, two)


def check_race(play: Play, one: Answer, two: Answer) -> None:
    first = next(effect for effect in play.do(one) if isinstance(effect, Verdict))
    if not first.accepted:
        return
    strikes, since = list(play.table.state.strikes), len(play.told)
    catchable = play.table.state.liable
    effects = play.do(two)
    verdicts = [effect for effect in effects if isinstance(effect, Verdict)]
    assert len(verdicts) == 1
    assert play.table.state.strikes == strikes
    assert not [effect for effect in effects if isinstance(effect, Blame)]
    if not verdicts[0].accepted:
        assert verdicts[0].reason is not None
        # A catch that came with it may have been accepted for all that, and its penalty may have ended the round.
        assert not [event for event in play.events(since) if isinstance(event, CardPlayed | UnoCalled | CardKept)]
    caught = [event for event in play.events(since) if isinstance(event, SeatAccused) and event.caught]
    assert all(catchable >> event.target & 1 for event in caught)


@given(setup=OPEN, rng=games.dice)
def test_one_of_two_simultaneous_jumps_wins_and_the_other_pays_nothing(setup: TableSetup, rng: Random) -> None:
    """C71: the other's decision is closed with the play, and what it is asked next is about the new top card."""
    for window in windows(setup, rng, most=8):
        jumpers = [ask for ask in window.play().reactions() if ask.legal_actions[0].kind == Kind.JUMP_IN]
        for one in jumpers:
            for two in jumpers:
                if one is two:
                    continue
                play = window.play()
                play.do(Answer(one.seat, one.decision_id, 0, None, True, (), play.now))
                since = len(play.told)
                play.do(Answer(two.seat, two.decision_id, 0, None, True, (), play.now))
                verdict = play.told[since]
                assert isinstance(verdict, Verdict)
                assert verdict.reason in (Reason.STALE_DECISION, Reason.ROUND_OVER, Reason.MATCH_OVER)
                assert play.events(since) == []
                assert not [effect for effect in play.told if isinstance(effect, Blame)]


@given(setup=OPEN, rng=games.dice)
def test_a_forgotten_call_can_be_repaired_until_somebody_catches(setup: TableSetup, rng: Random) -> None:
    """C53, C57: whoever is first ends the duty; the other learns it, whatever false calls and catches cost."""
    for window in windows(setup, rng):
        asks = window.play().reactions()
        for own in [ask for ask in asks if UNO in ask.legal_actions]:
            for other in [ask for ask in asks if catch(own.seat) in ask.legal_actions]:
                call = Answer(own.seat, own.decision_id, None, UNO, False, (), 0)
                accusation = Answer(other.seat, other.decision_id, None, catch(own.seat), False, (), 0)
                for one, two in ((call, accusation), (accusation, call)):
                    play = window.play()
                    counts = list(map(len, play.table.state.hands))
                    since = len(play.told)
                    for answer in (one, two):
                        play.do(answer._replace(received_ms=play.now))
                    accepted = [effect.accepted for effect in play.told[since:] if isinstance(effect, Verdict)]
                    assert accepted == [True, False]
                    events = play.events(since)
                    drawn = sum(map(len, play.table.state.hands)) - sum(counts)
                    if one is call:
                        assert events == [UnoCalled(own.seat)]
                        assert drawn == 0
                    else:
                        assert events[0] == SeatAccused(other.seat, own.seat, True)
                        assert drawn <= play.table.state.rules.uno_penalty


@given(setup=OPEN, rng=games.dice)
def test_standing_reactions_are_those_that_the_rules_list(setup: TableSetup, rng: Random) -> None:
    """Every entitled seat but the one on turn has one, with an id of its own and no time of its own."""
    for window in windows(setup, rng, most=8):
        play = window.play()
        state = play.table.state
        asks = {ask.seat: ask for ask in play.reactions()}
        held = play.table.setup.rules.uno_grace_ms
        for seat in range(state.players):
            listed = [] if seat == state.turn else reaction_actions(state, seat)
            told = list(asks[seat].legal_actions[:-1]) if seat in asks else []
            if held:
                listed = [action for action in listed if action.kind != Kind.CATCH or action in told]
            passed = seat not in asks and passed_on(play, seat)
            assert told == listed or passed
        assert all((ask.limit_ms, ask.bank_ms, ask.legal_actions[-1]) == (0, None, PASS) for ask in asks.values())
        assert len({ask.decision_id for ask in play.open()}) == len(play.open())


def passed_on(play: Play, seat: int) -> bool:
    """Whether the last reaction of a seat was a pass."""
    answers = [command for command, _ in play.log if isinstance(command, Answer) and command.seat == seat]
    return bool(answers) and kind_of(answers[-1]) == Kind.PASS
