"""Dividing a field among tables: as few conflicts as there can be, and then at as small a cost.

Here: `divided`. Not here: what a conflict or a cost is (the formats). May import the standard library, and networkx for
tables of two.

Conflicts are counted by pair: bots that have met, or that belong to one owner. At tables of two a matching of least
weight is exact. At larger tables the problem is hard in general: exchanges between tables find a good division. Where
conflicts are left, more than groups who all have met force upon any division, a search looks for one with fewer; it
either proves that there is none or ends after so many steps. All of it is a function of its input alone: no chance, no
clock, no floating-point numbers.
"""

from collections.abc import Callable, Sequence
from hashlib import sha256
from itertools import combinations
from math import comb
from typing import NamedTuple

PairCost = Callable[[str, str], int]
"""What it costs, from 0, that two bots share a table; the order of the two makes no difference."""

Tables = tuple[tuple[str, ...], ...]

MOST_STEPS = 100_000
"""So many steps the search for fewer conflicts takes at most: less than a second."""


class Price(NamedTuple):
    """What a division costs: conflicts first."""

    conflicts: int
    cost: int


def divided(
    start: Sequence[Sequence[str]], conflict: PairCost, cost: PairCost, *, steps: int = MOST_STEPS
) -> tuple[Tables, Price]:
    """The bots of the tables in `start`, all of one size, divided anew, and the price of that.

    Without conflicts, and if no exchange of two bots makes it cheaper, the division stays as it is.
    """
    tables = tuple(tuple(table) for table in start)
    if len(start) > 1:
        bots = [bot for table in start for bot in table]
        made = _matched(bots, conflict, cost) if len(start[0]) == 2 else _exchanged(tables, conflict, cost, steps)
        place = {bot: number for number, bot in enumerate(bots)}
        tables = tuple(sorted((tuple(sorted(table, key=place.__getitem__)) for table in made), key=_first(place)))
    return tables, price(tables, conflict, cost)


def price(tables: Sequence[Sequence[str]], conflict: PairCost, cost: PairCost) -> Price:
    """What a division costs."""
    pairs = [pair for table in tables for pair in combinations(table, 2)]
    return Price(sum(conflict(*pair) for pair in pairs), sum(cost(*pair) for pair in pairs))


def _first(place: dict[str, int]) -> Callable[[Sequence[str]], int]:
    return lambda table: place[table[0]]


# ---------------------------------------------------------------- tables of two


def _matched(bots: Sequence[str], conflict: PairCost, cost: PairCost) -> list[tuple[str, str]]:
    """The perfect matching of least price; of several the one that a hash of the names prefers."""
    from networkx import Graph, max_weight_matching  # noqa: PLC0415 (slow to import, and few need it)

    pairs = list(combinations(bots, 2))
    step = 1 + sum(cost(*pair) for pair in pairs)
    weights = {pair: ((conflict(*pair) * step + cost(*pair)) << 64) + _preference(pair) for pair in pairs}
    most = max(weights.values())
    graph = Graph()
    for (one, other), weight in weights.items():
        graph.add_edge(one, other, weight=most - weight)
    return list(max_weight_matching(graph, maxcardinality=True))


def _preference(pair: tuple[str, str]) -> int:
    """A number by which divisions of equal price differ, so that the best one does not depend on the algorithm."""
    return int.from_bytes(sha256("\0".join(sorted(pair)).encode()).digest()[:6])


# ---------------------------------------------------------------- larger tables


def _exchanged(start: Tables, conflict: PairCost, cost: PairCost, steps: int) -> list[list[str]]:
    """The tables after exchanges, begun again from what the search found where that has fewer conflicts."""
    bots = [bot for table in start for bot in table]
    size = len(start[0])
    conflicts = [[conflict(one, other) if one != other else 0 for other in bots] for one in bots]
    costs = [[cost(one, other) if one != other else 0 for other in bots] for one in bots]
    step = 1 + sum(map(sum, costs))
    weights = [[a * step + b for a, b in zip(*rows, strict=True)] for rows in zip(conflicts, costs, strict=True)]
    tables = [list(range(at, at + size)) for at in range(0, len(bots), size)]
    _exchange(tables, weights)
    found = sum(conflicts[one][other] for table in tables for one, other in combinations(table, 2))
    if steps and found > _forced(conflicts, len(tables)):
        fewer = _Search(conflicts, size, steps).fewer_than(found)
        if fewer is not None:
            tables = fewer
            _exchange(tables, weights)
    return [[bots[bot] for bot in table] for table in tables]


def _exchange(tables: list[list[int]], weights: Sequence[Sequence[int]]) -> None:
    """Exchange bots as long as an exchange helps; each makes the price smaller, so that there is an end."""
    changed = True
    while changed:
        changed = False
        for one, other in combinations(tables, 2):
            for place in range(len(one)):
                for there in range(len(other)):
                    changed |= _try(one, place, other, there, weights)


def _try(one: list[int], place: int, other: list[int], there: int, weights: Sequence[Sequence[int]]) -> bool:
    mine, theirs = weights[one[place]], weights[other[there]]
    leaving, coming = one[place], other[there]
    gain = sum(mine[bot] - theirs[bot] for bot in one if bot != leaving)
    gain += sum(theirs[bot] - mine[bot] for bot in other if bot != coming)
    if gain > 0:
        one[place], other[there] = coming, leaving
    return gain > 0


def _forced(conflicts: Sequence[Sequence[int]], tables: int) -> int:
    """Conflicts that any division has: of a group who all are in conflict, several must share a table when it is large.

    The groups are found one by one and have no bot in common.
    """
    left = set(range(len(conflicts)))
    forced = 0
    while left:
        group: list[int] = []
        for bot in sorted(left, key=lambda each: -sum(conflicts[each][other] > 0 for other in left)):
            if all(conflicts[bot][other] for other in group):
                group.append(bot)
        left.difference_update(group)
        share, more = divmod(len(group), tables)
        forced += more * comb(share + 1, 2) + (tables - more) * comb(share, 2)
    return forced


class _Search:
    """The search for a division with fewer conflicts than a known one."""

    def __init__(self, conflicts: Sequence[Sequence[int]], size: int, steps: int) -> None:
        self._conflicts = conflicts
        self._size = size
        self._most_steps = steps
        self._steps = 0
        self._least = 0
        self._found: list[list[int]] | None = None

    def fewer_than(self, known: int) -> list[list[int]] | None:
        """A division with fewer conflicts than `known`: with none if there is one, else the best that was found."""
        for bound in (1, known):
            self._least, self._steps = bound, self._most_steps // 2
            self._divide(list(range(len(self._conflicts))), [], 0)
            if self._found is not None:
                return self._found
        return None

    def _divide(self, rest: list[int], done: list[list[int]], conflicts: int) -> None:
        if not rest:
            self._found, self._least = done, conflicts
            return
        free = {bot: sum(self._conflicts[bot][other] == 0 for other in rest) for bot in rest}
        if self._least == 1 and min(free.values()) < self._size:
            return
        first = min(rest, key=free.__getitem__)  # whoever has the fewest left to sit with
        self._fill([first], [bot for bot in rest if bot != first], done, conflicts, rest)

    def _fill(
        self, table: list[int], left: Sequence[int], done: list[list[int]], conflicts: int, rest: Sequence[int]
    ) -> None:
        """Fill a table with bots of `left`, all of which come behind those that were passed over."""
        if len(table) == self._size:
            self._divide([bot for bot in rest if bot not in table], [*done, table], conflicts)
            return
        for place, bot in enumerate(left):
            if len(table) + len(left) - place < self._size or self._steps <= 0 or conflicts >= self._least:
                return
            self._steps -= 1
            more = sum(self._conflicts[bot][other] for other in table)
            if conflicts + more < self._least:
                self._fill([*table, bot], left[place + 1 :], done, conflicts + more, rest)
