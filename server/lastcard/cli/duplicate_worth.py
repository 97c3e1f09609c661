"""What a way to play games is worth: how many it needs for the same certainty as independent ones.

Here: ratios of variances with their intervals. Not here: playing (`bench_duplicates`). May import numpy and the
standard library.

What is looked at is the difference between two bots' mean scores. From n games in sets of k it is known with the
variance `k · V / n`, where V is the variance of one set's difference; from n independent games with `W / n`. So
`k · V / W` is the share of the games that are needed.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

RESAMPLES = 4_000
"""Bootstrap samples of each interval."""

_TAIL = 0.025

Differences = npt.NDArray[np.float64]
"""A row for each set, a column for each of its games: by how much one bot scored more than the other."""


class Worth(NamedTuple):
    """The share of independent games that are needed, with its 95 % interval, and the mean difference behind it."""

    ratio: float
    low: float
    high: float
    difference: float
    sets: int
    games: int


def worth(sets: Differences, independent: Differences, seed: int) -> Worth:
    """What the games of `sets` are worth beside `independent` ones, whose order of the seats is left to chance, too.

    The interval is that of a bootstrap over sets, drawn anew on both sides.

    Raises:
        ValueError: a side has fewer than two sets, or all its games came out the same.
    """
    for name, values in (("sets", sets), ("independent games", independent)):
        if len(values) < 2:
            raise ValueError(f"{len(values)} {name} tell nothing about their variance; there must be two or more")
        if values.std() == 0:
            raise ValueError(f"all {name} came out the same, so that nothing can be said about their variance")
    size = sets.shape[1]
    means = sets.mean(axis=1)
    ratio = size * float(means.var(ddof=1)) / _variance(independent)
    chance = np.random.default_rng(seed)
    drawn = np.array([_resampled(means, independent, chance) for _ in range(RESAMPLES)]) * size
    low, high = np.quantile(drawn, (_TAIL, 1 - _TAIL))
    return Worth(ratio, float(low), float(high), float(means.mean()), len(sets), sets.size)


def _resampled(means: Differences, independent: Differences, chance: np.random.Generator) -> float:
    some = means[chance.integers(len(means), size=len(means))]
    below = 0.0
    while below == 0:  # games that all came out the same tell nothing about their variance; others are drawn
        below = _variance(independent[chance.integers(len(independent), size=len(independent))])
    return float(some.var(ddof=1)) / below


def _variance(games: Differences) -> float:
    """The variance of single games, each of which is on a deal of its own."""
    return float(games.var(ddof=1))


def differences(scores: Sequence[Sequence[tuple[float, float]]]) -> Differences:
    """The differences between two bots, from their scores in the games of each set."""
    return np.array([[one - other for one, other in games] for games in scores], dtype=np.float64)
