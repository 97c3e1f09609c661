"""`lastcard bench engine`: what a decision of the rules core costs, beside a control of the same run.

Here: playing random games and timing them, interleaved with a control. Not here: the service (`bench_service`), the
command's frame (`bench_command`). May import `lastcard.rules`.
"""

import argparse
import json
import random
import shlex
import statistics
import subprocess
import time
from collections.abc import Callable
from typing import NamedTuple

from lastcard.cli.errors import CommandError
from lastcard.rules.apply import apply
from lastcard.rules.deal import start_round
from lastcard.rules.legality import legal_actions
from lastcard.rules.ruleset import Ruleset, ruleset
from lastcard.rules.shuffle import KEY_BYTES, SeededChance
from lastcard.rules.state import Phase, new_match

PLAYERS = 4
WARM_UP_GAMES = 20
SINGLE_ROUND = {"match_end": "single_round"}
HOUSE_RULES = {
    "stack_draw_two": "same",
    "stack_w4": "same",
    "stack_cross": "any",
    "jump_in": "identical_incl_w4",
    "seven_swap": True,
    "zero_rotate": True,
    "false_catch_penalty": 2,
    "false_uno_penalty": 2,
}


class Pass(NamedTuple):
    """One timed pass: how many decisions and games took how long."""

    name: str
    decisions: int
    games: int
    seconds: float

    @property
    def cost_us(self) -> float:
        """Microseconds a decision."""
        return self.seconds / self.decisions * 1e6


def add_options(parser: argparse.ArgumentParser) -> None:
    """Adds the options of `lastcard bench engine`."""
    parser.add_argument("--passes", type=int, default=5, metavar="N", help="interleaved passes of each (default 5)")
    parser.add_argument("--seconds", type=float, default=1.0, metavar="S", help="length of a pass (default 1)")
    parser.add_argument(
        "--control",
        metavar="COMMAND",
        help="a command that plays games and prints {name, games, decisions, seconds} as JSON; `--seconds S` is "
        "added to it (default: a fixed piece of plain Python)",
    )
    parser.add_argument("--json", action="store_true", help="print one JSON object")


def run(args: argparse.Namespace) -> int:
    """Measures and prints; 0 always, since a speed is no verdict."""
    if args.passes < 1 or args.seconds <= 0:
        raise CommandError(f"--passes {args.passes} --seconds {args.seconds}: both must be above 0")
    variants = {
        "official": ruleset("official", SINGLE_ROUND),
        "official, forced draws only": ruleset(
            "official", {"match_end": "single_round", "voluntary_draw": "forbidden"}
        ),
        "official + all house rules": ruleset("official", {**SINGLE_ROUND, **HOUSE_RULES}),
    }
    measured: dict[str, list[Pass]] = {name: [] for name in variants}
    control: list[Pass] = []
    for number in range(args.passes):
        for name, rules in variants.items():
            measured[name].append(play_games(name, rules, args.seconds, number))
        control.append(run_control(args.control, args.seconds) if args.control else reference_pass(args.seconds))
    report(measured, control, args.json)
    return 0


def play_games(name: str, rules: Ruleset, seconds: float, seed: int) -> Pass:
    """Plays whole rounds with four random players for about `seconds`, every event produced."""
    rng = random.Random(seed)
    clock = time.perf_counter
    for number in range(WARM_UP_GAMES):
        play_game(rules, number, rng.random)
    decisions = games = 0
    began = clock()
    while (spent := clock() - began) < seconds:
        decisions += play_game(rules, seed * 1_000_000 + games, rng.random)
        games += 1
    return Pass(name, decisions, games, spent)


def play_game(rules: Ruleset, number: int, whim: Callable[[], float]) -> int:
    """Plays one round with random legal actions, UNO called when due, and returns how many decisions it took."""
    state = new_match(rules, PLAYERS)
    start_round(state, SeededChance(number.to_bytes(KEY_BYTES, "big"), bytes(KEY_BYTES), "pile"))
    decisions = 0
    while state.phase < Phase.ROUND_OVER:
        seat = state.turn
        actions = legal_actions(state, seat)
        apply(state, seat, actions[int(whim() * len(actions))], len(state.hands[seat]) == 2)
        decisions += 1
    return decisions


def reference_pass(seconds: float) -> Pass:
    """A fixed piece of plain Python (a sieve over small numbers), so that machines and days can be compared."""
    clock = time.perf_counter
    rounds = 0
    began = clock()
    while (spent := clock() - began) < seconds:
        found: list[int] = []
        for number in range(2, 60):
            if all(number % prime for prime in found):
                found.append(number)
        rounds += 1
    return Pass("plain Python sieve to 60", rounds, rounds, spent)


def run_control(command: str, seconds: float) -> Pass:
    """Runs a control command once.

    Raises:
        CommandError: when it cannot be run or does not print what it should.
    """
    words = [*shlex.split(command), "--seconds", str(seconds)]
    try:
        done = subprocess.run(words, capture_output=True, text=True, check=True, timeout=60 + 10 * seconds)  # noqa: S603
        row = json.loads(done.stdout.strip().splitlines()[-1])
        return Pass(str(row["name"]), int(row["decisions"]), int(row["games"]), float(row["seconds"]))
    except FileNotFoundError:
        raise CommandError(f"--control: there is no command {words[0]!r}") from None
    except subprocess.CalledProcessError as error:
        last = (error.stderr.strip().splitlines() or ["it printed nothing"])[-1]
        raise CommandError(f"--control: {words[0]!r} failed with status {error.returncode}: {last}") from None
    except subprocess.TimeoutExpired:
        raise CommandError(f"--control: {words[0]!r} did not end in time") from None
    except (ValueError, KeyError, IndexError, TypeError):
        raise CommandError(
            f"--control: {words[0]!r} must print a last line of JSON with name, games, decisions and seconds"
        ) from None


def report(measured: dict[str, list[Pass]], control: list[Pass], as_json: bool) -> None:
    """Prints medians and the ratio to the control, pass by pass."""
    rows = []
    for name, passes in measured.items():
        ratios = [other.cost_us / mine.cost_us for mine, other in zip(passes, control, strict=True)]
        rows.append(
            {
                "name": name,
                "us_per_decision": round(statistics.median(one.cost_us for one in passes), 2),
                "games_per_second": round(statistics.median(one.games / one.seconds for one in passes)),
                "decisions_per_game": round(sum(one.decisions for one in passes) / sum(one.games for one in passes), 1),
                "times_faster_than_control": round(statistics.median(ratios), 2),
            }
        )
    against = {"name": control[0].name, "us_per_decision": round(statistics.median(one.cost_us for one in control), 2)}
    if as_json:
        print(json.dumps({"players": PLAYERS, "passes": len(control), "engine": rows, "control": against}))
        return
    print(f"engine, {PLAYERS} random players, every event produced; medians of {len(control)} interleaved passes")
    print(f"{'rules':30} {'µs/decision':>12} {'games/s':>9} {'decisions/game':>15} {'control/engine':>15}")
    for row in rows:
        print(
            f"{row['name']:30} {row['us_per_decision']:12} {row['games_per_second']:9} "
            f"{row['decisions_per_game']:15} {row['times_faster_than_control']:15}"
        )
    print(f"control: {against['name']}, {against['us_per_decision']} µs a decision")
