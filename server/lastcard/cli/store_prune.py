"""`lastcard store prune DIR`: drops old closed tables from a store.

Here: arguments, and the store of a server that is stopped. Not here: `serve --retain-days`, which does the same while
it runs; which rows go (`lastcard.store.file`).
"""

import argparse
import sqlite3
import time
from pathlib import Path

from lastcard.cli.errors import CommandError
from lastcard.cli.paths import path_of
from lastcard.cli.store_copy import span_of
from lastcard.store.opening import FILE, close_store, open_store, sentence
from lastcard.store.schema import StoreError

EPILOG = """\
examples:
  lastcard store prune arena --older-than 30d
  lastcard serve --data arena --retain-days 30      the same while the server runs

The server must be stopped. Results and records of closed tables that ended longer ago go for good, and the file
shrinks; export them before with `lastcard store export`. Open tables, those whose end a bot has not heard of, and the
last of all stay.
exit status: 0 done, 2 not
"""


def add_parser(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Adds `prune`."""
    parser = commands.add_parser(
        "prune",
        help="drop closed tables that ended long ago; the server must be stopped",
        description="Drop results and records of closed tables that ended long ago.",
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument("directory", metavar="DIR", type=path_of, help="the server's --data directory")
    parser.add_argument(
        "--older-than", type=span_of, required=True, metavar="SPAN", help="what ended longer ago goes: 30d, 12h, 90m"
    )


def run(args: argparse.Namespace) -> int:
    """Drops; 0."""
    path = args.directory / FILE
    if not path.is_file():
        raise CommandError(f"there is no store in {args.directory}: it has no file {FILE}")
    before = _size(args.directory)
    try:
        opened = open_store(args.directory)
    except StoreError as error:
        raise CommandError(str(error)) from error
    try:
        dropped = opened.file.prune(time.time_ns() // 1_000_000 - args.older_than)
        opened.connection.execute("VACUUM")
    except sqlite3.Error as error:
        raise CommandError(sentence(path, error)) from error
    finally:
        close_store(opened.connection)
    after = _size(args.directory)
    print(f"{args.directory}: {dropped} closed tables dropped, {before / 1e6:.1f} MB before, {after / 1e6:.1f} MB now")
    return 0


def _size(directory: Path) -> int:
    return sum(path.stat().st_size for path in directory.glob(f"{FILE}*"))
