"""Scores with luck taken out: what a bot would have scored on the average with cards that were worth the average.

Here: `luck_adjusted`. Not here: how luck is counted (`luck`), the raw scores (`statistics`). May import the standard
library, numpy, `intervals` and `judging`.

A control variate: from a bot's mean score in a set is taken a multiple of its luck in it, that is what its cards were
worth beyond expectation, less what the others' were. The expected luck is 0, so the expected score stays what it was,
whatever the multiple; the better it is chosen, the less is left of the variance. The multiple comes from a regression
of the bot's scores on its luck, for each set over other sets only: it must not depend on the luck that it is applied
to, or the result would be biased. Where luck explains nothing nothing is gained, and what is gained is said.
"""

import math
from collections import defaultdict
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from lastcard.tournament.intervals import student
from lastcard.tournament.judging import Judged, JudgedSet

Floats = NDArray[np.float64]

PARTS = 10
"""The sets are dealt out into so many parts; the multiple for each is from the others."""

LEAST_SETS = 30
"""With fewer sets than this a regression says too little."""

_KINDS = 2  # dealt and drawn
_NONE = np.zeros(_KINDS)

_SINGULAR = 1e-9
"""Luck with so small a share of the variance is rounding: over a full rotation the luck of the deal is equal."""


class Adjusted(NamedTuple):
    """A bot's mean score with luck taken out, over its `sets` sets.

    `variance_ratio` is what is left of the variance of its raw scores; 1 divided by it is how many times as many sets
    would be needed for the same certainty without the adjustment. Where figures are `None`, `note` says why.
    """

    bot: str
    mean: float | None
    interval: tuple[float, float] | None
    sets: int
    variance_ratio: float | None
    note: str


def luck_adjusted(judged: Judged, bots: Sequence[str]) -> tuple[Adjusted, ...]:
    """The adjusted scores of `bots`, in their order."""
    scores: dict[str, list[float]] = {bot: [] for bot in bots}
    luck: dict[str, list[Floats]] = {bot: [] for bot in bots}
    for each in judged.sets.values():
        if each.counts_for:
            lucky = _luck_in(each)
            for bot, mean in each.means(judged.scoring.score).items():
                if bot in scores:
                    scores[bot].append(float(mean))
                    luck[bot].append(lucky.get(bot, _NONE))
    return tuple(_adjusted(bot, np.array(scores[bot]), np.array(luck[bot]).reshape(-1, _KINDS)) for bot in bots)


def _adjusted(bot: str, scores: Floats, luck: Floats) -> Adjusted:
    count = len(scores)
    if count < LEAST_SETS:
        note = f"an adjustment for luck needs at least {LEAST_SETS} complete sets, not {count}"
        return Adjusted(bot, None, None, count, None, note)
    if not luck.any():
        return Adjusted(bot, None, None, count, None, "the ledger does not tell the luck of its games")
    part = np.arange(count) % PARTS
    adjusted = np.empty(count)
    for number in range(PARTS):
        here = part == number
        adjusted[here] = scores[here] - luck[here] @ _multiple(scores[~here], luck[~here])
    return _estimated(bot, scores, adjusted)


def _luck_in(made: JudgedSet) -> dict[str, Floats]:
    """Each bot's luck less the mean of the others', over its games in a set; none where a game does not tell it."""
    found: defaultdict[str, list[Floats]] = defaultdict(list)
    for game in made.games:
        luck = np.array(game.row.luck, dtype=np.float64)
        size = len(game.row.seats)
        if luck.shape != (size, _KINDS):
            return {}
        beyond = (luck * size - luck.sum(axis=0)) / (size - 1)
        for name, own in zip(game.row.seats, beyond, strict=True):
            found[name].append(own)
    return {name: np.mean(values, axis=0) for name, values in found.items()}


def _multiple(scores: Floats, luck: Floats) -> Floats:
    """By how much a score rises with each kind of luck, by least squares."""
    squares, products = luck.T @ luck, luck.T @ (scores - scores.mean())
    return np.asarray(np.linalg.pinv(squares, rcond=_SINGULAR, hermitian=True) @ products, np.float64)


def _estimated(bot: str, raw: Floats, adjusted: Floats) -> Adjusted:
    count = len(adjusted)
    mean, variance = float(adjusted.mean()), float(adjusted.var(ddof=1))
    before = float(raw.var(ddof=1))
    if before == 0:
        return Adjusted(
            bot, mean, None, count, None, f"all {count} sets came out the same, so that there is no variance"
        )
    half = student(count - 1) * math.sqrt(variance / count)
    return Adjusted(bot, mean, (mean - half, mean + half), count, variance / before, "")
