"""What a bot gains that remembers deals: `make cheater` measures it with and without each protection.

Here: the settings that are compared, parts in parallel processes, the table. Not here: the cheater (`bot`), how it is
played (`play`).

In each setting the same games are played twice: by the cheater, and by its honest double, which plays the same where
the cheater knows nothing. The gain is the difference of their win shares, by set.
"""

import argparse
import os
import sys
import time
from collections.abc import Iterable, Sequence
from concurrent.futures import ProcessPoolExecutor
from typing import Any, NamedTuple

import numpy as np
from scipy.special import stdtrit

from bench.memory.play import OPEN, Outcome, Setting, play

SETS_A_PART = 64
"""Sets that one process plays in one go: eight blocks."""

PROTECTIONS: dict[str, dict[str, Any]] = {
    "nothing": {},
    "disguise alone": {"disguise": True},
    "disguise alone, and it does not rename": {"disguise": True, "canonical": False},
    "scattering alone": {"scattered": True},
    "closed records alone": {"closed": True},
    "all": {"disguise": True, "scattered": True, "closed": True},
    "all, in blocks of 64 sets": {"disguise": True, "scattered": True, "closed": True, "block": 64},
    "all, and it does not rename": {"disguise": True, "scattered": True, "closed": True, "canonical": False},
}


class Part(NamedTuple):
    """Some sets in one setting."""

    setting: Setting
    sets: int
    seed: int
    honest: bool


def play_part(part: Part) -> Outcome:
    """Plays a part in this process."""
    return play(part.setting, part.sets, part.seed, honest=part.honest)


def parts_of(setting: Setting, sets: int, seed: int, *, honest: bool) -> list[Part]:
    """A setting's sets in parts with seeds of their own; the same for the honest double."""
    firsts = range(0, sets, SETS_A_PART)
    return [Part(setting, min(SETS_A_PART, sets - first), seed * 1_000_000 + first, honest) for first in firsts]


def mean_of(values: Sequence[float]) -> str:
    """A mean with its 95 % interval by Student's t, in percent."""
    sample = np.array(values)
    half = float(stdtrit(len(sample) - 1, 0.975) * sample.std(ddof=1) / len(sample) ** 0.5)
    return f"{sample.mean():+7.1%} ({sample.mean() - half:+.1%} to {sample.mean() + half:+.1%})"


def line(name: str, outcomes: Iterable[Outcome], doubles: Iterable[Outcome]) -> str:
    """What was found in one setting."""
    played, honest = list(outcomes), list(doubles)
    shares = [share for outcome in played for share in outcome.shares]
    plain = [share for outcome in honest for share in outcome.shares]
    gain = [one - other for one, other in zip(shares, plain, strict=True)]
    again = sum(outcome.again for outcome in played)
    known = f"{sum(outcome.right for outcome in played) / again:.0%}, {sum(outcome.wrong for outcome in played)} wrong"
    share = f"{np.mean(plain):.1%} to {np.mean(shares):.1%}"
    return f"  {name:40}{share:>17}  {mean_of(gain):32}{known:>16}"


def main() -> int:
    """Plays all settings and prints what the cheater gains."""
    parser = argparse.ArgumentParser(prog="make cheater", description="Measure what a bot gains that remembers deals.")
    parser.add_argument("--players", type=int, default=2, metavar="N", help="players at the table (default 2)")
    parser.add_argument("--sets", type=int, default=480, metavar="N", help="sets in each setting (default 480)")
    parser.add_argument("--draws", choices=("pile", "per_seat"), default="per_seat", help="order of draws")
    parser.add_argument("--opponent", default="greedy", metavar="BOT", help="the shipped bot at all other seats")
    parser.add_argument("--only", nargs="+", choices=PROTECTIONS, default=[*PROTECTIONS], metavar="NAME")
    parser.add_argument("--seed", type=int, default=1, metavar="N", help="seed of the deals (default 1)")
    parser.add_argument("--processes", type=int, default=os.cpu_count() or 1, metavar="N", help="default: one a core")
    args = parser.parse_args()
    base = OPEN._replace(players=args.players, draws=args.draws, opponent=args.opponent)
    print(f"a cheater among {args.players - 1} x {args.opponent}, draws {args.draws}")
    print(f"{args.sets} sets in each setting, seed {args.seed}")
    print(f"  {'protected by':40}{'win share':>17}  {'gain with 95 % interval':32}{'deals known again':>18}")
    with ProcessPoolExecutor(args.processes) as pool:
        doubles: dict[bool, list[Outcome]] = {}
        for name in args.only:
            began = time.monotonic()
            setting = base._replace(**PROTECTIONS[name])
            if setting.disguise not in doubles:
                parts = parts_of(base._replace(disguise=setting.disguise), args.sets, args.seed, honest=True)
                doubles[setting.disguise] = list(pool.map(play_part, parts))
            outcomes = list(pool.map(play_part, parts_of(setting, args.sets, args.seed, honest=False)))
            print(f"{line(name, outcomes, doubles[setting.disguise])}  {time.monotonic() - began:5.0f} s")
            sys.stdout.flush()
    return 0


if __name__ == "__main__":
    sys.exit(main())
