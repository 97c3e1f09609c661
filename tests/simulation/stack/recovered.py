"""What must be true of a server that has taken up what another left.

Here: `check_recovery`. Not here: what its machines do from then on (`watched`), what clients are told (`ledger`).
"""

from typing import TYPE_CHECKING

from lastcard.services.wire.decisions import receipt_body
from lastcard.services.wire.frames import body_of
from lastcard.table.commands import Answer, Recovered
from lastcard.table.hosted import HostedTable
from lastcard.v1.play_service_pb2 import TableClosed, TableEvents
from lastcard.v1.table_pb2 import Receipt
from simulation.invariants import fingerprint
from simulation.stack.ledger import SPECTATOR
from simulation.stack.watched import Truth

if TYPE_CHECKING:
    from simulation.stack.world import World


def check_recovery(world: "World", before: dict[bytes, Truth]) -> None:
    """Compares all tables with what they were before, as far as it was durable, and with all that was told.

    Tables that were over are compared when they are taken up, which is when somebody asks for them.
    """
    server = world.server
    assert server is not None
    for salt, known in before.items():
        if salt not in world.truths and known.durable is not None:
            assert known.table.closed is not None, "a table that was open is gone"
            world.asleep[salt] = known
    for table in server.arena.host.tables.values():
        check_table(world, table, before.get(table.salt))


def check_table(world: "World", table: HostedTable, known: Truth | None) -> None:
    """Compares a table with what it was before."""
    assert known is not None, f"table {table.table_id} was never opened"
    assert known.durable is not None, f"the opening of {table.table_id} was not durable"
    _check_past(table, known, world.truths[table.salt], known.durable)
    _check_told(world, table)
    world.reached["table recovered"] += 1


def _check_past(table: HostedTable, known: Truth, again: Truth, durable: int) -> None:
    """The same commands led to the same effects, and the game is where it was after the last durable one."""
    assert len(known.handled) >= durable
    assert len(again.handled) >= durable, f"{table.table_id} has {len(again.handled)} commands of {durable}"
    for number in range(durable):
        first, second = known.handled[number], again.handled[number]
        assert first == second, f"command {number} of {table.table_id} differs when played again: {first}, {second}"
    was = known.handled[durable].before if len(known.handled) > durable else fingerprint(known.table.state)
    rest = again.handled[durable:]
    now = rest[0].before if rest else fingerprint(again.table.state)
    assert was == now, f"{table.table_id} is not where it was: {was}, {now}"
    if table.result is None:
        is_told = bool(rest) and isinstance(rest[0].command, Recovered)
        assert is_told, f"{table.table_id} was not told that it is taken up again"
    else:
        assert all(isinstance(handled.command, Answer) for handled in rest), f"{table.table_id} goes on after its end"


def _check_told(world: "World", table: HostedTable) -> None:
    """Nothing that anybody was told is taken back."""
    ledger, table_id = world.ledger, table.table_id
    for (name, seat), told in ledger.events.items():
        if name != table_id or not told:
            continue
        last = max(told)
        assert table.feed.last >= last, f"{table_id} is at {table.feed.last}, and {seat} was told event {last}"
        missed = table.feed.after(0, None if seat == SPECTATOR else seat)
        if missed is not None:
            events = TableEvents.FromString(body_of(table.encoder.events(missed))).events
            for event in events:
                known = told.get(event.sequence)
                data = event.SerializeToString(deterministic=True)
                assert known in (None, data), f"event {event.sequence} of {table_id} is not what {seat} was told"
    verdicts = world.truths[table.salt].watch.closing
    for (name, decision_id), told_receipt in ledger.accepted.items():
        if name == table_id:
            assert decision_id in verdicts, f"decision {decision_id} of {table_id} was accepted and is open again"
            receipt = verdicts[decision_id][1].receipt
            assert receipt is not None
            data = Receipt.FromString(receipt_body(receipt)).SerializeToString(deterministic=True)
            assert data == told_receipt, f"decision {decision_id} of {table_id} has another receipt than was told"
    told_result = ledger.results.get(table_id)
    if told_result is not None:
        assert table.result is not None, f"{table_id} was told to be over and goes on"
        again = TableClosed.FromString(body_of(table.encoder.closed(table.result, None)))
        assert again.result == told_result, f"{table_id} came out otherwise than was told"
