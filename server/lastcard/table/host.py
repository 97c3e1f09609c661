"""Hosts tables: opens and closes them, seats those who come, and takes their mail.

Here: `Host`. Not here: the way of commands and effects (`pump`), one table's mail (`hosted`), who is connected
(`lobby`), streams (`sessions`), people's calls (`desk`), tables of an earlier run (`restart`). Runs in one event loop
and never awaits.
"""

from collections.abc import Callable, Collection, Sequence
from typing import Any, Protocol

from lastcard.rules.actions import LeaveCause
from lastcard.rules.reasons import Refused
from lastcard.table.commands import (
    Answer,
    CloseTable,
    Connected,
    DecisionSent,
    Disconnected,
    LeaveSeat,
    NoteFault,
    Occupy,
    Tick,
)
from lastcard.table.effects import Closed, FaultKind
from lastcard.table.hosted import HostedTable
from lastcard.table.journal import Bound, Forgotten, TableClosed, TableOpened, Unbound
from lastcard.table.links import Watcher
from lastcard.table.lobby import Lobby, Peer
from lastcard.table.mail import Acknowledged, Acted, Attach, Body, Delivery, Detach, Left, Sent, ToHost
from lastcard.table.opening import Opened, new_table, random_id
from lastcard.table.plan import PlanError, RecordFiles, TablePlan, check_plan
from lastcard.table.plan_text import plan_text, result_text
from lastcard.table.ports import Builtins, Bus, Clock, Encoder, Store
from lastcard.table.pump import Pump
from lastcard.table.refusals import DomainError, TransportReason
from lastcard.table.registry import Registry
from lastcard.table.seats import SeatStatus
from lastcard.table.sharing import Sharing


class Sleepers(Protocol):
    """Tables that are not taken up yet."""

    def awaken(self, number: int) -> HostedTable | None:
        """The table of a number, taken up now."""

    def find(self, table_id: str) -> HostedTable | None:
        """The table of an id, taken up now."""

    def ids(self) -> Collection[str]:
        """The ids of all of them."""


class Host:
    """All tables of one process, told by mail (`receive`), by the clock, and by those who open tables."""

    def __init__(
        self,
        *,
        clock: Clock,
        encoder: Encoder,
        bus: Bus,
        store: Store,
        builtins: Builtins,
        failed: Callable[[str, Exception], None],
        most_tables: int = 100_000,
        first_number: int = 1,
    ) -> None:
        self.lobby = Lobby()
        self.registry = Registry()
        self.tables = self.registry.by_id
        """Tables by id."""
        self.dormant: Sleepers | None = None
        """Tables of an earlier run that were over; they are taken up when somebody asks for them."""
        self.attached_hook: Callable[[Peer], None] | None = None
        """Called for each stream that opens, when it has got its seats."""
        self.seated_hook: Callable[[str, str], None] | None = None
        """Called for each identity that gets a seat, with its bot's name, before that is noted."""
        self.closed_hook: Callable[[HostedTable], None] | None = None
        """Called for each table that is over, when its end is stored."""
        self.pump = Pump(
            clock=clock,
            bus=bus,
            store=store,
            builtins=builtins,
            failed=failed,
            ended=self.end,
            absent=self._note_absences,
            left=self._give_room,
        )
        self.sharing = Sharing(self)
        self._clock = clock
        self._encoder = encoder
        self._builtins = builtins
        self.failed = failed
        """Told of a fault of ours at a table, for the log."""
        self._suspended = False
        self._most_tables = most_tables
        self._by_number = self.registry.by_number
        self._next_number = first_number

    # ------------------------------------------------------------------ mail

    def receive(self, batch: Sequence[ToHost]) -> None:
        """Takes mail of a session."""
        now = self._clock()
        for mail in batch:
            _RECEIVE[type(mail)](self, mail, now)

    def _acted(self, mail: Acted, now: int) -> None:
        table = self.tables.get(mail.table_id)
        seat = None if table is None else table.seat_of.get(mail.identity)
        if table is None or seat is None:
            sentence = f"there is no table {mail.table_id!r} at which this bot has a seat"
            self._refuse(mail.address, mail.table_id, TransportReason.UNKNOWN_TABLE, sentence)
            return
        answer = Answer(
            seat,
            mail.decision_id,
            mail.choice,
            mail.action,
            mail.call_uno,
            mail.catch_seats,
            mail.received_ms,
            mail.network_credit_ms,
        )
        if self.lobby.silent:
            self.lobby.silent.discard(mail.identity)
        table.answerer = (seat, mail.address)
        self.pump.tell(table, answer, now)
        table.answerer = None

    def _sent(self, mail: Sent, now: int) -> None:
        table = self.tables.get(mail.table_id)
        seat = None if table is None else table.seat_of.get(mail.identity)
        if table is not None and seat is not None:
            self.pump.tell(table, DecisionSent(seat, mail.decision_id), now)

    def _left(self, mail: Left, now: int) -> None:
        table = self.tables.get(mail.table_id)
        seat = None if table is None else table.seat_of.get(mail.identity)
        if table is None or seat is None:
            sentence = f"there is no table {mail.table_id!r} at which this bot has a seat"
            self._refuse(mail.address, mail.table_id, TransportReason.UNKNOWN_TABLE, sentence)
        elif table.result is None:
            self._leave(table, seat, LeaveCause.LEFT, now)

    def _acknowledged(self, mail: Acknowledged, now: int) -> None:  # noqa: ARG002 - all receivers have one shape
        table = self.tables.get(mail.table_id)
        seat = None if table is None else table.seat_of.get(mail.identity)
        if table is not None and seat is not None and table.result is not None:
            table.links[seat].acknowledged = True
            self.lobby.unbind(mail.identity, table.number)
            self.pump.journal.append(Unbound(table.number, seat))

    def _attach(self, mail: Attach, now: int) -> None:
        peer = self.lobby.connect(mail)
        for number, seat in self.lobby.seats_of(peer.identity):
            table = self._by_number.get(number) or (self.dormant.awaken(number) if self.dormant else None)
            if table is None or table.links[seat].acknowledged or self._is_given_up(table, seat):
                continue
            self._come_back(table, seat, peer, now, peer.cursors.get(table.table_id))
        self.sharing.note_stream(peer, now)
        for table_id in peer.cursors:
            table = self.tables.get(table_id)
            its_seat = None if table is None else table.seat_of.get(peer.identity)
            if table is None or its_seat is None:
                sentence = f"the cursor names the table {table_id!r}, where this bot has no seat; it is ignored"
                self._refuse(peer.address, table_id, TransportReason.UNKNOWN_TABLE, sentence)
            elif table.links[its_seat].acknowledged:
                # Another process of the same identity has, while this one was away and still waits for the end.
                self._come_back(table, its_seat, peer, now, peer.cursors[table_id])
        self.pump.out.append(Delivery((peer.address,), Body.ATTACHED, "", b""))
        self.seat_waiting(peer.bot)
        if self.attached_hook is not None:
            self.attached_hook(peer)
        self.pump.schedule_flush()

    def _come_back(self, table: HostedTable, seat: int, peer: Peer, now: int, cursor: int | None) -> None:
        table.serve(seat, peer.address, decisions_only=peer.decisions_only)
        table.greet(seat, resumed=True, cursor=cursor)
        if table.result is None:
            self.pump.tell(table, Connected(seat), now)

    def table_of(self, number: int) -> HostedTable | None:
        """An open table by its number."""
        table = self._by_number.get(number)
        return None if table is None or table.result is not None else table

    def hand_over(self, table: HostedTable, seat: int, peer: Peer, now: int, cursor: int | None) -> None:
        """Another instance of the same bot serves a seat from now on, and goes on where the first one was."""
        self.bind(table, seat, peer.bot, peer.identity)
        self._come_back(table, seat, peer, now, cursor)
        self.pump.schedule_flush()

    def watch_time(self, table: HostedTable) -> None:
        """The next time at which something is due at a table may have changed."""
        self.pump.watch_time(table)

    def _detach(self, mail: Detach, now: int) -> None:
        peer = self.lobby.peers.get(mail.identity)
        if peer is None or not self.lobby.disconnect(mail.identity, mail.address):
            return
        for number, seat in self.lobby.seats_of(mail.identity):
            table = self._by_number.get(number)
            if table is not None and table.links[seat].address == mail.address:
                table.serve(seat, "", decisions_only=False)
                self._note_absence(table, seat, now)
                # Whoever is present by other means has seen its decisions there; no stream will start their clocks.
                for ask in table.machine.open_decisions(seat):
                    self.pump.tell(table, DecisionSent(seat, ask.decision_id), now)
                if peer.shared and table.result is None:
                    self.sharing.note_absence(table, seat, now)

    def _note_absence(self, table: HostedTable, seat: int, now: int) -> None:
        if table.result is None and not table.is_reached(seat, now):
            self.pump.tell(table, Disconnected(seat), now)

    def _refuse(self, address: str, table_id: str, reason: TransportReason, sentence: str) -> None:
        item = self._encoder.refused(reason, sentence, table_id)
        self.pump.out.append(Delivery((address,), Body.REFUSED, table_id, item))
        self.pump.schedule_flush()

    def _note_absences(self, table: HostedTable, now: int) -> None:
        for seat in table.expired_leases(now):
            self._note_absence(table, seat, now)
        if table.keeps and table.result is None:
            self.sharing.look(table, now)

    # ------------------------------------------------------------------ opening and ending

    def suspend(self) -> None:
        """Has everything stand still, for the next run of the server to go on with."""
        self._suspended = True
        self.pump.stop()

    def check_running(self) -> None:
        """Checks that something may still begin or change.

        Raises:
            DomainError: DRAINING.
        """
        if self._suspended:
            sentence = "the server is shutting down and takes nothing new; try again later"
            raise DomainError(TransportReason.DRAINING, sentence, retry_after_ms=1_000)

    def open_table(self, plan: TablePlan, owner: str = "") -> HostedTable:
        """Opens a table; seats kept for bots that are connected are taken at once.

        Raises:
            PlanError: the plan cannot be played, or its id is taken.
            DomainError: LIMIT_REACHED, DRAINING.
        """
        self.check_running()
        check_plan(plan, self._builtins.names)
        count = self.registry.open_count
        if count >= self._most_tables:
            sentence = f"{count} tables are open, which is the most that this server holds; try again later"
            raise DomainError(TransportReason.LIMIT_REACHED, sentence, retry_after_ms=1_000, tables=count)
        table_id = plan.table_id or random_id()
        if self.find(table_id) is not None:
            raise PlanError(f"there is a table {table_id!r} already; choose another id or none", "table_id")
        now = self._clock()
        table = new_table(
            plan, self._encoder.table(table_id, plan), self.pump, Opened(self._next_number, table_id, owner, now)
        )
        self._next_number += 1
        self.registry.add(table)
        keys = (table.deal_key, table.salt)
        self.pump.journal.append(TableOpened(table.number, table_id, now, owner, plan_text(plan, *keys)))
        for number, seat in enumerate(plan.seats):
            if seat.bot is not None:
                self.lobby.keep(seat.bot, table.number, number)
        for bot in dict.fromkeys(seat.bot for seat in plan.seats if seat.bot is not None):
            self.seat_waiting(bot)
        self.pump.tell(table, Tick(), now)
        return table

    def find(self, table_id: str) -> HostedTable | None:
        """A table by its id, open or lately closed, of this run or an earlier one."""
        return self.tables.get(table_id) or (self.dormant.find(table_id) if self.dormant else None)

    def seat_waiting(self, bot: str) -> None:
        """Gives the seats that wait for a bot to its connected instances as far as they have room."""
        for peer, number, seat in self.lobby.take_kept(bot):
            table = self._by_number.get(number)
            if table is not None and table.result is None:
                self.occupy(table, seat, peer.bot, peer.identity)

    def occupy(self, table: HostedTable, seat: int, name: str, identity: str) -> bool:
        """Seats an identity; false when the seat cannot be taken any more (it has been removed, or play has begun)."""
        if self._suspended:
            return False  # its taking would not be among the table's commands
        try:
            table.machine.check_occupy(seat, name)
        except Refused:
            return False
        self.bind(table, seat, name, identity)
        peer = self.lobby.peers.get(identity)
        greeted = None
        if peer is not None:
            table.serve(seat, peer.address, decisions_only=peer.decisions_only)
            greeted = seat
        self.pump.tell(table, Occupy(seat, name), self._clock(), greeted)
        return True

    def bind(self, table: HostedTable, seat: int, bot: str, identity: str) -> None:
        """An identity serves a seat from now on, in the place of any other."""
        link = table.links[seat]
        if link.identity:
            self.release(table, seat)
        link.identity = identity
        table.seat_of[identity] = seat
        self.lobby.bind(identity, bot, table.number, seat)
        if self.seated_hook is not None:
            self.seated_hook(identity, bot)
        self.pump.journal.append(Bound(table.number, seat, identity))

    def release(self, table: HostedTable, seat: int) -> None:
        """Whoever served a seat has nothing to do with it any more: another may take it and must not be read."""
        self.lobby.unbind(table.links[seat].identity, table.number)
        self.pump.journal.append(Unbound(table.number, seat))
        table.release(seat)

    def _is_given_up(self, table: HostedTable, seat: int) -> bool:
        """Whether a seat was given up before the match and is open again; then nobody serves it from now on."""
        if table.machine.seats[seat].status != SeatStatus.OPEN:
            return False
        if table.links[seat].identity:
            self.release(table, seat)
        return True

    def _leave(self, table: HostedTable, seat: int, cause: LeaveCause, now: int) -> None:
        identity = table.links[seat].identity
        self.pump.tell(table, LeaveSeat(seat, cause), now)
        if self._is_given_up(table, seat) and identity in self.lobby.peers:
            self.seat_waiting(self.lobby.peers[identity].bot)

    def end(self, table: HostedTable, closed: Closed, now: int) -> None:
        """The table is over: its record is closed and stored, everybody hears of it, and its bots have room again."""
        try:
            files = table.finish(closed, now)
        except Exception as error:  # noqa: BLE001 - a broken record must not keep a table open for ever
            self.failed(table.table_id, error)
            files = table.finish_without_record(closed, now)
        assert table.result is not None
        self.registry.open_count -= 1
        self.pump.journal.append(TableClosed(table.number, now, result_text(table.result), files))
        table.tell_everybody_the_end()
        for identity in table.seat_of:
            self.lobby.close(identity, table.number)
        for seat, link in enumerate(table.links):
            bot = table.plan.seats[seat].bot
            if bot is not None and not link.identity:
                self.lobby.keep_no_longer(bot, table.number, seat)
        self.pump.when_durable(lambda: self._let_go(table, files))

    def _give_room(self, table: HostedTable, seat: int) -> None:
        """A bot that has left, or was removed, has room for another table before this one is over."""
        identity, bot = table.links[seat].identity, table.plan.seats[seat].bot
        if identity:
            self.lobby.close(identity, table.number)
            if identity in self.lobby.peers:
                self.lobby.silent.add(identity)
        if bot is not None:
            self.pump.when_durable(lambda: self.seat_waiting(bot))

    def _let_go(self, table: HostedTable, files: RecordFiles) -> None:
        """The end is stored: those who wait for it hear of it, and the places of its bots are free."""
        for table_id in self.registry.note_end(table, files):
            self.forget(table_id)
        for seat in table.plan.seats:
            if seat.bot is not None:
                self.seat_waiting(seat.bot)
        if self.closed_hook is not None:
            self.closed_hook(table)

    def watch(self, table: HostedTable, watcher: Watcher, last_seen: int) -> None:
        """Lets somebody watch; a player who watches its own table is present."""
        now = self._clock()
        was_reached = watcher.seat is None or table.is_reached(watcher.seat, now)
        table.watch(watcher, last_seen, now)
        if watcher.seat is not None and not was_reached and table.result is None:
            self.pump.tell(table, Connected(watcher.seat), now)
        self.pump.schedule_flush()

    def unwatch(self, table: HostedTable, watcher: Watcher) -> None:
        """Lets somebody watch no longer."""
        table.unwatch(watcher)
        if watcher.seat is not None:
            self._note_absence(table, watcher.seat, self._clock())

    def renew_lease(self, table: HostedTable, seat: int, until_ms: int) -> None:
        """An occupant without a stream has given a sign of life and is present until then."""
        now = self._clock()
        was_reached = table.is_reached(seat, now)
        table.give_lease(seat, until_ms)
        if was_reached:
            self.pump.watch_time(table)
        else:
            self.pump.tell(table, Connected(seat), now)

    def cancel(self, table: HostedTable) -> None:
        """Closes a table without a result; nothing happens when it is over."""
        self.pump.tell(table, CloseTable(), self._clock())

    def remove_seat(self, table: HostedTable, seat: int, cause: LeaveCause) -> None:
        """Takes a seat out of the match."""
        self._leave(table, seat, cause, self._clock())

    def report_crash(self, identity: str, evidence: str) -> None:
        """Notes at its open tables that the process of an instance ended by itself; its seats stay its bot's."""
        now = self._clock()
        for number, seat in self.lobby.seats_of(identity):
            table = self.table_of(number)
            if table is not None:
                self.pump.tell(table, NoteFault(seat, FaultKind.CRASH, evidence), now)
        self.sharing.note_end(identity, now)

    def forget(self, table_id: str) -> None:
        """Frees the memory of a closed table; nothing happens to one that is open or unknown."""
        table = self.registry.take_out(table_id)
        if table is not None:
            self.pump.journal.append(Forgotten(table.number))
            for identity in table.seat_of:
                self.lobby.unbind(identity, table.number)


_RECEIVE: dict[type, Callable[[Host, Any, int], None]] = {
    Acted: Host._acted,  # noqa: SLF001 - the class's own table of mail
    Sent: Host._sent,  # noqa: SLF001
    Attach: Host._attach,  # noqa: SLF001
    Detach: Host._detach,  # noqa: SLF001
    Left: Host._left,  # noqa: SLF001
    Acknowledged: Host._acknowledged,  # noqa: SLF001
}
