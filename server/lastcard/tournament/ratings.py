"""Ratings by maximum likelihood: how strong each bot is, from the finishing orders of all games at once.

Here: the Plackett-Luce model, its intervals, and ratings over the course of an event. Not here: what a finishing order
is made of (`choices`), mean scores (`statistics`). May import the standard library, numpy, scipy, `choices`,
`intervals` and `judging`.

The model (Plackett 1975, Luce 1959): who wins at a table is a choice in which a bot is chosen in proportion to its
strength; the second is a choice among the rest, and so on. A rating is 400 times the decimal logarithm of the strength,
as in chess, with a mean of 1500; 400 more are ten times the chance of winning against the same opponents. Bots that
share a place share the choice, as they share the win; at a table of two that is Bradley and Terry's model with ties as
halves. The estimate is the one at which each bot won as many choices as it was to be expected; it does not depend on
the order of the games.

There is one exactly when no set of bots always finished ahead of all the rest (Ford 1957, Hunter 2004). Where there is
none, ratings are given within the largest group of bots that can be compared, and for others a note says why not.

Intervals come from the sandwich estimator over sets, which holds however the games of a set depend on each other, and
also where the model is not quite true. Each set's contribution is corrected for its own influence on the estimate
(Mancl, DeRouen 2001), without which few sets would seem to say too much. The interval of a bot holds the ratings that
its wins do not refute: with few wins, or few losses, it is not symmetric, since a rating is a logarithm.
"""

import math
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from lastcard.tournament.choices import Basis, Choices, choices_of
from lastcard.tournament.intervals import student
from lastcard.tournament.judging import Judged

Floats = NDArray[np.float64]

MEAN = 1500
"""The mean rating of the bots that are rated, each weighted by how much the games tell of it.

With equal weights a bot that hardly ever won, whose rating is all but unknown, would make all others' uncertain.
"""

SCALE = 400 / math.log(10)
"""Points of rating for a natural logarithm of strength."""

_TENTHS = 10
_MOST_STEPS = 100
_PRECISION = 1e-10
_MOST_SHIFT = 30.0  # e to the 30th: more than any number of games can tell
_HALVINGS = 60


class Rating(NamedTuple):
    """A bot's rating; `None` where there is none, or no interval, and then `note` says why.

    `sets` are those in which the bot was compared with another.
    """

    bot: str
    rating: float | None
    interval: tuple[float, float] | None
    sets: int
    note: str


class Ratings(NamedTuple):
    """The ratings in the order of the bots. `basis` is what the games told: who won, or the whole order."""

    basis: Basis
    sets: int
    ratings: tuple[Rating, ...]


class Moment(NamedTuple):
    """The ratings after the first `sets` sets; `games` is how many games these are."""

    sets: int
    games: int
    ratings: Ratings


def ratings(judged: Judged, bots: Sequence[str]) -> Ratings:
    """The ratings of `bots` by all sets that count."""
    return _rated(choices_of(judged, bots), bots)


def rating_course(judged: Judged, bots: Sequence[str]) -> list[Moment]:
    """The ratings after each tenth of the sets that count, in the order of their numbers; the last is `ratings`."""
    whole = choices_of(judged, bots)
    numbers = [each.number for each in judged.sets.values() if each.counts_for]
    ends = sorted({math.ceil(len(numbers) * tenth / _TENTHS) for tenth in range(1, _TENTHS + 1)} - {0})
    games = {number: len(judged.sets[number].games) for number in numbers}
    return [
        Moment(end, sum(games[number] for number in numbers[:end]), _rated(whole.until(numbers[end - 1]), bots))
        for end in ends
    ]


def _rated(choices: Choices, bots: Sequence[str]) -> Ratings:
    groups = choices.groups()
    main = max(groups, key=lambda group: (len(group), -min(group)), default=())
    sets = choices.sets_of_each()
    rated: dict[int, tuple[float, tuple[float, float] | None]] = {}
    if len(main) > 1:
        for number, strength, interval in _fitted(choices.within(main), sets[list(main)]):
            rated[main[number]] = strength, interval
    made = []
    for number, bot in enumerate(bots):
        if number in rated:
            rating, interval = rated[number]
            note = "" if interval is not None else "an interval needs at least 2 complete sets that differ"
            made.append(Rating(bot, rating, interval, int(sets[number]), note))
        else:
            why = _why_unrated(choices, number, main, bots)
            made.append(Rating(bot, None, None, int(sets[number]), why))
    return Ratings(choices.basis, len(choices.sets), tuple(made))


def _fitted(choices: Choices, sets: NDArray[np.int64]) -> Iterator[tuple[int, float, tuple[float, float] | None]]:
    """Each bot's number, rating and interval; `sets` are those of each bot."""
    strengths = _fit(choices)
    information = choices.information(strengths)
    told = np.diagonal(information)
    weights = told / told.sum()
    from_mean = np.eye(choices.bots) - weights
    variances = np.diagonal(from_mean @ _covariance(choices, strengths, information) @ from_mean.T)
    for bot, strength in enumerate(from_mean @ strengths):
        rating = MEAN + SCALE * float(strength)
        interval = None
        if sets[bot] >= 2 and variances[bot] > _PRECISION:
            own = 1 - float(weights[bot])
            low, high = _interval(choices, strengths, bot, float(variances[bot]) / own**2, int(sets[bot]))
            interval = rating + SCALE * own * low, rating + SCALE * own * high
        yield bot, rating, interval


def _interval(choices: Choices, strengths: Floats, bot: int, variance: float, sets: int) -> tuple[float, float]:
    """By how much less and more a bot's strength may be, the others' being as they are, where its own has a variance.

    Where the bot's wins would be so far from what was to be expected as Student's quantile times their standard error,
    which shrinks with the chances as those of a share do.
    """
    times, logits = choices.chances_of(bot, strengths)
    chances = expit(logits)
    told = float(times @ (chances * (1 - chances)))
    square = student(sets - 1) ** 2 * variance * told
    won = choices.won_by(bot)

    def is_refuted(shift: float) -> bool:
        shifted = expit(logits + shift)
        return (won - float(times @ shifted)) ** 2 > square * float(times @ (shifted * (1 - shifted)))

    return _last(is_refuted, -_MOST_SHIFT), _last(is_refuted, _MOST_SHIFT)


def _last(is_refuted: Callable[[float], bool], far: float) -> float:
    """The shift between 0 and `far` up to which nothing is refuted, found by halving."""
    near = 0.0
    for _ in range(_HALVINGS):
        middle = (near + far) / 2
        if is_refuted(middle):
            far = middle
        else:
            near = middle
    return near


def _why_unrated(choices: Choices, bot: int, main: Sequence[int], bots: Sequence[str]) -> str:
    if not choices.sets_of_each()[bot]:
        return "it met nobody in a set that counts"
    if len(main) < 2:
        return "no two bots have each finished ahead of the other, so that no rating has a bound"
    others = "the others" if len(main) == len(bots) - 1 else f"{', '.join(bots[other] for other in main)}"
    ahead, behind = choices.reaches(bot, main[0]), choices.reaches(main[0], bot)
    if ahead:
        return f"nobody of {others} has finished ahead of it, not even by way of other bots: its rating has no most"
    if behind:
        return f"it has not finished ahead of {others}, not even by way of other bots: its rating has no least"
    return f"no games compare it with {others}"


def _fit(choices: Choices) -> Floats:
    """The logarithms of the strengths at the maximum of the likelihood, with mean 0.

    Newton's method, each step halved until the likelihood rises; the likelihood has one maximum, and no other point at
    which it is level.
    """
    strengths = np.zeros(choices.bots)
    value = choices.log_likelihood(strengths)
    for _ in range(_MOST_STEPS):
        slope, information = choices.slope(strengths), choices.information(strengths)
        step = np.linalg.lstsq(information, slope)[0]
        step -= step.mean()
        size = 1.0
        while size > _PRECISION and choices.log_likelihood(strengths + size * step) < value:
            size /= 2
        if size <= _PRECISION:
            break
        strengths = strengths + size * step
        value = choices.log_likelihood(strengths)
        if float(np.abs(size * step).max()) < _PRECISION:
            break
    return strengths


def _covariance(choices: Choices, strengths: Floats, information: Floats) -> Floats:
    """The covariance of the logarithms of the strengths, which are given with mean 0."""
    inverse = np.asarray(np.linalg.pinv(information, hermitian=True), np.float64)
    scores = choices.corrected_scores(strengths, inverse)
    covariance: Floats = inverse @ (scores.T @ scores) @ inverse
    return covariance
