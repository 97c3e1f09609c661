"""`lastcard tournament list`: the tournaments of a server, newest first.

Here: options and paging. Not here: what a row says (`tournament_text`).
"""

import argparse
from collections.abc import Iterator
from typing import Any

from lastcard.cli.table_options import count
from lastcard.cli.table_server import add_server_options
from lastcard.cli.table_text import json_text
from lastcard.cli.tournament_server import TournamentServer
from lastcard.cli.tournament_text import STATE_WORDS, rows_text
from lastcard.v1 import tournament_pb2

PAGE = 500

EPILOG = """\
examples:
  lastcard tournament list --server 127.0.0.1:7600
  lastcard tournament list --state running --json

exit status: 0 listed, 2 the server could not be asked
"""


def add_parser(commands: Any) -> None:
    """Add the action `list`."""
    parser = commands.add_parser(
        "list",
        help="list the tournaments of a server",
        description="List the tournaments of a server, newest first.",
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--state", choices=tuple(STATE_WORDS.values()), help="only tournaments in this state")
    parser.add_argument("--limit", type=count(1, 10**9), metavar="N", help="the newest N only")
    parser.add_argument("--json", action="store_true", help="print each tournament as a line of protobuf-JSON")
    add_server_options(parser)


def run(args: argparse.Namespace) -> int:
    """Prints the tournaments; 0."""
    with TournamentServer(args) as server:
        tournaments = _tournaments(server, args.state, args.limit)
        if args.json:
            for tournament in tournaments:
                print(json_text(tournament))
            return 0
        found = list(tournaments)
    if found:
        print("\n".join(rows_text(found)))
    else:
        what = f"no {args.state} tournament" if args.state else "no tournament"
        print(f"{what} on {server.address}; `lastcard tournament create FILE` makes one")
    return 0


def _tournaments(server: TournamentServer, state: str | None, limit: int | None) -> Iterator[tournament_pb2.Tournament]:
    """All tournaments, page by page; no more than `limit`."""
    wanted = next((number for number, word in STATE_WORDS.items() if word == state), 0)
    left, token = limit, ""
    while left is None or left > 0:
        size = PAGE if left is None else min(PAGE, left)
        page = server.tournament("ListTournaments", page_size=size, page_token=token, state=wanted)
        yield from page.tournaments
        token = page.next_page_token
        left = None if left is None else left - len(page.tournaments)
        if not token:
            return
