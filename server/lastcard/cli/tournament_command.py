"""`lastcard tournament`: tournaments, from their files to their reports.

Here: the list of what can be done. Not here: any of it (`tournament_<action>`).
"""

import argparse
from typing import Any

from lastcard.cli import (
    tournament_check,
    tournament_create,
    tournament_export,
    tournament_list,
    tournament_report,
    tournament_rule,
    tournament_run,
    tournament_standings,
    tournament_watch,
)
from lastcard.cli.tournament_control import CONTROLS

EPILOG = """\
examples:
  lastcard tournament check friday-cup.toml
  lastcard tournament run friday-cup.toml
  lastcard tournament report results/friday-cup
  lastcard tournament rule results/friday-cup annul 17 --reason "the power failed"
  lastcard tournament create friday.toml --start --server 127.0.0.1:7600
  lastcard tournament watch friday --server 127.0.0.1:7600

check and run work here, with a file; report and rule on a results directory or on a server's tournament; the others ask
a server that runs (server/docs/hosting.md).
`lastcard tournament ACTION --help` shows an action's options. server/docs/tournaments.md describes the file, and
server/examples has some to start from.
"""

_ACTIONS: dict[str, Any] = {
    "check": tournament_check,
    "run": tournament_run,
    "report": tournament_report,
    "rule": tournament_rule,
    "create": tournament_create,
    **CONTROLS,
    "watch": tournament_watch,
    "standings": tournament_standings,
    "list": tournament_list,
    "export": tournament_export,
}


def add_parser(subparsers: Any) -> None:
    """Add the command `tournament` and its actions."""
    parser = subparsers.add_parser(
        "tournament",
        help="run a tournament from a file or on a server, and report on it",
        description="Run tournaments, here or on a server, and report on them.",
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    commands = parser.add_subparsers(title="actions", metavar="ACTION", dest="action", required=True)
    for action in _ACTIONS.values():
        action.add_parser(commands)


def run(args: argparse.Namespace) -> int:
    """Run the action that was asked for."""
    status: int = _ACTIONS[args.action].run(args)
    return status
