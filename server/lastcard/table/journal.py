"""What must outlive the process: entries of one append-only journal, and what a store makes of them at the next start.

Here: the kinds of entries, `Remembered` and its parts. Not here: how they are kept (`store`), how tables are taken up
again (`recovery`). May import only `commands` and `plan`. With a table's opening, its commands with their times, and
the deal key, the table can be played again to where it was (architecture section 5). `number` names a table within the
journal.
"""

from collections.abc import Sequence
from typing import NamedTuple

from lastcard.table.commands import Command
from lastcard.table.plan import RecordFiles


class TableOpened(NamedTuple):
    """A table was opened; `plan` is its plan as JSON, keys and salt included."""

    number: int
    table_id: str
    opened_ms: int
    owner: str
    plan: str


class Commanded(NamedTuple):
    """A table's machine was given a command at a time."""

    number: int
    at_ms: int
    command: Command


class Bound(NamedTuple):
    """A seat is served by an identity from now on."""

    number: int
    seat: int
    identity: str


class Unbound(NamedTuple):
    """Nobody serves a seat any more: it was given up, or its bot knows the table's end."""

    number: int
    seat: int


class TableClosed(NamedTuple):
    """A table is over: its result as JSON and its record, which the store writes down."""

    number: int
    closed_ms: int
    result: str
    files: RecordFiles


class Forgotten(NamedTuple):
    """Nobody will ask for a closed table by its id any more, so that only its result and record need be kept."""

    number: int


class Requested(NamedTuple):
    """A call with a key was answered; the same call again gets the same answer. All three are the caller's to read."""

    place: str
    asked: bytes
    answer: bytes


class Checkpoint(NamedTuple):
    """Where a table was when its server was stopped in good order; whoever takes it up again must come to the same."""

    number: int
    sequence: int
    digest: str


class IdentityMade(NamedTuple):
    """An identity is known from now on: a minted token's (`minted`) or that of a secret given on loopback."""

    identity: str
    bot: str
    minted: bool


class IdentityRevoked(NamedTuple):
    """An identity is not valid any more."""

    identity: str


class Pruned(NamedTuple):
    """Closed tables that ended before a time need not be kept any more; the store drops some of them, the oldest."""

    before_ms: int


class Registered(NamedTuple):
    """Something is known by a name from now on, or what is known of it has changed: a bot, a tournament.

    `kind` says what it is, `facts` is JSON that whoever registers it reads again.
    """

    kind: str
    name: str
    facts: str


class Unregistered(NamedTuple):
    """Something is not known any more."""

    kind: str
    name: str


Entry = (
    TableOpened
    | Commanded
    | Bound
    | Unbound
    | TableClosed
    | Forgotten
    | Requested
    | Checkpoint
    | IdentityMade
    | IdentityRevoked
    | Registered
    | Unregistered
    | Pruned
)


class RememberedTable(NamedTuple):
    """A table to take up again: how it was opened, who serves its seats, and its commands in order.

    `closed` tells that it is over; it is taken up for those who have not heard of its end yet.
    """

    opened: TableOpened
    identities: Sequence[tuple[int, str]]
    """Pairs of seat and identity."""
    commands: Sequence[tuple[int, Command]]
    """Pairs of time and command."""
    closed: bool
    checkpoint: Checkpoint | None
    result: str = ""
    """How a closed table came out, as it was stored."""


class Remembered(NamedTuple):
    """What a server starts with: who is known, tables in the order of their numbers, answers to calls, oldest first."""

    identities: Sequence[IdentityMade] = ()
    next_number: int = 1
    last_ms: int = 0
    """The latest time in the store, those of commands included."""
    tables: Sequence[RememberedTable] = ()
    requests: Sequence[Requested] = ()
    registered: Sequence[Registered] = ()
