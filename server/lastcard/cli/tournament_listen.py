"""Where the arena of an event listens: for the bots of this machine, or for remote ones.

Here: the option `--listen`, and what follows from it. Not here: opening the arena (`tournament_arenas`), waiting for
remote bots (`lastcard.tournament.director.remote`). May import anything.
"""

import ipaddress
from typing import NamedTuple

from lastcard.cli.errors import CommandError
from lastcard.tournament.file import TournamentFile
from lastcard.tournament.passes import Passes
from lastcard.tournament.results import Results


class Listen(NamedTuple):
    """An address to listen at; port 0 is a free one."""

    host: str
    port: int

    def __str__(self) -> str:
        return f"{self.host}:{self.port}"


LOOPBACK = Listen("127.0.0.1", 0)


def listen_of(text: str) -> Listen:
    """The address that `text` names.

    Raises:
        CommandError: it names none.
    """
    host, colon, port = text.rpartition(":")
    if not colon or not host or not (port.isascii() and port.isdigit()) or not int(port) <= 65_535:
        raise CommandError(
            f"--listen {text}: give host and port such as 127.0.0.1:7700, 0.0.0.0:7700 for all addresses of this "
            f"machine, or port 0 for a free one; ports end at 65535"
        )
    if ":" in host and not (host.startswith("[") and host.endswith("]")):
        raise CommandError(f"--listen {text}: put an IPv6 address in brackets, as in [::1]:7700")
    return Listen(host, int(port))


def listen_for(given: Listen | None, file: TournamentFile, results: Results) -> Listen:
    """Where to listen: as given, else where remote bots of an earlier run of the event still dial in."""
    if given is not None:
        return given
    earlier = Passes(results.directory).listening() if any(bot.remote for bot in file.bots) else ""
    return listen_of(earlier) if earlier else LOOPBACK


def is_loopback(listen: Listen) -> bool:
    """Whether nobody but this machine can dial in."""
    if listen.host == "localhost":
        return True
    try:
        return ipaddress.ip_address(listen.host.strip("[]")).is_loopback
    except ValueError:
        return False


def warning_of(listen: Listen) -> str | None:
    """What an organiser should know before other machines dial in."""
    if is_loopback(listen):
        return None
    return (
        f"warning: listening on {listen} without TLS: tokens and cards travel readably, and whoever reads a token can "
        f"play in its bot's place; do this in a network that you trust, or through a tunnel such as ssh -L or a VPN"
    )
