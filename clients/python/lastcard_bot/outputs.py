"""What a session asks for: messages to send, decisions to think about, hooks to call.

Here: plain values, and packing messages into frames. Not here: who makes them (`session`), who acts on them
(`connection`, `minds`). Imports `bot` and `lastcard.v1`.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from lastcard.v1.play_service_pb2 import ClientMessage
from lastcard.v1.table_pb2 import Decision
from lastcard_bot.bot import Refusal

Key = tuple[str, int]
"""Table id and decision id."""


@dataclass(frozen=True, slots=True)
class Send:
    """Send a message, with whatever else is ready in the same frame."""

    message: ClientMessage


@dataclass(frozen=True, slots=True)
class SendLater:
    """Wait, then call `Session.resend(table_id)` and send what it returns."""

    seconds: float
    table_id: str


@dataclass(frozen=True, slots=True)
class Ask:
    """Let the bot think, and give its answer to `Session.answered`; with a refusal, correct the former answer."""

    key: Key
    decision: Decision
    refusal: Refusal | None = None
    refused: tuple[int, ...] = ()
    """Indices into `legal_actions` that were refused at this decision."""


@dataclass(frozen=True, slots=True)
class Withdraw:
    """The bot need not think about a decision any more."""

    key: Key


@dataclass(frozen=True, slots=True)
class Tell:
    """Call a hook of the bot."""

    hook: str
    arguments: tuple[object, ...]


@dataclass(frozen=True, slots=True)
class Log:
    """Something a bot author should know; `serious` when it points to a fault."""

    text: str
    serious: bool = False


@dataclass(frozen=True, slots=True)
class Welcomed:
    """The stream is open; `max_frame_bytes` and `heartbeat_seconds` hold from now on (0: not stated)."""

    bot_name: str
    server_version: str
    max_frame_bytes: int
    heartbeat_seconds: float


@dataclass(frozen=True, slots=True)
class Drain:
    """The server is about to end the stream; reconnect then."""

    seconds_left: float


@dataclass(frozen=True, slots=True)
class Resume:
    """Break the stream off and come back: something that should have come on it did not."""


@dataclass(frozen=True, slots=True)
class Fail:
    """The server speaks a protocol that this client does not know."""

    sentence: str


Output = Send | SendLater | Ask | Withdraw | Tell | Log | Welcomed | Drain | Resume | Fail


def frames(messages: Iterable[ClientMessage], max_bytes: int) -> list[list[ClientMessage]]:
    """Messages in as few frames as fit into `max_bytes` each (0: no limit); a single larger one gets its own."""
    packed: list[list[ClientMessage]] = []
    size = 0
    for message in messages:
        own = message.ByteSize() + 6  # tag and length of the repeated field
        if not packed or (max_bytes and size + own > max_bytes):
            packed.append([])
            size = 0
        packed[-1].append(message)
        size += own
    return packed
