"""Whether figures that should stay have grown.

Here: `Allowed`, `Trend`, `trends`. Not here: where the figures come from (`server`), who prints them (`__main__`).
"""

from collections.abc import Mapping, Sequence
from itertools import pairwise
from statistics import median
from typing import NamedTuple


class Allowed(NamedTuple):
    """What a figure is, and how much it may rise from the first fifth of the time after the warm-up to the last."""

    about: str
    rise: float


class Trend(NamedTuple):
    """A figure's medians in the five fifths of the time after the warm-up, its slope by the minute, and a verdict."""

    fifths: tuple[float, ...]
    slope: float
    grew: bool


def trend(times_s: Sequence[float], values: Sequence[float], rise: float) -> Trend:
    """The trend of one figure.

    It has grown when the last fifth lies above the first by more than what is allowed, at least three of the four steps
    between fifths have a part in that, and so has the second half: a figure that jumps up once, or settles after the
    warm-up, as a pool that finds its size, has not.
    """
    count = len(values)
    fifths = tuple(median(values[count * part // 5 : count * (part + 1) // 5]) for part in range(5))
    steps = [later - earlier for earlier, later in pairwise(fifths)]
    mean_t, mean_v = sum(times_s) / count, sum(values) / count
    spread = sum((time - mean_t) ** 2 for time in times_s)
    slope = sum((time - mean_t) * (value - mean_v) for time, value in zip(times_s, values, strict=True)) / spread
    goes_on = fifths[-1] - fifths[2] > rise / 4 and sum(step > rise / 10 for step in steps) >= 3
    grew = goes_on and fifths[-1] - fifths[0] > rise
    return Trend(fifths, 60 * slope, grew)


def trends(
    samples: Sequence[Mapping[str, float]], allowed: Mapping[str, Allowed], warm_up_s: float
) -> dict[str, Trend]:
    """The trends of all figures after the warm-up; a sample's time is its `seconds`.

    Raises:
        ValueError: there are too few samples to tell.
    """
    kept = [sample for sample in samples if sample["seconds"] >= warm_up_s]
    if len(kept) < 10:
        raise ValueError(f"{len(kept)} samples after a warm-up of {warm_up_s:g} s tell nothing; let it run for longer")
    times = [sample["seconds"] for sample in kept]
    return {name: trend(times, [sample[name] for sample in kept], limit.rise) for name, limit in allowed.items()}
