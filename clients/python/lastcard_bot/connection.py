"""The stream: dials in, keeps it alive, comes back after every disturbance, ends cleanly.

Here: one channel, one call of `Play` at a time, its reader, writer and watchdog. Not here: what the messages mean
(`session`), the bot's thinking (`minds`), what the end of a call means (`endings`). Imports those and grpc.
"""

import asyncio
import logging
import time
from collections.abc import Iterable
from contextlib import suppress
from typing import TypeAlias

import grpc
import grpc.aio

from lastcard.v1.play_service_pb2 import ClientMessage, Hello, PlayRequest, PlayResponse
from lastcard.v1.play_service_pb2_grpc import PlayServiceStub
from lastcard.v1.table_pb2 import Act
from lastcard_bot.backoff import Backoff
from lastcard_bot.bot import AsyncBot, Bot
from lastcard_bot.endings import Ending, Next, cause_of, judge
from lastcard_bot.minds import mind_for
from lastcard_bot.outputs import (
    Ask,
    Drain,
    Fail,
    Key,
    Log,
    Output,
    Resume,
    Send,
    SendLater,
    Tell,
    Welcomed,
    Withdraw,
    frames,
)
from lastcard_bot.session import PROTOCOL_VERSION, Session
from lastcard_bot.settings import BotError, Settings
from lastcard_bot.statuses import Ends
from lastcard_bot.version import CLIENT_NAME, client_version

log = logging.getLogger("lastcard_bot")

Call: TypeAlias = grpc.aio.StreamStreamCall[PlayRequest, PlayResponse]

CHANNEL_OPTIONS = (
    ("grpc.max_receive_message_length", 64 * 1024 * 1024),
    ("grpc.enable_http_proxy", 0),  # a bot dials the server that it is told, whatever the environment has for browsers
    ("grpc.initial_reconnect_backoff_ms", 100),
    ("grpc.min_reconnect_backoff_ms", 5000),  # in truth the least time that an attempt to connect is given
    ("grpc.max_reconnect_backoff_ms", 1000),
)
"""The channel's own waits stay below those of `Backoff`, which are the ones that count."""
MISSED_HEARTBEATS = 3
"""Heartbeats that may fail to come before a stream is given up."""
WELCOME_S = 30.0
"""How long the server may take to welcome the bot before a stream is given up."""
HELD_S = 10.0
"""A stream that lasted this long was no failed attempt: the waits begin anew."""
CHECK_S = 10.0
"""A bot that has not once connected after so long says what to check."""
FLUSH_S = 1.0
"""How long the server may take to end the stream after we have, on the way out."""


class Connection:
    """A bot's connection to an arena, over as many streams as it takes."""

    def __init__(self, bot: Bot | AsyncBot, settings: Settings) -> None:
        self._bot = bot
        self._settings = settings
        self._session = Session(
            Hello(
                protocol_version=PROTOCOL_VERSION,
                bot_name=settings.name,
                bot_version=bot.version,
                client_name=CLIENT_NAME,
                client_version=client_version(),
                max_tables=bot.max_tables,
                max_open_decisions=bot.max_open_decisions,
                decisions_only=not bot.wants_events(),
            )
        )
        self._mind = mind_for(bot, self._answered, self._bot_ended)
        self._outbox: list[ClientMessage] = []
        self._wake = asyncio.Event()
        self._stopped = asyncio.Event()
        self._call: Call | None = None
        self._loop = asyncio.get_running_loop()
        self._known = False
        self._told_to_check = False
        self._max_frame_bytes = 0
        self._frames_read = 0
        self._silent = False
        self._failure: BaseException | None = None
        self._watchdog: asyncio.Task[None] | None = None

    def stop(self) -> None:
        """Ends the connection: what is ready is still sent, then the stream is closed."""
        self._stopped.set()
        self._wake.set()
        if self._call is not None:
            self._loop.call_later(FLUSH_S, self._call.cancel)

    def leave(self, table_id: str) -> None:
        """Leaves a table for good."""
        self._post(self._session.leave(table_id))

    async def run(self) -> None:
        """Plays until stopped or until the server is done with the bot.

        Raises `BotError` when it cannot go on, and whatever ended the bot itself.
        """
        backoff = Backoff()
        why = "stopped"
        last_welcome = time.monotonic()
        channel = self._dial()
        try:
            while not self._stopped.is_set():
                begun = time.monotonic()
                ending = await self._stream(PlayServiceStub(channel))
                if _cancelling():
                    # grpc swallows a cancellation that comes while a call that fails is being set up.
                    raise asyncio.CancelledError
                if self._failure is not None:
                    raise self._failure
                if self._stopped.is_set():
                    break
                if ending.next is Next.FINISH:
                    why = ending.sentence
                    break
                if ending.next is Next.FAIL:
                    raise BotError(ending.sentence)
                now = time.monotonic()
                if self._session.welcomed:
                    last_welcome = now
                if ending.next is Next.FORGET:
                    self._perform(self._session.forget())
                if now - begun >= HELD_S:
                    backoff.reset()
                if self._silent:
                    # A connection that died without a word stays open on this side: a new call would go out on it, too.
                    await channel.close()
                    channel = self._dial()
                await self._wait(backoff.next_s(), now - last_welcome, ending)
        finally:
            await self._mind.close()
            await channel.close()
        if self._failure is not None:
            raise self._failure  # the bot ended itself in what it was told last
        log.info("ended: %s", why)

    def _dial(self) -> grpc.aio.Channel:
        """A channel, with a connection of its own."""
        self._silent = False
        return grpc.aio.insecure_channel(self._settings.server, options=CHANNEL_OPTIONS)

    async def _wait(self, seconds: float, away_s: float, ending: Ending) -> None:
        """Waits before the next attempt, or gives up."""
        if away_s + seconds > self._settings.give_up_s:
            raise BotError(
                f"no connection to {self._settings.server} for {away_s:.0f} s; last: {ending.sentence}. "
                "Is the server running, and is the address right?"
            )
        log.warning("%s; next attempt in %.1f s", ending.sentence, seconds)
        if away_s >= CHECK_S and not (self._known or self._told_to_check):
            self._told_to_check = True
            log.warning(
                "not connected to %s yet; is an arena running there, and is the address right? Giving up in %.0f s",
                self._settings.server,
                self._settings.give_up_s - away_s,
            )
        with suppress(TimeoutError):
            await asyncio.wait_for(self._stopped.wait(), seconds)

    async def _stream(self, stub: PlayServiceStub) -> Ending:
        """Runs one call of `Play` to its end, and judges that."""
        token = self._settings.token or self._session.secret
        metadata = (("authorization", f"Bearer {token}"),) if token else None
        with_secret = bool(self._session.secret) and not self._settings.token
        call = self._call = stub.Play(metadata=metadata)
        ends = Ends(call)
        self._outbox = [self._session.open_stream()]
        self._wake.set()
        writer = asyncio.create_task(self._write(call), name="writer")
        self._begin_watch(call, WELCOME_S / MISSED_HEARTBEATS)
        try:
            failure = await self._read(call)
            if failure is not None:
                return Ending(Next.FAIL, failure)
            code, text, trailing = await ends.status()
            return judge(
                code,
                self._session.farewell_text or text,
                cause_of(trailing) or self._session.farewell,
                with_token=bool(self._settings.token),
                with_secret=with_secret,
                known=self._known,
                draining=self._session.draining,
            )
        finally:
            self._call = None
            await self._end(call, writer)

    async def _end(self, call: Call, writer: asyncio.Task[None]) -> None:
        """Ends a call and its tasks; a call that is dropped without being cancelled stays in flight (grpc #43462)."""
        tasks = [task for task in (writer, self._watchdog) if task is not None]
        self._watchdog = None
        for task in tasks:
            task.cancel()
        call.cancel()
        await asyncio.gather(*tasks, call.code(), return_exceptions=True)

    async def _read(self, call: Call) -> str | None:
        """Reads frames until the stream ends; a sentence when the bot must not go on."""
        while True:
            try:
                frame = await call.read()
            except grpc.aio.AioRpcError:
                return None
            except asyncio.CancelledError:
                if call.done() and not _cancelling():
                    return None  # the call was cancelled from here: stopped, or the watchdog
                raise
            if not isinstance(frame, PlayResponse):
                return None
            self._frames_read += 1
            for message in frame.messages:
                failure = self._perform(self._session.receive(message))
                if failure is not None:
                    return failure
            if self._failure is not None:
                return None
            self._flush()

    def _perform(self, outputs: Iterable[Output]) -> str | None:
        """Does what the session says; a sentence when the bot must not go on."""
        for output in outputs:
            match output:
                case Send(message):
                    self._outbox.append(message)
                case Ask() | Tell() | Withdraw():
                    self._think(output)
                case Log(text, serious):
                    log.log(logging.WARNING if serious else logging.INFO, "%s", text)
                case SendLater(seconds, table_id):
                    self._loop.call_later(seconds, self._resend, table_id)
                case Welcomed():
                    self._welcome(output)
                case Resume():
                    if self._call is not None:
                        self._call.cancel()
                case Drain(seconds):
                    log.warning("the server shuts down within %.0f s; reconnecting when the stream ends", seconds)
                case Fail(sentence):
                    return sentence
        return None

    def _think(self, output: Ask | Tell | Withdraw) -> None:
        match output:
            case Ask():
                self._mind.ask(output)
            case Tell():
                self._mind.tell(output)
            case Withdraw(key):
                self._mind.withdraw(key)

    def _welcome(self, welcomed: Welcomed) -> None:
        """The stream is open."""
        self._known = True
        self._max_frame_bytes = welcomed.max_frame_bytes
        log.info("connected to %s (server %s) as %s", self._settings.server, welcomed.server_version, welcomed.bot_name)
        if self._call is not None:
            self._begin_watch(self._call, welcomed.heartbeat_seconds)

    def _answered(self, key: Key, act: Act) -> None:
        self._post(self._session.answered(key, act))

    def _resend(self, table_id: str) -> None:
        self._post(self._session.resend(table_id))

    def _post(self, outputs: Iterable[Output]) -> None:
        self._perform(outputs)
        self._flush()

    def _flush(self) -> None:
        if self._outbox:
            self._wake.set()

    def _bot_ended(self, error: BaseException) -> None:
        """The bot itself has ended (`SystemExit`): so does the connection, with that error."""
        self._failure = error
        self.stop()

    async def _write(self, call: Call) -> None:
        """Writes whatever is ready, packed into as few frames as fit; half-closes the stream when stopped.

        An error of a write is the end of the call, which the reader reports with its cause.
        """
        with suppress(grpc.aio.AioRpcError, asyncio.InvalidStateError):
            while True:
                await self._wake.wait()
                self._wake.clear()
                ready, self._outbox = self._outbox, []
                for frame in frames(ready, self._max_frame_bytes):
                    await call.write(PlayRequest(messages=frame))
                if self._stopped.is_set() and not self._outbox:
                    await call.done_writing()
                    return

    def _begin_watch(self, call: Call, heartbeat_s: float) -> None:
        """Watches a call from now on, at this interval (0: not at all)."""
        if self._watchdog is not None:
            self._watchdog.cancel()
        self._watchdog = None
        if heartbeat_s:
            self._watchdog = asyncio.create_task(self._watch(call, heartbeat_s), name="watchdog")

    async def _watch(self, call: Call, heartbeat_s: float) -> None:
        """Gives the call up when nothing has come for several heartbeats.

        Counts its own rounds, not the time: after a pause of the whole process it gives the reader a chance first.
        """
        seen, missed = self._frames_read, 0
        while missed < MISSED_HEARTBEATS:
            await asyncio.sleep(heartbeat_s)
            missed = missed + 1 if self._frames_read == seen else 0
            seen = self._frames_read
        log.warning("nothing came from the server for %.0f s", missed * heartbeat_s)
        self._silent = True
        call.cancel()


def _cancelling() -> bool:
    """Whether the present task is being cancelled."""
    task = asyncio.current_task()
    return task is not None and task.cancelling() > 0
