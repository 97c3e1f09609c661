"""What a game counts: by the share of the win, by points or by places, after the rulings.

Here: the kinds of score, and an outcome's worth by seat. Not here: means of sets (`judging`), figures (`statistics`).
May import the standard library, `lastcard.rules` and `rulings`.
"""

import math
from fractions import Fraction
from functools import lru_cache
from typing import Literal, NamedTuple, get_args

from lastcard.rules.ruleset import Ruleset
from lastcard.tournament.rulings import DEFAULT_RULINGS, Outcome, Ruling, Rulings

Score = Literal["wins", "points", "places"]
SCORES: tuple[str, ...] = get_args(Score)
"""What a game counts: the share of the win, the points of the match, or the place."""

_WHOLE = 100
"""A penalty of so many points costs a whole win, or all places from the first to the last."""


class Scoring(NamedTuple):
    """How games are scored and what a set is; `fewest_points_win` as the rules say.

    Where it is so, a game lost by a ruling costs at least `loss_points` (`loss_points_of`). With `all_orders` a set is
    one deal in every order of the seats, otherwise in every rotation.
    """

    score: Score = "wins"
    fewest_points_win: bool = False
    rulings: Rulings = DEFAULT_RULINGS
    all_orders: bool = False
    loss_points: int = 0

    @property
    def least_is_best(self) -> bool:
        """Whether the ranking begins with the smallest mean score."""
        return self.score == "places" or (self.score == "points" and self.fewest_points_win)

    @property
    def charges(self) -> bool:
        """Whether faults may cost points, so that the score of a game is not only how it came out."""
        return any(policy.ruling is Ruling.PENALTY for policy in self.rulings.values())

    def bounds(self, size: int, score: Score | None = None) -> tuple[float, float]:
        """The least and the most that a bot can get for a game at a table of `size`; penalties have no bound."""
        open_ended = self.charges
        score = score or self.score
        if score == "wins":
            return (-math.inf if open_ended else 0), 1
        if score == "places":
            return 1, (math.inf if open_ended else size)
        return (-math.inf if open_ended and not self.fewest_points_win else 0), math.inf

    def games_of(self, size: int) -> int:
        """How many games a set has at a table of `size`."""
        return math.factorial(size) if self.all_orders else size


def loss_points_of(rules: Ruleset) -> int:
    """What a game lost by a ruling costs at least, where few points are good: a match with the worst hand every time.

    The hand is the worst that can be dealt. Otherwise a bot would do best by leaving with few points, before it gets
    more; where many points are good it loses those that it has.
    """
    if rules.scoring != "each_keeps_own":
        return 0
    hand = rules.hand_size * max(rules.points(face) for face in rules.deck())
    costs = {
        "single_round": hand,
        "rounds": rules.match_rounds * hand,
        "target": rules.target_points + hand,
    }
    return min((costs[condition] for condition in rules.match_end.split("+") if condition in costs), default=hand)


def win_shares(result: Outcome) -> tuple[Fraction, ...]:
    """Each seat's share of the win: 1 divided among the seats in first place, but nothing for a loss by ruling."""
    winners = [seat for seat, place in enumerate(result.places) if place == 1 and not result.lost[seat]]
    return tuple(Fraction(int(seat in winners), len(winners) or 1) for seat in range(len(result.places)))


@lru_cache(maxsize=4096)  # few outcomes are different
def scores(result: Outcome, score: Score, *, charged: bool = True) -> tuple[Fraction, ...]:
    """What each seat gets for a game under a kind of score.

    A penalty is of points, and counts as such under `points`. Under `wins` 100 points are a win, and under `places` the
    way from the first place to the last, unless the seats are not to be `charged`.
    """
    if score == "points":
        return tuple(Fraction(value) for value in result.points)
    charges = [Fraction(points if charged else 0, _WHOLE) for points in result.penalties]
    if score == "wins":
        return tuple(share - charge for share, charge in zip(win_shares(result), charges, strict=True))
    way = len(result.places) - 1
    return tuple(place + charge * way for place, charge in zip(result.places, charges, strict=True))
