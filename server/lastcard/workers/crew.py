"""The workers of one event: as many as are wanted, and those in whose stores games wait that an earlier run began.

Here: `crew`. Not here: one worker (`arena`), the event (`lastcard.tournament.director`). May import asyncio, settings
and `lastcard.tournament`.
"""

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Collection
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

from lastcard.services.settings import Settings
from lastcard.tournament.director.game import game_of
from lastcard.tournament.director.guard_program import kill_event, processes_of
from lastcard.tournament.results import Results
from lastcard.workers.arena import WorkerArena

_FAREWELL_S = 5.0
"""How long a process that was killed may take to be gone."""


@asynccontextmanager
async def crew(
    workers: int, results: Results, settings: Settings, finished: Collection[int], died: Callable[[str], None]
) -> AsyncIterator[list[WorkerArena]]:
    """The workers of an event, open while it is played: each with a store of its own and else with these settings.

    First come those that are wanted; then, of the stores of an earlier run that had more, those with games that are not
    `finished`.

    Raises:
        ArenaError: one of them cannot be started.
    """
    mark = f"{results.mark}-worker"
    await asyncio.to_thread(_end_earlier, mark)
    arenas = [
        WorkerArena(
            number + 1, replace(settings, data=results.store_of(number)), results.server_log, f"{mark}.{number}", died
        )
        for number in range(max(workers, results.stores))
    ]
    try:
        started = await asyncio.gather(*(arena.start() for arena in arenas), return_exceptions=True)
        for error in started:
            if error is not None:
                raise error
        over = {None, *finished}
        idle = [arena for arena in arenas[workers:] if over.issuperset(map(game_of, arena.known))]
        await asyncio.gather(*(arena.stop() for arena in idle))
        yield [arena for arena in arenas if arena not in idle]
    finally:
        await asyncio.gather(*(arena.stop() for arena in arenas))


def _end_earlier(mark: str) -> None:
    """End workers that have outlived an earlier run's director and still have its stores (where there is `/proc`)."""
    earlier = processes_of(mark)
    kill_event(mark)
    end = time.monotonic() + _FAREWELL_S
    while any(map(_lives, earlier)) and time.monotonic() < end:
        time.sleep(0.01)


def _lives(process: int) -> bool:
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(") ")[2][0] != "Z"
    except OSError:
        return False
