"""When a ranking is settled: a stop that may be asked for after every block, as often as one likes.

Here: the evidence for each two bots, and whether all of it is enough. Not here: when the question is put (`course`),
what one game can give at most (`reach`). May import the standard library, numpy, `judging` and `reach`.

For each ordered pair of bots there is a bet against "the first is not better than the second" (Waudby-Smith, Ramdas,
Estimating means of bounded random variables by betting, 2024). It begins with 1 and is multiplied, set by set, by
1 + b·d, where d is the first bot's score less the second's, as a share of the reach of scores, and b a stake below 1.
Were the first not better, the bet would not grow on the average, and the chance that it ever comes to w would be at
most 1/w (Ville's inequality), whenever one looks. Several stakes are played at once and their mean counts.

Where more bots play than sit at a table, not every set holds both. The ranking is by mean scores over all tables that a
bot sits at, so a set with one of the two counts too, against the mean of the table; and only whole rounds are looked
at, in which every table has played one set more. With a stake that stays the same a round of sets whose means differ
multiplies by no more than sets that all have the mean of these means, by the inequality of the arithmetic and geometric
means; so what is tested is exactly the order of the mean scores.

The ranking is settled when for every pair the bet on its order has come to max(2, n − 1) / (1 − confidence) at some
time. This is enough for n bots, though there are n·(n − 1) bets. For take the true order. If it has no ties, a wrong
ranking reverses some two bots that are neighbours in it; there are n − 1 bets on reversed neighbours, and their mean is
a bet too. If it has ties, a ranking, which has none, orders two bots that are tied, and the mean of the two bets on
these is a bet. In either case such a mean has come to 1 / (1 − confidence), which happens no more often than confidence
leaves room for (closed testing over orders: Shaffer 1986; Vovk, Wang, E-values, 2021). Bots that are equally good are
never parted but by such an error; the event then goes on to its last deal.
"""

import math
from collections import defaultdict
from collections.abc import Sequence
from itertools import combinations
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from lastcard.tournament.judging import Judged

Floats = NDArray[np.float64]

STAKES = (0.8, 0.4, 0.2, 0.1)
"""Shares of the reach of scores that are staked: the largest is best for large differences, the least for small."""


class Pair(NamedTuple):
    """The evidence for the order of two bots, as it now stands; it is enough at `Verdict.needed`."""

    ahead: str
    behind: str
    evidence: float


class Verdict(NamedTuple):
    """Whether the ranking is settled; evidence is given as the decimal logarithm of what the bets have come to.

    `rounds` are the whole rounds that were looked at, `ranking` the bots by their mean scores in these, best first.
    `note` says why nothing can be settled, where that is so.
    """

    settled: bool
    rounds: int
    ranking: tuple[str, ...]
    pairs: tuple[Pair, ...]
    needed: float
    note: str


def settled(judged: Judged, bots: Sequence[str], confidence: float, reach: float = 1.0) -> Verdict:
    """Whether the order of `bots` by their mean scores is settled with `confidence`, by all sets that count.

    `reach` is the most that a game can give under `points` (`reach.most_points`); wins and places have their own.
    """
    needed = math.log10(max(2, len(bots) - 1) / (1 - confidence))
    scores = _Scores(judged, bots, reach)
    if scores.note:
        return Verdict(False, scores.rounds, (), (), needed, scores.note)
    means = scores.means()
    best_first = sorted(range(len(bots)), key=lambda bot: -means[bot])
    pairs: list[Pair] = []
    done = True
    for one, other in combinations(best_first, 2):
        forth, back = scores.evidence(one, other)
        pairs.append(Pair(bots[one], bots[other], forth))
        done = done and forth >= needed > back
    return Verdict(done, scores.rounds, tuple(bots[bot] for bot in best_first), tuple(pairs), needed, "")


class _Scores:
    """Scores from 0 to 1, more being better, by composition, round and bot."""

    def __init__(self, judged: Judged, bots: Sequence[str], reach: float) -> None:
        number = {bot: place for place, bot in enumerate(bots)}
        by_composition: defaultdict[tuple[int, ...], defaultdict[int, list[float]]] = defaultdict(
            lambda: defaultdict(list)
        )
        for each in judged.sets.values():
            composition = tuple(sorted(number[bot] for bot in each.bots if bot in number))
            scores = by_composition[composition]
            least, most = _range(judged, len(each.bots), reach)
            for name, mean in each.means(judged.scoring.score).items():
                if name in number:
                    share = (float(mean) - least) / (most - least)
                    if judged.scoring.score == "points":
                        share = min(share, 1.0)  # see reach.py
                    scores[number[name]].append(1 - share if judged.scoring.least_is_best else share)
        self._compositions = [members for members in sorted(by_composition) if members]
        self.rounds = min(
            (len(by_composition[members][bot]) for members in self._compositions for bot in members), default=0
        )
        self._scores = np.zeros((len(bots), len(self._compositions), self.rounds))
        self._plays = np.zeros((len(bots), len(self._compositions)), dtype=bool)
        self._par = np.array([_par(judged, len(members)) for members in self._compositions])
        for column, members in enumerate(self._compositions):
            for bot in members:
                self._scores[bot, column] = by_composition[members][bot][: self.rounds]
                self._plays[bot, column] = True
        self.note = self._why_not(bots)

    def _why_not(self, bots: Sequence[str]) -> str:
        idle = [bot for bot, plays in zip(bots, self._plays, strict=True) if not plays.any()]
        if len(bots) < 2:
            return "there are no two bots to compare"
        if idle:
            return f"{', '.join(idle)} sat at no table of which a set is complete"
        if not self.rounds:
            return "not every table has played a set that counts"
        if self._scores.min() < 0 or self._scores.max() > 1:
            return "penalties have taken scores out of the range that the rules give, and then no bet on them is fair"
        return ""

    def means(self) -> Floats:
        """Each bot's mean over its compositions and rounds."""
        means: Floats = self._scores.sum(axis=(1, 2)) / (self._plays.sum(axis=1) * self.rounds)
        return means

    def evidence(self, one: int, other: int) -> tuple[float, float]:
        """The most that the bets on `one` before `other`, and on `other` before `one`, ever came to after a round."""
        tables = self._plays.sum(axis=1)
        fewest = min(tables[one], tables[other])
        above = [self._plays[bot][:, None] * (self._scores[bot] - self._par[:, None]) for bot in (one, other)]
        differences = above[0] * (fewest / tables[one]) - above[1] * (fewest / tables[other])
        return _most(differences), _most(-differences)


def _par(judged: Judged, size: int) -> float:
    """About the mean score at a table; any number would do, but the bets grow fastest with what is usual."""
    if judged.scoring.score == "wins":
        return 1 / size
    if judged.scoring.score == "places":
        return 0.5
    return float(judged.scoring.least_is_best)


def _most(differences: Floats) -> float:
    """The most that a bet ever came to, as a decimal logarithm; a column a round."""
    capital = np.stack([np.log1p(stake * differences).sum(axis=0).cumsum() for stake in STAKES])
    most = capital.max(axis=0)
    mixed = most + np.log(np.exp(capital - most).mean(axis=0))
    return max(0.0, float(mixed.max())) / math.log(10)


def _range(judged: Judged, size: int, reach: float) -> tuple[float, float]:
    """The least and the most score of a game at a table."""
    if judged.scoring.score == "places":
        return 1, size
    return 0, reach if judged.scoring.score == "points" else 1
