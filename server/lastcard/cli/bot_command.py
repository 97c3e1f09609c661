"""`lastcard bot run NAME`: runs a shipped bot, or one from a file, as a program that dials in to a server.

Here: running one, and the list of those that are shipped. Not here: bots that are registered (`bot_accounts`).
"""

import argparse
import asyncio
import logging
import os
import sys

from lastcard.cli import bot_accounts
from lastcard.cli.bot_instances import check_instances, run_instances
from lastcard.cli.bots import BOT_HELP, find_bot
from lastcard.cli.errors import CommandError
from lastcard_bot.bots import BOTS
from lastcard_bot.runner import play
from lastcard_bot.settings import BOT, SERVER, TOKEN, BotError, settings

EPILOG = f"""\
examples:
  lastcard bot run greedy --server 127.0.0.1:7600
  lastcard bot run my_bot.py:MyBot --server 127.0.0.1:7600 --name mine
  lastcard bot run greedy --server 127.0.0.1:7600 --instances 4
  lastcard bot list
  lastcard bot register mine --server 127.0.0.1:7600

What is not given comes from the environment, as in a tournament: {SERVER} (host:port), {TOKEN}, {BOT}.
"""


def add_parser(subparsers: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Adds `bot` to the command line."""
    parser = subparsers.add_parser(
        "bot",
        help="run a bot that dials in to a server, or register one there",
        description="Run a bot that dials in to a server and plays until it is asked to end, or register one there.",
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    actions = parser.add_subparsers(dest="action", metavar="ACTION", required=True)
    shown = argparse.RawDescriptionHelpFormatter
    listing = "examples:\n  lastcard bot list\n  lastcard bot list --server 127.0.0.1:7600"
    list_parser = actions.add_parser(
        "list",
        help="list the bots that are shipped, or with --server those that are registered there",
        epilog=listing,
        formatter_class=shown,
    )
    list_parser.add_argument("--server", metavar="HOST:PORT", help="list the bots that are registered there")
    list_parser.add_argument("--token", metavar="TOKEN", help=f"bearer token (default: {TOKEN})")
    list_parser.add_argument("--json", action="store_true", help="with --server: a line of protobuf-JSON a bot")
    run_parser = actions.add_parser("run", help="run one bot", epilog=EPILOG, formatter_class=shown)
    run_parser.add_argument("bot", metavar="BOT", help=BOT_HELP)
    run_parser.add_argument("--server", metavar="HOST:PORT", help=f"the arena (default: {SERVER})")
    run_parser.add_argument(
        "--token", metavar="TOKEN", help=f"bearer token (default: {TOKEN}; none needed on loopback)"
    )
    run_parser.add_argument("--name", metavar="NAME", help=f"name at the tables (default: {BOT}, else the bot's own)")
    run_parser.add_argument("--seed", type=int, default=0, metavar="N", help="seed of a shipped bot (default 0)")
    run_parser.add_argument(
        "--budget-ms",
        type=float,
        metavar="MS",
        help="time for a decision, for bots that search; they are then no longer the same on every machine",
    )
    run_parser.add_argument(
        "--instances",
        type=int,
        default=1,
        metavar="N",
        help="run the bot as so many processes that share its seats; with tokens, give one for each, with commas",
    )
    run_parser.add_argument("--verbose", action="store_true", help="log what happens on the stream")
    bot_accounts.add_parsers(actions)


def run(args: argparse.Namespace) -> int:
    """Plays until the event is over or the bot is asked to end; 0, or 1 when it could not play on."""
    if args.action == "list" and args.server:
        return bot_accounts.print_list(args)
    if args.action not in ("list", "run"):
        return bot_accounts.run(args)
    if args.action == "list":
        for name, maker in BOTS.items():
            about = (maker.__doc__ or "").strip().splitlines()
            print(f"{name:8} {about[0] if about else ''}".rstrip())
        return 0
    if not (args.server or os.environ.get(SERVER)):
        raise CommandError(f"no server is named; give --server HOST:PORT, or set {SERVER}")
    tokens = check_instances(args.instances, os.environ.get(TOKEN, "") if args.token is None else args.token)
    bot = find_bot(args.bot, seed=args.seed, budget_ms=args.budget_ms)
    try:
        where = settings(
            os.environ,
            server=args.server,
            token=tokens[0],
            name=args.name,
            default_name=bot.name or type(bot).__name__.lower(),
        )
    except BotError as error:
        raise CommandError(str(error)) from None
    if args.instances > 1:
        return run_instances(args, tokens)
    level = logging.DEBUG if args.verbose else logging.INFO
    logging.basicConfig(level=level, stream=sys.stderr, format="%(asctime)s %(levelname)s %(name)s: %(message)s")
    try:
        asyncio.run(play((bot, where)))
    except BotError as error:
        print(f"lastcard: {error}", file=sys.stderr)
        return 1
    return 0
