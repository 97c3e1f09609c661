"""Finishing orders as choices: who was placed first among whom, who next among the rest.

Here: `choices_of`, from the judged games to counts, and the likelihood that these give the Plackett-Luce model. Not
here: the ratings at its maximum (`ratings`). May import the standard library, numpy, scipy and `judging`.

A stage of an order is a choice of one bot, or of some that share the place, among those not placed yet. Under rules by
which all that do not win share the second place, an order tells the winner alone, and only its first stage is a choice;
where orders tell more, all of it is used.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components

from lastcard.tournament.judging import Judged, JudgedGame

Floats = NDArray[np.float64]
Numbers = NDArray[np.int64]

Basis = Literal["winner", "order"]
"""What finishing orders tell: the winner alone, or a place for each bot."""


_SINGULAR = 1e-6
"""Below that a set is taken to have fixed some of the strengths alone, so that nothing is left to correct."""


class Stages(NamedTuple):
    """Choices among equally many bots, a row for all choices of a set among the same bots.

    `sets` are numbers of sets, `among` the bots in ascending order, `times` how many choices there were, and `won` how
    many of them each bot won.
    """

    sets: Numbers
    among: Numbers
    times: Floats
    won: Floats

    def where(self, kept: NDArray[np.bool_]) -> "Stages":
        """The rows that are kept."""
        return Stages(self.sets[kept], self.among[kept], self.times[kept], self.won[kept])


class Choices:
    """Choices of bots, which are numbered from 0, by set; `stages` are of different sizes."""

    def __init__(self, bots: int, basis: Basis, stages: Sequence[Stages]) -> None:
        self.bots = bots
        self.basis = basis
        self.stages = [each for each in stages if len(each.sets)]
        self.sets = np.unique(np.concatenate([np.zeros(0, np.int64), *(each.sets for each in self.stages)]))
        """The sets that there are choices from, by number."""
        self._won = np.zeros(bots)
        self._ahead = np.zeros((bots, bots), dtype=bool)
        self._plays = np.zeros((len(self.sets), bots), dtype=bool)
        self._alternatives: list[tuple[Numbers, Floats]] = []
        for each in self.stages:
            np.add.at(self._won, each.among, each.won)
            self._plays[np.searchsorted(self.sets, each.sets)[:, None], each.among] = True
            members, kind = np.unique(each.among, axis=0, return_inverse=True)
            won = np.zeros(members.shape)
            np.add.at(won, kind, each.won)
            for column in range(members.shape[1]):
                ahead = won[:, column] > 0
                self._ahead[members[ahead, column, None], members[ahead]] = True
            self._alternatives.append((members, np.bincount(kind, each.times).astype(np.float64)))

    def sets_of_each(self) -> Numbers:
        """From how many sets there are choices with each bot."""
        return np.asarray(self._plays.sum(axis=0), np.int64)

    def until(self, last: int) -> "Choices":
        """The choices of the sets up to number `last`."""
        return Choices(self.bots, self.basis, [each.where(each.sets <= last) for each in self.stages])

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

    def within(self, group: Sequence[int]) -> "Choices":
        """The choices within a group, its bots numbered anew: of a choice won within it, what the group won of it."""
        if len(group) == self.bots:
            return self
        place = {bot: number for number, bot in enumerate(group)}
        rows: list[Stage] = []
        for each in self.stages:
            for number, among, won in zip(each.sets.tolist(), each.among.tolist(), each.won.tolist(), strict=True):
                kept = [(place[bot], share) for bot, share in zip(among, won, strict=True) if bot in place]
                times = sum(share for _, share in kept)
                if len(kept) > 1 and times:
                    bots, shares = zip(*kept, strict=True)
                    rows.append((number, bots, times, shares))
        return Choices(len(group), self.basis, _stages_of(rows))

    # ------------------------------------------------------------------ the likelihood

    def log_likelihood(self, strengths: Floats) -> float:
        """The logarithm of the likelihood of logarithms of strengths."""
        value = float(self._won @ strengths)
        for members, times in self._alternatives:
            value -= float(times @ np.logaddexp.reduce(strengths[members], axis=1))
        return value

    def slope(self, strengths: Floats) -> Floats:
        """What each bot won beyond what it was to be expected to win."""
        expected = np.zeros(self.bots)
        for members, times in self._alternatives:
            np.add.at(expected, members, times[:, None] * _shares(strengths[members]))
        return self._won - expected

    def information(self, strengths: Floats) -> Floats:
        """The curvature of the log-likelihood, with its sign turned."""
        found = np.zeros((self.bots, self.bots))
        for members, times in self._alternatives:
            curved = times[:, None, None] * _curvature(strengths[members])
            np.add.at(found, (members[:, :, None], members[:, None, :]), curved)
        return found

    def won_by(self, bot: int) -> float:
        """How many choices a bot won."""
        return float(self._won[bot])

    def chances_of(self, bot: int, strengths: Floats) -> tuple[Floats, Floats]:
        """For each kind of choice that a bot was in, how many there were, and the logit of its chance."""
        found, logits = [np.zeros(0)], [np.zeros(0)]
        for members, times in self._alternatives:
            where, at = np.nonzero(members == bot)
            others = strengths[members[where]]
            own = others[np.arange(len(where)), at]
            others[np.arange(len(where)), at] = -np.inf
            found.append(times[where])
            logits.append(own - np.logaddexp.reduce(others, axis=1))
        return np.concatenate(found), np.concatenate(logits)

    def corrected_scores(self, strengths: Floats, inverse: Floats) -> Floats:
        """What each bot won in each set beyond expectation, as if the set had had no part in the estimate.

        A row a set. `inverse` is that of the information. To first order the expectation moves with what the set itself
        contributed; undoing that takes a linear system over the bots of the set.
        """
        scores = np.zeros((len(self.sets), self.bots))
        sizes = self._plays.sum(axis=1)
        for size in np.unique(sizes):
            rows = np.flatnonzero(sizes == size)
            members = np.nonzero(self._plays[rows])[1].reshape(-1, size)
            own, curved = self._of_sets(rows, members, strengths)
            systems = np.eye(size) - curved @ inverse[members[:, :, None], members[:, None, :]]
            scores[rows[:, None], members] = _solved(systems, own)
        return scores

    def _of_sets(self, rows: Numbers, members: Numbers, strengths: Floats) -> tuple[Floats, Floats]:
        """For some sets, of the bots given: what each won beyond expectation, and the set's part of the information."""
        row_of = np.full(len(self.sets), -1)
        row_of[rows] = np.arange(len(rows))
        place_of = np.zeros((len(rows), self.bots), dtype=np.int64)
        place_of[np.arange(len(rows))[:, None], members] = np.arange(members.shape[1])
        own = np.zeros(members.shape)
        curved = np.zeros((*members.shape, members.shape[1]))
        for each in self.stages:
            found = row_of[np.searchsorted(self.sets, each.sets)]
            _, among, times, won = each.where(found >= 0)
            row = found[found >= 0][:, None]
            place = place_of[row, among]
            values = strengths[among]
            np.add.at(own, (row, place), won - times[:, None] * _shares(values))
            at = row[:, :, None], place[:, :, None], place[:, None, :]
            np.add.at(curved, at, times[:, None, None] * _curvature(values))
        return own, curved


Stage = tuple[int, tuple[int, ...], float, tuple[float, ...]]
"""A set, the bots, how many choices there were among them in it, and how many each won."""


def _stages_of(rows: Iterable[Stage]) -> list[Stages]:
    of_size: defaultdict[int, list[Stage]] = defaultdict(list)
    for row in rows:
        of_size[len(row[1])].append(row)
    return [
        Stages(
            np.array([each[0] for each in found], np.int64),
            np.array([each[1] for each in found], np.int64),
            np.array([each[2] for each in found], np.float64),
            np.array([each[3] for each in found], np.float64),
        )
        for _, found in sorted(of_size.items())
    ]


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
    rows = [(*key, float(count), tuple(won[key].get(bot, 0.0) for bot in key[1])) for key, count in times.items()]
    return Choices(len(bots), basis, _stages_of(rows))


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


def _shares(strengths: Floats) -> Floats:
    """The chance of each alternative, by the logarithms of the strengths along the last axis."""
    shares: Floats = np.exp(strengths - np.logaddexp.reduce(strengths, axis=-1, keepdims=True))
    return shares


def _curvature(strengths: Floats) -> Floats:
    """The variance of one choice along the last axis, as a matrix."""
    shares = _shares(strengths)
    curvature: Floats = shares[..., :, None] * (np.eye(shares.shape[-1]) - shares[..., None, :])
    return curvature


def _solved(systems: Floats, right: Floats) -> Floats:
    if np.abs(np.linalg.det(systems)).min() < _SINGULAR:
        return np.asarray(np.linalg.pinv(systems, rcond=_SINGULAR) @ right[..., None], np.float64)[..., 0]
    return np.asarray(np.linalg.solve(systems, right[..., None]), np.float64)[..., 0]
