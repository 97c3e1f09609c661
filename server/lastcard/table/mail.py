"""What hosts and sessions tell each other: plain values that could travel between machines.

Here: the mail in both directions and the kinds of bodies. Not here: how it travels (`ports.Bus`), what is done with it
(`host`, `sessions`). May import only `lastcard.rules` and `lastcard.table.commands`. An *identity* is who a bot is (a
hash of its token or secret); an *address* is one stream (a session's id), which ends with it.
"""

from enum import IntEnum
from typing import NamedTuple

from lastcard.rules.actions import Action


class Body(IntEnum):
    """What the bytes of a delivery are."""

    SEATED = 1
    DECISION = 2
    ACT_RESULT = 3
    EVENTS = 4
    SNAPSHOT = 5
    NOTICE = 6
    CLOSED = 7
    DECISION_CLOSED = 8
    REFUSED = 9
    ATTACHED = 10
    """Nothing for the bot: its stream has been told of all the seats that it had when it opened."""


STANDING = -1
"""Limit of a decision without deadline, which a seat may answer or ignore: an open reaction."""


class Delivery(NamedTuple):
    """To one or several addresses: an item of a play stream's frame, about one table.

    `decision_id` and `limit_ms` are set where a decision is meant; `closes` tells of an `ACT_RESULT` that the decision
    is closed by it, `started_ms` of a decision since when its clock has been running.
    """

    to: tuple[str, ...]
    kind: Body
    table_id: str
    item: bytes
    decision_id: int = 0
    limit_ms: int = 0
    closes: bool = False
    started_ms: int | None = None


class Attach(NamedTuple):
    """To every host: an identity can now be reached at an address.

    `bot` is its name; `shared` says that other identities of that name are instances of the same bot (minted tokens).
    `cursors` holds pairs of table id and last number seen; `max_tables` 0 means no limit of its own; `version` is the
    bot's own.
    """

    identity: str
    bot: str
    shared: bool
    address: str
    decisions_only: bool
    max_tables: int
    cursors: tuple[tuple[str, int], ...]
    version: str = ""


class Detach(NamedTuple):
    """To every host: nobody can be reached at this address any more."""

    identity: str
    address: str


class Acted(NamedTuple):
    """To the table's host: an answer, read from the transport at `received_ms`."""

    table_id: str
    identity: str
    address: str
    decision_id: int
    choice: int | None
    action: Action | None
    call_uno: bool
    catch_seats: tuple[int, ...]
    received_ms: int
    network_credit_ms: int


class Sent(NamedTuple):
    """To the table's host: the decision was written, or could not be within its allowance."""

    table_id: str
    identity: str
    decision_id: int
    at_ms: int


class Left(NamedTuple):
    """To the table's host: the bot leaves the table for good."""

    table_id: str
    identity: str
    address: str


class Acknowledged(NamedTuple):
    """To the table's host: the end of the table need not be told this identity again."""

    table_id: str
    identity: str


ToHost = Attach | Detach | Acted | Sent | Left | Acknowledged
