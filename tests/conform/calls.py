"""What a raw bot dials with: one call of `Play`, over gRPC or straight into an arena of the same process.

Here: `Call`, `End`, `GrpcDialer`, `MemoryArena` and its dialer. Not here: what is said on a call (`raw_bot`). In memory
there is no network, so that in virtual time a check takes some milliseconds, however long it waits.
"""

import asyncio
from collections.abc import AsyncIterator
from contextlib import aclosing, suppress
from typing import Any, NamedTuple, Protocol, Self

import grpc
import grpc.aio
from google.rpc import status_pb2

from lastcard.conform.arena import DETAILS_KEY, WiredArena
from lastcard.v1.play_service_pb2 import PlayRequest, PlayResponse
from lastcard.v1.play_service_pb2_grpc import PlayServiceStub
from lastcard.v1.reason_pb2 import ErrorCause

Metadata = tuple[tuple[str, str], ...]


class End(NamedTuple):
    """How a call ended."""

    code: grpc.StatusCode
    text: str = ""
    cause: ErrorCause | None = None


class Call(Protocol):
    """One call of `Play` from the bot's side."""

    async def write(self, frame: PlayRequest) -> None:
        """Sends a frame; one that a call that is over does not take is lost."""

    async def read(self) -> PlayResponse | None:
        """The next frame; `None` when the call is over."""

    async def done_writing(self) -> None:
        """Half-closes the call."""

    def cancel(self) -> None:
        """Breaks the call off."""

    async def ended(self) -> End:
        """How it ended; waits until it has."""


class Dialer(Protocol):
    """A way to a server."""

    def dial(self, metadata: Metadata) -> Call:
        """Begins a call."""

    async def close(self) -> None:
        """Lets go of everything."""


def cause_of(trailing: Any) -> ErrorCause | None:
    """The `ErrorCause` in trailing metadata, if there is one."""
    cause = ErrorCause()
    for key, value in trailing or ():
        if key == DETAILS_KEY and any(detail.Unpack(cause) for detail in status_pb2.Status.FromString(value).details):
            return cause
    return None


# ---------------------------------------------------------------- over gRPC


class GrpcDialer:
    """Dials over gRPC, each time on a channel of its own: an old one may be dead without knowing it."""

    def __init__(self, address: str) -> None:
        self._address = address
        self._channels: list[grpc.aio.Channel] = []

    def dial(self, metadata: Metadata) -> "_GrpcCall":
        options = (("grpc.max_receive_message_length", 64 * 1024 * 1024), ("grpc.use_local_subchannel_pool", 1))
        self._channels.append(grpc.aio.insecure_channel(self._address, options=options))
        return _GrpcCall(PlayServiceStub(self._channels[-1]).Play(metadata=metadata or None))

    async def close(self) -> None:
        for channel in self._channels:
            await channel.close()


class _GrpcCall:
    """What a call that is over refuses is no error here: `read` tells that it is over."""

    def __init__(self, call: Any) -> None:
        self._call = call

    async def write(self, frame: PlayRequest) -> None:
        with suppress(grpc.aio.AioRpcError, asyncio.InvalidStateError):
            await self._call.write(frame)

    async def read(self) -> PlayResponse | None:
        try:
            frame = await self._call.read()
        except grpc.aio.AioRpcError:
            return None
        except asyncio.CancelledError:
            if self._call.done() and not asyncio.current_task().cancelling():
                return None  # the call was cancelled from here, and not the task
            raise
        return frame if isinstance(frame, PlayResponse) else None

    async def done_writing(self) -> None:
        with suppress(grpc.aio.AioRpcError, asyncio.InvalidStateError):
            await self._call.done_writing()

    def cancel(self) -> None:
        self._call.cancel()

    async def ended(self) -> End:
        code, text = await self._call.code(), await self._call.details()
        return End(code, text or "", cause_of(await self._call.trailing_metadata()))


# ---------------------------------------------------------------- in memory


class MemoryArena(WiredArena):
    """The scripted arena without a port: bots of the same process dial into it by `dialer`."""

    def __init__(self) -> None:
        super().__init__()
        self._calls: list[_MemoryCall] = []
        self._up = False

    async def __aenter__(self) -> Self:
        self.address = "127.0.0.1:1"
        self._up = True
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.vanish()
        await asyncio.gather(*(call.task for call in self._calls), return_exceptions=True)

    def dialer(self) -> "_MemoryDialer":
        return _MemoryDialer(self)

    def dialled(self, metadata: Metadata) -> "_MemoryCall":
        call = _MemoryCall(self if self._up else None, metadata)
        self._calls.append(call)
        return call

    def cut(self) -> None:
        for call in self._calls:
            call.lose()

    async def vanish(self) -> None:
        self._up = False
        self.cut()

    async def come_back(self) -> None:
        self.forget_streams()
        self._up = True

    def go_dead(self) -> None:
        for call in self._calls:
            call.dead = True


class _MemoryDialer:
    def __init__(self, arena: MemoryArena) -> None:
        self._arena = arena
        self._calls: list[_MemoryCall] = []

    def dial(self, metadata: Metadata) -> "_MemoryCall":
        self._calls.append(self._arena.dialled(metadata))
        return self._calls[-1]

    async def close(self) -> None:
        for call in self._calls:
            call.cancel()
        await asyncio.gather(*(call.task for call in self._calls), return_exceptions=True)


class _Aborted(Exception):
    """The arena ended a call with a status, which is the argument."""


class _Context:
    """As much of a servicer's context as the arena uses."""

    def __init__(self, metadata: Metadata) -> None:
        self._metadata = metadata
        self._trailing: object = ()

    def invocation_metadata(self) -> Metadata:
        return self._metadata

    def set_trailing_metadata(self, trailing: object) -> None:
        self._trailing = trailing

    async def abort(self, code: grpc.StatusCode, text: str = "") -> None:
        raise _Aborted(End(code, text, cause_of(self._trailing)))


class _MemoryCall:
    """A call of a bot of the same process; frames cross as bytes. On a `dead` one nothing arrives any more."""

    def __init__(self, arena: MemoryArena | None, metadata: Metadata) -> None:
        self._sent: asyncio.Queue[PlayRequest | None] = asyncio.Queue()
        self._came: asyncio.Queue[PlayResponse | None] = asyncio.Queue()
        self._end: End | None = None
        self._over = asyncio.Event()
        self.dead = False
        self._broken = False
        self.task = asyncio.create_task(self._serve(arena, metadata))

    async def _serve(self, arena: MemoryArena | None, metadata: Metadata) -> None:
        if arena is None:
            self._finish(End(grpc.StatusCode.UNAVAILABLE, "failed to connect"))
            return
        context: Any = _Context(metadata)
        try:
            async with aclosing(arena.Play(self._requests(), context)) as frames:
                async for frame in frames:
                    if not self.dead:
                        self._came.put_nowait(PlayResponse.FromString(frame.SerializeToString()))
            self._finish(End(grpc.StatusCode.OK))
        except _Aborted as aborted:
            self._finish(aborted.args[0])
        finally:
            self._finish(End(grpc.StatusCode.CANCELLED, "cancelled"))

    def _finish(self, end: End) -> None:
        """The first end counts."""
        if self._end is None and not self.dead:
            self._end = end
            self._came.put_nowait(None)
            self._over.set()

    async def _requests(self) -> AsyncIterator[PlayRequest]:
        while (frame := await self._sent.get()) is not None:
            yield PlayRequest.FromString(frame.SerializeToString())

    def lose(self) -> None:
        """The connection is lost: the bot learns it, and so does the arena."""
        self._finish(End(grpc.StatusCode.UNAVAILABLE, "connection lost"))
        self._break_off()

    def _break_off(self) -> None:
        """Cancels the arena's side, once: it cleans up then."""
        if not self._broken:
            self._broken = True
            self.task.cancel()

    async def write(self, frame: PlayRequest) -> None:
        if self._end is None and not self.dead:
            self._sent.put_nowait(frame)

    async def read(self) -> PlayResponse | None:
        frame = await self._came.get()
        if frame is None:
            self._came.put_nowait(None)
        return frame

    async def done_writing(self) -> None:
        if not self.dead:
            self._sent.put_nowait(None)

    def cancel(self) -> None:
        self.dead = False
        self._finish(End(grpc.StatusCode.CANCELLED, "cancelled"))
        self._break_off()

    async def ended(self) -> End:
        await self._over.wait()
        assert self._end is not None
        return self._end
