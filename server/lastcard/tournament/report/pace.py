"""How long the bots thought about their decisions, on a logarithmic scale.

Here: the chart and its figures. Not here: percentiles (`thinking`). May import the standard library, markupsafe and the
pure modules of `tournament`.
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from markupsafe import Markup

from lastcard.tournament.report.charts import Mark, axis, track
from lastcard.tournament.report.scale import Scale, logarithmic
from lastcard.tournament.report.text import NONE, span_text
from lastcard.tournament.thinking import Thinking

_LEAST_MS = 1.0
"""Where the scale begins: times are whole milliseconds."""


class PaceLine(NamedTuple):
    """A bot's line; `cells` are decisions, median, 95 %, 99 %, longest."""

    bot: str
    track: Markup
    cells: tuple[str, ...]


class Pace(NamedTuple):
    """The chart; `known` is false where the ledger tells no times of any decision."""

    lines: tuple[PaceLine, ...]
    axis: Markup
    limit: str
    known: bool


def pace_of(times: Mapping[str, Thinking | None], ranked: Sequence[str], limit_ms: int) -> Pace:
    """The chart of the thinking times; `limit_ms` is what the clock gives for a decision."""
    known = [made for made in times.values() if made is not None]
    values = [value for made in known for value in (made.p50, made.longest)]
    scale = logarithmic([*values, float(limit_ms)], least=_LEAST_MS)
    lines = tuple(_line(bot, times.get(bot), scale, limit_ms) for bot in ranked)
    return Pace(lines, axis(scale, [span_text(tick) for tick in scale.ticks]), span_text(limit_ms), bool(known))


def _line(bot: str, made: Thinking | None, scale: Scale, limit_ms: int) -> PaceLine:
    if made is None:
        return PaceLine(bot, track([], scale, reference=limit_ms), (NONE,) * 5)
    marks = [
        Mark("far", None, made.p99, made.longest),
        Mark("raw", made.p50, made.p50, made.p95),
        Mark("raw", made.p99, sign="bar"),
        Mark("far", made.longest, sign="ring"),
    ]
    spans = (made.p50, made.p95, made.p99, made.longest)
    return PaceLine(
        bot, track(marks, scale, reference=limit_ms), (f"{made.decisions:,}", *(span_text(span) for span in spans))
    )
