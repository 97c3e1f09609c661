from random import Random

from hypothesis import given
from hypothesis import strategies as st

from lastcard.rules.apply import apply
from lastcard.rules.deal import start_round
from lastcard.rules.legality import legal_actions
from lastcard.rules.shuffle import SeededChance
from lastcard.rules.state import Phase, new_match
from lastcard.rules.view import view_of
from lastcard.services.wire.rulesets import ruleset_body
from lastcard.services.wire.views import ViewWriter
from lastcard.v1 import view_pb2
from random_games import tables
from wire_reference import view_message


def play(rules, players, seed, moves):
    """A match played on at random, through rounds, for a number of moves."""
    random = Random(seed)
    state = new_match(rules, players)
    for _ in range(moves):
        if state.phase == Phase.MATCH_OVER:
            break
        if not state.round_on():
            start_round(state, SeededChance(random.randbytes(32), bytes(32)))
        else:
            actions = legal_actions(state, state.turn)
            apply(state, state.turn, random.choice(actions))
        yield state


@given(tables(), st.integers(0, 2**32), st.integers(1, 60))
def test_a_view_is_written_as_the_generated_classes_write_it(table, seed, moves):
    rules, players = table
    writer = ViewWriter(ruleset_body(rules))
    for state in play(rules, players, seed, moves):
        for seat in (None, *range(players)):
            view = view_of(state, seat)
            written = writer.body(view)
            assert view_pb2.View.FromString(written) == view_message(view)
            assert written == view_message(view).SerializeToString(deterministic=True)


@given(tables(), st.integers(0, 2**32))
def test_equal_views_give_equal_bytes_whatever_was_written_before(table, seed):
    rules, players = table
    used = ViewWriter(ruleset_body(rules))
    for state in play(rules, players, seed, 40):
        view = view_of(state, 0)
        assert used.body(view) == ViewWriter(ruleset_body(rules)).body(view)
