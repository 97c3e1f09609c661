"""One bot's stream: what it is told and when, and what it may say.

Here: `Session`. Not here: how a stream opens (`greeting`), what a bot may say (`said`), all streams together
(`sessions`), bytes and gRPC (`services`). Knows asyncio: one writer task a stream; everything else is a plain call.
"""

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable, Sequence
from typing import Protocol

from lastcard.table.backlog import Backlog
from lastcard.table.flood import Allowance
from lastcard.table.greeting import Greeting, Limits
from lastcard.table.mail import STANDING, Acknowledged, Acted, Body, Delivery, Left, Sent, ToHost
from lastcard.table.outbox import Outbox
from lastcard.table.ports import Bus, Clock, SessionEncoder
from lastcard.table.refusals import TransportReason
from lastcard.table.round_trips import RoundTrips
from lastcard.table.said import Ending, HeartbeatReply, Refusal, Said

FREE_ACTS = 8
"""Answers to one open decision that never count as flooding: three refusals and some calls and catches."""

MOST_EARLY = 1_024
"""Messages about tables that are kept until a stream has been told where it has seats."""

TABLES_REMEMBERED = 256
"""Ended tables of which a stream still takes answers, to tell it that they are over."""


class Hub(Protocol):
    """What a stream needs of all streams together."""

    busy: bool
    """Whether so much comes in that frames should be few."""

    heard: int
    """Messages for tables that came since the last tick."""

    def flush_soon(self, session: "Session") -> None:
        """The stream has something that may wait a little."""

    def watch_blocked(self, session: "Session") -> None:
        """The stream cannot be written at the moment, and a decision or more than is kept for a reader waits."""


class _AtTable:
    """A table at which the bot has a seat: its open decisions, with the answers that came to each."""

    __slots__ = ("closed", "open")

    def __init__(self) -> None:
        self.open: dict[int, list[int]] = {}
        """By decision: answers so far, and 1 when it counts among those open at once."""
        self.closed = False


class Session:
    """One stream from `Hello` to its end."""

    def __init__(
        self,
        *,
        greeting: Greeting,
        address: str,
        number: int,
        hub: Hub,
        bus: Bus,
        clock: Clock,
        encoder: SessionEncoder,
        limits: Limits,
        write: Callable[[bytes], Awaitable[None]],
    ) -> None:
        self.identity = greeting.identity
        self.bot = greeting.bot
        self.address = address
        self.number = number
        self.greeting = greeting
        self.ended: asyncio.Future[Ending] = asyncio.get_running_loop().create_future()
        self._is_over = False
        self._hub = hub
        self._bus = bus
        self._clock = clock
        self._encoder = encoder
        self.limits = limits
        self._backlog = Backlog(limits.outbox_bytes)
        self._most_waiting = limits.outbox_bytes
        self._write = write
        self._most_open = greeting.max_open_decisions
        self._open_count = 0
        self._held: deque[Delivery] = deque()
        self._tables: dict[str, _AtTable] = {}
        self._early: list[Said] | None = []
        """What the bot has said about tables before it was told where it has seats; `None` once that is told."""
        self._outbox = Outbox(encoder.late_decision)
        self._waiter: asyncio.Future[None] | None = None
        self._urgent = False
        self._writing = False
        self.is_lazy = False
        """Whether it is among those that are flushed soon."""
        self._allowance = Allowance(clock())
        self.trips = RoundTrips()

    # ------------------------------------------------------------------ to the bot

    def take(self, delivery: Delivery) -> None:
        """Takes mail of a host; what cannot wait wakes the writer."""
        if self._is_over:
            return
        kind = delivery.kind
        outbox = self._outbox
        if kind is Body.EVENTS or kind is Body.NOTICE:
            # What each seat gets with each move: the outbox's `add` and `_wait_for_company` without their calls.
            item = delivery.item
            outbox.items.append(item)
            outbox.bytes += len(item)
            if not (self._urgent or self.is_lazy):
                self._wait_for_company()
        elif kind is Body.DECISION:
            self._ask(delivery)
        elif kind is Body.ACT_RESULT:
            self._judge(delivery)
        elif kind is Body.DECISION_CLOSED:
            self._withdraw(delivery)
        elif kind is Body.ATTACHED:
            early, self._early = self._early, None
            self.hear(early or ())
        else:
            outbox.add(delivery.item)
            if kind is Body.SEATED:
                self._tables[delivery.table_id] = _AtTable()
            elif kind is Body.CLOSED:
                self._close_table(delivery.table_id)
            self.wake()
        if outbox.bytes > self._most_waiting:
            self._check_backlog()

    def _judge(self, delivery: Delivery) -> None:
        self._outbox.add(delivery.item)
        if delivery.closes:
            self._close_decision(delivery.table_id, delivery.decision_id)
            if self._hub.busy:
                # The server has more to do than it can: a frame for this alone would only make others wait longer.
                self._wait_for_company()
                return
        self.wake()

    def _wait_for_company(self) -> None:
        if not (self._urgent or self.is_lazy):
            self.is_lazy = True
            self._hub.flush_soon(self)

    def send(self, item: bytes) -> None:
        """Sends an item of the session's own at once."""
        if not self._is_over:
            self._outbox.add(item)
            self.wake()
            if self._outbox.bytes > self._most_waiting:
                self._check_backlog()

    def _ask(self, delivery: Delivery) -> None:
        at_table = self._tables.get(delivery.table_id)
        if at_table is None:
            return
        standing = delivery.limit_ms == STANDING
        known = at_table.open.get(delivery.decision_id)
        counts = not standing and known is None
        if counts and self._most_open and self._open_count >= self._most_open:
            self._held.append(delivery)
            return
        if known is None:
            at_table.open[delivery.decision_id] = [0, int(counts)]
            self._open_count += counts
        # While nothing is being written it leaves at once, so when it was released matters only otherwise.
        self._outbox.add_decision(delivery, self._clock() if self._writing else 0, delivery.started_ms)
        if self._writing:
            self._hub.watch_blocked(self)
        self.wake()

    def _withdraw(self, delivery: Delivery) -> None:
        if self._held and self._drop_held(delivery.table_id, delivery.decision_id):
            return  # the bot has never heard of it
        self._outbox.add(delivery.item)
        self._close_decision(delivery.table_id, delivery.decision_id)
        self.wake()

    def _drop_held(self, table_id: str, decision_id: int) -> bool:
        """Drops a decision that is held back; whether there was one."""
        for held in self._held:
            if held.decision_id == decision_id and held.table_id == table_id:
                self._held.remove(held)
                return True
        return False

    def _close_decision(self, table_id: str, decision_id: int) -> None:
        at_table = self._tables.get(table_id)
        closed = None if at_table is None else at_table.open.pop(decision_id, None)
        if closed is None:
            # An answer that names no decision may answer one that is held back.
            self._drop_held(table_id, decision_id)
        elif closed[1]:
            self._open_count -= 1
            self._release_held()

    def _release_held(self) -> None:
        while self._held and self._open_count < self._most_open:
            self._ask(self._held.popleft())

    def _close_table(self, table_id: str) -> None:
        at_table = self._tables.get(table_id)
        if at_table is None:
            return
        at_table.closed = True
        self._held = deque(held for held in self._held if held.table_id != table_id)
        for decision_id in list(at_table.open):
            self._close_decision(table_id, decision_id)
        if len(self._tables) > TABLES_REMEMBERED:
            ended = [name for name, at_table in self._tables.items() if at_table.closed]
            for name in ended[:-TABLES_REMEMBERED]:
                del self._tables[name]

    def _check_backlog(self) -> None:
        """Has a stream watched that is behind: one that reads may be for a while, one that has stopped is ended."""
        if self._backlog.is_beyond_a_burst(self._outbox.bytes, len(self._tables)):
            self._end_as_too_slow()
        else:
            self._hub.watch_blocked(self)
            self.wake()

    def _end_as_too_slow(self) -> None:
        sentence = (
            f"{self._outbox.bytes} bytes wait to be read, more than the {self._most_waiting} that are kept for a "
            "reader that has stopped; read faster and resume with the last numbers seen"
        )
        self.end(Ending(TransportReason.READER_TOO_SLOW, sentence))

    def look(self) -> bool:
        """Looks at a stream that cannot be written: starts clocks, ends what is stalled; whether to look again."""
        unstarted = self._start_overdue()
        if self._backlog.has_stopped(self._outbox.bytes):
            self._end_as_too_slow()
        return unstarted or self._outbox.bytes > self._most_waiting

    def _start_overdue(self) -> bool:
        """Starts the clocks of decisions that have waited too long for the writer; whether others still wait."""
        now = self._clock()
        overdue = self._outbox.overdue(now)
        if overdue:
            self._report_sent(overdue, now)
        return self._outbox.has_unstarted()

    def start_clocks(self) -> None:
        """Starts the clocks of all decisions that wait for the writer, since another stream takes this one's place.

        Otherwise a bot that does not read could stop time by coming again and again, each time a little too early.
        """
        now = self._clock()
        waiting = self._outbox.unstarted(now)
        if waiting:
            self._report_sent(waiting, now)

    # ------------------------------------------------------------------ writing

    def wake(self) -> None:
        """Has the writer write all that waits."""
        self._urgent = True
        waiter = self._waiter
        if waiter is not None and not waiter.done():
            waiter.set_result(None)

    def wake_if_waiting(self) -> None:
        """Has the writer write what could wait a little, if it has not left meanwhile."""
        self.is_lazy = False
        if self._outbox and not self._urgent:
            self.wake()

    async def write_all(self) -> None:
        """The writer task: writes frames until the session has ended and all is written, or the stream breaks."""
        loop = asyncio.get_running_loop()
        while True:
            if not self._urgent:
                if self.ended.done():
                    return
                self._waiter = loop.create_future()
                await self._waiter
                self._waiter = None
            await self._write_frame()

    async def _write_frame(self) -> None:
        now = self._clock()
        frame, started = self._outbox.pack(now)
        self._urgent = bool(self._outbox)
        if self._urgent and self._outbox.has_unstarted():
            # More than a frame's worth: what is left must not wait for the write of this one without a clock.
            self._hub.watch_blocked(self)
        if started:
            # Told before the write: an answer may be read before the write has returned here.
            self._report_sent(started, now)
        if frame:
            self._writing = True
            await self._write(frame)
            self._writing = False
            self._backlog.written += 1

    def _report_sent(self, decisions: list[Delivery], now: int) -> None:
        self._bus.to_hosts([Sent(table, self.identity, number, now) for _, _, table, _, number, *_ in decisions])

    def say_farewell(self) -> None:
        """Has the writer write what is left and stop; a stream that was replaced is told nothing but that.

        The reason goes out as a message too: a gRPC client that is writing just now may not get to see the status.
        """
        reason, sentence, retry_after_ms = self.ended.result()
        if reason is TransportReason.SESSION_REPLACED:
            self._outbox.clear()
        if reason not in (None, TransportReason.DRAINING):
            self._outbox.add(self._encoder.refused(reason, sentence, "", retry_after_ms))
        self.wake()

    # ------------------------------------------------------------------ from the bot

    def hear(self, messages: Sequence[Said]) -> None:
        """Takes the messages of one frame."""
        mail: list[ToHost] = []
        for message in messages:
            if isinstance(message, Acted):
                self._hear_act(message, mail)
            elif isinstance(message, Ending):
                self._bus.to_hosts(mail)
                self.end(message)
                return
            elif isinstance(message, HeartbeatReply):
                self._hear_reply(message)
            elif isinstance(message, Refusal):
                self._hear_nonsense(message)
            elif self._allow(message.table_id, 0):
                self._hear_about_table(message, mail)
        if mail and not self._is_over:
            self._hub.heard += len(mail)
            self._bus.to_hosts(mail)

    def _hear_act(self, act: Acted, mail: list[ToHost]) -> None:
        at_table = self._tables.get(act.table_id)
        known = None if at_table is None else at_table.open.get(act.decision_id)
        if known is not None:
            known[0] += 1
            if known[0] <= FREE_ACTS:
                mail.append(act)
                return
        if at_table is None and self._early is not None and len(self._early) < MOST_EARLY:
            self._early.append(act)
            return
        if not self._allow(act.table_id, act.decision_id):
            return
        if at_table is None:
            sentence = f"there is no table {act.table_id!r} at which this bot has a seat; answer decisions as they come"
            self.send(self._encoder.act_refused(act.table_id, act.decision_id, TransportReason.UNKNOWN_TABLE, sentence))
            return
        mail.append(act)

    def _hear_about_table(self, message: Left | Acknowledged, mail: list[ToHost]) -> None:
        at_table = self._tables.get(message.table_id)
        if at_table is not None and isinstance(message, Acknowledged) and not at_table.closed:
            # Forgotten, its decisions would reach nobody, and no clock would run for them.
            sentence = f"table {message.table_id} is not over; acknowledge TableClosed when it has come, or send Leave"
            self._refuse(TransportReason.INVALID_ARGUMENT, sentence, message.table_id)
        elif at_table is not None:
            if isinstance(message, Acknowledged):
                del self._tables[message.table_id]
            mail.append(message)
        elif self._early is not None and len(self._early) < MOST_EARLY:
            self._early.append(message)
        elif isinstance(message, Left):
            sentence = f"there is no table {message.table_id!r} at which this bot has a seat, so it cannot be left"
            self._refuse(TransportReason.UNKNOWN_TABLE, sentence, message.table_id)

    def _hear_reply(self, reply: HeartbeatReply) -> None:
        if not self.trips.is_answered(reply.number, self._clock()):
            self._allow("", 0)

    def _hear_nonsense(self, refusal: Refusal) -> None:
        if not self._allow(refusal.table_id, refusal.decision_id):
            return
        if refusal.decision_id:
            self.send(
                self._encoder.act_refused(refusal.table_id, refusal.decision_id, refusal.reason, refusal.sentence)
            )
        else:
            self._refuse(refusal.reason, refusal.sentence, refusal.table_id)

    def _allow(self, table_id: str, decision_id: int) -> bool:
        """Counts a message that answers nothing; a refusal is told, and too many of them end the stream."""
        wait_ms = self._allowance.take(self._clock())
        if not wait_ms:
            return True
        sentence = f"too many messages that answer no open decision; wait {wait_ms} ms, or for the next decision"
        if self._allowance.is_exhausted():
            self.end(Ending(TransportReason.TOO_FAST, sentence, wait_ms))
        elif decision_id:
            self.send(self._encoder.act_refused(table_id, decision_id, TransportReason.TOO_FAST, sentence))
        else:
            self._refuse(TransportReason.TOO_FAST, sentence, table_id, wait_ms)
        return False

    def _refuse(self, reason: TransportReason, sentence: str, table_id: str, retry_after_ms: int | None = None) -> None:
        self.send(self._encoder.refused(reason, sentence, table_id, retry_after_ms))

    # ------------------------------------------------------------------ life

    def beat(self) -> None:
        """Sends a heartbeat."""
        self.send(self._encoder.heartbeat(self.trips.beat(self._clock())))

    def end_with(self, reason: TransportReason, sentence: str) -> None:
        """Ends the stream for a reason of the server's, for the first one given."""
        self.end(Ending(reason, sentence))

    def end(self, ending: Ending) -> None:
        """Ends the stream, for the first reason given."""
        self._is_over = True
        if not self.ended.done():
            self.ended.set_result(ending)

    def forget(self) -> None:
        """Drops what nobody will read any more: the call of a peer that reads nothing may stay open after its end."""
        self._outbox.clear()
        self._held.clear()
        self._tables.clear()
