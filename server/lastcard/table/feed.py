"""The events of one table as bytes, kept for those who come back or watch.

Here: `Feed`. Not here: encoding (`ports.TableEncoder`), snapshots, delivery (`hosted`). Imports nothing of ours.
"""

from collections.abc import Mapping

KEPT = 4096
"""Events kept a table; who missed more gets a snapshot."""

Entry = tuple[bytes, Mapping[int, bytes]]
"""An event's public bytes, and the bytes of those seats whose event differs from the public one."""

NOTHING_PRIVATE: Mapping[int, bytes] = {}


class Feed:
    """Events in order, numbered from 1 without gaps: the public bytes of each and the private ones that differ."""

    __slots__ = ("_events", "_first", "_kept", "last")

    def __init__(self, kept: int = KEPT) -> None:
        self._events: list[Entry] = []
        self._first = 1
        self._kept = kept
        self.last = 0
        """Number of the last event; 0 before the first."""

    def add(self, entry: Entry) -> None:
        """Adds the next event."""
        self._events.append(entry)
        self.last += 1
        if len(self._events) > 2 * self._kept:
            dropped = len(self._events) - self._kept
            del self._events[:dropped]
            self._first += dropped

    def after(self, last_seen: int, seat: int | None) -> list[bytes] | None:
        """The events after number `last_seen` as `seat` (`None`: a spectator) may see them.

        `None` when some of them are not kept any more or the number is beyond the last.
        """
        if last_seen > self.last or last_seen + 1 < self._first:
            return None
        events = self._events[last_seen + 1 - self._first :]
        return [private.get(seat, public) if seat is not None else public for public, private in events]
