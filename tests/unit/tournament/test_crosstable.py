from fractions import Fraction

import numpy as np
import pytest

from lastcard.tournament.crosstable import crosstable
from lastcard.tournament.judging import judge
from lastcard.tournament.scoring import Scoring
from ledger_rows import played_row, random_rows


def test_a_cell_is_the_mean_over_sets_of_games_finished_ahead() -> None:
    rows = [
        played_row(1, 1, 0, {"a": 1, "b": 2, "c": 2}),
        played_row(2, 1, 1, {"b": 2, "c": 2, "a": 1}),
        played_row(3, 1, 2, {"c": 1, "a": 2, "b": 2}),
        played_row(4, 2, 0, {"a": 3, "b": 2, "c": 1}),
        played_row(5, 2, 1, {"b": 3, "c": 2, "a": 1}),
        played_row(6, 2, 2, {"c": 1, "a": 2, "b": 3}),
    ]
    cells = crosstable(judge(rows, Scoring()), ("a", "b", "c", "d"))
    assert list(cells) == [("a", "b"), ("a", "c"), ("b", "a"), ("b", "c"), ("c", "a"), ("c", "b")]
    # In set 1 a is ahead of b twice and level once, in set 2 ahead twice and behind once.
    ahead, sets, games = cells["a", "b"]
    assert (ahead.mean, sets, games) == ((Fraction(5, 6) + Fraction(2, 3)) / 2, 2, 6)
    back = cells["b", "a"].ahead
    assert back.mean == 1 - ahead.mean  # type: ignore[operator]
    assert ahead.interval is not None
    assert back.interval == pytest.approx((1 - ahead.interval[1], 1 - ahead.interval[0]))
    assert cells["b", "c"].ahead.mean == (Fraction(1, 3) * Fraction(1, 2) * 2 + 0) / 2


def test_a_set_that_is_not_complete_is_in_no_cell() -> None:
    rows = random_rows(["abcd"], 3, dict.fromkeys("abcd", 0.0), np.random.default_rng(1))
    whole = crosstable(judge(rows[:8], Scoring()), "abcd")
    assert crosstable(judge(rows[:11], Scoring()), "abcd") == whole
    assert whole["a", "d"].sets == 2


def test_the_intervals_hold_what_is_true_about_as_often_as_they_say() -> None:
    rng = np.random.default_rng(2)
    strengths = {"a": 0.4, "b": 0.0, "c": 0.0, "d": -0.4}
    # a is ahead when it wins, and level when neither does.
    weights = {bot: np.exp(strength) for bot, strength in strengths.items()}
    chances = {bot: weight / sum(weights.values()) for bot, weight in weights.items()}
    truth = chances["a"] + (1 - chances["a"] - chances["d"]) / 2
    held = 0
    for _ in range(200):
        made = crosstable(judge(random_rows(["abcd"], 10, strengths, rng), Scoring()), "abcd")["a", "d"].ahead
        assert made.interval is not None
        held += made.interval[0] <= truth <= made.interval[1]
    assert 0.9 <= held / 200 <= 0.99
