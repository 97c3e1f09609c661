"""A bot in the event, at one of its arenas: all its instances, and whether it can be seated.

Here: `Competitor`. Not here: one instance (`copies`, `remote`), the probe's game (`probe`), how failures count
(`conduct`), the games (`event`). May import the standard library, the pure modules of `tournament`, `ports`,
`instance` and `probe`.
"""

import asyncio
from collections.abc import Callable, Sequence

from lastcard.tournament.director.instance import Instance, Reports, Stage
from lastcard.tournament.director.probe import Probe
from lastcard.tournament.ports import ArenaPort


class Competitor:
    """One bot at one arena; `settled` is set while games with it can be begun there.

    That is so while one of its instances is connected and the bot has passed the health probe; when it is remote and
    was waited for in vain; and when it is set aside and will not come any more. A builtin can always play.
    """

    def __init__(self, name: str, arena: ArenaPort, reports: Reports, probe: Probe) -> None:
        self.name = name
        self.settled = asyncio.Event()
        self.settled.set()
        self.instances: Sequence[Instance] = ()
        self._arena = arena
        self._reports = reports
        self._probe = probe
        self._is_wanted = True
        self._is_checked = False
        self._moved = asyncio.Event()
        self._health: asyncio.Task[None] | None = None

    def serve_by(self, instances: Sequence[Instance]) -> None:
        """The bot comes from outside, by these instances; `look` is to be told of their changes."""
        self.instances = instances
        self.look()

    async def supervise(self, stage: Stage) -> None:
        """See to the bot's instances until the event ends or the bot is set aside."""
        if not self.instances or not self._is_wanted:
            return
        async with asyncio.TaskGroup() as group:
            for instance in self.instances:
                group.create_task(instance.run_on(stage))
            self._health = group.create_task(self._check_health())

    def end(self) -> None:
        """End the bot's instances for good, politely."""
        self.end_probe()
        for instance in self.instances:
            instance.end()

    def end_probe(self) -> None:
        """Leave the health probe, if it goes on: its arena is about to stand still."""
        if self._health is not None:
            self._health.cancel()

    def set_aside(self) -> None:
        """End the bot's instances at once; they are not begun again."""
        self._is_wanted = False
        self.settled.set()
        self.end_probe()
        for instance in self.instances:
            instance.drop()

    def look(self) -> None:
        """One of the instances has changed."""
        self._moved.set()
        is_up = any(instance.is_up for instance in self.instances)
        is_given_up = not is_up and all(instance.is_given_up for instance in self.instances)
        if not self._is_wanted or is_given_up or (is_up and self._is_checked):
            self.settled.set()
        else:
            self.settled.clear()

    async def _check_health(self) -> None:
        """Have the bot play a probe until it passes; what it does wrong is a failure, and its programs start anew."""
        while True:
            await self._until(self._is_complete)
            troubles = self._reports.troubles(self.name)
            present = [instance for instance in self.instances if instance.is_up]
            problem = await self._probe.problem(self._arena, self.name, len(present))
            if problem is None:
                self._is_checked = True
                self.look()
                return
            self._reports.fail(self.name, f"failed the health probe: {problem}", troubles)
            for instance in present:
                instance.restart()

    def _is_complete(self) -> bool:
        """Whether somebody is there, and nobody is waited for who has not had his chance."""
        there = [instance.is_up for instance in self.instances]
        return any(there) and all(instance.was_tried for instance in self.instances)

    async def _until(self, holds: Callable[[], bool]) -> None:
        while not holds():
            self._moved.clear()
            await self._moved.wait()
