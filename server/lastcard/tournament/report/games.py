"""The list of games, in blocks that fold, small enough for a page with ten thousand of them.

Here: a line for each game, and which are left out where there are too many. Not here: what a game counts
(`statistics`). May import the standard library, markupsafe and the pure modules of `tournament`.
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from markupsafe import Markup, escape

from lastcard.tournament.judging import Judged, JudgedGame, SetStatus
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


def games_of(judged: Judged, bots: Sequence[str], links: Links, *, most_bytes: int = MOST_BYTES) -> Games:
    """The list of all games."""
    games = judged.games
    causes = tuple(sorted({game.row.cause for game in games}))
    numbers = {bot: number for number, bot in enumerate(bots)}
    blocks: list[Block] = []
    size = shown = 0
    for first in range(0, len(games), _BLOCK):
        part = games[first : first + _BLOCK]
        lines = Markup("\n").join(_line(game, _status(judged, game), numbers, causes, links) for game in part)
        size += len(lines.encode())
        if size > most_bytes and blocks:
            break
        shown += len(part)
        blocks.append(_block(part, lines))
    left = len(games) - shown
    told = (
        f"This page shows the first {count_text(shown, 'game')}; {count_text(left, 'more game')} would make it too "
        f"large and stand in ledger.jsonl."
    )
    return Games(tuple(blocks), shown, causes, told if left else "")


def _block(part: Sequence[JudgedGame], lines: Markup) -> Block:
    faults = sum(len(game.row.faults) for game in part)
    first, last = part[0].row.game, part[-1].row.game
    title = f"Games {first:,} to {last:,}" if len(part) > 1 else f"Game {first:,}"
    return Block(title, count_text(faults, "fault") if faults else "", lines)


def _status(judged: Judged, game: JudgedGame) -> str:
    """What is to be said of a game that does not simply count."""
    if game.annulled:
        return "annulled"
    status = judged.sets[game.row.set].status
    return "" if status is SetStatus.COUNTED else f"set {status}"


def _line(game: JudgedGame, status: str, numbers: Mapping[str, int], causes: Sequence[str], links: Links) -> Markup:
    """A line of the table; what the filter looks at stands in short attributes."""
    row = game.row
    link = links.to_record(row.record)
    told = [f"{fault.bot}: {KIND_TITLES.get(fault.kind, fault.kind)}" for fault in row.faults]
    return _LINE.format(
        " ".join(str(numbers.get(bot, "")) for bot in row.seats),
        causes.index(row.cause),
        Markup(" data-f") if row.faults else "",
        Markup('<a href="{}">{}</a>').format(link, row.game) if link is not None else escape(row.game),
        row.set,
        row.rotation,
        _seats(game),
        row.cause.replace("_", " "),
        _span(row),
        ", ".join([*([status] if status else []), *dict.fromkeys(told)]),
    )


_LINE = Markup(
    '<tr data-b="{}" data-c="{}"{}><th scope="row">{}</th><td>{}.{}</td><td>{}</td><td>{}</td><td>{}</td>'
    "<td>{}</td></tr>"
)


def _seats(game: JudgedGame) -> Markup:
    """The bots in seat order with their points, winners after the rulings in bold."""
    parts = []
    row, result = game.row, game.outcome
    for seat, (bot, points) in enumerate(zip(row.seats, row.points, strict=True)):
        part = Markup("{} {}").format(bot, points)
        won = result.places[seat] == 1 and not result.lost[seat]
        parts.append(Markup("<b>{}</b>").format(part) if won else part)
    return Markup(", ").join(parts)


def _span(row: Row) -> str:
    begun, ended = row.times.get("started_ms"), row.times.get("ended_ms")
    return span_text(ended - begun) if isinstance(begun, int) and isinstance(ended, int) else ""
