"""What came of simulated arenas, as text.

Here: `Outcome`, `Total`, `outcome_of`, `reached_text`. Not here: who asks for it (`__main__`, tests).
"""

import time
import traceback
from collections import Counter
from typing import NamedTuple

from simulation.stack.world import World

COLUMNS = 3


class Outcome(NamedTuple):
    """What came of one seed; `failure` is empty when every invariant held."""

    seed: int
    matches: int
    reached: Counter[str]
    cpu_s: float
    failure: str


class Total:
    """What came of many seeds together."""

    def __init__(self) -> None:
        self.seeds = 0
        self.matches = 0
        self.reached: Counter[str] = Counter()
        self.cpu_s = 0.0
        self.failures: list[tuple[int, str]] = []

    def add(self, outcome: Outcome) -> None:
        """Adds what came of a seed."""
        self.seeds += 1
        self.matches += outcome.matches
        self.reached += outcome.reached
        self.cpu_s += outcome.cpu_s
        if outcome.failure:
            self.failures.append((outcome.seed, outcome.failure))


def outcome_of(seed: int, *, traced: bool = False) -> Outcome:
    """Plays a seed and says what came of it."""
    begun = time.process_time()
    world = World(seed, traced=traced)
    failure = ""
    try:
        world.play()
    except Exception:  # noqa: BLE001 - whatever it is, the seed is what helps to find it
        failure = traceback.format_exc(limit=-3)
    return Outcome(seed, len(world.scenario.tables), world.reached, time.process_time() - begun, failure)


def reached_text(reached: Counter[str]) -> str:
    """What was reached and how often, in columns."""
    names = sorted(reached, key=lambda name: (name.isupper(), name[0].isupper(), name))
    cells = [f"{name:26}{reached[name]:>9}" for name in names]
    rows = -(-len(cells) // COLUMNS)
    return "".join("  " + "   ".join(cells[row::rows]) + "\n" for row in range(rows))
