"""Takes tables up again after a restart of the server, by playing their commands once more.

Here: `taken_up`, `checkpoint_of`. Not here: where commands are kept (`store`), what the host does with the tables
(`restart`), what the restart means for those who play (`commands.Recovered`). May import only this layer and
`lastcard.rules`.

A table's machine knows time and chance by its arguments alone, so the same commands lead to the same state, events,
record and accounts. Nothing is told to anybody meanwhile: what was durable had been told, or is told on the way back.
"""

from lastcard.table.commands import Answer, NextRound
from lastcard.table.effects import Ask, Closed, SeedWanted
from lastcard.table.hosted import HostedTable, Outlet
from lastcard.table.journal import Checkpoint, RememberedTable
from lastcard.table.opening import Opened, new_table
from lastcard.table.performing import perform
from lastcard.table.plan import RecordFiles, TablePlan
from lastcard.table.plan_text import plan_value
from lastcard.table.ports import Encoder


class RecoveryError(Exception):
    """A table does not come to where it was; the message says how that was seen."""


class StoredPlanError(Exception):
    """How a table was opened cannot be read, so the store is damaged; the message names the table."""


class _Past(Outlet):
    """The outlet of a table while its past is played again: it keeps what the table needs and tells nobody."""

    def __init__(self) -> None:
        self.out = []
        self.now_ms = 0
        self.files: RecordFiles | None = None

    def ask_builtin(self, table: HostedTable, ask: Ask) -> None:
        """What the builtin answered is among the commands."""

    def seed_wanted(self, table: HostedTable, wanted: SeedWanted) -> None:
        """The seed is among the commands, unless the table stopped here."""
        table.want_seed(wanted, self.now_ms)

    def decision_unreachable(self, table: HostedTable, ask: Ask) -> None:
        """That its clock ran is among the commands."""

    def seat_left(self, table: HostedTable, seat: int) -> None:
        """Room for other tables is counted when all tables are there."""

    def table_closed(self, table: HostedTable, closed: Closed) -> None:
        """The record is closed as it was."""
        self.files = table.finish(closed, self.now_ms)


def stored_plan(remembered: RememberedTable) -> TablePlan:
    """How a table was opened.

    Raises:
        StoredPlanError: it cannot be read.
    """
    opened = remembered.opened
    try:
        return plan_value(opened.plan, opened.table_id)
    except (ValueError, KeyError, TypeError) as error:
        raise StoredPlanError(f"the plan of table {opened.table_id} cannot be read: {error!r}") from error


def taken_up(remembered: RememberedTable, plan: TablePlan, encoder: Encoder) -> tuple[HostedTable, RecordFiles | None]:
    """A table as it was after its last command, and its files when it is over; nobody is connected to it.

    Raises:
        RecoveryError: its commands do not lead to where it was: they raise, or end elsewhere.
    """
    past = _Past()
    table = untouched(remembered, plan, encoder, past)
    try:
        _play_again(table, past, remembered)
    except Exception as error:
        raise RecoveryError(f"its stored commands cannot be played again: {error!r}") from error
    if remembered.closed != (past.files is not None):
        was = "over" if remembered.closed else "not over"
        raise RecoveryError(f"its stored commands end otherwise: it was {was} after event {table.feed.last}")
    _check(table, remembered.checkpoint)
    return table, past.files


def untouched(remembered: RememberedTable, plan: TablePlan, encoder: Encoder, outlet: Outlet) -> HostedTable:
    """A table as it was before its first command, with those who serve its seats now."""
    opened = remembered.opened
    known = Opened(opened.number, opened.table_id, opened.owner, opened.opened_ms)
    table = new_table(plan, encoder.table(opened.table_id, plan), outlet, known)
    for seat, identity in remembered.identities:
        table.links[seat].identity = identity
        table.seat_of[identity] = seat
    return table


def _play_again(table: HostedTable, past: _Past, remembered: RememberedTable) -> None:
    handle = table.machine.handle
    for at_ms, command in remembered.commands:
        past.now_ms = at_ms
        if isinstance(command, NextRound):
            table.seeds.append(command.seed)
            table.seed_round = 0
        elif isinstance(command, Answer) and table.receipts is not None:
            table.receipts.answered(command)
        effects = handle(command, at_ms)
        if effects:
            perform(table, effects)


def checkpoint_of(table: HostedTable) -> Checkpoint:
    """Where a table is now."""
    record = table.record
    sequence = 0 if record is None else record.sequence
    return Checkpoint(table.number, sequence, "" if record is None else record.digest(sequence))


def _check(table: HostedTable, checkpoint: Checkpoint | None) -> None:
    if checkpoint is None or not checkpoint.digest:
        return
    found = "" if table.record is None else table.record.digest(checkpoint.sequence)
    if found != checkpoint.digest:
        raise RecoveryError(
            f"its events up to number {checkpoint.sequence} differ from those that were played; "
            "another version of the server played them"
        )
