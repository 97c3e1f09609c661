"""How long bots think: times per decision as small histograms that can be added up, and what is read from them.

Here: `histogram` for a game's row, `thinking_times` over all rows. Not here: the receipts that the times are from
(`director.game`). May import the standard library and `ledger`.

Times are whole milliseconds. Up to 31 ms each has a bucket of its own, above that each doubling has 16; so a bucket's
middle is at most 1/32, about 3 %, away from any time in it. The longest time is kept exactly.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from lastcard.tournament.ledger import Row

RELATIVE_ERROR = 1 / 32
"""How far a percentile may be from the time that it stands for, as a share of it."""

_BITS = 5  # times of so many bits are exact
_PARTS = 1 << (_BITS - 1)

_PERCENTILES = (50, 95, 99)


class Thinking(NamedTuple):
    """How long a bot thought about its decisions, in milliseconds; all but `longest` within `RELATIVE_ERROR`."""

    decisions: int
    p50: float
    p95: float
    p99: float
    longest: int


def histogram(times: Iterable[tuple[int, int]], seats: int) -> list[dict[str, Any]]:
    """The histogram of each seat, as it stands in a row, from pairs of seat and milliseconds.

    `buckets` are pairs of a bucket's number and how many times are in it, `max_ms` the longest.
    """
    counts: list[Counter[int]] = [Counter() for _ in range(seats)]
    longest = [0] * seats
    for seat, ms in times:
        counts[seat][bucket_of(ms)] += 1
        longest[seat] = max(longest[seat], ms)
    return [
        {"max_ms": most, "buckets": [[bucket, count[bucket]] for bucket in sorted(count)]}
        for count, most in zip(counts, longest, strict=True)
    ]


def bucket_of(ms: int) -> int:
    """The number of the bucket of a time."""
    shift = max(0, ms.bit_length() - _BITS)
    return _PARTS * shift + (ms >> shift)


def middle_of(bucket: int) -> float:
    """The middle of the times in a bucket."""
    shift = max(0, bucket // _PARTS - 1)
    least = (bucket - _PARTS * shift) << shift
    return least + ((1 << shift) - 1) / 2


def thinking_times(rows: Iterable[Row], bots: Sequence[str]) -> dict[str, Thinking | None]:
    """How long each bot thought, over all games of which the rows tell it; `None` where none does."""
    counts: dict[str, Counter[int]] = {bot: Counter() for bot in bots}
    longest = dict.fromkeys(bots, 0)
    for row in rows:
        by_seat = row.times.get("thinking")
        if not isinstance(by_seat, list) or len(by_seat) != len(row.seats):
            continue
        for name, found in zip(row.seats, by_seat, strict=True):
            if name in counts and isinstance(found, Mapping):
                for bucket, count in found.get("buckets", ()):
                    counts[name][bucket] += count
                longest[name] = max(longest[name], found.get("max_ms", 0))
    return {bot: _thinking(counts[bot], longest[bot]) for bot in bots}


def _thinking(counts: Counter[int], longest: int) -> Thinking | None:
    total = counts.total()
    if not total:
        return None
    p50, p95, p99 = (min(_percentile(counts, total, percent), longest) for percent in _PERCENTILES)
    return Thinking(total, p50, p95, p99, longest)


def _percentile(counts: Counter[int], total: int, percent: int) -> float:
    """The middle of the bucket that holds the least time that `percent` of all do not exceed."""
    rank = -(-total * percent // 100)
    for bucket in sorted(counts):
        rank -= counts[bucket]
        if rank <= 0:
            return middle_of(bucket)
    raise AssertionError("there are as many times as were counted")
