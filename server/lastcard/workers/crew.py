"""The workers of one event: as many as are wanted, and those in whose stores games wait that an earlier run began.

Here: `crew`. Not here: one worker (`arena`), the event (`lastcard.tournament.director`). May import asyncio, settings
and `lastcard.tournament`.
"""

import asyncio
from collections.abc import AsyncIterator, Callable, Collection
from contextlib import asynccontextmanager
from dataclasses import replace

from lastcard.services.settings import Settings
from lastcard.tournament.director.game import game_of
from lastcard.tournament.results import Results
from lastcard.workers.arena import WorkerArena


@asynccontextmanager
async def crew(
    workers: int, results: Results, settings: Settings, finished: Collection[int], died: Callable[[str], None]
) -> AsyncIterator[list[WorkerArena]]:
    """The workers of an event, open while it is played: each with a store of its own and else with these settings.

    First come those that are wanted; then, of the stores of an earlier run that had more, those with games that are not
    `finished`.

    Raises:
        WorkerError: one of them cannot be started.
    """
    arenas = [
        WorkerArena(number + 1, replace(settings, data=results.store_of(number)), results.server_log, died)
        for number in range(max(workers, results.stores))
    ]
    try:
        started = await asyncio.gather(*(arena.start() for arena in arenas), return_exceptions=True)
        for error in started:
            if error is not None:
                raise error
        idle = [arena for arena in arenas[workers:] if {game_of(table) for table in arena.known} <= set(finished)]
        await asyncio.gather(*(arena.stop() for arena in idle))
        yield [arena for arena in arenas if arena not in idle]
    finally:
        await asyncio.gather(*(arena.stop() for arena in arenas))
