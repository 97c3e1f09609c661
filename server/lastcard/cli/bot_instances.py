"""`lastcard bot run BOT --instances N`: one bot as several processes, among which the server shares its seats.

Here: starting them, ending them, and whose token is whose. Not here: one bot (`bot_command`). May import
`lastcard_bot`.
"""

import argparse
import os
import subprocess
import sys
from collections.abc import Sequence

from lastcard.cli.errors import CommandError
from lastcard_bot.settings import TOKEN
from lastcard_bot.signals import listening

MOST_INSTANCES = 256


def check_instances(count: int, tokens: str) -> list[str]:
    """The token of each instance: as many as there are instances, a comma between them, or none at all.

    Raises:
        CommandError: so many instances cannot be started, or there are too few or too many tokens.
    """
    if not 1 <= count <= MOST_INSTANCES:
        raise CommandError(f"--instances is {count}; valid are 1 to {MOST_INSTANCES}")
    given = [token.strip() for token in tokens.split(",")] if tokens else [""] * count
    if len(given) != count or (tokens and not all(given)):
        raise CommandError(
            f"--instances is {count}, but {_counted(sum(map(bool, given)))} given; each instance needs one of its own, "
            f"since a second stream with a token takes the place of the first: give {count}, a comma between them"
        )
    if tokens and len(set(given)) != count:
        raise CommandError("a token is given twice; a second stream with it would take the place of the first")
    return given


def run_instances(args: argparse.Namespace, tokens: Sequence[str]) -> int:
    """Run the bot once for each token until all have ended; 1 when one of them could not play on."""
    command = [sys.executable, "-m", "lastcard.cli.main", "bot", "run", args.bot, "--seed", str(args.seed)]
    for option, value in (("--server", args.server), ("--name", args.name), ("--budget-ms", args.budget_ms)):
        if value is not None:
            command += [option, str(value)]
    if args.verbose:
        command.append("--verbose")
    children: list[subprocess.Popen[bytes]] = []

    def stop() -> None:
        for child in children:
            child.terminate()

    with listening(stop):
        for token in tokens:
            environment = {name: value for name, value in os.environ.items() if name != TOKEN}
            environment |= {TOKEN: token} if token else {}
            children.append(subprocess.Popen(command, env=environment))  # noqa: S603 - this very command
        statuses = [child.wait() for child in children]
    return int(any(statuses))


def _counted(number: int) -> str:
    return "1 token is" if number == 1 else f"{number} tokens are"
