"""A host takes up the tables of an earlier run of its server.

Here: `take_up`, `note_checkpoints`. Not here: playing a table's past again (`recovery`), the host's day (`host`).
"""

from lastcard.table.commands import Recovered
from lastcard.table.effects import CloseCause, Closed
from lastcard.table.host import Host
from lastcard.table.hosted import HostedTable
from lastcard.table.journal import Remembered, RememberedTable
from lastcard.table.plan import TablePlan
from lastcard.table.ports import Encoder
from lastcard.table.recovery import RecoveryError, checkpoint_of, stored_plan, taken_up, untouched
from lastcard.table.seats import SeatStatus


def take_up(host: Host, encoder: Encoder, remembered: Remembered, grace_ms: int, now: int) -> None:
    """Has a host go on with all tables of an earlier run; nobody is connected to them yet.

    Seats have `grace_ms` to come back before their clocks run. A table that does not come to where it was is closed
    without a result, which is nobody's loss but ours.

    Raises:
        StoredPlanError: the store is damaged.
    """
    recovered = Recovered(remembered.last_ms, grace_ms)
    for one in remembered.tables:
        plan = stored_plan(one)
        try:
            table, files = taken_up(one, plan, encoder)
        except RecoveryError as error:
            host.failed(one.opened.table_id, error)
            if not one.closed:
                _give_up(host, encoder, one, plan, now)
            continue
        _register(host, table)
        if files is None:
            host.pump.go_on(table, recovered, now)
        else:
            host.registry.note_end(table, files)


def _register(host: Host, table: HostedTable) -> None:
    """A table that was taken up is the host's from now on, with all who serve its seats or are waited for."""
    table.outlet = host.pump
    table.untold = {None, *range(len(table.links))}
    host.registry.add(table)
    over = table.result is not None
    for seat, state in enumerate(table.machine.seats):
        identity, bot = table.links[seat].identity, table.plan.seats[seat].bot
        if identity and state.status == SeatStatus.OPEN:
            host.release(table, seat)
        elif identity:
            host.lobby.bind(identity, state.name, table.number, seat)
            if over or state.status == SeatStatus.LEFT:
                host.lobby.close(identity, table.number)
        elif bot is not None and state.status == SeatStatus.RESERVED and not over:
            host.lobby.keep(bot, table.number, seat)


def _give_up(host: Host, encoder: Encoder, one: RememberedTable, plan: TablePlan, now: int) -> None:
    """Closes a table that cannot be taken up, so that whoever waits for its end hears of it."""
    table = untouched(one, plan, encoder, host.pump)
    _register(host, table)
    host.end(table, Closed(CloseCause.CANCELLED, 0, tuple(table.machine.state.totals), (), 0), now)


def note_checkpoints(host: Host) -> None:
    """Notes where every open table is, before the server stops in good order."""
    for table in host.tables.values():
        if table.result is None:
            host.pump.journal.append(checkpoint_of(table))
