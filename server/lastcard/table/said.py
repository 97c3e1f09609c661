"""What comes from a bot's stream, understood: messages, what could not be understood, and ends.

Here: `Said` and its parts. Not here: bytes (`services.wire.requests`), what follows (`session`). May import only
`lastcard.rules.reasons`, `mail` and `refusals`.
"""

from typing import NamedTuple

from lastcard.rules.reasons import Reason
from lastcard.table.mail import Acknowledged, Acted, Left
from lastcard.table.refusals import TransportReason


class Ending(NamedTuple):
    """Why the server ends a stream; `reason` is `None` when the bot ended it or it broke."""

    reason: Reason | TransportReason | None
    sentence: str = ""
    retry_after_ms: int | None = None


class HeartbeatReply(NamedTuple):
    """The bot answers a heartbeat."""

    number: int


class Refusal(NamedTuple):
    """A message that could not be understood: why, and which decision of which table it meant (0 and empty: none)."""

    reason: TransportReason
    sentence: str
    table_id: str
    decision_id: int


Said = Acted | Left | Acknowledged | HeartbeatReply | Refusal | Ending
"""One message of a bot; an ending is what a message leads to that must not come."""
