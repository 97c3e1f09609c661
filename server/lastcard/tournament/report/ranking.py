"""The ranking: each bot's score with its interval, as a chart and in figures.

Here: both. Not here: how scores come about (`statistics`). May import the standard library, markupsafe and the pure
modules of `tournament`.
"""

from collections.abc import Callable, Iterable, Mapping
from typing import NamedTuple

from markupsafe import Markup

from lastcard.tournament.report.charts import Mark, axis, track
from lastcard.tournament.report.scale import Scale, linear
from lastcard.tournament.report.text import NONE, TITLES, interval_text, mean_text, tick_text, value_text
from lastcard.tournament.statistics import Estimate, Score, Standing, Standings


class Ranked(NamedTuple):
    """A bot's line in the chart."""

    rank: str
    bot: str
    track: Markup
    score: str
    interval: str


class Ranking(NamedTuple):
    """The chart, best bot first; `equal` is what a bot would have that is as good as its opponents."""

    title: str
    lines: tuple[Ranked, ...]
    axis: Markup
    equal: str | None


class Figures(NamedTuple):
    """A bot's line in the table of figures; `cells` are as many as the columns, each a figure and its interval."""

    rank: str
    bot: str
    kind: str
    cells: tuple[tuple[str, str], ...]


class FiguresTable(NamedTuple):
    """The table of figures."""

    columns: tuple[str, ...]
    lines: tuple[Figures, ...]
    notes: tuple[str, ...]


def ranking_of(made: Standings, table_size: int) -> Ranking:
    """The chart of the ranking."""
    score = made.scoring.score
    scale = _scale([standing.score for standing in made.ranking], score, table_size)
    equal = _equal(score, table_size)
    lines = tuple(
        Ranked(
            rank=_rank(standing),
            bot=standing.bot,
            track=track([_mark(standing.score)], scale, reference=equal),
            score=mean_text(standing.score, score),
            interval=interval_text(standing.score, score),
        )
        for standing in made.ranking
    )
    labels = [tick_text(tick, score) for tick in scale.ticks]
    shown = equal is not None and scale.low <= equal <= scale.high
    told = value_text(equal, score) if equal is not None and shown else None
    return Ranking(TITLES[score], lines, axis(scale, labels), told)


def figures_of(made: Standings, kinds: Mapping[str, str]) -> FiguresTable:
    """The table of all figures; `kinds` says of each bot what it is."""
    most = max((place for standing in made.ranking for place in standing.places), default=0)
    columns = ["games", "sets", *(title for title, _, _ in _ESTIMATES)]
    columns += [*(f"place {place}" for place in range(1, most + 1)), "lost by a ruling"]
    lines = tuple(
        Figures(_rank(standing), standing.bot, kinds.get(standing.bot, ""), tuple(_cells(standing, most)))
        for standing in made.ranking
    )
    return FiguresTable(tuple(columns), lines, tuple(_notes(made)))


_ESTIMATES: tuple[tuple[str, Score, Callable[[Standing], Estimate]], ...] = (
    ("share of the wins", "wins", lambda standing: standing.win_share),
    ("points a game", "points", lambda standing: standing.points),
    ("mean place", "places", lambda standing: standing.place),
)


def _cells(standing: Standing, most: int) -> Iterable[tuple[str, str]]:
    yield f"{standing.games:,}", ""
    yield f"{standing.sets:,}", ""
    for _, score, of in _ESTIMATES:
        made = of(standing)
        yield mean_text(made, score), "" if made.interval is None else interval_text(made, score)
    for place in range(1, most + 1):
        yield f"{standing.places.get(place, 0):,}", ""
    yield f"{standing.lost_by_ruling:,}", ""


def _notes(made: Standings) -> Iterable[str]:
    for note in dict.fromkeys(standing.score.note for standing in made.ranking if standing.score.note):
        bots = [standing.bot for standing in made.ranking if standing.score.note == note]
        yield f"No interval for {', '.join(bots)}: {note}."


def _mark(made: Estimate) -> Mark:
    low, high = made.interval or (None, None)
    return Mark("raw", None if made.mean is None else float(made.mean), low, high)


def _scale(estimates: Iterable[Estimate], score: Score, table_size: int) -> Scale:
    values = [end for made in estimates for end in (made.interval or ())]
    values += [float(made.mean) for made in estimates if made.mean is not None]
    equal = _equal(score, table_size)
    if equal is not None:
        values.append(equal)
    if score == "wins":
        return linear(values, least=0, most=1)
    return linear(values, least=0) if score == "points" else linear(values, least=1, most=table_size)


def _equal(score: Score, table_size: int) -> float | None:
    """What everybody would have if all were equally good; of points nobody knows."""
    if score == "wins":
        return 1 / table_size
    return (1 + table_size) / 2 if score == "places" else None


def _rank(standing: Standing) -> str:
    return str(standing.rank) if standing.score.mean is not None else NONE
