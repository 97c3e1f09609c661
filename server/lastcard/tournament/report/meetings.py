"""Who beats whom: the table of all pairs, best bot first, as a heat map with numbers.

Here: its cells as text and shade. Not here: the figures (`crosstable`). May import the standard library and the pure
modules of `tournament`.
"""

from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

from lastcard.tournament.crosstable import Cell, Crosstable
from lastcard.tournament.report.text import NONE, count_text

MOST_BOTS = 40
"""More bots make no table that could be read."""


class Meeting(NamedTuple):
    """A cell: how often the bot of the line finished ahead of the bot of the column, in percent.

    `kind` is `settled` where the interval leaves out a half, else `open`; or it is `self` or `none`. `side` is `ahead`
    or `behind` by the share itself, and `shade` from 0 to 1 by how far it is from a half.
    """

    kind: str
    side: str
    shade: str
    share: str
    interval: str
    told: str


class Line(NamedTuple):
    """A bot's line."""

    bot: str
    cells: tuple[Meeting, ...]


class Meetings(NamedTuple):
    """The table; `left_out` says which bots are not in it, `together` which neighbours are not told apart."""

    bots: tuple[str, ...]
    lines: tuple[Line, ...]
    left_out: str
    together: str


def meetings_of(table: Crosstable, ranked: Sequence[str]) -> Meetings:
    """The table of these bots, which are in the order of the ranking."""
    shown = tuple(ranked[:MOST_BOTS])
    lines = tuple(Line(one, tuple(_cell(table.get((one, other)), one, other) for other in shown)) for one in shown)
    left = len(ranked) - len(shown)
    told = f"The table shows the first {MOST_BOTS} bots of the ranking; {count_text(left, 'more bot')} met too."
    return Meetings(shown, lines, told if left else "", _together(table, shown))


def _together(table: Crosstable, ranked: Sequence[str]) -> str:
    """What the games do not tell of bots that follow each other in the ranking."""
    pairs = [(one, other) for one, other in pairwise(ranked) if not _apart(table.get((one, other)))]
    if not table:
        return ""
    if not pairs:
        return "In the table of who beats whom each bot is told apart from the next in the ranking."
    named = ", ".join(f"{one} and {other}" for one, other in pairs)
    return f"Neighbours in the ranking that the table of who beats whom does not tell apart: {named}."


def _apart(cell: Cell | None) -> bool:
    """Whether a cell's interval leaves out a half."""
    interval = cell.ahead.interval if cell is not None else None
    return interval is not None and not interval[0] <= 0.5 <= interval[1]


def _cell(cell: Cell | None, one: str, other: str) -> Meeting:
    if one == other:
        return Meeting("self", "", "0", "", "", "")
    if cell is None or cell.ahead.mean is None:
        return Meeting("none", "", "0", NONE, "", f"{one} and {other} have not met in a set that counts")
    share = float(cell.ahead.mean)
    side = "ahead" if share > 0.5 else "behind" if share < 0.5 else ""
    shade = f"{abs(2 * share - 1):.2f}"
    told = f"{one} finished ahead of {other} in {share:.1%} of {count_text(cell.games, 'game')}"
    if cell.ahead.interval is None:
        return Meeting("open", side, shade, f"{100 * share:.0f}", "", f"{told}; {cell.ahead.note}")
    low, high = cell.ahead.interval
    kind = "settled" if _apart(cell) else "open"
    interval = f"{100 * low:.0f}–{100 * high:.0f}"
    told = f"{told} (interval {low:.1%} to {high:.1%})"
    return Meeting(kind, side, shade, f"{100 * share:.0f}", interval, told)
