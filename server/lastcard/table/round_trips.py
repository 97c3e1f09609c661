"""What the network takes, from heartbeats and their answers.

Here: `RoundTrips`. Not here: what is credited of it (`timecontrol`), the messages (`session`). Imports nothing of ours.
"""

from collections import deque

ROUND_TRIPS = 4
"""Round trips of which the shortest counts, once there are so many: a hiccup does not count, and a trick only for long.
"""


class RoundTrips:
    """The heartbeats of one stream."""

    __slots__ = ("_sent_ms", "_trips", "beats", "shortest_ms")

    def __init__(self) -> None:
        self.beats = 0
        """Heartbeats sent so far; the number of the last."""
        self.shortest_ms = 0
        """The shortest of the last `ROUND_TRIPS`; 0 while there are fewer."""
        self._sent_ms: int | None = None
        self._trips: deque[int] = deque(maxlen=ROUND_TRIPS)

    def beat(self, now_ms: int) -> int:
        """A heartbeat goes out; its number."""
        self.beats += 1
        self._sent_ms = now_ms
        return self.beats

    def is_answered(self, number: int, now_ms: int) -> bool:
        """Takes an answer; false for one that is not the first to the last heartbeat."""
        if number != self.beats or self._sent_ms is None:
            return False
        self._trips.append(now_ms - self._sent_ms)
        self._sent_ms = None
        if len(self._trips) == ROUND_TRIPS:
            self.shortest_ms = min(self._trips)
        return True
