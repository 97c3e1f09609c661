"""The network between clients and the server: calls with delays, windows, cuts and ends.

Here: `Network`, `Link`, `Quality`. Not here: what either end says. A link keeps its frames in order, as HTTP/2 does;
what it does to them otherwise is drawn from the seed.

The server's end of a link is what `PlayHandler` knows as the context of a call; the client's end is two callbacks,
`on_frame` and `on_end`.
"""

import asyncio
from collections import Counter, deque
from collections.abc import Callable
from dataclasses import dataclass
from random import Random
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import grpc

from lastcard.v1.reason_pb2 import ErrorCause, ProtocolReason
from lastcard_bot.endings import cause_of
from simulation.stack.loop import WORLD, VirtualLoop

if TYPE_CHECKING:
    from simulation.stack.server import Server

KEEPALIVE_S = 30.0
"""When a peer that vanished without a word is noticed at the latest (`channel.channel_options`: 20 s and 10 s)."""


@dataclass(frozen=True, slots=True)
class Quality:
    """How good a line is."""

    delay_s: float = 0.005
    jitter_s: float = 0.005
    hiccup: float = 0.0
    """How likely a frame is held up for up to a second."""
    window: int = 65_536
    """Bytes that may be under way or unread before the sender has to wait."""

    @property
    def is_slow(self) -> bool:
        """Whether an honest answer may come too late on it."""
        return bool(self.hiccup) or self.delay_s + self.jitter_s > 0.1

    def delay(self, random: Random) -> float:
        if self.hiccup and random.random() < self.hiccup:
            return self.delay_s + random.random()
        return self.delay_s + random.random() * self.jitter_s


GOOD = Quality()


class Status(NamedTuple):
    """How a call ended, as gRPC tells a client."""

    code: grpc.StatusCode
    text: str = ""
    trailing: tuple[tuple[str, bytes], ...] = ()

    @property
    def cause(self) -> ErrorCause | None:
        """What the details say."""
        return cause_of(self.trailing)


LOST = Status(grpc.StatusCode.UNAVAILABLE, "connection lost")
REFUSED = Status(grpc.StatusCode.UNAVAILABLE, "connection refused")


class Client(Protocol):
    """Who is at the other end of a link."""

    def on_frame(self, link: "Link", frame: bytes) -> None:
        """A frame came."""

    def on_end(self, link: "Link", status: Status) -> None:
        """The call is over, as far as the client knows."""


class Network:
    """Who can be reached: the one server that is up, or nobody."""

    def __init__(self, loop: VirtualLoop, reached: Counter[str]) -> None:
        self.loop = loop
        self.reached = reached
        self.server: Server | None = None
        self.links: list[Link] = []
        """Links that at least one end believes in."""
        self.count = 0
        """Calls so far."""

    def call(self, client: Client, method: str, token: str, quality: Quality, random: Random) -> "Link":
        """Begins a call; whether anybody answers shows."""
        self.count += 1
        link = Link(self, client, method, token=token, quality=quality, random=random)
        self.links.append(link)
        with self.loop.inside(WORLD):
            self.loop.call_at(link.next_up(), self._arrive, link)
        return link

    def _arrive(self, link: "Link") -> None:
        if link.is_cut:
            return
        if self.server is None or not self.server.accept(link):
            link.end_for_client(REFUSED)

    def server_died(self, server: "Server", *, silently: bool) -> None:
        """All links of a server are gone; without a word when its machine went with it."""
        self.server = None
        for link in list(self.links):
            if link.server is server:
                link.server_is_gone(silently=silently)


class Link:
    """One call."""

    def __init__(
        self,
        network: Network,
        client: Client,
        method: str,
        *,
        token: str,
        quality: Quality,
        random: Random,
    ) -> None:
        self.number = network.count
        self.client = client
        self.method = method
        self.token = token
        self.server: Server | None = None
        self.handler: asyncio.Task[None] | None = None
        self.answers_itself = "Play" not in method
        """Whether gRPC itself looks after the call's messages."""
        self.is_cut = False
        """Whether nothing arrives any more, in either direction."""
        self.is_over = False
        """Whether the client knows of its end."""
        self.is_deaf = False
        """Whether nothing arrives at the client any more."""
        self.reading = True
        self.is_confused = False
        """Whether the client cannot tell any more which answers were judged."""
        self.owed: Counter[str] = Counter()
        """By table: answers that the server has read on this link and not judged yet."""
        self.quality = quality
        self.window = quality.window
        self._network = network
        self._loop = network.loop
        self._random = random
        self._last_up = self._last_down = 0.0
        self._came: deque[tuple[bytes, list[str]] | None] = deque()
        self._reader: asyncio.Future[None] | None = None
        self._writer: asyncio.Future[None] | None = None
        self._under_way = 0
        self._unread: deque[bytes | Status] = deque()
        self._status = Status(grpc.StatusCode.UNKNOWN)
        self.answered_s = 0.0
        """When the last answer was read."""
        self._serializer: Callable[[Any], bytes] | None = None
        self._lost = False
        """Whether the server knows that the client is gone."""

    def __repr__(self) -> str:
        return f"link {self.number}"

    # ------------------------------------------------------------------ the client's end

    def send(self, frame: bytes, answers: list[str]) -> None:
        """Sends a frame; `answers` holds the table of each answer in it."""
        if not self.is_over:
            self._up(self._take, (frame, answers))

    def half_close(self) -> None:
        """Says that nothing will come any more."""
        self._up(self._take, None)

    def cancel(self) -> None:
        """Ends the call at once."""
        if not self.is_over:
            self._up(self.notice_at_server)
            self._forget_client()

    def read_on(self, reading: bool) -> None:
        """Stops reading, or goes on with what came meanwhile."""
        self.reading = reading
        if reading:
            while self._unread and self.reading and not self.is_over:
                self._read(self._unread.popleft())

    def _read(self, item: bytes | Status) -> None:
        if isinstance(item, Status):
            self.end_for_client(item)
            return
        self._under_way -= len(item)
        if self._writer is not None and self._under_way <= self.window:
            self._up(self._wake_writer)
        self.client.on_frame(self, item)

    def end_for_client(self, status: Status) -> None:
        """The client hears that the call is over."""
        if not self.is_over:
            self._forget_client()
            self.client.on_end(self, status)

    def _forget_client(self) -> None:
        self.is_over = True
        self._unread.clear()
        self._drop_if_done()

    # ------------------------------------------------------------------ what happens to it

    def cut(self, server_notices_s: float, client_notices_s: float | None) -> None:
        """Nothing arrives any more; both ends notice in their own time, the client perhaps not by this."""
        self.is_cut = self.is_deaf = True
        with self._loop.inside(WORLD):
            self._loop.call_later(server_notices_s, self.notice_at_server)
            if client_notices_s is not None:
                self._loop.call_later(client_notices_s, self.notice_at_client)

    def deafen(self) -> None:
        """From now on nothing arrives at the client; the server still reads what it sends."""
        self.is_deaf = True

    def notice_at_client(self) -> None:
        """The client's transport finds the link broken."""
        self.end_for_client(LOST)

    def notice_at_server(self) -> None:
        """The server's transport finds the link broken: gRPC cancels the handler, and whatever it waits for fails."""
        if self._lost or self.server is None:
            return
        self._lost = True
        with self._loop.inside(self.server.process):
            # A stream of a bot may find out by itself before it is cancelled.
            if self.handler is not None and (self.answers_itself or self._random.random() < 0.5):
                self.handler.cancel()
            else:
                self._came.clear()
                self._came.append(None)
                self._wake_reader()
                self._wake_writer()

    def server_is_gone(self, *, silently: bool) -> None:
        """The server's process is dead."""
        self.is_cut = True
        self.server = None
        self._came.clear()
        self._reader = self._writer = None
        if not silently:
            self._loop.call_later(self.quality.delay(self._random), self.notice_at_client)
        elif self.answers_itself:
            # No heartbeats come on it, so its keep-alive has to find out; bots notice by what does not come.
            self._loop.call_later(self._random.random() * KEEPALIVE_S, self.notice_at_client)
        self._drop_if_done()

    def _drop_if_done(self) -> None:
        is_done = self.is_over and (self.server is None or self.handler is None or self.handler.done())
        if is_done and self in self._network.links:
            self._network.links.remove(self)

    # ------------------------------------------------------------------ on the way

    def _up(self, arrive: Callable[..., None], *args: object) -> None:
        with self._loop.inside(WORLD):
            self._loop.call_at(self.next_up(), self._arrive_up, arrive, *args)

    def next_up(self) -> float:
        """When what the client sends now arrives."""
        self._last_up = max(self._last_up, self._loop.now + self.quality.delay(self._random))
        return self._last_up

    def _arrive_up(self, arrive: Callable[..., None], *args: object) -> None:
        if not self.is_cut and self.server is not None:
            # Its own turn of the server's loop, which is lost when the process dies or waits when it is paused.
            with self._loop.inside(self.server.process):
                self._loop.call_soon(arrive, *args)

    def _down(self, item: bytes | Status) -> None:
        with self._loop.inside(WORLD):
            at = max(self._last_down, self._loop.now + self.quality.delay(self._random))
            self._last_down = at
            self._loop.call_at(at, self._arrive_down, item)

    def _arrive_down(self, item: bytes | Status) -> None:
        if self.is_deaf or self.is_over or (self.is_cut and self.server is not None):
            return
        if self.reading and not self._unread:
            self._read(item)
        else:
            self._unread.append(item)

    # ------------------------------------------------------------------ the server's end

    def serve(self, server: "Server") -> "asyncio.Task[None]":
        """Begins a handler for this call in a server's process."""
        self.server = server
        self.handler = self._loop.create_task(self._handle(server))
        return self.handler

    async def _handle(self, server: "Server") -> None:
        try:
            handler = await server.rpc.find(self.method)
            self._serializer = handler.response_serializer
            answer = await (handler.stream_stream or handler.stream_unary)(None, self)
            if answer is not None:
                self._down(self._bytes(answer))
            status = Status(grpc.StatusCode.OK)
        except grpc.aio.AbortError:
            status = self._status
            self._note_refusal(status)
        except asyncio.CancelledError:
            status = Status(grpc.StatusCode.CANCELLED, "cancelled by the server")
        if not self._lost:
            self._down(status)
        self._lost = True
        with self._loop.inside(WORLD):
            self._loop.call_soon(self._drop_if_done)

    def _note_refusal(self, status: Status) -> None:
        """Counts why the server ended a stream of a bot."""
        cause = status.cause
        if not self.answers_itself and cause is not None and cause.protocol_reason:
            name = ProtocolReason.Name(cause.protocol_reason).removeprefix("PROTOCOL_REASON_").lower()
            self._network.reached[f"ended: {name}"] += 1

    def _bytes(self, message: Any) -> bytes:
        return message if self._serializer is None else self._serializer(message)

    def _take(self, item: tuple[bytes, list[str]] | None) -> None:
        self._came.append(item)
        self._wake_reader()

    def _wake_reader(self) -> None:
        if self._reader is not None and not self._reader.done():
            self._reader.set_result(None)

    def _wake_writer(self) -> None:
        if self._writer is not None and not self._writer.done():
            self._writer.set_result(None)

    def invocation_metadata(self) -> tuple[tuple[str, str], ...]:
        return (("authorization", f"Bearer {self.token}"),) if self.token else ()

    def peer(self) -> str:
        return f"ipv4:127.0.0.1:{self.number}"

    async def send_initial_metadata(self, _: object) -> None:
        """Says nothing that is looked at here."""

    async def read(self) -> Any:
        """The next frame, or the end."""
        while not self._came:
            self._reader = self._loop.create_future()
            await self._reader
            self._reader = None
        item = self._came.popleft()
        if item is None:
            # To a reader gRPC makes no difference between a client that has said all and one that is gone.
            return grpc.aio.EOF
        frame, answers = item
        if answers:
            self.owed.update(answers)
            self.answered_s = self._loop.now
        return frame

    async def abort(self, code: grpc.StatusCode, text: str, trailing: tuple[tuple[str, bytes], ...]) -> None:
        """Ends the call with a status."""
        self._status = Status(code, text, trailing)
        raise grpc.aio.AbortError

    async def write(self, message: Any) -> None:
        """Sends a message; returns when there is room for another."""
        if self._lost:
            raise ConnectionError("the client is gone")
        frame = self._bytes(message)
        self._under_way += len(frame)
        self._down(frame)
        while self._under_way > self.window and not self._lost:
            self._writer = self._loop.create_future()
            await self._writer
            self._writer = None
        if self._lost:
            raise ConnectionError("the client is gone")
