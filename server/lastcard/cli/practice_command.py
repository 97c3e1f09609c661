"""`lastcard practice -- COMMAND`: plays a bot over a bad line and tells what limits it would keep.

Here: options and printing. Not here: playing and figures (`lastcard.practice`).
"""

import argparse
import asyncio
import json
import math
import sys

from lastcard.cli.asked_to_end import unless_asked_to_end
from lastcard.cli.counted import count as counted
from lastcard.cli.errors import CommandError
from lastcard.cli.option_pairs import read_pairs
from lastcard.cli.table_options import count, span
from lastcard.conform.launch import LaunchError
from lastcard.practice.line import Conditions
from lastcard.practice.playing import Plan, PracticeError, play
from lastcard.practice.report import Clock, as_json, lost, text
from lastcard.rules.ruleset import RulesetError, ruleset
from lastcard.services.log import configure_log
from lastcard.table.plan import PlanError
from lastcard.tournament.durations import duration_text

EPILOG = """\
examples:
  lastcard practice --delay 80ms --jitter 40ms --loss 2% -- python my_bot.py
  lastcard practice --delay 200ms --limit 500ms --games 50 -- lastcard bot run greedy
  lastcard practice --delay 80ms --option jump_in=identical -- bin/my_bot

A game is one round, unless --option match_end=… says otherwise.

The line is modelled as an application sees it: TCP loses nothing, but a packet that was lost is sent again only after
the round trip and 200 ms or more, and all that was said after it waits for it. The games' own clock is generous, so
that every decision is measured; what --limit, --bank and --reaction would have done is computed from that.
exit status: 0 no decision would have been lost; 1 some would, or the bot did not play to the end; 2 it could not start
"""


def add_parser(subparsers: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Adds `practice` to the command line."""
    parser = subparsers.add_parser(
        "practice",
        help="play a bot over a bad line and tell what limits it would keep",
        description="Play a bot against builtins over a bad line, and tell which decisions it would have lost.",
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    clock = Clock()
    spans = (
        ("--delay", 0, "0s", "10s", "round trip of the line, as ping shows it; half of it each way"),
        ("--jitter", 0, "0s", "10s", "up to so much longer takes a round trip, by chance; half of it each way"),
        ("--limit", clock.limit_ms, "1ms", "1h", "time for one decision that is asked about"),
        ("--bank", clock.bank_ms, "0s", "24h", "reserve for a whole game that is asked about"),
        ("--reaction", clock.reaction_ms, "1ms", "1h", "time for a reaction that is asked about"),
        ("--network-credit", clock.network_credit_ms, "0s", "1s", "network credit that is asked about"),
        ("--start-up", 60_000, "100ms", "1h", "how long the bot may take until it is connected"),
    )
    parser.add_argument("bot", nargs="+", metavar="COMMAND", help="command that starts the bot, after --")
    for flag, default, least, most, help_text in spans:
        shown = f"{help_text} (default {duration_text(default)})"
        parser.add_argument(flag, type=span(least, most), default=default, metavar="TIME", help=shown)
    parser.add_argument(
        "--loss", type=_share, default=0.0, metavar="SHARE", help="packets lost on each way, such as 2%% (default none)"
    )
    parser.add_argument("--games", type=count(1, 10_000), default=20, metavar="N", help="games to play (default 20)")
    parser.add_argument("--rules", default="official", metavar="PRESET", help="rules of the games (default official)")
    parser.add_argument(
        "--option", action="append", default=[], metavar="NAME=VALUE", help="an option over the preset; may be repeated"
    )
    parser.add_argument(
        "--opponents", default="greedy,greedy,greedy", metavar="BUILTINS", help="default greedy,greedy,greedy"
    )
    parser.add_argument(
        "--seed", type=count(0, 2**63), default=0, metavar="N", help="seed of deals and line (default 0)"
    )
    parser.add_argument("--json", action="store_true", help="print one JSON object, with every decision")


def _share(text: str) -> float:
    """A share from 0 to a half, as `2%` or `0.02`."""
    number = text.removesuffix("%")
    try:
        share = float(number if text.isascii() else "") / (100 if number != text else 1)
    except ValueError:
        share = math.nan
    if not 0 <= share <= 0.5:
        raise argparse.ArgumentTypeError(f"{text!r} is no share of packets; valid are 0% to 50%, for example 2%")
    return share


def run(args: argparse.Namespace) -> int:
    """Plays and prints; 0 when the clock that is asked about would have lost nothing."""
    configure_log("console", "error")
    conditions = Conditions(args.delay, args.jitter, args.loss, args.seed)
    clock = Clock(args.limit, args.bank, args.reaction, args.network_credit)
    opponents = [name.strip() for name in args.opponents.split(",")]
    try:
        rules = ruleset(args.rules, {"match_end": "single_round"} | dict(read_pairs(args.option)))
        plan = Plan(args.bot, conditions, opponents, rules, args.games, args.start_up / 1e3)
        print(
            f"playing {counted(plan.games, 'game')}; each takes as long as its decisions over this line",
            file=sys.stderr,
        )
        games, decisions = asyncio.run(unless_asked_to_end(play(plan), "practice was stopped before its end"))
    except (PlanError, RulesetError) as error:
        raise CommandError(str(error).removesuffix(".")) from None
    except LaunchError as error:
        raise CommandError(f"{error}; give the command that starts the bot after --") from None
    except PracticeError as error:
        raise CommandError(str(error), status=1) from None
    if not decisions:
        raise CommandError("the bot was asked nothing in all games; play more (--games)", status=1)
    if args.json:
        print(json.dumps(as_json(decisions, games, conditions, clock)))
    else:
        print("\n".join(text(decisions, games, conditions, clock)))
    return int(lost(decisions, clock) > 0)
