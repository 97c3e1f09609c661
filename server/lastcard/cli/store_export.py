"""`lastcard store export DIR OUT`: results and records of closed tables as files.

Here: arguments, names of the files. Not here: copying (`store_copy`), what is in a record (`server/docs/record.md`).
"""

import argparse
import gzip
import json
import time
import zlib
from pathlib import Path

from lastcard.cli.counted import count
from lastcard.cli.errors import CommandError
from lastcard.cli.paths import path_of
from lastcard.cli.store_copy import span_of, store_copy
from lastcard.rules.record_reader import receipts_name
from lastcard.store.file import ClosedTable

EPILOG = """\
examples:
  lastcard store export arena records
  lastcard store export arena records --since 7d --gzip
  lastcard verify records

Works while the server runs. OUT, new or empty, gets TABLE.jsonl (the record) and TABLE.receipts.ndjson (what each seat
was asked and answered) for each closed table, with .gz behind the name when they are compressed, which `lastcard
verify` and `lastcard show` read too; and index.ndjson with one line a table: id, times, result. A later table of the
same id has its number behind it. Records that are closed for players are among them.
exit status: 0 written, 2 not
"""


def add_parser(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Adds `export`."""
    parser = commands.add_parser(
        "export",
        help="write results and records of closed tables as files",
        description="Write results and records of closed tables as files.",
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument("directory", metavar="DIR", type=path_of, help="the server's --data directory")
    parser.add_argument("out", metavar="OUT", type=path_of, help="where the files go, new or empty")
    parser.add_argument(
        "--since", type=span_of, metavar="SPAN", help="only tables that ended so long ago at most: 7d, 12h"
    )
    parser.add_argument("--gzip", action="store_true", help="compress the files")


def run(args: argparse.Namespace) -> int:
    """Writes; 0."""
    since_ms = 0 if args.since is None else time.time_ns() // 1_000_000 - args.since
    tables = records = 0
    with store_copy(args.directory) as file:
        try:
            args.out.mkdir(parents=True, exist_ok=True)
            if any(args.out.iterdir()):
                raise CommandError(f"{args.out} is not empty; name a new directory")
            with (args.out / "index.ndjson").open("w", encoding="utf-8") as index:
                for table in file.closed(since_ms):
                    tables += 1
                    records += bool(table.stored.record)
                    print(json.dumps(_write(args.out, table, compress=args.gzip), ensure_ascii=False), file=index)
        except OSError as error:
            raise CommandError(f"{args.out} cannot be written: {error.strerror}; make room, or name another") from error
        except zlib.error as error:
            raise CommandError(
                f"{args.out} is not complete: the record behind {count(tables, 'closed table')} cannot be read "
                f"({error}); `lastcard store check {args.directory}` says more; bring the store back from a copy"
            ) from error
    print(f"{args.out}: {count(tables, 'closed table')}, {count(records, 'record')}")
    return 0


def _write(out: Path, table: ClosedTable, *, compress: bool) -> dict[str, object]:
    """Write a table's files; its line in the index."""
    name = _free_name(out, table.table_id)
    files = {name: table.stored.record, receipts_name(name): table.stored.receipts} if table.stored.record else {}
    for each, data in files.items():
        if compress:
            (out / f"{each}.gz").write_bytes(gzip.compress(data, mtime=0))
        else:
            (out / each).write_bytes(data)
    return {
        "table": table.table_id,
        "record": next(iter(files), None),
        "opened_ms": table.opened_ms,
        "closed_ms": table.closed_ms,
        "result": json.loads(table.stored.result),
    }


def _free_name(out: Path, table_id: str) -> str:
    name, number = f"{table_id}.jsonl", 1
    while (out / name).exists() or (out / f"{name}.gz").exists():
        number += 1
        name = f"{table_id}.{number}.jsonl"
    return name
