"""Verifying records: right ones are found right, and tampering is found with its line."""

import json
import random
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from lastcard.rules import events as ev
from lastcard.rules.actions import LeaveCause
from lastcard.rules.events import Event
from lastcard.rules.record import RecordWriter, reveal_line
from lastcard.rules.verify import verify
from record_games import SALT, Game, any_game, play_game
from record_tampering import (
    Tampered,
    another,
    append_something,
    chained_again,
    double_line,
    dumped,
    flip_bit,
    insert_event,
    leaves,
    remove_line,
    split,
    swap_lines,
    with_leaf,
)

SEEDS = st.integers(0, 10_000)
LOTS = st.randoms(use_true_random=False)


TOLD_APART = ("cause", "jump_in", "by_server", "caught", "guilty")


@pytest.mark.slow
def test_the_games_of_these_tests_reach_everything_that_can_happen() -> None:
    reached: set[object] = set()
    for seed in range(150):
        for event in any_game(seed).events:
            reached.add(type(event))
            reached.update((type(event), name, getattr(event, name)) for name in TOLD_APART if hasattr(event, name))
    assert reached >= set(Event.__args__)
    for kind, name, values in (
        (ev.CardsDrawn, "cause", ev.DrawCause),
        (ev.SeatLeft, "cause", LeaveCause),
        (ev.RoundEnded, "cause", ev.RoundCause),
        (ev.MatchEnded, "cause", ev.MatchCause),
        (ev.CardPlayed, "jump_in", (True, False)),
        (ev.ColorChosen, "by_server", (True, False)),
        (ev.SeatAccused, "caught", (True, False)),
        (ev.ChallengeResolved, "guilty", (True, False)),
    ):
        assert reached >= {(kind, name, value) for value in values}


@pytest.mark.slow
@given(SEEDS, st.booleans())
def test_a_record_of_any_game_is_right(seed: int, revealed: bool) -> None:
    game = any_game(seed, rounds=3)
    found = verify(game.record(revealed=revealed))
    assert (found.line, found.problem, found.ok) == (None, None, True)
    assert (found.revealed, found.complete) == (revealed, True)
    assert (found.rounds, found.events) == (len(game.seeds), len(game.events))
    assert found.record_hash == game.writer().record_hash


TAMPERING = (flip_bit, remove_line, swap_lines, double_line, append_something)


@pytest.mark.parametrize("tamper", TAMPERING, ids=lambda tamper: tamper.__name__)
@given(seed=SEEDS, revealed=st.booleans(), lot=LOTS)
def test_tampering_is_found_with_its_line(
    tamper: Callable[[bytes, random.Random], Tampered], seed: int, revealed: bool, lot: random.Random
) -> None:
    tampered = tamper(any_game(seed, rounds=1).record(revealed=revealed), lot)
    found = verify(tampered.data)
    assert found.line == tampered.line, found.problem
    assert not found.ok


CHOSEN = {
    ("card_played", "card"),
    ("card_played", "color"),
    ("card_played", "seat"),
    ("card_played", "target"),
    ("card_played", "uno_called"),
    ("card_played", "jump_in"),
    ("card_kept", "seat"),
    ("color_chosen", "color"),
    ("color_chosen", "by_server"),
    ("penalty_accepted", "seat"),
    ("seat_accused", "accuser"),
    ("seat_accused", "target"),
    ("seat_left", "cause"),
    ("seat_left", "seat"),
    ("timed_out", "seat"),
    ("uno_called", "seat"),
}
"""What somebody chose: changed and chained anew it tells another game, which may have been played, too."""

DRAWN = {
    ("round_started", "dealer"),
    ("round_started", "commitment"),
    ("round_started", "hands"),
    ("start_card_turned", "card"),
    ("cards_drawn", "cards"),
}
"""What chance gave: changed and chained anew it may have been given, as far as anybody knows before the reveal."""


def forge(record: bytes, lot: random.Random, may_change: Callable[[Any], bool]) -> Tampered:
    """A value of an event is changed and the chain computed anew; `may_change` judges its event's and field's name."""
    lines = split(record)
    places = [
        (at, path)
        for at, line in enumerate(lines)
        if line.startswith(b'{"event"')
        for path, _ in leaves(json.loads(line)["event"])
        if path[0] != "sequence" and may_change(path[:2])
    ]
    # Turns begin far more often than anything else happens; each kind of value should come up.
    kind = lot.choice(sorted({path[:2] for _, path in places}))
    at, path = lot.choice([place for place in places if place[1][:2] == kind])
    value = json.loads(lines[at])
    leaf = dict(leaves(value["event"]))[path]
    lines[at] = dumped(with_leaf(value, ("event", *path), another(leaf, lot)))
    return Tampered(chained_again(lines), at + 1)


@pytest.mark.slow
@settings(max_examples=200)
@given(SEEDS, LOTS)
def test_a_forged_fact_is_found_with_its_line_though_the_chain_holds(seed: int, lot: random.Random) -> None:
    record = any_game(seed, rounds=1).record(revealed=True)
    tampered = forge(record, lot, lambda field: field not in CHOSEN)
    found = verify(tampered.data)
    assert found.line == tampered.line, found.problem


@pytest.mark.slow
@given(SEEDS, LOTS)
def test_a_forged_fact_is_found_before_the_chance_is_revealed(seed: int, lot: random.Random) -> None:
    record = any_game(seed, rounds=1).record(revealed=False)
    tampered = forge(record, lot, lambda field: field not in CHOSEN | DRAWN)
    found = verify(tampered.data)
    assert found.line == tampered.line, found.problem


@pytest.mark.slow
@settings(max_examples=200)
@given(SEEDS, st.booleans(), LOTS)
def test_what_could_have_been_is_never_blamed_on_what_came_before(
    seed: int, revealed: bool, lot: random.Random
) -> None:
    record = any_game(seed, rounds=1).record(revealed=revealed)
    tampered = forge(record, lot, lambda field: field in CHOSEN or (field in DRAWN and not revealed))
    found = verify(tampered.data)
    if b'"commitment"' in split(tampered.data)[tampered.line - 1]:
        # The header has the commitment, too: before the reveal either of the two may be the wrong one.
        assert found.line is None or found.line in (1, *range(tampered.line, found.events + 4))
    else:
        assert found.line is None or found.line >= tampered.line, found.problem
    # Even a game that could have been played so has another hash, which the ledger and the bots know.
    assert found.record_hash != verify(record).record_hash


@pytest.mark.slow
@given(SEEDS, st.booleans(), LOTS)
def test_an_event_that_comes_twice_is_found_though_numbers_and_chain_hold(
    seed: int, revealed: bool, lot: random.Random
) -> None:
    record = any_game(seed, rounds=1).record(revealed=revealed)
    tampered = insert_event(record, lot)
    found = verify(tampered.data)
    doubled = split(tampered.data)[tampered.line - 1]
    if found.line is None:
        # One more start card may have been turned and put back, as far as anybody knows before the reveal.
        assert b'"put_back":true' in doubled
        assert not revealed
    else:
        assert found.line >= tampered.line, found.problem


@pytest.mark.slow
@given(SEEDS, LOTS)
def test_a_forged_seed_or_salt_is_found_in_the_reveal(seed: int, lot: random.Random) -> None:
    game = any_game(seed, rounds=2)
    assume(game.seeds)  # where no round began there is nothing that a salt could fit
    lines = split(game.record(revealed=True))
    value = json.loads(lines[-1])
    path, leaf = lot.choice(list(leaves(value["reveal"])))
    changed = leaf.translate(str.maketrans("0123456789abcdef", "123456789abcdef0"))
    lines[-1] = dumped(with_leaf(value, ("reveal", *path), changed))
    found = verify(chained_again(lines))
    assert found.line == len(lines), found.problem


@pytest.fixture(scope="module")
def game() -> Game:
    """Two rounds of a plain game."""
    return play_game(9, options={"match_end": "rounds", "match_rounds": 2}, mischief=False)


def test_a_reveal_needs_a_seed_for_each_round(game: Game) -> None:
    writer = game.writer()
    record = writer.to_bytes()
    line = reveal_line(writer.record_hash, game.seeds[:1], SALT)
    found = verify(record + line)
    assert found.line == len(split(record)) + 1
    assert found.problem == "it reveals 1 seeds for 2 rounds."


def test_another_games_reveal_is_found(game: Game) -> None:
    other = play_game(10, options={"match_end": "rounds", "match_rounds": 2}, mischief=False)
    record = game.record(revealed=False)
    found = verify(record + reveal_line(game.writer().record_hash, other.seeds, SALT))
    assert found.line == len(split(record)) + 1
    assert "seed of round 1 does not fit" in str(found.problem)


@pytest.mark.parametrize("round_number", [1, 2])
def test_a_forged_commitment_is_found_where_it_stands(game: Game, round_number: int) -> None:
    lines = split(game.record(revealed=True))
    at = [at for at, line in enumerate(lines) if b'"round_started"' in line][round_number - 1]
    path = ("event", "round_started", "commitment")
    value = json.loads(lines[at])
    forged = [*lines]
    forged[at] = dumped(with_leaf(value, path, "A" * 43 + "="))
    found = verify(chained_again(forged))
    assert found.line == at + 1
    assert "seed and salt give" in str(found.problem)


def test_a_header_with_another_commitment_is_found(game: Game) -> None:
    for revealed in (True, False):
        lines = split(game.record(revealed=revealed))
        lines[0] = dumped(with_leaf(json.loads(lines[0]), ("header", "commitment"), "0" * 64))
        found = verify(chained_again(lines))
        assert found.line == 1
        assert "its commitment is not" in str(found.problem)


@pytest.mark.parametrize(
    ("path", "to", "problem"),
    [
        (("preset",), "swiss", "There is no preset 'swiss'"),
        (("options",), {"hand_size": "7", "match_end": "rounds"}, "must be those that differ from the preset"),
        (("options",), {"hand_size": "99"}, "hand_size must be"),
        (("options",), {"luck": "1"}, "There is no option 'luck'"),
        (("bots",), ["alone"], "for 2 to 10 players, not 1"),
    ],
)
def test_rules_that_cannot_be_are_found_in_the_header(
    game: Game, path: tuple[str, ...], to: object, problem: str
) -> None:
    lines = split(game.record(revealed=True))
    lines[0] = dumped(with_leaf(json.loads(lines[0]), ("header", *path), to))
    found = verify(chained_again(lines))
    assert found.line == 1
    assert problem in str(found.problem)


def test_other_rules_than_those_played_by_are_found(game: Game) -> None:
    lines = split(game.record(revealed=True))
    lines[0] = dumped(with_leaf(json.loads(lines[0]), ("header", "preset"), "danish"))
    assert not verify(chained_again(lines)).ok


def test_the_other_order_of_draws_is_found_once_revealed(game: Game) -> None:
    lines = split(game.record(revealed=True))
    lines[0] = dumped(with_leaf(json.loads(lines[0]), ("header", "draws"), "per_seat"))
    found = verify(chained_again(lines))
    assert not found.ok
    assert "cards_drawn" in str(found.problem)


def test_a_match_broken_off_is_right_and_not_complete(game: Game) -> None:
    turns = [at for at, line in enumerate(split(game.record(revealed=False))) if b'"turn_started"' in line]
    writer = RecordWriter(game.rules, ["a", "b", "c", "d"], draws="pile", reactions="open")
    writer.add(1, game.events[: turns[7]])
    writer.close()
    found = verify(writer.to_bytes())
    assert (found.ok, found.complete, found.rounds) == (True, False, 1)


def test_a_record_cut_off_is_not_right(game: Game) -> None:
    lines = split(game.record(revealed=False))
    assert verify(b"".join(line + b"\n" for line in lines[:-1])).line == len(lines)
    found = verify(b"".join(line + b"\n" for line in lines[:-1]))
    assert found.problem == "the record ends without its closing line."
    assert found.record_hash is None


def test_a_game_that_stops_within_an_action_is_found_at_the_end(game: Game) -> None:
    writer = RecordWriter(game.rules, ["a", "b", "c", "d"], draws="pile", reactions="open")
    writer.add(1, game.events[:-1])
    writer.close()
    found = verify(writer.to_bytes())
    assert found.line == len(game.events) + 1
    assert "the events end where match_ended must follow" in str(found.problem)


@pytest.mark.parametrize("claim", [True, False])
def test_a_wrong_claim_of_completeness_is_found(game: Game, claim: bool) -> None:
    writer = RecordWriter(game.rules, ["a", "b", "c", "d"], draws="pile", reactions="open")
    last = (
        len(game.events)
        if not claim
        else next(at for at, line in enumerate(split(game.record(revealed=False))) if b'"turn_started"' in line)
    )
    writer.add(1, game.events[:last])
    writer.close()
    lines = split(writer.to_bytes())
    lines[-1] = dumped(with_leaf(json.loads(lines[-1]), ("closing", "complete"), claim))
    found = verify(chained_again(lines))
    assert found.line == len(lines)
    assert "played to its end" in str(found.problem)


def test_an_empty_file_is_not_right() -> None:
    found = verify(b"")
    assert (found.line, found.problem) == (1, "the record is empty.")


@given(st.binary(max_size=300))
def test_no_bytes_are_too_strange(data: bytes) -> None:
    assert not verify(data).ok


@pytest.mark.slow
@settings(max_examples=200)
@given(SEEDS, LOTS)
def test_no_forgery_is_too_strange(seed: int, lot: random.Random) -> None:
    lines = split(any_game(seed, rounds=1).record(revealed=lot.random() < 0.5))
    for _ in range(3):
        at = lot.randrange(len(lines))
        value = json.loads(lines[at])
        path, leaf = lot.choice([place for place in leaves(value) if place[0][0] != "previous"])
        odd = lot.choice((0, 9, 4294967295, -1, leaf, [], "", None, "CARD_WILD", "COLOR_UNSPECIFIED", True))
        lines[at] = dumped(with_leaf(value, path, odd))
    found = verify(chained_again(lines))
    assert found.ok == (found.problem is None)
