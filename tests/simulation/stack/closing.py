"""What must be true when an arena's day is over.

Here: `check_end`, `check_nothing_left`. Not here: what must be true all the time (`watched`, `ledger`).
"""

import json
from typing import TYPE_CHECKING

from lastcard.rules.record import RecordWriter
from lastcard.services.identity import identity_of
from lastcard.table.commands import NextRound
from lastcard.table.effects import CloseCause, Happened
from lastcard.table.hosted import HostedTable
from lastcard.table.machine import Table
from simulation.stack.recovered import check_table
from simulation.stack.watched import Truth

if TYPE_CHECKING:
    from lastcard.app import Arena
    from lastcard.table.plan import TablePlan
    from simulation.stack.world import World


def check_standing(arena: "Arena") -> None:
    """Whoever has a stream is known to have it, in whatever order streams came and went."""
    for identity, session in arena.sessions._by_identity.items():
        peer = arena.host.lobby.peers.get(identity)
        if not session.ended.done():
            assert peer is not None, f"{session.bot} has a stream, and nobody knows of it"
            assert peer.address == session.address, f"{session.bot} is looked for at {peer.address}"
        for number, seat in arena.host.lobby.seats_of(identity):
            table = arena.host.registry.by_number.get(number)
            if peer is not None and table is not None and table.result is None:
                link = table.links[seat]
                assert link.address == peer.address, f"{session.bot} is asked at {link.address!r} of {table.table_id}"


VERDICT_S = 2.0
"""Within what time every answer is judged, however slow store and line are."""

EXPECTED_TIMERS = {"Sessions._beat", "Arena._read_clock", "Pump._on_time"}
"""Those of a server at which nothing happens; the last one may still look at a table that is over."""


def check_end(world: "World") -> None:
    """All tables are over, and everybody knows it."""
    server = world.server
    assert server is not None
    for plan in world.scenario.tables:
        table = server.arena.host.find(plan.table_id or "")
        if table is None:
            _check_stored(world, plan)
            continue
        if table.salt in world.asleep:
            check_table(world, table, world.asleep[table.salt])
        truth = world.truths[table.salt]
        assert truth.table.closed is not None
        world.reached[f"closed {truth.table.closed.cause.name}"] += 1
        if truth.table.closed.cause != CloseCause.CANCELLED:
            truth.watch.check_end()
        world.reached.update(truth.watch.seen)
        _check_blames(world, table, truth)
        _check_told(world, table)
        if world.scenario.seed % 4 == 0:
            _check_replay(table, truth)
    for link in world.network.links:
        if not link.is_cut and not link.is_deaf and not link.is_over and link.reading and link.handler is not None:
            is_new = world.loop.now - link.answered_s < VERDICT_S
            is_told = link.handler.done() or link.is_confused or is_new or not +link.owed
            assert is_told, f"{link} of {link.client} waits for verdicts on {+link.owed}"


def _check_stored(world: "World", plan: "TablePlan") -> None:
    """A table of an earlier run that nobody asks for any more has its result in the store."""
    stored = world.disk.file.table(plan.table_id or "")
    assert stored is not None, f"table {plan.table_id} is gone"
    assert world.asleep[plan.salt or b""].table.closed is not None
    told = world.ledger.results.get(plan.table_id or "")
    if told is not None and not plan.closed:
        assert json.loads(stored.result)["record_hash"] == told.record_hash.hex()
    world.reached["table stored"] += 1


def _check_blames(world: "World", table: HostedTable, truth: Truth) -> None:
    """Nobody is blamed without cause."""
    for blame in truth.watch.blames:
        world.reached[f"blame {blame.kind.name}"] += 1
        who = table.plan.seats[blame.seat].bot or world.sitters.get((table.table_id, blame.seat), "nobody")
        assert blame.kind in world.sins(who), f"{who} is blamed without cause at {table.table_id}: {blame}"
    result = table.result
    assert result is not None
    assert list(result.faults) == truth.watch.blames


def _check_told(world: "World", table: HostedTable) -> None:
    """Whoever serves a seat and is there knows the end."""
    for bot in world.bots:
        secret = bot.token or bot.session.secret
        if bot.is_done or not secret:
            continue
        seat = table.seat_of.get(identity_of(secret))
        if seat is not None and not table.links[seat].acknowledged:
            assert table.table_id in bot.ended_tables, f"{bot} was not told the end of {table.table_id}"


def _check_replay(table: HostedTable, truth: Truth) -> None:
    """The same commands give the same effects, and the record that was told of."""
    setup = truth.table.setup
    machine = Table(setup)
    names = [seat.name for seat in truth.table.seats]
    reactions = "sealed" if setup.sealed else "open"
    writer = RecordWriter(setup.rules, names, draws=setup.draws, reactions=reactions, disguise=setup.disguise)
    seeds = 0
    for command, at_ms, _, effects in truth.handled:
        again = machine.handle(command, at_ms)
        assert again == effects, f"{command} at {table.table_id} leads to something else when played again"
        seeds += isinstance(command, NextRound)
        for effect in again:
            if isinstance(effect, Happened):
                writer.add(effect.first_sequence, effect.events)
    assert table.result is not None
    assert bytes.fromhex(writer.close()) == table.result.record_hash, f"the record of {table.table_id} is another"


def check_nothing_left(world: "World") -> None:
    """When all clients have gone, nothing of them is left."""
    server = world.server
    assert server is not None
    host = server.arena.host
    assert not len(server.arena.sessions), f"{len(server.arena.sessions)} sessions are left"
    addresses = list(server.arena.sessions._addresses._receivers)
    assert not addresses, f"addresses on the bus are left: {addresses}"
    assert not host.lobby.peers
    assert not host.lobby._by_bot
    assert not host.lobby._open, f"open tables are left in the lobby: {host.lobby._open}"
    for table in host.tables.values():
        assert not table.watchers, f"{len(table.watchers)} watch {table.table_id}, which is over"
    for table_id in list(host.tables):
        host.forget(table_id)
    assert not host.lobby._seats, f"seats are left in the lobby: {host.lobby._seats}"
    assert not host.lobby._kept, f"seats of closed tables wait for bots: {host.lobby._kept}"
    tasks = world.loop.tasks(server.process)
    assert not tasks, f"tasks are left: {tasks}"
    timers = [getattr(callback, "__qualname__", str(callback)) for callback in world.loop.timers(server.process)]
    assert len(timers) <= len(set(timers) & EXPECTED_TIMERS), f"timers are left: {timers}"
