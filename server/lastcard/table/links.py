"""Who is told what goes on at a table: those who serve its seats, and those who watch.

Here: `Link`, `Watcher`, `Audience`. Not here: what they are told (`hosted`). Imports nothing of ours.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from lastcard.table.effects import Receipt


class Link:
    """Who serves a seat, and where its stream is (`address` is empty when there is none)."""

    __slots__ = ("acknowledged", "address", "builtin", "decisions_only", "identity", "kept_ms", "lease_ms", "receipt")

    def __init__(self, builtin: str) -> None:
        self.builtin = builtin
        self.identity = ""
        self.address = ""
        self.decisions_only = False
        self.acknowledged = False
        """Whether the bot has said that it knows the table's end."""
        self.lease_ms = 0
        """Until when an occupant without a stream counts as present, because it asked for the table; else 0."""
        self.kept_ms = 0
        """Until when a seat whose stream ended is kept for its instance; 0 when it is not, or that time is over."""
        self.receipt: Receipt | None = None
        """The receipt of the seat's last closed decision."""


class Watcher:
    """Somebody who watches: `seat` is whose view it gets, `None` the public one."""

    __slots__ = ("address", "seat")

    def __init__(self, address: str, seat: int | None) -> None:
        self.address = address
        self.seat = seat


Addresses = tuple[str, ...]


class Audience:
    """The addresses of all who are told of a table's events, ready for delivery."""

    __slots__ = ("asked", "everybody", "others", "seats")

    def __init__(self, links: list[Link], watchers: list[Watcher]) -> None:
        streams = [link.address if link.address and not link.decisions_only else "" for link in links]
        watching = [[watcher.address for watcher in watchers if watcher.seat == seat] for seat in range(len(links))]
        self.seats: list[Addresses] = [
            (*([stream] if stream else []), *own) for stream, own in zip(streams, watching, strict=True)
        ]
        """Who gets the events of each seat."""
        spectators = [watcher.address for watcher in watchers if watcher.seat is None]
        self.everybody: Addresses = (*(address for seat in self.seats for address in seat), *spectators)
        self.others: list[Addresses] = [
            tuple(address for address in self.everybody if address not in seat) for seat in self.seats
        ]
        """All but those who get the events of a seat."""
        self.asked: list[Addresses] = [
            (*([link.address] if link.address else []), *own) for link, own in zip(links, watching, strict=True)
        ]
        """Who gets the decisions of each seat."""
