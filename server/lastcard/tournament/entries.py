"""The bots of a tournament file: names, builtins, commands that exist, and remote bots.

Here: the keys of `[[bot]]`. Not here: the rest of the file (`file`), how a bot is started (`director`). May import the
standard library and `file_section`.
"""

import re
import shutil
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType

from lastcard.tournament.file_section import Section, Source, shown

BOT_KEYS = ("name", "command", "builtin", "remote", "owner", "copies", "wait", "directory", "environment")

MOST_COPIES = 64
"""More copies of one bot are refused."""

DEFAULT_COPIES = 8
"""As many copies are started at most where the file does not say how many."""

WAIT_MS = 300_000
"""How long a remote bot is waited for where the file does not say."""

GIVEN_VARIABLES = ("LASTCARD_SERVER", "LASTCARD_TOKEN", "LASTCARD_BOT", "LASTCARD_COPY", "LASTCARD_RUN")
"""What every command finds in its environment; a file may not set it."""

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
_NAME_VALID = "1 to 64 letters, digits, '-', '_' or '.', beginning with a letter or digit"
_INTERPRETER = re.compile(r"(python|pypy)[0-9.]*|sh|bash|perl|ruby")
_LONGEST_OWNER = 100
_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


@dataclass(frozen=True, slots=True)
class BotEntry:
    """One bot of the event: a `builtin` of the server, a `command` whose first part is the path of a program, or
    `remote`, started by somebody else who has its token.

    A command runs in `directory` with `environment` added to the organiser's. `copies` is how many processes it is, 0
    for as many as it needs. A remote bot is waited for at most `wait_ms`. `owner` is empty where the file names none.
    """

    name: str
    builtin: str | None = None
    command: tuple[str, ...] | None = None
    remote: bool = False
    owner: str = ""
    copies: int = 0
    wait_ms: int = WAIT_MS
    directory: Path | None = None
    environment: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))

    @property
    def is_program(self) -> bool:
        """Whether it comes from outside, so that it can fail to come, crash and be set aside."""
        return self.builtin is None

    def instances(self, games_at_once: int) -> int:
        """How many processes serve its seats when it may be in so many games at once; none for a builtin."""
        if not self.is_program:
            return 0
        return self.copies or (1 if self.remote else max(1, min(games_at_once, DEFAULT_COPIES)))


def read_name(section: Section) -> str:
    """The `name` of a table, which names files too.

    Raises:
        FileError: it cannot be a name.
    """
    name = section.text("name")
    if not _NAME.fullmatch(name):
        raise section.refuse("name", f"must be {_NAME_VALID}, not {name!r}")
    return name


def read_bots(
    source: Source, values: object, base: Path, builtins: Sequence[str], *, played: bool = False
) -> tuple[BotEntry, ...]:
    """The bots in the order of the file; `base` is the directory that theirs are relative to.

    Of an event that was `played`, programs and directories are not looked for: they may be on another machine.

    Raises:
        FileError: something in them is wrong.
    """
    if not isinstance(values, list) or not values:
        raise source.refuse(("bot",), "must be one or several tables [[bot]]")
    bots: list[BotEntry] = []
    first: dict[str, int] = {}
    for place, value in enumerate(values):
        section = Section(source, ("bot", place), value, BOT_KEYS)
        name = read_name(section)
        # Names are names of files too, and some systems do not tell case apart.
        if name.casefold() in first:
            other = first[name.casefold()]
            line = source.lines[("bot", other, "name")]
            raise section.refuse("name", f"{name!r} is taken by bot[{other + 1}] in line {line}; names must differ")
        first[name.casefold()] = place
        bots.append(_bot(section, name, base, builtins, played=played))
    return tuple(bots)


_WAYS = ("command", "builtin", "remote")
_ONLY_FOR = {
    "directory": ("command",),
    "environment": ("command",),
    "copies": ("command", "remote"),
    "wait": ("remote",),
}
"""Keys that not every bot has, and the kinds that have them."""


def _bot(section: Section, name: str, base: Path, builtins: Sequence[str], *, played: bool) -> BotEntry:
    way = _way(section, name)
    for key, ways in _ONLY_FOR.items():
        if key in section and way not in ways:
            kinds = " or ".join(repr(each) for each in ways)
            raise section.refuse(key, f"is for a bot with {kinds}; {name!r} has {way!r}")
    owner = _owner(section)
    copies = section.number("copies", 1, MOST_COPIES) if "copies" in section else 0
    if way == "builtin":
        return BotEntry(name, builtin=section.word("builtin", builtins), owner=owner)
    if way == "remote":
        wait_ms = section.duration_ms("wait", WAIT_MS, least_ms=1)
        return BotEntry(name, remote=True, owner=owner, copies=copies, wait_ms=wait_ms)
    directory = _directory(section, base, played=played)
    command = section.texts("command")
    assert command is not None
    if not played:
        command = (_program(section, command[0], directory), *command[1:])
        _check_script(section, command, directory)
    return BotEntry(
        name,
        command=command,
        owner=owner,
        copies=copies,
        directory=directory,
        environment=MappingProxyType(_environment(section)),
    )


def _way(section: Section, name: str) -> str:
    """How a bot comes to the event: the one of three keys that it has."""
    if "remote" in section and section.raw("remote") is not True:
        raise section.refuse("remote", f"must be true, not {shown(section.raw('remote'))}; leave it out otherwise")
    found = [way for way in _WAYS if way in section]
    if len(found) != 1:
        has = " and ".join(repr(way) for way in found) if found else "none of these"
        raise section.source.refuse(
            section.path, f"{name!r} has {has}; it must have one of 'command', 'builtin' and 'remote'"
        )
    return found[0]


def _owner(section: Section) -> str:
    """Whose bot it is; empty when it does not say."""
    owner = section.text("owner", "")
    if "owner" in section and not (owner.strip() and owner.isprintable() and len(owner) <= _LONGEST_OWNER):
        raise section.refuse("owner", f"must be 1 to {_LONGEST_OWNER} printable characters, not {shown(owner)}")
    return owner


def _directory(section: Section, base: Path, *, played: bool) -> Path:
    """Where a command runs: as given, relative to the file; the file's own directory by default."""
    directory = (base / section.text("directory", ".")).resolve()
    if not played and not directory.is_dir():
        raise section.refuse("directory", f"there is no directory {str(directory)!r}")
    return directory


def _program(section: Section, name: str, directory: Path) -> str:
    """The path of a command's program: beside the running Python first, where `lastcard` and `python3` are."""
    if "/" in name:
        found, where = shutil.which(str(directory / name)), f"relative to {str(directory)!r}"
    else:
        beside = str(Path(sys.executable).parent)
        found, where = shutil.which(name, path=beside) or shutil.which(name), f"in {beside!r} and on PATH"
    if found is None:
        raise section.source.refuse(
            (*section.path, "command"), f"there is no program {name!r} that can be run; looked for {where}"
        )
    return found


def _check_script(section: Section, command: Sequence[str], directory: Path) -> None:
    """Check that a script exists that is named right behind its interpreter: as wrong as a missing program."""
    if len(command) < 2 or command[1].startswith("-") or not _INTERPRETER.fullmatch(Path(command[0]).name):
        return
    if not (directory / command[1]).exists():
        raise section.source.refuse(
            (*section.path, "command", 1), f"there is no file {command[1]!r} in {str(directory)!r} for {command[0]!r}"
        )


def _environment(section: Section) -> dict[str, str]:
    values = section.raw("environment") if "environment" in section else {}
    path = (*section.path, "environment")
    if not isinstance(values, dict):
        valid = 'a table of texts such as { DEBUG = "1" }'
        raise section.refuse("environment", f"must be {valid}, not {shown(values)}")
    for key, value in values.items():
        if not _VARIABLE.fullmatch(key):
            raise section.source.refuse((*path, key), "cannot name a variable; valid are letters, digits and '_'")
        if key in GIVEN_VARIABLES:
            raise section.source.refuse((*path, key), "is set by the tournament; leave it out")
        if not isinstance(value, str):
            raise section.source.refuse((*path, key), f"must be a text in quotes, not {shown(value)}")
        if "\0" in value:
            raise section.source.refuse((*path, key), f"must be a text without \\u0000, not {shown(value)}")
    return values
