"""`lastcard tournament`: tournaments, from their files to their reports.

Here: the list of what can be done. Not here: any of it (`tournament_<action>`).
"""

import argparse
from typing import Any

from lastcard.cli import tournament_report, tournament_rule, tournament_run

EPILOG = """\
examples:
  lastcard tournament run friday-cup.toml
  lastcard tournament report results/friday-cup
  lastcard tournament rule results/friday-cup annul 17 --reason "the power failed"

`lastcard tournament ACTION --help` shows an action's options. server/docs/tournaments.md describes the file, and
server/examples has some to start from.
"""

_ACTIONS = {"run": tournament_run, "report": tournament_report, "rule": tournament_rule}


def add_parser(subparsers: Any) -> None:
    """Add the command `tournament` and its actions."""
    parser = subparsers.add_parser(
        "tournament",
        help="run a tournament from a file, and report on it",
        description="Run tournaments and report on them.",
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
