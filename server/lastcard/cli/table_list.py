"""`lastcard table list`: the tables of a server, newest first.

Here: options and paging. Not here: what a row says (`table_text`).
"""

import argparse
from collections.abc import Iterator

from lastcard.cli.table_options import count
from lastcard.cli.table_server import TableServer, add_server_options
from lastcard.cli.table_text import STATES, json_text, rows_text
from lastcard.v1 import table_pb2
from lastcard.v1.table_service_pb2 import ListTablesRequest

PAGE = 500
"""Tables a call: about 200 KiB."""

EPILOG = """\
examples:
  lastcard table list --server 127.0.0.1:7600
  lastcard table list --state running --limit 20
  lastcard table list --json | head -1

Newest first. A `+2` after the rules counts the options that depart from the preset; --json has all of it.
exit status: 0 listed, 2 the server could not be asked
"""


def add_parser(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Adds `list`."""
    parser = commands.add_parser(
        "list",
        help="list tables",
        description="List the tables of a server, newest first.",
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument("--state", choices=tuple(STATES), help="only tables in this state")
    parser.add_argument("--limit", type=count(1, 10**9), metavar="N", help="the newest N only")
    parser.add_argument("--json", action="store_true", help="print each table as a line of protobuf-JSON")
    add_server_options(parser)


def run(args: argparse.Namespace) -> int:
    """Prints the tables; 0."""
    with TableServer(args) as server:
        tables = _tables(server, args.state, args.limit)
        if args.json:
            for table in tables:
                print(json_text(table))
            return 0
        rows = list(tables)
    if rows:
        print("\n".join(rows_text(rows)))
    else:
        what = f"no {args.state} table" if args.state else "no table"
        print(f"{what} on {server.address}; `lastcard table create` opens one")
    return 0


def _tables(server: TableServer, state: str | None, limit: int | None) -> Iterator[table_pb2.Table]:
    """All tables, page by page; no more than `limit`."""
    left = limit
    token = ""
    while left is None or left > 0:
        size = PAGE if left is None else min(PAGE, left)
        wanted = STATES[state] if state else table_pb2.TABLE_STATE_UNSPECIFIED
        page = server.page(ListTablesRequest(page_size=size, page_token=token, state=wanted))
        yield from page.tables
        token = page.next_page_token
        left = None if left is None else left - len(page.tables)
        if not token:
            return
