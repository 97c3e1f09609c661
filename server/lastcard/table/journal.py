"""What must outlive the process: entries of one append-only journal.

Here: the kinds of entries. Not here: how they are kept (`store`). May import only `commands` and `plan`. With a table's
opening, its commands with their times, and the deal key, the table can be played again to where it was (architecture
section 5). `number` names a table within the journal.
"""

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


class TableClosed(NamedTuple):
    """A table is over: its result as JSON and its record, which the store writes down."""

    number: int
    closed_ms: int
    result: str
    files: RecordFiles


class IdentityMade(NamedTuple):
    """An identity is known from now on: a minted token's (`minted`) or that of a secret given on loopback."""

    identity: str
    bot: str
    minted: bool


class IdentityRevoked(NamedTuple):
    """An identity is not valid any more."""

    identity: str


Entry = TableOpened | Commanded | Bound | TableClosed | IdentityMade | IdentityRevoked
