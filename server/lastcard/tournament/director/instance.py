"""One instance of a bot in an event: a process that serves its seats at one arena, wherever it was started.

Here: what all instances have, and what they need. Not here: those that the event starts (`copies`), those that come
from elsewhere (`remote`), all of a bot together (`competitor`). May import the standard library, `notices` and `guard`.
"""

import asyncio
from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import NamedTuple, Protocol

from lastcard.tournament import notices
from lastcard.tournament.director.guard import Guard


class Reports(Protocol):
    """Who is told what bots' programs do; `failures.Failures` in an event."""

    def troubles(self, bot: str) -> int:
        """How often a bot's programs have failed by now."""

    def fail(self, bot: str, why: str, troubles: int) -> None:
        """A bot's program failed that was begun when there had been so many `troubles`; what it leads to is done."""

    def note(self, bot: str, what: str) -> None:
        """Something that is counted has happened to a bot (`conduct.COUNTS`)."""

    def ready(self, bot: str, starts: int, copy: int, version: str) -> None:
        """An instance of a bot has connected, after so many starts, and told its version."""

    def tell(self, notice: notices.Notice) -> None:
        """Those who look on are to know something."""


class Stage(NamedTuple):
    """Where the programs of an event run: the guard that ends them, what their marks begin with, how long they have to
    connect, and how long to come back.
    """

    guard: Guard
    mark: str
    start_up_ms: int
    grace_ms: int


class Instance(ABC):
    """An instance; `changed` is called whenever `is_up` or `was_tried` has changed."""

    def __init__(self, bot: str, number: int, reports: Reports, changed: Callable[[], None]) -> None:
        self.bot = bot
        self.number = number
        """From 1; over all arenas of the event."""
        self.is_up = False
        """Whether it is connected."""
        self.was_tried = False
        """Whether it was connected or has failed since it was begun: it need not be waited for."""
        self.is_given_up = False
        """Whether games are played without waiting for it, though it may still come."""
        self._reports = reports
        self._changed = changed
        self._ending = asyncio.Event()
        """Set when it is wanted no more."""

    @abstractmethod
    async def run_on(self, stage: Stage) -> None:
        """See to it until it is wanted no more."""

    def end(self) -> None:
        """It is wanted no more; it may say goodbye."""
        self._ending.set()

    def drop(self) -> None:
        """It is wanted no more, and ends at once."""
        self._ending.set()

    @abstractmethod
    def restart(self) -> None:
        """It does not do what it should: have it begun anew, where that can be done from here."""

    def _set_up(self, *, is_up: bool) -> None:
        self.is_up = is_up
        self.was_tried |= is_up
        self._changed()


async def first_done(*waits: "asyncio.Task[object]", timeout_s: float | None = None) -> None:
    """Wait until one of these tasks is done, or the time is over."""
    await asyncio.wait(waits, timeout=timeout_s, return_when=asyncio.FIRST_COMPLETED)


async def drop_tasks(*tasks: "asyncio.Task[object]") -> None:
    """Cancel tasks and wait for their ends."""
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
