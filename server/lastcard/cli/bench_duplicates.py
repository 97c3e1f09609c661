"""`lastcard bench duplicates`: what duplicate deals are worth, measured with the real rules, schedule and bots.

Here: playing the ways that are compared, and printing. Not here: the figures (`duplicate_worth`), one series
(`series`), the command's frame (`bench_command`). May import `lastcard.tournament`.
"""

import argparse
import json
import os
import sys
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from typing import NamedTuple, cast

import numpy as np

from lastcard.cli.bots import BOT_HELP, find_bot
from lastcard.cli.duplicate_worth import Differences, Worth, differences, worth
from lastcard.cli.errors import CommandError
from lastcard.cli.match_command import rules_of
from lastcard.cli.series import Series, as_names
from lastcard.rules.ruleset import PRESETS
from lastcard.rules.shuffle import event_key
from lastcard.tournament.formats.contract import Stage
from lastcard.tournament.ledger import Row
from lastcard.tournament.rulings import Outcome
from lastcard.tournament.schedule import Game, Schedule, Seats, stage_key
from lastcard.tournament.scoring import SCORES, Score, scores

SETS_A_PART = 50
"""Sets that one process plays in one go: few, so that all processes end about together."""

MOST_FOR_ALL = 4
"""Players up to which every order of the seats is measured: at five a set would have 120 games."""


_SCORES = cast("tuple[Score, ...]", SCORES)


class Way(NamedTuple):
    """A way to play: whether the games of a set share their deal, the order of draws, the orders of the seats."""

    about: str
    shared: bool = True
    draws: str = "per_seat"
    disguise: bool = False
    seats: Seats = "rotations"


WAYS = {
    "independent": Way("a deal for each game", shared=False),
    "pile": Way("rotations, one order of the pile", draws="pile"),
    "per_seat": Way("rotations, an order of draws for each seat"),
    "disguised": Way("rotations, an order for each seat, colours renamed", disguise=True),
    "all": Way("every order of the seats, an order of draws for each seat", seats="all"),
}


class Match(NamedTuple):
    """Who plays by which rules."""

    bots: tuple[str, ...]
    preset: str
    options: tuple[str, ...]


class Part(NamedTuple):
    """Some sets of one way, to be played in one process."""

    match: Match
    way: str
    sets: int
    seed: int


def add_options(parser: argparse.ArgumentParser) -> None:
    """Adds the options of `lastcard bench duplicates`."""
    parser.add_argument("--players", type=int, metavar="N", help="players, greedy and random in turn (default 2)")
    parser.add_argument(
        "--bots",
        nargs="+",
        metavar="BOT",
        help=f"the bots at the table; the difference is that of the first two. {BOT_HELP}",
    )
    parser.add_argument("--sets", type=int, default=2_000, metavar="N", help="sets played each way (default 2000)")
    parser.add_argument(
        "--ways", nargs="+", choices=[*WAYS][1:], default=["pile", "per_seat", "disguised"], help="what is compared"
    )
    parser.add_argument("--rules", choices=PRESETS, default="official", help="preset of the rules (default official)")
    parser.add_argument(
        "--option", action="append", default=[], metavar="NAME=VALUE", help="an option laid over the preset"
    )
    parser.add_argument("--seed", type=int, default=1, metavar="N", help="seed of deals and bootstrap (default 1)")
    parser.add_argument("--processes", type=int, metavar="N", help="processes (default one a core)")
    parser.add_argument("--json", action="store_true", help="print one JSON object")


def run(args: argparse.Namespace) -> int:
    """Plays and prints; 0 always, since a figure is no verdict."""
    match = Match(_bots(args.players, args.bots), args.rules, tuple(args.option))
    rules_of(match.preset, match.options, len(match.bots))
    for text in match.bots:
        find_bot(text)
    processes = args.processes if args.processes is not None else os.cpu_count() or 1
    for name, value in (("sets", args.sets), ("processes", processes)):
        if value < 1:
            raise CommandError(f"--{name} {value}: there must be at least one")
    if "all" in args.ways and len(match.bots) > MOST_FOR_ALL:
        raise CommandError(
            f"--ways all: every order of {len(match.bots)} seats is too many; 2 to {MOST_FOR_ALL} can be"
        )
    began = time.monotonic()
    played = play(match, ["independent", *args.ways], args.sets, seed=args.seed, processes=processes, note=_note)
    try:
        found = {
            score: {way: worth(played[way][score], played["independent"][score], args.seed) for way in played}
            for score in _SCORES
        }
    except ValueError as error:
        raise CommandError(f"nothing can be said of {args.sets} sets: {error}") from None
    _print(match, found, args, time.monotonic() - began)
    return 0


def _bots(players: int | None, bots: Sequence[str] | None) -> tuple[str, ...]:
    if bots is None:
        count = 2 if players is None else players
        if not 2 <= count <= 10:
            raise CommandError(f"--players {count}: a table has 2 to 10 players")
        return tuple(("greedy", "random")[seat % 2] for seat in range(count))
    if players not in (None, len(bots)):
        raise CommandError(f"--players {players}: --bots names {len(bots)}; give one of the two")
    if not 2 <= len(bots) <= 10:
        raise CommandError(f"--bots names {len(bots)}; a table has 2 to 10 players")
    return tuple(bots)


# ------------------------------------------------------------------ playing


def play(
    match: Match, ways: Iterable[str], sets: int, *, seed: int, processes: int, note: Callable[[int, int], None]
) -> dict[str, dict[Score, Differences]]:
    """Plays sets each way, shared out among processes, and gives by way and score the differences."""
    parts = [
        Part(match, way, min(SETS_A_PART, sets - first), _part_seed(seed, [*WAYS].index(way), first // SETS_A_PART))
        for way in ways
        for first in range(0, sets, SETS_A_PART)
    ]
    found: dict[Part, dict[Score, Differences]] = {}
    with ProcessPoolExecutor(processes) as pool:
        waiting = {pool.submit(play_part, part): part for part in parts}
        for done in as_completed(waiting):
            found[waiting[done]] = done.result()
            note(len(found), len(parts))
    gathered: defaultdict[str, defaultdict[Score, list[Differences]]] = defaultdict(lambda: defaultdict(list))
    for part in parts:  # in their order, so that the figures do not depend on which was done first
        for score, values in found[part].items():
            gathered[part.way][score].append(values)
    return {way: {score: np.concatenate(each) for score, each in scores_.items()} for way, scores_ in gathered.items()}


def _part_seed(seed: int, way: int, part: int) -> int:
    """A seed of its own for each part of each way: what is compared is independent."""
    return (seed * 10 + way) * 1_000_000 + part


def play_part(part: Part) -> dict[Score, Differences]:
    """Plays some sets in this process; by score, the differences between the first two bots."""
    way = WAYS[part.way]
    names = as_names(part.match.bots)
    bots = {name: find_bot(text) for name, text in zip(names, part.match.bots, strict=True)}
    schedule = Schedule(Stage((tuple(names),), part.sets), key=stage_key(event_key(part.seed), 0), seats=way.seats)
    games = list(schedule)
    if not way.shared:
        games = [game._replace(deal=game.game) for game in games]
    rules = rules_of(part.match.preset, part.match.options, len(names))
    series = Series(bots, rules, deals=part.sets, seed=part.seed, draws=way.draws, disguise=way.disguise, games=games)
    return _by_score(games, list(series.play()), names[0], names[1])


def _by_score(games: Sequence[Game], rows: Sequence[Row], one: str, other: str) -> dict[Score, Differences]:
    found: dict[Score, defaultdict[int, dict[int, tuple[float, float]]]] = {}
    for score in _SCORES:
        by_set = found.setdefault(score, defaultdict(dict))
        for game, row in zip(games, rows, strict=True):
            seats = len(row.seats)
            values = scores(Outcome(row.places, row.points, (False,) * seats, (0,) * seats), score)
            by_name = dict(zip(row.seats, map(float, values), strict=True))
            by_set[game.set][game.rotation] = by_name[one], by_name[other]
    return {
        score: differences([[game for _, game in sorted(played.items())] for _, played in sorted(by_set.items())])
        for score, by_set in found.items()
    }


# ------------------------------------------------------------------ printing


def _note(done: int, parts: int) -> None:
    if sys.stderr.isatty():
        print(f"\r{done} of {parts} parts\x1b[K{'' if done < parts else chr(10)}", end="", file=sys.stderr, flush=True)


def _print(match: Match, found: dict[Score, dict[str, Worth]], args: argparse.Namespace, seconds: float) -> None:
    if args.json:
        figures = {score: {way: one._asdict() for way, one in ways.items()} for score, ways in found.items()}
        asked = {"bots": match.bots, "preset": match.preset, "options": match.options, "seed": args.seed}
        print(json.dumps({**asked, "seconds": round(seconds, 1), "scores": figures}))
        return
    options = "".join(f", {pair}" for pair in match.options)
    print(
        f"{match.bots[0]} against {match.bots[1]} at a table of {' '.join(match.bots)}; rules {match.preset}{options}"
    )
    print(f"{args.sets} sets each way, seed {args.seed}, {seconds:.0f} s")
    print("share of the games that are needed for the same certainty about the difference, with 95 % intervals")
    for score, ways in found.items():
        print(f"\nscore {score:6}{'games':>47}{'difference':>13}  share of the games")
        for name, one in ways.items():
            about = WAYS[name].about + (", seats in turn" if name == "independent" else "")
            share = f"{one.ratio:.2f} ({one.low:.2f} to {one.high:.2f})"
            print(f"  {about:51}{one.games:6}{one.difference:+13.3f}  {share}")
