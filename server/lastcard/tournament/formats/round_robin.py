"""The round robin over tables: every table of k out of n bots, equally often.

Here: the format. Not here: seats and rotations (`schedule`). May import the standard library and `contract`.
"""

from collections.abc import Sequence
from itertools import combinations
from math import comb

from lastcard.tournament.formats.contract import Design, FormatError, SetResult, Stage

MOST_COMPOSITIONS = 10_000
"""More tables of k out of n than this nobody plays; a design that samples them is another format."""


class RoundRobin:
    """All tables of `table_size` out of all bots; each plays every deal number once, on cards of its own."""

    name = "round-robin"
    about = "every table of k out of n bots plays the same number of sets"

    def check(self, design: Design) -> None:
        """Check that there are enough bots for a table and not more tables than can be played.

        Raises:
            FormatError: too few bots, or too many tables.
        """
        bots, size = len(design.bots), design.table_size
        if size > bots:
            raise FormatError(
                "table_size",
                f"{bots} {'bot is' if bots == 1 else 'bots are'} not enough for tables of {size}; valid is at most the "
                f"number of bots",
            )
        if comb(bots, size) > MOST_COMPOSITIONS:
            raise FormatError(
                "table_size",
                f"{bots} bots make {comb(bots, size):,} different tables of {size}; a round robin plays at most "
                f"{MOST_COMPOSITIONS:,}",
            )

    def next_stage(self, design: Design, played: Sequence[Sequence[SetResult]]) -> Stage | None:
        """All tables at once, and nothing after them."""
        if played:
            return None
        return Stage(tuple(combinations(design.bots, design.table_size)), design.deals)
