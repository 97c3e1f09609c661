"""Clients for service tests: generated stubs only, every wait bounded."""

import asyncio
from collections import deque
from collections.abc import Callable
from contextlib import asynccontextmanager, suppress

import grpc
import grpc.aio
from google.rpc import error_details_pb2, status_pb2
from grpc._cython import cygrpc

from lastcard.rules.ruleset import ruleset
from lastcard.table.plan import SeatPlan, TablePlan
from lastcard.table.timecontrol import TimeControl
from lastcard.v1 import play_service_pb2 as pb
from lastcard.v1 import play_service_pb2_grpc, reason_pb2, server_service_pb2_grpc, table_service_pb2_grpc

BOUND_S = 60.0
"""Longest that a test waits for anything; far above what is ever needed, so that it only bounds failures."""

PATIENT = TimeControl(limit_ms=600_000, bank_ms=0, reaction_ms=600_000, start_up_ms=600_000, grace_ms=600_000)
"""A clock that never runs out during a test."""


EVERYTHING = {
    "jump_in": "identical_incl_w4",
    "stack_draw_two": "same",
    "stack_w4": "same",
    "start_wild": "dealer_chooses",
    "deck": "custom",
    "deck_counts": "1=2,2=2,3=2,7=2,D=2,W=12,W4=4",
    "hand_size": 3,
    "match_end": "rounds",
    "match_rounds": 3,
    "max_turns_per_round": 60,
    "max_timeouts": 0,
}
"""Rules under which every kind of decision comes up."""


class Ended(Exception):
    """The stream ended; `code`, `reason` (name of the protocol's reason) and `sentence` say how."""

    def __init__(self, code: grpc.StatusCode, reason: str, sentence: str, error: grpc.RpcError | None) -> None:
        super().__init__(f"{code.name} {reason}: {sentence}")
        self.code = code
        self.reason = reason
        self.sentence = sentence
        self.error = error


def reason_of(error: grpc.aio.AioRpcError) -> str:
    """The name of the reason in a status's details; empty when there is none."""
    for key, value in error.trailing_metadata() or ():
        if key == "grpc-status-details-bin":
            for packed in status_pb2.Status.FromString(value).details:
                cause = reason_pb2.ErrorCause()
                if packed.Unpack(cause):
                    if cause.reason:
                        return reason_pb2.Reason.Name(cause.reason).removeprefix("REASON_")
                    return reason_pb2.ProtocolReason.Name(cause.protocol_reason).removeprefix("PROTOCOL_REASON_")
    return ""


def detail_of(error: grpc.aio.AioRpcError, kind):
    """The first detail of a kind in a status; `None` when there is none."""
    for key, value in error.trailing_metadata() or ():
        if key == "grpc-status-details-bin":
            for packed in status_pb2.Status.FromString(value).details:
                message = kind()
                if packed.Unpack(message):
                    return message
    return None


class BotStream:
    """One call of `Play`, driven step by step."""

    def __init__(self, channel, token: str = "") -> None:
        metadata = (("authorization", f"Bearer {token}"),) if token else ()
        self.channel = channel
        self.call = play_service_pb2_grpc.PlayServiceStub(channel).Play(metadata=metadata)
        self.heard: list[pb.ServerMessage] = []
        self._waiting: deque[pb.ServerMessage] = deque()

    async def send(self, *messages: dict) -> None:
        """Sends one frame; how a stream ended that takes none any more is told where it is read.

        Below grpc.aio's own `write`: from one that meets the end of its call that has nothing to be read any more, and
        its status is INTERNAL.
        """
        frame = pb.PlayRequest(messages=[pb.ClientMessage(**message) for message in messages])
        with suppress(grpc.aio.AioRpcError):
            await self.call.wait_for_connection()
        with suppress(cygrpc.InternalError):
            await self.call._cython_call.send_serialized_message(frame.SerializeToString())

    async def hello(self, name: str = "", **fields) -> pb.Welcome:
        """Opens the stream and returns the welcome."""
        await self.send({"hello": {"protocol_version": 1, "bot_name": name, **fields}})
        return (await self.expect("welcome")).welcome

    async def next(self) -> pb.ServerMessage:
        """The next message; `Ended` when the stream is over."""
        while not self._waiting:
            try:
                async with asyncio.timeout(BOUND_S):
                    frame = await self.call.read()
            except grpc.aio.AioRpcError as error:
                raise Ended(error.code(), reason_of(error), error.details() or "", error) from None
            if frame is grpc.aio.EOF:
                raise Ended(await self.call.code(), "", "", None)
            self._waiting.extend(frame.messages)
        message = self._waiting.popleft()
        self.heard.append(message)
        return message

    async def expect(self, *kinds: str, where: Callable[[object], bool] | None = None) -> pb.ServerMessage:
        """The next message of one of these kinds (that fits); others are passed over."""
        while True:
            message = await self.next()
            kind = message.WhichOneof("message")
            if kind in kinds and (where is None or where(getattr(message, kind))):
                return message

    async def decision(self, table_id: str | None = None):
        """The next decision, of a table if one is named."""
        where = None if table_id is None else lambda decision: decision.table_id == table_id
        return (await self.expect("decision", where=where)).decision

    async def act(self, decision, choice: int | None = 0, **fields) -> None:
        """Answers a decision."""
        if choice is not None:
            fields["choice"] = choice
        await self.send({"act": {"table_id": decision.table_id, "decision_id": decision.decision_id, **fields}})

    async def result(self, decision_id: int | None = None):
        """The next verdict, of a decision if one is named."""
        where = None if decision_id is None else lambda result: result.decision_id == decision_id
        return (await self.expect("act_result", where=where)).act_result

    async def end(self) -> Ended:
        """How the stream ends; messages before that are passed over."""
        try:
            while True:
                await self.next()
        except Ended as ended:
            return ended

    async def play(self, until: str = "table_closed"):
        """Answers every decision by its first action until a message of the kind comes, and returns that."""
        while True:
            message = await self.next()
            kind = message.WhichOneof("message")
            if kind == until:
                return getattr(message, kind)
            if kind == "decision":
                await self.act(message.decision)

    async def play_at(self, table_id: str):
        """Plays until one table is over, and returns its end."""
        while (closed := await self.play()).table_id != table_id:
            pass
        return closed

    def events(self, table_id: str | None = None) -> list:
        """All events heard so far."""
        return [
            event
            for message in self.heard
            if message.WhichOneof("message") == "table_events" and table_id in (None, message.table_events.table_id)
            for event in message.table_events.events
        ]

    def cancel(self) -> None:
        """Breaks the stream."""
        self.call.cancel()


@asynccontextmanager
async def connection(address: str, *, small: bool = False):
    """A channel of its own; a small one takes no more than 64 KiB that nobody reads."""
    options = [("grpc.use_local_subchannel_pool", 1)]
    if small:
        options += [("grpc.http2.bdp_probe", 0), ("grpc.http2.lookahead_bytes", 65_535)]
    async with grpc.aio.insecure_channel(address, options=options) as channel:
        yield channel


def tables_stub(channel):
    return table_service_pb2_grpc.TableServiceStub(channel)


def server_stub(channel):
    return server_service_pb2_grpc.ServerServiceStub(channel)


def bearer(token: str) -> tuple[tuple[str, str], ...]:
    return (("authorization", f"Bearer {token}"),)


def plan(*seats: str, rules: str = "official", options: dict | None = None, **fields) -> TablePlan:
    """A plan: `+greedy` is a builtin, `` an open seat, anything else a bot; one round unless said otherwise."""
    chosen = {"match_end": "single_round", **(options or {})}
    made = tuple(
        SeatPlan(builtin=seat[1:]) if seat.startswith("+") else SeatPlan(bot=seat) if seat else SeatPlan()
        for seat in seats
    )
    return TablePlan(rules=ruleset(rules, chosen), seats=made, clock=fields.pop("clock", PATIENT), **fields)


async def refused(call) -> tuple[grpc.StatusCode, str, str]:
    """Code, reason and sentence of a call that fails."""
    try:
        async with asyncio.timeout(BOUND_S):
            answer = await call
    except grpc.aio.AioRpcError as error:
        info = detail_of(error, error_details_pb2.ErrorInfo)
        assert info is not None, "the status has no ErrorInfo"
        assert info.domain == "lastcard"
        return error.code(), reason_of(error), error.details() or ""
    raise AssertionError(f"the call was answered: {answer}")
