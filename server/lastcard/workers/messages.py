"""What a director and a worker say to each other, and how it goes through the pipe between them.

Here: the messages, `receive`, `packed`. Not here: what is done about them (`arena`, `worker`). May import asyncio only.

A message is its length in four bytes and a pickle of plain values: both ends are one program of one user on one
machine, and nobody else has the pipe. Requests have numbers, and an answer has the number of its request.
"""

import asyncio
import pickle
import struct
from typing import Any, NamedTuple

_LENGTH = struct.Struct("!I")

# ---------------------------------------------------------------------- from the director


class Begin(NamedTuple):
    """The first message: the settings that the arena is to be started with, by name; `worker` is its number, from 1."""

    worker: int
    settings: dict[str, Any]


class Play(NamedTuple):
    """Play at a table by a plan, which is as it is stored: no field can be taken for another.

    Answered by `Begun` and then by `Answer` with the result, as it is stored, record, receipts, and what these two say.
    """

    number: int
    table_id: str
    plan: str


class Ask(NamedTuple):
    """Call a method of the event's arena that waits; answered with what it returns."""

    number: int
    method: str
    arguments: tuple[Any, ...] = ()


class Drop(NamedTuple):
    """Nobody waits for the answer to a request any more."""

    number: int


class Tell(NamedTuple):
    """Call a method of the event's arena that returns nothing."""

    method: str
    arguments: tuple[Any, ...] = ()


class Beat(NamedTuple):
    """Say that you live, by the same message."""


class End(NamedTuple):
    """Stop in good order, and end."""


Request = Play | Ask
"""What is answered."""

# ---------------------------------------------------------------------- from the worker


class Ready(NamedTuple):
    """The arena is open at an address, and knows these tables of an earlier run."""

    address: str
    tables: tuple[str, ...]


class Unable(NamedTuple):
    """The arena cannot be started: why, and what to do."""

    sentence: str


class Begun(NamedTuple):
    """The table of a request to play is open; `at` is its last event in an earlier run."""

    number: int
    at: int


class Answer(NamedTuple):
    """What was asked for."""

    number: int
    value: Any = None


class Failed(NamedTuple):
    """No table will go on any more: why, and what to do."""

    sentence: str


def packed(message: tuple[Any, ...]) -> bytes:
    """A message as it goes through the pipe."""
    data = pickle.dumps(message, pickle.HIGHEST_PROTOCOL)
    return _LENGTH.pack(len(data)) + data


async def receive(reader: asyncio.StreamReader) -> Any:
    """The next message, or `None` when the other end is gone."""
    try:
        (length,) = _LENGTH.unpack(await reader.readexactly(_LENGTH.size))
        return pickle.loads(await reader.readexactly(length))  # noqa: S301 - from our own process, see above
    except (asyncio.IncompleteReadError, ConnectionError):
        return None
