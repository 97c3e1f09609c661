"""Charts as inline SVG: marks on a track, an axis below, and lines over time.

Here: drawing. Not here: scales (`scale`), what is drawn (the sections of the page), colours (`page.css`, by class). May
import the standard library, markupsafe and `scale`.

Across, all is in percent of a width that the page decides, so that a chart is as wide as its place on a phone and on
paper, and its text does not shrink with it. Everything that is drawn is also said in a table, so that charts are
hidden from screen readers.
"""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from markupsafe import Markup

from lastcard.tournament.report.scale import Scale

_HEIGHT = 24
"""Of a track, in pixels."""
_PANEL_HEIGHT = 120


class Mark(NamedTuple):
    """Something on a track: a line from `low` to `high` where there are two, and a sign at `at`; drawn by `kind`.

    `row` is 0 where a track has one line of marks, or -1 and 1 for those above and below.
    """

    kind: str
    at: float | None
    low: float | None = None
    high: float | None = None
    row: int = 0
    sign: str = "dot"


def track(marks: Iterable[Mark], scale: Scale, *, reference: float | None = None) -> Markup:
    """One line of a chart: the ticks of its scale as thin lines, a reference line, and the marks."""
    parts = [_upright(scale.place(tick), "grid") for tick in scale.ticks]
    if reference is not None and scale.low <= reference <= scale.high:
        parts.append(_upright(scale.place(reference), "reference"))
    parts += [_drawn(mark, scale) for mark in marks]
    return _svg("track", _HEIGHT, parts)


def axis(scale: Scale, labels: Sequence[str]) -> Markup:
    """The ticks' labels, to stand below the tracks; those at the ends keep within."""
    parts = []
    for tick, label in zip(scale.ticks, labels, strict=True):
        place = scale.place(tick)
        anchor = "start" if place < 4 else "end" if place > 96 else "middle"
        parts.append(Markup('<text x="{}%" y="13" text-anchor="{}">{}</text>').format(_number(place), anchor, label))
    return _svg("axis", 18, parts)


class Line(NamedTuple):
    """Values over time; `band` is the interval around each, where there is one."""

    points: tuple[tuple[float, float], ...]
    band: tuple[tuple[float, float, float], ...] = ()


def background(name: str, lines: Iterable[Line], across: Scale, up: Scale) -> Markup:
    """Lines that several panels show behind their own, drawn once under a name."""
    paths = Markup("").join(Markup('<path d="{}"/>').format(_path(line.points, across, up)) for line in lines)
    return Markup(
        '<svg class="unseen" width="0" height="0" aria-hidden="true"><defs><g id="{}">{}</g></defs></svg>'
    ).format(name, paths)


def panel(line: Line, across: Scale, up: Scale, labels: Sequence[str], behind: str) -> Markup:
    """A small chart of one line over the lines of the background `behind`; `labels` are those of the ticks of `up`."""
    parts = []
    for tick, label in zip(up.ticks, labels, strict=True):
        y = _number(100 - up.place(tick))
        parts.append(Markup('<line class="grid" x1="0" x2="100%" y1="{0}%" y2="{0}%"/>').format(y))
        parts.append(Markup('<text x="0" y="{}%" dy="-3">{}</text>').format(y, label))
    drawn = [Markup('<use class="others" href="#{}"/>').format(behind)]
    if line.band:
        there = [(x, high) for x, _, high in line.band]
        back = [(x, low) for x, low, _ in reversed(line.band)]
        drawn.append(Markup('<path class="band" d="{}Z"/>').format(_path([*there, *back], across, up)))
    drawn.append(Markup('<path class="line" d="{}"/>').format(_path(line.points, across, up)))
    parts.append(
        Markup('<svg viewBox="0 0 1000 1000" width="100%" height="100%" preserveAspectRatio="none">{}</svg>').format(
            Markup("").join(drawn)
        )
    )
    return _svg("panel", _PANEL_HEIGHT, parts)


def _path(points: Iterable[tuple[float, float]], across: Scale, up: Scale) -> str:
    """A path in a square of 1000 by 1000, which is stretched."""
    placed = [f"{across.place(x) * 10:.0f} {1000 - up.place(y) * 10:.0f}" for x, y in points]
    return f"M{'L'.join(placed)}" if placed else "M0 0"


def _drawn(mark: Mark, scale: Scale) -> Markup:
    y = _HEIGHT // 2 + 5 * mark.row
    parts = []
    if mark.low is not None and mark.high is not None:
        left, right = scale.place(mark.low), scale.place(mark.high)
        parts.append(_line(left, right, y))
        parts += [
            Markup('<line x1="{0}%" x2="{0}%" y1="{1}" y2="{2}"/>').format(_number(end), y - 4, y + 4)
            for end in (left, right)
        ]
    if mark.at is not None:
        parts.append(_sign(mark.sign, scale.place(mark.at), y))
    return Markup('<g class="{}">{}</g>').format(mark.kind, Markup("").join(parts))


def _sign(sign: str, place: float, y: int) -> Markup:
    x = _number(place)
    if sign == "bar":
        return Markup('<line class="sign" x1="{0}%" x2="{0}%" y1="{1}" y2="{2}"/>').format(x, y - 6, y + 6)
    return Markup('<circle class="{}" cx="{}%" cy="{}" r="4"/>').format(sign, x, y)


def _line(left: float, right: float, y: int) -> Markup:
    return Markup('<line x1="{0}%" x2="{1}%" y1="{2}" y2="{2}"/>').format(_number(left), _number(right), y)


def _upright(place: float, kind: str) -> Markup:
    return Markup('<line class="{0}" x1="{1}%" x2="{1}%" y1="0" y2="100%"/>').format(kind, _number(place))


def _number(value: float) -> str:
    return f"{value:.2f}".rstrip("0").rstrip(".")


def _svg(kind: str, height: int, parts: Sequence[Markup]) -> Markup:
    return Markup('<svg class="{}" width="100%" height="{}" aria-hidden="true">{}</svg>').format(
        kind, height, Markup("").join(parts)
    )
