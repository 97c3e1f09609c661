"""One table as its host keeps it: the machine, who serves its seats, its feed, and the turning of effects into mail.

Here: `HostedTable`. Not here: who serves and watches (`links`), time, storage, which tables there are (`host`), the
game (`machine`, `rules`). Knows no asyncio: it is called with effects and leaves deliveries in an outlet.
"""

from typing import Protocol

from lastcard.rules.record import RecordWriter
from lastcard.rules.view import view_of
from lastcard.table.deadlines import NOT_QUEUED
from lastcard.table.effects import Announce, Ask, Blame, Closed, NoticeKind, Receipt, SeedWanted
from lastcard.table.feed import Feed
from lastcard.table.links import Audience, Link, Watcher
from lastcard.table.machine import Table
from lastcard.table.mail import Body, Delivery
from lastcard.table.plan import RecordFiles, TablePlan, TableResult
from lastcard.table.ports import TableEncoder
from lastcard.table.receipts import ReceiptsWriter
from lastcard.table.refusals import TransportReason
from lastcard.table.timecontrol import NEVER


class Outlet(Protocol):
    """Where a hosted table leaves what is to be done; the host is one."""

    out: list[Delivery]

    now_ms: int
    """The time of the command that is being performed."""

    def ask_builtin(self, table: "HostedTable", ask: Ask) -> None:
        """A builtin is to answer a decision."""

    def seed_wanted(self, table: "HostedTable", wanted: SeedWanted) -> None:
        """The table needs the seed of its next round."""

    def decision_unreachable(self, table: "HostedTable", ask: Ask) -> None:
        """A decision was put to a seat that nobody can be reached for: its clock runs."""

    def seat_left(self, table: "HostedTable", seat: int) -> None:
        """A seat has left the match."""

    def table_closed(self, table: "HostedTable", closed: Closed) -> None:
        """The table is over."""


class HostedTable:
    """One table: machine, seats, feed, record, watchers."""

    __slots__ = (
        "answerer",
        "audience",
        "created_ms",
        "deal_key",
        "encoder",
        "faults",
        "feed",
        "keeps",
        "leases",
        "links",
        "machine",
        "number",
        "outlet",
        "owner",
        "plan",
        "queued_ms",
        "receipts",
        "record",
        "result",
        "salt",
        "seat_of",
        "seed_due_ms",
        "seed_round",
        "seeds",
        "started_ms",
        "table_id",
        "thinking_ms",
        "untold",
        "watchers",
    )

    def __init__(
        self,
        *,
        number: int,
        table_id: str,
        plan: TablePlan,
        machine: Table,
        encoder: TableEncoder,
        outlet: Outlet,
        deal_key: bytes,
        salt: bytes,
        owner: str,
        created_ms: int,
    ) -> None:
        self.number = number
        self.queued_ms = NOT_QUEUED
        self.table_id = table_id
        self.plan = plan
        self.machine = machine
        self.encoder = encoder
        self.outlet = outlet
        self.deal_key = deal_key
        self.salt = salt
        self.owner = owner
        """Identity of who opened it; empty for the server itself."""
        self.created_ms = created_ms
        self.started_ms = 0
        self.links = [Link(seat.builtin or "") for seat in plan.seats]
        self.seat_of: dict[str, int] = {}
        """Seats by the identity that serves them."""
        self.watchers: list[Watcher] = []
        self.audience: Audience | None = None
        """Whom deliveries go to; `None` when it has to be gathered anew."""
        self.leases = False
        """Whether any link may hold a lease."""
        self.keeps = False
        """Whether any seat may be kept for an instance that is gone."""
        self.feed = Feed()
        self.record: RecordWriter | None = None
        """Begun with the first event."""
        self.receipts: ReceiptsWriter | None = None
        self.seeds: list[bytes] = []
        """Seeds of the rounds begun, in order."""
        self.seed_round = 0
        """Round whose seed is wanted; 0 for none."""
        self.seed_due_ms = 0
        self.faults: list[Blame] = []
        self.thinking_ms = [0] * len(plan.seats)
        self.result: TableResult | None = None
        self.untold: set[int | None] = set()
        """Seats, and `None` for spectators, that have not heard yet that the server was restarted."""
        self.answerer: tuple[int, str] | None = None
        """Seat and address of the answer that the machine is judging."""

    # ------------------------------------------------------------------ those who come, come back and go

    def is_reached(self, seat: int, now_ms: int) -> bool:
        """Whether a seat's occupant can be reached in any way."""
        link = self.links[seat]
        if link.address or link.lease_ms > now_ms:
            return True
        return any(watcher.seat == seat for watcher in self.watchers)

    def expired_leases(self, now_ms: int) -> list[int]:
        """The seats whose occupant has given no sign of life for too long; each is named once."""
        gone = [seat for seat, link in enumerate(self.links) if 0 < link.lease_ms <= now_ms]
        for seat in gone:
            self.links[seat].lease_ms = 0
        return gone

    def keep(self, seat: int, until_ms: int) -> None:
        """A seat without a stream is kept for the instance that serves it."""
        self.links[seat].kept_ms = until_ms
        self.keeps = True

    def no_longer_kept(self, now_ms: int) -> list[int]:
        """The seats that are kept for nobody any more; each is named once."""
        if not self.keeps:
            return []
        freed = [seat for seat, link in enumerate(self.links) if 0 < link.kept_ms <= now_ms]
        for seat in freed:
            self.links[seat].kept_ms = 0
        self.keeps = any(link.kept_ms for link in self.links)
        return freed

    def next_ms(self) -> int:
        """When something is due next: a deadline of the machine, a seed, the end of a lease, or that a seat is kept.

        `NEVER` for nothing.
        """
        if self.result is not None:
            return NEVER
        due = self.machine.next_deadline_ms()
        if due is None:
            due = NEVER
        if self.seed_round and self.seed_due_ms < due:
            due = self.seed_due_ms
        if self.leases:
            due = min([due, *(link.lease_ms for link in self.links if link.lease_ms)])
        if self.keeps:
            due = min([due, *(link.kept_ms for link in self.links if link.kept_ms)])
        return due

    def give_lease(self, seat: int, until_ms: int) -> None:
        """An occupant without a stream has given a sign of life."""
        self.links[seat].lease_ms = until_ms
        self.leases = True

    def serve(self, seat: int, address: str, *, decisions_only: bool) -> None:
        """A seat's stream is at `address` from now on; an empty one when it has none."""
        link = self.links[seat]
        link.address = address
        link.decisions_only = decisions_only
        link.kept_ms = 0
        self.audience = None

    def release(self, seat: int) -> None:
        """Nobody serves a seat any more; whoever watched as its owner sees what a spectator sees from now on."""
        link = self.links[seat]
        del self.seat_of[link.identity]
        link.identity, link.lease_ms = "", 0
        for watcher in self.watchers:
            if watcher.seat == seat:
                watcher.seat = None
        self.serve(seat, "", decisions_only=False)

    def gather(self) -> Audience:
        """Makes the audience anew, after links or watchers have changed."""
        self.audience = Audience(self.links, self.watchers)
        return self.audience

    def want_seed(self, wanted: SeedWanted, now_ms: int) -> None:
        """The next round's seed is wanted; the first time is the match's start."""
        self.seed_round, self.seed_due_ms = wanted.round, wanted.not_before_ms
        if not self.started_ms:
            self.started_ms = now_ms

    def book(self, seat: int, receipt: Receipt) -> None:
        """Keeps the account of a closed decision."""
        self.links[seat].receipt = receipt
        self.thinking_ms[seat] += receipt.charged_ms

    def greet(self, seat: int, *, resumed: bool, cursor: int | None) -> None:
        """Tells a seat's new stream where it is: `Seated`, then what it has missed.

        `cursor` is the last number that the bot has seen, `None` when it did not say.
        """
        link = self.links[seat]
        item = self.encoder.seated(seat, self.machine.seats, self.feed.last, resumed, link.receipt)
        self.outlet.out.append(Delivery((link.address,), Body.SEATED, self.table_id, item))
        self._tell_recovery(link.address, seat)
        if not link.decisions_only:
            self._catch_up(link.address, seat, cursor)
        if self.result is not None:
            self._tell_end((link.address,), link.receipt)

    def watch(self, watcher: Watcher, last_seen: int, now_ms: int) -> None:
        """Adds a watcher: a snapshot or the events after `last_seen`, then whatever comes; the end when it is over.

        Its seat's open decisions come with the time that is left at `now_ms`.
        """
        if last_seen:
            self._tell_recovery(watcher.address, watcher.seat)
        self._catch_up(watcher.address, watcher.seat, last_seen or None)
        if self.result is not None:
            receipt = None if watcher.seat is None else self.links[watcher.seat].receipt
            self._tell_end((watcher.address,), receipt)
            return
        self.watchers.append(watcher)
        self.audience = None
        if watcher.seat is not None:
            for ask in self.machine.open_decisions(watcher.seat, now_ms):
                item = self.encoder.decision(ask, self.feed.last, view_of(self.machine.state, ask.seat))
                self.outlet.out.append(
                    Delivery((watcher.address,), Body.DECISION, self.table_id, item, ask.decision_id)
                )

    def unwatch(self, watcher: Watcher) -> None:
        """Removes a watcher, which may be gone already."""
        if watcher in self.watchers:
            self.watchers.remove(watcher)
            self.audience = None

    def _tell_recovery(self, address: str, seat: int | None) -> None:
        """Tells whoever comes back that the server was restarted: a seat once, spectators whenever they do."""
        if seat in self.untold:
            item = self.encoder.notice(Announce(NoticeKind.RECOVERED, None))
            self.outlet.out.append(Delivery((address,), Body.NOTICE, self.table_id, item))
            if seat is not None:
                self.untold.discard(seat)

    def _catch_up(self, address: str, seat: int | None, cursor: int | None) -> None:
        last = self.feed.last
        if cursor is not None and cursor > last:
            sentence = (
                f"the cursor of table {self.table_id} is {cursor}, beyond its last event {last}; "
                f"name a number from 0 to {last}"
            )
            item = self.encoder.refused(TransportReason.CURSOR_BEYOND_END, sentence)
            self.outlet.out.append(Delivery((address,), Body.REFUSED, self.table_id, item))
            cursor = None
        missed = None if cursor is None else self.feed.after(cursor, seat)
        if missed:
            item = self.encoder.events(missed)
            self.outlet.out.append(Delivery((address,), Body.EVENTS, self.table_id, item))
        elif missed is None and last:
            item = self.encoder.snapshot(last, view_of(self.machine.state, seat))
            self.outlet.out.append(Delivery((address,), Body.SNAPSHOT, self.table_id, item))

    def _tell_end(self, to: tuple[str, ...], receipt: Receipt | None) -> None:
        assert self.result is not None
        if to:
            item = self.encoder.closed(self.result, receipt)
            self.outlet.out.append(Delivery(to, Body.CLOSED, self.table_id, item))

    # ------------------------------------------------------------------ record and end

    def begin_record(self) -> RecordWriter:
        """Begins record and receipts; the names may still change, since seats are left even before the match."""
        names = self.machine.names
        clock = self.plan.clock
        self.receipts = ReceiptsWriter(
            names,
            limit_ms=clock.limit_ms,
            bank_ms=clock.bank_ms,
            reaction_ms=clock.reaction_ms,
            start_up_ms=clock.start_up_ms,
            grace_ms=clock.grace_ms,
            network_credit_ms=clock.network_credit_ms,
            network_credit_total_ms=clock.network_credit_total_ms,
        )
        for blame in self.faults:
            self.receipts.blamed(blame)
        reactions = "sealed" if self.plan.sealed else "open"
        self.record = RecordWriter(
            self.plan.rules, names, draws=self.plan.draws, reactions=reactions, disguise=self.plan.disguise
        )
        return self.record

    def finish(self, closed: Closed, now_ms: int) -> RecordFiles:
        """Closes the record, and reveals its chance at once unless the table is a closed one; sets `result`."""
        record = self.record or self.begin_record()
        assert self.receipts is not None
        record_hash = bytes.fromhex(record.close())
        if not self.plan.closed:
            record.reveal(self.seeds[: self.machine.state.round], self.salt)
        files = RecordFiles(record=record.to_bytes, receipts=self.receipts.to_bytes, record_hash=record_hash)
        self._set_result(closed, record_hash, now_ms)
        return files

    def finish_without_record(self, closed: Closed, now_ms: int) -> RecordFiles:
        """The end of a table whose record is broken, which is our fault: a result without one."""
        self._set_result(closed, b"", now_ms)
        return RecordFiles(record=b"", receipts=b"", record_hash=b"")

    def drop_writers(self) -> None:
        """Record and receipts are in the files of the table's end, and nothing is added to them any more."""
        self.record = self.receipts = None

    def _set_result(self, closed: Closed, record_hash: bytes, now_ms: int) -> None:
        self.result = TableResult(
            table_id=self.table_id,
            names=tuple(seat.name for seat in self.machine.seats),
            cause=closed.cause,
            match_cause=closed.match_cause,
            points=closed.points,
            places=closed.places,
            rounds=closed.rounds,
            faults=tuple(self.faults),
            last_sequence=self.feed.last,
            record_hash=record_hash,
            decisions=self.machine.decision_count,
            started_ms=self.started_ms,
            ended_ms=now_ms,
            thinking_ms=tuple(self.thinking_ms),
        )

    def tell_everybody_the_end(self) -> None:
        """Tells all seats and watchers that the table is over; nobody watches any longer."""
        for seat, link in enumerate(self.links):
            self._tell_end((self.audience or self.gather()).asked[seat], link.receipt)
        self._tell_end(tuple(watcher.address for watcher in self.watchers if watcher.seat is None), None)
        self.watchers.clear()
        self.audience = None
