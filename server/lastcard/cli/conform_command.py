"""`lastcard conform -- COMMAND`: starts a bot against a scripted arena and says what it does right and wrong."""

import argparse
import asyncio
import contextlib
import difflib
import json
import math
import time
from collections.abc import Sequence

from lastcard.cli.asked_to_end import unless_asked_to_end
from lastcard.cli.errors import CommandError
from lastcard.cli.table_options import count
from lastcard.conform.bench import ANSWER_S, Bench
from lastcard.conform.checking import Check
from lastcard.conform.checks import CHECKS
from lastcard.conform.launch import Command, LaunchError
from lastcard.conform.report import advice, as_json, described, first_of_all, line, summary
from lastcard.conform.running import Outcome, Verdict, run_checks
from lastcard.tournament.durations import milliseconds

JOBS = 8
"""Checks at a time: they wait most of the time."""

EPILOG = """\
examples:
  lastcard conform -- python clients/python/examples/my_bot.py
  lastcard conform --only calls-uno --only resumes -- bin/my_bot
  lastcard conform --json -- java -jar target/my-bot.jar
  lastcard conform --list

COMMAND is started anew for each check, with LASTCARD_SERVER, LASTCARD_TOKEN and LASTCARD_BOT in its environment, as a
tournament does. It plays against a scripted arena on this machine; nothing else is needed.
ok: passed; FAIL: a required check failed; warn: a recommended one; note: how the bot is; skip: says nothing about it;
slow: the bot was too slow to be judged.
exit status: 0 all required checks passed, 1 not all, 2 the command could not be started or the kit has a fault
"""


def add_parser(subparsers: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Adds `conform` to the command line."""
    parser = subparsers.add_parser(
        "conform",
        help="check that a bot speaks the protocol well, in any language",
        description="Start a bot against a scripted arena and say in words what it does right and wrong.",
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("bot", nargs="*", metavar="COMMAND", help="command that starts the bot, after --")
    parser.add_argument(
        "--only", action="append", default=[], metavar="NAME", help="only this check; may be given again"
    )
    parser.add_argument("--list", action="store_true", help="list the checks, and what each proves")
    parser.add_argument("--json", action="store_true", help="print a JSON object a check, one a line")
    parser.add_argument(
        "--jobs", type=count(1, 64), default=JOBS, metavar="N", help=f"so many checks at a time (default {JOBS})"
    )
    parser.add_argument(
        "--patience",
        type=_patience,
        default=ANSWER_S,
        metavar="SECONDS",
        help=f"how long the bot may take for whatever it must do (default {ANSWER_S:g})",
    )


def _patience(text: str) -> float:
    """Seconds, as `300` or as a span of time."""
    try:
        seconds = float(text) if text.isascii() else math.nan
    except ValueError:
        seconds = (milliseconds(text) or 0) / 1e3
    if not 1 <= seconds <= 3600:
        raise argparse.ArgumentTypeError(f"{text!r} is no time to wait; valid are 1 to 3600 seconds, as in 300 or 5m")
    return seconds


def run(args: argparse.Namespace) -> int:
    """Prints a line a check; 0 when all required ones passed, 1 when not, 2 when the kit could not judge."""
    checks = _chosen(args.only)
    if args.list:
        for check in checks:
            print(json.dumps(described(check), ensure_ascii=False) if args.json else _listed(check))
        return 0
    if not args.bot:
        raise CommandError(
            "no bot is named; give the command that starts it after --, as in `lastcard conform -- ./my_bot`"
        )
    try:
        judging = judge(checks, args.bot, args.patience, args.jobs, as_lines=args.json)
        return asyncio.run(unless_asked_to_end(judging, "asked to end before all checks were done"))
    except LaunchError as error:
        raise CommandError(f"{error}; give the command that starts the bot after --") from None


def _chosen(names: Sequence[str]) -> list[Check]:
    ordered = sorted(check.name for check in CHECKS)
    for name in names:
        if name not in ordered:
            meant = [other for other in ordered if set(other.split("-")) & set(name.split("-"))]
            meant = meant or difflib.get_close_matches(name, ordered, 3)
            hint = f"did you mean {', '.join(meant)}?" if meant else f"valid are {', '.join(ordered)}"
            raise CommandError(f"there is no check {name!r}; {hint} (`lastcard conform --list` says what each proves)")
    return [check for check in CHECKS if not names or check.name in names]


def _listed(check: Check) -> str:
    return f"{check.name} ({check.level.value}): the bot {check.title}.\n  why it matters: {check.proves}"


async def judge(checks: Sequence[Check], command: Sequence[str], patience: float, jobs: int, *, as_lines: bool) -> int:
    """Runs checks and prints what came of them; the exit status."""
    begun = time.monotonic()
    width = max(len(check.name) for check in checks)
    verdicts: list[Verdict] = []
    judging = run_checks(checks, lambda: Bench(Command(command), answer_s=patience), jobs)
    # Closed here, so that no bot is left when nobody reads what is printed any more.
    async with contextlib.aclosing(judging):
        async for verdict in judging:
            verdicts.append(verdict)
            if as_lines:
                print(json.dumps(as_json(verdict), ensure_ascii=False), flush=True)
                continue
            if verdict.outcome is Outcome.NOT_RUN:
                continue
            print(line(verdict, width), flush=True)
            for below in advice(verdict):
                print(f"      {below}", flush=True)
    if not as_lines:
        for above in first_of_all(verdicts):
            print(above)
        print(summary(verdicts, time.monotonic() - begun))
    if any(verdict.outcome is Outcome.BROKEN for verdict in verdicts):
        return 2
    return 1 if any(verdict.condemns for verdict in verdicts) else 0
