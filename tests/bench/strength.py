"""How the shipped bots rank: `make strength` plays them against each other until the intervals part.

Here: line-ups, series in parallel processes, and the table. Not here: playing (`lastcard.cli.series`), the statistics
(`lastcard.tournament.statistics`). Exit status 1 when an order that is claimed does not show.

Each deal is played in every rotation of the seats; the unit is the deal. A bot that sits at several seats counts once,
with the mean of its seats.
"""

import argparse
import os
import sys
import time
from collections import defaultdict
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from fractions import Fraction
from typing import NamedTuple

from lastcard.cli.series import Series, as_names
from lastcard.rules.ruleset import ruleset
from lastcard.tournament.ledger import Row
from lastcard.tournament.statistics import Estimate, estimate
from lastcard_bot.bots import make_bot


class LineUp(NamedTuple):
    """A table of four; `order` names bots from strong to weak, whose intervals must not touch."""

    preset: str
    bots: tuple[str, ...]
    order: tuple[str, ...]
    games: int


LINE_UPS = (
    LineUp("official", ("shrewd", "greedy", "shrewd", "greedy"), ("shrewd", "greedy"), 2000),
    LineUp("official", ("shrewd", "greedy", "greedy", "random"), ("shrewd", "greedy", "random"), 1200),
    LineUp("official", ("greedy", "random", "greedy", "random"), ("greedy", "random"), 400),
    LineUp("german", ("shrewd", "greedy", "shrewd", "greedy"), ("shrewd", "greedy"), 3200),
    LineUp("danish", ("shrewd", "greedy", "shrewd", "greedy"), ("shrewd", "greedy"), 2400),
)


class Part(NamedTuple):
    """What one process played: each kind's share of the win a seat, by deal, and its times in seconds."""

    shares: dict[str, list[Fraction]]
    seconds: dict[str, list[float]]


def play_part(line_up: LineUp, deals: int, seed: int) -> Part:
    """Plays some deals of a line-up in this process."""
    names = as_names(line_up.bots)
    bots = {name: make_bot(kind_of(name)) for name in names}
    rules = ruleset(line_up.preset, {"match_end": "single_round"})
    series = Series(bots, rules, deals=deals, seed=seed, draws="per_seat")
    by_deal: defaultdict[int, list[Row]] = defaultdict(list)
    for row in series.play():
        by_deal[row.deal].append(row)
    shares = {kind: [mean_share(rows, kind) for rows in by_deal.values()] for kind in set(line_up.bots)}
    seconds: defaultdict[str, list[float]] = defaultdict(list)
    for name, conduct in series.conduct.items():
        seconds[kind_of(name)] += conduct.seconds
    return Part(shares, dict(seconds))


def kind_of(name: str) -> str:
    """The shipped bot behind a name that was numbered to be unique."""
    return name.partition("#")[0]


def mean_share(rows: Sequence[Row], kind: str) -> Fraction:
    """A kind's mean share of the win for each of its seats, over the games of a deal."""
    shares = []
    for row in rows:
        winners = row.places.count(1)
        shares += [
            Fraction(place == 1, winners)
            for name, place in zip(row.seats, row.places, strict=True)
            if kind_of(name) == kind
        ]
    return sum(shares, Fraction()) / len(shares)


def play(line_up: LineUp, games: int, seed: int, processes: int) -> Part:
    """Plays a line-up, its deals shared among processes."""
    deals = -(-games // len(line_up.bots))
    sizes = [len(range(part, deals, processes)) for part in range(processes)]
    with ProcessPoolExecutor(processes) as pool:
        waiting = [pool.submit(play_part, line_up, size, seed * 1000 + part) for part, size in enumerate(sizes) if size]
        parts = [done.result() for done in waiting]
    kinds = set(line_up.bots)
    return Part(
        {kind: [share for part in parts for share in part.shares[kind]] for kind in kinds},
        {kind: sorted(second for part in parts for second in part.seconds[kind]) for kind in kinds},
    )


def show(line_up: LineUp, part: Part) -> bool:
    """Prints one line-up; whether the claimed order shows."""
    estimates = {kind: estimate(part.shares[kind], least=0, most=1) for kind in line_up.order}
    for kind, one in estimates.items():
        times = part.seconds[kind]
        p50, p95 = (times[int(len(times) * share)] * 1000 for share in (0.5, 0.95))
        print(f"  {kind:7} {percent(one)}   {len(times):6} decisions, p50 {p50:6.2f} ms, p95 {p95:6.2f} ms")
    shown = True
    for better, worse in zip(line_up.order, line_up.order[1:], strict=False):
        high, low = estimates[better].interval, estimates[worse].interval
        apart = high is not None and low is not None and high[0] > low[1]
        shown = shown and apart
        print(f"  {better} {'beats' if apart else 'is not shown to beat'} {worse}")
    return shown


def percent(one: Estimate) -> str:
    """A share with its interval, in percent; 25 % a seat is fair."""
    if one.mean is None or one.interval is None:
        return one.note
    low, high = one.interval
    return f"{float(one.mean):6.1%} a seat, 95 % interval {low:6.1%} to {high:6.1%}"


def main() -> int:
    """Plays all line-ups and prints how the bots rank."""
    parser = argparse.ArgumentParser(description="Show how the shipped bots rank.", allow_abbrev=False)
    parser.add_argument("--games", type=int, metavar="N", help="games of each line-up (default: enough to tell)")
    parser.add_argument("--preset", metavar="NAME", help="only the line-ups of this preset")
    parser.add_argument("--seed", type=int, default=1, metavar="N", help="seed of the deals (default 1)")
    parser.add_argument("--processes", type=int, default=os.cpu_count() or 1, metavar="N", help="default: one a core")
    args = parser.parse_args()
    line_ups = [one for one in LINE_UPS if args.preset in (None, one.preset)]
    if not line_ups:
        parser.error(
            f"--preset {args.preset}: there are line-ups for {', '.join(sorted({one.preset for one in LINE_UPS}))}"
        )
    shown = True
    for line_up in line_ups:
        games = args.games or line_up.games
        began = time.monotonic()
        part = play(line_up, games, args.seed, args.processes)
        print(f"{line_up.preset}: {' '.join(line_up.bots)}, {games} games in {time.monotonic() - began:.0f} s")
        shown = show(line_up, part) and shown
        sys.stdout.flush()
    return 0 if shown else 1


if __name__ == "__main__":
    sys.exit(main())
