"""What the transport refuses, and the error that carries any refusal.

Here: `TransportReason` (numbered as `ProtocolReason` on the wire) and `DomainError`. Not here: the game's reasons
(`rules.reasons`), status codes (`services.errors`). May import only `lastcard.rules.reasons`.
"""

from enum import IntEnum

from lastcard.rules.reasons import Reason


class TransportReason(IntEnum):
    """Why a message, a stream or a call is refused apart from the game."""

    HELLO_REQUIRED = 1
    VERSION_UNSUPPORTED = 2
    CHOICE_OUT_OF_RANGE = 3
    UNKNOWN_TABLE = 4
    UNKNOWN_DECISION = 5
    FRAME_TOO_LARGE = 6
    READER_TOO_SLOW = 7
    TOO_FAST = 8
    DRAINING = 9
    SESSION_REPLACED = 10
    UNAUTHENTICATED = 11
    INVALID_ARGUMENT = 12
    CURSOR_BEYOND_END = 13
    MALFORMED = 14
    NOT_FOUND = 15
    SEAT_TAKEN = 16
    RECORD_CLOSED = 17
    REQUEST_ID_REUSED = 18
    LIMIT_REACHED = 19
    NAME_TAKEN = 20
    WRONG_STATE = 21
    BOT_IN_USE = 22
    NOT_KEPT = 23


LONGEST_SENTENCE = 1_200
"""Most bytes of a sentence on the wire: gRPC clients read 8 KiB of metadata, in which a status says it three times."""


def shortened(text: str, most: int = LONGEST_SENTENCE) -> str:
    """A text of at most `most` bytes: of a longer one, which repeats what somebody sent, the middle is left out."""
    if len(text) * 4 <= most or len(encoded := text.encode()) <= most:
        return text
    half = most // 2 - 3
    return f"{encoded[:half].decode(errors='ignore')} … {encoded[-half:].decode(errors='ignore')}"


class DomainError(Exception):
    """The caller is wrong, or the server cannot serve it now; nothing was changed.

    `sentence` says what was wrong, with the value, and what would be valid. `field` is the path of the field at fault,
    `retry_after_ms` when another try may help, `facts` holds every fact of the sentence.
    """

    def __init__(
        self,
        reason: Reason | TransportReason,
        sentence: str,
        *,
        field: str = "",
        retry_after_ms: int | None = None,
        **facts: object,
    ) -> None:
        super().__init__(f"{reason.name}: {sentence}")
        self.reason = reason
        self.sentence = sentence
        self.field = field
        self.retry_after_ms = retry_after_ms
        self.facts = facts
