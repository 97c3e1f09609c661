"""A `PlayService` on a real port that does exactly what a test tells it: the other end for SDK tests."""

import asyncio
from collections.abc import AsyncIterator
from typing import Self

import grpc
import grpc.aio
from google.protobuf import any_pb2
from google.rpc import status_pb2

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
from lastcard_bot.endings import DETAILS_KEY

BOUND_S = 20.0
"""Longest that a test waits for anything; far above what is ever needed, so that it only bounds failures."""


class Stream:
    """One call of `Play` as the test sees it."""

    def __init__(self, metadata: dict[str, str]) -> None:
        self.metadata = metadata
        self.frames: list[PlayRequest] = []
        self._received: asyncio.Queue[ClientMessage | None] = asyncio.Queue()
        self._to_send: asyncio.Queue[PlayResponse | tuple[grpc.StatusCode, str, ErrorCause | None]] = asyncio.Queue()
        self.over = asyncio.Event()

    async def next(self) -> ClientMessage | None:
        """The next message of the bot; `None` when it has half-closed or cancelled the stream."""
        return await asyncio.wait_for(self._received.get(), BOUND_S)

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
        self._to_send.put_nowait(PlayResponse(messages=messages))

    def end(self, code: grpc.StatusCode = grpc.StatusCode.OK, text: str = "", cause: ErrorCause | None = None) -> None:
        """Ends the stream."""
        self._to_send.put_nowait((code, text, cause))

    def end_for(self, code: grpc.StatusCode, reason: str, text: str = "because") -> None:
        """Ends the stream for a reason of the transport."""
        self.end(code, text, ErrorCause(protocol_reason=ProtocolReason.Value(f"PROTOCOL_REASON_{reason}")))


class ScriptedArena(PlayServiceServicer):
    """The server: `address`, and the streams in the order in which bots opened them."""

    def __init__(self) -> None:
        self._streams: asyncio.Queue[Stream] = asyncio.Queue()
        self._server = grpc.aio.server()
        self.address = ""

    async def __aenter__(self) -> Self:
        add_PlayServiceServicer_to_server(self, self._server)
        self.address = f"127.0.0.1:{self._server.add_insecure_port('127.0.0.1:0')}"
        await self._server.start()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._server.stop(0)

    async def stream(self) -> Stream:
        """The next stream that a bot opens."""
        return await asyncio.wait_for(self._streams.get(), BOUND_S)

    def no_stream(self) -> bool:
        """Whether no further stream was opened."""
        return self._streams.empty()

    async def Play(
        self,
        request_iterator: AsyncIterator[PlayRequest],
        context: grpc.aio.ServicerContext[AsyncIterator[PlayRequest], AsyncIterator[PlayResponse]],
    ) -> AsyncIterator[PlayResponse]:
        stream = Stream({key: str(value) for key, value in context.invocation_metadata() or ()})
        self._streams.put_nowait(stream)
        reader = asyncio.create_task(_read(request_iterator, stream))
        try:
            while True:
                item = await stream._to_send.get()
                if isinstance(item, PlayResponse):
                    yield item
                    continue
                code, text, cause = item
                if code is grpc.StatusCode.OK:
                    return
                if cause is not None:
                    detail = any_pb2.Any()
                    detail.Pack(cause)
                    status = status_pb2.Status(code=code.value[0], message=text, details=[detail])
                    context.set_trailing_metadata(((DETAILS_KEY, status.SerializeToString()),))
                await context.abort(code, text)
        finally:
            reader.cancel()
            await asyncio.gather(reader, return_exceptions=True)
            stream.over.set()


async def _read(requests: AsyncIterator[PlayRequest], stream: Stream) -> None:
    try:
        async for frame in requests:
            stream.frames.append(frame)
            for message in frame.messages:
                stream._received.put_nowait(message)
    finally:
        stream._received.put_nowait(None)
