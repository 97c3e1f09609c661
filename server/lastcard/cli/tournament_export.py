"""`lastcard tournament export NAME`: the results directory of a tournament on a server, as an archive.

Here: options, writing the file whole or not at all. Not here: what is in it (`lastcard.services.export`).
"""

import argparse
from pathlib import Path
from typing import Any

from lastcard.cli.errors import CommandError
from lastcard.cli.paths import path_of
from lastcard.cli.table_server import add_server_options
from lastcard.cli.tournament_server import TournamentServer

EPILOG = """\
examples:
  lastcard tournament export friday --server 127.0.0.1:7600
  lastcard tournament export friday --out /tmp/cup.tar.gz && tar xzf /tmp/cup.tar.gz && lastcard verify friday

The archive holds the results directory under the tournament's name: `lastcard verify` and `lastcard tournament report`
work on it. Before the tournament is over it is for the organiser, and the records of sets that are not complete are
not in it.
exit status: 0 written, 2 the server could not be asked, or the file not be written
"""


def add_parser(commands: Any) -> None:
    """Add the action `export`."""
    parser = commands.add_parser(
        "export",
        help="get the results directory of a tournament on a server",
        description="Get the results directory of a tournament on a server as a gzipped tar archive.",
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("name", metavar="NAME", help="the tournament")
    parser.add_argument("--out", metavar="FILE", type=path_of, help="the file to write (default: NAME.tar.gz)")
    add_server_options(parser)


def run(args: argparse.Namespace) -> int:
    """Writes the archive; 0."""
    path: Path = args.out if args.out is not None else Path(f"{args.name}.tar.gz")
    unfinished = path.with_name(f".{path.name}.part")
    try:
        with TournamentServer(args) as server:
            parts = server.export_tournament(args.name)
            first = next(parts, b"")  # what is refused leaves no file
            try:
                with unfinished.open("wb") as file:
                    file.write(first)
                    for part in parts:
                        file.write(part)
                unfinished.replace(path)
            finally:
                unfinished.unlink(missing_ok=True)
    except OSError as error:
        raise CommandError(f"{str(path)!r} cannot be written: {error.strerror or error}") from error
    print(f"written: {path}")
    return 0
