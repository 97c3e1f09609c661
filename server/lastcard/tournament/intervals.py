"""The mean of independent values and its interval: what every figure of a tournament ends in.

Here: `Estimate`, `estimate`, the running sums from which it is made, and Student's quantile. Not here: what the values
are (`statistics` and others). May import the standard library and scipy.

The values are those of sets, which are independent, as the games of one set are not. Means are exact fractions, so that
bots that did equally well come out equal; intervals are floats.
"""

import math
from collections import defaultdict
from collections.abc import Iterable
from fractions import Fraction
from typing import NamedTuple

CONFIDENCE = 0.95
TAIL = (1 - CONFIDENCE) / 2


def student(freedom: int) -> float:
    """How many standard errors from a mean its interval reaches: Student's quantile at these degrees of freedom."""
    from scipy.special import stdtrit  # noqa: PLC0415 (slow to import, scipy.stats still more, and few need it)

    return float(stdtrit(freedom, 1 - TAIL))


class Estimate(NamedTuple):
    """A mean over sets; `interval` is `None` where none can be given, and then `note` says why."""

    mean: Fraction | None
    interval: tuple[float, float] | None
    note: str

    def of_rest(self) -> "Estimate":
        """The estimate of what these values leave of 1."""
        mean = None if self.mean is None else 1 - self.mean
        interval = None if self.interval is None else (1 - self.interval[1], 1 - self.interval[0])
        return Estimate(mean, interval, self.note)


class Sums:
    """How many values there were, their sum and the sum of their squares, exactly: all that an estimate needs.

    Values of one denominator, of which there are few, are added up as whole numbers.
    """

    __slots__ = ("_squares", "_totals", "count")

    def __init__(self) -> None:
        self.count = 0
        self._totals: defaultdict[int, int] = defaultdict(int)
        self._squares: defaultdict[int, int] = defaultdict(int)

    def add(self, value: Fraction) -> None:
        """Count one value more."""
        above, below = value.numerator, value.denominator
        self.count += 1
        self._totals[below] += above
        self._squares[below] += above * above

    def estimate(self, least: float = -math.inf, most: float = math.inf) -> Estimate:
        """The mean of the values that were added, which are from `least` to `most`, with its interval.

        The interval holds the means that the values do not refute: those from which the mean of the values is no
        further away than Student's quantile times the standard error that they would have if that were the mean. Where
        values are bounded, their variance shrinks as the mean comes near a bound; so the interval is as skewed as they
        are, and stays within the bounds. It is Wilson's interval for as many games as would vary as the sets do, and
        Student's where there is no bound. Source: Wilson, Probable inference (1927); Franco, Little, Louis, Slud,
        Comparative study of confidence intervals for proportions in complex sample surveys (2019).

        Where all values are the least or all the most that is possible, their spread says nothing, but a bound remains:
        a value of mean m above `least` misses `least` with a probability of at least the share of m in the range, so
        that n values all miss it no more often than the n-th power says.
        """
        count = self.count
        if not count:
            return Estimate(None, None, "no complete set")
        total = sum((Fraction(above, below) for below, above in self._totals.items()), Fraction())
        squares = sum((Fraction(above, below * below) for below, above in self._squares.items()), Fraction())
        mean = total / count
        if count < 2:
            return Estimate(mean, None, "an interval needs at least 2 complete sets, not 1")
        spread = squares - total * mean
        if not spread:
            return _of_equal_values(mean, count, least, most)
        quantile = student(count - 1)
        return Estimate(
            mean, _interval(float(mean), quantile**2 * float(spread / (count - 1) / count), least, most), ""
        )


def estimate(values: Iterable[Fraction], least: float = -math.inf, most: float = math.inf) -> Estimate:
    """The mean of independent values from `least` to `most`, with its interval; see `Sums.estimate`."""
    sums = Sums()
    for value in values:
        sums.add(value)
    return sums.estimate(least, most)


def _interval(mean: float, square: float, least: float, most: float) -> tuple[float, float]:
    """The m with (mean − m)² ≤ square · V(m) / V(mean), where V is 0 at the bounds: 1, m − least, or of both."""
    if math.isinf(least) and math.isinf(most):
        half = math.sqrt(square)
        return mean - half, mean + half
    if math.isinf(most):
        return _from_bound(mean - least, square, least, 1)
    if math.isinf(least):
        return _from_bound(most - mean, square, most, -1)
    reach = most - least
    share = (mean - least) / reach
    per_game = square / reach**2 / (share * (1 - share))
    middle = (share + per_game / 2) / (1 + per_game)
    half = math.sqrt(per_game * share * (1 - share) + per_game**2 / 4) / (1 + per_game)
    return least + reach * max(0.0, middle - half), least + reach * min(1.0, middle + half)


def _from_bound(away: float, square: float, bound: float, sign: int) -> tuple[float, float]:
    """The interval where there is one bound, from which the mean is `away`."""
    middle = away + square / away / 2
    half = math.sqrt(square + (square / away) ** 2 / 4)
    low, high = sorted((bound + sign * max(0.0, middle - half), bound + sign * (middle + half)))
    return low, high


def _of_equal_values(mean: Fraction, count: int, least: float, most: float) -> Estimate:
    reach = (most - least) * (1 - TAIL ** (1 / count))
    if mean == least and most < math.inf:
        return Estimate(mean, (least, least + reach), "")
    if mean == most and least > -math.inf:
        return Estimate(mean, (most - reach, most), "")
    return Estimate(mean, None, f"all {count} sets came out the same, so that their spread says nothing")
