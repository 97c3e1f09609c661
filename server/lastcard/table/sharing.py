"""Which instance of a bot serves a seat when the one that did is gone.

Here: `Sharing`: how long a seat is kept for its instance, and who gets it then. Not here: seats that nobody has served
yet (`lobby`), streams (`sessions`), what a seat's absence means in the game (`machine`). Runs in the host's event loop
and never awaits.

A seat stays with the instance that has it. When the stream of that instance ends, the seat is kept for it for a while
(`KEPT_MS`), and not at all when it is known that it does not come back: its process has ended, its token was revoked.
Then the least busy of the connected instances of the same bot takes the seat over; without one it is the next to come
that does. Those who come one after the other, as after a restart of the server, take no more than their share each
while the others may still come.
"""

from typing import TYPE_CHECKING, Protocol

from lastcard.table.hosted import HostedTable
from lastcard.table.lobby import Lobby, Peer
from lastcard.table.seats import SeatStatus

if TYPE_CHECKING:
    from collections.abc import Callable

KEPT_MS = 5_000
"""How long a seat is kept for an instance whose stream ended, and for those whose share it is; see `kept_ms`."""

KEPT_AFTER_START_MS = 10_000
"""The same after a restart of the server: clients try again every five seconds at least, and no clock runs."""


def kept_ms(grace_ms: int) -> int:
    """How long a seat is kept for its instance, if it has so much time to come back: half of it at most."""
    return min(KEPT_MS, grace_ms // 2)


class Seats(Protocol):
    """What is needed of the host."""

    lobby: Lobby

    def table_of(self, number: int) -> HostedTable | None:
        """An open table by its number."""

    def hand_over(self, table: HostedTable, seat: int, peer: Peer, now: int, cursor: int | None) -> None:
        """Another instance serves a seat from now on, and is told so."""

    def watch_time(self, table: HostedTable) -> None:
        """The next time at which something is due at a table may have changed."""


class Sharing:
    """The seats of bots with several instances.

    `may_return` says whether an identity may come (again), `instances` how many instances of a bot may.
    """

    def __init__(self, seats: Seats) -> None:
        self.may_return: Callable[[str], bool] = lambda _identity: True
        self.instances: Callable[[str], int] = lambda _bot: 1
        self._seats = seats
        self._lobby = seats.lobby
        self._ended: set[str] = set()
        """Identities whose processes are known to have ended; they may come again as other processes."""

    def note_stream(self, peer: Peer, now: int) -> None:
        """An instance has come: it takes its share of the seats that nobody serves."""
        self._ended.discard(peer.identity)
        orphaned = self._orphaned(peer.bot) if peer.shared else []
        share = self._share(peer.bot) if orphaned else 0
        for identity, table, seat in orphaned:
            kept = table.links[seat].kept_ms
            if kept > now and self.may_return(identity):
                continue
            if table.number in dict(self._lobby.seats_of(peer.identity)) or not peer.has_room():
                continue
            if peer.tables < share:
                self._seats.hand_over(table, seat, peer, now, peer.cursors.get(table.table_id))
            elif not kept:
                self._keep(table, seat, now + KEPT_MS)

    def note_absence(self, table: HostedTable, seat: int, now: int) -> None:
        """The stream by which a seat was served has ended; whoever comes without a token has no other instances."""
        identity = table.links[seat].identity
        is_gone = identity in self._ended or not self.may_return(identity)
        self._keep(table, seat, now + (0 if is_gone else kept_ms(table.plan.clock.grace_ms)))
        self.look(table, now)

    def note_end(self, identity: str, now: int) -> None:
        """The process of an instance has ended, or its token is not valid any more: its seats are kept no longer."""
        (self._ended if self.may_return(identity) else self._lobby.void).add(identity)
        if identity in self._lobby.peers:
            return  # the end of its stream is still to come
        self._lobby.void.discard(identity)
        for number, seat in self._lobby.seats_of(identity):
            table = self._seats.table_of(number)
            if table is not None:
                self._keep(table, seat, now)
                self.look(table, now)

    def look(self, table: HostedTable, now: int) -> None:
        """Gives the seats of a table that are not kept any longer to those who are there."""
        for seat in table.no_longer_kept(now):
            identity, bot = table.links[seat].identity, table.plan.seats[seat].bot
            if identity and identity not in self._lobby.peers and bot is not None and not _is_left(table, seat):
                heir = self._lobby.least_busy(bot, table.number, shared=True)
                if heir is not None:
                    self._seats.hand_over(table, seat, heir, now, None)

    def _keep(self, table: HostedTable, seat: int, until_ms: int) -> None:
        table.keep(seat, until_ms)
        self._seats.watch_time(table)

    def _orphaned(self, bot: str) -> list[tuple[str, HostedTable, int]]:
        """The seats of a bot at open tables that no stream serves, with the identities that have them."""
        found = []
        for identity in self._lobby.orphans(bot):
            for number, seat in self._lobby.seats_of(identity):
                table = self._seats.table_of(number)
                if table is not None and not _is_left(table, seat):
                    found.append((identity, table, seat))
        return found

    def _share(self, bot: str) -> int:
        """How many tables each instance has when all that may come are there, rounded up."""
        expected = max(1, self.instances(bot), self._lobby.connected_count(bot))
        return -(-self._lobby.open_count(bot) // expected)


def _is_left(table: HostedTable, seat: int) -> bool:
    return table.machine.seats[seat].status == SeatStatus.LEFT
