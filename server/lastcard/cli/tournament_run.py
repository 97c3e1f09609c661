"""`lastcard tournament run`: plays a tournament file from the first bot's start, or goes on with it, to the ranking.

Here: arguments, signals, putting arena and director together, exit status. Not here: what is shown (`tournament_view`),
how it is played (`lastcard.tournament`). May import anything.
"""

import argparse
import asyncio
import json
import math
import signal
import sys
import time
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import structlog

from lastcard.app import ArenaError
from lastcard.cli.errors import CommandError
from lastcard.cli.paths import path_of
from lastcard.cli.tournament_arenas import arenas_of, check_workers
from lastcard.cli.tournament_listen import LOOPBACK, Listen, listen_for, listen_of, warning_of
from lastcard.cli.tournament_probe import probe_only
from lastcard.cli.tournament_ranking import ranking_text
from lastcard.cli.tournament_view import LiveView, PlainView, SilentView, View
from lastcard.cli.tournament_words import shown_event
from lastcard.services.log import configure_log, log_file
from lastcard.tournament.claim import InUseError, claimed
from lastcard.tournament.director import Director, EventBrokenOff, EventError, Report, look_again
from lastcard.tournament.director.endings import refused
from lastcard.tournament.director.organiser import take_up
from lastcard.tournament.event_state import COMPLETE
from lastcard.tournament.file import FileError, TournamentFile, load
from lastcard.tournament.ledger import LedgerError
from lastcard.tournament.results import Results, ResultsError
from lastcard.tournament.rule_book import RulingError
from lastcard.tournament.standings import JSON_NAME
from lastcard_bot.bots import BOTS
from lastcard_bot.signals import SAME_S

EPILOG = """\
examples:
  lastcard tournament run friday-cup.toml
  lastcard tournament run friday-cup.toml --out /tmp/cup --json
  lastcard tournament run friday-cup.toml --resume
  lastcard tournament run friday-cup.toml --workers 4

Plays all games of the file, starting its bots as processes that dial in to an arena of their own, and leaves a results
directory: ledger.jsonl (one row a game), standings.json and .csv, records/, bots/NAME.log (what each bot printed).
Ctrl-C once stops after the running games, twice at once. --resume goes on with an event that was stopped or killed:
finished games stand, games that were on go on where they were. Of one that is complete it prints the ranking again.
Before the first game each bot plays a short health probe; --probe-only looks at that alone.
exit status: 0 all games are played and all records verify, 1 not so, 2 the file or the directory was refused
"""


_WITHOUT_STORE = (
    "what is in the ledger stands; with an empty directory in place of the store, the games that were being played are "
    "played again from their beginning"
)


def add_parser(commands: Any) -> None:
    """Add the action `run`."""
    run_parser = commands.add_parser(
        "run",
        help="play a tournament file",
        description="Play a tournament file and print its ranking.",
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    run_parser.add_argument("file", metavar="FILE", type=path_of, help="the tournament file (TOML)")
    run_parser.add_argument(
        "--out",
        metavar="DIR",
        type=path_of,
        help="the results directory, new or empty at first (default: results/NAME)",
    )
    run_parser.add_argument("--resume", action="store_true", help="go on with the event in DIR, stopped or killed")
    run_parser.add_argument(
        "--enter",
        metavar="BOT",
        action="append",
        default=[],
        help="with --resume: a bot that is new in the file, behind the others, plays from the next stage on",
    )
    run_parser.add_argument("--overwrite", action="store_true", help="replace the results of an earlier run in it")
    run_parser.add_argument(
        "--workers",
        metavar="N",
        type=int,
        default=1,
        help="play the games on so many server processes, each on a core of its own (default: 1, within the command)",
    )
    run_parser.add_argument(
        "--listen",
        metavar="HOST:PORT",
        type=listen_of,
        help="where remote bots dial in (default: 127.0.0.1 and a free port; with --resume where they did before)",
    )
    run_parser.add_argument(
        "--probe-only",
        action="store_true",
        help="play no event: start or await the bots, have each play its health probe, and say how they are",
    )
    run_parser.add_argument("--json", action="store_true", help="print the standings as JSON and nothing else")


def run(args: argparse.Namespace) -> int:
    """Run `lastcard tournament run`."""
    try:
        file = load(args.file, tuple(BOTS))
    except FileError as error:
        raise CommandError(str(error)) from error
    if args.resume and args.overwrite:
        raise CommandError("--resume goes on with an event and --overwrite replaces it; give one of the two")
    if args.enter and not args.resume:
        raise CommandError("--enter is for a bot that is new in an event that goes on; give --resume with it")
    check_workers(args.workers, file, args.listen)
    if args.probe_only:
        return _probe_only(file, args)
    out = args.out if args.out is not None else Path("results") / file.name
    view: View = SilentView() if args.json else LiveView() if LiveView.fits() else PlainView()
    if not args.resume:
        _make_directory(out)
    try:
        with claimed(out):
            results = _take_up(out, file, args.enter) if args.resume else _create(out, file, overwrite=args.overwrite)
            _warn(listen_for(args.listen, file, results))
            report = _report(file, results, view, args.workers, args.listen)
    except ArenaError as error:
        # With room on the disk the store goes on; whoever replaces it has games played again for nothing.
        lost = args.resume and "is damaged" in str(error)
        raise CommandError(f"{error}; {_WITHOUT_STORE}" if lost else str(error)) from error
    except EventBrokenOff as error:
        raise CommandError(str(error), status=1) from error
    except (ResultsError, RulingError, InUseError, LedgerError, EventError) as error:
        raise CommandError(str(error)) from error
    print(_json(results, report) if args.json else ranking_text(file, results, report))
    return 0 if report.complete and not report.problems else 1


def _warn(listen: Listen) -> None:
    """Warn of an address that others can reach; the views have not begun to draw yet."""
    if (warning := warning_of(listen)) is not None:
        print(warning, file=sys.stderr)


def _probe_only(file: TournamentFile, args: argparse.Namespace) -> int:
    others = [name for name in ("out", "resume", "overwrite") if getattr(args, name)]
    if others or args.workers > 1:
        option = others[0] if others else "workers"
        raise CommandError(f"--probe-only plays no event, so --{option} has nothing to say; leave one of the two out")
    listen = args.listen or LOOPBACK
    _warn(listen)
    try:
        return probe_only(file, listen, as_json=args.json)
    except ArenaError as error:
        raise CommandError(str(error)) from error


def _make_directory(out: Path) -> None:
    """Make the results directory, so that it can be claimed; a file of its name is refused later."""
    try:
        out.mkdir(parents=True, exist_ok=True)
    except FileExistsError:
        return
    except OSError as error:
        raise _cannot_be_made(out, error) from error


def _take_up(out: Path, file: TournamentFile, entering: Sequence[str]) -> Results:
    try:
        return take_up(out, file, entering, datetime.now(UTC).isoformat(timespec="seconds"))
    except OSError as error:
        what = f"the results directory {str(out)!r} cannot be written: {error.strerror or error}"
        raise CommandError(f"{what}; what is in the ledger stands") from error


def _create(out: Path, file: TournamentFile, *, overwrite: bool) -> Results:
    try:
        return Results.create(out, file.text, file.name, file.seed, overwrite=overwrite)
    except OSError as error:
        raise _cannot_be_made(out, error) from error


def _cannot_be_made(out: Path, error: OSError) -> CommandError:
    what = f"the results directory {str(out)!r} cannot be made: {error.strerror or error}"
    return CommandError(f"{what}; name another with --out")


def _report(file: TournamentFile, results: Results, view: View, workers: int, listen: Listen | None) -> Report:
    """Play, or only look at an event that is complete."""
    view.open(shown_event(file, results.directory))
    with view:
        if results.begun is not None and results.begun.state == COMPLETE:
            return look_again(file, results, view.show)
        return asyncio.run(play_event(file, results, view, workers, listen))


async def play_event(
    file: TournamentFile, results: Results, view: View, workers: int, listen: Listen | None = None
) -> Report:
    """Play an event, at arenas of its own, until it is complete or stopped by a signal."""
    with log_file(results.server_log) as log:
        configure_log("json", "info", log)
        try:
            return await _direct(file, results, view, workers, listen)
        finally:
            structlog.reset_defaults()


async def _direct(file: TournamentFile, results: Results, view: View, workers: int, listen: Listen | None) -> Report:
    async with arenas_of(file, results, workers, view.show, listen) as arenas:
        try:
            director = Director(file, results, arenas, view.show, workers)
        except OSError as error:
            raise EventBrokenOff(f"{refused(error)}; --resume goes on with the event") from error
        loop = asyncio.get_running_loop()
        loop.add_signal_handler(signal.SIGINT, once_a_moment(director.stop))
        loop.add_signal_handler(signal.SIGTERM, _stop_at_once, director)
        try:
            return await director.run()
        finally:
            loop.remove_signal_handler(signal.SIGINT)
            loop.remove_signal_handler(signal.SIGTERM)


def once_a_moment(stop: Callable[[], None]) -> Callable[[], None]:
    """`stop`, passing over calls within `SAME_S` of one that counted: `timeout` and others tell a process twice."""
    counted = -math.inf

    def heard() -> None:
        nonlocal counted
        if time.monotonic() - counted > SAME_S:
            counted = time.monotonic()
            stop()

    return heard


def _stop_at_once(director: Director) -> None:
    director.stop()
    director.stop()


def _json(results: Results, report: Report) -> str:
    data = json.loads((results.directory / JSON_NAME).read_bytes())
    data["directory"] = str(results.directory)
    data["complete"] = report.complete
    data["records_verified"] = report.verified
    data["problems"] = [problem._asdict() for problem in report.problems]
    data["set_aside"] = dict(report.aside)
    data["cut_off_bytes"] = report.torn
    return json.dumps(data, indent=2, ensure_ascii=False)
