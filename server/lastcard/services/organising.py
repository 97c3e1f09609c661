"""Bots and tournaments of a server, put together.

Here: `Organising`: accounts, hosted tournaments and their two services. Not here: what they do, the server (`app`).
"""

import secrets
from collections.abc import Callable, Sequence
from typing import Any

import structlog

from lastcard.services.accounts import KIND as BOT
from lastcard.services.accounts import Accounts
from lastcard.services.admission import Admission
from lastcard.services.bot_service import BotServicer
from lastcard.services.hosted_arena import HostedArena, Server, cancel_tables
from lastcard.services.identity import Identities
from lastcard.services.requests import AnsweredRequests
from lastcard.services.settings import Settings
from lastcard.services.tournament_service import TournamentServicer
from lastcard.services.tournament_watching import TournamentWatching
from lastcard.table.desk import Desk
from lastcard.table.host import Host
from lastcard.table.journal import Entry, Registered
from lastcard.table.ports import Clock
from lastcard.tournament.director.hosted_events import HostedEvents
from lastcard.tournament.director.hosted_ports import House
from lastcard.tournament.hosting import KIND as TOURNAMENT
from lastcard.v1 import bot_service_pb2_grpc, tournament_service_pb2_grpc

_log = structlog.get_logger()


class Organising:
    """Registered bots and hosted tournaments.

    `registered` is what an earlier run of the server has noted. What cannot be read of it is left alone and said so in
    the log, so that the rest goes on.
    """

    def __init__(
        self,
        *,
        server: Server,
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
    ) -> None:
        self.accounts = Accounts(
            identities=identities,
            note=note,
            clock=clock,
            builtins=builtins,
            plays=host.lobby.plays,
            void=void,
        )
        house = House(
            builtins=tuple(builtins),
            note=note,
            durable=desk.durable,
            clock=clock,
            arena=lambda mark: HostedArena(server, mark),
            cancel=lambda marks: cancel_tables(server, marks),
            log=_incident,
        )
        self.events = HostedEvents(
            data=settings.data,
            house=house,
            builtins=builtins,
            registered=self.accounts,
            most_running=settings.max_tournaments,
        )
        self.accounts.needed = self.events.needing
        self._bots = BotServicer(
            accounts=self.accounts,
            admission=admission,
            answered=answered,
            lobby=host.lobby,
            check_running=host.check_running,
        )
        online = host.lobby.is_connected
        self._tournaments = TournamentServicer(
            events=self.events,
            admission=admission,
            answered=answered,
            online=online,
            watching=TournamentWatching(settings.outbox_bytes, settings.max_watchers, online),
            check_running=host.check_running,
        )

    def restore(self, registered: Sequence[Registered]) -> None:
        """Takes in what an earlier run has noted."""
        for one in registered:
            try:
                if one.kind == BOT:
                    self.accounts.restore(one)
                elif one.kind == TOURNAMENT:
                    self.events.restore(one)
            except (ValueError, KeyError, TypeError) as error:
                _log.error("registered.unreadable", kind=one.kind, name=one.name, error=str(error))

    def serve(self, server: Any) -> None:
        """Adds the services to a gRPC server."""
        bot_service_pb2_grpc.add_BotServiceServicer_to_server(self._bots, server)
        tournament_service_pb2_grpc.add_TournamentServiceServicer_to_server(self._tournaments, server)

    def drain(self) -> None:
        """The server is shutting down: whoever watches is told so, and nothing new begins."""
        self._tournaments.drain()

    async def stand_still(self) -> None:
        """Ends all directors; the next run of the server goes on."""
        await self.events.stand_still()


def _incident(tournament: str, error: Exception) -> str:
    incident = secrets.token_hex(6)
    _log.error("tournament.failed", tournament=tournament, incident=incident, exc_info=error)
    return f"the server made a mistake; its log has it under incident {incident}"
