"""How evenly a design lets bots meet: how often pairs share a table, who sits where, and who sits before whom.

Here: the figures, and their text. Not here: the designs (`formats`), the orders of the seats (`schedule`). May import
the standard library, `ledger` and `schedule`.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations
from typing import NamedTuple

from lastcard.tournament.schedule import Game, Schedule, Seats, games_a_set, neighbours


class Spread(NamedTuple):
    """The least and the most of a figure over all bots or pairs."""

    least: int
    most: int

    @property
    def even(self) -> bool:
        """Whether all are the same."""
        return self.least == self.most

    def __str__(self) -> str:
        return f"{self.least}" if self.even else f"{self.least} to {self.most}"


class Balance(NamedTuple):
    """The balance of a design.

    `tables` counts different compositions. By bot: its `sets`, and its games in each of its `seats`. By pair: the sets
    in which two bots `meet`, and the games in which the one sits right `before` the other, its left-hand neighbour
    being the next to play. `apart` are pairs that never meet; they are left out of `meetings` and `before`.
    """

    bots: int
    tables: int
    sets: int
    games: int
    sets_a_bot: Spread
    meetings: Spread
    seats: Spread
    before: Spread
    apart: tuple[tuple[str, str], ...]


def balance(bots: Sequence[str], circles: Iterable[tuple[tuple[str, ...], int]], seats: Seats = "rotations") -> Balance:
    """The balance of sets: each circular order of bots, and how many sets are played in it.

    With `seats` "all" each set is played in every circular order, and `circles` names each of them for it.
    """
    sets_of: Counter[str] = Counter()
    meetings: Counter[tuple[str, str]] = Counter()
    in_seat: Counter[tuple[str, int]] = Counter()
    before: Counter[tuple[str, str]] = Counter()
    tables: set[frozenset[str]] = set()
    games = 0
    shares: Counter[frozenset[str]] = Counter()
    for circle, count in circles:
        size = len(circle)
        tables.add(frozenset(circle))
        shares[frozenset(circle)] += count
        games += count * size  # every rotation
        for pair in neighbours(circle):
            before[pair] += count * size
        for bot in circle:
            for seat in range(size):
                in_seat[bot, seat] += count
    sets = 0
    for composition, count in shares.items():
        size = len(composition)
        played = count * size // games_a_set(size, seats)
        sets += played
        for bot in composition:
            sets_of[bot] += played
        for pair in combinations(sorted(composition), 2):
            meetings[pair] += played
    names = sorted(bots)
    every = [(one, other) for place, one in enumerate(names) for other in names[place + 1 :]]
    met = [pair for pair in every if meetings[pair]]
    return Balance(
        bots=len(bots),
        tables=len(tables),
        sets=sets,
        games=games,
        sets_a_bot=_spread(sets_of[bot] for bot in bots),
        meetings=_spread(meetings[pair] for pair in met),
        seats=_spread(in_seat.values()),
        before=_spread(before[order] for one, other in met for order in ((one, other), (other, one))),
        apart=tuple(pair for pair in every if not meetings[pair]),
    )


def balance_of_schedule(schedule: Schedule) -> Balance:
    """The balance of one schedule over the bots that play in it."""
    bots = tuple(dict.fromkeys(bot for composition in schedule.stage.compositions for bot in composition))
    return balance(bots, schedule.circles(), schedule.seats)


def balance_of_games(bots: Sequence[str], games: Iterable[Game], seats: Seats = "rotations") -> Balance:
    """The balance of the complete sets among games, or rows of a ledger, that were played."""
    return balance(bots, _circles(games), seats)


def balance_text(made: Balance) -> Iterator[str]:
    """The balance in sentences."""
    tables = "one table" if made.tables == 1 else f"{made.tables} different tables"
    sets = "1 set" if made.sets == 1 else f"{made.sets} sets"
    yield f"{made.bots} bots at {tables}: {sets}, {made.games} games; sets a bot: {made.sets_a_bot}"
    yield (
        f"balance: sets in which two bots meet: {made.meetings}; games of a bot in each seat: {made.seats}; games in "
        f"which one sits right before another: {made.before}"
    )
    if made.apart:
        pairs = ", ".join(f"{one} and {other}" for one, other in made.apart[:3])
        left = len(made.apart) - 3
        more = f" and {left} more {'pair' if left == 1 else 'pairs'}" if left > 0 else ""
        yield f"never at one table: {pairs}{more}"


def _circles(games: Iterable[Game]) -> Iterator[tuple[tuple[str, ...], int]]:
    """The circular orders of played games: one for each game that begins with the first of its bots by name."""
    return ((game.seats, 1) for game in games if game.seats[0] == min(game.seats))


def _spread(values: Iterable[int]) -> Spread:
    found = list(values)
    return Spread(min(found, default=0), max(found, default=0))
