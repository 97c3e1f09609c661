"""`lastcard match BOT…`: a fast series in one process, without network, to know which bot is better."""

import argparse
import contextlib
import json
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from rich.console import Console
from rich.table import Table

from lastcard.cli.bots import BOT_HELP, find_bot
from lastcard.cli.counted import count
from lastcard.cli.errors import CommandError
from lastcard.cli.option_pairs import read_pairs
from lastcard.cli.series import Conduct, Series, as_names
from lastcard.cli.tournament_ranking import ranking_table
from lastcard.rules.presets import PRESETS
from lastcard.rules.ruleset import Ruleset, RulesetError, check_players, ruleset
from lastcard.rules.shuffle import DRAW_ORDERS
from lastcard.tournament.ledger import Row
from lastcard.tournament.standings import as_dict
from lastcard.tournament.statistics import SCORES, Scoring, Standings, standings

EPILOG = """\
examples:
  lastcard match shrewd greedy greedy random
  lastcard match my_bot.py:MyBot greedy --games 2000
  lastcard match greedy random --rules german --option jump_in=identical --json

Each deal is played in every rotation of the seats, and intervals come from whole rotations.
"""

PROGRESS_S = 2.0


def add_parser(subparsers: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Adds `match` to the command line."""
    parser = subparsers.add_parser(
        "match",
        help="play a fast series in one process, without network",
        description="Play a series of games in this process and print who is better, and how sure that is.",
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("bots", nargs="+", metavar="BOT", help=f"2 to 10 bots: {BOT_HELP}")
    parser.add_argument(
        "--games", type=int, default=400, metavar="N", help="games, rounded up to whole rotations (400)"
    )
    parser.add_argument("--rules", default="official", metavar="PRESET", help=f"one of {', '.join(PRESETS)}")
    parser.add_argument(
        "--option",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="an option laid over the preset; match_end is single_round unless given",
    )
    parser.add_argument("--score", choices=SCORES, default="wins", help="what counts (default wins)")
    parser.add_argument("--draws", choices=DRAW_ORDERS, default="per_seat", help="order of draws (default per_seat)")
    parser.add_argument("--seed", type=int, default=1, metavar="N", help="seed of the deals (default 1)")
    parser.add_argument("--json", action="store_true", help="print one JSON object")


def run(args: argparse.Namespace) -> int:
    """Plays the series and prints the ranking; 0, or 1 when a bot gave replies that were no answers."""
    rules = rules_of(args.rules, args.option, len(args.bots))
    if args.games < 1:
        raise CommandError(f"--games {args.games}: there must be at least one")
    names = as_names([_name(text) for text in args.bots])
    # What bots print goes to stderr, so that stdout holds the result alone.
    with contextlib.redirect_stdout(sys.stderr):
        bots = {name: find_bot(text, seed=seed) for seed, (name, text) in enumerate(zip(names, args.bots, strict=True))}
        deals = -(-args.games // len(bots))
        series = Series(bots, rules, deals=deals, seed=args.seed, draws=args.draws)
        began = time.perf_counter()
        rows = _played(series, quiet=args.json or not sys.stderr.isatty())
        spent = time.perf_counter() - began
    scoring = Scoring(score=args.score, fewest_points_win=rules.scoring == "each_keeps_own")
    made = standings(rows, names, scoring)
    if args.json:
        print(json.dumps(_as_json(made, series.conduct, spent)))
    else:
        _print(made, series.conduct, spent)
    return int(any(conduct.bad_replies for conduct in series.conduct.values()))


def _name(text: str) -> str:
    """How a bot is called in the ranking: by file and class, without the directory."""
    path, colon, kind = text.rpartition(":")
    return f"{Path(path).stem}:{kind}" if colon and kind else Path(path or text).stem


def rules_of(preset: str, pairs: Sequence[str], players: int) -> Ruleset:
    """The rules of a series: one round a match unless said otherwise, and no match by time.

    Raises:
        CommandError: an option, a value or the number of players is not allowed.
    """
    try:
        rules = ruleset(preset, {"match_end": "single_round", **dict(read_pairs(pairs))})
        check_players(rules, players)
    except RulesetError as error:
        raise CommandError(str(error).removesuffix(".")) from None
    if "time" in rules.match_end.split("+"):
        raise CommandError(
            "match_end with time: a series in one process has no clock; use target, rounds or single_round"
        )
    return rules


def _played(series: Series, *, quiet: bool) -> list[Row]:
    rows: list[Row] = []
    told = time.monotonic()
    for row in series.play():
        rows.append(row)
        if not quiet and time.monotonic() - told > PROGRESS_S:
            told = time.monotonic()
            print(f"\r{len(rows)} of {len(series)} games", end="", file=sys.stderr, flush=True)
    if not quiet:
        print("\r\x1b[K", end="", file=sys.stderr, flush=True)
    return rows


def _times_ms(conduct: Conduct) -> dict[str, float]:
    if not conduct.seconds:
        return {}
    times = np.array(conduct.seconds) * 1000
    return {
        "p50": round(float(np.percentile(times, 50)), 3),
        "p95": round(float(np.percentile(times, 95)), 3),
        "max": round(float(times.max()), 3),
    }


def _as_json(made: Standings, conduct: dict[str, Conduct], spent: float) -> dict[str, object]:
    conducts = {
        name: {"decisions": len(one.seconds), "bad_replies": one.bad_replies, "think_ms": _times_ms(one)}
        for name, one in conduct.items()
    }
    return {**as_dict(made, "match"), "conduct": conducts, "seconds": round(spent, 3)}


def _print(made: Standings, conduct: dict[str, Conduct], spent: float) -> None:
    console = Console(width=None if sys.stdout.isatty() else 120, markup=False, emoji=False)
    console.print(f"{count(made.games, 'game')} on {count(made.sets, 'deal')} in {spent:.1f} s", highlight=False)
    table = ranking_table(made)
    console.print(table)
    thinking = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    for title in ("bot", "decisions", "p50 ms", "p95 ms", "max ms", "bad replies"):
        thinking.add_column(title, justify="left" if title == "bot" else "right")
    for name, one in conduct.items():
        times = _times_ms(one)
        figures = [f"{times[key]:.2f}" if times else "–" for key in ("p50", "p95", "max")]
        thinking.add_row(name, str(len(one.seconds)), *figures, str(one.bad_replies))
    console.print()
    console.print(thinking)
    for name, one in conduct.items():
        if one.first_complaint:
            console.print(f"{name}'s first bad reply: {one.first_complaint}", highlight=False, soft_wrap=True)
