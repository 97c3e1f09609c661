"""A bounded load on a server of its own for ten minutes, and what of it has grown.

Here: the processes, the table that is printed, the verdict. Not here: the server's figures (`server`), the load
(`load`), when a figure has grown (`trend`). `python -m soak [SECONDS]` with `tests` on the path; exits 1 when something
grew that should not, when a process ended by itself, or when the server logged anything but that the machine had let
it wait.
"""

import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from soak.trend import Allowed, trends

WARM_UP = 0.4
"""Part of the time in which what is kept finds its size: closed tables, answers to calls, names of newcomers."""

ROW_S = 15.0

ALLOWED = {
    "rss_kib": Allowed("memory of the process, KiB", 8 * 1024),
    "objects": Allowed("objects that the collector knows", 40_000),
    "tasks": Allowed("asyncio tasks", 40),
    "streams": Allowed("open streams", 10),
    "silent": Allowed("calls that have said nothing", 10),
    "watchers": Allowed("calls that watch", 10),
    "addresses": Allowed("addresses on the bus", 20),
    "peers": Allowed("connected bots", 10),
    "bound": Allowed("identities with seats", 200),
    "waiting_seats": Allowed("seats kept for bots", 20),
    "tables_open": Allowed("open tables", 10),
    "tables_kept": Allowed("tables in memory", 20),
    "deadlines": Allowed("entries in the timer structure", 200),
    "outbox_kib": Allowed("bytes that wait for readers, KiB", 512),
    "wal_kib": Allowed("write-ahead log of the store, KiB", 8 * 1024),
}

COLUMNS = (
    ("time", lambda now, _: f"{now['seconds']:.0f} s"),
    ("RSS MiB", lambda now, _: f"{now['rss_kib'] / 1024:.1f}"),
    ("streams", lambda now, _: f"{now['streams']:.0f}"),
    ("tasks", lambda now, _: f"{now['tasks']:.0f}"),
    ("tables open/kept", lambda now, _: f"{now['tables_open']:.0f}/{now['tables_kept']:.0f}"),
    ("addresses", lambda now, _: f"{now['addresses']:.0f}"),
    ("store/WAL MiB", lambda now, _: f"{now['store_kib'] / 1024:.1f}/{now['wal_kib'] / 1024:.1f}"),
    ("events/s", lambda now, then: f"{_rate(now, then, 'events'):.0f}"),
    ("moves/s", lambda now, then: f"{_rate(now, then, 'moves'):.0f}"),
    ("CPU %", lambda now, then: f"{100 * _rate(now, then, 'cpu_s'):.0f}"),
    ("closed", lambda now, _: f"{now['closed']:.0f}"),
    ("timeouts", lambda now, _: f"{now['timeouts']:.0f}"),
)


def _rate(now: dict[str, float], then: dict[str, float], name: str) -> float:
    return (now[name] - then[name]) / max(0.001, now["seconds"] - then["seconds"])


def _read(figures: Path) -> list[dict[str, float]]:
    text = figures.read_text() if figures.exists() else ""
    return [json.loads(line) for line in text.splitlines(keepends=True) if line.endswith("\n")]


def _row(cells: list[str]) -> str:
    return "  ".join(cell.rjust(max(len(title), 9)) for cell, (title, _) in zip(cells, COLUMNS, strict=True))


def _run(seconds: float, home: Path) -> int:
    figures, log = home / "figures.jsonl", home / "log"
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[1])}
    with log.open("w") as errors:
        server = subprocess.Popen(
            [sys.executable, "-m", "soak.server", str(home / "data"), str(figures)],
            stdout=subprocess.PIPE, stderr=errors, text=True, env=environment,
        )  # fmt: skip
        assert server.stdout is not None
        address = server.stdout.readline().strip()
        load = subprocess.Popen([sys.executable, "-m", "soak.load", address], stderr=errors, env=environment)
        try:
            ended = _watch(seconds, figures, server, load)
        finally:
            for process in (load, server):
                process.terminate()
            for process in (load, server):
                try:
                    process.wait(timeout=30)
                except subprocess.TimeoutExpired:
                    process.kill()
                    process.wait()
    return _judge(seconds, _read(figures), log.read_text(), ended or server.returncode)


def _watch(seconds: float, figures: Path, *processes: "subprocess.Popen[str] | subprocess.Popen[bytes]") -> str:
    """Prints a row now and then; what went wrong meanwhile."""
    print(_row([title for title, _ in COLUMNS]), flush=True)
    started = time.monotonic()
    then: dict[str, float] | None = None
    while time.monotonic() - started < seconds:
        time.sleep(min(ROW_S, max(0.1, seconds - (time.monotonic() - started))))
        samples = _read(figures)
        if samples:
            print(_row([show(samples[-1], then or samples[0]) for _, show in COLUMNS]), flush=True)
            then = samples[-1]
        for process in processes:
            if process.poll() is not None:
                return f"{process.args[2]} ended by itself with status {process.returncode}"
    return ""


def _judge(seconds: float, samples: list[dict[str, float]], log: str, ended: str | int) -> int:
    grown = []
    print(f"\n{'medians of fifths of the time after the warm-up':48}{'':51}{'a minute':>12}")
    for name, found in trends(samples, ALLOWED, WARM_UP * seconds).items():
        fifths = "".join(f"{value:11.0f}" for value in found.fifths)
        print(f"{ALLOWED[name].about:44}{fifths}{found.slope:+12.1f}  {'GREW' if found.grew else 'stays'}")
        if found.grew:
            grown.append(name)
    first, last = samples[0], samples[-1]
    closed = max(1.0, last["closed"])
    print(
        f"\n{last['closed']:.0f} tables closed, {last['moves']:.0f} decisions, {last['events']:.0f} events, "
        f"{last['timeouts']:.0f} timeouts, {last['faults']:.0f} other faults in {last['seconds']:.0f} s; "
        f"the store grew by {(last['store_kib'] - first['store_kib']) / closed:.1f} KiB a closed table, which it keeps"
    )
    stalls = [json.loads(line)["ms"] for line in log.splitlines() if '"arena.stalled"' in line]
    if stalls:
        print(f"the machine let the server wait {len(stalls)} times, for {sum(stalls) / 1000:.1f} s in all")
    others = [line for line in log.splitlines() if '"arena.stalled"' not in line]
    if others:
        print("\nthe log:", *others, sep="\n")
    if ended:
        print(f"\nwhat ended: {ended}")
    if grown:
        print(f"\ngrew: {', '.join(ALLOWED[name].about for name in grown)}")
    return 1 if grown or ended or others else 0


def main() -> int:
    """Runs the soak."""
    seconds = float(sys.argv[1]) if len(sys.argv) > 1 else 600.0
    with tempfile.TemporaryDirectory() as home:
        return _run(seconds, Path(home))


if __name__ == "__main__":
    sys.exit(main())
