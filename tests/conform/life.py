"""A raw bot's life: streams one after the other, what their ends mean, and how it ends itself.

Here: `Life`. Not here: what is said on a stream (`raw_bot`).
"""

import asyncio
import random
from abc import ABC, abstractmethod
from collections.abc import Callable, Coroutine, Mapping
from contextlib import suppress
from typing import Any

import grpc

from conform.calls import Call, Dialer, End
from lastcard.v1.play_service_pb2 import ClientMessage, Hello, PlayRequest, PlayResponse, ServerMessage
from lastcard.v1.reason_pb2 import ErrorCause, ProtocolReason, Reason

HOPELESS = frozenset(
    (
        grpc.StatusCode.FAILED_PRECONDITION,
        grpc.StatusCode.INVALID_ARGUMENT,
        grpc.StatusCode.PERMISSION_DENIED,
        grpc.StatusCode.UNIMPLEMENTED,
    )
)

AGAIN, ANEW, FINISH, FAIL = "again", "anew", "finish", "fail"
"""What to do after a stream: come back, come back as somebody new, end well, end badly."""


class Life(ABC):
    """A program: `run` is its life from start to exit status, `environment` all that it was given."""

    first_wait_s = 0.2
    most_wait_s = 5.0
    held_s = 10.0
    give_up_s = 300.0
    flush_s = 1.0

    def __init__(self, dialer: Callable[[str], Dialer], environment: Mapping[str, str], stop: asyncio.Event) -> None:
        self.environment = environment
        self.dialer = dialer(environment["LASTCARD_SERVER"])
        self.stopped = stop
        self.complaint = ""
        self.secret = ""
        self.known = False
        self.welcomed = False
        self.draining = False
        self.farewell: tuple[str, ErrorCause] | None = None
        self.heartbeat_s = 0.0
        self.max_frame_bytes = 0
        self.stream = 0
        self.call: Call | None = None
        self.outbox: list[ClientMessage] = []
        self.chance = random.Random(1)
        self.next_wait_s = self.first_wait_s
        self.tasks: set[asyncio.Task[None]] = set()
        self.fatal: str | None = None

    @abstractmethod
    def hello(self) -> Hello:
        """What opens a stream."""

    @abstractmethod
    async def on_message(self, message: ServerMessage) -> None:
        """One message of the server."""

    @abstractmethod
    def forget(self) -> None:
        """The server does not know this bot any more: begins as somebody new."""

    async def run(self) -> int:
        """Plays until it is over; the exit status."""
        stopper = self.start(self.listen())
        try:
            return await self.live()
        finally:
            stopper.cancel()
            for task in tuple(self.tasks):
                task.cancel()
            await asyncio.gather(*self.tasks, return_exceptions=True)
            await self.dialer.close()

    async def live(self) -> int:
        loop = asyncio.get_running_loop()
        last = loop.time()
        while not self.stopped.is_set():
            begun = loop.time()
            end = await self.play_stream()
            if self.stopped.is_set():
                break
            after, why = self.after(end)
            if after == FINISH:
                break
            if after == FAIL:
                return self.complain(why)
            if after == ANEW:
                self.forget()
            now = loop.time()
            last = now if self.welcomed else last
            if now - begun >= self.held_s:
                self.next_wait_s = self.first_wait_s
            wait = self.wait_s()
            if now - last + wait > self.give_up_s:
                return self.complain(f"no connection for {now - last:.0f} s: {why}")
            with suppress(TimeoutError):
                await asyncio.wait_for(self.stopped.wait(), wait)
        return 0

    def complain(self, why: str) -> int:
        self.complaint = f"error: {why}"
        return 1

    def wait_s(self) -> float:
        """How long to wait before the next attempt to connect."""
        wait = self.next_wait_s
        self.next_wait_s = min(self.most_wait_s, wait * 2)
        return wait * (1 - self.chance.random() / 2)

    async def listen(self) -> None:
        await self.stopped.wait()
        await self.on_stop()

    async def on_stop(self) -> None:
        """SIGTERM came: half-closes the stream; the server has a moment to end it."""
        call = self.call
        if call is not None:
            await self.flush()
            await call.done_writing()
            await asyncio.sleep(self.flush_s)
            call.cancel()

    def start(self, coroutine: Coroutine[Any, Any, None]) -> "asyncio.Task[None]":
        task = asyncio.create_task(coroutine)
        self.tasks.add(task)
        task.add_done_callback(self.tasks.discard)
        return task

    # ---------------------------------------------------------------- one stream

    async def play_stream(self) -> End:
        self.stream += 1
        self.welcomed = self.draining = False
        self.farewell = None
        self.heartbeat_s = 10.0
        call = self.call = self.dialer.dial(self.metadata())
        self.outbox = self.opening()
        await self.flush()
        try:
            while (frame := await self.next_frame(call)) is not None:
                await self.on_frame(frame)
                if self.fatal is not None:
                    break
                await self.flush()
            if self.fatal is None:
                return await call.ended()
            return End(grpc.StatusCode.OK)
        finally:
            self.call = None
            call.cancel()

    def opening(self) -> list[ClientMessage]:
        """What is said before anything was heard."""
        return [ClientMessage(hello=self.hello())]

    async def next_frame(self, call: Call) -> PlayResponse | None:
        """The next frame; a server that is silent for three heartbeats is given up."""
        try:
            return await asyncio.wait_for(call.read(), 3 * self.heartbeat_s if self.heartbeat_s else None)
        except TimeoutError:
            call.cancel()
            return None

    def metadata(self) -> tuple[tuple[str, str], ...]:
        token = self.environment.get("LASTCARD_TOKEN") or self.secret
        return (("authorization", f"Bearer {token}"),) if token else ()

    def say(self, message: ClientMessage) -> None:
        """Puts a message among those that leave with the next frame."""
        self.outbox.append(message)

    async def flush(self) -> None:
        """Sends what is ready, in as few frames as may be."""
        if self.call is None:
            return
        ready, self.outbox = self.outbox, []
        for messages in self.packed(ready):
            await self.call.write(PlayRequest(messages=messages))

    def packed(self, messages: list[ClientMessage]) -> list[list[ClientMessage]]:
        """Messages for as few frames as fit into what the server reads."""
        frames: list[list[ClientMessage]] = []
        size = 0
        for message in messages:
            own = message.ByteSize() + 6
            if not frames or (self.max_frame_bytes and size + own > self.max_frame_bytes):
                frames.append([])
                size = 0
            frames[-1].append(message)
            size += own
        return frames

    async def on_frame(self, frame: PlayResponse) -> None:
        for message in frame.messages:
            if self.fatal is None:
                await self.on_message(message)

    def after(self, end: End) -> tuple[str, str]:
        """What the end of a stream means, and why."""
        if self.fatal is not None:
            return FAIL, self.fatal
        text, cause = end.text, end.cause
        if cause is None and self.farewell is not None:
            text, cause = self.farewell
        reason = cause.protocol_reason if cause is not None else ProtocolReason.PROTOCOL_REASON_UNSPECIFIED
        replaced = cause is not None and cause.reason == Reason.REASON_SESSION_REPLACED
        if replaced or reason == ProtocolReason.PROTOCOL_REASON_SESSION_REPLACED:
            return self.on_replaced(text)
        if end.code == grpc.StatusCode.ABORTED and cause is None:
            return self.on_replaced(text)
        if end.code == grpc.StatusCode.OK:
            return (AGAIN, "the server has shut down") if self.draining else (FINISH, "the server ended the session")
        if end.code == grpc.StatusCode.UNAUTHENTICATED or reason == ProtocolReason.PROTOCOL_REASON_UNAUTHENTICATED:
            return self.on_unauthenticated(text)
        if end.code in HOPELESS:
            return self.on_hopeless(text)
        return AGAIN, f"{end.code.name}: {text}"

    def on_replaced(self, text: str) -> tuple[str, str]:
        return FAIL, f"another program took the session over: {text}"

    def on_unauthenticated(self, text: str) -> tuple[str, str]:
        if self.environment.get("LASTCARD_TOKEN"):
            return (FINISH if self.known else FAIL), f"the server does not accept the token: {text}"
        if self.secret:
            return ANEW, f"the server does not know this session any more: {text}"
        return FAIL, f"the server wants a token: {text}"

    def on_hopeless(self, text: str) -> tuple[str, str]:
        return FAIL, f"the server refused the bot: {text}"
