"""What is gained by taking luck out of scores: `make luck` plays the shipped bots against each other.

Here: line-ups, their games, and the table. Not here: luck (`lastcard.tournament.luck`), the adjustment
(`lastcard.tournament.adjustment`). Exit status 1 when the mean luck is not 0 within error.
"""

import argparse
import os
import sys
import time
from collections import defaultdict
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from lastcard.cli.series import Series, as_names
from lastcard.rules.events import Event
from lastcard.rules.ruleset import ruleset
from lastcard.tournament.adjustment import luck_adjusted
from lastcard.tournament.judging import judge
from lastcard.tournament.ledger import Row
from lastcard.tournament.luck import luck_of
from lastcard.tournament.schedule import Game
from lastcard.tournament.scoring import Scoring
from lastcard_bot.bots import make_bot


class LineUp(NamedTuple):
    """Bots at one table, how they draw, and how many sets they play."""

    bots: tuple[str, ...]
    draws: str
    sets: int


LINE_UPS = tuple(
    LineUp(bots, draws, sets)
    for bots, sets in (
        (("shrewd", "greedy"), 600),
        (("greedy", "random"), 600),
        (("shrewd", "greedy", "greedy", "random"), 300),
    )
    for draws in ("per_seat", "pile")
)

Luck = tuple[tuple[float, ...], ...]

RULES = ruleset("official", {"match_end": "single_round"})


def play(line_up: LineUp, sets: int, seed: int) -> list[Row]:
    """The rows of a line-up, with the luck of their games."""
    names = as_names(line_up.bots)
    told: defaultdict[int, list[Event]] = defaultdict(list)

    def note(game: Game, events: Sequence[Event]) -> None:
        told[game.game] += events

    bots = {name: make_bot(name.partition("#")[0]) for name in names}
    series = Series(bots, RULES, deals=sets, seed=seed, draws=line_up.draws, told=note)
    return [replace(row, luck=luck_of(told.pop(row.game), RULES, len(names))) for row in series.play()]


def show(line_up: LineUp, rows: Sequence[Row]) -> bool:
    """Prints what luck explains; whether its mean is 0 within four standard errors."""
    luck = np.array([row.luck for row in rows])
    error = luck.std(axis=0) / np.sqrt(len(rows))
    off = float(np.abs(luck.mean(axis=0) / error).max())
    print(f"{' '.join(line_up.bots)}, {line_up.draws}: {len(rows)} games")
    print(
        f"  mean luck is at most {off:.1f} standard errors from 0; of single games it explains {_explained(rows):.1%}"
    )
    judged = judge(rows, Scoring())
    for made in luck_adjusted(judged, as_names(line_up.bots)):
        ratio = made.note if made.variance_ratio is None else f"{made.variance_ratio:.2f}"
        print(f"  {made.bot:10} variance of its {made.sets} sets with luck taken out: {ratio}", flush=True)
    return off < 4


def _explained(rows: Sequence[Row]) -> float:
    """The share of the variance of single games that both kinds of luck explain, over all bots."""
    wins: defaultdict[str, list[float]] = defaultdict(list)
    lucky: defaultdict[str, list[np.ndarray]] = defaultdict(list)
    for row in rows:
        luck = np.array(row.luck)
        for seat, name in enumerate(row.seats):
            wins[name].append((row.places[seat] == 1) / row.places.count(1))
            lucky[name].append(luck[seat] - (luck.sum(axis=0) - luck[seat]) / (len(luck) - 1))
    above = np.concatenate([np.array(each) - np.mean(each) for each in wins.values()])
    by_luck = np.concatenate([np.array(each) for each in lucky.values()])
    left = above - by_luck @ np.linalg.lstsq(by_luck, above)[0]
    return 1 - float(left @ left) / float(above @ above)


def main() -> int:
    """Plays all line-ups and prints what is gained."""
    parser = argparse.ArgumentParser(description="Show what is gained by taking luck out.", allow_abbrev=False)
    parser.add_argument("--sets", type=int, metavar="N", help="sets of each line-up (default: 300 to 600)")
    parser.add_argument("--seed", type=int, default=1, metavar="N", help="default 1")
    parser.add_argument("--processes", type=int, default=os.cpu_count() or 1, metavar="N", help="default: one a core")
    args = parser.parse_args()
    began, fine = time.monotonic(), True
    with ProcessPoolExecutor(args.processes) as pool:
        waiting = [(line_up, pool.submit(play, line_up, args.sets or line_up.sets, args.seed)) for line_up in LINE_UPS]
        for line_up, done in waiting:
            fine = show(line_up, done.result()) and fine
    print(f"in {time.monotonic() - began:.0f} s")
    return 0 if fine else 1


if __name__ == "__main__":
    sys.exit(main())
