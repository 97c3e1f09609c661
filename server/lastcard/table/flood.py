"""How many messages that answer nothing a stream may send.

Here: `Allowance`. Not here: what counts (`sessions`). Imports nothing of ours.
"""

BURST = 400
PER_SECOND = 100
"""A bot that only repeats answers of lost frames stays far below; one that sends without reading does not."""

PATIENCE = 2_000
"""Refused messages after which the stream ends, unless it has been quiet in between."""


class Allowance:
    """A bucket that holds `BURST` messages and fills by `PER_SECOND`."""

    __slots__ = ("_at_ms", "_left", "refused")

    def __init__(self, now_ms: int) -> None:
        self._left = float(BURST)
        self._at_ms = now_ms
        self.refused = 0
        """Messages refused since the bucket was last full."""

    def take(self, now_ms: int) -> int:
        """Takes one message: 0 when it is allowed, else in how many milliseconds the next one will be."""
        self._left = min(BURST, self._left + (now_ms - self._at_ms) * PER_SECOND / 1000)
        self._at_ms = now_ms
        if self._left >= BURST:
            self.refused = 0
        if self._left >= 1:
            self._left -= 1
            return 0
        self.refused += 1
        return 1 + int((1 - self._left) * 1000 / PER_SECOND)

    def is_exhausted(self) -> bool:
        """Whether the stream has been refused so often that it should end."""
        return self.refused >= PATIENCE
