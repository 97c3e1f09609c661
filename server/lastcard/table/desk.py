"""What people's clients, scripts and spectators ask of a host by single calls.

Here: `Desk`: finding tables, joining, leaving, watching, answering. Not here: messages and status codes (`services`),
bots' streams (`sessions`), tables themselves (`host`). Knows asyncio: a call waits until what it caused is stored.
"""

import asyncio
from collections.abc import Iterator
from itertools import count
from typing import Protocol

from lastcard.rules.actions import LeaveCause
from lastcard.rules.reasons import Reason
from lastcard.table.host import Host
from lastcard.table.hosted import HostedTable
from lastcard.table.links import Watcher
from lastcard.table.mail import Acted, Delivery
from lastcard.table.plan import NAME, TablePlan
from lastcard.table.ports import Clock
from lastcard.table.refusals import DomainError, TransportReason
from lastcard.table.seats import SeatStatus

POLL_LEASE_MS = 15_000
"""How long a player without a stream counts as present after a call: three times what a patient client polls at."""

VERDICT_S = 10.0
"""How long a verdict may take to be stored; longer means that the disk does not keep up."""


def check_player_name(name: str) -> None:
    """Checks the name of somebody who joins.

    Raises:
        DomainError: INVALID_ARGUMENT.
    """
    if not NAME.fullmatch(name):
        sentence = f"name is {name!r}; a name is 1 to 64 letters, digits, '-', '_' or '.'"
        raise DomainError(TransportReason.INVALID_ARGUMENT, sentence, field="name")


class Receiver(Protocol):
    """Whoever takes deliveries at an address."""

    def take(self, delivery: Delivery) -> None:
        """Takes one delivery."""


class Addresses(Protocol):
    """Where the bus delivers to."""

    def join(self, address: str, receiver: Receiver) -> None:
        """Mail to `address` goes to `receiver` from now on."""

    def leave(self, address: str) -> None:
        """Mail to `address` is dropped from now on."""


class _OneDelivery:
    """Waits for one delivery."""

    def __init__(self) -> None:
        self.came: asyncio.Future[Delivery] = asyncio.get_running_loop().create_future()

    def take(self, delivery: Delivery) -> None:
        """Takes the delivery; later ones are dropped."""
        if not self.came.done():
            self.came.set_result(delivery)


class Desk:
    """Single calls to a host; an empty identity is a caller without a token."""

    def __init__(self, host: Host, addresses: Addresses, clock: Clock, run_id: str) -> None:
        self._host = host
        self._addresses = addresses
        self._clock = clock
        self._run_id = run_id
        self._numbers = count(1)

    def address(self, kind: str) -> str:
        """A new address of a call or a watcher."""
        return f"{self._run_id}-{kind}-{next(self._numbers)}"

    async def durable(self) -> None:
        """Returns as soon as all that was told so far is stored."""
        stored: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._host.pump.when_durable(lambda: None if stored.done() else stored.set_result(None))
        await stored

    def table(self, table_id: str) -> HostedTable:
        """A table by its id.

        Raises:
            DomainError: NOT_FOUND.
        """
        table = self._host.find(table_id)
        if table is None:
            sentence = f"there is no table {table_id!r}; ListTables lists those that there are"
            raise DomainError(TransportReason.NOT_FOUND, sentence, table=table_id)
        return table

    def seat_of(self, table: HostedTable, identity: str) -> int:
        """The caller's seat at a table.

        Raises:
            DomainError: FORBIDDEN.
        """
        seat = table.seat_of.get(identity)
        if seat is None:
            sentence = f"the caller has no seat at table {table.table_id}; send the token or secret of a seat's owner"
            raise DomainError(Reason.FORBIDDEN, sentence, table=table.table_id)
        return seat

    def is_asked(self, table_id: str, identity: str, decision_id: int) -> bool:
        """Whether a decision is open and the caller's to answer."""
        table = self._host.find(table_id)
        seat = None if table is None else table.seat_of.get(identity)
        if table is None or seat is None:
            return False
        return any(ask.decision_id == decision_id for ask in table.machine.open_decisions(seat))

    def tables(self, before_number: int | None) -> Iterator[HostedTable]:
        """All tables, newest first; only those with a number below `before_number` when it is given."""
        for table in self._host.registry.newest_first():
            if before_number is None or table.number < before_number:
                yield table

    def open_table(self, plan: TablePlan, owner: str) -> HostedTable:
        """Opens a table; see `Host.open_table` for what it raises. Tell nobody before it is durable."""
        return self._host.open_table(plan, owner)

    def open_seat(self, table: HostedTable, seat: int | None) -> int:
        """The open seat wanted, or the first.

        Raises:
            DomainError: SEAT_TAKEN, INVALID_ARGUMENT, MATCH_OVER.
        """
        if table.result is not None:
            raise DomainError(Reason.MATCH_OVER, f"table {table.table_id} is over; join another", table=table.table_id)
        seats = table.machine.seats
        open_seats = [number for number, state in enumerate(seats) if state.status == SeatStatus.OPEN]
        if seat is not None and not 0 <= seat < len(seats):
            sentence = f"seat is {seat}; table {table.table_id} has seats 0 to {len(seats) - 1}"
            raise DomainError(TransportReason.INVALID_ARGUMENT, sentence, field="seat")
        if table.machine.running or not open_seats or (seat is not None and seat not in open_seats):
            free = ", ".join(map(str, open_seats)) or "none"
            sentence = f"seat {'' if seat is None else seat} of table {table.table_id} is not open; open are {free}"
            raise DomainError(TransportReason.SEAT_TAKEN, sentence.replace("  ", " "), table=table.table_id)
        return open_seats[0] if seat is None else seat

    def join(self, table: HostedTable, seat: int, name: str, identity: str) -> None:
        """Seats a caller at an open seat. Tell nobody before it is durable.

        Raises:
            DomainError: INVALID_ARGUMENT, SEAT_TAKEN, DRAINING.
        """
        self._host.check_running()
        check_player_name(name)
        if identity in table.seat_of:
            sentence = f"the caller has seat {table.seat_of[identity]} of table {table.table_id} already"
            raise DomainError(TransportReason.SEAT_TAKEN, sentence, table=table.table_id)
        table.give_lease(seat, self._clock() + POLL_LEASE_MS)
        if not self._host.occupy(table, seat, name, identity):
            sentence = f"seat {seat} of table {table.table_id} cannot be taken any more; join another"
            raise DomainError(TransportReason.SEAT_TAKEN, sentence, table=table.table_id)

    def rejoin(self, table: HostedTable, seat: int, joined: str, name: str, identity: str) -> None:
        """Whoever joined at a seat as `joined` is known by another identity from now on.

        Nothing happens when it has given the seat up, which may be another's by now.

        Raises:
            DomainError: DRAINING.
        """
        self._host.check_running()
        is_left = table.machine.seats[seat].status == SeatStatus.LEFT
        if table.result is None and table.seat_of.get(joined) == seat and not is_left:
            self._host.bind(table, seat, name, identity)
            self.note_presence(table, seat)

    def leave(self, table: HostedTable, identity: str) -> None:
        """Gives the caller's seat up; a table that is over is left as it is. Tell nobody before it is durable.

        Raises:
            DomainError: FORBIDDEN, DRAINING.
        """
        self._host.check_running()
        seat = self.seat_of(table, identity)
        self._host.remove_seat(table, seat, LeaveCause.LEFT)

    def note_presence(self, table: HostedTable, seat: int) -> None:
        """The caller counts as present for a while."""
        if table.result is None:
            self._host.renew_lease(table, seat, self._clock() + POLL_LEASE_MS)

    async def answer(self, acted: Acted) -> Delivery:
        """Answers a decision and waits for the verdict; `acted.address` is one of `address()`.

        Raises:
            DomainError: LIMIT_REACHED when the verdict could not be stored in time; ask again, it takes effect once.
        """
        waiting = _OneDelivery()
        self._addresses.join(acted.address, waiting)
        try:
            self._host.receive([acted])
            async with asyncio.timeout(VERDICT_S):
                return await waiting.came
        except TimeoutError:
            sentence = f"the verdict could not be stored within {VERDICT_S:g} s; send the same answer again"
            raise DomainError(TransportReason.LIMIT_REACHED, sentence, retry_after_ms=1_000) from None
        finally:
            self._addresses.leave(acted.address)

    def watch(self, table: HostedTable, seat: int | None, last_seen: int, receiver: Receiver) -> Watcher:
        """Has deliveries about a table go to `receiver` until `unwatch`."""
        watcher = Watcher(self.address("watch"), seat)
        self._addresses.join(watcher.address, receiver)
        self._host.watch(table, watcher, last_seen)
        return watcher

    def unwatch(self, table: HostedTable, watcher: Watcher) -> None:
        """Ends what `watch` began."""
        self._addresses.leave(watcher.address)
        self._host.unwatch(table, watcher)
