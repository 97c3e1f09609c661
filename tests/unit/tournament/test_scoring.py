import math
from fractions import Fraction

import pytest

from lastcard.rules.ruleset import ruleset
from lastcard.tournament.rulings import DEFAULT_RULINGS, Fault, Outcome, Policy, Ruling
from lastcard.tournament.scoring import Score, Scoring, loss_points_of, scores, win_shares

CHARGED = Outcome((1, 1, 3, 4), (50, 50, -20, 0), (False, False, False, True), (0, 10, 20, 300))


@pytest.mark.parametrize(
    ("score", "expected"),
    [
        ("wins", [Fraction(1, 2), Fraction(2, 5), Fraction(-1, 5), Fraction(-3)]),
        ("points", [50, 50, -20, 0]),
        ("places", [1, Fraction(13, 10), Fraction(18, 5), 13]),
    ],
)
def test_a_hundred_penalty_points_are_a_win_or_all_places(score: Score, expected: list[Fraction]) -> None:
    assert list(scores(CHARGED, score)) == expected


def test_scores_without_charges_are_those_of_the_table() -> None:
    assert scores(CHARGED, "wins", charged=False) == win_shares(CHARGED) == (Fraction(1, 2), Fraction(1, 2), 0, 0)
    assert scores(CHARGED, "places", charged=False) == (1, 1, 3, 4)


def test_penalties_open_the_range_of_scores() -> None:
    rulings = dict(DEFAULT_RULINGS) | {Fault.CRASH: Policy(Ruling.PENALTY, 1)}
    for fewest, points in ((False, (-math.inf, math.inf)), (True, (0, math.inf))):
        closed, open_ended = Scoring(fewest_points_win=fewest), Scoring(fewest_points_win=fewest, rulings=rulings)
        assert [closed.bounds(4, score) for score in ("wins", "points", "places")] == [(0, 1), (0, math.inf), (1, 4)]  # type: ignore[arg-type]
        assert open_ended.bounds(4) == (-math.inf, 1)
        assert open_ended.bounds(4, "points") == points
        assert open_ended.bounds(4, "places") == (1, math.inf)


def test_a_set_has_a_game_for_each_rotation_or_each_order() -> None:
    assert [Scoring().games_of(size) for size in (2, 3, 4)] == [2, 3, 4]
    assert [Scoring(all_orders=True).games_of(size) for size in (2, 3, 4)] == [2, 6, 24]


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({"match_end": "single_round"}, 7 * 50),
        ({"match_end": "rounds", "match_rounds": 4}, 4 * 7 * 50),
        ({"match_end": "target", "target_points": 200}, 200 + 7 * 50),
        ({"match_end": "target+rounds", "target_points": 200, "match_rounds": 1}, 7 * 50),
        ({"match_end": "time", "match_time_s": 60}, 7 * 50),
        ({"match_end": "single_round", "hand_size": 5}, 5 * 50),
        ({"match_end": "single_round", "scoring": "winner_takes_sum"}, 0),
    ],
)
def test_a_loss_costs_a_match_of_the_worst_hands_where_few_points_are_good(
    options: dict[str, object], expected: int
) -> None:
    rules = ruleset("official", {"scoring": "each_keeps_own", **options})
    assert loss_points_of(rules) == expected
