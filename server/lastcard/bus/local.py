"""The bus within one process: function calls.

Here: `LocalBus`. Not here: what the mail means (`table.mail`). May import only `lastcard.table`. Mail to an address
that is gone is dropped, as it would be between machines.
"""

from collections.abc import Callable, Sequence
from typing import Protocol

from lastcard.table.mail import Delivery, ToHost


class Receiver(Protocol):
    """Whoever has an address: a stream, a watcher, a call that waits."""

    def take(self, delivery: Delivery) -> None:
        """Takes one delivery."""


class LocalBus:
    """Calls the one host directly, and receivers by their address."""

    def __init__(self) -> None:
        self._receivers: dict[str, Receiver] = {}
        self._host: Callable[[Sequence[ToHost]], None] | None = None

    def serve(self, host: Callable[[Sequence[ToHost]], None]) -> None:
        """Names who takes mail to hosts."""
        self._host = host

    def join(self, address: str, receiver: Receiver) -> None:
        """Mail to `address` goes to `receiver` from now on."""
        self._receivers[address] = receiver

    def leave(self, address: str) -> None:
        """Mail to `address` is dropped from now on."""
        self._receivers.pop(address, None)

    def to_hosts(self, batch: Sequence[ToHost]) -> None:
        """Mail of a session to the hosts concerned."""
        if self._host is not None:
            self._host(batch)

    def to_sessions(self, batch: Sequence[Delivery]) -> None:
        """Mail of a host to sessions."""
        receivers = self._receivers
        for delivery in batch:
            for address in delivery[0]:
                receiver = receivers.get(address)
                if receiver is not None:
                    receiver.take(delivery)
