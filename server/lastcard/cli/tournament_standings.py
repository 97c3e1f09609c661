"""`lastcard tournament standings NAME`: the ranking of a tournament on a server as far as it is known.

Here: options, and what is printed. Not here: the ranking as text (`tournament_ranking`).
"""

import argparse
from typing import Any

from lastcard.cli.table_server import add_server_options
from lastcard.cli.tournament_ranking import figures_text
from lastcard.cli.tournament_server import TournamentServer
from lastcard.cli.tournament_text import standings_value, state_text

EPILOG = """\
examples:
  lastcard tournament standings friday --server 127.0.0.1:7600
  lastcard tournament standings friday --json

--json prints everything that is computed, as in standings.json of a results directory.
exit status: 0 printed, 2 the server could not be asked
"""


def add_parser(commands: Any) -> None:
    """Add the action `standings`."""
    parser = commands.add_parser(
        "standings",
        help="print the ranking of a tournament on a server",
        description="Print the ranking of a tournament on a server as far as it is known.",
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("name", metavar="NAME", help="the tournament")
    parser.add_argument("--json", action="store_true", help="print the standings as JSON and nothing else")
    add_server_options(parser)


def run(args: argparse.Namespace) -> int:
    """Prints the ranking; 0."""
    with TournamentServer(args) as server:
        standings = server.tournament("GetStandings", name=args.name).standings
        if args.json:
            print(standings.json.rstrip("\n"))
            return 0
        tournament = server.get_tournament(args.name)
    print(state_text(tournament))
    print(figures_text(args.name, standings_value(standings)))
    return 0
