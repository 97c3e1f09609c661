"""Finishing orders as choices: who was placed first among whom, who next among the rest.

Here: `choices_of`, from the judged games to counts, and the likelihood that these give the Plackett-Luce model. Not
here: the ratings at its maximum (`ratings`). May import the standard library, numpy, scipy and `judging`.

A stage of an order is a choice of one bot, or of some that share the place, among those not placed yet. Under rules by
which all that do not win share the second place, an order tells the winner alone, and only its first stage is a choice;
where orders tell more, all of it is used.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components
from scipy.special import logsumexp

from lastcard.tournament.judging import Judged, JudgedGame

Floats = NDArray[np.float64]

Basis = Literal["winner", "order"]
"""What finishing orders tell: the winner alone, or a place for each bot."""


_SINGULAR = 1e-6
"""Below that a set is taken to have fixed some of the strengths alone, so that nothing is left to correct."""


class Stage(NamedTuple):
    """All choices in a set among the same bots: how many there were, and how many of them each bot won."""

    set: int
    among: tuple[int, ...]
    times: float
    won: tuple[float, ...]


class Choices:
    """Choices of bots, which are numbered from 0, by set."""

    def __init__(self, bots: int, basis: Basis, stages: Sequence[Stage]) -> None:
        self.bots = bots
        self.basis = basis
        self.stages = stages
        self._alternatives = sorted({stage.among for stage in stages})
        self._number = {among: number for number, among in enumerate(self._alternatives)}
        self._times = np.zeros(len(self._alternatives))
        self._won = np.zeros(bots)
        self._ahead = np.zeros((bots, bots), dtype=bool)
        for stage in stages:
            self._times[self._number[stage.among]] += stage.times
            for bot, won in zip(stage.among, stage.won, strict=True):
                self._won[bot] += won
                if won:
                    self._ahead[bot, stage.among] = True
        self._by_size = _by_size(self._alternatives)

    @property
    def sets(self) -> int:
        """How many sets there are choices from."""
        return len({stage.set for stage in self.stages})

    def sets_of_each(self) -> NDArray[np.int64]:
        """From how many sets there are choices with each bot."""
        found = np.zeros(self.bots, dtype=np.int64)
        for bots in self._members().values():
            found[list(bots)] += 1
        return found

    def until(self, last: int) -> "Choices":
        """The choices of the sets up to number `last`."""
        return Choices(self.bots, self.basis, [stage for stage in self.stages if stage.set <= last])

    # ------------------------------------------------------------------ who can be compared

    def groups(self) -> list[tuple[int, ...]]:
        """The bots in groups within which everybody was chosen over everybody else, directly or by way of others."""
        count, label = connected_components(csr_array(self._ahead), directed=True, connection="strong")
        return [tuple(np.flatnonzero(label == number).tolist()) for number in range(count)]

    def reaches(self, one: int, other: int) -> bool:
        """Whether `one` was chosen over `other`, directly or by way of others."""
        reached = np.zeros(self.bots, dtype=bool)
        reached[one] = True
        while (grown := reached | self._ahead[reached].any(axis=0)).sum() > reached.sum():
            reached = grown
        return bool(reached[other])

    def among(self, group: Sequence[int]) -> "Choices":
        """The choices within a group, its bots numbered anew: of a choice won within it, what the group won of it."""
        place = {bot: number for number, bot in enumerate(group)}
        stages = []
        for stage in self.stages:
            within = [(place[bot], won) for bot, won in zip(stage.among, stage.won, strict=True) if bot in place]
            won = sum(share for _, share in within)
            if len(within) > 1 and won:
                stages.append(
                    Stage(stage.set, tuple(bot for bot, _ in within), won, tuple(share for _, share in within))
                )
        return Choices(len(group), self.basis, stages)

    # ------------------------------------------------------------------ the likelihood

    def log_likelihood(self, strengths: Floats) -> float:
        """The logarithm of the likelihood of logarithms of strengths."""
        value = float(self._won @ strengths)
        for numbers, members in self._by_size:
            value -= float(self._times[numbers] @ logsumexp(strengths[members], axis=1))
        return value

    def slope(self, strengths: Floats) -> Floats:
        """What each bot won beyond what it was to be expected to win."""
        expected = np.zeros(self.bots)
        for numbers, members in self._by_size:
            np.add.at(expected, members, self._times[numbers][:, None] * _shares(strengths[members]))
        return self._won - expected

    def information(self, strengths: Floats) -> Floats:
        """The curvature of the log-likelihood, with its sign turned."""
        found = np.zeros((self.bots, self.bots))
        for numbers, members in self._by_size:
            curved = self._times[numbers][:, None, None] * _curvature(strengths[members])
            np.add.at(found, (members[:, :, None], members[:, None, :]), curved)
        return found

    def won_by(self, bot: int) -> float:
        """How many choices a bot won."""
        return float(self._won[bot])

    def chances_of(self, bot: int, strengths: Floats) -> tuple[Floats, Floats]:
        """For each kind of choice that a bot was in, how many there were, and the logit of its chance."""
        times, logits = [np.zeros(0)], [np.zeros(0)]
        for numbers, members in self._by_size:
            where, at = np.nonzero(members == bot)
            others = strengths[members[where]]
            own = others[np.arange(len(where)), at]
            others[np.arange(len(where)), at] = -np.inf
            times.append(self._times[numbers[where]])
            logits.append(own - logsumexp(others, axis=1))
        return np.concatenate(times), np.concatenate(logits)

    def corrected_scores(self, strengths: Floats, inverse: Floats) -> Floats:
        """What each bot won in each set beyond expectation, as if the set had had no part in the estimate.

        A row a set. `inverse` is that of the information. To first order the expectation moves with what the set itself
        contributed; undoing that takes a linear system over the bots of the set.
        """
        by_composition: defaultdict[tuple[int, ...], list[int]] = defaultdict(list)
        members = self._members()
        for number, bots in members.items():
            by_composition[bots].append(number)
        row = {number: place for place, number in enumerate(members)}
        made = np.zeros((len(members), self.bots))
        of_set: defaultdict[int, list[Stage]] = defaultdict(list)
        for stage in self.stages:
            of_set[stage.set].append(stage)
        for bots, numbers in by_composition.items():
            made[np.ix_([row[number] for number in numbers], bots)] = _corrected(
                bots, [of_set[number] for number in numbers], strengths, inverse[np.ix_(bots, bots)]
            )
        return made

    def _members(self) -> dict[int, tuple[int, ...]]:
        """The bots that the choices of each set are among."""
        found: defaultdict[int, set[int]] = defaultdict(set)
        for stage in self.stages:
            found[stage.set].update(stage.among)
        return {number: tuple(sorted(bots)) for number, bots in found.items()}


def choices_of(judged: Judged, bots: Sequence[str]) -> Choices:
    """The choices in all games that count, among `bots`."""
    number = {bot: place for place, bot in enumerate(bots)}
    counted = [(each.number, game) for each in judged.sets.values() if each.counts_for for game in each.games]
    basis: Basis = "winner" if all(_tells_winner_alone(game) for _, game in counted) else "order"
    times: defaultdict[tuple[int, tuple[int, ...]], int] = defaultdict(int)
    won: defaultdict[tuple[int, tuple[int, ...]], defaultdict[int, float]] = defaultdict(lambda: defaultdict(float))
    for set_, game in counted:
        for tied, among in _choices_in(game, basis, number):
            times[set_, among] += 1
            for bot in tied:
                won[set_, among][bot] += 1 / len(tied)
    stages = [Stage(*key, count, tuple(won[key].get(bot, 0.0) for bot in key[1])) for key, count in times.items()]
    return Choices(len(bots), basis, stages)


def _tells_winner_alone(game: JudgedGame) -> bool:
    """Whether all that did not win share a place; seats that left or were at fault are behind the rest in any case."""
    at_fault = {fault.seat for fault in game.row.faults}
    behind = {place for seat, place in enumerate(game.row.places) if place > 1 and seat not in at_fault}
    return len(behind) < 2


def _choices_in(
    game: JudgedGame, basis: Basis, number: Mapping[str, int]
) -> Iterator[tuple[list[int], tuple[int, ...]]]:
    """The choices in a game: the bots that share the place, and those among whom they were chosen."""
    left = sorted(
        (place, number[name])
        for name, place, counts in zip(game.row.seats, game.outcome.places, game.counts, strict=True)
        if counts and name in number
    )
    while len(left) > 1:
        best = left[0][0]
        if basis == "winner" and best > 1:
            return
        tied = [bot for place, bot in left if place == best]
        yield tied, tuple(sorted(bot for _, bot in left))
        left = left[len(tied) :]


def _by_size(alternatives: Sequence[tuple[int, ...]]) -> list[tuple[NDArray[np.int64], NDArray[np.int64]]]:
    """Alternatives of equal size together: their numbers, and their members, a row each."""
    of_size: defaultdict[int, list[int]] = defaultdict(list)
    for number, among in enumerate(alternatives):
        of_size[len(among)].append(number)
    return [
        (np.array(numbers), np.array([alternatives[number] for number in numbers]))
        for _, numbers in sorted(of_size.items())
    ]


def _shares(strengths: Floats) -> Floats:
    """The chance of each alternative, by the logarithms of the strengths along the last axis."""
    shares: Floats = np.exp(strengths - logsumexp(strengths, axis=-1, keepdims=True))
    return shares


def _curvature(strengths: Floats) -> Floats:
    """The variance of one choice along the last axis, as a matrix."""
    shares = _shares(strengths)
    curvature: Floats = shares[..., :, None] * (np.eye(shares.shape[-1]) - shares[..., None, :])
    return curvature


def _corrected(bots: tuple[int, ...], sets: Sequence[Sequence[Stage]], strengths: Floats, inverse: Floats) -> Floats:
    """The corrected scores of sets of one composition, a row a set, a column for each of its bots."""
    place = {bot: number for number, bot in enumerate(bots)}
    alternatives = sorted({stage.among for stages in sets for stage in stages})
    column = {among: number for number, among in enumerate(alternatives)}
    expected = np.zeros((len(alternatives), len(bots)))
    curved = np.zeros((len(alternatives), len(bots), len(bots)))
    for number, among in enumerate(alternatives):
        at = [place[bot] for bot in among]
        expected[number, at] = _shares(strengths[list(among)])
        curved[number][np.ix_(at, at)] = _curvature(strengths[list(among)])
    times = np.zeros((len(sets), len(alternatives)))
    won = np.zeros((len(sets), len(bots)))
    for row, stages in enumerate(sets):
        for stage in stages:
            times[row, column[stage.among]] = stage.times
            won[row, [place[bot] for bot in stage.among]] += stage.won
    systems = np.eye(len(bots)) - np.tensordot(times, curved, axes=1) @ inverse
    scores = (won - times @ expected)[..., None]
    if np.abs(np.linalg.det(systems)).min() < _SINGULAR:
        return np.asarray(np.linalg.pinv(systems, rcond=_SINGULAR) @ scores, np.float64)[..., 0]
    return np.asarray(np.linalg.solve(systems, scores), np.float64)[..., 0]
