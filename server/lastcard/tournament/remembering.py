"""Whether a bot does better when a deal comes again: what a bot that remembers deals cannot hide.

Here: the difference between a set's later games and its first, from the ledger. Not here: other figures
(`statistics`). May import the standard library, `judging` and `statistics`.

Within a set a bot sits at every seat once, in an order that the event's secret key has shuffled. For a bot that plays a
deal as if it had never seen it, the first game of a set is like the others, so that the difference is 0 on average,
whatever the bot is worth. Memory raises the later ones alone.
"""

from collections.abc import Sequence
from fractions import Fraction

from lastcard.tournament.judging import Judged, JudgedSet
from lastcard.tournament.statistics import Estimate, estimate


def later_gains(judged: Judged, bots: Sequence[str]) -> dict[str, Estimate]:
    """By bot, how much larger its share of the win is in the later games of its sets than in the first one."""
    gains: dict[str, list[Fraction]] = {bot: [] for bot in bots}
    for each in judged.sets.values():
        if each.counts_for:
            for bot, shares in _shares(each).items():
                if bot in gains and bot in each.counts_for:
                    gains[bot].append(sum(shares[1:], Fraction()) / (len(shares) - 1) - shares[0])
    return {bot: estimate(found, -1, 1) for bot, found in gains.items()}


def _shares(each: JudgedSet) -> dict[str, list[Fraction]]:
    """Each bot's shares of the win in a set, in the order in which its games were played."""
    shares: dict[str, list[Fraction]] = {}
    for game in sorted(each.games, key=lambda game: game.row.game):
        for bot, share in zip(game.row.seats, game.scores("wins", charged=False), strict=True):
            shares.setdefault(bot, []).append(share)
    return shares
