"""What a session remembers of tables and decisions, over all its streams.

Here: `Open`, `Table`. Not here: what is made of it (`session`). Imports `lastcard.v1`.
"""

from collections import OrderedDict
from dataclasses import dataclass, field

from lastcard.v1.table_pb2 import Act, Decision

KEPT_ANSWERS = 64
"""Answers and receipts of closed decisions that are remembered for each table in case the server repeats one."""


@dataclass(slots=True)
class Open:
    """A decision that is not closed: `act` is `None` while the bot thinks."""

    decision: Decision
    stream: int
    act: Act | None = None
    unjudged: int = 0
    """How often `act` was sent and is not judged yet."""
    refused: tuple[int, ...] = ()
    apart: int = 0
    """Calls and catches by themselves so far."""


@dataclass(slots=True)
class Table:
    """What is remembered of a table."""

    seat: int | None = None
    cursor: int | None = None
    gap: int | None = None
    """The last event before one that did not come; it has been asked for once by coming back."""
    open: dict[int, Open] = field(default_factory=dict)
    answers: OrderedDict[int, Act] = field(default_factory=OrderedDict)
    receipts: OrderedDict[int, None] = field(default_factory=OrderedDict)
