"""The arenas that the games of an event are played in: one in this process, or several in processes of their own.

Here: `arenas_of`, and whether so many workers can be. Not here: a worker (`lastcard.workers`), the event
(`lastcard.tournament.director`). May import anything.
"""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace

from lastcard.app import Arena, ArenaError, Settings
from lastcard.cli.errors import CommandError
from lastcard.cli.tournament_listen import Listen, listen_for
from lastcard.services.event_arena import EventArena
from lastcard.tournament import notices
from lastcard.tournament.file import TournamentFile
from lastcard.tournament.ledger import read_rows
from lastcard.tournament.passes import Passes
from lastcard.tournament.ports import ArenaPort, Observer
from lastcard.tournament.results import Results
from lastcard.workers.crew import crew

MOST_WORKERS = 64


def check_workers(workers: int, file: TournamentFile, listen: Listen | None = None) -> None:
    """Check that an event can be played on so many server processes.

    Raises:
        CommandError: it cannot; the text says why.
    """
    if not 1 <= workers <= MOST_WORKERS:
        raise CommandError(f"--workers is {workers}; valid are 1 to {MOST_WORKERS}")
    if workers > file.concurrency:
        raise CommandError(
            f"--workers is {workers}, but only {file.concurrency} games are played at a time, so that some would have "
            f"nothing to do; set concurrency in {file.path} to at least {workers}, or start fewer workers"
        )
    if workers > 1 and listen is not None:
        raise CommandError(
            f"--listen {listen} is one address, but each of {workers} workers has its own; leave one of the two out"
        )
    remote = [bot.name for bot in file.bots if bot.remote]
    if workers > 1 and remote:
        raise CommandError(
            f"the bot {remote[0]!r} is remote and dials in at one address, but each of {workers} workers has its own; "
            f"leave --workers out"
        )


@asynccontextmanager
async def opened(settings: Settings, where: Listen) -> AsyncIterator[Arena]:
    """An arena that is told where to listen.

    Raises:
        ArenaError: it cannot be opened.
        CommandError: it cannot listen there.
    """
    arena = Arena(settings)
    try:
        await arena.start()
    except ArenaError as error:
        if where.port and str(error).startswith("cannot listen"):
            hint = "free it, or name another address with --listen and give remote bots their passes anew"
            raise CommandError(f"{error}; {hint}") from error
        raise
    try:
        yield arena
    finally:
        await arena.stop()


@asynccontextmanager
async def arenas_of(
    file: TournamentFile, results: Results, workers: int, observe: Observer, listen: Listen | None = None
) -> AsyncIterator[Sequence[ArenaPort]]:
    """The arenas of an event, open while it is played; those behind the first `workers` take no new games.

    One alone listens where it is told, or where remote bots still dial in from an earlier run.

    Raises:
        ArenaError: one cannot be opened.
    """
    # Bots are started anew when an event is resumed, and have the time for it that they had at first.
    settings = Settings(data=results.store, anonymous=False)
    settings = replace(settings, recovery_grace_s=max(settings.recovery_grace_s, file.clock.start_up_ms / 1000))
    if max(workers, results.stores) == 1:
        where = listen_for(listen, file, results)
        async with opened(replace(settings, host=where.host, port=where.port), where) as arena:
            if any(bot.remote for bot in file.bots):
                Passes(results.directory).note_listening(arena.address)
            yield (EventArena(arena),)
        return
    results.add_stores(workers, file.name)
    finished = {row.game for row in read_rows(results.ledger)[0]} if results.ledger.exists() else set()
    async with crew(workers, results, settings, finished, lambda why: observe(notices.WorkerDied(why))) as arenas:
        yield arenas
