"""A host takes up the tables of an earlier run of its server.

Here: `take_up`, `Dormant`, `note_checkpoints`. Not here: playing a table's past again (`recovery`), the host's day
(`host`). Open tables are taken up at once, since their clocks are to run; tables that were over only when somebody asks
for them, since most of them nobody does.
"""

from collections.abc import Collection

from lastcard.table.commands import Recovered
from lastcard.table.effects import CloseCause, Closed
from lastcard.table.host import Host
from lastcard.table.hosted import HostedTable
from lastcard.table.journal import Remembered, RememberedTable
from lastcard.table.plan import RecordFiles, TablePlan, TableResult
from lastcard.table.plan_text import result_value
from lastcard.table.ports import Encoder
from lastcard.table.recovery import RecoveryError, checkpoint_of, stored_plan, taken_up, untouched
from lastcard.table.seats import SeatStatus
from lastcard.table.sharing import KEPT_AFTER_START_MS


def take_up(host: Host, encoder: Encoder, remembered: Remembered, grace_ms: int, now: int) -> None:
    """Has a host go on with all tables of an earlier run; nobody is connected to them yet.

    Seats have `grace_ms` to come back before their clocks run. A table that does not come to where it was is closed
    without a result, which is nobody's loss but ours.

    Raises:
        StoredPlanError: the store is damaged.
    """
    recovered = Recovered(remembered.last_ms, grace_ms)
    plans = [(one, stored_plan(one)) for one in remembered.tables]
    host.dormant = Dormant(host, encoder, [(one, plan) for one, plan in plans if one.closed])
    for one, plan in plans:
        if one.closed:
            continue
        try:
            table, _ = taken_up(one, plan, encoder)
        except RecoveryError as error:
            host.failed(one.opened.table_id, error)
            _give_up(host, encoder, one, plan, now)
        else:
            _register(host, table)
            for seat, state in enumerate(table.machine.seats):
                if table.links[seat].identity and table.plan.seats[seat].bot and state.status != SeatStatus.LEFT:
                    table.keep(seat, now + min(KEPT_AFTER_START_MS, grace_ms // 2))
            host.pump.go_on(table, recovered, now)


class Dormant:
    """Tables that were over before the restart, until somebody asks for them."""

    def __init__(self, host: Host, encoder: Encoder, tables: list[tuple[RememberedTable, TablePlan]]) -> None:
        self._host = host
        self._encoder = encoder
        self._tables = {one.opened.number: (one, plan) for one, plan in tables}
        self._numbers = {one.opened.table_id: one.opened.number for one, _ in tables}
        for one, _ in tables:
            for seat, identity in one.identities:
                host.lobby.bind(identity, "", one.opened.number, seat)
                host.lobby.close(identity, one.opened.number)

    def find(self, table_id: str) -> HostedTable | None:
        """The table of an id, taken up now; `None` when it is not one of these."""
        number = self._numbers.get(table_id)
        return None if number is None else self.awaken(number)

    def ids(self) -> Collection[str]:
        """The ids of all of them that nobody has asked for yet."""
        return self._numbers.keys()

    def awaken(self, number: int) -> HostedTable | None:
        """The table of a number, taken up now; `None` when it is not one of these or does not come to its end.

        One that was closed without a result since it could not be played on comes back as no more than that.
        """
        found = self._tables.pop(number, None)
        if found is None:
            return None
        one, plan = found
        del self._numbers[one.opened.table_id]
        files: RecordFiles | None
        try:
            table, files = taken_up(one, plan, self._encoder)
        except RecoveryError as error:
            self._host.failed(one.opened.table_id, error)
            result = _cancelled(one)
            if result is None:
                return None
            table, files = untouched(one, plan, self._encoder, self._host.pump), None
            table.result = result
        _add(self._host, table)
        for table_id in self._host.registry.note_end(table, files):
            self._host.forget(table_id)
        return table


def _cancelled(one: RememberedTable) -> TableResult | None:
    """How a table was closed that could not be played on; `None` when it was not, or that cannot be read."""
    try:
        result = result_value(one.result)
    except ValueError:
        return None
    return result if result.cause == CloseCause.CANCELLED else None


def _add(host: Host, table: HostedTable) -> None:
    table.outlet = host.pump
    table.untold = {None, *range(len(table.links))}
    host.registry.add(table)


def _register(host: Host, table: HostedTable) -> None:
    """An open table is the host's from now on, with all who serve its seats or are waited for."""
    _add(host, table)
    for seat, state in enumerate(table.machine.seats):
        identity, bot = table.links[seat].identity, table.plan.seats[seat].bot
        if identity and state.status == SeatStatus.OPEN:
            host.release(table, seat)
        elif identity:
            host.lobby.bind(identity, state.name, table.number, seat)
            if state.status == SeatStatus.LEFT:
                host.lobby.close(identity, table.number)
        elif bot is not None and state.status == SeatStatus.RESERVED:
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
