"""Turns the effects of a table's machine into deliveries.

Here: `perform`, `decision_item`. Not here: the table as its host keeps it (`hosted`), who may see what (`rules.view`),
bytes (behind `ports.TableEncoder`). This is the hot path: one call a move, and few of its own.
"""

from collections.abc import Callable, Mapping
from typing import Any

from lastcard.rules.events import Event, SeatLeft
from lastcard.rules.reasons import Reason
from lastcard.rules.view import redact, told_more, view_of
from lastcard.table.effects import (
    Announce,
    Ask,
    Blame,
    Closed,
    DecisionKind,
    Effect,
    Happened,
    SeedWanted,
    Verdict,
    Withdraw,
)
from lastcard.table.hosted import HostedTable
from lastcard.table.mail import STANDING, Body, Delivery


def perform(table: HostedTable, effects: list[Effect]) -> None:
    """Turns effects into deliveries and calls of the outlet, in their order."""
    for effect in effects:
        _PERFORM[type(effect)](table, effect)


def _happened(table: HostedTable, effect: Happened) -> None:
    first, events = effect
    record = table.record or table.begin_record()
    record.add(first, events)
    plan, encode = table.plan, table.encoder.event
    rules, show = plan.rules, not plan.closed
    public: list[bytes] = []
    apart: dict[int, Mapping[int, bytes]] = {}
    sequence = first
    for event in events:
        shown = redact(event, None, rules, show)
        public.append(encode(sequence, shown))
        if shown is not event:
            if type(event) is SeatLeft:
                table.outlet.seat_left(table, event.seat)
            own = _own_bytes(table, sequence, event, shown)
            if own:
                apart[sequence] = own
        sequence += 1
    table.feed.add(public, apart)
    if apart:
        _publish_apart(table, first, public, apart)
        return
    to = (table.audience or table.gather()).everybody
    if to:
        table.outlet.out.append(Delivery(to, Body.EVENTS, table.table_id, table.encoder.events(public)))


def _own_bytes(table: HostedTable, sequence: int, event: Event, to_spectators: Event) -> Mapping[int, bytes]:
    """The bytes of an event for those seats that are told more than a spectator."""
    rules, show = table.plan.rules, not table.plan.closed
    own = {}
    for seat in told_more(event, len(table.links)):
        shown = redact(event, seat, rules, show)
        if shown != to_spectators:
            own[seat] = table.encoder.event(sequence, shown)
    return own


def _publish_apart(
    table: HostedTable, first: int, public: list[bytes], apart: Mapping[int, Mapping[int, bytes]]
) -> None:
    """Publishes events of which some seats get bytes of their own."""
    out, audience, encode, table_id = (
        table.outlet.out,
        (table.audience or table.gather()),
        table.encoder.events,
        table.table_id,
    )
    seats = {seat for own in apart.values() for seat in own}
    others: tuple[str, ...] = audience.others[min(seats)]
    if len(seats) > 1:
        told = {address for seat in seats for address in audience.seats[seat]}
        others = tuple(address for address in audience.everybody if address not in told)
    for seat in seats:
        to = audience.seats[seat]
        if to:
            mine = public.copy()
            for sequence, own in apart.items():
                mine[sequence - first] = own.get(seat, mine[sequence - first])
            out.append(Delivery(to, Body.EVENTS, table_id, encode(mine)))
    if others:
        out.append(Delivery(others, Body.EVENTS, table_id, encode(public)))


def _ask(table: HostedTable, ask: Ask) -> None:
    seat = ask.seat
    if table.receipts is not None:
        table.receipts.asked(table.feed.last, ask)
    link = table.links[seat]
    if link.builtin:
        table.outlet.ask_builtin(table, ask)
        return
    to = (table.audience or table.gather()).asked[seat]
    if to:
        limit_ms = STANDING if ask.limit_ms == 0 and ask.kind == DecisionKind.REACTION else ask.limit_ms
        item = decision_item(table, ask)
        # A watcher sees it at once, whatever the stream holds back, so the clock cannot wait for the stream.
        started_ms = table.outlet.now_ms if len(to) > 1 else None
        table.outlet.out.append(
            Delivery(to, Body.DECISION, table.table_id, item, ask.decision_id, limit_ms, False, started_ms)
        )
    if not link.address or len(to) > 1:
        table.outlet.decision_unreachable(table, ask)


def decision_item(table: HostedTable, ask: Ask) -> bytes:
    """The bytes of a decision with the view as it is now."""
    return table.encoder.decision(ask, table.feed.last, view_of(table.machine.state, ask.seat))


def _verdict(table: HostedTable, verdict: Verdict) -> None:
    if table.receipts is not None:
        table.receipts.judged(verdict)
    seat, decision_id, receipt = verdict.seat, verdict.decision_id, verdict.receipt
    link = table.links[seat]
    if receipt is not None:
        table.book(seat, receipt)
    if link.builtin:
        return
    answerer = table.answerer
    address = answerer[1] if answerer is not None and answerer[0] == seat else link.address
    to = (address,)
    if address:
        item = table.encoder.verdict(verdict)
        table.outlet.out.append(
            Delivery(to, Body.ACT_RESULT, table.table_id, item, decision_id, 0, receipt is not None)
        )
    if receipt is not None and (table.audience or table.gather()).asked[seat] != to:
        # The seat's other clients hear that the decision needs no answer any more.
        others = tuple(other for other in (table.audience or table.gather()).asked[seat] if other != address)
        _tell_closed(table, Withdraw(seat, decision_id, Reason.STALE_DECISION, receipt), others)


def _withdraw(table: HostedTable, withdraw: Withdraw) -> None:
    if table.receipts is not None:
        table.receipts.withdrawn(withdraw)
    if withdraw.receipt is not None:
        table.book(withdraw.seat, withdraw.receipt)
    _tell_closed(table, withdraw, (table.audience or table.gather()).asked[withdraw.seat])


def _tell_closed(table: HostedTable, withdraw: Withdraw, to: tuple[str, ...]) -> None:
    if to:
        item = table.encoder.decision_closed(withdraw)
        table.outlet.out.append(Delivery(to, Body.DECISION_CLOSED, table.table_id, item, withdraw.decision_id, 0, True))


def _announce(table: HostedTable, announce: Announce) -> None:
    to = (table.audience or table.gather()).everybody
    if to:
        table.outlet.out.append(Delivery(to, Body.NOTICE, table.table_id, table.encoder.notice(announce)))


def _seed_wanted(table: HostedTable, wanted: SeedWanted) -> None:
    table.outlet.seed_wanted(table, wanted)


def _blame(table: HostedTable, blame: Blame) -> None:
    table.faults.append(blame)
    if table.receipts is not None:
        table.receipts.blamed(blame)


def _closed(table: HostedTable, closed: Closed) -> None:
    table.outlet.table_closed(table, closed)


_PERFORM: dict[type, Callable[[HostedTable, Any], None]] = {
    Happened: _happened,
    Ask: _ask,
    Verdict: _verdict,
    Withdraw: _withdraw,
    Announce: _announce,
    SeedWanted: _seed_wanted,
    Blame: _blame,
    Closed: _closed,
}
