"""The list of games, in blocks that fold, small enough for a page with ten thousand of them.

Here: a line for each game, and which are left out where there are too many. Not here: what a game counts
(`statistics`). May import the standard library, markupsafe and the pure modules of `tournament`.
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from markupsafe import Markup, escape

from lastcard.tournament.ledger import Row
from lastcard.tournament.report.blame import KIND_TITLES
from lastcard.tournament.report.links import Links
from lastcard.tournament.report.text import count_text, span_text

_BLOCK = 100
"""Games in a block that is folded together."""
MOST_BYTES = 4_000_000
"""Of all lines; the games that do not fit are left to the ledger."""


class Block(NamedTuple):
    """Some games in a row; `lines` is a table's body."""

    title: str
    faults: str
    lines: Markup


class Games(NamedTuple):
    """The list; `left_out` says what of it is missing, and `causes` are those that occur."""

    blocks: tuple[Block, ...]
    many: int
    causes: tuple[str, ...]
    left_out: str


def games_of(rows: Sequence[Row], bots: Sequence[str], links: Links, *, most_bytes: int = MOST_BYTES) -> Games:
    """The list of the games in `rows`, which are sorted by game."""
    causes = tuple(sorted({row.cause for row in rows}))
    numbers = {bot: number for number, bot in enumerate(bots)}
    blocks: list[Block] = []
    size = shown = 0
    for first in range(0, len(rows), _BLOCK):
        part = rows[first : first + _BLOCK]
        lines = Markup("\n").join(_line(row, numbers, causes, links) for row in part)
        size += len(lines.encode())
        if size > most_bytes and blocks:
            break
        shown += len(part)
        blocks.append(_block(part, lines))
    left = len(rows) - shown
    told = (
        f"This page shows the first {count_text(shown, 'game')}; {count_text(left, 'more game')} would make it too "
        f"large and stand in ledger.jsonl."
    )
    return Games(tuple(blocks), shown, causes, told if left else "")


def _block(part: Sequence[Row], lines: Markup) -> Block:
    faults = sum(len(row.faults) for row in part)
    title = f"Games {part[0].game:,} to {part[-1].game:,}" if len(part) > 1 else f"Game {part[0].game:,}"
    return Block(title, count_text(faults, "fault") if faults else "", lines)


def _line(row: Row, numbers: Mapping[str, int], causes: Sequence[str], links: Links) -> Markup:
    """A line of the table; what the filter looks at stands in short attributes."""
    link = links.to_record(row.record)
    game = Markup('<a href="{}">{}</a>').format(link, row.game) if link is not None else escape(row.game)
    seats = " ".join(str(numbers.get(bot, "")) for bot in row.seats)
    return Markup(
        '<tr data-b="{}" data-c="{}"{}><th scope="row">{}</th><td>{}.{}</td><td>{}</td><td>{}</td><td>{}</td>'
        "<td>{}</td></tr>"
    ).format(
        seats,
        causes.index(row.cause),
        Markup(" data-f") if row.faults else "",
        game,
        row.set,
        row.rotation,
        _seats(row),
        row.cause.replace("_", " "),
        _span(row),
        _faults(row),
    )


def _seats(row: Row) -> Markup:
    """The bots in seat order with their points, first places in bold."""
    parts = []
    for bot, points, place in zip(row.seats, row.points, row.places, strict=True):
        part = Markup("{} {}").format(bot, points)
        parts.append(Markup("<b>{}</b>").format(part) if place == 1 else part)
    return Markup(", ").join(parts)


def _span(row: Row) -> str:
    begun, ended = row.times.get("started_ms"), row.times.get("ended_ms")
    return span_text(ended - begun) if isinstance(begun, int) and isinstance(ended, int) else ""


def _faults(row: Row) -> str:
    return ", ".join(f"{fault.bot}: {KIND_TITLES.get(fault.kind, fault.kind)}" for fault in row.faults)
