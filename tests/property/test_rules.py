"""What holds at every moment of every game, under any rules (conventions.md, Tests)."""

from collections import Counter
from random import Random

import pytest
from hypothesis import given, settings

import random_games as games
from lastcard.rules.actions import UNO, Action, Kind, catch
from lastcard.rules.apply import apply
from lastcard.rules.events import CardPlayed, CardsDrawn, PileRebuilt, RoundEnded, RoundStarted, SeatLeft, TurnStarted
from lastcard.rules.legality import catchable, legal_actions, reaction_actions
from lastcard.rules.reasons import Reason, Refused
from lastcard.rules.ruleset import PRESETS, Ruleset, ruleset
from lastcard.rules.scenario import contents
from lastcard.rules.state import Phase, State, new_match

Table = tuple[Ruleset, int]


def check_cards(state: State) -> None:
    """Each card of the deck lies in exactly one place, and hands are in order (A10, A14)."""
    cards = [*state.pile.ids(), *state.discard, *state.buried, *(card for hand in state.hands for card in hand)]
    assert sorted(cards) == list(range(len(state.faces)))
    assert Counter(state.faces) == Counter(state.rules.deck())
    assert all(list(hand) == sorted(hand) for hand in state.hands)


def check_somebody_can_act(state: State) -> None:
    """A running round has one seat that must act, and it can (A28, A54)."""
    if not state.round_on():
        assert all(legal_actions(state, seat) == [] for seat in range(state.players))
        assert all(reaction_actions(state, seat) == [] for seat in range(state.players))
        return
    assert state.active[state.turn]
    assert state.phase in (Phase.TURN, Phase.DRAWN_CARD, Phase.PENALTY, Phase.COLOR)
    actions = legal_actions(state, state.turn)
    assert actions
    assert actions == sorted(set(actions))


def check_what_is_switched_off(state: State) -> None:
    """An option that is off is found nowhere: challenges, stacks, jumps, questions without a choice (A19, A20)."""
    rules = state.rules
    kinds = {action.kind for action in legal_actions(state, state.turn)} if state.round_on() else set()
    stacks = {rules.stack_draw_two, rules.stack_w4, rules.stack_cross} != {"off"}
    if rules.w4_challenge == "off":
        assert Kind.CHALLENGE not in kinds
    if not stacks:
        assert state.pending <= 4
        assert Kind.ACCEPT not in kinds or Kind.PLAY not in kinds
    if rules.jump_in == "off":
        assert not any(
            action.kind == Kind.JUMP_IN for seat in range(state.players) for action in reaction_actions(state, seat)
        )
        assert stacks or kinds != {Kind.ACCEPT}


def check_bounds(state: State) -> None:
    """What a position never is."""
    assert state.direction in (1, -1)
    assert state.turn_number <= state.rules.max_turns_per_round
    assert (state.pending > 0) == (state.phase == Phase.PENALTY) or state.phase == Phase.COLOR
    if state.round_on():
        assert state.color or state.phase == Phase.COLOR
        assert sum(state.active) >= 2
        assert all(state.hands[seat] for seat in state.active_seats())
        stacked = state.rules.stack_max
        assert not stacked or state.pending <= max(stacked, 4)
    for seat in catchable(state):
        assert state.active[seat]
        assert len(state.hands[seat]) == 1
        assert not state.called >> seat & 1


@given(table=games.tables(), seed=games.seeds, draws=games.draw_orders, rng=games.dice)
def test_cards_are_conserved_and_somebody_can_always_act(table: Table, seed: bytes, draws: str, rng: Random) -> None:
    state = new_match(*table)
    for _ in games.play_match(state, seed, draws, rng):
        check_cards(state)
        check_somebody_can_act(state)
        check_what_is_switched_off(state)
        check_bounds(state)


@given(table=games.tables(), seed=games.seeds, draws=games.draw_orders, rng=games.dice)
def test_every_round_ends_and_says_so_once(table: Table, seed: bytes, draws: str, rng: Random) -> None:
    state = new_match(*table)
    while state.phase != Phase.MATCH_OVER and state.round < 3:
        events = games.deal(state, seed, draws)
        for _, more in games.play_moves(state, rng):
            events += more
        assert state.phase in (Phase.ROUND_OVER, Phase.MATCH_OVER)
        ended = [event for event in events if isinstance(event, RoundEnded)]
        assert len(ended) == 1
        assert ended[0].scores == state.round_scores[-1]
        assert sum(isinstance(event, TurnStarted) for event in events) <= state.rules.max_turns_per_round
        assert tuple(map(sum, zip(*state.round_scores, strict=True))) == tuple(state.totals) == ended[0].totals
    if state.phase == Phase.MATCH_OVER:
        assert min(state.places) == 1
        assert all(place == 1 + sum(other < place for other in state.places) for place in state.places)


@given(table=games.tables(), seed=games.seeds, draws=games.draw_orders, rng=games.dice)
def test_events_tell_all_counts(table: Table, seed: bytes, draws: str, rng: Random) -> None:
    """Who follows the public events knows the size of every hand and of the pile."""
    state = new_match(*table)
    counts: list[int] = []
    pile = 0
    for _, events in games.play_match(state, seed, draws, rng, rounds=2):
        for event in events:
            match event:
                case RoundStarted():
                    counts = list(event.hand_counts)
                    pile = len(state.faces) - sum(counts) - 1
                case PileRebuilt():
                    pile += event.count
                case CardPlayed():
                    counts[event.seat] -= 1
                    assert counts[event.seat] == event.hand_count
                case CardsDrawn():
                    counts[event.seat] += event.count
                    pile -= event.count
                    assert event.count == len(event.cards)
                case SeatLeft() if state.rules.leaver_cards == "to_discard":
                    counts[event.seat] = 0
                case _ if hasattr(event, "from_seats"):
                    counts = [counts[seat] for seat in event.from_seats]
                    assert tuple(counts) == event.hand_counts
                case _:
                    pass
        if state.round_on():
            assert counts == [len(hand) for hand in state.hands]
            assert pile == len(state.pile)


@settings(max_examples=60)
@given(table=games.tables(), seed=games.seeds, draws=games.draw_orders, rng=games.dice)
def test_every_listed_action_is_accepted_and_every_other_refused_without_change(
    table: Table, seed: bytes, draws: str, rng: Random
) -> None:
    state = new_match(*table)
    games.deal(state, seed, draws)
    moves = games.play_moves(state, rng)
    while state.round_on():
        if rng.random() < 0.12:
            check_every_action(state, rng)
        next(moves, None)
    for seat in range(state.players):
        check_nothing_is_possible(state, seat)


def check_every_action(state: State, rng: Random) -> None:
    before = contents(state)
    for seat in {state.turn, *rng.sample(range(state.players), 2)}:
        listed = legal_actions(state, seat) if state.active[seat] else []
        for action in games.all_actions(state, rng):
            if games.as_listed(state, seat, action) in listed:
                assert not games.is_refused(state.clone(), seat, action), f"{action} of {listed}"
            else:
                assert games.is_refused(state, seat, action), f"{action} is not in {listed}"
        check_calls(state, seat)
    assert contents(state) == before


def check_calls(state: State, seat: int) -> None:
    """Calls and catches that are listed are accepted; others cost what the rules say or change nothing."""
    listed = reaction_actions(state, seat)
    for action in (UNO, *map(catch, range(state.players))):
        copy = state.clone()
        before = contents(copy)
        refused = games.is_refused(copy, seat, action)
        assert not (refused and action in listed), f"{action} of {listed}"
        assert not refused or contents(copy) == before


def check_nothing_is_possible(state: State, seat: int) -> None:
    expected = Reason.MATCH_OVER if state.phase == Phase.MATCH_OVER else Reason.ROUND_OVER
    before = contents(state)
    for action in (*games.all_actions(state, Random(1)), UNO, catch(0), Action(12)):
        with pytest.raises(Refused) as refused:
            apply(state, seat, action)
        assert refused.value.reason == expected
    assert contents(state) == before


@given(table=games.tables(), seed=games.seeds, draws=games.draw_orders, rng=games.dice)
def test_a_replay_gives_the_same_state_and_events(table: Table, seed: bytes, draws: str, rng: Random) -> None:
    first, told, moves = new_match(*table), [], []
    for move, events in games.play_match(first, seed, draws, rng, rounds=2):
        moves.append(move)
        told.append(events)
    again = new_match(*table)
    for move, events in zip(moves, told, strict=True):
        told_again = games.deal(again, seed, draws) if move is None else apply(again, *move)
        # Their texts name the kinds: tuples of two kinds with equal fields are equal.
        assert repr(told_again) == repr(events)
    assert contents(again) == contents(first)


@given(table=games.tables(), seed=games.seeds, draws=games.draw_orders, rng=games.dice)
def test_a_copy_plays_on_alone(table: Table, seed: bytes, draws: str, rng: Random) -> None:
    """A clone is the same position, and nothing done to it reaches the original."""
    state = new_match(*table)
    games.deal(state, seed, draws)
    for _ in games.play_moves(state, rng):
        if rng.random() < 0.1:
            break
    before = contents(state)
    copy = state.clone()
    assert contents(copy) == before
    for _ in games.play_moves(copy, rng):
        pass
    assert contents(state) == before


@given(table=games.tables(), seed=games.seeds, draws=games.draw_orders, rng=games.dice)
def test_the_deal_does_not_depend_on_play(table: Table, seed: bytes, draws: str, rng: Random) -> None:
    """A51: equal seeds deal equal hands in round two, whatever was played in round one."""
    rules, players = table
    rules = ruleset(
        rules.preset, dict(rules.overrides()) | {"match_end": "rounds", "match_rounds": 5, "match_tie": "shared"}
    )
    openings = []
    for _ in range(2):
        state = new_match(rules, players)
        games.deal(state, seed, draws)
        while state.round_on():
            apply(state, state.turn, rng.choice(legal_actions(state, state.turn)))
        openings.append(games.deal(state, seed, draws)[0])
    one, other = openings
    assert isinstance(one, RoundStarted)
    assert isinstance(other, RoundStarted)
    assert one.hands == other.hands
    assert one.commitment == other.commitment


@pytest.mark.slow
@pytest.mark.parametrize("preset", PRESETS)
def test_a54_every_round_of_random_play_ends(preset: str) -> None:
    rules = ruleset(preset, {"target_points": 1_000_000})
    for players in range(2, 11):
        state = new_match(rules, players)
        rng = Random(players)
        for _ in range(16):
            games.deal(state, bytes(31) + bytes([players]), "per_seat" if players % 2 else "pile")
            while state.round_on():
                apply(state, state.turn, rng.choice(legal_actions(state, state.turn)))
            assert not any(legal_actions(state, seat) for seat in range(players))
