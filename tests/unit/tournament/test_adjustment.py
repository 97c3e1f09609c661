from dataclasses import replace

import numpy as np
import pytest

from lastcard.tournament.adjustment import PARTS, luck_adjusted
from lastcard.tournament.judging import judge
from lastcard.tournament.ledger import Row
from lastcard.tournament.scoring import Scoring
from ledger_rows import random_rows

STRENGTHS = {"a": 0.5, "b": 0.0}


def with_luck(sets: int, rng: np.random.Generator, effect: float) -> list[Row]:
    """Games of two in which who has the better cards wins more often; dealt luck evens out within a set."""
    rows: list[Row] = []
    for row in random_rows(["ab"], sets, STRENGTHS, rng):
        dealt = 3.0 if row.rotation == 0 else -3.0
        drawn = rng.normal(0, 2, 2)
        edge = effect * (drawn[0] - drawn[1]) + STRENGTHS[row.seats[0]] - STRENGTHS[row.seats[1]]
        first = bool(rng.random() < 1 / (1 + np.exp(-edge)))
        luck = ((dealt, float(drawn[0])), (-dealt, float(drawn[1])))
        rows.append(replace(row, places=(1, 2) if first else (2, 1), luck=luck))
    return rows


def test_luck_that_decides_games_is_taken_out() -> None:
    first, second = luck_adjusted(judge(with_luck(300, np.random.default_rng(1), 0.5), Scoring()), "ab")
    assert first.mean is not None
    assert second.mean is not None
    assert first.variance_ratio is not None
    assert first.interval is not None
    assert first.variance_ratio < 0.8
    assert first.mean + second.mean == pytest.approx(1)
    assert first.interval[0] < first.mean < first.interval[1]


@pytest.mark.slow
def test_the_adjusted_mean_is_unbiased_however_few_sets_there_are() -> None:
    rng = np.random.default_rng(2)
    differences = []
    held = total = 0
    truth = float(np.mean(_win_shares(with_luck(10_000, rng, 0.5))))
    for _ in range(100):
        judged = judge(with_luck(30, rng, 0.5), Scoring())
        made = luck_adjusted(judged, "ab")[0]
        assert made.mean is not None
        assert made.interval is not None
        differences.append(made.mean - truth)
        total += 1
        held += made.interval[0] <= truth <= made.interval[1]
    error = np.std(differences, ddof=1) / np.sqrt(len(differences))
    assert abs(np.mean(differences)) < 4 * error
    assert held / total >= 0.88


def _win_shares(rows: list[Row]) -> list[float]:
    return [float(row.places[row.seats.index("a")] == 1) for row in rows]


def test_luck_that_decides_nothing_changes_little_and_says_so() -> None:
    made = luck_adjusted(judge(with_luck(300, np.random.default_rng(3), 0.0), Scoring()), "ab")[0]
    assert made.variance_ratio == pytest.approx(1, abs=0.05)


def test_the_luck_of_a_part_does_not_choose_its_own_multiple() -> None:
    rows = [
        row if row.set % PARTS == 1 else replace(row, luck=((0.0, 0.0), (0.0, 0.0)))
        for row in with_luck(40, np.random.default_rng(4), 0.5)
    ]
    made = luck_adjusted(judge(rows, Scoring()), "ab")[0]
    # All luck is in one part, and the other parts know of none.
    assert made.mean == pytest.approx(float(np.mean(_win_shares(rows))))
    assert made.variance_ratio == 1


def test_without_luck_in_the_rows_there_is_no_adjustment_but_a_reason() -> None:
    rows = random_rows(["ab"], 35, STRENGTHS, np.random.default_rng(5))
    made = luck_adjusted(judge(rows, Scoring()), "ab")
    assert {(each.mean, each.note) for each in made} == {(None, "the ledger does not tell the luck of its games")}
    made = luck_adjusted(judge(rows[:10], Scoring()), "ab")
    assert made[0].note == "an adjustment for luck needs at least 30 complete sets, not 5"
