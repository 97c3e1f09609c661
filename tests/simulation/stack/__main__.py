"""Simulates any number of arenas: `python -m simulation.stack 5000 --first 1` (with `tests` on the path).

Every seed is one arena from its first start to its end, with one to three matches. A seed that breaks an invariant is
printed with the command that plays it again; `--trace` tells everything that happens in it.
"""

import argparse
import multiprocessing
import os
import sys
import time

from lastcard.services.collector import calm_collector
from simulation.stack.report import Total, outcome_of, reached_text

CHUNK = 20
"""Seeds that a process is given at a time."""

AGAIN = "PYTHONHASHSEED=0 PYTHONPATH=tests .venv/bin/python -m simulation.stack 1 --first {seed} --trace"


def main() -> None:
    """Plays seeds on all cores and says what was reached on the way; the exit status tells whether all was well."""
    parser = argparse.ArgumentParser(prog="python -m simulation.stack", description=__doc__)
    parser.add_argument("seeds", type=int, help="how many arenas to simulate")
    parser.add_argument("--first", type=int, default=1, help="first seed")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="processes; by default one a core")
    parser.add_argument("--trace", action="store_true", help="tell everything that happens, in one process")
    parser.add_argument("--stop", type=int, default=20, help="stop after so many failed seeds")
    arguments = parser.parse_args()
    calm_collector()
    seeds = range(arguments.first, arguments.first + arguments.seeds)
    started = time.monotonic()
    total = Total()
    if arguments.trace:
        for seed in seeds:
            total.add(outcome_of(seed, traced=True))
    else:
        _in_parallel(seeds, arguments.jobs, arguments.stop, total)
    for seed, failure in sorted(total.failures):
        sys.stdout.write(f"\nseed {seed}: {failure}\n  {AGAIN.format(seed=seed)}\n")
    sys.stdout.write(reached_text(total.reached))
    sys.stdout.write(
        f"{total.seeds} arenas, {total.matches} matches, {len(total.failures)} failed, "
        f"{time.monotonic() - started:.0f} s, {1000 * total.cpu_s / max(1, total.matches):.0f} ms of a core a match\n"
    )
    sys.exit(bool(total.failures))


def _in_parallel(seeds: range, jobs: int, most_failures: int, total: Total) -> None:
    """Plays seeds in several processes; ends early after too many failures."""
    with multiprocessing.get_context("fork").Pool(max(1, jobs)) as pool:
        for outcome in pool.imap_unordered(outcome_of, seeds, CHUNK):
            total.add(outcome)
            if outcome.failure:
                sys.stdout.write(f"seed {outcome.seed} failed: {outcome.failure.splitlines()[-1][:200]}\n")
            if total.seeds % 1_000 == 0:
                sys.stdout.write(f"{total.seeds} arenas, {len(total.failures)} failed\n")
                sys.stdout.flush()
            if len(total.failures) >= most_failures:
                pool.terminate()
                return


if __name__ == "__main__":
    main()
