"""The table of all figures of each bot.

Here: its columns and cells. Not here: the chart of the ranking (`ranking`), the figures (`statistics`, `figures`). May
import the standard library and the pure modules of `tournament`.
"""

from collections.abc import Callable, Iterable, Mapping
from typing import NamedTuple

from lastcard.tournament.figures import Figures
from lastcard.tournament.report.text import NONE, interval_text, mean_text, rank_text, value_text
from lastcard.tournament.statistics import Estimate, Score, Standing, Standings


class FiguresLine(NamedTuple):
    """A bot's line in the table of figures; `cells` are as many as the columns, each a figure and its interval."""

    rank: str
    bot: str
    kind: str
    versions: str
    cells: tuple[tuple[str, str], ...]


class FiguresTable(NamedTuple):
    """The table of figures."""

    columns: tuple[str, ...]
    lines: tuple[FiguresLine, ...]
    notes: tuple[str, ...]


def table_of(made: Standings, further: Figures, contenders: Mapping[str, tuple[str, str]]) -> FiguresTable:
    """The table of all figures; `contenders` says of each bot what it is and which versions of it played."""
    most = max((place for standing in made.ranking for place in standing.places), default=0)
    lost = any(standing.lost_by_ruling for standing in made.ranking)
    columns = ["games", "sets", *(title for title, _, _ in _ESTIMATES), "luck taken out", "variance left", "rating"]
    columns += [f"finished {', '.join(map(_ordinal, range(1, most + 1)))}"] if most else []
    columns += ["lost by a ruling"] if lost else []
    lines = tuple(
        FiguresLine(
            rank=rank_text(standing),
            bot=standing.bot,
            kind=contenders[standing.bot][0],
            versions=contenders[standing.bot][1],
            cells=tuple(_cells(standing, made.scoring.score, further, most, lost=lost)),
        )
        for standing in made.ranking
    )
    return FiguresTable(tuple(columns), lines, tuple(_notes(made, further)))


_ESTIMATES: tuple[tuple[str, Score, Callable[[Standing], Estimate]], ...] = (
    ("share of the wins", "wins", lambda standing: standing.win_share),
    ("points a game", "points", lambda standing: standing.points),
    ("mean place", "places", lambda standing: standing.place),
)


def _cells(standing: Standing, score: Score, further: Figures, most: int, *, lost: bool) -> Iterable[tuple[str, str]]:
    yield f"{standing.games:,}", ""
    yield f"{standing.sets:,}", ""
    for _, kind, of in _ESTIMATES:
        made = of(standing)
        yield mean_text(made, kind), "" if made.interval is None else interval_text(made, kind)
    yield from _further(standing.bot, score, further)
    if most:
        yield " · ".join(f"{standing.places.get(place, 0):,}" for place in range(1, most + 1)), ""
    if lost:
        yield f"{standing.lost_by_ruling:,}", ""


def _further(bot: str, score: Score, further: Figures) -> Iterable[tuple[str, str]]:
    adjusted, rating = further.adjusted.get(bot), further.rating.get(bot)
    if adjusted is None or adjusted.mean is None:
        yield NONE, ""
        yield NONE, ""
    else:
        low, high = adjusted.interval or (None, None)
        told = "" if low is None or high is None else f"{value_text(low, score)} to {value_text(high, score)}"
        yield value_text(adjusted.mean, score), told
        yield (NONE if adjusted.variance_ratio is None else f"{adjusted.variance_ratio:.0%}"), ""
    if rating is None or rating.rating is None:
        yield NONE, ""
    else:
        yield f"{rating.rating:.0f}", f"{rating.interval[0]:.0f} to {rating.interval[1]:.0f}" if rating.interval else ""


def _ordinal(number: int) -> str:
    return f"{number}{ {1: 'st', 2: 'nd', 3: 'rd'}.get(number, 'th') }"


def _notes(made: Standings, further: Figures) -> Iterable[str]:
    for note in dict.fromkeys(standing.score.note for standing in made.ranking if standing.score.note):
        bots = [standing.bot for standing in made.ranking if standing.score.note == note]
        yield f"No interval for {', '.join(bots)}: {note}."
    ranked = [standing.bot for standing in made.ranking]
    for note in dict.fromkeys(further.adjusted[bot].note for bot in ranked if further.adjusted[bot].note):
        bots = [bot for bot in ranked if further.adjusted[bot].note == note]
        yield f"Luck is not taken out of the score of {', '.join(bots)}: {note}."
    for bot, why in made.disqualified:
        yield f"{bot} is disqualified and not ranked: {why}."
