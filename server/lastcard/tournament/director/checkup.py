"""Only the health probe: the bots of a file are started, or waited for, and each plays its probe, once.

Here: `check_up`. Not here: the probe (`probe`), the bots (`cast`), an event (`event`). May import the standard library,
the pure modules of `tournament`, `ports`, `cast` and `guard`.
"""

import asyncio
from typing import NamedTuple

from lastcard.tournament import notices
from lastcard.tournament.director.cast import Cast
from lastcard.tournament.director.guard import Guard
from lastcard.tournament.director.waiting import first_of
from lastcard.tournament.file import TournamentFile
from lastcard.tournament.ports import ArenaPort, Observer
from lastcard.tournament.results import Results


class Health(NamedTuple):
    """How a bot is: how many of its processes came, and what it did wrong, `None` for nothing."""

    bot: str
    instances: int
    problem: str | None


class _Checks:
    """Takes down what bots do wrong; the first time is enough."""

    def __init__(self, observe: Observer) -> None:
        self.found: dict[str, str] = {}
        self.starts: dict[str, set[int]] = {}
        self.cast: Cast | None = None
        self._observe = observe

    def troubles(self, bot: str) -> int:
        """One trouble is all that counts."""
        return len(self.found.get(bot, ""))

    def fail(self, bot: str, why: str, troubles: int) -> None:  # noqa: ARG002 - the first one counts
        """A bot has done something wrong: it need not be looked at any longer."""
        if bot not in self.found:
            self.found[bot] = why
            self._observe(notices.BotFailed(bot, why, 1))
            assert self.cast is not None
            self.cast.set_aside(bot)

    def note(self, bot: str, what: str) -> None:
        """Nothing is counted but who came."""

    def ready(self, bot: str, starts: int, copy: int, version: str) -> None:  # noqa: ARG002 - versions are not kept
        """An instance has come."""
        self.starts.setdefault(bot, set()).add(copy)
        self._observe(notices.BotReady(bot, starts, copy))

    def tell(self, notice: notices.Notice) -> None:
        """Tell those who look on."""
        self._observe(notice)


async def check_up(
    file: TournamentFile, results: Results, arena: ArenaPort, observe: Observer, stop: asyncio.Event
) -> list[Health]:
    """Have all bots of a file play their probes, in a directory of their own; ends early when it is to stop."""
    checks = _Checks(observe)
    cast = checks.cast = Cast(file, results, (arena,), checks)
    async with Guard() as guard, asyncio.TaskGroup() as group:
        cast.start(guard, group)
        try:
            for bot in file.bots:
                await first_of(cast.settled(bot.name, 0), stop)
            return [_health(checks, bot.name, is_done=cast.settled(bot.name, 0).is_set()) for bot in file.bots]
        finally:
            cast.end_probes()
            await arena.suspend()
            cast.end()


def _health(checks: _Checks, name: str, *, is_done: bool) -> Health:
    problem = checks.found.get(name) or (None if is_done else "was not looked at to the end")
    return Health(name, len(checks.starts.get(name, ())), problem)
