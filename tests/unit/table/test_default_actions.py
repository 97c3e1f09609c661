"""A32: what the rules do for a seat when its time runs out is possible, in every preset at every kind of decision."""

from collections import Counter
from random import Random

import pytest

from lastcard.rules.events import CardKept, CardsDrawn, ColorChosen, DrawCause, PenaltyAccepted, TimedOut
from lastcard.rules.ruleset import PRESETS, ruleset
from lastcard.table.commands import Tick
from lastcard.table.effects import Ask, Blame, DecisionKind, FaultKind
from lastcard.table.timecontrol import SETTLE_MS
from reaction_windows import CLOCK, Play, answer_to, setup_of

OFTEN = 3
WHOLE = CLOCK.limit_ms + CLOCK.bank_ms + SETTLE_MS

HOUSE: dict[str, dict[str, object]] = {
    "as it is": {},
    "stacking": {"stack_draw_two": "same", "stack_w4": "same"},
    "jump-in": {"jump_in": "identical_incl_w4", "seven_swap": True},
    "strict": {"drawn_card": "must_play", "draw_mode": "until_playable", "voluntary_draw": "forbidden"},
}


def kinds_of(preset: str, options: dict[str, object], *, sealed: bool) -> set[DecisionKind]:
    """The kinds of decision of a turn that come up under these rules."""
    rules = ruleset(preset, options)
    kinds = {DecisionKind.TURN, DecisionKind.DRAWN_CARD}
    asked = rules.jump_in != "off" and not sealed
    if rules.w4_challenge != "off" or rules.stack_draw_two != "off" or asked:
        kinds.add(DecisionKind.PENALTY)
    if rules.start_wild != "redraw":
        kinds.add(DecisionKind.COLOR)
    return kinds


@pytest.mark.parametrize("sealed", [True, False], ids=["sealed", "open"])
@pytest.mark.parametrize("house", HOUSE)
@pytest.mark.parametrize("preset", PRESETS)
def test_A32_the_default_action_is_always_possible(preset: str, house: str, sealed: bool) -> None:
    """Every kind of decision runs out some times, in random matches; the game goes on by what C80 says."""
    options: dict[str, object] = {"max_timeouts": 0, "hand_size": 3, "match_end": "rounds", "match_rounds": 4}
    options |= {"max_turns_per_round": 60, **HOUSE[house]}
    wanted, done = kinds_of(preset, options, sealed=sealed), Counter[DecisionKind]()
    rng = Random(f"{preset} {house} {sealed}")
    for _ in range(200):
        run_out(Play(setup_of(ruleset(preset, options), rng.randint(2, 5), sealed=sealed)), rng, done)
        if set(done) >= wanted and min(done[kind] for kind in wanted) >= OFTEN:
            return
    raise AssertionError(f"not all of {wanted} came up: {done}")


def run_out(play: Play, rng: Random, done: Counter[DecisionKind]) -> None:
    """Plays a match in which a decision runs out now and then."""
    play.begin()
    for _ in range(120):
        play.settle(rng)
        if play.table.closed is not None:
            return
        turn = next((ask for ask in play.open() if ask.kind != DecisionKind.REACTION), None)
        if turn is None:
            for ask in play.reactions():
                play.do(answer_to(ask, play.now, rng, play.table.state.players))
        elif rng.random() < 0.3 or done[turn.kind] < OFTEN:
            check_default(play, turn)
            done[turn.kind] += 1
        else:
            play.do(answer_to(turn, play.now, rng, play.table.state.players))


def check_default(play: Play, turn: Ask) -> None:
    state, seat = play.table.state, turn.seat
    cards, strikes, called = total(play), list(state.strikes), state.called
    pending, since = state.pending, len(play.told)
    play.do(Tick(), play.now + WHOLE)
    events = play.events(since)
    assert events[0] == TimedOut(seat, strikes[seat] + 1)
    drawn = [event for event in events if isinstance(event, CardsDrawn) and event.seat == seat]
    match turn.kind:
        case DecisionKind.TURN:
            assert [event.cause for event in drawn[:1]] == [DrawCause.TIMEOUT]
            assert drawn[0].count <= 1
        case DecisionKind.DRAWN_CARD:
            assert events[1] == CardKept(seat)
        case DecisionKind.PENALTY:
            assert events[1] == PenaltyAccepted(seat)
            assert drawn[0].cause == DrawCause.PENALTY
            assert drawn[0].count <= pending
        case _:
            assert isinstance(events[1], ColorChosen)
            assert (events[1].seat, events[1].by_server) == (seat, True)
    blames = [effect for effect in play.told[since:] if isinstance(effect, Blame)]
    assert [(blame.seat, blame.kind) for blame in blames] == [(seat, FaultKind.TIMEOUT)]
    strikes[seat] += 1
    assert state.strikes == strikes
    assert not state.called >> seat & 1 & ~(called >> seat)
    assert total(play) == cards
    assert play.open() or not state.round_on()


def total(play: Play) -> int:
    state = play.table.state
    return sum(map(len, state.hands)) + len(state.pile) + len(state.discard) + len(state.buried)
