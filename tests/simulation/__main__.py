"""Simulates any number of matches: `python -m simulation 5000 --first 1` (with `tests` on the path)."""

import argparse
import sys
from collections import Counter

from simulation.world import World, replay


def main() -> None:
    """Plays matches until one breaks an invariant, and says what was reached on the way."""
    parser = argparse.ArgumentParser(prog="python -m simulation", description=__doc__)
    parser.add_argument("matches", type=int)
    parser.add_argument("--first", type=int, default=1, help="seed of the first match")
    arguments = parser.parse_args()
    seen: Counter[str] = Counter()
    answers = 0
    for seed in range(arguments.first, arguments.first + arguments.matches):
        world = World(seed)
        try:
            world.play()
            assert replay(world) == world.told, "a replay came out differently"
        except Exception:
            sys.stdout.write(f"seed {seed}: {world.setup}\n")
            raise
        seen += world.watch.seen
        answers += world.watch.accepted
        assert world.table.closed is not None
        seen[f"closed {world.table.closed.cause.name}"] += 1
        for blame in world.watch.blames:
            seen[f"blame {blame.kind.name}"] += 1
    sys.stdout.write(f"{arguments.matches} matches, {answers} answers\n")
    for name, times in sorted(seen.items()):
        sys.stdout.write(f"  {name:24}{times:10}\n")


if __name__ == "__main__":
    main()
