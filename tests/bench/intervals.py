"""How often the intervals of a tournament's figures hold the truth: `make intervals` simulates whole events.

Here: simulated ledgers of which the truth is known, and the table. Not here: the intervals (`lastcard.tournament`).
Exit status 1 when an interval holds the truth in less than 92 % of the events, or 90 % where only forty sets are so
dependent.

Games are drawn from known strengths by the model of the ratings, so that the truth of every figure can be computed;
in the last cases the games of a set depend on each other as much as they can, for which sets are the unit. The last
column is the win share of the bot whose interval holds it least often.
"""

import argparse
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import combinations
from typing import NamedTuple

import numpy as np

from lastcard.tournament.adjustment import luck_adjusted
from lastcard.tournament.crosstable import crosstable
from lastcard.tournament.judging import Judged, judge
from lastcard.tournament.ledger import Row
from lastcard.tournament.ratings import MEAN, SCALE, ratings
from lastcard.tournament.scoring import Scoring
from lastcard.tournament.statistics import standings_of
from ledger_rows import random_rows

LEAST = 0.92
"""The least share of events in which a 95 % interval must hold the truth."""


class Case(NamedTuple):
    """Bots by name with their strengths (logarithms), at tables of a size, for so many deals of every table.

    `whole` is the share of sets of which one bot wins all games, `least` that of events in which intervals must hold.
    """

    name: str
    strengths: dict[str, float]
    size: int
    deals: int
    whole: float = 0.0
    least: float = LEAST


CASES = tuple(
    Case(f"{name}, {deals} deals", strengths, size, deals)
    for name, strengths, size, many in (
        ("2 bots, 60 : 40", {"a": 0.2, "b": -0.2}, 2, (5, 20, 100)),
        ("4 bots, 37 to 16 %", {"a": 0.4, "b": 0.0, "c": 0.0, "d": -0.4}, 4, (5, 20, 100)),
        ("4 bots, one wins 2 %", {"a": 1.0, "b": 1.0, "c": 1.0, "d": -2.0}, 4, (5, 20, 100)),
        ("6 bots at tables of 4", dict(zip("abcdef", (0.5, 0.3, 0.1, -0.1, -0.3, -0.5), strict=True)), 4, (1, 5)),
    )
    for deals in many
) + tuple(
    Case(f"4 bots, half of sets whole, {deals} deals", {"a": 0.9, "b": 0.3, "c": -0.2, "d": -1.0}, 4, deals, 0.5, least)
    for deals, least in ((40, 0.9), (200, LEAST))
)


class Truth(NamedTuple):
    """What the figures estimate."""

    shares: dict[str, float]
    ratings: dict[str, float]
    ahead: dict[tuple[str, str], float]


def truth_of(case: Case, compositions: Sequence[tuple[str, ...]]) -> Truth:
    """Shares of the win, ratings about their weighted mean, and how often the first of a pair is ahead."""
    shares, meetings = defaultdict(list), defaultdict(list)
    told: Counter[str] = Counter()
    for members in compositions:
        weights = {bot: float(np.exp(case.strengths[bot])) for bot in members}
        chances = {bot: weight / sum(weights.values()) for bot, weight in weights.items()}
        for bot, chance in chances.items():
            shares[bot].append(chance)
            told[bot] += chance * (1 - chance)  # type: ignore[assignment]  # weights need not be whole
        for one, other in combinations(members, 2):
            meetings[one, other].append(chances[one] + (1 - chances[one] - chances[other]) / 2)
    middle = sum(told[bot] * case.strengths[bot] for bot in told) / sum(told.values())
    return Truth(
        {bot: float(np.mean(found)) for bot, found in shares.items()},
        {bot: MEAN + SCALE * (strength - middle) for bot, strength in case.strengths.items()},
        {pair: float(np.mean(found)) for pair, found in meetings.items()},
    )


def with_whole(rows: Sequence[Row], share: float, rng: np.random.Generator) -> Iterator[Row]:
    """Rows in which a share of the sets is won as a whole by whoever won its first game: as dependent as can be."""
    winner: dict[int, str] = {}
    for row in rows:
        if row.set not in winner:
            winner[row.set] = row.seats[row.places.index(1)] if rng.random() < share else ""
        chosen = winner[row.set]
        yield replace(row, places=tuple(1 if bot == chosen else 2 for bot in row.seats)) if chosen else row


def with_luck(rows: Sequence[Row], strengths: dict[str, float], rng: np.random.Generator) -> Iterator[Row]:
    """Rows in which whoever wins was luckier than the others, and whose luck is 0 on the average all the same."""
    for row in rows:
        won = np.array([place == 1 for place in row.places], dtype=float)
        chances = np.exp([strengths[bot] for bot in row.seats])
        drawn = 2 * (won - chances / chances.sum()) + rng.normal(0, 1, len(won))
        yield replace(row, luck=tuple((0.0, float(each)) for each in drawn))


def figures(judged: Judged, bots: Sequence[str]) -> Iterator[tuple[str, object, tuple[float, float] | None]]:
    """Each figure's kind, what it is of, and its interval."""
    for standing in standings_of(judged, bots).ranking:
        yield "win share", standing.bot, standing.win_share.interval
    for rating in ratings(judged, bots).ratings:
        yield "rating", rating.bot, rating.interval
    for pair, cell in crosstable(judged, bots).items():
        if pair[0] < pair[1]:
            yield "meeting", pair, cell.ahead.interval
    for adjusted in luck_adjusted(judged, bots):
        yield "luck-adjusted", adjusted.bot, adjusted.interval


KINDS = ("win share", "rating", "meeting", "luck-adjusted")


def main() -> int:
    """Simulates all cases and says whether the intervals hold what they promise."""
    parser = argparse.ArgumentParser(description="Show how often intervals hold the truth.", allow_abbrev=False)
    parser.add_argument("--events", type=int, default=400, metavar="N", help="events of each case (default 400)")
    parser.add_argument("--seed", type=int, default=1, metavar="N", help="default 1")
    args = parser.parse_args()
    began, fine = time.monotonic(), True
    print(f"{args.events} events of each case; of the 95 % intervals that were given, so many held the truth")
    print(f"{'':38}" + "".join(f"{kind:>15}" for kind in KINDS) + f"{'least of a bot':>18}")
    for case in CASES:
        compositions = list(combinations(case.strengths, case.size))
        truth = truth_of(case, compositions)
        true = dict(zip(KINDS, (truth.shares, truth.ratings, truth.ahead, truth.shares), strict=True))
        held: Counter[str] = Counter()
        given: Counter[str] = Counter()
        by_bot: Counter[object] = Counter()
        for event in range(args.events):
            rng = np.random.default_rng([args.seed, event])
            rows = random_rows(compositions, case.deals, case.strengths, rng)
            if case.whole:
                rows = list(with_whole(rows, case.whole, rng))
            judged = judge(with_luck(rows, case.strengths, rng), Scoring())
            for kind, of, interval in figures(judged, list(case.strengths)):
                if interval is not None:
                    given[kind] += 1
                    held[kind] += interval[0] <= true[kind][of] <= interval[1]  # type: ignore[index]
                    if kind == "win share":
                        by_bot[of] += interval[0] <= truth.shares[str(of)] <= interval[1]
        shown = {kind: held[kind] / given[kind] if given[kind] else None for kind in KINDS}
        fine = fine and all(share is None or share >= case.least for share in shown.values())
        cells = "".join(f"{'none':>15}" if share is None else f"{share:15.1%}" for share in shown.values())
        print(f"{case.name:38}{cells}{min(by_bot.values(), default=0) / args.events:18.1%}", flush=True)
    print(f"in {time.monotonic() - began:.0f} s")
    return 0 if fine else 1


if __name__ == "__main__":
    sys.exit(main())
