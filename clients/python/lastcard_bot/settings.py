"""Where a bot plays and as whom.

Here: server, token and name, from arguments or the environment. Not here: how a bot behaves (attributes of `Bot`).
Imports nothing of ours.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass

SERVER = "LASTCARD_SERVER"
TOKEN = "LASTCARD_TOKEN"  # noqa: S105 - the name of a variable, no secret
BOT = "LASTCARD_BOT"

_ADDRESS = re.compile(r"(\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9._-]+):[0-9]{1,5}")
_NAME = re.compile(r"[A-Za-z0-9._-]{1,64}")
_TOKEN = re.compile(r"[!-~]*")


class BotError(Exception):
    """A bot cannot play (on); the sentence says what was wrong and what would be valid."""


@dataclass(frozen=True, slots=True)
class Settings:
    """Server as `host:port`, bearer token (empty: none) and name of the bot (empty: the token's); checked.

    Raises `BotError` for an address, a token or a name that cannot be one.
    """

    server: str
    token: str = ""
    name: str = ""
    give_up_s: float = 300.0
    """Seconds without a connection after which the bot gives up."""

    def __post_init__(self) -> None:
        if not _ADDRESS.fullmatch(self.server) or int(self.server.rpartition(":")[2]) not in range(1, 65536):
            raise BotError(f"server {self.server!r} is no address; give host:port, for example 127.0.0.1:7777")
        if not _TOKEN.fullmatch(self.token):
            place = next(at for at, sign in enumerate(self.token) if not _TOKEN.fullmatch(sign))
            raise BotError(f"the token has {self.token[place]!r} at place {place}; use it as it was given out")
        if not _NAME.fullmatch(self.name) and not (self.token and not self.name):
            raise BotError(f"{self.name!r} is no name for a bot; use 1 to 64 letters, digits, '-', '_' or '.'")


def settings(
    environment: Mapping[str, str],
    *,
    server: str | None = None,
    token: str | None = None,
    name: str | None = None,
    default_name: str = "",
) -> Settings:
    """Settings from arguments, else from `LASTCARD_SERVER`, `LASTCARD_TOKEN` and `LASTCARD_BOT`.

    A bot with a token that is given no name takes the one that the token is bound to. Raises `BotError` when no server
    is named, or a value cannot be used.
    """
    bearer = environment.get(TOKEN, "") if token is None else token
    address = server or environment.get(SERVER, "")
    if not address:
        raise BotError(f"no server is named; set {SERVER} to host:port, or pass server=")
    return Settings(
        server=address,
        token=bearer,
        name=name or environment.get(BOT, "") or ("" if bearer else default_name),
    )
