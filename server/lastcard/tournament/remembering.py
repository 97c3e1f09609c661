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
    return {bot: estimate([_gain(each, bot) for each in judged.counted_for(bot)], -1, 1) for bot in bots}


def _gain(each: JudgedSet, bot: str) -> Fraction:
    games = sorted(each.games, key=lambda game: game.row.game)
    shares = [game.scores("wins", charged=False)[game.row.seats.index(bot)] for game in games]
    return sum(shares[1:], Fraction()) / (len(shares) - 1) - shares[0]
