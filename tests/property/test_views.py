"""What a viewer gets does not depend on what it may not see (architecture.md section 4; A40, A41)."""

from collections.abc import Sequence
from random import Random

from hypothesis import given

import random_games as games
from lastcard.rules.actions import Kind
from lastcard.rules.apply import apply
from lastcard.rules.events import CardPlayed, ChallengeResolved, Event
from lastcard.rules.legality import legal_actions
from lastcard.rules.pile import SharedPile
from lastcard.rules.ruleset import Ruleset
from lastcard.rules.state import Phase, State, new_match
from lastcard.rules.view import redact, view_of

Table = tuple[Ruleset, int]


def with_hidden_cards_dealt_anew(state: State, viewer: int | None, rng: Random) -> State:
    """A state that differs only in cards that the viewer cannot see: other hands and the pile's order.

    Cards that the viewer knows to be in a hand stay there; so does a card that another seat has just drawn, whose
    having been asked about is public, as a place in that hand.
    """
    other = state.clone()
    known = other.known.get(viewer, {}) if viewer is not None else {}
    kept: dict[int, list[int]] = {}
    hidden = (
        [other.pile.draw(0) for _ in range(len(other.pile))] if state.chance and state.chance.draws == "pile" else []
    )
    for seat, hand in enumerate(other.hands):
        if seat == viewer:
            kept[seat] = list(hand)
            continue
        left = list(hand)
        kept[seat] = []
        for face in known.get(seat, []):
            card = next(card for card in left if other.faces[card] == face)
            left.remove(card)
            kept[seat].append(card)
        hidden += left
    rng.shuffle(hidden)
    for seat, hand in enumerate(state.hands):
        while len(kept[seat]) < len(hand):
            kept[seat].append(hidden.pop())
        other.hands[seat] = bytearray(sorted(kept[seat]))
    if hidden:
        other.pile = SharedPile(hidden)
    if other.drawn >= 0 and other.turn != viewer and other.drawn not in other.hands[other.turn]:
        other.drawn = rng.choice(list(other.hands[other.turn]))
    return other


@given(table=games.tables(), seed=games.seeds, draws=games.draw_orders, rng=games.dice)
def test_a_view_does_not_depend_on_what_it_hides(table: Table, seed: bytes, draws: str, rng: Random) -> None:
    state = new_match(*table)
    for _ in games.play_match(state, seed, draws, rng, rounds=2):
        if not state.round_on():
            continue
        viewer = rng.choice([None, *range(state.players)])
        other = with_hidden_cards_dealt_anew(state, viewer, rng)
        assert view_of(other, viewer) == view_of(state, viewer)
        if viewer is not None and viewer == state.turn:
            assert legal_actions(other, viewer) == legal_actions(state, viewer)


@given(table=games.tables(), seed=games.seeds, draws=games.draw_orders, rng=games.dice)
def test_two_games_that_differ_in_hidden_cards_look_the_same(
    table: Table, seed: bytes, draws: str, rng: Random
) -> None:
    """The same moves in both: as long as the public events are equal, so is everything that the viewer gets."""
    state = new_match(*table)
    games.deal(state, seed, draws)
    for _ in games.play_moves(state, rng):
        if rng.random() < 0.1:
            break
    viewer = rng.randrange(state.players)
    if not state.round_on() or not state.active[viewer]:
        return
    other = with_hidden_cards_dealt_anew(state, viewer, rng)
    for _ in range(20):
        move = common_move(state, other, rng)
        if move is None:
            return
        one, two = apply(state, *move), apply(other, *move)
        if public(one, state.rules) != public(two, state.rules) or not state.round_on():
            return
        told = [redact(event, viewer, state.rules, True) for event in one]
        if any(getattr(event, "seat", -1) == viewer and getattr(event, "cards", ()) for event in one):
            return  # what the viewer drew was hidden until now, and may differ
        if (
            any(viewer in getattr(event, "from_seats", ()) for event in one)
            and state.hands[viewer] != other.hands[viewer]
        ):
            return  # the hand that the viewer was given was hidden until now
        if any(isinstance(event, ChallengeResolved) for event in one):
            return  # the hand that was shown was hidden until now
        assert told == [redact(event, viewer, state.rules, True) for event in two]
        assert view_of(state, viewer) == view_of(other, viewer)


def common_move(state: State, other: State, rng: Random) -> games.Move | None:
    """A move of the seat on turn that both games list, other than a challenge, whose verdict looks at a hidden hand."""
    both = [
        action
        for action in legal_actions(state, state.turn)
        if action in legal_actions(other, other.turn) and action.kind != Kind.CHALLENGE
    ]
    return (state.turn, rng.choice(both), True) if both else None


def public(events: Sequence[Event], rules: Ruleset) -> list[Event]:
    return [redact(event, None, rules, False) for event in events]


@given(table=games.tables(), seed=games.seeds, draws=games.draw_orders, rng=games.dice)
def test_nobody_is_told_a_card_that_is_not_his_to_see(table: Table, seed: bytes, draws: str, rng: Random) -> None:
    """A40: only own cards, cards played, hands shown by a challenge, and what a table shows at a round's end."""
    state = new_match(*table)
    for _, events in games.play_match(state, seed, draws, rng, rounds=2):
        for event in events:
            for viewer in (None, *range(state.players)):
                check_event(redact(event, viewer, state.rules, False), event, viewer, state)


def check_event(told: Event, event: Event, viewer: int | None, state: State) -> None:
    """A redacted event holds no card of another hand, and all else that the event holds."""
    assert type(told) is type(event)
    for name, value in told._asdict().items():
        match name:
            case "hands":
                assert value == tuple(pair for pair in event.hands if pair[0] == viewer)
            case "cards":
                assert value == (event.cards if event.seat == viewer else ())
            case "hand":
                seen = viewer == event.offender or may_see(viewer, event, state)
                assert value == (event.hand if seen else ())
            case _:
                assert value == getattr(event, name)


def may_see(viewer: int | None, event: ChallengeResolved, state: State) -> bool:
    reveal = state.rules.challenge_reveal
    return reveal == "all" or (reveal == "challenger_only" and viewer == event.challenger)


@given(table=games.tables(), seed=games.seeds, draws=games.draw_orders, rng=games.dice)
def test_what_is_known_of_a_hand_is_true(table: Table, seed: bytes, draws: str, rng: Random) -> None:
    """Cards known from a challenge or a swap are in the hand that they are known to be in, and only there."""
    state = new_match(*table)
    for _, events in games.play_match(state, seed, draws, rng, rounds=2):
        for viewer in range(state.players):
            for seat, faces in view_of(state, viewer).known_cards:
                held = list(state.hand_faces(seat))
                assert seat != viewer
                for face in faces:
                    held.remove(face)
        played = [event for event in events if isinstance(event, CardPlayed)]
        assert len(played) <= 1


@given(table=games.tables(), seed=games.seeds, draws=games.draw_orders, rng=games.dice)
def test_views_agree_with_the_state(table: Table, seed: bytes, draws: str, rng: Random) -> None:
    """C88: hand and pile counts are public and right; a seat sees its own hand, a spectator none."""
    state = new_match(*table)
    for _ in games.play_match(state, seed, draws, rng, rounds=2):
        for seat in (None, *range(state.players)):
            view = view_of(state, seat)
            assert view.hand_counts == tuple(map(len, state.hands))
            assert view.pile_count == len(state.pile)
            assert view.hand == (state.hand_faces(seat) if seat is not None and state.active[seat] else b"")
            assert bool(view.drawn_card) == (state.phase == Phase.DRAWN_CARD and seat == state.turn)
