"""An arena with one table in virtual time, of which a viewer keeps all that it gets, byte by byte.

Here: `World`: everything of a server but gRPC itself, over a store in memory that outlives it. Not here: what is done
in it and compared (`hidden_pairs`).
"""

import asyncio
import sqlite3
from collections.abc import Callable, Coroutine, Sequence
from typing import TYPE_CHECKING, Any, NoReturn
from unittest.mock import patch

from lastcard.bus.local import LocalBus
from lastcard.rules.actions import Action
from lastcard.rules.reasons import Refused
from lastcard.services.gate import gate_of_calls
from lastcard.services.identity import Caller
from lastcard.services.settings import Settings
from lastcard.services.table_service import TableServicer
from lastcard.services.wire.frames import WireEncoder
from lastcard.store.file import StoreFile
from lastcard.table.commands import Command
from lastcard.table.effects import Ask, Effect, Happened
from lastcard.table.greeting import Greeting, Limits
from lastcard.table.hosting import Hosting
from lastcard.table.journal import Entry, Remembered
from lastcard.table.machine import Table
from lastcard.table.mail import Acted
from lastcard.table.plan import TablePlan
from lastcard.table.refusals import DomainError
from lastcard.v1 import table_service_pb2

if TYPE_CHECKING:
    from lastcard.rules.events import Event

TABLE = "pair"


class _NoSelector:
    """Instead of waiting for input that never comes, the time jumps to when something is due."""

    def __init__(self, loop: "QuickLoop", real: Any) -> None:
        self._loop, self._real = loop, real

    def select(self, timeout: float | None) -> list[Any]:
        assert timeout is not None, "nothing is due any more"
        self._loop.now += timeout
        return []

    def __getattr__(self, name: str) -> Any:
        return getattr(self._real, name)


class QuickLoop(asyncio.SelectorEventLoop):
    """An event loop in virtual time."""

    def __init__(self) -> None:
        super().__init__()
        self.now = 0.0
        self._selector = _NoSelector(self, self._selector)

    def time(self) -> float:
        return self.now


class _NoBuiltins:
    names = ()


class _Context:
    """What a servicer needs of a call; what it writes is kept with its time."""

    def __init__(self, world: "World", channel: str, token: str) -> None:
        self._world, self._channel, self._token = world, channel, token

    def invocation_metadata(self) -> tuple[tuple[str, str], ...]:
        return (("authorization", f"Bearer {self._token}"),) if self._token else ()

    def peer(self) -> str:
        return "ipv4:127.0.0.1:1"

    async def write(self, message: Any) -> None:
        self._world.note(self._channel, message.SerializeToString(deterministic=True))


class _Disk:
    """A store whose file is in memory and outlives the server; commits are made at once."""

    def __init__(self) -> None:
        self._connection = sqlite3.connect(":memory:", isolation_level=None)
        self._file = StoreFile(self._connection)
        self._servers = 0

    def remembered(self) -> Remembered:
        """What is kept, for a server that starts; earlier ones are dead."""
        self._servers += 1
        self._file = StoreFile(self._connection)
        return self._file.remembered()

    def store(self) -> "_Store":
        """The store of the present server."""
        return _Store(self, self._servers)

    def commit(self, server: int, entries: Sequence[Entry]) -> bool:
        """Keeps entries; false for a server that is dead."""
        alive = server == self._servers
        if alive:
            self._file.commit([entries])
        return alive

    def close(self) -> None:
        self._connection.close()


class _Store:
    def __init__(self, disk: _Disk, server: int) -> None:
        self._disk, self._server = disk, server

    def append(self, entries: Sequence[Entry], then: Callable[[], None]) -> None:
        if self._disk.commit(self._server, entries):
            then()


class _Overheard:
    """A machine whose events are kept as they were before anything was hidden."""

    def __init__(self, machine: Table, handle: Callable[[Command, int], list[Effect]]) -> None:
        self._machine = machine
        self.handle = handle

    def __getattr__(self, name: str) -> Any:
        return getattr(self._machine, name)


class _Identities:
    """Tokens are identities, for equal bytes."""

    anonymous = True

    def caller(self, token: str, *, newcomer: bool = False) -> Caller:
        return Caller(token, f"bot{token}", True)


class World:
    """One arena with one table; `seen` holds what the viewer got: time, channel, bytes."""

    def __init__(self, plan: TablePlan, viewer: int | None, deal: Any) -> None:
        self.loop = QuickLoop()
        self.viewer = viewer
        self.seen: list[tuple[int, str, bytes]] = []
        self._deal = deal
        self._tasks: list[asyncio.Task[Any]] = []
        self.streams: dict[int, tuple[Any, asyncio.Task[None]]] = {}
        self._disk = _Disk()
        self._runs = 0
        self.happened: list[Event] = []
        """What has happened, with all that is hidden."""
        self.plan = plan
        self.run(self._open())

    def run(self, doing: Coroutine[Any, Any, Any]) -> Any:
        with patch("lastcard.table.match.start_round", self._deal):
            return self.loop.run_until_complete(doing)

    def now(self, doing: Callable[[], object]) -> None:
        """Does something in the running loop."""

        async def do() -> None:
            doing()

        self.run(do())

    def pass_time(self, seconds: float) -> None:
        """Lets everything happen that is due."""
        self.run(asyncio.sleep(seconds))

    def close(self) -> None:
        self.run(self._close())
        self.loop.close()
        self._disk.close()

    def clock(self) -> int:
        return 1_000_000 + round(self.loop.now * 1_000)

    def note(self, channel: str, data: bytes) -> None:
        self.seen.append((self.clock(), channel, data))

    # ---------------------------------------------------------------- set-up

    async def _open(self) -> None:
        self._start()
        for seat in range(len(self.plan.seats)):
            self.dial(seat)
        self.hosting.host.open_table(self.plan, "creator")
        self._listen()
        self.watch_anew()

    def _start(self) -> None:
        """Starts a server on what the disk remembers."""
        encoder = WireEncoder("test")
        remembered = self._disk.remembered()
        self._runs += 1
        self.hosting = Hosting(
            clock=self.clock,
            tables=encoder,
            streams=encoder,
            bus=LocalBus(),
            store=self._disk.store(),
            builtins=_NoBuiltins(),  # type: ignore[arg-type] # there are none to ask
            limits=Limits(),
            failed=_fail,
            run_id=f"run{self._runs}",
            remembered=remembered,
        )
        self.hosting.start()
        self.servicer = TableServicer(
            desk=self.hosting.desk,
            identities=_Identities(),  # type: ignore[arg-type] # what a servicer needs of them
            clock=self.clock,
            find_record=_find_no_record,
            note=self.hosting.host.pump.journal.append,
            calls=gate_of_calls(self.clock, 1e9),
            settings=Settings(),
        )

    def _listen(self) -> None:
        """Hears what happens at the table before anything is hidden."""
        self.table = self.hosting.host.tables[TABLE]
        handle = self.table.machine.handle

        def overheard(command: Command, now_ms: int) -> list[Effect]:
            effects = handle(command, now_ms)
            self.happened += [event for effect in effects if isinstance(effect, Happened) for event in effect.events]
            return effects

        self.table.machine = _Overheard(self.table.machine, overheard)  # type: ignore[assignment]

    def watch_anew(self, last: int = 0) -> None:
        """The viewer watches its seat, and a spectator the table, at once and later."""
        if self.viewer is not None:
            self.watch("own", str(self.viewer), own_view=True, last=last)
        self.watch("spectator", "", last=last)
        self.watch("delayed", "", delay_s=7, last=last)

    def die_and_start(self) -> None:
        """The server is killed and started again; nobody has come back yet."""
        self.run(self._break_all())
        self.now(self._start)
        self._listen()

    async def _break_all(self) -> None:
        tasks = [*self._tasks, *(task for _, task in self.streams.values())]
        self._tasks.clear()
        self.streams.clear()
        self._disk.remembered()  # from now on the old server is dead, and what it says goes nowhere
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        self.hosting.stop()

    async def _close(self) -> None:
        self.hosting.stop()
        tasks = [*self._tasks, *(task for _, task in self.streams.values())]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    def dial(self, seat: int, *, cursor: int | None = None, decisions_only: bool = False) -> None:
        """Opens a stream of a seat's bot."""
        greeting = Greeting(
            identity=str(seat),
            bot=f"bot{seat}",
            shared=True,
            secret="",
            max_tables=0,
            max_open_decisions=0,
            decisions_only=decisions_only,
            cursors=() if cursor is None else ((TABLE, cursor),),
        )

        async def write(frame: bytes) -> None:
            if seat == self.viewer:
                self.note("stream", frame)

        session = self.hosting.sessions.open(greeting, write)
        self.streams[seat] = session, self.loop.create_task(session.write_all())

    def hang_up(self, seat: int) -> None:
        """Ends a stream of a seat's bot."""
        session, task = self.streams.pop(seat)
        task.cancel()
        self._tasks.append(task)
        self.hosting.sessions.close(session)

    def watch(self, channel: str, token: str, *, own_view: bool = False, delay_s: int = 0, last: int = 0) -> None:
        """Watches the table by a call."""
        request = table_service_pb2.WatchTableRequest(table_id=TABLE, own_view=own_view, last_sequence=last)
        if delay_s:
            request.delay.seconds = delay_s
        context = _Context(self, channel, token)
        self._tasks.append(self.loop.create_task(self.servicer.WatchTable(request, context)))

    # ---------------------------------------------------------------- doing

    def asks(self) -> list[Ask]:
        """All open decisions."""
        machine = self.table.machine
        return [ask for seat in range(len(self.plan.seats)) for ask in machine.open_decisions(seat, self.clock())]

    def answer(  # noqa: PLR0917 - an answer is all of this
        self, seat: int, number: int, choice: int | None, action: Action | None, uno: bool, catches: tuple[int, ...]
    ) -> None:
        """A seat's bot answers on its stream."""
        session = self.streams[seat][0]
        acted = Acted(TABLE, str(seat), session.address, number, choice, action, uno, catches, self.clock(), 0)
        session.hear([acted])

    def call(self, name: str, request: Any, token: str) -> None:
        """The viewer, or with an empty token a spectator, calls; answer or refusal is kept."""
        self.run(self._call(name, request, token))

    async def _call(self, name: str, request: Any, token: str) -> None:
        channel = f"{name}/{token}"
        try:
            answer = await getattr(self.servicer, name)(request, _Context(self, channel, token))
        except (DomainError, Refused) as error:
            self.note(channel, repr((error.reason, str(error), error.facts)).encode())
        else:
            self.note(channel, answer.SerializeToString(deterministic=True))


def _fail(table_id: str, error: Exception) -> NoReturn:
    raise AssertionError(f"table {table_id} is broken") from error


async def _find_no_record(table_id: str, identity: str) -> NoReturn:
    raise AssertionError(f"nobody asks for the record of {table_id} ({identity})")
