"""The ranking: each bot's score with its interval, as a chart.

Here: the chart. Not here: all figures (`table`), how scores come about (`statistics`). May import the standard library,
markupsafe and the pure modules of `tournament`.
"""

from typing import NamedTuple

from markupsafe import Markup

from lastcard.tournament.adjustment import Adjusted
from lastcard.tournament.figures import Figures
from lastcard.tournament.report.charts import Mark, axis, track
from lastcard.tournament.report.scale import linear
from lastcard.tournament.report.text import (
    count_text,
    interval_text,
    mean_text,
    rank_text,
    tick_text,
    title_of,
    value_text,
)
from lastcard.tournament.sequential import Verdict
from lastcard.tournament.statistics import Estimate, Score, Standings


class Ranked(NamedTuple):
    """A bot's line in the chart."""

    rank: str
    bot: str
    track: Markup
    score: str
    interval: str


class Ranking(NamedTuple):
    """The chart, best bot first; `equal` is what a bot would have that is as good as its opponents.

    `adjusted` says whether the scores with luck taken out are drawn too. `verdict` says whether the ranking is settled.
    """

    title: str
    lines: tuple[Ranked, ...]
    axis: Markup
    equal: str | None
    adjusted: bool
    verdict: str


def ranking_of(made: Standings, further: Figures, table_size: int) -> Ranking:
    """The chart of the ranking."""
    score = made.scoring.score
    marks = {standing.bot: _marks(standing.score, further.adjusted.get(standing.bot)) for standing in made.ranking}
    equal = _equal(score, table_size)
    least, most = made.scoring.bounds(table_size)
    values = [value for each in marks.values() for mark in each for value in (mark.at, mark.low, mark.high)]
    scale = linear([value for value in (*values, equal) if value is not None], least=least, most=most)
    lines = tuple(
        Ranked(
            rank=rank_text(standing),
            bot=standing.bot,
            track=track(marks[standing.bot], scale, reference=equal),
            score=mean_text(standing.score, score),
            interval=interval_text(standing.score, score),
        )
        for standing in made.ranking
    )
    labels = [tick_text(tick, score) for tick in scale.ticks]
    shown = equal is not None and scale.low <= equal <= scale.high
    told = value_text(equal, score) if equal is not None and shown else None
    drawn = any(len(each) > 1 for each in marks.values())
    return Ranking(title_of(made.scoring), lines, axis(scale, labels), told, drawn, _verdict(further.verdict))


def _verdict(made: Verdict | None) -> str:
    """Whether the order of the bots is settled, as a stop at significance would see it."""
    if made is None:
        return ""
    if made.note:
        return f"Nothing is settled yet: {made.note}."
    if made.settled:
        return f"The ranking is settled: with {made.confidence:.0%} confidence all of it is right, whenever one looks."
    open_ = [pair for pair in made.pairs if pair.evidence < made.needed]
    named = ", ".join(f"{pair.ahead} before {pair.behind}" for pair in open_[:4])
    more = f" and {count_text(len(open_) - 4, 'more pair')}" if len(open_) > 4 else ""
    return (
        f"The whole ranking is not settled yet with {made.confidence:.0%} confidence, whenever one looks; still open: "
        f"{named}{more}."
    )


def _marks(raw: Estimate, adjusted: Adjusted | None) -> list[Mark]:
    """A bot's score, and below it the one with luck taken out, if there is one."""
    low, high = raw.interval or (None, None)
    mean = None if raw.mean is None else float(raw.mean)
    if adjusted is None or adjusted.mean is None:
        return [Mark("raw", mean, low, high)]
    least, most = adjusted.interval or (None, None)
    return [Mark("raw", mean, low, high, row=-1), Mark("adjusted", adjusted.mean, least, most, row=1)]


def _equal(score: Score, table_size: int) -> float | None:
    """What everybody would have if all were equally good; of points nobody knows."""
    if score == "wins":
        return 1 / table_size
    return (1 + table_size) / 2 if score == "places" else None
