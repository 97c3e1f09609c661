"""The event that a command is about: a results directory here, or a tournament on a server.

Here: the argument, and which of the two it names. Not here: what is done about it (`tournament_rule`,
`tournament_report`).
"""

import argparse
import os
from pathlib import Path

from lastcard.cli.errors import CommandError
from lastcard.cli.paths import path_of
from lastcard_bot.settings import SERVER

EVENT_HELP = f"""\
EVENT is a results directory here, or the name of a tournament on a server: that of --server, else of {SERVER}
when no directory is named so.
"""


def add_event(parser: argparse.ArgumentParser) -> None:
    """Adds the argument EVENT."""
    parser.add_argument("event", metavar="EVENT", type=_event, help="a results directory, or a server's tournament")


def _event(text: str) -> str:
    path_of(text)
    return text


def is_hosted(args: argparse.Namespace) -> bool:
    """Whether the event is a tournament of a server, and not a directory here.

    Raises:
        CommandError: it may be either, or neither.
    """
    event: str = args.event
    if args.server:
        return True
    if args.token is not None:
        raise CommandError("--token is for a server; name it with --server HOST:PORT, or leave --token out")
    named, is_name, is_here = os.environ.get(SERVER, ""), os.sep not in event, Path(event).is_dir()
    if named and is_name and is_here:
        raise CommandError(
            f"{event!r} is a directory here, and may be a tournament on {named} ({SERVER}); write ./{event} for the "
            f"directory, or give --server {named} for the tournament"
        )
    if is_name and not is_here and not named:
        raise CommandError(
            f"there is no directory {event!r} here; name a results directory, or with --server HOST:PORT the server "
            f"that has a tournament of this name"
        )
    return is_name and not is_here
