"""All figures of an event that are not in its standings: what is computed once, when an event is looked at as a whole.

Here: `Figures`, `figures_of`. Not here: each of the figures (a module each), the standings, which are also computed
while an event is played (`statistics`). May import the standard library and the modules of the figures.
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from lastcard.tournament.adjustment import Adjusted, luck_adjusted
from lastcard.tournament.crosstable import Crosstable, crosstable
from lastcard.tournament.intervals import CONFIDENCE
from lastcard.tournament.judging import Judged
from lastcard.tournament.ratings import Rating, Ratings, ratings
from lastcard.tournament.sequential import Verdict, settled
from lastcard.tournament.thinking import Thinking, thinking_times


class Figures(NamedTuple):
    """The figures by bot, and those of pairs of bots.

    `verdict` says whether the ranking is settled; it is `None` under points, which need the rules to be weighed.
    """

    ratings: Ratings
    rating: Mapping[str, Rating]
    adjusted: Mapping[str, Adjusted]
    thinking: Mapping[str, Thinking | None]
    meetings: Crosstable
    verdict: Verdict | None


def figures_of(judged: Judged, bots: Sequence[str]) -> Figures:
    """The figures of `bots` after what was judged."""
    rated = ratings(judged, bots)
    return Figures(
        ratings=rated,
        rating={each.bot: each for each in rated.ratings},
        adjusted={each.bot: each for each in luck_adjusted(judged, bots)},
        thinking=thinking_times((game.row for game in judged.games), bots),
        meetings=crosstable(judged, bots),
        verdict=settled(judged, bots, CONFIDENCE) if judged.scoring.score != "points" else None,
    )
