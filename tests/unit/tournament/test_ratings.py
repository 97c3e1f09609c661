from itertools import combinations

import choix
import numpy as np
import pytest

from lastcard.tournament.judging import judge
from lastcard.tournament.ratings import MEAN, SCALE, Ratings, rating_course, ratings
from lastcard.tournament.scoring import Scoring
from ledger_rows import played_row, random_rows

STRENGTHS = {"a": 0.5, "b": 0.1, "c": 0.0, "d": -0.6}


def relative(made: Ratings) -> np.ndarray:
    """The logarithms of the strengths of all bots, which are rated, with mean 0."""
    values = np.array([each.rating for each in made.ratings], dtype=float) / SCALE
    return values - values.mean()


def test_winners_are_rated_as_choix_rates_them() -> None:
    rows = random_rows(["abcd"], 60, STRENGTHS, np.random.default_rng(1))
    made = ratings(judge(rows, Scoring()), "abcd")
    assert (made.basis, made.sets) == ("winner", 60)
    choices = []
    for row in rows:
        winner = row.places.index(1)
        losers = tuple("abcd".index(bot) for seat, bot in enumerate(row.seats) if seat != winner)
        choices.append(("abcd".index(row.seats[winner]), losers))
    assert relative(made) == pytest.approx(choix.opt_top1(4, choices, alpha=0, tol=1e-12), abs=1e-6)


def test_whole_orders_are_rated_as_choix_rates_them() -> None:
    rows = random_rows(list(combinations("abcd", 3)), 15, STRENGTHS, np.random.default_rng(2), orders=True)
    made = ratings(judge(rows, Scoring()), "abcd")
    assert made.basis == "order"
    orders = [tuple("abcd".index(bot) for _, bot in sorted(zip(row.places, row.seats, strict=True))) for row in rows]
    assert relative(made) == pytest.approx(choix.opt_rankings(4, orders, alpha=0, tol=1e-12), abs=1e-6)


def test_a_shared_place_is_half_a_win_for_each() -> None:
    # a wins 4, shares 4, loses 2 of 10: 6 of 10 wins, so that the odds are 6 to 4.
    places = [(1, 2)] * 4 + [(1, 1)] * 4 + [(2, 1)] * 2
    rows = [
        played_row(number + 1, number // 2 + 1, number % 2, {"a": ours, "b": theirs})
        for number, (ours, theirs) in enumerate(places)
    ]
    first, second = ratings(judge(rows, Scoring()), "ab").ratings
    assert first.rating == pytest.approx(MEAN + 200 * np.log10(6 / 4))
    assert second.rating == pytest.approx(MEAN - 200 * np.log10(6 / 4))


def test_the_order_of_games_does_not_matter() -> None:
    rows = random_rows(["abcd"], 12, STRENGTHS, np.random.default_rng(3), orders=True)
    assert ratings(judge(rows[::-1], Scoring()), "abcd") == ratings(judge(rows, Scoring()), "abcd")
    renamed = ratings(judge(rows, Scoring()), "dcba").ratings
    assert [each.rating for each in renamed[::-1]] == pytest.approx(
        [each.rating for each in ratings(judge(rows, Scoring()), "abcd").ratings]
    )


def test_bots_that_did_equally_well_are_rated_equally() -> None:
    seats = [("a", "b", "c"), ("b", "c", "a"), ("c", "a", "b")]
    rows = [
        played_row(3 * set_ + rotation + 1, set_ + 1, rotation, dict(zip(bots, (1, 2, 3), strict=True)))
        for set_ in range(4)
        for rotation, bots in enumerate(seats)
    ]
    made = ratings(judge(rows, Scoring()), "abc")
    assert [each.rating for each in made.ratings] == pytest.approx([MEAN] * 3)
    assert {each.note for each in made.ratings} == {"an interval needs at least 2 complete sets that differ"}


def test_a_bot_that_always_or_never_wins_has_no_rating_but_a_reason() -> None:
    rng = np.random.default_rng(4)
    rows = random_rows(["abcd"], 20, {"a": 60.0, "b": 0.0, "c": 0.0, "d": 0.0}, rng, orders=True)
    made = {each.bot: each for each in ratings(judge(rows, Scoring()), "abcd").ratings}
    assert made["a"].rating is None
    assert made["a"].note.endswith("its rating has no most")
    assert all(made[bot].rating is not None for bot in "bcd")
    rows = random_rows(["abcd"], 20, {"a": -60.0, "b": 0.0, "c": 0.0, "d": 0.0}, rng)
    made = {each.bot: each for each in ratings(judge(rows, Scoring()), "abcd").ratings}
    assert made["a"].note.endswith("its rating has no least")
    assert sum(made[bot].rating for bot in "bcd") == pytest.approx(3 * MEAN, abs=30)  # type: ignore[misc]


def test_bots_that_no_games_connect_are_not_compared() -> None:
    rows = random_rows(["ab", "cd"], 20, dict.fromkeys("abcd", 0.0), np.random.default_rng(5))
    first, second, third, fourth = ratings(judge(rows, Scoring()), "abcd").ratings
    assert first.rating is not None
    assert second.rating is not None
    assert (third.rating, third.note) == (None, "no games compare it with a, b")
    assert fourth.interval is None


def test_without_games_nobody_is_rated() -> None:
    made = ratings(judge([], Scoring()), "ab")
    assert [(each.rating, each.note) for each in made.ratings] == [(None, "it met nobody in a set that counts")] * 2
    assert rating_course(judge([], Scoring()), "ab") == []


def test_one_win_each_and_nothing_else_has_no_bound() -> None:
    rows = [played_row(1, 1, 0, {"a": 1, "b": 2}), played_row(2, 1, 1, {"b": 2, "a": 1})]
    notes = {each.note for each in ratings(judge(rows, Scoring()), "ab").ratings}
    assert notes == {"no two bots have each finished ahead of the other, so that no rating has a bound"}


def test_the_course_ends_with_the_ratings() -> None:
    judged = judge(random_rows(["abcd"], 25, STRENGTHS, np.random.default_rng(6)), Scoring())
    course = rating_course(judged, "abcd")
    assert [(moment.sets, moment.games) for moment in course][::4] == [(3, 12), (13, 52), (23, 92)]
    assert len(course) == 10
    assert course[-1].ratings == ratings(judged, "abcd")


@pytest.mark.parametrize(
    ("bots", "size", "deals", "strengths"),
    [
        ("ab", 2, 12, (0.3, -0.3)),
        ("abcd", 4, 10, (0.4, 0.0, 0.0, -0.4)),
        ("abcd", 4, 30, (1.0, 1.0, 1.0, -2.0)),
        ("abcdef", 4, 1, (0.5, 0.3, 0.1, -0.1, -0.3, -0.5)),
    ],
)
def test_intervals_hold_the_truth_about_as_often_as_they_say(
    bots: str, size: int, deals: int, strengths: tuple[float, ...]
) -> None:
    rng = np.random.default_rng(7)
    compositions = list(combinations(bots, size))
    by_bot = dict(zip(bots, strengths, strict=True))
    held = total = 0
    for _ in range(60):
        for one in ratings(judge(random_rows(compositions, deals, by_bot, rng), Scoring()), bots).ratings:
            if one.rating is not None and one.interval is not None:
                total += 1
                # Where 1500 lies is part of the estimate; the weights of that mean are known well enough.
                held += (
                    one.interval[0] <= MEAN + SCALE * (by_bot[one.bot] - _mean(by_bot, compositions)) <= one.interval[1]
                )
    assert held / total >= 0.9


def _mean(strengths: dict[str, float], compositions: list[tuple[str, ...]]) -> float:
    """The mean of the strengths, each weighted by the variance of its wins."""
    weights = dict.fromkeys(strengths, 0.0)
    for composition in compositions:
        worth = {bot: float(np.exp(strengths[bot])) for bot in composition}
        for bot in composition:
            chance = worth[bot] / sum(worth.values())
            weights[bot] += chance * (1 - chance)
    return sum(weights[bot] * strengths[bot] for bot in strengths) / sum(weights.values())
