"""Rounds and matches: dealing, the reset between rounds, ends of a match and places."""

import pytest

from lastcard.rules.actions import LeaveCause, leave
from lastcard.rules.apply import apply
from lastcard.rules.cards import NO_COLOR, TEXT, classic_deck
from lastcard.rules.deal import start_round
from lastcard.rules.events import CardPlayed, MatchCause, MatchEnded, RoundCause, RoundEnded, RoundStarted
from lastcard.rules.legality import legal_actions
from lastcard.rules.ruleset import ruleset
from lastcard.rules.score import end_round, note_time_up
from lastcard.rules.shuffle import KEY_BYTES, SeededChance, round_seed
from lastcard.rules.state import Phase, State, new_match


def chance(number: int, draws: str = "pile") -> SeededChance:
    return SeededChance(round_seed(b"k" * KEY_BYTES, number), b"s" * KEY_BYTES, draws)


def match_of(players: int, preset: str = "official", **options: object) -> State:
    return new_match(ruleset(preset, options), players)


def finish(state: State, cause: RoundCause, winner: int | None, hands: list[str]) -> list[object]:
    """Ends the running round with the given hands, in the notation, left over."""
    ids = {text: [i for i, face in enumerate(state.faces) if TEXT[face] == text] for text in TEXT.values()}
    state.hands = [bytearray(sorted(ids[card].pop() for card in hand.split())) for hand in hands]
    events: list[object] = []
    end_round(state, cause, winner, events)
    return events


def play_round(state: State, number: int, pick: int) -> list[object]:
    """Plays a round by fixed, simple choices and returns its events."""
    events: list[object] = list(start_round(state, chance(number)))
    while state.round_on():
        actions = legal_actions(state, state.turn)
        events += apply(state, state.turn, actions[pick % len(actions)])
    return events


@pytest.mark.parametrize("draws", ["pile", "per_seat"])
def test_A51_deals_do_not_depend_on_how_earlier_rounds_were_played(draws: str) -> None:
    openings = []
    for pick in (0, 1):
        state = match_of(4, first_dealer="seat0", dealer_rotation="fixed", target_points=100_000)
        rounds = []
        for number in range(1, 6):
            opening = start_round(state, chance(number, draws))
            rounds.append((opening[0], opening[1]))
            while state.round_on():
                actions = legal_actions(state, state.turn)
                apply(state, state.turn, actions[pick % len(actions)])
        openings.append(rounds)

    assert openings[0] == openings[1]
    hands = [opening[0].hands for opening in openings[0]]
    assert len(set(hands)) == len(hands)


def test_A52_C28_a_new_round_forgets_the_old_one() -> None:
    state = match_of(3, target_points=100_000)
    start_round(state, chance(1))
    state.direction = -1
    state.pending = 4
    state.liable = state.called = 1
    state.known = {0: {1: [16]}}
    finish(state, RoundCause.OUT, 0, ["", "R5", "W"])
    start_round(state, chance(2))

    assert state.direction == (-1 if TEXT[state.top_face()].endswith("V") else 1)
    assert (state.liable, state.called, state.known, state.early_call) == (0, 0, {}, -1)
    assert state.color == state.top_face() >> 4 or state.phase == Phase.COLOR
    assert state.pending == 0 or state.phase == Phase.PENALTY


@pytest.mark.parametrize(
    ("rotation", "winner", "expected"), [("clockwise", 2, 1), ("winner", 2, 2), ("fixed", 2, 0), ("winner", None, 0)]
)
def test_dealer_rotation(rotation: str, winner: int | None, expected: int) -> None:
    state = match_of(3, first_dealer="seat0", dealer_rotation=rotation, stalemate_result="void")
    start_round(state, chance(1))
    finish(state, RoundCause.OUT if winner is not None else RoundCause.BLOCKED, winner, ["R1", "R2", "R3"])
    opening = start_round(state, chance(2))[0]

    assert isinstance(opening, RoundStarted)
    assert opening.dealer == expected


def test_high_card_is_decided_by_numbers_and_the_same_for_everyone() -> None:
    dealers = {start_round(match_of(5), chance(number))[0].dealer for number in range(1, 40)}

    assert dealers == {0, 1, 2, 3, 4}


@pytest.mark.parametrize("draws", ["pile", "per_seat"])
@pytest.mark.parametrize("players", [2, 5, 10])
def test_every_deal_holds_the_deck_once(players: int, draws: str) -> None:
    state = match_of(players)
    opening = start_round(state, chance(3, draws))[0]
    cards = sorted([*state.discard, *state.pile.ids(), *(card for hand in state.hands for card in hand)])

    assert cards == list(range(108))
    assert tuple(state.faces[card] for card in cards) == classic_deck()
    assert opening.hand_counts == (7,) * players


def test_X21_target_ends_the_match_and_ranks_by_total() -> None:
    state = match_of(3)
    start_round(state, chance(1))
    state.totals = [480, 20, 300]
    events = finish(state, RoundCause.OUT, 0, ["", "W", "R5"])

    assert events[-1] == MatchEnded(MatchCause.TARGET, (1, 3, 2), (535, 20, 300))
    assert state.phase == Phase.MATCH_OVER


def test_X22_C83_low_score_match_is_won_by_the_lowest_total() -> None:
    state = match_of(3, "official_low")
    start_round(state, chance(1))
    state.totals = [480, 20, 300]
    events = finish(state, RoundCause.OUT, 2, ["W", "R5", ""])

    assert events[-1] == MatchEnded(MatchCause.TARGET, (3, 1, 2), (530, 25, 300))


def test_K15_the_first_of_several_conditions_ends_the_match() -> None:
    state = match_of(2, match_end="target+rounds", match_rounds=2, target_points=1000)
    start_round(state, chance(1))
    assert isinstance(finish(state, RoundCause.OUT, 0, ["", "R5"])[-1], RoundEnded)
    start_round(state, chance(2))

    assert finish(state, RoundCause.OUT, 0, ["", "R5"])[-1] == MatchEnded(MatchCause.ROUNDS, (1, 2), (10, 0))


def test_C84_time_ends_the_match_with_the_round_in_progress() -> None:
    state = match_of(2, match_end="time")
    start_round(state, chance(1))
    assert note_time_up(state) == []
    assert state.round_on()

    assert finish(state, RoundCause.OUT, 1, ["R5", ""])[-1] == MatchEnded(MatchCause.TIME, (2, 1), (0, 5))


def test_time_that_is_up_between_rounds_ends_the_match_at_once() -> None:
    state = match_of(2, match_end="time+target")
    start_round(state, chance(1))
    finish(state, RoundCause.OUT, 1, ["R5", ""])

    assert note_time_up(state) == [MatchEnded(MatchCause.TIME, (2, 1), (0, 5))]


def test_C85_level_leaders_play_one_extra_round_without_the_others() -> None:
    state = match_of(3, match_end="rounds", match_rounds=1)
    start_round(state, chance(1))
    state.totals = [5, 0, 5]
    finish(state, RoundCause.BLOCKED, None, ["R1", "R2", "R1"])
    assert state.phase == Phase.ROUND_OVER
    assert state.active_seats() == [0, 2]
    start_round(state, chance(2))
    events = finish(state, RoundCause.OUT, 2, ["R9", "", ""])

    assert events[-1] == MatchEnded(MatchCause.ROUNDS, (2, 3, 1), (5, 0, 14))


def test_C85_who_is_level_after_the_extra_round_shares_the_place() -> None:
    state = match_of(2, match_end="rounds", match_rounds=1)
    for number in (1, 2):
        start_round(state, chance(number))
        events = finish(state, RoundCause.BLOCKED, None, ["R1", "B1"])

    assert events[-1] == MatchEnded(MatchCause.ROUNDS, (1, 1), (0, 0))


@pytest.mark.parametrize("dealt", [False, True])
def test_C85_an_extra_round_that_nobody_else_can_play_ends_the_match_for_its_own_cause(dealt: bool) -> None:
    state = match_of(3, match_end="rounds", match_rounds=1)
    start_round(state, chance(1))
    state.totals = [5, 0, 5]
    finish(state, RoundCause.BLOCKED, None, ["R1", "R2", "R1"])
    if dealt:
        start_round(state, chance(2))
    ended = apply(state, 2, leave())[-1]

    assert (ended.cause, ended.places) == (MatchCause.ROUNDS, (1, 2, 3))


@pytest.mark.parametrize(
    ("tie", "places"), [("shared", (1, 1, 1)), ("fewest_points_left", (2, 1, 3)), ("round_wins", (1, 3, 1))]
)
def test_match_tie(tie: str, places: tuple[int, ...]) -> None:
    state = match_of(3, match_end="rounds", match_rounds=1, match_tie=tie)
    start_round(state, chance(1))
    state.totals = [5, 5, 0]
    state.rounds_won = [1, 0, 0]
    state.points_left = [3, 1, 9]
    events = finish(state, RoundCause.OUT, 2, ["R2", "R3", ""])

    assert events[-1].places == places


def test_K28_a_single_round_that_is_blocked_level_is_played_again() -> None:
    state = match_of(2, match_end="single_round")
    start_round(state, chance(1))
    finish(state, RoundCause.BLOCKED, None, ["R1", "B1"])
    assert state.phase == Phase.ROUND_OVER
    start_round(state, chance(2))

    assert finish(state, RoundCause.OUT, 0, ["", "R1"])[-1].places == (1, 2)


def test_a_single_round_won_against_worthless_cards_is_won() -> None:
    state = match_of(2, match_end="single_round")
    start_round(state, chance(1))

    assert finish(state, RoundCause.OUT, 1, ["R0", ""])[-1] == MatchEnded(MatchCause.SINGLE_ROUND, (2, 1), (0, 0))


def test_C77_leavers_rank_below_all_who_finished_and_later_ones_above_earlier() -> None:
    state = match_of(4, match_end="single_round")
    start_round(state, chance(1))
    apply(state, 3, leave())
    apply(state, 0, leave(LeaveCause.DISCONNECTED))
    events = finish(state, RoundCause.OUT, 2, ["", "R9", "", ""])

    assert events[-1].places == (3, 2, 1, 4)


def test_K25_leaving_between_rounds_is_allowed_and_costs_no_points() -> None:
    state = match_of(3)
    start_round(state, chance(1))
    finish(state, RoundCause.OUT, 1, ["R5", "", "B2"])
    events = apply(state, 1, leave())

    assert events[0].points == 0
    assert state.totals == [0, 7, 0]
    assert start_round(state, chance(2))[0].hand_counts == (7, 0, 7)


def test_K26_everybody_left_but_one_ends_round_and_match() -> None:
    state = match_of(2)
    start_round(state, chance(1))
    frozen = apply(state, 0, leave())
    ended = next(event for event in frozen if isinstance(event, RoundEnded))

    assert (ended.cause, ended.winner, ended.scores[1]) == (RoundCause.LEFT, 1, frozen[0].points)
    assert frozen[-1] == MatchEnded(MatchCause.LAST_SEAT, (2, 1), ended.totals)


@pytest.mark.parametrize(
    ("scoring", "scores"),
    [
        ("winner_takes_sum", (0, 75, 0)),
        ("each_keeps_own", (25, 0, 50)),
        ("round_wins", (0, 1, 0)),
        ("placement", (1, 2, 0)),
    ],
)
def test_X20_scoring(scoring: str, scores: tuple[int, ...]) -> None:
    state = match_of(3, scoring=scoring, target_points=10_000)
    start_round(state, chance(1))

    assert finish(state, RoundCause.OUT, 1, ["RS R5", "", "W4"])[0].scores == scores


def test_K30_a_deck_whose_start_cards_were_all_dealt_is_dealt_again() -> None:
    # Twenty wilds, which official puts back as W4, and three cards that may start: most deals leave none in the pile.
    counts = {"W4": 20, "R1": 1, "G2": 1, "B3": 1}
    rules = {"deck": "custom", "deck_counts": counts, "hand_size": 10, "max_players": 2}
    seen = set()
    for number in range(1, 30):
        state = match_of(2, **rules)
        start_round(state, chance(number))
        seen.add(TEXT[state.top_face()])

    assert seen <= {"R1", "G2", "B3"}
    assert len(seen) > 1


def test_a_round_is_not_started_while_one_is_on() -> None:
    state = match_of(2)
    start_round(state, chance(1))

    with pytest.raises(ValueError, match="between rounds"):
        start_round(state, chance(2))


def test_colour_is_none_only_after_a_wild_that_ended_the_round() -> None:
    for number in range(1, 60):
        state = match_of(2, match_end="single_round")
        events = play_round(state, number, 0)
        for event in events:
            if isinstance(event, CardPlayed) and event.color == NO_COLOR:
                assert event.hand_count == 0
