"""`lastcard tournament check`: plays each bot of a file against copies of itself and names those that are not
deterministic.

Here: arguments, playing one bot after the other, what is printed, exit status. Not here: what is played and what it
shows (`tournament.determinism`), how an event is played (`tournament_run`). May import anything.
"""

import argparse
import asyncio
import json
import secrets
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from lastcard.app import ArenaError
from lastcard.cli.counted import count
from lastcard.cli.errors import CommandError
from lastcard.cli.paths import path_of
from lastcard.cli.tournament_run import play_event
from lastcard.cli.tournament_view import SilentView
from lastcard.rules.record_reader import read_record
from lastcard.tournament.claim import InUseError, claimed
from lastcard.tournament.determinism import Finding, Played, event_of_copies, finding
from lastcard.tournament.director import EventBrokenOff, EventError
from lastcard.tournament.entries import BotEntry
from lastcard.tournament.file import FileError, TournamentFile, load
from lastcard.tournament.ledger import LedgerError, read_rows
from lastcard.tournament.packing import unpacked
from lastcard.tournament.results import Results, ResultsError
from lastcard_bot.bots import BOTS

EPILOG = """\
examples:
  lastcard tournament check friday-cup.toml
  lastcard tournament check friday-cup.toml --deals 20 --bot mine
  lastcard tournament check friday-cup.toml --out /tmp/check --json

Each bot plays against copies of itself, at the tables of the file and by its rules: every deal in every rotation of the
seats, the colours as dealt, with time enough. Copies that do the same in the same situation play all games on a deal
alike and come out exactly equal. Where two games part, the first event that differs is shown, and who was asked there.
The deals are others than those of the event. Remote bots are not checked.
A bot that is not deterministic may play: its luck is its own, and duplicate deals save fewer games with it. But one
that should be and is not may remember deals.
exit status: 0 all bots that were checked are deterministic, 1 not so, 2 the file or the directory was refused
"""

MOST_DEALS = 10_000


def add_parser(commands: Any) -> None:
    """Add the action `check`."""
    parser = commands.add_parser(
        "check",
        help="find out which bots of a file are deterministic",
        description="Play each bot of a tournament file against copies of itself and name those that differ.",
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("file", metavar="FILE", type=path_of, help="the tournament file (TOML)")
    parser.add_argument("--deals", type=int, default=5, metavar="N", help="deals that each bot plays (default 5)")
    parser.add_argument(
        "--bot", action="append", metavar="NAME", help="check this bot alone; may be given several times"
    )
    parser.add_argument("--seed", type=int, metavar="N", help="seed of the deals (default: any; it is printed)")
    parser.add_argument(
        "--out", metavar="DIR", type=path_of, help="keep ledgers, records and outputs there, a directory for each bot"
    )
    parser.add_argument("--json", action="store_true", help="print one JSON object and nothing else")


def run(args: argparse.Namespace) -> int:
    """Check the bots one after the other and print what was found."""
    try:
        file = load(args.file, tuple(BOTS))
    except FileError as error:
        raise CommandError(str(error)) from error
    if not 1 <= args.deals <= MOST_DEALS:
        raise CommandError(f"--deals {args.deals}: valid are 1 to {MOST_DEALS}")
    seed = secrets.randbelow(2**31) if args.seed is None else args.seed
    if not 0 <= seed < 2**63:
        raise CommandError(f"--seed {seed}: it must be from 0 to {2**63 - 1}")
    bots = _chosen(file, args.bot)
    findings: list[Finding] = []
    if not args.json:
        games = args.deals * file.table_size
        print(f"{file.path}: {count(args.deals, 'deal')}, {games} games for each bot, seed {seed}", flush=True)
    with _directory(args.out) as directory:
        for bot in bots:
            if bot.remote:
                _say(args, f"{bot.name}: not checked, since it is remote")
                continue
            found = _check(replace(file, seed=seed), bot, args.deals, directory)
            findings.append(found)
            for line in _lines(found):
                _say(args, line)
    if args.json:
        print(json.dumps(_as_json(file, seed, bots, findings), indent=2, ensure_ascii=False))
    return int(any(found.verdict != "deterministic" for found in findings))


def _chosen(file: TournamentFile, names: list[str] | None) -> list[BotEntry]:
    known = [bot.name for bot in file.bots]
    for name in names or ():
        if name not in known:
            raise CommandError(f"--bot {name}: there is no such bot in {file.path}; there are {', '.join(known)}")
    return [bot for bot in file.bots if names is None or bot.name in names]


@contextmanager
def _directory(out: Path | None) -> Iterator[Path]:
    """Where results directories are made, one a bot."""
    if out is None:
        with tempfile.TemporaryDirectory(prefix="lastcard-check-") as made:
            yield Path(made)
        return
    try:
        out.mkdir(parents=True, exist_ok=True)
        occupied = any(out.iterdir())
    except OSError as error:
        raise CommandError(
            f"{str(out)!r} cannot be used: {error.strerror or error}; name another with --out"
        ) from error
    if occupied:
        raise CommandError(f"{str(out)!r} is not empty; name another directory with --out")
    yield out


def _check(file: TournamentFile, bot: BotEntry, deals: int, directory: Path) -> Finding:
    """Play a bot against itself and look at the games."""
    event = event_of_copies(file, bot, deals)
    out = directory / bot.name
    try:
        out.mkdir()
        with claimed(out):
            results = Results.create(out, event.text, event.name, event.seed)
            report = asyncio.run(play_event(event, results, SilentView(), 1))
            rows, _ = read_rows(results.ledger)
            played = [Played(row, read_record(unpacked((out / row.record).read_bytes())).events) for row in rows]
    except (ArenaError, ResultsError, InUseError, LedgerError, EventError) as error:
        raise CommandError(f"{bot.name} could not be checked: {error}") from error
    except (EventBrokenOff, OSError) as error:
        raise CommandError(f"the check of {bot.name} was broken off: {error}", status=1) from error
    if not report.complete:
        raise CommandError(f"the check was stopped at {bot.name}, after {len(rows)} games", status=1)
    return finding(bot.name, played, dict(report.aside))


# ------------------------------------------------------------------ what is printed


def _say(args: argparse.Namespace, line: str) -> None:
    if not args.json:
        print(line)
        sys.stdout.flush()


def _lines(found: Finding) -> Iterator[str]:
    yield f"{found.bot}: {found.verdict}"
    for fault in found.faults[:_MOST]:
        yield f"  {fault}"
    if not found.faults:
        if found.partings:
            yield f"  games part on {len(found.partings)} of {found.deals} deals"
        for parting in found.partings[:_MOST]:
            yield f"  {parting.sentence()}"


_MOST = 3
"""As many pieces of evidence are printed of each bot; JSON has all."""


def _as_json(file: TournamentFile, seed: int, bots: list[BotEntry], findings: list[Finding]) -> dict[str, Any]:
    return {
        "file": str(file.path),
        "seed": seed,
        "bots": [
            {
                "bot": found.bot,
                "verdict": found.verdict,
                "games": found.games,
                "deals": found.deals,
                "partings": [parting._asdict() for parting in found.partings],
                "faults": list(found.faults),
            }
            for found in findings
        ],
        "not_checked": [bot.name for bot in bots if bot.remote],
    }
