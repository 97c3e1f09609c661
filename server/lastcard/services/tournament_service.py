"""`TournamentService`: tournaments that the server plays by itself.

Here: the servicer. Not here: the tournaments (`tournament.director.hosted_events`), who may call (`admission`), rows
and rankings as messages (`wire.tournaments`), watching (`tournament_watching`).
"""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any, TypeVar

import structlog
from google.protobuf.message import Message

from lastcard.services.admission import Admission, check_organiser, key_of
from lastcard.services.export import exported
from lastcard.services.identity import Caller
from lastcard.services.pages import page_size, page_start
from lastcard.services.requests import AnsweredRequests, mark_of
from lastcard.services.tournament_watching import TournamentWatching
from lastcard.services.wire.tournaments import (
    STATES,
    line_message,
    standings_message,
    summary_message,
    tournament_message,
)
from lastcard.table.refusals import DomainError, TransportReason
from lastcard.tournament.director.books import scoring_of
from lastcard.tournament.director.hosted_event import HostedEvent
from lastcard.tournament.director.hosted_events import HostedEvents
from lastcard.tournament.director.hosted_figures import unreadable
from lastcard.tournament.hosting import OVER
from lastcard.tournament.ledger import LedgerError, RulingBy, RulingKind
from lastcard.tournament.rule_book import Wish
from lastcard.v1 import tournament_pb2, tournament_service_pb2_grpc
from lastcard.v1 import tournament_service_pb2 as pb

LISTED_PER_CALL = 20
"""Tournaments that a list may hold, and tens of rows, for the price of one call."""

RANKING_COST = 5
"""For how many calls a ranking counts."""

PART_S = 60.0
"""How long a part of an archive may wait for its reader."""

EXPORT_COST = 50
"""For how many calls an archive counts."""


_KINDS = {
    "annul_game": RulingKind.ANNUL,
    "disqualify_bot": RulingKind.DISQUALIFY,
    "withdraw_bot": RulingKind.WITHDRAW,
    "take_back": RulingKind.TAKE_BACK,
}

Response = TypeVar("Response", bound=Message)

_log = structlog.get_logger()


class TournamentServicer(tournament_service_pb2_grpc.TournamentServiceServicer):
    """Serves `TournamentService`."""

    def __init__(
        self,
        *,
        events: HostedEvents,
        admission: Admission,
        answered: AnsweredRequests,
        online: Callable[[str], bool],
        watching: TournamentWatching,
        check_running: Callable[[], None],
    ) -> None:
        self._events = events
        self._admission = admission
        self._answered = answered
        self._online = online
        self._watching = watching
        self._check_running = check_running

    # ------------------------------------------------------------------ the organiser's calls

    async def CreateTournament(  # noqa: N802 - the name is the wire's
        self, request: pb.CreateTournamentRequest, context: Any
    ) -> pb.CreateTournamentResponse:
        """Keeps a tournament."""

        def do() -> HostedEvent:
            return self._events.create(request.file, request.file_name, start=request.start)

        return await self._change(request, context, do, pb.CreateTournamentResponse)

    async def StartTournament(  # noqa: N802
        self, request: pb.StartTournamentRequest, context: Any
    ) -> pb.StartTournamentResponse:
        """Begins a tournament."""
        return await self._change(
            request, context, lambda: self._events.start(request.name), pb.StartTournamentResponse
        )

    async def PauseTournament(  # noqa: N802
        self, request: pb.PauseTournamentRequest, context: Any
    ) -> pb.PauseTournamentResponse:
        """Lets running games end and begins no more."""
        return await self._change(
            request, context, lambda: self._events.pause(request.name, request.reason), pb.PauseTournamentResponse
        )

    async def ResumeTournament(  # noqa: N802
        self, request: pb.ResumeTournamentRequest, context: Any
    ) -> pb.ResumeTournamentResponse:
        """Goes on with a tournament."""
        return await self._change(
            request, context, lambda: self._events.resume(request.name), pb.ResumeTournamentResponse
        )

    async def CancelTournament(  # noqa: N802
        self, request: pb.CancelTournamentRequest, context: Any
    ) -> pb.CancelTournamentResponse:
        """Gives a tournament up."""
        return await self._change(
            request, context, lambda: self._events.cancel(request.name, request.reason), pb.CancelTournamentResponse
        )

    async def EnterBot(self, request: pb.EnterBotRequest, context: Any) -> pb.EnterBotResponse:  # noqa: N802
        """Adds a bot to a tournament."""

        async def do(_: Caller) -> pb.EnterBotResponse:
            event = await self._events.enter(request.name, request.bot, request.builtin)
            return pb.EnterBotResponse(tournament=summary_message(event, self._online))

        return await self._change_slowly(request, context, do, pb.EnterBotResponse)

    async def WithdrawBot(self, request: pb.WithdrawBotRequest, context: Any) -> pb.WithdrawBotResponse:  # noqa: N802
        """Takes a bot out of a tournament."""

        async def do(caller: Caller) -> pb.WithdrawBotResponse:
            by = RulingBy.ORGANISER if caller.organiser else RulingBy.BOT
            mark = mark_of(caller.identity, request)
            event = await self._events.withdraw(request.name, request.bot, request.reason, by, mark)
            _log.info("tournament.withdrawn", tournament=event.name, bot=request.bot, by=by, peer=context.peer())
            return pb.WithdrawBotResponse(tournament=summary_message(event, self._online))

        return await self._change_slowly(request, context, do, pb.WithdrawBotResponse, bot=request.bot)

    async def RuleTournament(  # noqa: N802
        self, request: pb.RuleTournamentRequest, context: Any
    ) -> pb.RuleTournamentResponse:
        """Appends a ruling."""

        async def do(caller: Caller) -> pb.RuleTournamentResponse:
            wish = _wish(request)._replace(request=mark_of(caller.identity, request))
            line = await self._events.find(request.name).rule(wish)
            _log.info("tournament.ruled", tournament=request.name, row=line.number, kind=wish.kind, peer=context.peer())
            return pb.RuleTournamentResponse(row=line_message(line, whole=True))

        return await self._change_slowly(request, context, do, pb.RuleTournamentResponse)

    async def _change(
        self, request: Any, context: Any, do: Callable[[], HostedEvent], response: type[Response]
    ) -> Response:
        """Changes a tournament and describes it; for the organiser."""
        caller = self._admission.organiser(context)

        def changed() -> Response:
            self._check_running()
            return response(tournament=summary_message(do(), self._online))

        return await self._answered.change(caller.identity, request, changed, again=response.FromString)

    async def _change_slowly(
        self,
        request: Any,
        context: Any,
        do: Callable[[Caller], Awaitable[Response]],
        response: type[Response],
        bot: str = "",
    ) -> Response:
        """Writes in a results directory; for the organiser, and a bot that is named."""
        caller = self._admission.caller(context)
        check_organiser(caller, bot)

        async def changed() -> Response:
            self._check_running()
            return await do(caller)

        return await self._answered.change_slowly(caller.identity, request, changed, again=response.FromString)

    # ------------------------------------------------------------------ looking

    async def GetTournament(  # noqa: N802
        self, request: pb.GetTournamentRequest, context: Any
    ) -> pb.GetTournamentResponse:
        """Describes a tournament."""
        caller = self._admission.caller(context)
        event = self._events.find(request.name)
        message = await tournament_message(event, self._online, with_file=_sees_all(caller, event))
        return pb.GetTournamentResponse(tournament=message)

    async def ListTournaments(  # noqa: N802
        self, request: pb.ListTournamentsRequest, context: Any
    ) -> pb.ListTournamentsResponse:
        """Lists tournaments, newest first."""
        caller = self._admission.caller(context)
        size = page_size(request.page_size)
        if request.state not in tournament_pb2.TournamentState.values():
            sentence = f"state is {request.state}; valid are 1 (CREATED) to 7 (CANCELLED), and 0 for all"
            raise DomainError(TransportReason.INVALID_ARGUMENT, sentence, field="state")
        response, last = pb.ListTournamentsResponse(), 0
        for event in self._events.newest_first(page_start(request.page_token)):
            if request.state not in (tournament_pb2.TOURNAMENT_STATE_UNSPECIFIED, STATES[event.hosted.state]):
                continue
            if len(response.tournaments) == size:
                response.next_page_token = str(last)
                break
            response.tournaments.append(summary_message(event, self._online))
            last = event.hosted.number
        self._admission.charge(caller, context, len(response.tournaments) // LISTED_PER_CALL)
        return response

    async def WatchTournament(  # type: ignore[override]  # noqa: N802 - a handler may write instead of yielding
        self, request: pb.WatchTournamentRequest, context: Any
    ) -> None:
        """Streams a tournament."""
        caller = self._admission.caller(context)
        event = self._events.find(request.name)
        key, whole = key_of(caller, context), _sees_all(caller, event)
        await self._watching.watch(event, request, context, key=key, whole=whole)

    async def GetStandings(  # noqa: N802
        self, request: pb.GetStandingsRequest, context: Any
    ) -> pb.GetStandingsResponse:
        """Returns the ranking."""
        caller = self._admission.caller(context)
        event = self._events.find(request.name)
        self._admission.charge(caller, context, RANKING_COST)
        last, made, json = await event.figures()
        return pb.GetStandingsResponse(standings=standings_message(made, last, json))

    async def ListResults(  # noqa: N802
        self, request: pb.ListResultsRequest, context: Any
    ) -> pb.ListResultsResponse:
        """Lists the rows of a ledger."""
        caller = self._admission.caller(context)
        event = self._events.find(request.name)
        size, seen = page_size(request.page_size), page_start(request.page_token) or 0
        lines = await event.lines()
        read = lines.rulings_from if request.rulings_only else lines.lines
        try:
            found = await asyncio.to_thread(read, seen + 1, size)
        except (LedgerError, OSError) as error:
            raise unreadable(event.name, error) from error
        self._admission.charge(caller, context, len(found) // (10 * LISTED_PER_CALL))
        whole = _sees_all(caller, event)
        response = pb.ListResultsResponse(rows=[line_message(line, whole=whole) for line in found])
        last = max(lines.ruling_lines, default=0) if request.rulings_only else len(lines)
        if found and found[-1].number < last:
            response.next_page_token = str(found[-1].number)
        return response

    async def ExportTournament(  # type: ignore[override]  # noqa: N802 - as WatchTournament
        self, request: pb.ExportTournamentRequest, context: Any
    ) -> None:
        """Streams the results directory."""
        caller = self._admission.caller(context)
        event = self._events.find(request.name)
        if event.hosted.state not in OVER:
            check_organiser(caller)
        event.check("exported")
        self._admission.charge(caller, context, EXPORT_COST)
        # Apart from the first part: gRPC would send it again with a status that comes while that part is under way.
        await context.send_initial_metadata(())
        try:
            all_orders, records = scoring_of(event.file).all_orders, not request.without_records
            async for part in exported(event.directory, event.name, all_orders=all_orders, records=records):
                async with asyncio.timeout(PART_S):
                    await context.write(pb.ExportTournamentResponse(data=part))
        except TimeoutError:
            sentence = f"a part of the archive was not read within {PART_S:g} s; ask for it again, and read faster"
            raise DomainError(TransportReason.READER_TOO_SLOW, sentence, retry_after_ms=0) from None
        except (LedgerError, OSError) as error:
            raise unreadable(event.name, error) from error

    def drain(self) -> None:
        """The server is shutting down: whoever watches is told so, and nothing new begins."""
        self._watching.drain()


def _sees_all(caller: Caller, event: HostedEvent) -> bool:
    """Whether a caller may see what gives cards to come away: the organiser, and everybody when it is over."""
    return caller.organiser or event.hosted.state in OVER


def _wish(request: pb.RuleTournamentRequest) -> Wish:
    """What a request wants to be ruled.

    Raises:
        DomainError: INVALID_ARGUMENT.
    """
    ruling = request.WhichOneof("ruling")
    if ruling is None:
        sentence = "ruling is not set; set annul_game, disqualify_bot, withdraw_bot or take_back"
        raise DomainError(TransportReason.INVALID_ARGUMENT, sentence, field="ruling")
    if request.replay and ruling != "annul_game":
        sentence = f"replay is set together with {ruling}; it is for annul_game alone, so leave it out"
        raise DomainError(TransportReason.INVALID_ARGUMENT, sentence, field="replay")
    return Wish(_KINDS[ruling], getattr(request, ruling), request.reason, request.replay)
