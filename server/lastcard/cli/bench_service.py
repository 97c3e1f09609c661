"""`lastcard bench service`: moves a second of a real server, beside a plain grpc.aio echo of the same run.

Here: the passes and their figures. Not here: the servers (`bench_server`), the load (clients/cpp/load: a client in
Python costs as much a message as the server that is measured, one in C++ a fraction of it). The server has one core for
itself and the load another; passes of echo and of arenas of each durability alternate. What counts is the server's CPU
time a move and its ratio to the echo's a message, and one durability beside another, since rates drift with the
machine. What a sync costs depends on the disk alone, and is measured beside them.
"""

import argparse
import importlib.util
import json
import os
import re
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from contextlib import nullcontext
from pathlib import Path
from typing import NamedTuple

from lastcard.cli.bench_server import SEATS
from lastcard.cli.errors import CommandError
from lastcard.cli.paths import path_of

SIZES = "64x1,64x64"
DURABILITY = ("full", "normal", "none")
WARM_UP_S = 1.0
SERVER_CORE, LOAD_CORE = 0, 1
BUILT_LOAD = Path(__file__).resolve().parents[3] / "clients/cpp/build/lastcard_load"
"""Where a checkout has the load generator when it is built."""


class Pass(NamedTuple):
    """One pass: what was done a second, and what it cost."""

    per_second: float
    matches_per_second: float
    cpu_us: float
    """CPU time of the server for one move or message."""
    p50_ms: float
    p99_ms: float
    own_event_p99_ms: float
    """Until a bot hears of what it did itself."""
    load_share: float
    """Share of its core that the load used; near 1 the load is the limit."""


def add_options(parser: argparse.ArgumentParser) -> None:
    """Adds the options of `lastcard bench service`."""
    parser.add_argument("--sizes", default=SIZES, metavar="LIST", help=f"bots x tables a bot (default {SIZES})")
    parser.add_argument("--pairs", type=int, default=3, metavar="N", help="rounds of echo and arenas (default 3)")
    parser.add_argument("--seconds", type=float, default=3.0, metavar="S", help="length of a pass (default 3)")
    parser.add_argument(
        "--durability",
        default=",".join(DURABILITY),
        metavar="LIST",
        help="arenas to compare: full, normal, none (nothing on disk); the first is what the others are compared with "
        "(default: all)",
    )
    parser.add_argument(
        "--directory", type=path_of, metavar="DIR", help="where the stores lie (default: where temporary files do)"
    )
    parser.add_argument(
        "--load",
        type=path_of,
        metavar="PROGRAM",
        help="load generator (default: the one that `make -C clients/cpp load` builds)",
    )
    parser.add_argument("--asyncio", action="store_true", help="use asyncio's own loop even where uvloop is installed")
    parser.add_argument("--json", action="store_true", help="print one JSON object")


def run(args: argparse.Namespace) -> int:
    """Measures and prints; 0 always, since a speed is no verdict."""
    if args.pairs < 1 or args.seconds <= 0:
        raise CommandError(f"--pairs {args.pairs} --seconds {args.seconds}: both must be above 0")
    kinds = _durability(args.durability)
    if args.directory is not None and not args.directory.is_dir():
        raise CommandError(f"--directory {str(args.directory)!r} is no directory; make it, or name another")
    args.load = _load_generator(args.load)
    loop = "uvloop" if importlib.util.find_spec("uvloop") and not args.asyncio else "asyncio"
    sync_ms = _sync_ms(args.directory)
    figures = {}
    for bots, tables in _sizes(args.sizes):
        size = f"{bots}x{tables}"
        figures[size] = _rounds(args, (bots, tables), kinds, loop)
        if not args.json:
            print("\n".join(_lines(size, *figures[size])), flush=True)
    if args.json:
        found = {
            size: {
                "echo": echo._asdict(),
                "arena": {kind: arena._asdict() for kind, arena in arenas.items()},
                "ratio": {kind: arena.cpu_us / echo.cpu_us for kind, arena in arenas.items()},
            }
            for size, (echo, arenas) in figures.items()
        }
        print(json.dumps({"loop": loop, "sync_ms": sync_ms, "pairs": args.pairs, "sizes": found}))
    else:
        print(f"one sync of the stores' disk: {sync_ms:.2f} ms (median)")
    return 0


def _rounds(
    args: argparse.Namespace, size: tuple[int, int], kinds: tuple[str, ...], loop: str
) -> tuple[Pass, dict[str, Pass]]:
    """The medians of the echo and of an arena of each durability, of passes that alternate."""
    bots, tables = size
    echoes: list[Pass] = []
    arenas: dict[str, list[Pass]] = {kind: [] for kind in kinds}
    for _ in range(args.pairs):
        echoes.append(_measure(args.load, ["echo", loop], (bots, 1), args.seconds))
        for kind, passes in arenas.items():
            place = nullcontext("none") if kind == "none" else _temporary(args.directory)
            with place as data:
                command = ["arena", str(bots), str(tables), data, kind, loop]
                passes.append(_measure(args.load, command, size, args.seconds))
    return _median(echoes), {kind: _median(passes) for kind, passes in arenas.items()}


def _temporary(directory: Path | None) -> "tempfile.TemporaryDirectory[str]":
    return tempfile.TemporaryDirectory(prefix="lastcard-bench-", dir=directory)


def _load_generator(named: Path | None) -> Path:
    """The program that makes the load; absolute, since it is started from elsewhere."""
    program = BUILT_LOAD if named is None else named.absolute()
    if not os.access(program, os.X_OK) or program.is_dir():
        hint = "build it by `make -C clients/cpp load` in a checkout, or name one with --load"
        raise CommandError(f"there is no load generator at {str(program)!r}; {hint}")
    return program


def _sync_ms(directory: Path | None, times: int = 50) -> float:
    """How long the disk takes to sync a page that was appended to a file, which `full` waits for at each commit."""
    took = []
    with _temporary(directory) as place, (Path(place) / "sync").open("wb", buffering=0) as file:
        for _ in range(times):
            file.write(bytes(4096))
            begun = time.perf_counter()
            os.fsync(file.fileno())
            took.append(time.perf_counter() - begun)
    return statistics.median(took) * 1e3


def _durability(text: str) -> tuple[str, ...]:
    kinds = tuple(kind.strip() for kind in text.split(","))
    if not set(kinds) <= set(DURABILITY) or len(set(kinds)) < len(kinds):
        raise CommandError(f"--durability {text!r} is no list of some of {', '.join(DURABILITY)}, each once")
    return kinds


def _sizes(text: str) -> list[tuple[int, int]]:
    sizes = []
    for size in text.split(","):
        match = re.fullmatch(r"(\d+)x(\d+)", size.strip())
        if match is None or int(match[1]) < 4 or int(match[1]) * int(match[2]) % 4 or int(match[2]) < 1:
            raise CommandError(
                f"--sizes {size.strip()!r} is no size; write bots x tables a bot, as in 64x1, at least 4 bots and a "
                "product that four divides"
            )
        sizes.append((int(match[1]), int(match[2])))
    return sizes


def _lines(size: str, echo: Pass, arenas: dict[str, Pass]) -> list[str]:
    first, arena = next(iter(arenas.items()))
    speed = f"{size}: {arena.per_second:,.0f} moves/s, {arena.matches_per_second:,.1f} matches/s"
    delay = f"answer to result p50 {arena.p50_ms:.1f} ms, p99 {arena.p99_ms:.1f} ms"
    delay += f", to own event p99 {arena.own_event_p99_ms:.1f} ms"
    ratio = f"{arena.cpu_us / echo.cpu_us:.2f} times a message of the echo"
    control = f"({echo.cpu_us:.1f} us, {echo.per_second:,.0f} messages/s)"
    share = f"load {arena.load_share:.0%} of its core"
    lines = [f"{speed}, {delay}", f"  server CPU {arena.cpu_us:.1f} us a move, {ratio} {control}; {share}"]
    for kind, other in list(arenas.items())[1:]:
        cpu = f"{other.cpu_us / arena.cpu_us:.2f} times the CPU a move ({other.cpu_us:.1f} us)"
        rate = f"{other.per_second / arena.per_second:.2f} times the moves ({other.per_second:,.0f}/s)"
        delays = f"answer to result p50 {other.p50_ms:.1f} ms, p99 {other.p99_ms:.1f} ms"
        lines.append(f"  {kind} beside {first}: {rate}, {cpu}, {delays}")
    return lines


def _median(passes: list[Pass]) -> Pass:
    return Pass(*(statistics.median(values) for values in zip(*passes, strict=True)))


def _measure(program: Path, arguments: list[str], size: tuple[int, int], seconds: float) -> Pass:
    """One pass against a server of its own."""
    _pin(SERVER_CORE)
    server = subprocess.Popen(  # noqa: S603 - our own module, no shell
        [sys.executable, "-m", "lastcard.cli.bench_server", *arguments], stdout=subprocess.PIPE, text=True
    )
    _pin(LOAD_CORE)
    try:
        assert server.stdout is not None
        address = server.stdout.readline().strip()
        if not address:
            raise CommandError("the server of the benchmark did not start; what it printed stands above")
        return _load(program, (server.pid, address), arguments[0], size, seconds)
    finally:
        server.send_signal(signal.SIGTERM)
        try:
            server.wait(15)
        except subprocess.TimeoutExpired:
            server.kill()
            server.wait()


def _load(program: Path, server: tuple[int, str], kind: str, size: tuple[int, int], seconds: float) -> Pass:
    """What the load generator found, which plays at tables that the server opens."""
    bots, tables = size
    pid, address = server
    options = {"server": address, "bots": bots, "tables": tables, "seats": SEATS, "seconds": seconds, "pid": pid}
    options |= {"warm-up": WARM_UP_S, "prefix": "b"}
    words = [word for name, value in options.items() for word in (f"--{name}", str(value))]
    command = [str(program), *words, "--json", *(["--echo"] if kind == "echo" else ["--seated"])]
    done = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603 - no shell
    if done.returncode:
        raise CommandError(f"{program} ended with status {done.returncode}: {done.stderr.strip()}")
    found = json.loads(done.stdout)
    return Pass(
        found["moves_per_s"],
        found["games_per_s"],
        found["server_cpu_s"] / found["answered"] * 1e6,
        found["verdict_ms"]["p50"],
        found["verdict_ms"]["p99"],
        (found["own_event_ms"] or found["verdict_ms"])["p99"],
        found["load_cpu_s"] / found["seconds"],
    )


def _pin(core: int) -> None:
    """Puts this process, and what it starts from now on, on one core, where there are two and the system can."""
    if hasattr(os, "sched_setaffinity") and (os.cpu_count() or 1) > 1:
        os.sched_setaffinity(0, {core})
