"""Ratings over the course of the event: one small chart a bot, the others' lines behind its own.

Here: the charts, and the same in figures. Not here: ratings (`ratings`). May import the standard library, markupsafe
and the pure modules of `tournament`.
"""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from markupsafe import Markup

from lastcard.tournament.ratings import Moment, Rating
from lastcard.tournament.report.charts import Line, background, panel
from lastcard.tournament.report.scale import Scale, linear
from lastcard.tournament.report.text import NONE, count_text

_BEHIND = "ratings"
MOST_BOTS = 24
"""So many small charts are drawn, of the first bots in the ranking."""


class Panel(NamedTuple):
    """One bot's chart and where it stands at its end."""

    bot: str
    rating: str
    interval: str
    chart: Markup


class Course(NamedTuple):
    """The charts; `behind` are the lines that all charts show, drawn once. `table` is the same in figures, by bot."""

    behind: Markup
    panels: tuple[Panel, ...]
    columns: tuple[str, ...]
    table: tuple[tuple[str, tuple[str, ...]], ...]
    end: str
    notes: tuple[str, ...]


def course_of(moments: Sequence[Moment], ranked: Sequence[str]) -> Course:
    """The course of ratings; bots are in the order of the ranking."""
    by_bot = {bot: [_of(moment, bot) for moment in moments] for bot in ranked}
    shown = ranked[:MOST_BOTS]
    rated = [made for bot in shown for made in by_bot[bot] if made is not None and made.rating is not None]
    across = Scale(0, max((moment.sets for moment in moments), default=1) or 1, ())
    up = linear(_ends(rated), ticks=4)
    lines = {bot: _line(moments, by_bot[bot]) for bot in shown}
    panels = [
        Panel(
            bot=bot,
            rating=_rating(by_bot[bot]),
            interval=_interval(by_bot[bot]),
            chart=panel(lines[bot], across, up, [f"{tick:.0f}" for tick in up.ticks], _BEHIND),
        )
        for bot in shown
        if lines[bot].points
    ]
    sets = moments[-1].sets if moments else 0
    return Course(
        behind=background(_BEHIND, lines.values(), across, up),
        panels=tuple(panels),
        columns=tuple(f"{moment.sets:,}" for moment in moments),
        table=tuple((bot, tuple(_rating([made]) for made in by_bot[bot])) for bot in ranked),
        end=count_text(sets, "set"),
        notes=tuple(_notes(by_bot, ranked)),
    )


def _of(moment: Moment, bot: str) -> Rating | None:
    return next((made for made in moment.ratings.ratings if made.bot == bot), None)


def _ends(rated: Iterable[Rating]) -> Iterable[float]:
    """Ratings and the ends of the last intervals; of early ones, which are wide, the ratings alone."""
    for made in rated:
        if made.rating is not None:
            yield made.rating
            if made.interval is not None and made.interval[1] - made.interval[0] < 400:
                yield from made.interval


def _line(moments: Sequence[Moment], made: Sequence[Rating | None]) -> Line:
    pairs = [(moment.sets, each) for moment, each in zip(moments, made, strict=True) if each is not None]
    return Line(
        points=tuple((float(sets), each.rating) for sets, each in pairs if each.rating is not None),
        band=tuple((float(sets), *each.interval) for sets, each in pairs if each.interval is not None),
    )


def _rating(made: Sequence[Rating | None]) -> str:
    last = made[-1] if made else None
    return NONE if last is None or last.rating is None else f"{last.rating:.0f}"


def _interval(made: Sequence[Rating | None]) -> str:
    last = made[-1] if made else None
    return "" if last is None or last.interval is None else f"{last.interval[0]:.0f} to {last.interval[1]:.0f}"


def _notes(by_bot: dict[str, list[Rating | None]], ranked: Sequence[str]) -> Iterable[str]:
    notes: dict[str, list[str]] = {}
    for bot in ranked:
        last = by_bot[bot][-1] if by_bot[bot] else None
        if last is not None and last.note:
            notes.setdefault(last.note, []).append(bot)
    for note, bots in notes.items():
        yield f"{', '.join(bots)}: {note}."
