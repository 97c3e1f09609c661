"""Every figure of a tournament, as a pure function of its ledger.

Here: means with intervals, the ranking. Not here: their files (`standings`), what the rows mean (`judging`), what a
game counts (`scoring`). May import the standard library, numpy, scipy, `judging`, `ledger` and `scoring`.

The unit is the set: within a set every bot plays every hand of the deal, so that games of one set depend on each other,
and sets do not. Means are exact fractions, so that bots that did equally well come out equal; intervals are floats.
"""

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from typing import NamedTuple

import numpy as np
from scipy.special import stdtrit  # the quantile alone: importing scipy.stats takes a second

from lastcard.tournament.formats.contract import SetResult
from lastcard.tournament.judging import Judged, SetStatus, complete_sets, judge
from lastcard.tournament.ledger import Row, RulingRow
from lastcard.tournament.rulings import DEFAULT_RULINGS
from lastcard.tournament.scoring import SCORES, Score, Scoring, win_shares

__all__ = [
    "CONFIDENCE", "SCORES", "Estimate", "Score", "Scoring", "Standing", "Standings", "complete_sets", "estimate",
    "set_results", "standings", "standings_of", "win_shares",
]  # fmt: skip

CONFIDENCE = 0.95
_TAIL = (1 - CONFIDENCE) / 2


class Estimate(NamedTuple):
    """A mean over sets; `interval` is `None` where none can be given, and then `note` says why."""

    mean: Fraction | None
    interval: tuple[float, float] | None
    note: str


class Standing(NamedTuple):
    """How one bot stands.

    `games` counts all its games, `sets` its complete sets, from which the means are; `places` how often it finished
    where, `faults` its faults by kind, `lost_by_ruling` its games lost by a ruling, the last three over all games.
    """

    rank: int
    bot: str
    games: int
    sets: int
    score: Estimate
    win_share: Estimate
    points: Estimate
    place: Estimate
    places: Mapping[int, int]
    faults: Mapping[str, int]
    lost_by_ruling: int


class Standings(NamedTuple):
    """The ranking, best first; equal mean scores share a rank. `games_in_open_sets` are in no mean.

    `sets` are those that count. `void_sets` count for nobody but bots at fault; `disqualified` are not in the ranking,
    each with the reason.
    """

    scoring: Scoring
    games: int
    sets: int
    games_in_open_sets: int
    ranking: tuple[Standing, ...]
    void_sets: int = 0
    disqualified: tuple[tuple[str, str], ...] = ()


def standings(rows: Iterable[Row | RulingRow], bots: Sequence[str], scoring: Scoring) -> Standings:
    """The standings of `bots` after the games and rulings in `rows`, which may be in any order."""
    return standings_of(judge(rows, scoring), bots)


def standings_of(judged: Judged, bots: Sequence[str]) -> Standings:
    """The standings of `bots` after what was judged."""
    found = Counter(each.status for each in judged.sets.values())
    return Standings(
        scoring=judged.scoring,
        games=len(judged.games),
        sets=found[SetStatus.COUNTED],
        games_in_open_sets=sum(len(each.games) for each in judged.sets.values() if each.status is SetStatus.OPEN),
        ranking=_ranked([_standing(bot, judged) for bot in bots if bot not in judged.disqualified], judged.scoring),
        void_sets=found[SetStatus.VOID] + found[SetStatus.REPLACED],
        disqualified=tuple((bot, judged.disqualified[bot]) for bot in bots if bot in judged.disqualified),
    )


def set_results(rows: Iterable[Row | RulingRow], scoring: Scoring) -> dict[int, SetResult]:
    """How each set came out that counts for anybody, by its number; bots are in the order of their names."""
    judged = judge(rows, scoring)
    return {number: result for number in judged.sets for result in judged.set_results([number])}


def estimate(values: Sequence[Fraction], least: float = -math.inf, most: float = math.inf) -> Estimate:
    """The mean of independent values from `least` to `most`, with its interval.

    By Student's t, cut to what is possible. Where all values are the least or all the most that is possible, their
    spread says nothing, but a bound remains: a value of mean m above `least` misses `least` with a probability of at
    least the share of m in the range, so that n values all miss it no more often than the n-th power says.
    """
    if not values:
        return Estimate(None, None, "no complete set")
    count = len(values)
    mean = sum(values, Fraction()) / count
    if count < 2:
        return Estimate(mean, None, "an interval needs at least 2 complete sets, not 1")
    if len(set(values)) > 1:
        sample = np.array([float(value) for value in values])
        half = float(stdtrit(count - 1, 1 - _TAIL) * sample.std(ddof=1) / math.sqrt(count))
        return Estimate(mean, (max(least, float(mean) - half), min(most, float(mean) + half)), "")
    reach = (most - least) * (1 - _TAIL ** (1 / count))
    if mean == least and most < math.inf:
        return Estimate(mean, (least, least + reach), "")
    if mean == most and least > -math.inf:
        return Estimate(mean, (most - reach, most), "")
    return Estimate(mean, None, f"all {count} sets came out the same, so that their spread says nothing")


def _standing(bot: str, judged: Judged) -> Standing:
    finished: Counter[int] = Counter()
    faults: Counter[str] = Counter()
    games = lost = largest = 0
    for game in judged.games:
        row, result = game.row, game.outcome
        if bot not in row.seats:
            continue
        seat = row.seats.index(bot)
        games += 1
        lost += result.lost[seat]
        largest = max(largest, len(row.seats))
        finished[result.places[seat]] += 1
        faults.update(fault.kind for fault in row.faults if fault.seat == seat)
    scoring = judged.scoring
    sets = list(judged.counted_for(bot))
    uncharged = scoring._replace(rulings=DEFAULT_RULINGS)

    def estimated(score: Score, *, charged: bool) -> Estimate:
        bounds = (scoring if charged or score == "points" else uncharged).bounds(largest, score)
        return estimate([each.means(score, charged=charged)[bot] for each in sets], *bounds)

    return Standing(
        rank=0,
        bot=bot,
        games=games,
        sets=len(sets),
        score=estimated(scoring.score, charged=True),
        win_share=estimated("wins", charged=False),
        points=estimated("points", charged=True),
        place=estimated("places", charged=False),
        places=dict(sorted(finished.items())),
        faults=dict(sorted(faults.items())),
        lost_by_ruling=lost,
    )


def _ranked(unranked: Sequence[Standing], scoring: Scoring) -> tuple[Standing, ...]:
    def key(standing: Standing) -> tuple[bool, Fraction]:
        mean = standing.score.mean
        if mean is None:
            return True, Fraction()
        return False, mean if scoring.least_is_best else -mean

    keys = [key(standing) for standing in unranked]
    ranked = [
        standing._replace(rank=1 + sum(other < own for other in keys))
        for standing, own in zip(unranked, keys, strict=True)
    ]
    return tuple(sorted(ranked, key=lambda standing: standing.rank))
