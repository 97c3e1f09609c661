"""`lastcard tournament run FILE --probe-only`: looks whether the bots of a file can play, and plays no event.

Here: the arena and the directory for it, the table, exit status. Not here: the probe
(`lastcard.tournament.director.checkup`). May import anything.
"""

import asyncio
import json
import signal
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from shutil import rmtree

import structlog
from rich.console import Console
from rich.table import Table
from rich.text import Text

from lastcard.app import Arena, Settings
from lastcard.cli.tournament_listen import Listen
from lastcard.cli.tournament_words import sentence_of
from lastcard.services.event_arena import EventArena
from lastcard.services.log import configure_log
from lastcard.tournament.director.checkup import Health, check_up
from lastcard.tournament.file import TournamentFile
from lastcard.tournament.notices import Notice, RemoteAwaited
from lastcard.tournament.results import Results


def probe_only(file: TournamentFile, listen: Listen, *, as_json: bool) -> int:
    """Probe the bots of a file and print how they are; 0 when all are well, else 1, and what they printed is kept."""
    directory = Path(tempfile.mkdtemp(prefix=f"lastcard-{file.name}-"))
    results = Results.create(directory, file.text, file.name, file.seed)
    found = asyncio.run(_probe(file, results, listen))
    is_well = all(health.problem is None for health in found)
    if is_well:
        rmtree(directory, ignore_errors=True)
    else:
        results.close()
    if as_json:
        data = {health.bot: {"instances": health.instances, "problem": health.problem} for health in found}
        print(json.dumps({"bots": data, "output": None if is_well else str(directory / "bots")}, indent=2))
    else:
        _print(file, found)
        if not is_well:
            print(f"What the bots printed is in {directory / 'bots'}.")
    return int(not is_well)


async def _probe(file: TournamentFile, results: Results, listen: Listen) -> list[Health]:
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, stop.set)
    settings = Settings(data=results.store, anonymous=False)
    try:
        with results.server_log.open("a", encoding="utf-8") as log:
            configure_log("json", "info", log)
            async with Arena(replace(settings, host=listen.host, port=listen.port)) as arena:
                return await check_up(file, results, EventArena(arena), _tell, stop)
    finally:
        structlog.reset_defaults()
        for number in (signal.SIGINT, signal.SIGTERM):
            loop.remove_signal_handler(number)


def _tell(notice: Notice) -> None:
    """What has to be known at once: where remote bots dial in."""
    if isinstance(notice, RemoteAwaited):
        print(sentence_of(notice), file=sys.stderr)


def _print(file: TournamentFile, found: Sequence[Health]) -> None:
    table = Table(box=None, pad_edge=False, header_style="")
    for heading in ("bot", "processes", "health"):
        table.add_column(heading, overflow="fold")
    for bot, health in zip(file.bots, found, strict=True):
        processes = str(health.instances) if bot.is_program else "builtin"
        table.add_row(Text(bot.name), processes, Text(health.problem or "well"))
    Console(soft_wrap=False, highlight=False).print(table)
