"""Moves the tables of one process: commands in, effects out, nothing let out before it is stored.

Here: `Pump`. Not here: mail and seats (`host`), one table's deliveries (`hosted`), storage and bytes (behind `ports`).
Knows asyncio: all of it runs in one event loop and never awaits, so nothing changes between reading and writing.

The way of a command: it goes to the machine at once, its effects become deliveries in `out`, and it is noted in the
journal. Once an iteration of the loop the journal is handed to the store, and the deliveries leave when the store says
that it is durable.
"""

import asyncio
from collections import deque
from collections.abc import Callable

from lastcard.rules.shuffle import round_seed
from lastcard.table.builtin_turns import BuiltinTurns
from lastcard.table.commands import Answer, Command, DecisionSent, NextRound, Recovered, Tick
from lastcard.table.deadlines import Deadlines
from lastcard.table.effects import Ask, CloseCause, Closed, SeedWanted
from lastcard.table.hosted import HostedTable
from lastcard.table.journal import Commanded, Entry
from lastcard.table.mail import Delivery
from lastcard.table.performing import perform
from lastcard.table.ports import Builtins, Bus, Clock, Store
from lastcard.table.timecontrol import NEVER

GATHERED_S = 0.005
"""How long a flush is put off at most while there is more to read: a fifth of what is wanted at saturation."""


class Pump:
    """Gives commands to machines and performs their effects; the host says what a table's end leads to."""

    def __init__(
        self,
        *,
        clock: Clock,
        bus: Bus,
        store: Store,
        builtins: Builtins,
        failed: Callable[[str, Exception], None],
        ended: Callable[[HostedTable, Closed, int], None],
        absent: Callable[[HostedTable, int], None],
        left: Callable[[HostedTable, int], None],
    ) -> None:
        self.out: list[Delivery] = []
        self.journal: list[Entry] = []
        self.now_ms = 0
        """The time of the command that is being performed."""
        self._clock = clock
        self._bus = bus
        self._store = store
        self._failed = failed
        """Told of a machine or builtin that raised: our fault, for the log."""
        self._ended = ended
        """Told of a table that is over and of the time."""
        self._left = left
        """Told of a seat that has left a match."""
        self._absent = absent
        """Told of a table at which occupants may have gone away for want of a sign of life."""
        self._turns = BuiltinTurns(builtins, self._builtin_answered, self._builtin_failed)
        self._durable: list[Callable[[], None]] = []
        self._deadlines: Deadlines[HostedTable] = Deadlines()
        self._timer: asyncio.TimerHandle | None = None
        self._timer_ms = NEVER
        self._work: deque[tuple[HostedTable, Command, int | None]] = deque()
        self._working = False
        self._flush_due = False
        self._flush_by = 0.0
        self._heard = False
        """Whether anything was told since the flush was last put off."""

    def tell(self, table: HostedTable, command: Command, now: int, greeted: int | None = None) -> None:
        """Gives a machine a command and performs its effects, and whatever commands these lead to.

        `greeted` is a seat whose new stream is told that it has the seat before anything else happens.
        """
        if self._working:
            self._work.append((table, command, greeted))
            return
        self._working = True
        try:
            self._step(table, command, greeted, now)
            while self._work:
                self._step(*self._work.popleft(), now)
        finally:
            self._working = False
        self._heard = True
        if not self._flush_due and (self.out or self._durable):
            self.schedule_flush()

    def _step(self, table: HostedTable, command: Command, greeted: int | None, now: int) -> None:
        kind = type(command)
        self.now_ms = now
        if table.result is not None and kind is not Answer:
            return
        self.journal.append(Commanded(table.number, now, command))
        if kind is Answer and table.receipts is not None:
            table.receipts.answered(command)  # type: ignore[arg-type] # its type is looked at above
        try:
            effects = table.machine.handle(command, now)
            if greeted is not None:
                table.greet(greeted, resumed=False, cursor=None)
            if effects:
                perform(table, effects)
        except Exception as error:  # noqa: BLE001 - one table's fault must not touch the others
            self._break(table, error)
        due = table.next_ms()
        if due < table.queued_ms:
            self._queue(table, due)

    def _break(self, table: HostedTable, error: Exception) -> None:
        """A machine raised: the table is closed without a result, which is nobody's loss but ours."""
        self._failed(table.table_id, error)
        state = table.machine.state
        if table.result is None:
            self.table_closed(table, Closed(CloseCause.CANCELLED, 0, tuple(state.totals), (), state.round))

    def ask_builtin(self, table: HostedTable, ask: Ask) -> None:
        """A builtin is to answer a decision."""
        self._turns.ask(table, ask)

    def _builtin_answered(
        self, table: HostedTable, ask: Ask, choice: int, call_uno: bool, catch_seats: tuple[int, ...]
    ) -> None:
        now = self._clock()
        self.tell(table, Answer(ask.seat, ask.decision_id, choice, None, call_uno, catch_seats, now), now)

    def _builtin_failed(self, table: HostedTable, error: Exception) -> None:
        self._failed(table.table_id, error)

    def decision_unreachable(self, table: HostedTable, ask: Ask) -> None:
        """A decision was put to a seat without a stream: its clock runs at once."""
        self._work.append((table, DecisionSent(ask.seat, ask.decision_id), None))

    def seed_wanted(self, table: HostedTable, wanted: SeedWanted) -> None:
        """The table needs the seed of its next round, now or at a later time."""
        table.want_seed(wanted, self.now_ms)
        self._give_seed(table, self.now_ms)

    def _give_seed(self, table: HostedTable, now: int) -> None:
        if table.seed_round and table.seed_due_ms <= now:
            seed = round_seed(table.deal_key, table.seed_round)
            table.seeds.append(seed)
            table.seed_round = 0
            self._work.append((table, NextRound(seed), None))

    def seat_left(self, table: HostedTable, seat: int) -> None:
        """A seat has left the match: its bot has room for another table."""
        self._left(table, seat)

    def table_closed(self, table: HostedTable, closed: Closed) -> None:
        """The table is over."""
        self._ended(table, closed, self.now_ms)

    def go_on(self, table: HostedTable, recovered: Recovered, now: int) -> None:
        """Goes on with a table that was taken up after a restart: builtins are asked again what they were asked."""
        self.tell(table, recovered, now)
        for seat, link in enumerate(table.links):
            if link.builtin:
                for ask in table.machine.open_decisions(seat):
                    self._turns.ask(table, ask)

    # ------------------------------------------------------------------ time and storage

    def watch_time(self, table: HostedTable) -> None:
        """Looks at a table's next deadline, which may have moved."""
        due = table.next_ms()
        if due < table.queued_ms:
            self._queue(table, due)

    def _queue(self, table: HostedTable, due: int) -> None:
        self._deadlines.set(table, due)
        if due < self._timer_ms:
            self._arm(due)

    def _arm(self, due: int) -> None:
        if self._timer is not None:
            self._timer.cancel()
        self._timer_ms = due
        wait_s = max(0, due - self._clock()) / 1000
        self._timer = asyncio.get_running_loop().call_later(wait_s, self._on_time)

    def _on_time(self) -> None:
        self._timer, self._timer_ms = None, NEVER
        now = self._clock()
        for table in self._deadlines.due(now):
            if table.next_ms() <= now:
                self._absent(table, now)
                self._give_seed(table, now)
                self.tell(table, Tick(), now)
            else:
                self.watch_time(table)
        due = self._deadlines.next_ms()
        if due is not None and due < self._timer_ms:
            self._arm(due)

    def schedule_flush(self) -> None:
        """Has the journal handed to the store as soon as all that can be read now has been handled."""
        if not self._flush_due:
            self._flush_due = True
            self._heard = True
            loop = asyncio.get_running_loop()
            self._flush_by = loop.time() + GATHERED_S
            loop.call_soon(self._flush_when_quiet)

    def _flush_when_quiet(self) -> None:
        """Waits as long as every turn of the loop brings something new: then all go out together, a frame a stream."""
        loop = asyncio.get_running_loop()
        if self._heard and loop.time() < self._flush_by:
            self._heard = False
            loop.call_soon(self._flush_when_quiet)
        else:
            self._flush()

    def _flush(self) -> None:
        """Hands the journal to the store; what waits for it leaves when it is durable."""
        self._flush_due = False
        out, durable, journal = self.out, self._durable, self.journal
        self.out, self._durable, self.journal = [], [], []
        self._store.append(journal, lambda: self._release(out, durable))

    def _release(self, out: list[Delivery], durable: list[Callable[[], None]]) -> None:
        self._bus.to_sessions(out)
        for then in durable:
            then()

    def when_durable(self, then: Callable[[], None]) -> None:
        """Calls `then` once everything told so far is stored and has been delivered."""
        self._durable.append(then)
        self.schedule_flush()

    def stop(self) -> None:
        """Takes no part any more: no deadlines, no builtins, and no commands. What was told is handed to the store."""
        if self._timer is not None:
            self._timer.cancel()
        self._turns.stop()
        self._working = True  # so that commands pile up in `_work`, and `tell` need not look for this
        self._flush()
