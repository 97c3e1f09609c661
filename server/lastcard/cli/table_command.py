"""`lastcard table`: tables on a server that runs.

Here: the list of what can be done. Not here: any of it (`table_create`, `table_list`, `table_watch`, `table_record`).
"""

import argparse

from lastcard.cli import table_create, table_list, table_record, table_watch

EPILOG = """\
examples:
  lastcard table create builtin:greedy builtin:shrewd --server 127.0.0.1:7600
  lastcard table list
  lastcard table watch q7x2ab
  lastcard table record q7x2ab

The server is --server, else LASTCARD_SERVER. `lastcard table ACTION --help` shows an action's options.
"""

_ACTIONS = {"create": table_create, "list": table_list, "watch": table_watch, "record": table_record}


def add_parser(subparsers: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Adds `table` and its actions."""
    parser = subparsers.add_parser(
        "table",
        help="create, list, watch and record tables on a server",
        description="Create, list, watch and record tables on a server that runs.",
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    commands = parser.add_subparsers(title="actions", metavar="ACTION", dest="action", required=True)
    for action in _ACTIONS.values():
        action.add_parser(commands)


def run(args: argparse.Namespace) -> int:
    """Runs the action that was asked for."""
    status: int = _ACTIONS[args.action].run(args)
    return status
