"""What hosts and sessions need of the world, as protocols.

Here: encoder, bus, store, builtins, clock. Not here: anything that implements them (`services`, `bus`, `store`; `app`
puts them together). May import only this layer and `lastcard.rules`.
"""

from collections.abc import Callable, Sequence
from typing import Protocol

from lastcard.rules.events import Event
from lastcard.rules.view import View
from lastcard.table.effects import Announce, Ask, Receipt, Verdict, Withdraw
from lastcard.table.greeting import Greeting, Limits
from lastcard.table.journal import Entry
from lastcard.table.mail import Delivery, ToHost
from lastcard.table.plan import TablePlan, TableResult
from lastcard.table.seats import SeatState

Clock = Callable[[], int]
"""The time in unix milliseconds, never going back."""


class TableEncoder(Protocol):
    """Writes one table's messages as items of play streams' frames (`mail.Delivery.item`)."""

    def event(self, sequence: int, event: Event) -> bytes:
        """An event with its number, as an entry for `events`."""

    def events(self, entries: Sequence[bytes]) -> bytes:
        """Several events in order."""

    def view(self, view: View) -> bytes:
        """The body of a view, for answers to single calls."""

    def snapshot(self, sequence: int, view: View) -> bytes:
        """What a viewer may see at a number."""

    def decision(self, ask: Ask, sequence: int, view: View) -> bytes:
        """A question to a seat."""

    def decision_closed(self, withdraw: Withdraw) -> bytes:
        """That a question needs no answer any more."""

    def verdict(self, verdict: Verdict) -> bytes:
        """The verdict on an answer."""

    def notice(self, announce: Announce) -> bytes:
        """A notice."""

    def seated(
        self, seat: int, seats: Sequence[SeatState], last_sequence: int, resumed: bool, receipt: Receipt | None
    ) -> bytes:
        """That a bot has a seat."""

    def closed(self, result: TableResult, receipt: Receipt | None) -> bytes:
        """That the table is over."""

    def refused(self, reason: int, sentence: str) -> bytes:
        """That something about the table was refused which is no answer."""


class Encoder(Protocol):
    """Makes the encoder of a table."""

    def table(self, table_id: str, plan: TablePlan) -> TableEncoder:
        """The encoder of one table."""

    def refused(self, reason: int, sentence: str, table_id: str) -> bytes:
        """That something else than an answer was refused."""


class SessionEncoder(Protocol):
    """Writes what concerns no table as items; a frame is items joined."""

    def late_decision(self, item: bytes, time_left_ms: int) -> bytes:
        """The item of a decision with less time left than it says."""

    def welcome(self, session_id: str, greeting: Greeting, limits: Limits, max_tables: int) -> bytes:
        """The item that answers `Hello`."""

    def heartbeat(self, number: int) -> bytes:
        """The item of a heartbeat."""

    def draining(self, time_left_ms: int) -> bytes:
        """The item that tells that the server is shutting down."""

    def refused(self, reason: int, sentence: str, table_id: str, retry_after_ms: int | None = None) -> bytes:
        """The item that refuses something else than an answer."""

    def act_refused(self, table_id: str, decision_id: int, reason: int, sentence: str) -> bytes:
        """The item that refuses an answer that no table has seen."""


class Bus(Protocol):
    """Carries mail between sessions and hosts, in batches and in order."""

    def to_hosts(self, batch: Sequence[ToHost]) -> None:
        """Mail of a session to the hosts concerned."""

    def to_sessions(self, batch: Sequence[Delivery]) -> None:
        """Mail of a host to sessions; for an address that is gone it is dropped."""


class Store(Protocol):
    """Keeps what must outlive the process."""

    def append(self, entries: Sequence[Entry], then: Callable[[], None]) -> None:
        """Writes entries after all earlier ones; `then` is called in the event loop once they are durable.

        Calls of `then` come in the order of `append`.
        """


class Builtins(Protocol):
    """The bots that come with the server."""

    names: tuple[str, ...]

    def is_quick(self, name: str) -> bool:
        """Whether a choice takes so little time that the event loop may wait for it."""

    def choose(self, name: str, decision: bytes) -> tuple[int, bool, tuple[int, ...]]:
        """The answer to a decision (the item of a `DECISION`): index, UNO call, seats to catch."""
