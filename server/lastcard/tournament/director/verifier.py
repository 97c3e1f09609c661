"""All records of an event are verified at its end, of a long one by several processes beside each other.

Here: `verify_all`. Not here: verifying a record (`verifying`), the other processes' program (`verify_program`). May
import the standard library and `verifying`.
"""

import json
import os
import subprocess
import sys
from collections.abc import Callable, Generator, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, suppress
from itertools import chain
from pathlib import Path

from lastcard.tournament.verifying import Expected, Problem, problem_of

LEAST = 200
"""So many records at least are worth a process of their own."""


class GivenUpError(Exception):
    """Whoever wanted the records verified does not want it any more."""


def verify_all(directory: Path, records: Sequence[Expected], given_up: Callable[[], bool]) -> list[Problem]:
    """What is wrong with these records, in their order; blocks until all are verified.

    Raises:
        GivenUpError: `given_up` said so meanwhile.
    """
    count = min(_cores(), len(records) // LEAST)
    if count <= 1:
        found = list(_verified(directory, records, given_up))
    else:
        share = -(-len(records) // count)
        shares = [records[first : first + share] for first in range(0, len(records), share)]
        with ThreadPoolExecutor(count) as threads:
            parts = list(threads.map(lambda each: list(_verified_elsewhere(directory, each, given_up)), shares))
        found = list(chain.from_iterable(parts))
    return [problem for problem in found if problem is not None]


def _cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _verified(directory: Path, records: Sequence[Expected], given_up: Callable[[], bool]) -> Iterator[Problem | None]:
    for expected in records:
        _check(given_up)
        yield problem_of(directory, expected)


def _verified_elsewhere(
    directory: Path, records: Sequence[Expected], given_up: Callable[[], bool]
) -> Iterator[Problem | None]:
    """As `_verified`, by another process; what that does not come to, because it is gone, is verified here."""
    done = 0
    with suppress(OSError), closing(_told(directory, records)) as told:
        for problem in told:
            _check(given_up)
            done += 1
            yield problem
    yield from _verified(directory, records[done:], given_up)


def _told(directory: Path, records: Sequence[Expected]) -> Generator[Problem | None]:
    process = subprocess.Popen(  # noqa: S603 - our own program
        [sys.executable, "-m", "lastcard.tournament.verify_program", str(directory)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        encoding="utf-8",
        start_new_session=True,  # Ctrl-C at a terminal is for the director alone
    )
    assert process.stdin is not None
    assert process.stdout is not None
    try:
        with process.stdin as expected:
            expected.write("".join(f"{json.dumps(each)}\n" for each in records))
        for line in process.stdout:
            problem = json.loads(line)
            yield None if problem is None else Problem(*problem)
    finally:
        process.kill()
        process.stdout.close()
        process.wait()


def _check(given_up: Callable[[], bool]) -> None:
    if given_up():
        raise GivenUpError
