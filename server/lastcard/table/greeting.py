"""How a stream of a bot opens, and what it is held to.

Here: `Greeting`, `Limits`. Not here: the stream (`session`). Imports nothing of ours.
"""

from dataclasses import dataclass
from typing import NamedTuple


class Greeting(NamedTuple):
    """How a stream opened, checked."""

    identity: str
    bot: str
    shared: bool
    """Other identities of that name are instances of the same bot (minted tokens)."""
    secret: str
    """Resume secret to be told; empty with a token."""
    max_tables: int
    max_open_decisions: int
    decisions_only: bool
    cursors: tuple[tuple[str, int], ...]
    version: str = ""
    """The bot's own, for reports; empty when it told none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """What streams are held to."""

    max_frame_bytes: int = 256 * 1024
    outbox_bytes: int = 4 << 20
    heartbeat_ms: int = 10_000
    max_tables: int = 1_024
    """Most tables at once for one bot."""
    max_streams: int = 10_000
