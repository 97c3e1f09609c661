"""Which tables of k out of n bots are played when all of them are: every one, or a balanced choice.

Here: `tables_of`, and the checks that go with it. Not here: formats (one module each), who sits where (`schedule`). May
import the standard library and `contract`.

A balanced choice lets any two bots meet at least `meetings` times, and as little more often as can be. Where nobody has
to be kept apart it is cyclic: the bots stand in a circle, a few tables are chosen so that each distance between two of
their bots occurs equally often, and each is turned by one place until it is back. So all bots play equally often, and
pairs meet equally often as far as the numbers allow. Otherwise tables are built one by one around the pair that has met
least.
"""

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import combinations
from math import comb

from lastcard.tournament.formats.contract import Design, FormatError, Option, named

MOST_TABLES = 10_000
"""Of more tables than this a balanced choice is played unless the file says how often bots are to meet."""

_STEPS = 20_000
_ATTEMPTS = 3
"""So many moves, and so often from the beginning, the search for a cyclic choice tries: a fraction of a second each."""

MEETINGS = Option(
    "meetings",
    "number",
    "at how many different tables any two bots meet at least; left out: all tables are played if they are at most "
    f"{MOST_TABLES:,}, else as many as let all bots play equally often",
    most=1_000,
)
KEEP_APART = Option("keep_apart", "switch", "whether bots of one `owner` are kept from sharing a table", default=False)


def check_size(design: Design, bots: Sequence[str]) -> None:
    """Check that there are enough bots for a table.

    Raises:
        FormatError: there are not.
    """
    if design.table_size > len(bots):
        raise FormatError(
            "table_size",
            f"{len(bots)} {'bot is' if len(bots) == 1 else 'bots are'} not enough for tables of {design.table_size}; "
            f"valid is at most the number of bots",
        )


def check_owners(design: Design, bots: Sequence[str], size: int) -> None:
    """Check that tables of `size` can be filled with bots of different owners.

    Raises:
        FormatError: they cannot.
    """
    if not design.switched("keep_apart"):
        return
    owners = {design.owners[bot] for bot in bots}
    if len(owners) < size:
        kin = "one owner" if len(owners) == 1 else f"{len(owners)} owners"
        raise FormatError(
            "keep_apart",
            f"{len(bots)} bots of {kin} cannot be kept apart at tables of {design.table_size}; valid tables need as "
            f"many owners as bots",
        )


def check_divided(design: Design, bots: Sequence[str]) -> None:
    """Check that all bots at once can be divided among tables where no two have one owner.

    Raises:
        FormatError: they cannot.
    """
    if not design.switched("keep_apart"):
        return
    tables = len(bots) // design.table_size
    owner, most = max(Counter(design.owners[bot] for bot in bots).items(), key=lambda item: item[1])
    if most > tables:
        many = [bot for bot in bots if design.owners[bot] == owner]
        raise FormatError(
            "keep_apart",
            f"{named(many)} have one owner and cannot be kept apart at {tables} "
            f"{'table' if tables == 1 else 'tables'} of {design.table_size}; valid is at most one of them for each",
        )


def tables_of(
    bots: Sequence[str],
    size: int,
    *,
    meetings: int = 0,
    owners: Mapping[str, str] | None = None,
    newcomers: Collection[str] = (),
) -> tuple[tuple[str, ...], ...]:
    """Tables of `size` out of `bots`, no two the same.

    `meetings` is how often any two meet at least; 0 leaves it open. Bots of one owner in `owners` never share a table.
    With `newcomers`, only tables with at least one of them: those that are missing when they enter late.
    """
    apart = owners is not None and len({owners[bot] for bot in bots}) < len(bots)
    few = comb(len(bots), size) <= MOST_TABLES
    if few and (not meetings or size == 1 or meetings >= comb(len(bots) - 2, size - 2)):
        return tuple(_all_tables(bots, size, owners if apart else None, newcomers))
    wanted = meetings or size - 1
    if apart or newcomers or size == 1:
        return _Cover(bots, size, wanted, owners if apart else None, newcomers).tables()
    found = _cyclic(len(bots), size, wanted, strict=meetings > 0)
    return tuple(tuple(bots[place] for place in table) for table in found)


def _all_tables(
    bots: Sequence[str], size: int, owners: Mapping[str, str] | None, newcomers: Collection[str]
) -> Iterator[tuple[str, ...]]:
    for table in combinations(bots, size):
        if owners is not None and len({owners[bot] for bot in table}) < size:
            continue
        if not newcomers or any(bot in newcomers for bot in table):
            yield table


# ---------------------------------------------------------------- cyclic choices


@lru_cache(maxsize=16)
def _cyclic(count: int, size: int, meetings: int, *, strict: bool) -> tuple[tuple[int, ...], ...]:
    """Tables of numbers below `count`, all turns of a few first ones, in which any two meet `meetings` times or so.

    They do so on average; when it is `strict`, any two do so at least. One first table gives `count` tables, and lets
    two bots meet size · (size − 1) / (count − 1) times on average.
    """
    firsts = -(-meetings * (count - 1) // (size * (size - 1)))
    while True:
        blocks = _spread_blocks(count, size, firsts)
        tables = _turned(count, blocks)
        least = meetings if strict else 1
        if len(set(tables)) == len(tables) and min(_distances(count, blocks)[1:]) >= least:
            return tables
        firsts += 1
        if firsts * count >= comb(count, size):
            return tuple(combinations(range(count), size))


def _distances(count: int, blocks: Sequence[Sequence[int]]) -> list[int]:
    """How often two bots at each distance up to half the circle meet when all blocks are turned; 0 is none."""
    found = [0] * (count // 2 + 1)
    for block in blocks:
        for one, other in combinations(block, 2):
            found[_distance(count, one, other)] += 1
    if count % 2 == 0:
        found[-1] *= 2  # opposite bots meet again after half a turn
    return found


def _distance(count: int, one: int, other: int) -> int:
    apart = (one - other) % count
    return min(apart, count - apart)


def _spread_blocks(count: int, size: int, firsts: int) -> list[list[int]]:
    """Blocks that turn into different tables, whose distances occur as equally often as a few bounded searches find."""
    chance = _Chance()
    best: list[list[int]] = []
    least = (True, 0)
    for _ in range(_ATTEMPTS):
        blocks = _annealed(count, size, firsts, chance)
        tables = _turned(count, blocks)
        found = (len(set(tables)) < len(tables), _unevenness(count, blocks))
        if not best or found < least:
            best, least = blocks, found
        if least == (False, 0):
            break
    return best


def _turned(count: int, blocks: Sequence[Sequence[int]]) -> tuple[tuple[int, ...], ...]:
    """All turns of the blocks."""
    return tuple(tuple(sorted((place + turn) % count for place in block)) for block in blocks for turn in range(count))


def _unevenness(count: int, blocks: Sequence[Sequence[int]]) -> int:
    """By how much distances differ beyond what the numbers force; 0 is as even as can be."""
    found = _distances(count, blocks)[1:]
    return max(0, max(found) - min(found) - 1)


def _annealed(count: int, size: int, firsts: int, chance: "_Chance") -> list[list[int]]:
    """Blocks after many moves of single bots that make the squares of the distances' counts smaller.

    At first moves that make them larger are taken too, ever smaller ones, so that it does not end where only such moves
    lead on (simulated annealing, by thresholds).
    """
    blocks = [[0, *sorted(chance.some(count - 1, size - 1))] for _ in range(firsts)]
    counts = _distances(count, blocks)
    apart = [_distance(count, number, 0) for number in range(count)]
    step_of = [2 if 2 * distance == count else 1 for distance in range(len(counts))]  # opposite bots meet twice

    def move(bot: int, others: Sequence[int], sign: int) -> int:
        """By how much the squares change when a bot joins others or leaves them; opposites are half as many pairs."""
        change = 0
        for other in others:
            distance = apart[bot - other]
            step = sign * step_of[distance]
            change += (2 * counts[distance] * step + step * step) // step_of[distance]
            counts[distance] += step
        return change

    best, least, now = [list(block) for block in blocks], 0, 0
    for turn in range(_STEPS):
        block, place = blocks[chance.below(firsts)], 1 + chance.below(size - 1)
        bot, leaves = 1 + chance.below(count - 1), block[place]
        if bot in block:
            continue
        others = block[:place] + block[place + 1 :]
        change = move(leaves, others, -1) + move(bot, others, 1)
        if change > 4 * (1 - turn / _STEPS) ** 2:
            move(bot, others, -1)
            move(leaves, others, 1)
            continue
        block[place] = bot
        now += change
        if now < least:
            best, least = [list(each) for each in blocks], now
    return best


class _Chance:
    """Numbers that look like chance and are always the same (Knuth, MMIX)."""

    def __init__(self) -> None:
        self._state = 20_261_130

    def below(self, bound: int) -> int:
        """A number below `bound`."""
        self._state = (self._state * 6_364_136_223_846_793_005 + 1_442_695_040_888_963_407) % 2**64
        return (self._state >> 33) % bound

    def some(self, most: int, count: int) -> list[int]:
        """Different numbers from 1 to `most`."""
        found: list[int] = []
        while len(found) < count:
            number = 1 + self.below(most)
            if number not in found:
                found.append(number)
        return found


# ---------------------------------------------------------------- tables built one by one


class _Cover:
    """Tables that are built around the pair that has met least, until all have met often enough."""

    def __init__(
        self,
        bots: Sequence[str],
        size: int,
        meetings: int,
        owners: Mapping[str, str] | None,
        newcomers: Collection[str],
    ) -> None:
        self._bots = bots
        self._size = size
        self._meetings = meetings
        self._owners = owners or {bot: bot for bot in bots}
        self._newcomers = set(newcomers) or set(bots)
        self._met: Counter[frozenset[str]] = Counter()
        self._played: Counter[str] = Counter()
        self._tables: dict[frozenset[str], tuple[str, ...]] = {}

    def tables(self) -> tuple[tuple[str, ...], ...]:
        """All tables, in the order in which they were built."""
        open_pairs = [
            pair
            for pair in combinations(self._bots, min(2, self._size))
            if not self._newcomers.isdisjoint(pair) and len({self._owners[bot] for bot in pair}) == len(pair)
        ]
        place = {bot: number for number, bot in enumerate(self._bots)}
        while open_pairs:
            pair = min(
                open_pairs, key=lambda each: (self._met[frozenset(each)], sum(self._played[bot] for bot in each))
            )
            table = self._around(pair)
            if table is None:
                open_pairs.remove(pair)
                continue
            self._tables[frozenset(table)] = tuple(sorted(table, key=place.__getitem__))
            self._played.update(table)
            for count in {1, 2} if self._size > 1 else {1}:
                self._met.update(frozenset(each) for each in combinations(table, count))
            open_pairs = [each for each in open_pairs if self._met[frozenset(each)] < self._meetings]
        return tuple(self._tables.values())

    def _around(self, pair: tuple[str, ...]) -> list[str] | None:
        """A table with these bots that is not there yet; `None` when there is none."""
        table = list(pair)
        while len(table) < self._size:
            free = [bot for bot in self._bots if self._owners[bot] not in {self._owners[each] for each in table}]
            if len(table) == self._size - 1:
                free = [bot for bot in free if frozenset((*table, bot)) not in self._tables]
            if not free:
                return None
            table.append(min(free, key=lambda bot: self._worth(bot, table)))
        return None if frozenset(table) in self._tables else table

    def _worth(self, bot: str, table: Sequence[str]) -> tuple[int, int, int]:
        met = [self._met[frozenset((bot, other))] for other in table]
        return -sum(count < self._meetings for count in met), sum(met), self._played[bot]
