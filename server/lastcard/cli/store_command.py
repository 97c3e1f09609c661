"""`lastcard store`: what a server keeps on disk.

Here: the list of what can be done. Not here: any of it (`store_backup`, `store_check`, `store_export`, `store_prune`).
"""

import argparse

from lastcard.cli import store_backup, store_check, store_export, store_prune

EPILOG = """\
examples:
  lastcard store backup arena /backups/arena-monday
  lastcard store check arena
  lastcard store export arena records --since 7d --gzip
  lastcard store prune arena --older-than 30d

DIR is the --data directory of `lastcard serve`. All but prune work while the server runs. server/docs/operating.md
tells more. `lastcard store ACTION --help` shows an action's options.
"""

_ACTIONS = {"backup": store_backup, "check": store_check, "export": store_export, "prune": store_prune}


def add_parser(subparsers: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Adds `store` and its actions."""
    parser = subparsers.add_parser(
        "store",
        help="copy, check, export and prune what a server keeps on disk",
        description="Copy, check, export and prune what a server keeps on disk.",
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
