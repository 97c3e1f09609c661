"""The stream of a bot: from gRPC to a session and back.

Here: `PlayHandler`. Not here: what messages mean (`table.session`), their bytes (`wire`). Frames are raw bytes on both
sides, since the hot messages are written by hand and a frame that is no message is to be answered with a reason.
"""

import asyncio
from collections.abc import Awaitable
from typing import Any

import grpc
import structlog

from lastcard.services.callers import bearer_token, is_loopback, machine_of
from lastcard.services.gate import Gate
from lastcard.services.identity import NOBODY, Caller, Identities
from lastcard.services.patience import Patience
from lastcard.services.wire.requests import frame_messages, hello_of
from lastcard.table.greeting import Greeting
from lastcard.table.ports import Clock
from lastcard.table.refusals import DomainError, TransportReason
from lastcard.table.said import Ending
from lastcard.table.session import Session
from lastcard.table.sessions import Sessions
from lastcard.v1 import play_service_pb2

NEWCOMERS_AT_ONCE = 20
"""For how many seconds' worth newcomers may come at once: all bots of an organiser's machine do after a start."""

RETURNS_AT_ONCE = 100
RETURNS_PER_S = 5
"""How often one identity may open a stream. A bot on a bad line stays far below; two that replace each other do not."""

FAREWELL_S = 1.0
"""How long what is left may take to be written when a stream ends."""

_log = structlog.get_logger()


class PlayHandler:
    """Serves `PlayService.Play`."""

    def __init__(
        self, sessions: Sessions, identities: Identities, clock: Clock, patience: Patience, newcomers_per_s: float
    ) -> None:
        self._sessions = sessions
        self._identities = identities
        self._clock = clock
        self._patience = patience
        self._newcomers = Gate(
            "streams of newcomers from this machine",
            clock,
            burst=NEWCOMERS_AT_ONCE * newcomers_per_s,
            per_second=newcomers_per_s,
        )
        self._returns = Gate("streams of this bot", clock, burst=RETURNS_AT_ONCE, per_second=RETURNS_PER_S)

    def generic_handler(self) -> grpc.GenericRpcHandler:
        """What to add to a server."""
        method: grpc.RpcMethodHandler[bytes, bytes] = grpc.stream_stream_rpc_method_handler(self.play)
        return grpc.method_handlers_generic_handler("lastcard.v1.PlayService", {"Play": method})

    async def play(self, _requests: object, context: Any) -> None:
        """One stream, from `Hello` to its end."""
        hello, rest = await self._hello(context)
        greeting = self._greeting(hello, context)
        # Apart from the first frame: gRPC would send it again with a status that comes while that frame is under way.
        await context.send_initial_metadata(())
        session = self._sessions.open(greeting, context.write)
        _log.info("stream.opened", session=session.address, bot=session.bot, client=hello.client_name)
        try:
            ending = await self._serve(session, rest, context)
        finally:
            self._sessions.close(session)
            _log.info("stream.closed", session=session.address, bot=session.bot)
        if ending.reason is not None:
            raise DomainError(ending.reason, ending.sentence, retry_after_ms=ending.retry_after_ms)

    async def _hello(self, context: Any) -> tuple[play_service_pb2.Hello, bytes]:
        try:
            async with self._patience.waiting():
                frame = await context.read()
        except TimeoutError:
            sentence = (
                f"the stream sent nothing within {self._patience.seconds:g} s, or too many such streams wait; "
                "its first message must be Hello"
            )
            raise DomainError(TransportReason.HELLO_REQUIRED, sentence) from None
        if frame is grpc.aio.EOF:
            sentence = "the stream was closed for writing before it said anything; its first message must be Hello"
            raise DomainError(TransportReason.HELLO_REQUIRED, sentence)
        return hello_of(frame, self._sessions.limits.max_frame_bytes)

    def _greeting(self, hello: play_service_pb2.Hello, context: Any) -> Greeting:
        token = bearer_token(context)
        caller, secret = self._known(token, hello, context) if token else (NOBODY, "")
        if not caller.bot:
            caller, secret = self._newcomer(caller, secret, hello, context)
        return Greeting(
            identity=caller.identity,
            bot=caller.bot,
            shared=caller.minted,
            secret=secret,
            max_tables=hello.max_tables,
            max_open_decisions=hello.max_open_decisions,
            decisions_only=hello.decisions_only,
            cursors=tuple((cursor.table_id, cursor.last_sequence) for cursor in hello.cursors),
            version=hello.bot_version,
        )

    def _known(self, token: str, hello: play_service_pb2.Hello, context: Any) -> tuple[Caller, str]:
        """Whom a token or secret stands for, and the secret."""
        caller = self._identities.caller(token, newcomer=self._identities.anonymous and is_loopback(context.peer()))
        self._returns.enter(caller.identity)
        if caller.bot and hello.bot_name not in ("", caller.bot):
            sentence = f"the token belongs to {caller.bot!r}, and Hello names {hello.bot_name!r}; send {caller.bot!r}"
            raise DomainError(TransportReason.UNAUTHENTICATED, sentence, bot=caller.bot, named=hello.bot_name)
        return caller, "" if caller.minted else token

    def _newcomer(self, caller: Caller, secret: str, hello: play_service_pb2.Hello, context: Any) -> tuple[Caller, str]:
        """A bot of which nothing is known; it may have a secret of an earlier stream."""
        self._check_anonymous(hello, context)
        self._sessions.check_room(caller.identity)
        self._newcomers.enter(machine_of(context.peer()))
        if secret:
            return self._identities.meet(caller.identity, hello.bot_name), secret
        secret, caller = self._identities.new_secret(hello.bot_name)
        return caller, secret

    def _check_anonymous(self, hello: play_service_pb2.Hello, context: Any) -> None:
        if not self._identities.anonymous:
            sentence = "this server takes no bots without a token; send it as metadata `authorization: Bearer …`"
            raise DomainError(TransportReason.UNAUTHENTICATED, sentence)
        if not is_loopback(context.peer()):
            sentence = "without a token a bot may connect from the server's own machine only; send a token"
            raise DomainError(TransportReason.UNAUTHENTICATED, sentence)
        if not hello.bot_name:
            sentence = "hello.bot_name is empty; without a token a bot must give a name"
            raise DomainError(TransportReason.INVALID_ARGUMENT, sentence, field="hello.bot_name")

    async def _serve(self, session: Session, rest: bytes, context: Any) -> Ending:
        """Runs reader and writer until the session is to end; the writer may finish what a friendly end leaves."""
        reader = asyncio.create_task(_ending_by(session, self._read(session, rest, context)))
        writer = asyncio.create_task(_ending_by(session, session.write_all()))
        try:
            ending = await session.ended
            reader.cancel()
            session.say_farewell()
            if ending.reason is not TransportReason.READER_TOO_SLOW:
                await asyncio.wait({writer}, timeout=FAREWELL_S)
            return ending
        finally:
            reader.cancel()
            writer.cancel()
            await asyncio.gather(reader, writer, return_exceptions=True)

    async def _read(self, session: Session, rest: bytes, context: Any) -> None:
        most = session.limits.max_frame_bytes
        identity, address, clock = session.identity, session.address, self._clock
        frame = rest or await context.read()
        while frame is not grpc.aio.EOF:
            messages = frame_messages(
                frame,
                identity,
                address,
                received_ms=clock(),
                credit_ms=session.trips.shortest_ms,
                most_bytes=most,
            )
            session.hear(messages)
            frame = await context.read()


async def _ending_by(session: Session, work: Awaitable[None]) -> None:
    """Does a stream's work; however it ends, the session ends with it."""
    try:
        await work
    except DomainError as error:
        session.end(Ending(error.reason, error.sentence, error.retry_after_ms))
    except Exception as error:  # noqa: BLE001 - reading and writing fail in grpc's own ways when a peer is gone
        if not session.ended.done():
            _log.info("stream.broken", session=session.address, bot=session.bot, error=repr(error))
        session.end(Ending(None))
    else:
        session.end(Ending(None))
