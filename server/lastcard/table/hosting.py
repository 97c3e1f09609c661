"""Host, sessions and desk of one process, put together over one bus and begun from what the store remembers.

Here: `Hosting`. Not here: what they do (`host`, `sessions`, `desk`), gRPC (`services`), the store, the bus and the
clock, which are given. Arenas and simulations are both made of it, so that what is simulated is what runs.
"""

from collections.abc import Callable, Sequence
from typing import Protocol

from lastcard.table.desk import Desk
from lastcard.table.greeting import Limits
from lastcard.table.host import Host
from lastcard.table.journal import Remembered
from lastcard.table.mail import Delivery, ToHost
from lastcard.table.ports import Builtins, Bus, Clock, Encoder, SessionEncoder, Store
from lastcard.table.restart import note_checkpoints, take_up
from lastcard.table.sessions import Sessions

NOTHING = Remembered()
"""What a new store remembers."""


class Receiver(Protocol):
    """Whoever has an address."""

    def take(self, delivery: Delivery) -> None:
        """Takes one delivery."""


class ProcessBus(Bus, Protocol):
    """A bus within one process: it also knows who takes what."""

    def serve(self, host: Callable[[Sequence[ToHost]], None]) -> None:
        """Names who takes mail to hosts."""

    def join(self, address: str, receiver: Receiver) -> None:
        """Mail to `address` goes to `receiver` from now on."""

    def leave(self, address: str) -> None:
        """Mail to `address` is dropped from now on."""


class Hosting:
    """All of an arena but its doors; it runs in one event loop.

    Raises (from `start`):
        StoredPlanError: what the store remembers cannot be read.
    """

    def __init__(
        self,
        *,
        clock: Clock,
        tables: Encoder,
        streams: SessionEncoder,
        bus: ProcessBus,
        store: Store,
        builtins: Builtins,
        limits: Limits,
        failed: Callable[[str, Exception], None],
        run_id: str,
        remembered: Remembered,
        most_tables: int = 100_000,
        recovery_grace_ms: int = 30_000,
    ) -> None:
        self.sessions = Sessions(clock=clock, bus=bus, addresses=bus, encoder=streams, limits=limits, run_id=run_id)
        self.host = Host(
            clock=clock,
            encoder=tables,
            bus=bus,
            store=store,
            builtins=builtins,
            failed=failed,
            most_tables=most_tables,
            first_number=remembered.next_number,
        )
        bus.serve(self.host.receive)
        self._bus = bus
        self.desk = Desk(self.host, bus, clock, run_id)
        self._clock = clock
        self._encoder = tables
        self._remembered = remembered
        self._recovery_grace_ms = recovery_grace_ms
        self._suspended = False

    def start(self) -> None:
        """Takes up what the store remembers and begins with heartbeats.

        Raises:
            StoredPlanError: the store is damaged.
        """
        take_up(self.host, self._encoder, self._remembered, self._recovery_grace_ms, self._clock())
        self._remembered = NOTHING
        self.sessions.start()

    def known_tables(self) -> tuple[str, ...]:
        """The ids of all tables, open or closed and not forgotten, of this run and of earlier ones."""
        dormant = self.host.dormant.ids() if self.host.dormant is not None else ()
        return (*self.host.tables, *dormant)

    def suspend(self) -> None:
        """Lets nothing more happen at any table: no clock runs out, and whoever goes away now is not missed.

        Where every table is, is noted, and everything is handed to the store.
        """
        if not self._suspended:
            self._suspended = True
            note_checkpoints(self.host)
            self.host.suspend()
            self._bus.serve(_hear_nothing)

    def stop(self) -> None:
        """Ends in good order: tables are suspended, and all timers end."""
        self.sessions.stop()
        self.suspend()


def _hear_nothing(batch: Sequence[ToHost]) -> None:
    """What comes now is as if it were still under way."""
