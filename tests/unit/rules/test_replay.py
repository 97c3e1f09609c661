"""The replay: actions that events stand for, lots and times that no event tells, what is said of a difference."""

import random

import pytest

from lastcard.rules import events as ev
from lastcard.rules.apply import apply
from lastcard.rules.cards import FACES
from lastcard.rules.deal import start_round
from lastcard.rules.difference import difference
from lastcard.rules.events import DrawCause, Event
from lastcard.rules.legality import legal_actions
from lastcard.rules.notation import move_text
from lastcard.rules.replay import Mismatch, Replay, move_of
from lastcard.rules.ruleset import Ruleset, ruleset
from lastcard.rules.score import note_time_up
from lastcard.rules.shuffle import SeededChance
from lastcard.rules.state import Phase, State, new_match

SALT = bytes(32)
BY_TIME = ruleset("official", {"match_end": "time", "scoring": "round_wins", "hand_size": 3})


def seed_of(number: int, round_number: int) -> bytes:
    return bytes([number, round_number]) * 16


def play_round(state: State, lot: random.Random, number: int, *, time_up: bool = False) -> list[Event]:
    """A round played at random, in which the agreed time may run out."""
    events = start_round(state, SeededChance(seed_of(number, state.round + 1), SALT))
    if time_up:
        events += note_time_up(state)
    while state.round_on():
        events += apply(state, state.turn, lot.choice(legal_actions(state, state.turn)))
    return events


def replayed(rules: Ruleset, players: int, events: list[Event], number: int | None) -> Mismatch | None:
    """The replay, with the seeds of `number` or as recorded."""

    def chance_of(_: State, round_number: int) -> SeededChance | None:
        return None if number is None else SeededChance(seed_of(number, round_number), SALT)

    return Replay(new_match(rules, players), events, "pile", chance_of).run()


def match_by_time(number: int, up: tuple[int, bool]) -> tuple[State, list[Event]]:
    """A match of three seats whose time is over in or after round `up[0]`."""
    state, lot, events = new_match(BY_TIME, 3), random.Random(number), []
    while state.phase != Phase.MATCH_OVER:
        here = state.round + 1 == up[0]
        events += play_round(state, lot, number, time_up=here and not up[1])
        if here and up[1]:
            events += note_time_up(state)
    return state, events


@pytest.mark.parametrize("between_rounds", [False, True])
@pytest.mark.parametrize("up_in", [1, 2, 3])
@pytest.mark.parametrize("number", range(6))
def test_C84_a_match_that_ends_by_time_is_replayed_though_no_event_tells_the_time(
    number: int, up_in: int, between_rounds: bool
) -> None:
    _, events = match_by_time(number, (up_in, between_rounds))
    assert replayed(BY_TIME, 3, events, number) is None
    assert replayed(BY_TIME, 3, events, None) is None


def test_C85_some_of_these_matches_have_an_extra_round_that_not_all_play() -> None:
    matches = [match_by_time(number, (2, between)) for number in range(6) for between in (False, True)]
    assert any(any(state.benched) for state, _ in matches)
    assert any(not any(state.benched) for state, _ in matches)


def test_a_match_that_ends_by_time_too_early_is_not_what_the_rules_give() -> None:
    rules = ruleset("official", {"match_end": "target", "hand_size": 3})
    state = new_match(rules, 2)
    events = play_round(state, random.Random(1), 1)
    mismatch = replayed(rules, 2, [*events, ev.MatchEnded(ev.MatchCause.TIME, (1, 2), state.totals)], 1)
    assert mismatch == (len(events), "match_ended follows from nothing that came before it.")


@pytest.mark.parametrize("preset", ["official", "danish", "german"])
@pytest.mark.parametrize("number", range(8))
def test_a_first_player_drawn_by_lot_is_found_out_before_the_reveal(number: int, preset: str) -> None:
    rules = ruleset(preset, {"first_player": "random", "hand_size": 3})
    events = play_round(new_match(rules, 5), random.Random(number), number)
    assert replayed(rules, 5, events, None) is None


def a_game(number: int = 1) -> tuple[Ruleset, list[Event]]:
    rules = ruleset("official", {"hand_size": 3, "match_end": "single_round"})
    return rules, play_round(new_match(rules, 2), random.Random(number), number)


def first(events: list[Event], kind: type) -> int:
    return next(index for index, event in enumerate(events) if type(event) is kind)


def test_a_card_that_is_not_left_cannot_have_been_drawn_even_before_the_reveal() -> None:
    rules, events = a_game()
    at = first(events, ev.CardsDrawn)
    zeros = tuple(face for _, cards in events[0].hands for face in cards)
    only_one = next(face for face in zeros if face & 15 == 0 or zeros.count(face) == 2)
    events[at] = events[at]._replace(cards=(only_one,) * events[at].count)
    mismatch = replayed(rules, 2, events, None)
    assert mismatch is not None
    assert mismatch.at == at
    assert mismatch.sentence.startswith("cards_drawn.cards is ")


def test_a_hand_that_the_deck_does_not_hold_cannot_have_been_dealt() -> None:
    rules, events = a_game()
    red_zero = FACES["R0"]
    events[0] = events[0]._replace(hands=((0, (red_zero,) * 3), (1, events[0].hands[1][1])))
    mismatch = replayed(rules, 2, events, None)
    assert mismatch is not None
    assert mismatch.at == 0
    assert mismatch.sentence.startswith("round_started.hands of seat 0 are R0 R0 R0, ")


def test_a_play_that_is_not_legal_is_named_with_its_reason() -> None:
    rules, events = a_game()
    at = first(events, ev.CardPlayed)
    other = 1 - events[at].seat
    events[at] = events[at]._replace(seat=other)
    mismatch = replayed(rules, 2, events, 1)
    assert mismatch is not None
    assert mismatch.at == at
    assert f"{move_text(*move_of(events[at]))!r} is refused (NOT_YOUR_TURN): seat {other} is not" in mismatch.sentence


def test_an_event_of_another_type_with_the_same_values_is_another_event() -> None:
    rules, events = a_game()
    at = first(events, ev.TurnStarted)
    events[at] = ev.TimedOut(*events[at])
    mismatch = replayed(rules, 2, events, 1)
    assert mismatch == (at, "after the deal the rules give turn_started, the record has timed_out.")


def test_a_rebuilt_pile_belongs_to_the_draw_behind_it() -> None:
    rules, events = a_game()
    at = first(events, ev.CardsDrawn)
    events.insert(at, ev.PileRebuilt(50))
    mismatch = replayed(rules, 2, events, 1)
    assert mismatch is not None
    assert mismatch.at == at
    assert mismatch.sentence.endswith("the rules give cards_drawn, the record has pile_rebuilt.")


def test_a_round_does_not_start_within_another() -> None:
    rules, events = a_game()
    mismatch = replayed(rules, 2, [*events[:5], *events], 1)
    assert mismatch is not None
    assert (mismatch.at, mismatch.sentence.partition(":")[0]) == (5, "no round can start here")


R5, R7, G2 = FACES["R5"], FACES["R7"], FACES["G2"]


@pytest.mark.parametrize(
    ("recorded", "given", "sentence"),
    [
        (ev.CardKept(1), ev.SeatSkipped(1), "after '0 keep' the rules give seat_skipped, the record has card_kept."),
        (ev.CardKept(1), ev.CardKept(0), "card_kept.seat is 1, the rules give 0."),
        (
            ev.CardsDrawn(0, 2, DrawCause.TURN, (R5, G2)),
            ev.CardsDrawn(0, 1, DrawCause.PENALTY, (R5,)),
            "cards_drawn.count is 2, the rules give 1.",
        ),
        (
            ev.CardsDrawn(0, 1, DrawCause.TURN, ()),
            ev.CardsDrawn(0, 1, DrawCause.TURN, (R5,)),
            "cards_drawn.cards is empty, the rules give R5.",
        ),
        (
            ev.StartCardTurned(R5, False),
            ev.StartCardTurned(G2, False),
            "start_card_turned.card is R5, the rules give G2.",
        ),
        (
            ev.StartCardTurned(R5, False),
            ev.StartCardTurned(R5, True),
            "start_card_turned.put_back is false, the rules give true.",
        ),
        (
            ev.CardPlayed(0, R7, 1, None, False, False, 3, 1, 0),
            ev.CardPlayed(0, R7, 3, 2, False, False, 3, 1, 0),
            "card_played.color is R, the rules give G.",
        ),
        (
            ev.CardPlayed(0, R7, 1, None, False, False, 3, 1, 0),
            ev.CardPlayed(0, R7, 1, 2, False, False, 3, 1, 0),
            "card_played.target is absent, the rules give 2.",
        ),
        (
            ev.RoundStarted(1, 0, b"\1\2", (1, 1), ((0, (R5,)), (1, (R7,)))),
            ev.RoundStarted(1, 0, b"\1\3", (1, 1), ((0, (R5,)), (1, (R7,)))),
            "round_started.commitment is 0102, the rules give 0103.",
        ),
        (
            ev.RoundStarted(1, 0, b"", (1, 1), ((0, (R5,)),)),
            ev.RoundStarted(1, 0, b"", (1, 1), ((0, (R5,)), (1, (R7,)))),
            "round_started.hands of seat 1 are absent, the rules give R7.",
        ),
        (
            ev.RoundStarted(1, 0, b"", (1, 1), ((1, (R7,)), (0, (R5,)))),
            ev.RoundStarted(1, 0, b"", (1, 1), ((0, (R5,)), (1, (R7,)))),
            "round_started.hands are not written in the order of the seats, each once.",
        ),
        (
            ev.MatchEnded(1, (1, 2), (500, 3)),
            ev.MatchEnded(1, (2, 1), (500, 3)),
            "match_ended.places is 1 2, the rules give 2 1.",
        ),
    ],
)
def test_difference_says_what_stands_there_and_what_the_rules_give(
    recorded: Event, given: Event, sentence: str
) -> None:
    assert difference(recorded, given, "'0 keep'") == sentence
