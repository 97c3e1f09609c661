"""How often a stop by significance is wrong, and what it saves: `make significance` simulates whole events.

Here: simulated events, the stop after each block as a director puts it, and the tables. Not here: the bets
(`lastcard.tournament.sequential`). Exit status 1 when wrong rankings are settled more often than the confidence allows.

Games are drawn from known strengths; the hands of a deal differ, so that the games of a set depend on each other as in
an event. Beside the stop stands what many would do instead: to look at the usual intervals of all differences after
each block, and to stop when none of them holds zero.
"""

import argparse
import sys
import time
from collections.abc import Iterator, Sequence
from itertools import combinations, pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import stdtrit

from lastcard.tournament.schedule import BLOCK_SETS
from lastcard.tournament.sequential import Rounds, evidence_of, means_of, needed, settled_after

Floats = NDArray[np.float64]

HANDS = 0.7
"""How much the hands of a deal differ, on the scale of strengths: about what makes a set vary as in UNO."""


class Case(NamedTuple):
    """Bots by their strengths (logarithms), at tables of a size, for at most so many deals of every table."""

    name: str
    strengths: tuple[float, ...]
    size: int
    deals: int
    score: str = "wins"

    @property
    def wrong_if_settled(self) -> bool:
        """Whether some of the bots are equal, so that any ranking of them is wrong."""
        return len(set(self.strengths)) < len(self.strengths)


EQUAL = (
    Case("2 equal bots", (0, 0), 2, 1000),
    Case("4 equal bots", (0, 0, 0, 0), 4, 1000),
    Case("4 equal bots, places", (0, 0, 0, 0), 4, 1000, "places"),
    Case("4 equal bots, points", (0, 0, 0, 0), 4, 1000, "points"),
    Case("5 equal bots at tables of 3", (0, 0, 0, 0, 0), 3, 150),
    Case("4 bots, two of them equal", (0.6, 0, 0, -0.6), 4, 1000),
    Case("4 bots, the last two equal", (1.2, 0.6, 0, 0), 4, 1000),
)
UNEQUAL = (
    Case("2 bots, 55 : 45", (0.1, -0.1), 2, 1000),
    Case("2 bots, 60 : 40", (0.2, -0.2), 2, 1000),
    Case("4 bots, clear steps", (0.45, 0.15, -0.15, -0.45), 4, 1000),
    Case("4 bots, clear steps, places", (0.45, 0.15, -0.15, -0.45), 4, 1000, "places"),
    Case("4 bots, clear steps, points", (0.45, 0.15, -0.15, -0.45), 4, 3000, "points"),
    Case("4 bots, small steps", (0.15, 0.05, -0.05, -0.15), 4, 2000),
    Case("5 bots at tables of 3, clear steps", (0.5, 0.25, 0, -0.25, -0.5), 3, 200),
)

POINTS_REACH = 1240
"""The points of all cards of the deck; a game gives far less."""


def rounds_of(case: Case, rng: np.random.Generator) -> Rounds:
    """The sets of one event."""
    bots, size = len(case.strengths), case.size
    compositions = list(combinations(range(bots), size))
    scores = np.zeros((bots, len(compositions), case.deals))
    plays = np.zeros((bots, len(compositions)), dtype=bool)
    for column, members in enumerate(compositions):
        strengths = np.array([case.strengths[bot] for bot in members])
        hands = rng.normal(0, HANDS, (case.deals, size))
        total = np.zeros((case.deals, size))
        for rotation in range(size):
            worth = strengths + np.roll(hands, rotation, axis=1) + rng.gumbel(size=(case.deals, size))
            total += _scores(case, worth, rng)
        scores[list(members), column] = (total / size).T
        plays[list(members), column] = True
    par = {"wins": 1 / size, "places": 0.5, "points": 0.0}[case.score]
    return Rounds(scores, plays, np.full(len(compositions), par))


def _scores(case: Case, worth: Floats, rng: np.random.Generator) -> Floats:
    """What a game counts, from 0 to 1: the win, the places behind, or points of the winner, a skewed number."""
    if case.score == "places":
        return np.argsort(np.argsort(worth, axis=1), axis=1) / (case.size - 1)
    won = (worth == worth.max(axis=1, keepdims=True)).astype(np.float64)
    if case.score == "points":
        won *= np.minimum(rng.gamma(3.0, 30.0, (len(worth), 1)), POINTS_REACH) / POINTS_REACH
    return won


def blocks_of(case: Case) -> NDArray[np.int64]:
    """After which rounds a block ends, counted from 0."""
    compositions = len(list(combinations(case.strengths, case.size)))
    length = -(-BLOCK_SETS // compositions)
    ends = np.arange(length - 1, case.deals, length)
    return ends if len(ends) and ends[-1] == case.deals - 1 else np.append(ends, case.deals - 1)


class Outcome(NamedTuple):
    """How an event ended: after how many rounds, and whether it was settled, and rightly."""

    rounds: int
    settled: bool
    right: bool


def by_bets(case: Case, rounds: Rounds, confidence: float, ends: NDArray[np.int64]) -> Outcome:
    """The stop as the director puts it."""
    means = means_of(rounds)
    done = settled_after(means, evidence_of(rounds), needed(len(case.strengths), confidence))[ends]
    return _outcome(case, means, done, ends)


def by_intervals(case: Case, rounds: Rounds, confidence: float, ends: NDArray[np.int64]) -> Outcome:
    """The stop when no interval of a difference holds zero, looked at after each block."""
    count = np.arange(1, case.deals + 1)
    by_round = rounds.scores.sum(axis=1) / rounds.plays.sum(axis=1)[:, None]
    done = np.ones(len(ends), dtype=bool)
    for one, other in combinations(range(len(case.strengths)), 2):
        differences = by_round[one] - by_round[other]
        mean = differences.cumsum() / count
        with np.errstate(divide="ignore", invalid="ignore"):
            variance = ((differences**2).cumsum() - count * mean**2) / (count - 1)
            error = np.sqrt(np.maximum(variance, 0) / count)
            quantile = stdtrit(count - 1.0, 0.5 + confidence / 2)
        done &= (count[ends] > 1) & (np.abs(mean[ends]) > (quantile * error)[ends])
    return _outcome(case, means_of(rounds), done, ends)


def _outcome(case: Case, means: Floats, done: NDArray[np.bool_], ends: NDArray[np.int64]) -> Outcome:
    if not done.any():
        return Outcome(case.deals, settled=False, right=False)
    end = int(ends[int(np.argmax(done))])
    order = [case.strengths[bot] for bot in np.argsort(-means[:, end])]
    return Outcome(end + 1, settled=True, right=all(a > b for a, b in pairwise(order)))


def simulate(case: Case, events: int, confidence: float, seed: int) -> Iterator[tuple[Outcome, Outcome]]:
    """Both stops over the same events."""
    ends = blocks_of(case)
    for event in range(events):
        rounds = rounds_of(case, np.random.default_rng([seed, event]))
        yield by_bets(case, rounds, confidence, ends), by_intervals(case, rounds, confidence, ends)


def most_by_chance(events: int, share: float) -> float:
    """A share of wrong events that is exceeded by chance once in a thousand where `share` of all may be wrong."""
    return share + 3.1 * float(np.sqrt(share * (1 - share) / events))


def run(cases: Sequence[Case], events: int, confidence: float, seed: int) -> bool:
    """Prints a line for each case; whether the error stays below what the confidence allows."""
    fine = True
    print(f"{'':38}  wrong: bets  intervals   settled   sets played of planned: mean, median")
    for case in cases:
        outcomes = list(simulate(case, events, confidence, seed))
        wrong = [np.mean([each.settled and not each.right for each in stops]) for stops in zip(*outcomes, strict=True)]
        settled = np.mean([stop.settled for stop, _ in outcomes])
        spent = np.array([stop.rounds for stop, _ in outcomes]) / case.deals
        fine = fine and wrong[0] <= most_by_chance(events, 1 - confidence)
        print(
            f"{case.name:38}  {wrong[0]:11.2%}  {wrong[1]:9.2%}  {settled:8.1%}   "
            f"{np.mean(spent):.0%}, {np.median(spent):.0%} of {case.deals}",
            flush=True,
        )
    return fine


def main() -> int:
    """Simulates all cases and says whether the errors are as they may be."""
    parser = argparse.ArgumentParser(description="Show how often a stop by significance is wrong.", allow_abbrev=False)
    parser.add_argument("--events", type=int, default=2000, metavar="N", help="events of each case (default 2000)")
    parser.add_argument("--confidence", type=float, default=0.95, metavar="P", help="default 0.95")
    parser.add_argument("--seed", type=int, default=1, metavar="N", help="default 1")
    args = parser.parse_args()
    began = time.monotonic()
    print(f"{args.events} events of each case, confidence {args.confidence}")
    print("some bots are equal: whatever is settled is wrong")
    fine = run(EQUAL, args.events, args.confidence, args.seed)
    print("all bots differ")
    fine = run(UNEQUAL, args.events, args.confidence, args.seed) and fine
    print(f"in {time.monotonic() - began:.0f} s")
    return 0 if fine else 1


if __name__ == "__main__":
    sys.exit(main())
