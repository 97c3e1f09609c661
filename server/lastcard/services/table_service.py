"""`TableService`: from messages to the desk and back.

Here: the servicer. Not here: what the calls do (`table.desk`), watching (`watching`). Whoever calls is known by token
or resume secret; without one a caller on loopback may open, list, see and watch tables and join one.
"""

from collections.abc import Callable, Coroutine
from typing import Any

from lastcard.rules.reasons import Reason
from lastcard.rules.view import view_of
from lastcard.services.admission import Admission, key_of
from lastcard.services.gate import FreeAnswers, Gate
from lastcard.services.identity import Caller, Identities, identity_of
from lastcard.services.pages import page_size, page_start
from lastcard.services.requests import AnsweredRequests
from lastcard.services.settings import Settings
from lastcard.services.watching import Watching
from lastcard.services.wire.frames import body_of
from lastcard.services.wire.plans import milliseconds, plan_value
from lastcard.services.wire.requests import act_value
from lastcard.services.wire.tables import table_message, table_state
from lastcard.table.desk import Desk, check_player_name
from lastcard.table.hosted import HostedTable
from lastcard.table.journal import Entry
from lastcard.table.mail import Acted
from lastcard.table.performing import decision_item
from lastcard.table.plan import PlanError, RecordFiles
from lastcard.table.ports import Clock
from lastcard.table.refusals import DomainError, TransportReason
from lastcard.v1 import table_pb2, table_service_pb2, table_service_pb2_grpc, view_pb2

BYTES_PER_CALL = 64 * 1024
"""How much of a record one call may fetch; more counts as more calls."""

LISTED_PER_CALL = 20
"""Tables that a list may look at for the price of one call."""

FindRecord = Callable[[str, str], Coroutine[Any, Any, RecordFiles]]
"""The record of a table by its id for a caller's identity."""


class TableServicer(table_service_pb2_grpc.TableServiceServicer):
    """Serves `TableService`."""

    def __init__(
        self,
        *,
        desk: Desk,
        identities: Identities,
        clock: Clock,
        find_record: FindRecord,
        note: Callable[[Entry], None],
        calls: Gate,
        settings: Settings,
    ) -> None:
        self._desk = desk
        self._identities = identities
        self._clock = clock
        self._find_record = find_record
        self._watching = Watching(desk, settings.outbox_bytes, settings.max_watchers)
        self._admission = Admission(identities, calls)
        self._calls = calls
        self._free = FreeAnswers()
        self.answered = AnsweredRequests(note, desk.durable)

    async def CreateTable(  # noqa: N802 - the name is the wire's
        self, request: table_service_pb2.CreateTableRequest, context: Any
    ) -> table_service_pb2.CreateTableResponse:
        """Opens a table."""
        caller = self._admission.caller(context)
        if request.closed and not caller.identity:
            sentence = (
                "closed is set without a token; only the creator gets a closed record, so send one or leave it out"
            )
            raise DomainError(TransportReason.INVALID_ARGUMENT, sentence, field="closed")

        def do() -> table_service_pb2.CreateTableResponse:
            try:
                table = self._desk.open_table(plan_value(request), caller.identity)
            except PlanError as error:
                raise DomainError(TransportReason.INVALID_ARGUMENT, str(error), field=error.field) from error
            return table_service_pb2.CreateTableResponse(table=table_message(table))

        again = table_service_pb2.CreateTableResponse.FromString
        return await self.answered.change(caller.identity, request, do, again=again)

    async def GetTable(  # noqa: N802
        self, request: table_service_pb2.GetTableRequest, context: Any
    ) -> table_service_pb2.GetTableResponse:
        """Describes a table, and for the owner of a seat its view and open decisions."""
        caller = self._admission.caller(context)
        table = self._desk.table(request.table_id)
        response = table_service_pb2.GetTableResponse(table=table_message(table))
        seat = table.seat_of.get(caller.identity)
        if table.feed.last and _may_look_on(caller, table):
            view = view_of(table.machine.state, seat)
            response.view.CopyFrom(view_pb2.View.FromString(table.encoder.view(view)))
        if seat is not None:
            self._desk.note_presence(table, seat)
            for ask in table.machine.open_decisions(seat, self._clock()):
                response.decisions.append(table_pb2.Decision.FromString(body_of(decision_item(table, ask))))
        await self._desk.durable()
        return response

    async def ListTables(  # noqa: N802
        self, request: table_service_pb2.ListTablesRequest, context: Any
    ) -> table_service_pb2.ListTablesResponse:
        """Lists tables, newest first."""
        key = key_of(self._admission.caller(context), context)
        size = page_size(request.page_size)
        _check_state(request.state)
        response = table_service_pb2.ListTablesResponse()
        last = 0
        for looked_at, table in enumerate(self._desk.tables(page_start(request.page_token))):
            if looked_at % LISTED_PER_CALL == LISTED_PER_CALL - 1:
                self._calls.charge(key, 1)
            if request.state not in (table_pb2.TABLE_STATE_UNSPECIFIED, table_state(table)):
                continue
            if len(response.tables) == size:
                response.next_page_token = str(last)
                break
            response.tables.append(table_message(table))
            last = table.number
        await self._desk.durable()
        return response

    async def JoinTable(  # noqa: N802
        self, request: table_service_pb2.JoinTableRequest, context: Any
    ) -> table_service_pb2.JoinTableResponse:
        """Takes an open seat."""
        caller = self._admission.caller(context)

        def do() -> table_service_pb2.JoinTableResponse:
            table = self._desk.table(request.table_id)
            seat = self._desk.open_seat(table, request.seat if request.HasField("seat") else None)
            secret, joining = "", caller
            if not caller.bot:
                secret, joining = self._new_player(request.name, caller)
            self._desk.join(table, seat, joining.bot, joining.identity)
            return table_service_pb2.JoinTableResponse(table=table_message(table), seat=seat, resume_secret=secret)

        def again(stored: bytes) -> table_service_pb2.JoinTableResponse:
            return self._joined_before(table_service_pb2.JoinTableResponse.FromString(stored), request, caller)

        return await self.answered.change(caller.identity, request, do, stored=_with_identity, again=again)

    def _joined_before(
        self,
        response: table_service_pb2.JoinTableResponse,
        request: table_service_pb2.JoinTableRequest,
        caller: Caller,
    ) -> table_service_pb2.JoinTableResponse:
        """The answer of an earlier run; secrets are not stored, so a player without a token gets a new one."""
        if not caller.identity:
            table, joined = self._desk.table(request.table_id), response.resume_secret
            response.resume_secret, player = self._new_player(request.name, caller)
            self._desk.rejoin(table, response.seat, joined, player.bot, player.identity)
        return response

    def _new_player(self, name: str, caller: Caller) -> tuple[str, Caller]:
        """A player of whom nothing is known, with a new secret unless it sent one."""
        if not name:
            sentence = "name is empty; a player without a token must give one"
            raise DomainError(TransportReason.INVALID_ARGUMENT, sentence, field="name")
        check_player_name(name)
        if caller.identity:
            return "", self._identities.meet(caller.identity, name)
        return self._identities.new_secret(name)

    async def LeaveTable(  # noqa: N802
        self, request: table_service_pb2.LeaveTableRequest, context: Any
    ) -> table_service_pb2.LeaveTableResponse:
        """Gives a seat up."""
        caller = self._admission.caller(context)

        def do() -> table_service_pb2.LeaveTableResponse:
            self._desk.leave(self._desk.table(request.table_id), caller.identity)
            return table_service_pb2.LeaveTableResponse()

        again = table_service_pb2.LeaveTableResponse.FromString
        return await self.answered.change(caller.identity, request, do, again=again)

    async def SubmitAction(  # noqa: N802
        self, request: table_service_pb2.SubmitActionRequest, context: Any
    ) -> table_service_pb2.SubmitActionResponse:
        """Answers a decision."""
        received_ms = self._clock()
        caller = self._admission.known(context)
        if not self._is_free(caller, request):
            self._admission.enter(caller, context)

        async def do() -> table_service_pb2.SubmitActionResponse:
            table = self._desk.table(request.act.table_id)
            seat = self._desk.seat_of(table, caller.identity)
            self._desk.note_presence(table, seat)
            acted = act_value(request.act, caller.identity, self._desk.address("call"), received_ms, 0)
            if not isinstance(acted, Acted):
                raise DomainError(acted.reason, acted.sentence, field="act")
            verdict = await self._desk.answer(acted)
            result = table_pb2.ActResult.FromString(body_of(verdict.item))
            return table_service_pb2.SubmitActionResponse(result=result)

        return await self.answered.once(caller.identity, request, do)

    def _is_free(self, caller: Caller, request: table_service_pb2.SubmitActionRequest) -> bool:
        """Whether a call answers an open decision of its caller's, and is one of the first that do."""
        table_id, decision_id = request.act.table_id, request.act.decision_id
        return self._desk.is_asked(table_id, caller.identity, decision_id) and self._free.take(table_id, decision_id)

    async def WatchTable(  # type: ignore[override]  # noqa: N802 - a handler may write instead of yielding
        self, request: table_service_pb2.WatchTableRequest, context: Any
    ) -> None:
        """Streams a table."""
        caller = self._admission.caller(context)
        table = self._desk.table(request.table_id)
        seat = self._desk.seat_of(table, caller.identity) if request.own_view else None
        _check_may_look_on(caller, table)
        delay_ms = _delay(request)
        last_seen = _last_seen(request, table)
        key = key_of(caller, context)
        await self._watching.watch(table, seat, context, key=key, last_seen=last_seen, delay_ms=delay_ms)

    def drain(self) -> None:
        """The server is shutting down: whoever watches is told so, and nothing new begins."""
        self._watching.drain()

    async def GetRecord(  # noqa: N802
        self, request: table_service_pb2.GetRecordRequest, context: Any
    ) -> table_service_pb2.GetRecordResponse:
        """Returns the record of a finished match."""
        caller = self._admission.caller(context)
        files = await self._find_record(request.table_id, caller.identity)
        self._calls.charge(key_of(caller, context), len(files.record) // BYTES_PER_CALL)
        return table_service_pb2.GetRecordResponse(
            record=files.record, receipts=files.receipts, record_hash=files.record_hash
        )


def _with_identity(response: table_service_pb2.JoinTableResponse) -> table_service_pb2.JoinTableResponse:
    """What may be stored of an answer: secrets are kept as hashes only, here the identity in the secret's place."""
    stored = table_service_pb2.JoinTableResponse()
    stored.CopyFrom(response)
    if response.resume_secret:
        stored.resume_secret = identity_of(response.resume_secret)
    return stored


def _check_state(state: int) -> None:
    if state not in table_pb2.TableState.values():
        sentence = f"state is {state}; valid are 1 (WAITING), 2 (RUNNING), 3 (CLOSED), and 0 for all"
        raise DomainError(TransportReason.INVALID_ARGUMENT, sentence, field="state")


def _may_look_on(caller: Caller, table: HostedTable) -> bool:
    """Whether a caller may see a table's cards: one that is closed is for its seats, its creator and the organiser.

    Its deal may still be played elsewhere, by bots that would learn from it.
    """
    is_known = caller.identity in table.seat_of or (table.owner and table.owner == caller.identity)
    return not table.plan.closed or caller.organiser or bool(is_known)


def _check_may_look_on(caller: Caller, table: HostedTable) -> None:
    if not _may_look_on(caller, table):
        sentence = (
            f"table {table.table_id} is closed: its deal is still played elsewhere, so only its own seats, its creator "
            "and the organiser may watch it; send the token of one of them"
        )
        raise DomainError(Reason.FORBIDDEN, sentence, table=table.table_id)


def _delay(request: table_service_pb2.WatchTableRequest) -> int:
    try:
        delay_ms = milliseconds(request, "delay", 0)
    except PlanError as error:
        raise DomainError(TransportReason.INVALID_ARGUMENT, str(error), field="delay") from error
    if delay_ms > 3_600_000:
        sentence = f"delay is {delay_ms} ms; the most is an hour"
        raise DomainError(TransportReason.INVALID_ARGUMENT, sentence, field="delay")
    if delay_ms and request.own_view:
        sentence = "delay is set together with own_view; an owner sees its own view at once, so leave delay out"
        raise DomainError(TransportReason.INVALID_ARGUMENT, sentence, field="delay")
    return delay_ms


def _last_seen(request: table_service_pb2.WatchTableRequest, table: HostedTable) -> int:
    if request.last_sequence > table.feed.last:
        sentence = (
            f"last_sequence is {request.last_sequence}, beyond the last event {table.feed.last}; "
            f"name a number from 0 to {table.feed.last}"
        )
        raise DomainError(TransportReason.CURSOR_BEYOND_END, sentence, field="last_sequence")
    return request.last_sequence
