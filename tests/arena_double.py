"""An arena for tests of the tournament's director: games by the real rules and records, without gRPC.

Builtins play by a fixed choice among the legal actions. Programs "connect" by opening a TCP connection and sending
their token; a bot that is connected plays as a builtin does. What real clocks and sessions do is tested in
`tests/service`.
"""

import asyncio
import contextlib
import itertools
from hashlib import sha256
from typing import TYPE_CHECKING, Self

from lastcard.rules.actions import Action, Kind, LeaveCause, leave
from lastcard.rules.apply import apply
from lastcard.rules.deal import start_round
from lastcard.rules.events import Event
from lastcard.rules.legality import legal_actions
from lastcard.rules.record import RecordWriter
from lastcard.rules.shuffle import SeededChance, round_seed
from lastcard.rules.state import Phase, State, new_match
from lastcard.table.effects import Blame, CloseCause, FaultKind
from lastcard.table.plan import RecordFiles, TablePlan, TableResult
from lastcard.tournament.ports import Played
from waiting import until

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

CLIENT = """
import os, socket, sys, time
host, port = os.environ["LASTCARD_SERVER"].split(":")
link = socket.create_connection((host, int(port)))
link.sendall(os.environ["LASTCARD_TOKEN"].encode() + b"\\n")
print("connected as", os.environ["LASTCARD_BOT"])
"""
"""What a program does to connect; then it may do as it likes, for example `link.recv(1)` until the arena is gone."""


class Table:
    """A table of the double."""

    def __init__(self, plan: TablePlan) -> None:
        self.plan = plan
        self.names = tuple(seat.bot or seat.name for seat in plan.seats)
        self.removed: list[int] = []
        self.heard: list[tuple[int, int]] = []
        """Seats that were removed, each with the step before which it was: what the table is played again with."""
        self.faults: list[Blame] = []
        self.cancelled = False
        self.last = 0
        self.done: asyncio.Future[TableResult] = asyncio.get_running_loop().create_future()
        self.files: RecordFiles | None = None
        self.result: TableResult | None = None

    def again(self) -> "Table":
        """The table as it is taken up by the next arena."""
        made = Table(self.plan)
        made.heard, made.faults, made.cancelled = self.heard, self.faults, self.cancelled
        made.files, made.result, made.last = self.files, self.result, self.last
        return made


class ArenaDouble:
    """Satisfies `lastcard.tournament.ports.ArenaPort`; `hold` keeps running games from ending until it is cleared;
    tables in `gives_up` end without a result. It goes on with the tables of an `earlier` one, which has ended, as an
    arena does with those in its store. Running tables stop behind event `hold_behind`.
    """

    def __init__(self, earlier: "ArenaDouble | None" = None) -> None:
        self.address = ""
        self.run = 1
        self.tables: dict[str, Table] = {}
        self.opened: list[str] = []
        """The tables that were opened, without those of the earlier arena."""
        self.suspended = False
        self._earlier = earlier
        self.forgotten: list[str] = []
        self.crashes: list[tuple[str, str]] = []
        self.failure: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        self.hold = False
        self.hold_behind = 1_000_000
        self.gives_up: set[str] = set()
        self.times_out: Callable[[Table, int], str] = lambda _table, _step: ""
        """Names the bot that is removed from a table before a step, as the server does after too many timeouts."""
        self.probes: list[str] = []
        """The bots that played a health probe, in order."""
        self.fails_probe: Callable[[str, int], str] = lambda _bot, _time: ""
        """What a bot does wrong in its probes, from the first; empty for nothing."""
        self.tokens: dict[str, str] = {}
        self.versions: dict[str, str] = {}
        """What bots tell of their versions."""
        if earlier is not None:
            self.tokens |= earlier.tokens
        self.registered = False
        self.present: dict[str, int] = {}
        """How many connections each token has."""
        self._arrived = asyncio.Condition()
        self._numbers = itertools.count(1)
        self._tasks: set[asyncio.Task[None]] = set()
        self._server: asyncio.Server | None = None

    async def __aenter__(self) -> Self:
        self._server = await asyncio.start_server(self._welcome, "127.0.0.1", 0)
        host, port = self._server.sockets[0].getsockname()
        self.address = f"{host}:{port}"
        if self._earlier is not None:
            for table_id, table in self._earlier.tables.items():
                if table_id not in self._earlier.forgotten:
                    self.tables[table_id] = table.again()
                    self._begin(self.tables[table_id])
        return self

    async def __aexit__(self, *_: object) -> None:
        assert self._server is not None
        self._server.close()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _welcome(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._tasks.add(task)
        try:
            token = (await reader.readline()).decode().strip()
            if token in self.tokens:
                await self._count(token, 1)
                with contextlib.suppress(ConnectionResetError):
                    await reader.read()
                await self._count(token, -1)
        finally:
            writer.close()
            self._tasks.discard(task)

    async def _count(self, token: str, change: int) -> None:
        async with self._arrived:
            self.present[token] = self.present.get(token, 0) + change
            self._arrived.notify_all()

    def revoke_earlier(self, keep: "Collection[str]" = ()) -> None:
        self.tokens = {token: bot for token, bot in self.tokens.items() if token in keep}

    async def mint(self, bot_name: str) -> str:
        token = f"token-{id(self)}-{next(self._numbers)}"
        self.tokens[token] = bot_name
        return token

    async def adopt(self, bot_name: str, token: str) -> None:
        self.tokens[token] = bot_name

    def revoke(self, token: str) -> None:
        self.tokens.pop(token, None)

    async def connected(self, token: str) -> str:
        await self._until(lambda: self.present.get(token, 0) > 0)
        return self.versions.get(self.tokens[token], "")

    async def lost(self, token: str) -> None:
        await self._until(lambda: self.present.get(token, 0) == 0)

    async def bot_connected(self, bot_name: str) -> str:
        await self._until(lambda: self._is_there(bot_name))
        return self.versions.get(bot_name, "")

    async def bot_lost(self, bot_name: str) -> None:
        await self._until(lambda: not self._is_there(bot_name))

    def _is_there(self, bot_name: str) -> bool:
        return any(bot == bot_name and self.present.get(token, 0) > 0 for token, bot in self.tokens.items())

    async def _until(self, holds: "Callable[[], bool]") -> None:
        async with self._arrived:
            await self._arrived.wait_for(holds)

    def is_known(self, table_id: str) -> bool:
        return table_id in self.tables and table_id not in self.forgotten

    async def gone(self, run: int) -> None:
        async with self._arrived:
            await self._arrived.wait_for(lambda: self.run != run)

    async def lasts(self, run: int) -> bool:
        return self.run == run

    async def break_down(self) -> None:
        """Do as an arena in another process that died and was started again."""
        self.tokens.clear()
        async with self._arrived:
            self.run += 1
            self._arrived.notify_all()

    async def failed(self) -> str:
        return await asyncio.shield(self.failure)

    async def play(self, plan: TablePlan, begun: "Callable[[int], None]") -> Played:
        assert plan.table_id is not None
        if plan.table_id.startswith("probe-"):
            return self._probe(plan)
        at = 0
        if self.is_known(plan.table_id):
            at = self.tables[plan.table_id].last
        else:
            assert plan.table_id not in self.tables
            self.opened.append(plan.table_id)
            self.tables[plan.table_id] = Table(plan)
            self._begin(self.tables[plan.table_id])
        table = self.tables[plan.table_id]
        begun(at)
        result = await asyncio.shield(table.done)
        assert table.files is not None
        return Played(result, table.files)

    def _probe(self, plan: TablePlan) -> Played:
        """A health probe is over at once; the bot does wrong what the test says."""
        bot = plan.seats[0].bot or ""
        self.probes.append(bot)
        problem = self.fails_probe(bot, self.probes.count(bot))
        faults = (Blame(0, FaultKind.TIMEOUT, 0, problem),) if problem else ()
        result = TableResult(
            table_id=plan.table_id or "",
            names=(bot,),
            cause=CloseCause.FINISHED,
            match_cause=0,
            points=(0, 0),
            places=(1, 2),
            rounds=1,
            faults=faults,
            last_sequence=0,
            record_hash=b"",
            decisions=0,
            started_ms=0,
            ended_ms=0,
            thinking_ms=(0, 0),
        )
        return Played(result, RecordFiles(record=b"", receipts=b"", record_hash=b""))

    def _begin(self, table: Table) -> None:
        task = asyncio.create_task(self._play(table))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    def remove_seat(self, table_id: str, seat: int) -> None:
        self.tables[table_id].removed.append(seat)

    def report_crash(self, token: str, evidence: str) -> None:
        bot_name = self.tokens[token]
        self.crashes.append((bot_name, evidence))
        for table in self.tables.values():
            if bot_name in table.names and not table.done.done():
                seat = table.names.index(bot_name)
                table.faults.append(Blame(seat, FaultKind.CRASH, 0, evidence))

    def forget_table(self, table_id: str) -> None:
        self.forgotten.append(table_id)

    async def suspend(self) -> None:
        self.suspended = True

    def _holds(self, table: Table) -> bool:
        return self.suspended or ((self.hold or table.last >= self.hold_behind) and not table.cancelled)

    async def _play(self, table: Table) -> None:
        if table.result is not None:
            table.done.set_result(table.result)
            return
        at = table.last
        table.cancelled |= table.plan.table_id in self.gives_up
        plan = table.plan
        writer = RecordWriter(plan.rules, table.names, draws=plan.draws, reactions="sealed" if plan.sealed else "open")
        state = new_match(plan.rules, len(plan.seats))
        steps = 0

        def take(events: list[Event]) -> None:
            writer.add(writer.sequence + 1, events)
            table.last = max(at, writer.sequence)

        while state.phase is not Phase.MATCH_OVER and not table.cancelled:
            if writer.sequence >= at:  # what follows has not happened before
                await until(lambda: not self._holds(table))
                table.heard += [(steps, seat) for seat in table.removed if (steps, seat) not in table.heard]
                table.removed.clear()
            late = self.times_out(table, steps)
            if late and table.names.index(late) in state.active_seats():
                take(apply(state, table.names.index(late), leave(LeaveCause.TIMEOUTS)))
            for step, seat in table.heard:
                if step == steps and state.phase is not Phase.MATCH_OVER and seat not in state.left_order:
                    take(apply(state, seat, leave(LeaveCause.REMOVED)))
            if state.phase in (Phase.NOT_STARTED, Phase.ROUND_OVER):
                assert plan.deal_key is not None
                assert plan.salt is not None
                seed = round_seed(plan.deal_key, state.round + 1)
                take(start_round(state, SeededChance(seed, plan.salt, plan.draws)))
            elif state.phase is not Phase.MATCH_OVER:
                take(apply(state, state.turn, _choice(state)))
            steps += 1
            if steps % 50 == 0:
                await asyncio.sleep(0)
        number = int((plan.table_id or "").removeprefix("game-").partition(".")[0])
        record_hash = bytes.fromhex(writer.close())
        table.files = RecordFiles(record=writer.to_bytes(), receipts=b"", record_hash=record_hash)
        table.result = TableResult(
            table_id=plan.table_id or "",
            names=table.names,
            cause=CloseCause.CANCELLED if table.cancelled else CloseCause.FINISHED,
            match_cause=0 if table.cancelled else state.match_cause,
            points=tuple(state.totals),
            places=() if table.cancelled else tuple(state.places),
            rounds=state.round,
            faults=tuple(table.faults),
            last_sequence=writer.sequence,
            record_hash=record_hash,
            decisions=steps,
            started_ms=10 * number,
            ended_ms=10 * number + 5,
            thinking_ms=(0,) * len(plan.seats),
        )
        table.done.set_result(table.result)


def _choice(state: State) -> Action:
    """A play where there is one: which, depends on nothing but what the seat sees."""
    actions = legal_actions(state, state.turn)
    plays = [action for action in actions if action.kind == Kind.PLAY] or actions
    seen = sha256(bytes(state.hand_faces(state.turn)) + bytes([len(state.discard) & 255])).digest()
    return plays[seen[0] % len(plays)]
