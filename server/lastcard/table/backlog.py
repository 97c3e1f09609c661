"""Whether a reader is only behind or has stopped.

Here: `Backlog`. Not here: what waits (`outbox`), the stream (`session`), when it is looked at (`sessions`). Imports
nothing of ours.
"""

STALLED_LOOKS = 100
"""Looks in a row (`sessions`, 20 a second) at which no write had ended while more waits than is kept for a reader.

Counted and not timed: when this process was held up, it was not the reader who did not read.
"""

BURST_FACTOR = 8
"""How many times as much may wait for a reader that does read."""

RESUME_BYTES = 64 * 1024
"""What more may wait for a reader that does read, for each of its tables: a resume brings what was missed at all."""


class Backlog:
    """What may wait for one reader, and the signs of life that it gives: writes that end."""

    __slots__ = ("_looks", "_seen", "most", "written")

    def __init__(self, most: int) -> None:
        self.most = most
        """Bytes that are kept for a reader that has stopped."""
        self.written = 0
        """Writes that have ended."""
        self._seen = 0
        """How many had at the last look."""
        self._looks = 0

    def is_beyond_a_burst(self, waiting: int, tables: int) -> bool:
        """Whether more bytes wait than even a reader that reads may be behind."""
        return waiting > BURST_FACTOR * self.most + RESUME_BYTES * tables

    def has_stopped(self, waiting: int) -> bool:
        """Looks once more: whether too much has waited for so many looks without a sign of life."""
        if waiting <= self.most or self.written != self._seen:
            self._looks, self._seen = 0, self.written
            return False
        self._looks += 1
        return self._looks >= STALLED_LOOKS
