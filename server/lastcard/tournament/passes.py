"""What a remote bot needs to dial in, in files that its owner is given: address, token, name.

Here: `Pass`, `Passes`. Not here: minting tokens (the arena), waiting for bots (`director`). May import the standard
library and `durable`.

A pass is a file of variables, as `docker run --env-file` and a shell's `.` take it. It can be read by its owner alone
and stays as long as the event is not complete: whoever waits for an event to go on dials in by the same token.
"""

import socket
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from lastcard.tournament import durable

DIRECTORY = "remote"
"""Where the passes lie in a results directory."""

_LISTENING = "address"
"""The file that says where the arena listens."""

_SERVER, _TOKEN, _BOT = "LASTCARD_SERVER", "LASTCARD_TOKEN", "LASTCARD_BOT"


_EVERYWHERE = ("0.0.0.0", "[::]")  # noqa: S104 - it is looked at, not listened on
"""Hosts that stand for all addresses of the machine."""


def from_elsewhere(address: str) -> str:
    """Where others dial that an arena listens at: a host that stands for all addresses has the machine's name."""
    host, _, port = address.rpartition(":")
    return f"{socket.gethostname()}:{port}" if host in _EVERYWHERE else address


def from_here(address: str) -> str:
    """Where programs of this machine dial that an arena listens at."""
    host, _, port = address.rpartition(":")
    return f"{'[::1]' if host == '[::]' else '127.0.0.1'}:{port}" if host in _EVERYWHERE else address


class Pass(NamedTuple):
    """What one instance of a remote bot finds in its environment."""

    server: str
    token: str
    bot: str

    def text(self) -> str:
        """As lines of a file."""
        return f"{_SERVER}={self.server}\n{_TOKEN}={self.token}\n{_BOT}={self.bot}\n"


class Passes:
    """The passes of an event, in its results directory."""

    def __init__(self, results: Path) -> None:
        self._directory = results / DIRECTORY

    def path(self, bot: str, number: int) -> Path:
        """Where the pass of an instance of a bot, from 1, lies."""
        return self._directory / (f"{bot}@{number}.env" if number > 1 else f"{bot}.env")

    def read(self, bot: str, number: int) -> Pass | None:
        """The pass of an instance; `None` when there is none, or it is none of this bot's any more."""
        return _read(self.path(bot, number), bot)

    def write(self, number: int, made: Pass) -> Path:
        """Write the pass of an instance to disk and return where."""
        self._directory.mkdir(mode=0o700, exist_ok=True)
        path = self.path(made.bot, number)
        if _read(path) != made:
            path.unlink(missing_ok=True)
            durable.write_secret(path, made.text().encode())
        return path

    def listening(self) -> str:
        """Where the arena of an earlier run listened; empty when that is not known."""
        try:
            return (self._directory / _LISTENING).read_text().strip()
        except (OSError, ValueError):
            return ""

    def note_listening(self, address: str) -> None:
        """Keep where the arena listens, so that the next run listens there too."""
        self._directory.mkdir(mode=0o700, exist_ok=True)
        if self.listening() != address:
            durable.replace(self._directory / _LISTENING, f"{address}\n".encode())

    def all(self) -> Iterator[Pass]:
        """All passes that can be read."""
        for path in sorted(self._directory.glob("*.env")):
            found = _read(path)
            if found is not None:
                yield found


def _read(path: Path, bot: str = "") -> Pass | None:
    try:
        text = path.read_text()
    except (OSError, ValueError):
        return None
    found = dict(line.split("=", 1) for line in text.splitlines() if "=" in line)
    if not (found.get(_SERVER) and found.get(_TOKEN) and found.get(_BOT)) or (bot and found[_BOT] != bot):
        return None
    return Pass(found[_SERVER], found[_TOKEN], found[_BOT])
