"""What the search of `shrewd` is built on, over random rules and random games."""

from random import Random

from hypothesis import given, settings
from hypothesis import strategies as st

from lastcard.rules.legality import legal_actions
from lastcard.rules.state import Phase, State, new_match
from lastcard.rules.view import view_of
from lastcard.v1.table_pb2 import Decision
from lastcard_bot.bots import BOTS
from lastcard_bot.bots.shrewd_bot import ShrewdBot
from lastcard_bot.search.worlds import Worlds
from random_games import deal, dice, draw_orders, play_match, seeds, tables
from wire_reference import action_messages, view_message

SEEN = (
    "hand",
    "drawn_card",
    "hand_counts",
    "active_seats",
    "called_seats",
    "catchable_seats",
    "discard",
    "buried_count",
    "pile_count",
    "active_color",
    "direction",
    "pending",
    "turn_seat",
    "ruleset",
)
"""What a world must show its viewer as the real state does. The rest is history, which no rule of a play asks for."""


def decision_of(state: State) -> Decision:
    """The decision of the seat on turn."""
    seat = state.turn
    return Decision(
        kind=int(state.phase),
        view=view_message(view_of(state, seat)),
        legal_actions=action_messages(legal_actions(state, seat)),
    )


def some_decisions(table, seed, draws, rng, most: int):
    """A few decisions of a match, with the state in which each is put."""
    rules, players = table
    state = new_match(rules, players)
    given_out = 0
    for _ in play_match(state, seed, draws, rng, rounds=2):
        if state.round_on() and rng.random() < 0.1:
            yield state, decision_of(state)
            given_out += 1
            if given_out == most:
                return


@given(tables(), seeds, draw_orders, dice)
def test_a_world_shows_its_viewer_what_the_real_state_does(table, seed, draws, rng):
    for state, decision in some_decisions(table, seed, draws, rng, most=6):
        if state.phase == Phase.COLOR:
            continue
        worlds = Worlds(decision.view, decision.kind, decision.legal_actions)
        world = next(worlds.sample(Random(1)))
        real, sampled = view_of(state, state.turn), view_of(world, state.turn)
        assert {name: getattr(sampled, name) for name in SEEN} == {name: getattr(real, name) for name in SEEN}
        assert legal_actions(world, world.turn) == legal_actions(state, state.turn)
        for seat, faces in real.known_cards:
            left = list(world.hand_faces(seat))
            for face in faces:
                left.remove(face)
        cards = [*(card for hand in world.hands for card in hand), *world.pile.ids(), *world.discard, *world.buried]
        assert sorted(cards) == list(range(len(world.faces)))


@settings(max_examples=60)
@given(tables(), seeds, draw_orders, dice, st.sampled_from(sorted(BOTS)))
def test_shipped_bots_answer_every_decision_with_a_legal_choice_and_always_the_same(table, seed, draws, rng, name):
    for _, decision in some_decisions(table, seed, draws, rng, most=4):
        first, second = (ShrewdBot(trials=30) if name == "shrewd" else BOTS[name](0) for _ in range(2))
        choice = first.decide(decision)
        assert 0 <= choice < len(decision.legal_actions)
        again = Decision.FromString(decision.SerializeToString())
        assert second.decide(again) == choice


@given(tables(), seeds, draw_orders)
def test_a_deal_is_what_a_world_needs_at_least(table, seed, draws):
    rules, players = table
    state = new_match(rules, players)
    deal(state, seed, draws)
    if state.phase != Phase.TURN:
        return
    decision = decision_of(state)
    assert next(Worlds(decision.view, decision.kind, decision.legal_actions).sample(Random(2))).turn == state.turn
