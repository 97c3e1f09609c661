"""All figures of an event that are not in its standings: what is computed once, when an event is looked at as a whole.

Here: `Figures`, `figures_of`. Not here: each of the figures (a module each), the standings, which are also computed
while an event is played (`statistics`). May import the standard library and the modules of the figures.
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from lastcard.tournament.adjustment import Adjusted, luck_adjusted
from lastcard.tournament.crosstable import Crosstable, crosstable
from lastcard.tournament.intervals import CONFIDENCE, Estimate
from lastcard.tournament.judging import Judged
from lastcard.tournament.ratings import Rating, Ratings, ratings
from lastcard.tournament.remembering import later_gains
from lastcard.tournament.sequential import Verdict, settled
from lastcard.tournament.thinking import Thinking, thinking_times


class Figures(NamedTuple):
    """The figures by bot, and those of pairs of bots.

    `remembering` is how much more a bot wins in the later games of its sets than in the first, which is 0 for one that
    does not know a deal again. `verdict` says whether the ranking is settled; it is `None` where scores have no bound,
    and where bots do not meet alike.
    """

    ratings: Ratings
    rating: Mapping[str, Rating]
    adjusted: Mapping[str, Adjusted]
    thinking: Mapping[str, Thinking | None]
    meetings: Crosstable
    remembering: Mapping[str, Estimate]
    verdict: Verdict | None


def figures_of(
    judged: Judged,
    bots: Sequence[str],
    *,
    confidence: float = CONFIDENCE,
    reach: float | None = None,
    by_score: bool = True,
) -> Figures:
    """The figures of `bots` after what was judged.

    `confidence` is that with which the ranking is to be settled, and `reach` the most that a game can give
    (`reach.reach_of`); where it is not given, wins and places have theirs all the same, and points have none.
    `by_score` says that the format ranks by mean scores. Where it does not, whom a bot meets depends on how it did, and
    then no order of mean scores says who is better, however sure it is.
    """
    rated = ratings(judged, bots)
    if reach is None and judged.scoring.score != "points":
        reach = 1.0
    return Figures(
        ratings=rated,
        rating={each.bot: each for each in rated.ratings},
        adjusted={each.bot: each for each in luck_adjusted(judged, bots)},
        thinking=thinking_times((game.row for game in judged.games), bots),
        meetings=crosstable(judged, bots),
        remembering=later_gains(judged, bots),
        verdict=None if reach is None or not by_score else settled(judged, bots, confidence, reach),
    )
