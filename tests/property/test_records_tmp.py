"""Records of matches by any combination of options verify, and say so before and after the reveal."""

import pytest
from hypothesis import given, settings

from lastcard.rules.record import RecordWriter
from lastcard.rules.ruleset import Ruleset
from lastcard.rules.shuffle import round_seed
from lastcard.rules.state import new_match
from lastcard.rules.verify import verify
from random_games import Dice, dice, draw_orders, play_match, seeds, tables


@pytest.mark.slow
@settings(max_examples=3000)
@given(table=tables(), seed=seeds, draws=draw_orders, rng=dice)
def test_a_record_verifies_before_and_after_the_reveal(
    table: tuple[Ruleset, int], seed: bytes, draws: str, rng: Dice
) -> None:
    rules, players = table
    state = new_match(rules, players)
    writer = RecordWriter(rules, [f"bot-{seat}" for seat in range(players)], draws=draws, reactions="open")
    for _, events in play_match(state, seed, draws, rng):
        writer.add(writer.sequence + 1, events)
    writer.close()
    hidden = verify(writer.to_bytes())
    assert hidden.ok, f"line {hidden.line}: {hidden.problem}"
    assert not hidden.revealed
    writer.reveal([round_seed(seed, number) for number in range(1, state.round + 1)], bytes(32))
    revealed = verify(writer.to_bytes())
    assert revealed.ok, f"line {revealed.line}: {revealed.problem}"
    assert revealed.revealed
    assert revealed.events == writer.sequence
