"""How much somebody may ask for in a time.

Here: `Allowance`. Not here: who has one and what counts (`session`, `services.gate`). Imports nothing of ours.
"""

BURST = 400
PER_SECOND = 100
"""Messages of a stream that answer nothing. A bot that only repeats answers of lost frames stays far below; one that
sends without reading does not."""

PATIENCE = 2_000
"""Refused messages after which the stream ends, unless it has been quiet in between."""


class Allowance:
    """A bucket that holds `burst` and fills by `per_second`."""

    __slots__ = ("_at_ms", "_burst", "_left", "_per_second", "refused")

    def __init__(self, now_ms: int, burst: float = BURST, per_second: float = PER_SECOND) -> None:
        self._burst = burst
        self._per_second = per_second
        self._left = burst
        self._at_ms = now_ms
        self.refused = 0
        """How often `take` has refused since the bucket was last full."""

    def take(self, now_ms: int) -> int:
        """Takes one: 0 when it is allowed, else in how many milliseconds the next one will be."""
        if self.is_full(now_ms):
            self.refused = 0
        if self._left >= 1:
            self._left -= 1
            return 0
        self.refused += 1
        return 1 + int((1 - self._left) * 1000 / self._per_second)

    def charge(self, cost: float) -> None:
        """Takes more for what turned out to be more work; what is owed then is waited for."""
        self._left -= cost

    def is_full(self, now_ms: int) -> bool:
        """Whether nothing has been taken for so long that all may be taken again."""
        self._left = min(self._burst, self._left + (now_ms - self._at_ms) * self._per_second / 1000)
        self._at_ms = now_ms
        return self._left >= self._burst

    def is_exhausted(self) -> bool:
        """Whether the stream has been refused so often that it should end."""
        return self.refused >= PATIENCE
