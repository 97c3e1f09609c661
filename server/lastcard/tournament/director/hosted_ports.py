"""What a hosted tournament needs of its server, and what it tells those who look on.

Here: `House`, `HostedArena`, and the news. Not here: the tournament (`hosted_event`), the server (`lastcard.services`).
May import the standard library, `lastcard.table`'s values and `lastcard.tournament`.
"""

from collections.abc import Awaitable, Callable, Collection, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol

from lastcard.table.journal import Entry
from lastcard.table.ports import Clock
from lastcard.tournament import notices
from lastcard.tournament.ports import ArenaPort


class Changed(NamedTuple):
    """The state of the tournament is another."""


class Running(NamedTuple):
    """A game that is on, with the id of its table on the server."""

    game: int
    table_id: str
    seats: tuple[str, ...]


News = (
    Changed
    | Running
    | notices.GameFinished
    | notices.BotReady
    | notices.BotFailed
    | notices.BotSetAside
    | notices.StageStarted
    | notices.Looked
)
"""What those who look on are told; rows they read from the ledger, which has grown when a game is finished."""

Onlooker = Callable[[News], None]
"""Whoever looks on; it must return at once and raise nothing."""


class HostedArena(ArenaPort, Protocol):
    """The running server, as the director of one of its tournaments needs it."""

    def table_id(self, table_id: str) -> str:
        """The id on the server of one of this event's tables."""


@dataclass(frozen=True, slots=True, kw_only=True)
class House:
    """What a hosted tournament needs of its server.

    `builtins` are the bots that it plays itself. `note` takes what is to be stored, `durable` returns when it is;
    `arena` gives the arena for an event whose tables have ids that begin with its mark, `cancel` closes the tables of
    events with these marks without a result; `log` is told of a fault of ours and gives a sentence with the number
    under which it is found.
    """

    builtins: Sequence[str]
    note: Callable[[Entry], None]
    durable: Callable[[], Awaitable[None]]
    clock: Clock
    arena: Callable[[str], HostedArena]
    cancel: Callable[[Collection[str]], None]
    log: Callable[[str, Exception], str]
