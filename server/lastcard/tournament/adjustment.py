"""Scores with luck taken out: what a bot would have scored on the average with cards that were worth the average.

Here: `luck_adjusted`. Not here: how luck is counted (`luck`), the raw scores (`statistics`). May import the standard
library, numpy, scipy, `intervals` and `judging`.

A control variate: from a bot's mean score in a set is taken a multiple of its luck in it, that is what its cards were
worth beyond expectation, less what the others' were. The expected luck is 0, so the expected score stays what it was,
whatever the multiple; the better it is chosen, the less is left of the variance. The multiple comes from a regression
of scores on luck over all bots, for each set over other sets only: it must not depend on the luck that it is applied
to, or the result would be biased. Where luck explains nothing nothing is gained, and what is gained is said.
"""

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import stdtrit

from lastcard.tournament.intervals import TAIL
from lastcard.tournament.judging import Judged, JudgedSet

Floats = NDArray[np.float64]

FOLDS = 10
"""The sets are dealt out into so many parts; the multiple for each is from the others."""

LEAST_SETS = 20
"""With fewer sets than this a regression says too little."""

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
    data = [_data_of(judged, bot) for bot in bots]
    numbers = sorted({int(number) for each in data for number in each.sets})
    fold_of = {number: place % FOLDS for place, number in enumerate(numbers)}
    folds = [np.array([fold_of[int(number)] for number in each.sets], dtype=np.int64) for each in data]
    multiples = [_multiples(data, folds, fold) for fold in range(FOLDS)]
    made = []
    for bot, each, fold in zip(bots, data, folds, strict=True):
        if len(each.scores) < LEAST_SETS:
            note = f"an adjustment for luck needs at least {LEAST_SETS} complete sets, not {len(each.scores)}"
            made.append(Adjusted(bot, None, None, len(each.scores), None, note))
        elif not each.luck.any():
            made.append(
                Adjusted(bot, None, None, len(each.scores), None, "the ledger does not tell the luck of its games")
            )
        else:
            taken = np.array([multiples[number] for number in fold])
            made.append(_adjusted(bot, each.scores, each.scores - (each.luck * taken).sum(axis=1)))
    return tuple(made)


class _Data(NamedTuple):
    """A bot's sets: their numbers, its mean scores, and its luck in each, a column for each kind of luck."""

    sets: NDArray[np.int64]
    scores: Floats
    luck: Floats


_KINDS = 2  # dealt and drawn


def _data_of(judged: Judged, bot: str) -> _Data:
    sets = list(judged.counted_for(bot))
    return _Data(
        np.array([each.number for each in sets], dtype=np.int64),
        np.array([float(each.means(judged.scoring.score)[bot]) for each in sets]),
        np.array([_luck_in(each, bot) for each in sets]).reshape(-1, _KINDS),
    )


def _luck_in(made: JudgedSet, bot: str) -> Floats:
    """A bot's luck less the mean of the others', over its games in a set; nothing where a game does not tell it."""
    total = np.zeros(_KINDS)
    games = 0
    for game in made.games:
        if bot not in game.row.seats:
            continue
        luck = np.array(game.row.luck, dtype=np.float64)
        if luck.shape != (len(game.row.seats), _KINDS):
            return np.zeros(_KINDS)
        own = luck[game.row.seats.index(bot)]
        total += own - (luck.sum(axis=0) - own) / (len(luck) - 1)
        games += 1
    return total / max(1, games)


def _multiples(data: Sequence[_Data], folds: Sequence[NDArray[np.int64]], left_out: int) -> Floats:
    """By how much a score rises with luck: least squares over all bots and all sets but those of one part."""
    squares, products = np.zeros((_KINDS, _KINDS)), np.zeros(_KINDS)
    for each, fold in zip(data, folds, strict=True):
        kept = fold != left_out
        if kept.any():
            luck = each.luck[kept]
            squares += luck.T @ luck
            products += luck.T @ (each.scores[kept] - each.scores[kept].mean())
    return np.asarray(np.linalg.pinv(squares, rcond=_SINGULAR, hermitian=True) @ products, np.float64)


def _adjusted(bot: str, raw: Floats, adjusted: Floats) -> Adjusted:
    count = len(adjusted)
    mean, variance = float(adjusted.mean()), float(adjusted.var(ddof=1))
    before = float(raw.var(ddof=1))
    if before == 0:
        return Adjusted(
            bot, mean, None, count, None, f"all {count} sets came out the same, so that there is no variance"
        )
    half = float(stdtrit(count - 1, 1 - TAIL)) * math.sqrt(variance / count)
    return Adjusted(bot, mean, (mean - half, mean + half), count, variance / before, "")
