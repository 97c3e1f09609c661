"""The garbage collector of a server process.

Here: `calm_collector`. Not here: who calls it (`cli`), since it concerns the whole process.
"""

import gc

YOUNG = 50_000
"""Objects made between two collections. A server keeps many small tuples (what was asked and answered at each table),
which are no garbage; at Python's default of 700 looking through them took a fifth of all time."""


def calm_collector() -> None:
    """Collects seldom, and never looks again at what the start has made; hosts leave no cycles in their wake."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(YOUNG, 20, 100)
