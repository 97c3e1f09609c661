"""`lastcard bridge -- COMMAND`: any program that reads and writes lines of JSON plays as a bot.

Here: options, and playing until program or event end. Not here: lines, process and bot (`lastcard_bot`).
"""

import argparse
import asyncio
import logging
import os
import signal
import sys
from collections.abc import Sequence
from pathlib import Path

from lastcard.cli.errors import CommandError
from lastcard.cli.table_options import count
from lastcard_bot.bridge import Bridge
from lastcard_bot.program import Program
from lastcard_bot.runner import play
from lastcard_bot.settings import BOT, SERVER, TOKEN, BotError, Settings, settings

EPILOG = f"""\
examples:
  lastcard bridge --server 127.0.0.1:7600 -- ./bot.sh
  lastcard bridge --events -- python3 bot.py

The program reads one JSON object a line, a server's message each, and answers each decision by a line such as
{{"choice": 0}}; clients/README.md has the messages and a bot of ten lines. What it writes to standard error is shown.
What is not given comes from the environment, as in a tournament: {SERVER} (host:port), {TOKEN}, {BOT}.
exit status: 0 the event is over, the program ended with status 0, or it was stopped; 1 it could not play on; 2 it could
not be started
"""


def add_parser(subparsers: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Adds `bridge` to the command line."""
    parser = subparsers.add_parser(
        "bridge",
        help="let a program that reads and writes JSON lines play as a bot",
        description="Run a program that reads and writes one JSON object a line as a bot that dials in to a server.",
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("command_line", metavar="COMMAND", nargs="+", help="program and its arguments, after --")
    parser.add_argument("--server", metavar="HOST:PORT", help=f"the arena (default: {SERVER})")
    parser.add_argument("--token", metavar="TOKEN", help=f"bearer token (default: {TOKEN}; none needed on loopback)")
    parser.add_argument("--name", metavar="NAME", help=f"name at the tables (default: {BOT}, else the program's)")
    parser.add_argument("--events", action="store_true", help="tell the program what happens at its tables, too")
    parser.add_argument(
        "--max-open-decisions",
        type=count(0, (1 << 32) - 1),
        default=1,
        metavar="N",
        help="most decisions that wait for an answer at once, over all tables; 0 for no limit (default 1)",
    )
    parser.add_argument("--verbose", action="store_true", help="log what happens on the stream")


def run(args: argparse.Namespace) -> int:
    """Plays until the event or the program is over or the bridge is asked to end."""
    if not (args.server or os.environ.get(SERVER)):
        raise CommandError(f"no server is named; give --server HOST:PORT, or set {SERVER}")
    try:
        where = settings(
            os.environ,
            server=args.server,
            token=args.token,
            name=args.name,
            default_name=_name_of(args.command_line[0]),
        )
    except BotError as error:
        raise CommandError(str(error)) from None
    level = logging.DEBUG if args.verbose else logging.INFO
    logging.basicConfig(level=level, stream=sys.stderr, format="%(asctime)s %(levelname)s %(name)s: %(message)s")
    return asyncio.run(_bridge(args.command_line, where, events=args.events, most_open=args.max_open_decisions))


def _name_of(program: str) -> str:
    """A bot's name from its program's: what of it is allowed in names."""
    return (
        "".join(sign for sign in Path(program).stem if sign.isascii() and (sign.isalnum() or sign in "-_."))[:64]
        or "bot"
    )


async def _bridge(command: Sequence[str], where: Settings, *, events: bool, most_open: int) -> int:
    try:
        program = await Program.start(command, os.environ)
    except BotError as error:
        raise CommandError(str(error)) from None
    bot = Bridge(program.write, events=events, most_open=most_open)
    if signal.getsignal(signal.SIGHUP) is not signal.SIG_IGN:  # as under nohup
        # A closed terminal does not reach the program, which has a process group of its own.
        asyncio.get_running_loop().add_signal_handler(signal.SIGHUP, bot.stop)
    playing = asyncio.create_task(play((bot, where)), name="bridge plays")
    hearing = asyncio.create_task(program.read(bot.hear), name="bridge hears")
    failures: list[BotError] = []
    try:
        await asyncio.wait({playing, hearing}, return_when=asyncio.FIRST_COMPLETED)
        if not playing.done():
            bot.stop()
        failures += await _failure(playing)
    finally:
        await program.end()
        failures += await _failure(hearing)
    for failure in failures:
        print(f"lastcard: {failure}", file=sys.stderr)
    return 1 if failures else 0


async def _failure(task: asyncio.Task[None]) -> list[BotError]:
    """What ended a task, if it was no good end."""
    try:
        await task
    except BotError as error:
        return [error]
    return []
