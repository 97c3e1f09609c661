"""All streams of bots that dialled in here.

Here: `Sessions`: who has a stream, heartbeats, the ticks for what may wait, draining. Not here: one stream's messages
(`session`), tables (`host`, reached by the bus alone), gRPC (`services`). Knows asyncio.
"""

import asyncio
from collections.abc import Awaitable, Callable
from itertools import count
from typing import Protocol

from lastcard.table.greeting import Greeting, Limits
from lastcard.table.mail import Attach, Detach
from lastcard.table.ports import Bus, Clock, SessionEncoder
from lastcard.table.refusals import DomainError, TransportReason
from lastcard.table.said import Ending
from lastcard.table.session import Session

LAZY_S = 0.020
"""How long events wait for company when no decision, result or end takes them along (architecture section 3)."""

OVERDUE_S = 0.050
"""How often streams that cannot be written are looked at: half of what a decision may wait."""

BUSY_PER_TICK = 40
"""Messages in a tick of `LAZY_S` from which on frames should be few: 2,000 a second."""

HEARTBEAT_SLOTS = 16
"""Heartbeats are spread over the interval, so that a thousand streams do not wake up together."""


class Addresses(Protocol):
    """Where the bus delivers to."""

    def join(self, address: str, receiver: Session) -> None:
        """Mail to `address` goes to `receiver` from now on."""

    def leave(self, address: str) -> None:
        """Mail to `address` is dropped from now on."""


class Sessions:
    """The streams by identity, and what concerns all of them."""

    def __init__(
        self, *, clock: Clock, bus: Bus, addresses: Addresses, encoder: SessionEncoder, limits: Limits, run_id: str
    ) -> None:
        self.limits = limits
        self.draining = False
        self._clock = clock
        self._bus = bus
        self._addresses = addresses
        self._encoder = encoder
        self._run_id = run_id
        self._by_identity: dict[str, Session] = {}
        self._numbers = count(1)
        self.busy = False
        """Whether so much comes in that frames should be few."""
        self.heard = 0
        """Messages for tables that came since the last tick."""
        self._lazy: set[Session] = set()
        self._blocked: set[Session] = set()
        self._lazy_timer: asyncio.TimerHandle | None = None
        self._blocked_timer: asyncio.TimerHandle | None = None
        self._beat_timer: asyncio.TimerHandle | None = None
        self._slot = 0

    def start(self) -> None:
        """Begins with heartbeats."""
        self._beat()

    def stop(self) -> None:
        """Ends all timers."""
        for timer in (self._lazy_timer, self._blocked_timer, self._beat_timer):
            if timer is not None:
                timer.cancel()

    def __len__(self) -> int:
        return len(self._by_identity)

    def open(self, greeting: Greeting, write: Callable[[bytes], Awaitable[None]]) -> Session:
        """Opens a session on a stream that said `Hello`; an earlier stream of the same identity ends.

        Raises:
            DomainError: DRAINING, LIMIT_REACHED.
        """
        self.check_room(greeting.identity)
        number = next(self._numbers)
        session = Session(
            greeting=greeting,
            address=f"{self._run_id}-{number}",
            number=number,
            hub=self,
            bus=self._bus,
            clock=self._clock,
            encoder=self._encoder,
            limits=self.limits,
            write=write,
        )
        replaced = self._by_identity.get(greeting.identity)
        self._by_identity[greeting.identity] = session
        if replaced is not None:
            self._addresses.leave(replaced.address)
            replaced.start_clocks()
            sentence = "another stream with the same identity has taken over; do not reconnect from here"
            replaced.end(Ending(TransportReason.SESSION_REPLACED, sentence))
        self._addresses.join(session.address, session)
        most = min(greeting.max_tables or self.limits.max_tables, self.limits.max_tables)
        session.send(self._encoder.welcome(session.address, greeting, self.limits, most))
        self._bus.to_hosts(
            [
                Attach(
                    identity=greeting.identity,
                    bot=greeting.bot,
                    shared=greeting.shared,
                    address=session.address,
                    decisions_only=greeting.decisions_only,
                    max_tables=most,
                    cursors=greeting.cursors,
                    version=greeting.version,
                )
            ]
        )
        return session

    def check_room(self, identity: str = "") -> None:
        """Checks that a stream may open; one that takes an earlier one's place needs no more room.

        Raises:
            DomainError: DRAINING, LIMIT_REACHED.
        """
        if self.draining:
            raise DomainError(
                TransportReason.DRAINING, "the server is shutting down; reconnect later", retry_after_ms=1_000
            )
        if len(self._by_identity) >= self.limits.max_streams and identity not in self._by_identity:
            sentence = f"{self.limits.max_streams} streams are open, which is the most that this server serves"
            raise DomainError(TransportReason.LIMIT_REACHED, sentence, retry_after_ms=5_000)

    def close(self, session: Session) -> None:
        """Takes note that a stream is over, however that came about; a newer one of the identity is left alone."""
        session.end(Ending(None))
        session.forget()
        self._lazy.discard(session)
        self._blocked.discard(session)
        self._addresses.leave(session.address)
        if self._by_identity.get(session.identity) is session:
            del self._by_identity[session.identity]
        self._bus.to_hosts([Detach(session.identity, session.address)])

    def end_identity(self, identity: str, ending: Ending) -> None:
        """Ends the stream of an identity, if it has one."""
        session = self._by_identity.get(identity)
        if session is not None:
            session.end(ending)

    def drain(self, time_left_ms: int) -> None:
        """Tells every stream that the server is shutting down, and ends it; new ones are refused."""
        self.draining = True
        for session in list(self._by_identity.values()):
            session.send(self._encoder.draining(time_left_ms))
            session.end(Ending(TransportReason.DRAINING, "the server is shutting down; reconnect later", 1_000))

    # ------------------------------------------------------------------ what a session needs of all

    def flush_soon(self, session: Session) -> None:
        """The stream has something that may wait a little."""
        self._lazy.add(session)
        if self._lazy_timer is None:
            self._lazy_timer = asyncio.get_running_loop().call_later(LAZY_S, self._flush_lazy)

    def _flush_lazy(self) -> None:
        self._lazy_timer = None
        self.busy, self.heard = self.heard >= BUSY_PER_TICK, 0
        lazy, self._lazy = self._lazy, set()
        for session in lazy:
            session.wake_if_waiting()

    def watch_blocked(self, session: Session) -> None:
        """The stream cannot be written at the moment, and a decision or more than is kept for a reader waits."""
        self._blocked.add(session)
        if self._blocked_timer is None:
            self._blocked_timer = asyncio.get_running_loop().call_later(OVERDUE_S, self._look_at_blocked)

    def _look_at_blocked(self) -> None:
        self._blocked_timer = None
        blocked, self._blocked = self._blocked, set()
        for session in blocked:
            if not session.ended.done() and session.look():
                self.watch_blocked(session)

    def _beat(self) -> None:
        self._slot = (self._slot + 1) % HEARTBEAT_SLOTS
        for session in list(self._by_identity.values()):
            if session.number % HEARTBEAT_SLOTS == self._slot:
                session.beat()
        pause_s = self.limits.heartbeat_ms / 1000 / HEARTBEAT_SLOTS
        self._beat_timer = asyncio.get_running_loop().call_later(pause_s, self._beat)
