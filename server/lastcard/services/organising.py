"""Bots and tournaments of a server, put together.

Here: `Organising`: accounts, hosted tournaments and their two services. Not here: what they do, the server (`app`). The
modules that play tournaments take a second and 40 MB, so they are imported when the first tournament is asked for: a
server that holds none is as small and quick as it was.
"""

import asyncio
import importlib
import secrets
from collections.abc import Awaitable, Callable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import structlog

from lastcard.services.accounts import KIND as BOT
from lastcard.services.accounts import Accounts
from lastcard.services.admission import Admission
from lastcard.services.bot_service import BotServicer
from lastcard.services.identity import Identities
from lastcard.services.requests import AnsweredRequests
from lastcard.services.settings import Settings
from lastcard.table.desk import Desk
from lastcard.table.host import Host
from lastcard.table.journal import Entry, Registered
from lastcard.table.ports import Clock
from lastcard.tournament.hosting import KIND as TOURNAMENT
from lastcard.v1 import bot_service_pb2_grpc, tournament_service_pb2_grpc

if TYPE_CHECKING:
    from lastcard.services.hosted_arena import Server
    from lastcard.services.tournament_service import TournamentServicer
    from lastcard.tournament.director.hosted_events import HostedEvents

_HEAVY = (
    "lastcard.services.hosted_arena",
    "lastcard.tournament.director.hosted_ports",
    "lastcard.tournament.director.hosted_events",
    "lastcard.services.tournament_watching",
    "lastcard.services.tournament_service",
)

_log = structlog.get_logger()


class Hosting(NamedTuple):
    """The tournaments of a server and their service, once they are asked for."""

    events: "HostedEvents"
    service: "TournamentServicer"


class Organising:
    """Registered bots and hosted tournaments.

    `registered` is what an earlier run of the server has noted. What cannot be read of it is left alone and said so in
    the log, so that the rest goes on.
    """

    def __init__(
        self,
        *,
        server: "Server",
        settings: Settings,
        identities: Identities,
        host: Host,
        desk: Desk,
        clock: Clock,
        note: Callable[[Entry], None],
        void: Callable[[str], None],
        builtins: Sequence[str],
        admission: Admission,
        answered: AnsweredRequests,
        registered: Sequence[Registered],
    ) -> None:
        self.accounts = Accounts(
            identities=identities,
            note=note,
            clock=clock,
            builtins=builtins,
            plays=host.lobby.plays,
            void=void,
        )
        self.hosting: Hosting | None = None
        self._server = server
        self._settings = settings
        self._host = host
        self._desk = desk
        self._clock = clock
        self._note = note
        self._builtins = tuple(builtins)
        self._admission = admission
        self._answered = answered
        self._loading = asyncio.Lock()
        self._draining = False
        self._tournaments = [one for one in registered if one.kind == TOURNAMENT]
        for one in registered:
            if one.kind == BOT:
                _restore(self.accounts.restore, one)

    def serve(self, server: Any) -> None:
        """Adds the services to a gRPC server."""
        bots = BotServicer(
            accounts=self.accounts,
            admission=self._admission,
            answered=self._answered,
            lobby=self._host.lobby,
            check_running=self._host.check_running,
        )
        bot_service_pb2_grpc.add_BotServiceServicer_to_server(bots, server)
        late: Any = _Late(self._hosted)
        tournament_service_pb2_grpc.add_TournamentServiceServicer_to_server(late, server)

    async def go_on(self) -> None:
        """Goes on with the tournaments of an earlier run, if there are any."""
        if self._tournaments:
            await self._hosted()

    async def _hosted(self) -> Hosting:
        """The tournaments, which are loaded when they are first asked for."""
        async with self._loading:
            if self.hosting is None:
                for name in _HEAVY:
                    await asyncio.to_thread(importlib.import_module, name)
                self.hosting = self._made()
                if self._draining:
                    self.hosting.service.drain()
                else:
                    self.hosting.events.go_on()
        return self.hosting

    def _made(self) -> Hosting:
        from lastcard.services.hosted_arena import HostedArena, cancel_tables  # noqa: PLC0415 - see above
        from lastcard.services.tournament_service import TournamentServicer  # noqa: PLC0415
        from lastcard.services.tournament_watching import TournamentWatching  # noqa: PLC0415
        from lastcard.tournament.director.hosted_events import HostedEvents  # noqa: PLC0415
        from lastcard.tournament.director.hosted_ports import House  # noqa: PLC0415

        house = House(
            builtins=self._builtins,
            note=self._note,
            durable=self._desk.durable,
            clock=self._clock,
            arena=lambda mark: HostedArena(self._server, mark),
            cancel=lambda marks: cancel_tables(self._server, marks),
            log=_incident,
        )
        events = HostedEvents(
            data=self._settings.data,
            house=house,
            builtins=self._builtins,
            registered=self.accounts,
            most_running=self._settings.max_tournaments,
        )
        for one in self._tournaments:
            _restore(events.restore, one)
        self.accounts.needed = events.needing
        online = self._host.lobby.is_connected
        service = TournamentServicer(
            events=events,
            admission=self._admission,
            answered=self._answered,
            online=online,
            watching=TournamentWatching(self._settings.outbox_bytes, self._settings.max_watchers, online),
            check_running=self._host.check_running,
        )
        return Hosting(events, service)

    def drain(self) -> None:
        """The server is shutting down: whoever watches is told so, and nothing new begins."""
        self._draining = True
        if self.hosting is not None:
            self.hosting.service.drain()

    async def stand_still(self) -> None:
        """Ends all directors; the next run of the server goes on."""
        if self.hosting is not None:
            await self.hosting.events.stand_still()


class _Late:
    """Serves `TournamentService` by a servicer that is made at the first call."""

    def __init__(self, hosted: Callable[[], Awaitable[Hosting]]) -> None:
        self._hosted = hosted

    def __getattr__(self, name: str) -> Callable[[Any, Any], Awaitable[Any]]:
        async def call(request: Any, context: Any) -> Any:
            hosting = await self._hosted()
            return await getattr(hosting.service, name)(request, context)

        return call


def _restore(restore: Callable[[Registered], None], registered: Registered) -> None:
    try:
        restore(registered)
    except (ValueError, KeyError, TypeError) as error:
        _log.error("registered.unreadable", kind=registered.kind, name=registered.name, error=str(error))


def _incident(tournament: str, error: Exception) -> str:
    incident = secrets.token_hex(6)
    _log.error("tournament.failed", tournament=tournament, incident=incident, exc_info=error)
    return f"the server made a mistake; its log has it under incident {incident}"
