"""`lastcard store check DIR`: whether a server can go on with its store, and every record in it is right.

Here: what is checked and what is said. Not here: copying (`store_copy`), records (`lastcard.rules.verify`), playing
commands again (`lastcard.table.recovery`).
"""

import argparse
import json
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from lastcard.app import server_version
from lastcard.cli.counted import count
from lastcard.cli.paths import path_of
from lastcard.cli.store_copy import store_copy
from lastcard.rules.verify import verify
from lastcard.services.wire.frames import WireEncoder
from lastcard.store.file import ClosedTable, StoreFile
from lastcard.table.recovery import RecoveryError, StoredPlanError, stored_plan, taken_up

EPILOG = """\
examples:
  lastcard store check arena
  lastcard store check arena --json

Works while the server runs: a copy is looked at, for which the system's place for temporary files (TMPDIR) needs room.
Checked are the file's structure, the journal's sums, that the commands of every open table can be played again and
lead to where it was, and every record: chain of hashes, rules, scores, and that it is the one of its result.
exit status: 0 all is right, 1 something is wrong, 2 the store could not be read at all
"""


@dataclass(slots=True)
class _Found:
    """What a check found: tables looked at, and a sentence for each that is wrong."""

    open: int = 0
    closed: int = 0
    records: int = 0
    identities: int = 0
    problems: list[str] = field(default_factory=list)


def add_parser(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Adds `check`."""
    parser = commands.add_parser(
        "check",
        help="prove a store: structure, tables that are on, records",
        description="Prove a store: its structure, the tables that are on, every record.",
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument("directory", metavar="DIR", type=path_of, help="the server's --data directory")
    parser.add_argument("--json", action="store_true", help="print what was found as JSON")


def run(args: argparse.Namespace) -> int:
    """Checks; 0, or 1 when something is wrong."""
    with store_copy(args.directory) as file:
        found = _check(file)
    _print(args.directory, found, as_json=args.json)
    return 1 if found.problems else 0


def _check(file: StoreFile) -> _Found:
    found = _Found()
    remembered = file.remembered()
    found.identities = len(remembered.identities)
    encoder = WireEncoder(server_version())
    for one in remembered.tables:
        found.open += not one.closed
        try:
            taken_up(one, stored_plan(one), encoder)
        except (RecoveryError, StoredPlanError) as error:
            found.problems.append(f"table {one.opened.table_id}: {error}")
    tables = file.closed()
    while True:
        try:
            table = next(tables, None)
        except zlib.error as error:
            found.problems.append(f"a record behind {found.closed} closed tables cannot be read: {error}")
            break
        if table is None:
            break
        found.closed += 1
        found.records += bool(table.stored.record)
        found.problems += [f"table {table.table_id}: {problem}" for problem in _problems(table)]
    return found


def _problems(table: ClosedTable) -> Iterator[str]:
    """What is wrong with a closed table."""
    try:
        told = json.loads(table.stored.result)["record_hash"]
    except (ValueError, LookupError, TypeError) as error:
        yield f"its result cannot be read: {error!r}"
        return
    if not table.stored.record:
        return  # a table that could not be played on has none, and says so in its result
    verified = verify(table.stored.record)
    if not verified.ok:
        yield f"its record is wrong in line {verified.line}: {verified.problem}"
    elif verified.record_hash != told:
        yield f"its record has the hash {verified.record_hash}, but its result says {told}"


def _print(directory: Path, found: _Found, *, as_json: bool) -> None:
    if as_json:
        facts = {
            "directory": str(directory),
            "ok": not found.problems,
            "open_tables": found.open,
            "closed_tables": found.closed,
            "records": found.records,
            "identities": found.identities,
            "problems": found.problems,
        }
        print(json.dumps(facts, indent=2, ensure_ascii=False))
        return
    for problem in found.problems:
        print(f"WRONG {problem}")
    state = "ok   " if not found.problems else f"WRONG {len(found.problems)} in"
    print(
        f"{state} {directory}: {found.open} open and {count(found.closed, 'closed table')}, "
        f"{count(found.records, 'record')}, {found.identities} {'identity' if found.identities == 1 else 'identities'}"
    )
