"""Faults by bot and kind, with the evidence of some of each.

Here: counting and choosing. Not here: what a fault costs (`rulings`). May import the standard library and the pure
modules of `tournament`.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from lastcard.tournament.conduct import DISCONNECTS, STARTS, Conduct
from lastcard.tournament.entries import BotEntry
from lastcard.tournament.ledger import Row, SeatFault
from lastcard.tournament.report.links import Links
from lastcard.tournament.report.text import NONE, count_text
from lastcard.tournament.rulings import Fault

_SHOWN = 12
"""So many faults of one kind of one bot are shown with their evidence; the ledger has them all."""
_MOST_LETTERS = 400
"""Of one fault's evidence."""

KIND_TITLES: Mapping[str, str] = {
    Fault.TIMEOUT: "timeout",
    Fault.REFUSALS: "refusals",
    Fault.DISCONNECT: "disconnect",
    Fault.START_UP: "start-up",
    Fault.CRASH: "crash",
    Fault.LEFT: "left",
}


class Evidence(NamedTuple):
    """One fault; `record` is the link to the game's record, if it is there."""

    game: int
    record: str | None
    sequence: int
    text: str


class Kind(NamedTuple):
    """The faults of a bot of one kind: how many, and some of them; `more` says how many are not shown."""

    title: str
    many: int
    shown: tuple[Evidence, ...]
    more: str


class Blamed(NamedTuple):
    """A bot's faults; `counts` by kind, in the order of `KIND_TITLES`. `logs` are links to what it printed.

    `recovered` are crashes that cost nothing. `starts` of its programs and connections that were lost and `came_back`
    are told of bots that are programs.
    """

    bot: str
    counts: tuple[int, ...]
    recovered: int
    starts: str
    came_back: str
    kinds: tuple[Kind, ...]
    aside: str
    logs: tuple[str, ...]

    @property
    def total(self) -> int:
        """All its faults."""
        return sum(self.counts)


def blame_of(rows: Iterable[Row], bots: Sequence[BotEntry], conduct: Conduct, links: Links) -> tuple[Blamed, ...]:
    """The faults of each bot; `conduct` says how their programs behaved and who was set aside."""
    found: defaultdict[tuple[str, str], list[tuple[Row, SeatFault]]] = defaultdict(list)
    recovered: defaultdict[str, int] = defaultdict(int)
    for row in rows:
        for fault in row.faults:
            found[fault.bot, fault.kind].append((row, fault))
        for each in row.times.get("recovered", ()):
            if isinstance(each, dict) and isinstance(each.get("bot"), str):
                recovered[each["bot"]] += 1
    return tuple(
        Blamed(
            bot=bot.name,
            counts=tuple(len(found[bot.name, kind]) for kind in KIND_TITLES),
            recovered=recovered[bot.name],
            starts=NONE if bot.builtin is not None else f"{conduct.count(bot.name, STARTS):,}",
            came_back=NONE if bot.builtin is not None else f"{conduct.count(bot.name, DISCONNECTS):,}",
            kinds=tuple(_kind(kind, found[bot.name, kind], links) for kind in KIND_TITLES if found[bot.name, kind]),
            aside=conduct.aside(bot.name) or "",
            logs=tuple(links.to_outputs(bot.name)),
        )
        for bot in bots
    )


def _kind(kind: str, faults: Sequence[tuple[Row, SeatFault]], links: Links) -> Kind:
    shown = tuple(
        Evidence(row.game, links.to_record(row.record), fault.sequence, _cut(fault.evidence))
        for row, fault in faults[:_SHOWN]
    )
    left = len(faults) - len(shown)
    more = f"{count_text(left, 'fault')} more, in the ledger" if left else ""
    return Kind(KIND_TITLES[kind], len(faults), shown, more)


def _cut(evidence: str) -> str:
    return evidence if len(evidence) <= _MOST_LETTERS else f"{evidence[:_MOST_LETTERS]}…"
