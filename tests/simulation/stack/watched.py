"""Tables under watch: every command that any run of the server gives to a machine, and what came of it.

Here: `Truth`, `WatchedTable`. Not here: what must be true after each command (`invariants`), what was told to whom
(`ledger`).

A table that is taken up after a crash is played again from the beginning; what it does must be what it did, as far as
its commands were durable.
"""

from collections.abc import Callable
from typing import ClassVar, NamedTuple

from lastcard.table.commands import Command
from lastcard.table.effects import Closed, Effect
from lastcard.table.machine import Table
from lastcard.table.setup import TableSetup
from simulation.invariants import Watch, fingerprint


class Handled(NamedTuple):
    """A command with its time, the game ahead of it, and what it led to."""

    command: Command
    at_ms: int
    before: tuple[object, ...]
    effects: list[Effect]


class Truth:
    """All that happened to one table in the present run of the server, its past included."""

    def __init__(self, table: "WatchedTable") -> None:
        self.table = table
        self.watch = Watch(table)
        self.handled: list[Handled] = []
        self.durable: int | None = None
        """After a crash: how many commands were durable; `None` when not even the opening was."""


class WatchedTable(Table):
    """A machine that is looked at after every command."""

    __slots__ = ("truth",)

    registry: ClassVar["dict[bytes, Truth]"] = {}
    """The tables of a simulation by their salts, which are as different as their ids."""

    ended: Callable[[], None] = staticmethod(lambda: None)
    """Called when a machine comes to its end."""

    def __init__(self, setup: TableSetup) -> None:
        super().__init__(setup)
        self.truth = Truth(self)
        self.registry[setup.salt] = self.truth

    def handle(self, command: Command, now_ms: int) -> list[Effect]:
        """Handles a command and checks what came of it."""
        truth = self.truth
        handled = truth.handled
        assert not handled or now_ms >= handled[-1].at_ms, "the clock of the arena went back"
        before = fingerprint(self.state)
        effects = super().handle(command, now_ms)
        handled.append(Handled(command, now_ms, before, effects))
        truth.watch.check(command, before, effects, now_ms)
        if effects and type(effects[-1]) is Closed:
            self.ended()
        return effects
