"""A `PlayService` on a real port that does exactly what it is told: the other end for checks and for tests of clients.

Here: `ScriptedArena`, `Stream`, `WiredArena`. Not here: what is said on a stream in a game (`talk`, `tables`). May
import `lastcard.v1`, the wire's encoding, `wire` and grpc.
"""

import asyncio
from collections.abc import AsyncIterator
from typing import Self

import grpc
import grpc.aio
from google.protobuf import any_pb2

from lastcard.conform.wire import Wire
from lastcard.services.wire.varint import VARINT, nested, number, tag, text
from lastcard.v1.play_service_pb2 import (
    ClientMessage,
    Hello,
    PlayRequest,
    PlayResponse,
    ServerMessage,
    Welcome,
)
from lastcard.v1.play_service_pb2_grpc import PlayServiceServicer, add_PlayServiceServicer_to_server
from lastcard.v1.reason_pb2 import ErrorCause, ProtocolReason

BOUND_S = 60.0
"""Longest that anything is waited for; far above what is ever needed, so that it only bounds failures."""

DETAILS_KEY = "grpc-status-details-bin"

_OPTIONS = (
    ("grpc.keepalive_permit_without_calls", 1),
    ("grpc.http2.max_pings_without_data", 0),
    ("grpc.http2.min_ping_interval_without_data_ms", 10_000),
)
"""Clients may ping as often as at a real server (`services.channel`)."""

_Ending = tuple[grpc.StatusCode, str, ErrorCause | None]


class Stream:
    """One call of `Play` as the arena sees it.

    `metadata` are the keys and values it was opened with, `frames` all that the bot has sent, `over` is set when the
    call has ended, whoever ended it; `cancelled` tells that it was the bot's side or the wire, and not the arena.
    """

    def __init__(self, metadata: dict[str, str]) -> None:
        self.metadata = metadata
        self.frames: list[PlayRequest] = []
        self._received: asyncio.Queue[ClientMessage | None] = asyncio.Queue()
        self._to_send: asyncio.Queue[PlayResponse | _Ending] = asyncio.Queue()
        self.over = asyncio.Event()
        self.cancelled = False

    async def next(self) -> ClientMessage | None:
        """The next message of the bot; `None` when it has half-closed or cancelled the stream."""
        return await asyncio.wait_for(self._received.get(), BOUND_S)

    async def heard(self) -> ClientMessage | None:
        """As `next`, without a bound: for those who wait for several things at once."""
        return await self._received.get()

    async def expect(self, kind: str) -> ClientMessage:
        """The next message of the bot, which must be of this kind."""
        message = await self.next()
        assert message is not None, f"the stream was closed instead of a {kind}"
        assert message.WhichOneof("message") == kind, f"{message} instead of a {kind}"
        return message

    async def open(self, *messages: ServerMessage, **welcome: object) -> Hello:
        """Takes the `Hello` and welcomes the bot; further messages go out in the same frame."""
        hello = (await self.expect("hello")).hello
        fields = {"session_id": "s", "bot_name": hello.bot_name, "protocol_version": 1, **welcome}
        self.send(ServerMessage(welcome=Welcome(**fields)), *messages)  # type: ignore[arg-type]
        return hello

    async def acts(self, count: int) -> list[tuple[str, int, int]]:
        """The next answers: table, decision and choice of each."""
        acts = [(await self.expect("act")).act for _ in range(count)]
        return [(act.table_id, act.decision_id, act.choice) for act in acts]

    def send(self, *messages: ServerMessage) -> None:
        """Sends messages in one frame."""
        self.send_frame(PlayResponse(messages=messages))

    def send_frame(self, frame: PlayResponse) -> None:
        """Sends a frame as it is."""
        self._to_send.put_nowait(frame)

    def end(self, code: grpc.StatusCode = grpc.StatusCode.OK, text: str = "", cause: ErrorCause | None = None) -> None:
        """Ends the stream, after what was sent before."""
        self._to_send.put_nowait((code, text, cause))

    def end_for(self, code: grpc.StatusCode, reason: str, text: str = "because") -> None:
        """Ends the stream for a reason of the transport."""
        self.end(code, text, ErrorCause(protocol_reason=ProtocolReason.Value(f"PROTOCOL_REASON_{reason}")))


class ScriptedArena(PlayServiceServicer):
    """The server: `address`, and the streams in the order in which bots opened them."""

    def __init__(self) -> None:
        self._streams: asyncio.Queue[Stream] = asyncio.Queue()
        self._server: grpc.aio.Server | None = None
        self.address = ""
        self.opened: list[Stream] = []
        """All streams that were ever opened."""

    async def __aenter__(self) -> Self:
        self._server = grpc.aio.server(options=_OPTIONS)
        add_PlayServiceServicer_to_server(self, self._server)
        self.address = f"127.0.0.1:{self._server.add_insecure_port('127.0.0.1:0')}"
        try:
            await self._server.start()
        except asyncio.CancelledError:
            await self._server.stop(0)  # gRPC complains at the end of a loop about one that was not
            raise
        return self

    async def __aexit__(self, *_: object) -> None:
        if self._server is not None:
            await self._server.stop(0)

    async def stream(self) -> Stream:
        """The next stream that a bot opens."""
        return await asyncio.wait_for(self.next_stream(), BOUND_S)

    async def next_stream(self) -> Stream:
        """As `stream`, without a bound."""
        return await self._streams.get()

    def no_stream(self) -> bool:
        """Whether no further stream was opened."""
        return self._streams.empty()

    def forget_streams(self) -> None:
        """Takes all streams that were opened and that nobody has waited for."""
        while not self._streams.empty():
            self._streams.get_nowait()

    async def Play(  # noqa: N802 - the name of the call
        self,
        request_iterator: AsyncIterator[PlayRequest],
        context: grpc.aio.ServicerContext[AsyncIterator[PlayRequest], AsyncIterator[PlayResponse]],
    ) -> AsyncIterator[PlayResponse]:
        """Hands a new stream to whoever waits for one, and does on it what it is told until it ends."""
        stream = Stream({key: str(value) for key, value in context.invocation_metadata() or ()})
        self.opened.append(stream)
        self._streams.put_nowait(stream)
        reader = asyncio.create_task(_read(request_iterator, stream))
        try:
            while True:
                item = await stream._to_send.get()  # noqa: SLF001 - the two are one
                if isinstance(item, PlayResponse):
                    yield item
                    continue
                code, text, cause = item
                if code is grpc.StatusCode.OK:
                    return
                if cause is not None:
                    context.set_trailing_metadata(((DETAILS_KEY, _status(code, text, cause)),))
                await context.abort(code, text)
        except asyncio.CancelledError:
            stream.cancelled = True
            raise
        finally:
            reader.cancel()
            await asyncio.gather(reader, return_exceptions=True)
            stream.over.set()


class WiredArena(ScriptedArena):
    """A scripted arena at the end of a wire that can be cut, go dead, and have nobody at its other end for a while."""

    def __init__(self) -> None:
        super().__init__()
        self._wire: Wire | None = None

    async def __aenter__(self) -> Self:
        await super().__aenter__()
        self._wire = Wire(self.address)
        try:
            await self._wire.__aenter__()
        except asyncio.CancelledError:
            await super().__aexit__()
            raise
        self.address = self._wire.address
        return self

    async def __aexit__(self, *_: object) -> None:
        if self._wire is not None:
            await self._wire.__aexit__()
        await super().__aexit__()

    def cut(self) -> None:
        """Breaks all connections of now; new ones are taken at once."""
        assert self._wire is not None
        self._wire.cut()

    async def vanish(self) -> None:
        """Breaks all connections and takes no new ones: a server that was killed."""
        assert self._wire is not None
        await self._wire.vanish()

    async def come_back(self) -> None:
        """Takes connections again, at the same address; streams from before, which lead nowhere, are forgotten."""
        assert self._wire is not None
        self.forget_streams()
        await self._wire.come_back()

    def go_dead(self) -> None:
        """On the connections of now nothing arrives any more at either end, and neither is told; new ones work."""
        assert self._wire is not None
        self._wire.go_dead()


async def _read(requests: AsyncIterator[PlayRequest], stream: Stream) -> None:
    try:
        async for frame in requests:
            stream.frames.append(frame)
            for message in frame.messages:
                stream._received.put_nowait(message)  # noqa: SLF001 - the two are one
    finally:
        stream._received.put_nowait(None)  # noqa: SLF001


def _status(code: grpc.StatusCode, sentence: str, cause: ErrorCause) -> bytes:
    """A `google.rpc.Status` with one detail, in bytes: its class is in no package that a bot author needs."""
    detail = any_pb2.Any()
    detail.Pack(cause)
    return number(tag(1, VARINT), code.value[0]) + text(tag(2), sentence) + nested(tag(3), detail.SerializeToString())
