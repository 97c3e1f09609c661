"""Every figure of a tournament, as a pure function of its ledger.

Here: scores of games and sets, means with intervals, the ranking. Not here: their files (`standings`), the rulings'
data (`rulings`). May import the standard library, numpy, scipy, `ledger` and `rulings`.

The unit is the set: within a set every bot plays every hand of the deal, so that games of one set depend on each other,
and sets do not. Means are exact fractions, so that bots that did equally well come out equal; intervals are floats.
"""

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from typing import Literal, NamedTuple, get_args

import numpy as np
from scipy.special import stdtrit  # the quantile alone: importing scipy.stats takes a second

from lastcard.tournament.formats.contract import SetResult
from lastcard.tournament.ledger import Row
from lastcard.tournament.rulings import DEFAULT_RULINGS, Outcome, Rulings, outcome

Score = Literal["wins", "points", "places"]
SCORES: tuple[str, ...] = get_args(Score)
"""What a game counts: the share of the win, the points of the match, or the place."""

CONFIDENCE = 0.95
_TAIL = (1 - CONFIDENCE) / 2


class Scoring(NamedTuple):
    """How games are scored; `fewest_points_win` as the rules say."""

    score: Score = "wins"
    fewest_points_win: bool = False
    rulings: Rulings = DEFAULT_RULINGS

    @property
    def least_is_best(self) -> bool:
        """Whether the ranking begins with the smallest mean score."""
        return self.score == "places" or (self.score == "points" and self.fewest_points_win)


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
    """The ranking, best first; equal mean scores share a rank. `games_in_open_sets` are in no mean."""

    scoring: Scoring
    games: int
    sets: int
    games_in_open_sets: int
    ranking: tuple[Standing, ...]


def standings(rows: Iterable[Row], bots: Sequence[str], scoring: Scoring) -> Standings:
    """The standings of `bots` after the games in `rows`, which may be in any order."""
    played = sorted(rows, key=lambda row: row.game)
    judged = [(row, _judged(row, scoring)) for row in played]
    complete = complete_sets(played)
    unranked = [_standing(bot, judged, complete, scoring) for bot in bots]
    return Standings(
        scoring=scoring,
        games=len(played),
        sets=len(complete),
        games_in_open_sets=sum(row.set not in complete for row in played),
        ranking=_ranked(unranked, scoring),
    )


def win_shares(result: Outcome) -> tuple[Fraction, ...]:
    """Each seat's share of the win: 1 divided among the seats in first place, but nothing for a loss by ruling."""
    winners = [seat for seat, place in enumerate(result.places) if place == 1 and not result.lost[seat]]
    return tuple(Fraction(int(seat in winners), len(winners) or 1) for seat in range(len(result.places)))


def complete_sets(rows: Iterable[Row]) -> set[int]:
    """The numbers of the sets whose every rotation has been played."""
    rotations: defaultdict[int, set[int]] = defaultdict(set)
    sizes: dict[int, int] = {}
    for row in rows:
        rotations[row.set].add(row.rotation)
        sizes[row.set] = len(row.seats)
    return {number for number, played in rotations.items() if len(played) == sizes[number]}


def set_results(rows: Iterable[Row], scoring: Scoring) -> dict[int, SetResult]:
    """How each complete set came out, by its number; bots are in the order of their names."""
    played = list(rows)
    complete = complete_sets(played)
    scores: defaultdict[int, dict[str, list[Fraction]]] = defaultdict(lambda: defaultdict(list))
    for row in played:
        for name, score in zip(row.seats, _judged(row, scoring).scores(scoring.score), strict=True):
            scores[row.set][name].append(score)
    return {
        number: SetResult(
            tuple(sorted(by_bot)), tuple(float(sum(by_bot[name]) / len(by_bot[name])) for name in sorted(by_bot))
        )
        for number, by_bot in scores.items()
        if number in complete
    }


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


class _Judged(NamedTuple):
    """One game by seat: what it counts for each mean."""

    result: Outcome
    wins: tuple[Fraction, ...]

    def scores(self, score: Score) -> tuple[Fraction, ...]:
        """What each seat gets for the game under a kind of score."""
        if score == "wins":
            return self.wins
        return tuple(Fraction(value) for value in (self.result.points if score == "points" else self.result.places))


def _judged(row: Row, scoring: Scoring) -> _Judged:
    result = outcome(
        row.places,
        row.points,
        [(fault.seat, fault.kind) for fault in row.faults],
        fewest_points_win=scoring.fewest_points_win,
        rulings=scoring.rulings,
    )
    return _Judged(result, win_shares(result))


def _standing(bot: str, judged: Sequence[tuple[Row, _Judged]], complete: set[int], scoring: Scoring) -> Standing:
    means: dict[Score, defaultdict[int, list[Fraction]]] = {kind: defaultdict(list) for kind in get_args(Score)}
    finished: Counter[int] = Counter()
    faults: Counter[str] = Counter()
    games = lost = largest = 0
    for row, game in judged:
        if bot not in row.seats:
            continue
        seat = row.seats.index(bot)
        games += 1
        lost += game.result.lost[seat]
        largest = max(largest, len(row.seats))
        finished[game.result.places[seat]] += 1
        faults.update(fault.kind for fault in row.faults if fault.seat == seat)
        if row.set in complete:
            for kind, by_set in means.items():
                by_set[row.set].append(game.scores(kind)[seat])
    estimates = {
        "wins": estimate(_set_means(means["wins"]), 0, 1),
        "points": estimate(_set_means(means["points"]), 0),
        "places": estimate(_set_means(means["places"]), 1, largest),
    }
    return Standing(
        rank=0,
        bot=bot,
        games=games,
        sets=len(means["wins"]),
        score=estimates[scoring.score],
        win_share=estimates["wins"],
        points=estimates["points"],
        place=estimates["places"],
        places=dict(sorted(finished.items())),
        faults=dict(sorted(faults.items())),
        lost_by_ruling=lost,
    )


def _set_means(by_set: Mapping[int, Sequence[Fraction]]) -> list[Fraction]:
    return [sum(values, Fraction()) / len(values) for values in by_set.values()]


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
