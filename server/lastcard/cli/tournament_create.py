"""`lastcard tournament create FILE`: gives a tournament file to a server that is to play it.

Here: options, and what is printed. Not here: what the server takes (`lastcard.tournament.hosted_file`).
"""

import argparse
from typing import Any

from lastcard.cli.errors import CommandError
from lastcard.cli.paths import path_of
from lastcard.cli.table_server import add_server_options
from lastcard.cli.table_text import json_text
from lastcard.cli.tournament_server import SERVER_HELP, TournamentServer
from lastcard.cli.tournament_text import state_text

EPILOG = f"""\
examples:
  lastcard tournament create friday.toml --server 127.0.0.1:7600
  lastcard tournament create friday.toml --start

The file is that of `lastcard tournament run` (server/docs/tournaments.md), but a server starts no programs: its bots
are builtins and bots that were registered (`lastcard bot register`), with `remote = true`. The server checks it.
{SERVER_HELP}exit status: 0 created, 2 the file was refused, or the server could not be asked
"""

_LONGEST_NAME = 200


def add_parser(commands: Any) -> None:
    """Add the action `create`."""
    parser = commands.add_parser(
        "create",
        help="give a tournament to a server that plays it",
        description="Give a tournament file to a running server.",
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("file", metavar="FILE", type=path_of, help="the tournament file (TOML)")
    parser.add_argument("--start", action="store_true", help="begin to play at once")
    parser.add_argument("--json", action="store_true", help="print the tournament as a line of protobuf-JSON")
    add_server_options(parser)


def run(args: argparse.Namespace) -> int:
    """Creates the tournament; 0."""
    try:
        text = args.file.read_bytes().decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise CommandError(f"{args.file}: not UTF-8 text: byte {error.object[error.start]:#04x}") from error
    except OSError as error:
        raise CommandError(f"{args.file}: cannot be read: {error.strerror}") from error
    with TournamentServer(args) as server:
        name = str(args.file)[-_LONGEST_NAME:]
        answer = server.tournament("CreateTournament", file=text, file_name=name, start=args.start)
    made = answer.tournament
    if args.json:
        print(json_text(made))
        return 0
    print(state_text(made))
    where = f" --server {server.address}" if server.named else ""
    if not args.start:
        print(f"to begin: lastcard tournament start {made.name}{where}")
    print(f"to look on: lastcard tournament watch {made.name}{where}")
    return 0
