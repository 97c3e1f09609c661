"""The composition root: the one place where concrete things meet, and the arena as others start it in process.

Here: `Arena`. Not here: anything that could be elsewhere. An arena runs in one event loop; all calls are made in it.

    settings = Settings(data=Path("arena"), anonymous=False)
    async with Arena(settings) as arena:
        token = arena.mint("mine")                       # give it to the bot's process as LASTCARD_TOKEN
        seats = (SeatPlan(bot="mine"), SeatPlan(builtin="greedy"))
        table_id = arena.open_table(TablePlan(rules=ruleset("official"), seats=seats))
        result = await arena.result(table_id)            # places, points, faults, record hash
        files = arena.record(table_id)                   # the record's bytes

A table starts by itself when all its seats are occupied, or when its start-up limit is over.
"""

import asyncio
import contextlib
import secrets
from collections.abc import Collection
from importlib.metadata import PackageNotFoundError, version
from types import TracebackType
from typing import TYPE_CHECKING, Self

import grpc
import structlog
from grpc_health.v1 import health, health_pb2_grpc
from grpc_reflection.v1alpha import reflection

from lastcard.bus.local import LocalBus
from lastcard.rules.actions import LeaveCause
from lastcard.services.admission import Admission
from lastcard.services.boundary import ErrorBoundary
from lastcard.services.builtins import ShippedBuiltins
from lastcard.services.channel import address_of, channel_options
from lastcard.services.clock import TICK_S, RunningClock
from lastcard.services.gate import gate_of_calls
from lastcard.services.identity import Identities, identity_of
from lastcard.services.organiser import OrganiserError, organiser_token
from lastcard.services.organising import Organising
from lastcard.services.patience import Patience
from lastcard.services.play_service import PlayHandler
from lastcard.services.records import Records
from lastcard.services.server_service import ServerServicer
from lastcard.services.settings import Settings
from lastcard.services.table_service import TableServicer
from lastcard.services.wire.frames import WireEncoder
from lastcard.store.memory import MemoryStore
from lastcard.store.schema import StoreError
from lastcard.store.sqlite import SqliteStore
from lastcard.table.greeting import Limits
from lastcard.table.hosting import Hosting
from lastcard.table.journal import Entry, Pruned, Remembered
from lastcard.table.plan import PlanError, RecordFiles, TablePlan, TableResult
from lastcard.table.practice import Practice
from lastcard.table.recovery import StoredPlanError
from lastcard.table.refusals import TransportReason
from lastcard.table.said import Ending
from lastcard.v1 import (
    bot_service_pb2,
    play_service_pb2,
    server_service_pb2,
    server_service_pb2_grpc,
    table_service_pb2,
    table_service_pb2_grpc,
    tournament_service_pb2,
)

if TYPE_CHECKING:
    from pathlib import Path

SERVICES = tuple(
    module.DESCRIPTOR.services_by_name[name].full_name
    for module, name in (
        (play_service_pb2, "PlayService"),
        (table_service_pb2, "TableService"),
        (server_service_pb2, "ServerService"),
        (bot_service_pb2, "BotService"),
        (tournament_service_pb2, "TournamentService"),
    )
)
"""Names of our services, for reflection."""

__all__ = ["Arena", "ArenaError", "Settings"]

_log = structlog.get_logger()


PRUNE_S = 10.0
"""How often closed tables are dropped from the store, when they are not kept for good."""


class ArenaError(Exception):
    """The arena cannot start; the message says why and what to do."""


def server_version() -> str:
    """The version of this distribution."""
    try:
        return version("lastcard")
    except PackageNotFoundError:
        return "0"


class Arena:
    """A server of tables on a port of this machine."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.address = ""
        """Host and port, once started."""
        self.failed = asyncio.Event()
        """Set when the store cannot be written any more; the arena should be stopped."""
        self.failure: str | None = None
        """Why, and what to do, once it is set."""
        self._prune_timer: asyncio.TimerHandle | None = None
        self.organiser_file: Path | None = None
        """Where the organiser's token is, once started, if it is in a file."""

    async def __aenter__(self) -> Self:
        await self.start()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.stop()

    async def start(self) -> None:
        """Opens the store and the port.

        Raises:
            ArenaError: the port is taken, or the store cannot be opened.
        """
        self._store, remembered = self._open_store()
        try:
            await self._begin(remembered)
        except BaseException:
            self._store.close()
            raise

    async def _begin(self, remembered: Remembered) -> None:
        settings = self.settings
        self._running_clock = RunningClock(remembered.last_ms)
        self._clock = self._running_clock.now
        version = server_version()
        encoder = WireEncoder(version)
        self.identities = Identities(self._note, settings.anonymous, self._is_in_use)
        for made in remembered.identities:
            self.identities.restore(made)
        self._know_organiser()
        limits = Limits(
            max_frame_bytes=settings.max_frame_bytes,
            outbox_bytes=settings.outbox_bytes,
            heartbeat_ms=int(settings.heartbeat_s * 1000),
            max_tables=settings.max_tables_per_bot,
            max_streams=settings.max_streams,
        )
        builtins = ShippedBuiltins()
        self._hosting = Hosting(
            clock=self._clock,
            tables=encoder,
            streams=encoder,
            bus=LocalBus(),
            store=self._store,
            builtins=builtins,
            limits=limits,
            failed=_log_failure,
            run_id=secrets.token_hex(4),
            remembered=remembered,
            most_tables=settings.max_tables,
            recovery_grace_ms=int(settings.recovery_grace_s * 1000),
        )
        self.host, self.sessions, self._desk = self._hosting.host, self._hosting.sessions, self._hosting.desk
        self.host.registry.are_files_stored = settings.data is not None
        self.host.seated_hook = self.identities.keep
        self.host.sharing.may_return = self.identities.is_valid
        self.host.sharing.instances = lambda bot: len(self.identities.tokens_of(bot))
        self._go_on(remembered)
        if settings.practice:
            self._begin_practice(builtins.names)
        self._patience = Patience()
        self._server = grpc.aio.server(options=channel_options(settings), interceptors=[ErrorBoundary(self._patience)])
        self._add_services(version, builtins.names, remembered)
        self._port = self._listen()
        await self._server.start()
        self.address = address_of(settings.host, self._port)
        await self._organising.go_on()
        self._clock()
        self._running_clock.stalled_ms()  # taking up tables is no pause of a process that serves
        self._read_clock()
        self._prune()
        _log.info("arena.opened", address=self.address)

    def _know_organiser(self) -> None:
        """Takes the organiser's token from the settings or its file, which is made at the first start."""
        try:
            token, self.organiser_file = organiser_token(self.settings.organiser_token, self.settings.data)
        except OrganiserError as error:
            raise ArenaError(str(error)) from error
        if token:
            self.identities.know_organiser(token)

    def _go_on(self, remembered: Remembered) -> None:
        """Takes up the tables of an earlier run."""
        try:
            self._hosting.start()
        except StoredPlanError as error:
            raise ArenaError(
                f"the store in {self.settings.data} is damaged: {error}; "
                "give another directory, or bring this one back from a copy"
            ) from error
        if remembered.tables:
            tables = len(remembered.tables)
            _log.info("arena.recovered", tables=tables, open=self.host.registry.open_count)

    def _read_clock(self) -> None:
        """Reads the clock now and then, so that it notices when the process was held up."""
        self._clock()
        stalled_ms = self._running_clock.stalled_ms()
        if stalled_ms:
            _log.warning("arena.stalled", ms=stalled_ms)
        self._clock_timer = asyncio.get_running_loop().call_later(TICK_S, self._read_clock)

    def _prune(self) -> None:
        """Drops closed tables whose time is over, some now and more in a while."""
        days = self.settings.retain_days
        if days:
            self._note(Pruned(self._clock() - int(days * 86_400_000)))
            self.host.pump.schedule_flush()
            self._prune_timer = asyncio.get_running_loop().call_later(PRUNE_S, self._prune)

    def _begin_practice(self, builtins: tuple[str, ...]) -> None:
        try:
            Practice(self.host, self.settings.rules, self.settings.practice, builtins).begin()
        except PlanError as error:
            raise ArenaError(f"practice tables cannot be opened: {error}") from error

    def _add_services(self, version: str, builtins: tuple[str, ...], remembered: Remembered) -> None:
        settings = self.settings
        calls = gate_of_calls(self._clock, settings.calls_per_s)
        self._records = Records(self.host, self._store.table)
        play = PlayHandler(self.sessions, self.identities, self._clock, self._patience, settings.newcomers_per_s)
        self._server.add_generic_rpc_handlers((play.generic_handler(),))
        self._tables = TableServicer(
            desk=self._desk,
            identities=self.identities,
            clock=self._clock,
            find_record=self._records.find,
            note=self._note,
            calls=calls,
            settings=settings,
        )
        for requested in remembered.requests:
            self._tables.answered.restore(requested)
        self._organising = Organising(
            server=self,
            settings=settings,
            identities=self.identities,
            host=self.host,
            desk=self._desk,
            clock=self._clock,
            note=self._note,
            void=self._void,
            builtins=builtins,
            admission=Admission(self.identities, calls),
            answered=self._tables.answered,
            registered=remembered.registered,
        )
        self._organising.serve(self._server)
        table_service_pb2_grpc.add_TableServiceServicer_to_server(self._tables, self._server)
        about = ServerServicer(settings, version, builtins, calls)
        server_service_pb2_grpc.add_ServerServiceServicer_to_server(about, self._server)
        self._health = health.aio.HealthServicer()
        health_pb2_grpc.add_HealthServicer_to_server(self._health, self._server)
        reflection.enable_server_reflection((*SERVICES, health.SERVICE_NAME, reflection.SERVICE_NAME), self._server)

    def _open_store(self) -> tuple[MemoryStore | SqliteStore, Remembered]:
        if self.settings.data is None:
            return MemoryStore(), Remembered()
        try:
            store = SqliteStore(self.settings.data, self._store_failed, self.settings.durability)
        except StoreError as error:
            raise ArenaError(str(error)) from error
        for note in store.notes:
            _log.warning("store.migrated", note=note)
        return store, store.start()

    def _store_failed(self, sentence: str) -> None:
        """Nothing is durable any more, so nobody may be told anything: all streams end and no more are taken."""
        _log.error("store.failed", reason=sentence)
        self.failure = sentence
        self.suspend()
        self.sessions.drain(0)
        self._tables.drain()
        self._organising.drain()
        self.failed.set()

    def _listen(self) -> int:
        wanted = address_of(self.settings.host, self.settings.port)
        try:
            port = self._server.add_insecure_port(wanted)
        except RuntimeError as error:
            raise ArenaError(f"cannot listen on {wanted}: the port is taken or the address is not ours") from error
        if not port:
            raise ArenaError(f"cannot listen on {wanted}: the port is taken or the address is not ours")
        return port

    async def stop(self, grace_s: float | None = None) -> None:
        """Drains: health says NOT_SERVING, tables stand still and are stored, streams are told and end.

        What was answered before gets its verdict; what comes later is for the next run, as if it were still under way.
        """
        grace_s = self.settings.grace_s if grace_s is None else grace_s
        loop = asyncio.get_running_loop()
        end = loop.time() + grace_s
        await self._health.enter_graceful_shutdown()
        self.suspend()
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(grace_s / 2):
                await self._desk.durable()
        left_s = max(0.0, end - loop.time())
        self.sessions.drain(int(left_s * 1000))
        self._tables.drain()
        self._organising.drain()
        await self._organising.stand_still()
        await self._server.stop(left_s)
        self._clock_timer.cancel()
        if self._prune_timer is not None:
            self._prune_timer.cancel()
        self._hosting.stop()
        self._store.close()
        self.failure = self.failure or self._store.failure  # what was written last is told of by nobody else
        _log.info("arena.closed", address=self.address)

    def _is_in_use(self, identity: str) -> bool:
        return identity in self.host.lobby.peers or bool(self.host.lobby.seats_of(identity))

    def _note(self, entry: Entry) -> None:
        self.host.pump.journal.append(entry)

    # ------------------------------------------------------------------ bots

    def mint(self, bot_name: str) -> str:
        """A token for one instance of a bot; several tokens a name are allowed."""
        return self.identities.mint(bot_name)

    def revoke(self, token: str) -> None:
        """Makes a token invalid; its stream ends with UNAUTHENTICATED, and its seats are its bot's other instances'.

        Nothing happens when it is not valid.
        """
        if self.identities.is_valid(identity_of(token)):
            self._void(self.identities.revoke(token))

    def _void(self, identity: str) -> None:
        """Ends the stream of an identity whose token is not valid any more; its bot's other instances get its seats."""
        self.sessions.end_identity(identity, Ending(TransportReason.UNAUTHENTICATED, "the token has been revoked"))
        self.host.sharing.note_end(identity, self._clock())

    def adopt(self, bot_name: str, token: str) -> None:
        """A token that an earlier run minted for a bot is valid, whatever became of the store."""
        self.identities.adopt(bot_name, token)

    def revoke_earlier(self, keep: Collection[str] = ()) -> None:
        """Makes all tokens but those in `keep` invalid, also those that earlier runs of the arena minted.

        Seats stay those of their bots: those who come with new tokens of the same name share them.
        """
        for identity in self.identities.revoke_minted([identity_of(token) for token in keep]):
            self._void(identity)

    def is_connected(self, bot_name: str) -> bool:
        """Whether some instance of a bot has said `Hello` and is still there."""
        return self.host.lobby.is_connected(bot_name)

    async def connected(self, bot_name: str) -> str:
        """Waits until some instance of a bot has said `Hello`, without limit of its own; the version that it told."""
        await self.host.lobby.connected(bot_name)
        return self.host.lobby.version_of(bot_name)

    async def lost(self, bot_name: str) -> None:
        """Waits until no instance of a bot has a stream; without limit of its own."""
        await self.host.lobby.lost(bot_name)

    async def instance_connected(self, token: str) -> str:
        """Waits until the instance of a token has said `Hello`, without limit of its own; the version that it told."""
        await self.host.lobby.instance_connected(identity_of(token))
        peer = self.host.lobby.peers.get(identity_of(token))
        return "" if peer is None else peer.version

    async def instance_lost(self, token: str) -> None:
        """Waits until the instance of a token has no stream; without limit of its own."""
        await self.host.lobby.instance_lost(identity_of(token))

    # ------------------------------------------------------------------ tables

    def open_table(self, plan: TablePlan) -> str:
        """Opens a table and returns its id.

        Raises:
            PlanError: the plan cannot be played.
            DomainError: LIMIT_REACHED.
        """
        return self.host.open_table(plan).table_id

    async def result(self, table_id: str) -> TableResult:
        """How a table came out, as soon as that is stored.

        Raises:
            KeyError: there is no such table.
        """
        return await self.host.registry.result(table_id)

    def is_known(self, table_id: str) -> bool:
        """Whether there is a table of that id, open or lately closed, of this run of the arena or an earlier one."""
        return self.host.find(table_id) is not None

    def known_tables(self) -> tuple[str, ...]:
        """The ids of all tables that are known."""
        return self._hosting.known_tables()

    async def durable(self) -> None:
        """Returns as soon as all that was done so far, minting tokens included, is stored."""
        await self._desk.durable()

    def progress(self, table_id: str) -> tuple[int, int, tuple[int, ...]]:
        """Number of the last event, round, and points of the match so far by seat.

        Raises:
            KeyError: there is no such table.
        """
        table = self.host.tables[table_id]
        return table.feed.last, table.machine.state.round, tuple(table.machine.state.totals)

    def record(self, table_id: str) -> RecordFiles:
        """The record of a table whose result is there.

        Raises:
            KeyError: there is no such table.
            ValueError: the table is not over.
        """
        files = self.host.registry.record(table_id)
        if files is None:
            raise ValueError(f"table {table_id} is not over; await its result first")
        return files

    async def files(self, table_id: str) -> RecordFiles:
        """The record of a table whose result is there, from memory or from the store.

        Raises:
            KeyError: there is no such table.
            DomainError: NOT_FOUND when the store has lost it.
        """
        return await self._records.files(table_id)

    def open_tables(self) -> list[str]:
        """The ids of all open tables."""
        return [table.table_id for table in self.host.tables.values() if table.result is None]

    def cancel_table(self, table_id: str) -> None:
        """Closes a table without a result."""
        self.host.cancel(self.host.tables[table_id])

    def remove_seat(self, table_id: str, seat: int) -> None:
        """Takes a seat out of the match."""
        self.host.remove_seat(self.host.tables[table_id], seat, LeaveCause.REMOVED)

    def report_crash(self, token: str, evidence: str) -> None:
        """Notes that the process with a token ended by itself: the fault CRASH at its open tables.

        Its seats are another instance's as soon as one is connected; else they stay until time or grace are over.
        """
        self.host.report_crash(identity_of(token), evidence)

    def suspend(self) -> None:
        """Lets nothing more happen at any table, so that no clock runs while bots are ended before the arena stops.

        The next run of the arena goes on with the tables where they are.
        """
        self._hosting.suspend()

    def forget_table(self, table_id: str) -> None:
        """Frees the memory of a closed table."""
        self.host.forget(table_id)


def _log_failure(table_id: str, error: Exception) -> None:
    _log.error("table.failed", table=table_id, exc_info=error)
