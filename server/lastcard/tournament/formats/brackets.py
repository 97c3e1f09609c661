"""The numbers of a knock-out: how many tables each round has, so that one full table is left in the end.

Here: tables and byes by number of bots. Not here: who sits where (`knockout`). May import the standard library only.
"""

from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple


class _Way(NamedTuple):
    """What the rounds from some number of bots on cost: finals that are not full, rounds, byes."""

    not_full: int
    rounds: int
    byes: int


def round_of(bots: int, size: int, advance: int) -> int:
    """How many tables a round of so many bots has; the others have byes.

    The rounds that follow are as few as can be and then have as few byes as can be, so that byes fall into the first
    round. A number that does not come down to one full table ends with a final of fewer bots.
    """
    return 1 if bots <= size else min(_choices(bots, size, advance))[1]


def sizes_that_fit(size: int, advance: int, most: int) -> Iterator[int]:
    """The numbers of bots up to `most` that come down to one full table."""
    return iter(range(size, most + 1, size - advance))


def _choices(bots: int, size: int, advance: int) -> Iterator[tuple[_Way, int]]:
    """The number of tables that a round can have, each behind what follows from it."""
    return ((_way(bots - tables * (size - advance), size, advance), tables) for tables in range(1, bots // size + 1))


@lru_cache(maxsize=4096)
def _way(bots: int, size: int, advance: int) -> _Way:
    if bots <= size:
        return _Way(int(bots < size), 1, 0)
    after, tables = min(_choices(bots, size, advance))
    return _Way(after.not_full, after.rounds + 1, after.byes + bots - tables * size)
