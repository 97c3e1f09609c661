"""Who beats whom: for each two bots how often the one finished ahead of the other, with its interval.

Here: the cells of the table. Not here: a bot's mean over all it met (`statistics`). May import the standard library,
`intervals` and `judging`.

A game in which both bots count is 1 for the bot with the better place after the rulings, 0 for the other, and a half
for both where they share it. The unit is the set: a cell is the mean over the sets in which the two met of their mean
in the set.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from fractions import Fraction
from itertools import combinations
from types import MappingProxyType
from typing import NamedTuple

from lastcard.tournament.intervals import Estimate, estimate
from lastcard.tournament.judging import Judged


class Cell(NamedTuple):
    """How often one bot finished ahead of another, over `games` games of `sets` sets; a shared place is a half."""

    ahead: Estimate
    sets: int
    games: int


Crosstable = Mapping[tuple[str, str], Cell]
"""A cell for each ordered pair of bots that met: how often the first finished ahead of the second."""


def crosstable(judged: Judged, bots: Sequence[str]) -> Crosstable:
    """The cells of all ordered pairs of `bots` that met in a set that counts for both; others have none."""
    wanted = {bot: place for place, bot in enumerate(bots)}
    halves: defaultdict[tuple[str, str], dict[int, list[int]]] = defaultdict(dict)
    for each in judged.sets.values():
        if len(each.counts_for) < 2:
            continue
        for game in each.games:
            places = sorted(
                (wanted[name], name, place)
                for name, place, counts in zip(game.row.seats, game.outcome.places, game.counts, strict=True)
                if counts and name in wanted
            )
            for (_, one, ahead), (_, other, behind) in combinations(places, 2):
                tally = halves[one, other].setdefault(each.number, [0, 0])
                tally[0] += (ahead <= behind) + (ahead < behind)
                tally[1] += 1
    cells: dict[tuple[str, str], Cell] = {}
    for (one, other), by_set in halves.items():
        shares = [Fraction(won, 2 * games) for won, games in by_set.values()]
        games = sum(games for _, games in by_set.values())
        cells[one, other] = Cell(estimate(shares, 0, 1), len(shares), games)
        cells[other, one] = cells[one, other]._replace(ahead=cells[one, other].ahead.of_rest())
    order = sorted(cells, key=lambda pair: (wanted[pair[0]], wanted[pair[1]]))
    return MappingProxyType({pair: cells[pair] for pair in order})
