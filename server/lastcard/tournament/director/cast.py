"""All bots of an event: a competitor for each at each arena, with as many instances as it needs there.

Here: `Cast`. Not here: one bot (`competitor`), its instances (`copies`, `remote`), the games (`event`). May import the
standard library, the pure modules of `tournament`, `ports`, and those.
"""

import asyncio
from collections.abc import Sequence

from lastcard.tournament.director.competitor import Competitor
from lastcard.tournament.director.copies import Copy
from lastcard.tournament.director.guard import Guard
from lastcard.tournament.director.instance import Instance, Reports, Stage
from lastcard.tournament.director.probe import Probe
from lastcard.tournament.director.remote import Remote
from lastcard.tournament.entries import BotEntry
from lastcard.tournament.file import TournamentFile
from lastcard.tournament.passes import Passes
from lastcard.tournament.ports import ArenaPort
from lastcard.tournament.results import Results


class Cast:
    """The bots of an event, by name and number of the arena, from 0."""

    def __init__(self, file: TournamentFile, results: Results, arenas: Sequence[ArenaPort], reports: Reports) -> None:
        self._file = file
        self._results = results
        self._arenas = arenas
        self._reports = reports
        self._passes = Passes(results.directory)
        probe = Probe(file)
        self._competitors: dict[tuple[str, int], Competitor] = {}
        for bot in file.bots:
            for number, arena in enumerate(arenas):
                competitor = self._competitors[bot.name, number] = Competitor(bot.name, arena, reports, probe)
                if bot.is_program:
                    competitor.serve_by(self._instances(bot, number, competitor))

    def tokens(self) -> list[str]:
        """The tokens of remote bots that an earlier run has handed out, which stay valid."""
        remote = {bot.name for bot in self._file.bots if bot.remote}
        return [made.token for made in self._passes.all() if made.bot in remote]

    def start(self, guard: Guard, group: asyncio.TaskGroup) -> None:
        """See to all bots from now on, in tasks of a group."""
        clock = self._file.clock
        stage = Stage(guard, self._results.mark, clock.start_up_ms, clock.grace_ms)
        for (name, _), competitor in self._competitors.items():
            group.create_task(competitor.supervise(stage), name=f"bot {name}")

    def settled(self, name: str, arena: int) -> asyncio.Event:
        """That games with a bot can be begun at an arena."""
        return self._competitors[name, arena].settled

    def set_aside(self, name: str) -> None:
        """A bot plays no more."""
        for number in range(len(self._arenas)):
            self._competitors[name, number].set_aside()

    def end_probes(self) -> None:
        """Leave the health probes that go on."""
        for competitor in self._competitors.values():
            competitor.end_probe()

    def end(self) -> None:
        """End all bots for good, politely."""
        for competitor in self._competitors.values():
            competitor.end()

    # ------------------------------------------------------------------ instances

    def _instances(self, bot: BotEntry, arena: int, competitor: Competitor) -> list[Instance]:
        """The instances of a bot at an arena; they are numbered over all arenas."""
        arenas = len(self._arenas)
        count = instances_at(bot, self._file.concurrency, arena, arenas)
        numbers = [arena + place * arenas + 1 for place in range(count)]
        if bot.remote:
            return [
                Remote(
                    bot,
                    number=number,
                    arena=self._arenas[arena],
                    passes=self._passes,
                    reports=self._reports,
                    changed=competitor.look,
                )
                for number in numbers
            ]
        total = sum(instances_at(bot, self._file.concurrency, each, arenas) for each in range(arenas))
        return [
            Copy(
                bot,
                number=number,
                copies=total,
                arena=self._arenas[arena],
                log=self._results.log(bot.name, number - 1),
                reports=self._reports,
                changed=competitor.look,
            )
            for number in numbers
        ]


def instances_at(bot: BotEntry, games_at_once: int, arena: int, arenas: int) -> int:
    """How many instances a bot has at one of several arenas, which share games and copies as evenly as can be."""
    if bot.copies:
        return max(1, bot.copies // arenas + (arena < bot.copies % arenas))
    return bot.instances(-(-games_at_once // arenas))
