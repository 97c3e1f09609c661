"""Scales: where a value stands between the two ends of a chart, and which round values are marked.

Here: linear and logarithmic scales. Not here: what is drawn on them (`charts`). May import the standard library only.
"""

import math
from collections.abc import Iterable
from typing import NamedTuple

_STEPS = (1.0, 2.0, 2.5, 5.0, 10.0)


class Scale(NamedTuple):
    """From `low` to `high`; `ticks` are round values between them, the ends included where they are round."""

    low: float
    high: float
    ticks: tuple[float, ...]
    logarithmic: bool = False

    def place(self, value: float) -> float:
        """Where a value stands, in percent of the width; beyond an end at that end."""
        low, high, at = self.low, self.high, value
        if self.logarithmic:
            low, high, at = math.log(low), math.log(high), math.log(max(value, low))
        return min(100.0, max(0.0, 100 * (at - low) / (high - low)))


def linear(values: Iterable[float], *, least: float = -math.inf, most: float = math.inf, ticks: int = 5) -> Scale:
    """A scale with some air around all the values, but not beyond what is possible, and about so many ticks."""
    known = [value for value in values if math.isfinite(value)]
    low, high = min(known, default=0.0), max(known, default=1.0)
    if high - low < 1e-9:
        low, high = low - 0.5, high + 0.5
    step = _round_step((high - low) / max(1, ticks - 1))
    low = max(least, math.floor(low / step) * step)
    high = min(most, math.ceil(high / step) * step)
    if high - low < 1e-9:
        low, high = max(least, low - step), min(most, high + step)
    first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
    return Scale(low, high, tuple(number * step for number in range(first, last + 1)))


def logarithmic(values: Iterable[float], *, least: float) -> Scale:
    """A scale from a power of ten to another around all the values; smaller ones than `least` stand at the left end."""
    known = [max(least, value) for value in values if math.isfinite(value)]
    low = math.floor(math.log10(min(known, default=least)) + 1e-9)
    high = math.ceil(math.log10(max(known, default=least)) - 1e-9)
    high = max(high, low + 1)
    return Scale(10.0**low, 10.0**high, tuple(10.0**power for power in range(low, high + 1)), logarithmic=True)


def _round_step(rough: float) -> float:
    """The smallest round number that is not smaller."""
    power = 10.0 ** math.floor(math.log10(rough))
    return next(step * power for step in _STEPS if step * power >= rough * (1 - 1e-9))
