"""The events of one table as bytes, kept for those who come back or watch.

Here: `Feed`. Not here: encoding (`ports.TableEncoder`), snapshots, delivery (`hosted`). Imports nothing of ours.
"""

from collections.abc import Mapping, Sequence

KEPT = 4096
"""Events kept a table; who missed more gets a snapshot."""


class Feed:
    """Events in order, numbered from 1 without gaps: the public bytes of each and the private ones that differ."""

    __slots__ = ("_apart", "_first", "_kept", "_public", "last")

    def __init__(self, kept: int = KEPT) -> None:
        self._public: list[bytes] = []
        self._apart: dict[int, Mapping[int, bytes]] = {}
        self._first = 1
        self._kept = kept
        self.last = 0
        """Number of the last event; 0 before the first."""

    def add(self, public: Sequence[bytes], apart: Mapping[int, Mapping[int, bytes]]) -> None:
        """Adds the next events; `apart` holds, by number, the bytes of those seats that get others."""
        self._public += public
        self.last += len(public)
        if apart:
            self._apart.update(apart)
        if len(self._public) > 2 * self._kept:
            dropped = len(self._public) - self._kept
            del self._public[:dropped]
            self._first += dropped
            self._apart = {number: own for number, own in self._apart.items() if number >= self._first}

    def after(self, last_seen: int, seat: int | None) -> list[bytes] | None:
        """The events after number `last_seen` as `seat` (`None`: a spectator) may see them.

        `None` when some of them are not kept any more or the number is beyond the last.
        """
        if last_seen > self.last or last_seen + 1 < self._first:
            return None
        events = self._public[last_seen + 1 - self._first :]
        if seat is None:
            return events
        return [
            own[seat] if (own := self._apart.get(number)) is not None and seat in own else public
            for number, public in enumerate(events, last_seen + 1)
        ]
