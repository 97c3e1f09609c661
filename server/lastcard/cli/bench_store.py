"""`lastcard bench store`: what the store costs by itself, without a server around it.

Here: CPU time of a command that is written, with and without the compaction of the journal in turn, how long a slice of
that holds the interpreter, and how long a start takes that has many tables to take up. Not here: the store (`store`).
The entries are like those of a server: a commit has a few commands of many tables, of which some close while a few stay
open for ever.
"""

import argparse
import json
import sqlite3
import statistics
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from lastcard.cli.errors import CommandError
from lastcard.cli.paths import path_of
from lastcard.store import compaction
from lastcard.store.file import StoreFile
from lastcard.store.opening import close_store, open_store
from lastcard.table.commands import Answer, DecisionSent
from lastcard.table.journal import Commanded, Entry, Forgotten, TableClosed, TableOpened
from lastcard.table.plan import RecordFiles

TABLES = 1_000
COMMANDS = 300
"""Of each table at the start that is measured: those of a match that is under way."""

OPEN_AT_ONCE = 256
LIFE = 600
"""Commands of a table from its opening to its end."""

PLAN = json.dumps({"preset": "official", "options": {}, "seats": [{"bot": "x", "builtin": None, "name": ""}] * 4})
FILES = RecordFiles(record=bytes(8_000), receipts=bytes(8_000), record_hash=bytes(32))


class Writing(NamedTuple):
    """What a pass of writing cost."""

    cpu_us: float
    """CPU time of one command."""
    slice_ms: float
    """The longest time but one hundredth that a slice of compaction took; 0 without compaction."""
    journal: int
    """Commands in the journal at the end."""
    needed: int
    """Those that a start would read."""


def add_options(parser: argparse.ArgumentParser) -> None:
    """Adds the options of `lastcard bench store`."""
    parser.add_argument(
        "--pairs", type=int, default=3, metavar="N", help="passes with and without compaction (default 3)"
    )
    parser.add_argument("--commits", type=int, default=1_500, metavar="N", help="commits of a pass (default 1500)")
    parser.add_argument("--batch", type=int, default=200, metavar="N", help="commands of a commit (default 200)")
    parser.add_argument(
        "--directory", type=path_of, metavar="DIR", help="where the stores lie (default: temporary files)"
    )
    parser.add_argument("--json", action="store_true", help="print one JSON object")


def run(args: argparse.Namespace) -> int:
    """Measures and prints; 0 always, since a speed is no verdict."""
    if min(args.pairs, args.commits, args.batch) < 1:
        raise CommandError(f"--pairs {args.pairs} --commits {args.commits} --batch {args.batch}: all must be above 0")
    if args.directory is not None and not args.directory.is_dir():
        raise CommandError(f"--directory {str(args.directory)!r} is no directory; make it, or name another")
    without, with_it = [], []
    for _ in range(args.pairs):
        with_it.append(_writing(args, compaction.LEAST))
        without.append(_writing(args, 1 << 60))
    bare, full = _median(without), _median(with_it)
    starts = [_start(args.directory) for _ in range(args.pairs)]
    start_s, cpu_s = (statistics.median(values) for values in zip(*starts, strict=True))
    if args.json:
        found = {
            "writing": full._asdict(),
            "without_compaction": bare._asdict(),
            "start_s": start_s,
            "start_cpu_s": cpu_s,
        }
        print(json.dumps({**found, "tables": TABLES, "commands": COMMANDS}))
        return 0
    print(
        f"writing: {full.cpu_us:.2f} us of CPU a command, {full.cpu_us / bare.cpu_us:.2f} times that without compaction"
    )
    print(
        f"  {full.journal:,.0f} commands left in the journal, {full.needed:,.0f} needed; without compaction "
        f"{bare.journal:,.0f}; a slice holds the thread {full.slice_ms:.2f} ms (p99)"
    )
    tables = f"{TABLES:,} open tables with {COMMANDS} commands each"
    print(f"start: {start_s:.2f} s, {cpu_s:.2f} s of CPU, for {tables}")
    return 0


def _median(passes: Sequence[Writing]) -> Writing:
    return Writing(*(statistics.median(values) for values in zip(*passes, strict=True)))


def _writing(args: argparse.Namespace, least: int) -> Writing:
    """One pass, in a store of its own; the disk is not waited for, since it is CPU time that is measured."""
    usual, compaction.LEAST = compaction.LEAST, least
    slices: list[float] = []
    try:
        with tempfile.TemporaryDirectory(prefix="lastcard-bench-", dir=args.directory) as place:
            opened = open_store(Path(place), "normal")
            file = _Timed(opened.connection, slices)
            begun = time.thread_time()
            for batch in _batches(args.commits, args.batch):
                file.commit([batch])
            cpu_s = time.thread_time() - begun
            (journal,) = opened.connection.execute("SELECT sum(count) FROM journal").fetchone()
            needed = sum(len(table.commands) for table in file.remembered().tables)
            close_store(opened.connection)
    finally:
        compaction.LEAST = usual
    slices.sort()
    longest_ms = slices[int(len(slices) * 0.99)] * 1e3 if slices else 0.0
    return Writing(cpu_s / (args.commits * args.batch) * 1e6, longest_ms, journal, needed)


class _Timed(StoreFile):
    """A store that notes how long each slice of compaction took."""

    def __init__(self, connection: sqlite3.Connection, slices: list[float]) -> None:
        super().__init__(connection)
        self._slices = slices

    def _compact(self) -> None:
        before, rows = time.thread_time(), self._compaction.total
        super()._compact()
        if self._compaction.total != rows:
            self._slices.append(time.thread_time() - before)


def _batches(commits: int, size: int) -> Iterator[list[Entry]]:
    """Commits of a server at which tables open, are played in turn, close and are forgotten; the first few never do."""
    numbers: list[int] = []
    played: dict[int, int] = {}
    number = told = 0
    for at_ms in range(1, commits + 1):
        batch: list[Entry] = []
        for _ in range(size):
            if len(numbers) < OPEN_AT_ONCE:
                number += 1
                numbers.append(number)
                played[number] = number * 7 % LIFE  # so that they do not all end at once
                batch.append(TableOpened(number, f"t{number}", at_ms, "", PLAN))
            told += 1
            one = numbers[told % OPEN_AT_ONCE % len(numbers)]
            played[one] += 1
            batch.append(Commanded(one, at_ms, _command(told)))
            if played[one] >= LIFE and one > 4:
                numbers.remove(one)
                batch += [TableClosed(one, at_ms, "{}", FILES), Forgotten(one)]
        yield batch


def _command(told: int) -> DecisionSent | Answer:
    return DecisionSent(told % 4, told) if told % 2 else Answer(told % 4, told, 3, None, False, (), 1_790_000_000_000)


def _start(directory: Path | None) -> tuple[float, float]:
    """Seconds from opening a store that has many tables to knowing all of them, and those of them on the CPU."""
    with tempfile.TemporaryDirectory(prefix="lastcard-bench-", dir=directory) as place:
        opened = open_store(Path(place), "normal")
        opened.file.commit([[TableOpened(number, f"t{number}", 1, "", PLAN)] for number in range(1, TABLES + 1)])
        for at_ms in range(COMMANDS):
            commands = [Commanded(number, at_ms, _command(at_ms)) for number in range(1, TABLES + 1)]
            opened.file.commit([commands])
        close_store(opened.connection)
        begun, cpu_s = time.perf_counter(), time.process_time()
        opened = open_store(Path(place))
        took_s, cpu_s = time.perf_counter() - begun, time.process_time() - cpu_s
        close_store(opened.connection)
    if sum(len(table.commands) for table in opened.remembered.tables) != TABLES * COMMANDS:
        raise CommandError("the store did not give back what was written; it is broken, and nothing was measured")
    return took_s, cpu_s
