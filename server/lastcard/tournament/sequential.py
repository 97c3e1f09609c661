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

Of a set that is void for all but a bot at fault there is nothing to compare the fault's loss with, so that bets leave
it out. The mean score that is printed has it, and a ranking that is not the printed one is not settled.

The ranking is settled when for every pair the bet on its order has come to max(2, n − 1) / (1 − confidence) at some
time. This is enough for n bots, though there are n·(n − 1) bets. For take the true order. If it has no ties, a wrong
ranking reverses some two bots that are neighbours in it; there are n − 1 bets on reversed neighbours, and their mean is
a bet too. If it has ties, a ranking, which has none, orders two bots that are tied, and the mean of the two bets on
these is a bet. In either case such a mean has come to 1 / (1 − confidence), which happens no more often than confidence
leaves room for (closed testing over orders: Shaffer 1986; Vovk, Wang, E-values, 2021). Bots that are equally good are
never parted but by such an error; the event then goes on to its last deal.
"""

import math
from collections.abc import Sequence
from fractions import Fraction
from itertools import combinations, pairwise
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

    `rounds` are the whole rounds that were looked at, `since` the first after which the ranking was settled, if it is.
    `ranking` are the bots by their mean scores in these rounds, best first. `note` says why nothing can be settled,
    where that is so.
    """

    settled: bool
    rounds: int
    since: int | None
    ranking: tuple[str, ...]
    pairs: tuple[Pair, ...]
    needed: float
    confidence: float
    note: str


class Rounds(NamedTuple):
    """Scores from 0 to 1, more being better.

    `scores` are by bot, composition and round, and 0 where `plays`, by bot and composition, is false. `par` is about
    the mean score at each composition's table; any number would do, but the bets grow fastest with what is usual.
    """

    scores: Floats
    plays: NDArray[np.bool_]
    par: Floats


def settled(judged: Judged, bots: Sequence[str], confidence: float, reach: float = 1.0) -> Verdict:
    """Whether the order of `bots` by their mean scores is settled with `confidence`, by all sets that count.

    `reach` is the most that a game can give under `points` (`reach.reach_of`); wins and places have their own.
    """
    enough = needed(len(bots), confidence)
    rounds = _rounds_of(judged, bots, reach)
    count = rounds.scores.shape[2]
    note = _why_not(rounds, bots)
    if note:
        return Verdict(False, count, None, (), (), enough, confidence, note)
    means, evidence = means_of(rounds), evidence_of(rounds)
    done = settled_after(means, evidence, enough)
    best_first = sorted(range(len(bots)), key=lambda bot: -means[bot, -1])
    pairs = tuple(
        Pair(bots[one], bots[other], float(evidence[one, other, -1])) for one, other in combinations(best_first, 2)
    )
    ranking = tuple(bots[bot] for bot in best_first)
    if done[-1] and not _is_printed(judged, ranking):
        note = "the ranking by all sets is not that by the sets in which every bot at the table has a result"
        return Verdict(False, count, None, ranking, pairs, enough, confidence, note)
    since = int(np.argmax(done)) + 1 if done[-1] else None
    return Verdict(bool(done[-1]), count, since, ranking, pairs, enough, confidence, "")


def needed(bots: int, confidence: float) -> float:
    """The evidence that is enough, as a decimal logarithm."""
    return math.log10(max(2, bots - 1) / (1 - confidence))


def means_of(rounds: Rounds) -> Floats:
    """Each bot's mean score after each round."""
    totals = rounds.scores.sum(axis=1).cumsum(axis=1)
    counts = rounds.plays.sum(axis=1)[:, None] * np.arange(1, totals.shape[1] + 1)
    means: Floats = totals / counts
    return means


def evidence_of(rounds: Rounds) -> Floats:
    """The most that the bet on one bot before another had come to after each round; by the two bots and round."""
    bots = len(rounds.scores)
    found = np.zeros((bots, bots, rounds.scores.shape[2]))
    above = np.where(rounds.plays[..., None], rounds.scores - rounds.par[:, None], 0.0)
    tables = rounds.plays.sum(axis=1)
    for one, other in combinations(range(bots), 2):
        either = rounds.plays[one] | rounds.plays[other]
        fewest = min(tables[one], tables[other])
        differences = above[one, either] * (fewest / tables[one]) - above[other, either] * (fewest / tables[other])
        found[one, other] = _bet(differences)
        found[other, one] = _bet(-differences)
    return np.maximum.accumulate(found, axis=2)


def settled_after(means: Floats, evidence: Floats, enough: float) -> NDArray[np.bool_]:
    """Whether the ranking by means is settled after each round: the bets say the same, and nothing but the same."""
    ahead = means[:, None] > means[None]
    shown = evidence >= enough
    one, other = np.triu_indices(len(means), 1)
    agreed = (shown == ahead)[one, other] & (shown == ahead)[other, one] & (shown[one, other] | shown[other, one])
    return np.asarray(agreed.all(axis=0), np.bool_)


def _bet(differences: Floats) -> Floats:
    """What a bet has come to after each round, as a decimal logarithm; `differences` are by composition and round."""
    capital = np.stack([np.log1p(stake * differences).sum(axis=0).cumsum() for stake in STAKES])
    most = capital.max(axis=0)
    bet: Floats = (most + np.log(np.exp(capital - most).mean(axis=0))) / math.log(10)
    return np.maximum(bet, 0.0)


def _rounds_of(judged: Judged, bots: Sequence[str], reach: float) -> Rounds:
    """The whole rounds in the order of the sets: in each, every composition that was met has played one set more.

    A set and those that were played in its place are one; where one of its bots has no result, it is left out. So the
    scores of a round are of one deal, and none is compared with that of another round.
    """
    number = {bot: place for place, bot in enumerate(bots)}
    found: dict[frozenset[str], list[dict[str, Fraction]]] = {}
    for each in judged.sets.values():
        members = each.bots & number.keys()
        if members and each.replaces is None:
            played = found.setdefault(each.bots, [])
            means = judged.means_of(each.number)
            if members <= means.keys():
                played.append({bot: means[bot] for bot in members})
    compositions = sorted(found, key=sorted)
    count = min(map(len, found.values()), default=0)
    scores = np.zeros((len(bots), len(compositions), count))
    plays = np.zeros((len(bots), len(compositions)), dtype=bool)
    for column, composition in enumerate(compositions):
        for bot in composition & number.keys():
            values = [means[bot] for means in found[composition][:count]]
            scores[number[bot], column] = _shares(judged, values, len(composition), reach)
            plays[number[bot], column] = True
    return Rounds(scores, plays, np.array([_par(judged, len(each)) for each in compositions]))


def _shares(judged: Judged, values: Sequence[Fraction], size: int, reach: float) -> Floats:
    """Scores as shares of the range that they have at a table, more being better."""
    least, most = _range(judged, size, reach)
    shares: Floats = (np.array(values, dtype=np.float64) - least) / (most - least)
    if judged.scoring.score == "points":
        shares = np.minimum(shares, 1.0)  # see reach.py
    return 1 - shares if judged.scoring.least_is_best else shares


def _is_printed(judged: Judged, ranking: Sequence[str]) -> bool:
    """Whether the ranking by all sets that count is the same: those of rounds leave some out that count for a bot."""
    values: dict[str, list[Fraction]] = {bot: [] for bot in ranking}
    for each in judged.sets.values():
        for bot, mean in each.means(judged.scoring.score).items():
            if bot in values:
                values[bot].append(mean)
    means = [sum(found, Fraction()) / len(found) for found in values.values()]
    return all((one < other) if judged.scoring.least_is_best else (one > other) for one, other in pairwise(means))


def _why_not(rounds: Rounds, bots: Sequence[str]) -> str:
    idle = [bot for bot, plays in zip(bots, rounds.plays, strict=True) if not plays.any()]
    if len(bots) < 2:
        return "there are no two bots to compare"
    if idle:
        return f"{', '.join(idle)} sat at no table of which a set is complete"
    if not rounds.scores.shape[2]:
        return "not every table has played a set that counts"
    if rounds.scores.min() < 0 or rounds.scores.max() > 1:
        return "penalties have taken scores out of the range that the rules give, and then no bet on them is fair"
    return ""


def _range(judged: Judged, size: int, reach: float) -> tuple[float, float]:
    """The least and the most score of a game at a table."""
    if judged.scoring.score == "places":
        return 1, size
    return 0, reach if judged.scoring.score == "points" else 1


def _par(judged: Judged, size: int) -> float:
    if judged.scoring.score == "wins":
        return 1 / size
    if judged.scoring.score == "places":
        return 0.5
    return float(judged.scoring.least_is_best)
