"""One table as its host keeps it: the machine, who serves its seats, its feed, and the turning of effects into mail.

Here: `HostedTable`, `Link`, `Watcher`. Not here: time, storage, which tables there are (`host`), the game (`machine`,
`rules`). Knows no asyncio: it is called with effects and leaves deliveries in an outlet.
"""

from collections.abc import Callable, Mapping
from typing import Any, Protocol

from lastcard.rules.events import Event
from lastcard.rules.reasons import Reason
from lastcard.rules.record import RecordWriter
from lastcard.rules.view import redact, view_of
from lastcard.table.effects import (
    Announce,
    Ask,
    Blame,
    Closed,
    DecisionKind,
    Happened,
    Receipt,
    SeedWanted,
    Verdict,
    Withdraw,
)
from lastcard.table.feed import NOTHING_PRIVATE, Feed
from lastcard.table.machine import Table
from lastcard.table.mail import STANDING, Body, Delivery
from lastcard.table.plan import RecordFiles, TablePlan, TableResult
from lastcard.table.ports import TableEncoder
from lastcard.table.receipts import ReceiptsWriter
from lastcard.table.refusals import TransportReason


class Link:
    """Who serves a seat, and where its stream is (`address` is empty when there is none)."""

    __slots__ = ("acknowledged", "address", "builtin", "decisions_only", "identity", "lease_ms", "receipt")

    def __init__(self, builtin: str) -> None:
        self.builtin = builtin
        self.identity = ""
        self.address = ""
        self.decisions_only = False
        self.acknowledged = False
        """Whether the bot has said that it knows the table's end."""
        self.lease_ms = 0
        """Until when an occupant without a stream counts as present, because it asked for the table."""
        self.receipt: Receipt | None = None
        """The receipt of the seat's last closed decision."""


class Watcher:
    """Somebody who watches: `seat` is whose view it gets, `None` the public one."""

    __slots__ = ("address", "seat")

    def __init__(self, address: str, seat: int | None) -> None:
        self.address = address
        self.seat = seat


class Outlet(Protocol):
    """Where a hosted table leaves what is to be done; the host is one."""

    out: list[Delivery]

    def ask_builtin(self, table: "HostedTable", ask: Ask) -> None:
        """A builtin is to answer a decision."""

    def seed_wanted(self, table: "HostedTable", wanted: SeedWanted) -> None:
        """The table needs the seed of its next round."""

    def decision_unreachable(self, table: "HostedTable", ask: Ask) -> None:
        """A decision was put to a seat that nobody can be reached for: its clock runs."""

    def table_closed(self, table: "HostedTable", closed: Closed) -> None:
        """The table is over."""


class HostedTable:
    """One table: machine, seats, feed, record, watchers."""

    __slots__ = (
        "answerer",
        "created_ms",
        "deal_key",
        "encoder",
        "faults",
        "feed",
        "links",
        "machine",
        "number",
        "outlet",
        "owner",
        "plan",
        "receipts",
        "record",
        "requests",
        "result",
        "salt",
        "seat_of",
        "seed_due_ms",
        "seed_round",
        "seeds",
        "started_ms",
        "table_id",
        "thinking_ms",
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
        self.feed = Feed()
        self.record: RecordWriter | None = None
        """Begun with the first event, when the names are known."""
        self.receipts: ReceiptsWriter | None = None
        self.seeds: list[bytes] = []
        """Seeds of the rounds begun, in order."""
        self.seed_round = 0
        """Round whose seed is wanted; 0 for none."""
        self.seed_due_ms = 0
        self.faults: list[Blame] = []
        self.thinking_ms = [0] * len(plan.seats)
        self.result: TableResult | None = None
        self.requests: dict[str, object] = {}
        """What was answered to unary requests, by their keys."""
        self.answerer: tuple[int, str] | None = None
        """Seat and address of the answer that the machine is judging."""

    # ------------------------------------------------------------------ effects

    def perform(self, effects: list[Any]) -> None:
        """Turns effects into deliveries and calls of the outlet, in their order."""
        for effect in effects:
            _PERFORM[type(effect)](self, effect)

    def _happened(self, effect: Happened) -> None:
        record = self.record
        if record is None:
            record = self._begin_record()
        record.add(effect.first_sequence, effect.events)
        encode, feed, rules, show = self.encoder.event, self.feed, self.plan.rules, not self.plan.closed
        sequence = effect.first_sequence
        happened: list[tuple[bytes, Mapping[int, bytes]]] = []
        for event in effect.events:
            shown = redact(event, None, rules, show)
            public = encode(sequence, shown)
            private = NOTHING_PRIVATE if shown is event else self._private_items(sequence, event, public)
            feed.add(public, private)
            happened.append((public, private))
            sequence += 1
        self._publish(happened)

    def _private_items(self, sequence: int, event: Event, public: bytes) -> Mapping[int, bytes]:
        """The bytes of an event for those seats whose event differs from the public one."""
        rules, show = self.plan.rules, not self.plan.closed
        private = {}
        for seat in range(len(self.links)):
            item = self.encoder.event(sequence, redact(event, seat, rules, show))
            if item != public:
                private[seat] = item
        return private

    def _publish(self, happened: list[tuple[bytes, Mapping[int, bytes]]]) -> None:
        body = self.encoder.events([public for public, _ in happened])
        own: dict[int, bytes] = {}
        for seat in {seat for _, private in happened for seat in private}:
            own[seat] = self.encoder.events([private.get(seat, public) for public, private in happened])
        out, table_id = self.outlet.out, self.table_id
        for seat, link in enumerate(self.links):
            if link.address and not link.decisions_only:
                out.append(Delivery(link.address, table_id, Body.EVENTS, own.get(seat, body)))
        for watcher in self.watchers:
            seen = body if watcher.seat is None else own.get(watcher.seat, body)
            out.append(Delivery(watcher.address, table_id, Body.EVENTS, seen))

    def _ask(self, ask: Ask) -> None:
        if self.receipts is not None:
            self.receipts.asked(self.feed.last, ask)
        link = self.links[ask.seat]
        if link.builtin:
            self.outlet.ask_builtin(self, ask)
            return
        if link.address or self.watchers:
            body = self.decision_body(ask)
            self._to_seat(ask.seat, Body.DECISION, body, ask.decision_id, limit_ms=_limit(ask))
        if not link.address:
            self.outlet.decision_unreachable(self, ask)

    def decision_body(self, ask: Ask) -> bytes:
        """The bytes of a decision with the view as it is now."""
        return self.encoder.decision(ask, self.feed.last, view_of(self.machine.state, ask.seat))

    def _withdraw(self, withdraw: Withdraw) -> None:
        if self.receipts is not None:
            self.receipts.withdrawn(withdraw)
        self._book(withdraw.seat, withdraw.receipt)
        if not self.links[withdraw.seat].builtin:
            body = self.encoder.decision_closed(withdraw)
            self._to_seat(withdraw.seat, Body.DECISION_CLOSED, body, withdraw.decision_id)

    def _verdict(self, verdict: Verdict) -> None:
        if self.receipts is not None:
            self.receipts.judged(verdict)
        seat = verdict.seat
        self._book(seat, verdict.receipt)
        link = self.links[seat]
        if link.builtin:
            return
        answerer = self.answerer
        address = answerer[1] if answerer is not None and answerer[0] == seat else link.address
        closes = verdict.receipt is not None
        if address:
            body = self.encoder.verdict(verdict)
            self.outlet.out.append(
                Delivery(address, self.table_id, Body.ACT_RESULT, body, verdict.decision_id, closes=closes)
            )
        if closes and (address != link.address or self.watchers):
            withdraw = Withdraw(seat, verdict.decision_id, Reason.STALE_DECISION, verdict.receipt)
            self._to_seat(
                seat, Body.DECISION_CLOSED, self.encoder.decision_closed(withdraw), verdict.decision_id, but=address
            )

    def _book(self, seat: int, receipt: Receipt | None) -> None:
        if receipt is not None:
            self.links[seat].receipt = receipt
            self.thinking_ms[seat] += receipt.charged_ms

    def _to_seat(
        self, seat: int, kind: Body, body: bytes, decision_id: int = 0, *, limit_ms: int = 0, but: str = ""
    ) -> None:
        """To all that serve a seat, its stream and its own watchers, except the address `but`."""
        out = self.outlet.out
        address = self.links[seat].address
        if address and address != but:
            out.append(Delivery(address, self.table_id, kind, body, decision_id, limit_ms))
        for watcher in self.watchers:
            if watcher.seat == seat and watcher.address != but:
                out.append(Delivery(watcher.address, self.table_id, kind, body, decision_id, limit_ms))

    def _announce(self, announce: Announce) -> None:
        body = self.encoder.notice(announce)
        out = self.outlet.out
        for link in self.links:
            if link.address and not link.decisions_only:
                out.append(Delivery(link.address, self.table_id, Body.NOTICE, body))
        for watcher in self.watchers:
            out.append(Delivery(watcher.address, self.table_id, Body.NOTICE, body))

    def _seed_wanted(self, wanted: SeedWanted) -> None:
        self.outlet.seed_wanted(self, wanted)

    def _blame(self, blame: Blame) -> None:
        self.faults.append(blame)
        if self.receipts is not None:
            self.receipts.blamed(blame)

    def _closed(self, closed: Closed) -> None:
        self.outlet.table_closed(self, closed)

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

    def next_ms(self) -> int | None:
        """When something is due next: a deadline of the machine, a seed, or the end of a lease."""
        due = self.machine.next_deadline_ms()
        if self.seed_round:
            due = self.seed_due_ms if due is None else min(due, self.seed_due_ms)
        for link in self.links:
            if link.lease_ms:
                due = link.lease_ms if due is None else min(due, link.lease_ms)
        return due

    def greet(self, seat: int, *, resumed: bool, cursor: int | None) -> None:
        """Tells a seat's new stream where it is: `Seated`, then what it has missed.

        `cursor` is the last number that the bot has seen, `None` when it did not say.
        """
        link = self.links[seat]
        out = self.outlet.out
        body = self.encoder.seated(seat, self.machine.seats, self.feed.last, resumed, link.receipt)
        out.append(Delivery(link.address, self.table_id, Body.SEATED, body))
        if not link.decisions_only:
            self._catch_up(link.address, seat, cursor)
        if self.result is not None:
            self.tell_end(seat)

    def watch(self, watcher: Watcher, last_seen: int) -> None:
        """Adds a watcher: a snapshot or the events after `last_seen`, then whatever comes; the end when it is over."""
        self._catch_up(watcher.address, watcher.seat, last_seen or None)
        if self.result is not None:
            receipt = None if watcher.seat is None else self.links[watcher.seat].receipt
            body = self.encoder.closed(self.result, receipt)
            self.outlet.out.append(Delivery(watcher.address, self.table_id, Body.CLOSED, body))
            return
        self.watchers.append(watcher)
        if watcher.seat is not None:
            for ask in self.machine.open_decisions(watcher.seat):
                body = self.decision_body(ask)
                self.outlet.out.append(Delivery(watcher.address, self.table_id, Body.DECISION, body, ask.decision_id))

    def _catch_up(self, address: str, seat: int | None, cursor: int | None) -> None:
        out = self.outlet.out
        if cursor is not None and cursor > self.feed.last:
            sentence = (
                f"the cursor of table {self.table_id} is {cursor}, beyond its last event {self.feed.last}; "
                f"name a number from 0 to {self.feed.last}"
            )
            body = self.encoder.refused(TransportReason.CURSOR_BEYOND_END, sentence)
            out.append(Delivery(address, self.table_id, Body.REFUSED, body))
            cursor = None
        missed = None if cursor is None else self.feed.after(cursor, seat)
        if missed:
            out.append(Delivery(address, self.table_id, Body.EVENTS, self.encoder.events(missed)))
        elif missed is None and self.feed.last:
            body = self.encoder.snapshot(self.feed.last, view_of(self.machine.state, seat))
            out.append(Delivery(address, self.table_id, Body.SNAPSHOT, body))

    def tell_end(self, seat: int) -> None:
        """Tells a seat that the table is over."""
        assert self.result is not None
        link = self.links[seat]
        if link.address:
            body = self.encoder.closed(self.result, link.receipt)
            self.outlet.out.append(Delivery(link.address, self.table_id, Body.CLOSED, body))

    # ------------------------------------------------------------------ record and end

    def _begin_record(self) -> RecordWriter:
        names = [seat.name for seat in self.machine.seats]
        clock = self.plan.clock
        self.receipts = ReceiptsWriter(
            names,
            limit_ms=clock.limit_ms,
            bank_ms=clock.bank_ms,
            reaction_ms=clock.reaction_ms,
            start_up_ms=clock.start_up_ms,
            grace_ms=clock.grace_ms,
        )
        for blame in self.faults:
            self.receipts.blamed(blame)
        reactions = "sealed" if self.plan.sealed else "open"
        self.record = RecordWriter(self.plan.rules, names, draws=self.plan.draws, reactions=reactions)
        return self.record

    def finish(self, closed: Closed, now_ms: int) -> RecordFiles:
        """Closes the record, and reveals its chance at once unless the table is a closed one; sets `result`."""
        record = self.record or self._begin_record()
        assert self.receipts is not None
        record_hash = bytes.fromhex(record.close())
        if not self.plan.closed:
            record.reveal(self.seeds, self.salt)
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
        return RecordFiles(record=record.to_bytes(), receipts=self.receipts.to_bytes(), record_hash=record_hash)

    def tell_everybody_the_end(self) -> None:
        """Tells all seats and watchers that the table is over; nobody watches any longer."""
        assert self.result is not None
        for seat in range(len(self.links)):
            self.tell_end(seat)
        for watcher in self.watchers:
            receipt = None if watcher.seat is None else self.links[watcher.seat].receipt
            body = self.encoder.closed(self.result, receipt)
            self.outlet.out.append(Delivery(watcher.address, self.table_id, Body.CLOSED, body))
        self.watchers.clear()


def _limit(ask: Ask) -> int:
    """The limit as mail carries it: a standing reaction has none."""
    return STANDING if ask.kind == DecisionKind.REACTION and ask.limit_ms == 0 else ask.limit_ms


_PERFORM: dict[type, Callable[[HostedTable, Any], None]] = {
    Happened: HostedTable._happened,  # noqa: SLF001 - the class's own table of effects
    Ask: HostedTable._ask,  # noqa: SLF001
    Verdict: HostedTable._verdict,  # noqa: SLF001
    Withdraw: HostedTable._withdraw,  # noqa: SLF001
    Announce: HostedTable._announce,  # noqa: SLF001
    SeedWanted: HostedTable._seed_wanted,  # noqa: SLF001
    Blame: HostedTable._blame,  # noqa: SLF001
    Closed: HostedTable._closed,  # noqa: SLF001
}
