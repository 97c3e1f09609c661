"""A tournament file that somebody sends to a server: the same file, but nothing in it starts a program.

Here: reading one, and changing its bots before the start. Not here: the keys (`file`, `entries`). May import the
standard library and the pure modules of this package.
"""

import tomllib
from collections.abc import Container, Sequence
from pathlib import Path

from lastcard.tournament.file import TournamentFile, parse
from lastcard.tournament.file_section import FileError, Source, listed
from lastcard.tournament.toml_lines import has_long_keys, toml_lines
from lastcard.tournament.toml_text import toml_text

LONGEST_FILE = 200_000
"""Characters of a file: room for thousands of bots."""

_PROGRAM_KEYS = ("command", "directory", "environment")


def read_hosted(
    text: str, name: str, builtins: Sequence[str], registered: Container[str] | None = None
) -> TournamentFile:
    """Read and check a file, which refusals call `name`; its bots must be builtins or `registered`.

    Without `registered` only what the file says by itself is checked.

    Raises:
        FileError: something in it is wrong.
    """
    source = _source(text, name)
    if source is not None:
        _refuse_programs(text, source)
    file = parse(text, Path(name), builtins)
    for place, bot in enumerate(file.bots):
        if bot.remote and registered is not None and bot.name not in registered:
            assert source is not None
            raise source.refuse(
                ("bot", place, "name"),
                f"there is no registered bot {bot.name!r} on this server; register it before "
                f"(`lastcard bot register {bot.name}`), or name a builtin: {listed(builtins)}",
            )
    return file


def _source(text: str, name: str) -> Source | None:
    """Where the keys of a file stand; `None` for what is no TOML, which is refused where it is read."""
    if has_long_keys(text):
        return None
    try:
        tomllib.loads(text)
        return Source(name, toml_lines(text))
    except (ValueError, RecursionError):
        return None


def _refuse_programs(text: str, source: Source) -> None:
    """Refuse commands before anything is looked for on this machine on their behalf."""
    bots = tomllib.loads(text).get("bot")
    for place, bot in enumerate(bots if isinstance(bots, list) else ()):
        for key in _PROGRAM_KEYS:
            if isinstance(bot, dict) and key in bot:
                raise source.refuse(
                    ("bot", place, key),
                    "a server starts no programs; write remote = true for a registered bot, which dials in by "
                    "itself, or name a builtin",
                )


def with_bot(text: str, name: str, builtin: str) -> str:
    """A file's text with one more bot, a registered one when no `builtin` is named; comments are lost."""
    values = tomllib.loads(text)
    values["bot"] = [*values["bot"], {"name": name, "builtin": builtin} if builtin else {"name": name, "remote": True}]
    return toml_text(values)


def without_bot(text: str, name: str) -> str:
    """A file's text without a bot; comments are lost."""
    values = tomllib.loads(text)
    values["bot"] = [bot for bot in values["bot"] if bot["name"] != name]
    return toml_text(values)


__all__ = ["LONGEST_FILE", "FileError", "read_hosted", "with_bot", "without_bot"]
