"""The command line of `lastcard`: finds the subcommand, runs it and turns every ending into an exit status.

Here: the list of subcommands, help, version and the error boundary. Not here: being interrupted (`main`), what a
subcommand does (`<name>_command`). A subcommand's module is imported only when it is asked for, so that those that need
no server work without the server's packages; so this module may import the standard library only.

A subcommand's module offers `add_parser(subparsers)`, which adds its own parser under its name, and `run(args) -> int`,
which returns 0 when all is well and 1 when what was examined is not.
"""

import argparse
import importlib
import io
import os
import sys
import traceback
from collections.abc import Sequence
from pathlib import Path
from types import ModuleType
from typing import Any, NoReturn

from lastcard.cli.errors import CommandError

COMMANDS = {
    "serve": "run the arena",
    "bot": "run a bot that dials in to a server",
    "bridge": "let a program that reads and writes JSON lines play as a bot",
    "tournament": "run a tournament from a file or on a server",
    "conform": "check that a bot speaks the protocol well, in any language",
    "practice": "play a bot over a bad line and tell what limits it would keep",
    "match": "play a fast series in one process, without network",
    "table": "create, list, watch and record tables on a server",
    "scenario": "check scenario files against the rules",
    "rules": "show presets, their options and what they mean",
    "store": "copy, check, export and prune what a server keeps on disk",
    "verify": "check records: hash chain, legality, scores, chance",
    "show": "show a recorded game",
    "bench": "measure engine or service against a control",
}

EPILOG = """\
examples:
  lastcard tournament run friday-cup.toml
  lastcard serve --practice
  lastcard bot run greedy --server 127.0.0.1:7600
  lastcard conform -- python clients/python/examples/my_bot.py
  lastcard match shrewd greedy greedy random

`lastcard COMMAND --help` shows a command's options and examples.
exit status: 0 all is well, 1 what was examined is not, 2 the command could not be done
"""


class _Parser(argparse.ArgumentParser):
    """An argument parser whose errors are one sentence and point to the help; options are given by their whole name."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **{**kwargs, "allow_abbrev": False})

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> tuple[Any, list[str]]:
        """Refuse unknown arguments where they are found, so that the help named is that of the subcommand."""
        parsed, unknown = super().parse_known_args(args, namespace)
        if unknown:
            starts = any(action.metavar == "COMMAND" and action.nargs in ("*", "+") for action in self._actions)
            hint = "; put -- before COMMAND, as in the examples" if starts and "--" not in args else ""
            self.error(f"unrecognized arguments: {' '.join(unknown)}{hint}")
        return parsed, unknown

    def error(self, message: str) -> NoReturn:
        self.exit(2, f"{self.prog}: {message} (see `{self.prog} --help`)\n")


class _Version(argparse.Action):
    """Prints the version; looked up only when it is asked for, since that imports much."""

    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> None:
        print(f"lastcard {_version()}")
        parser.exit()


def run(arguments: Sequence[str]) -> int:
    """Run a command line and return its exit status: 0, 1 or 2."""
    _prepare_streams()
    try:
        status = _run(arguments)
        sys.stdout.flush()
    except CommandError as error:
        return _fail(str(error), error.status)
    except BrokenPipeError:
        return _stop_writing()
    except OSError as error:
        _show_traceback()
        where = "" if error.filename is None else f" ({os.fsdecode(error.filename)})"
        return _fail(f"the system refused: {error.strerror or error}{where}", 2)
    except Exception as error:  # noqa: BLE001 - the outermost boundary: a user never sees a traceback
        _show_traceback()
        what = f"{type(error).__name__}: {error}"
        return _fail(f"internal error, please report it: {what} (LASTCARD_TRACEBACK=1 shows where)", 2)
    return status


def _run(arguments: Sequence[str]) -> int:
    name = next((argument for argument in arguments if not argument.startswith("-")), None)
    parser = _Parser(
        prog="lastcard",
        description="An arena in which UNO bots play each other, and people, over gRPC.",
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action=_Version, nargs=0, help="show the version and exit")
    subparsers = parser.add_subparsers(title="commands", metavar="COMMAND", dest="command", parser_class=_Parser)
    module = None
    for command, summary in COMMANDS.items():
        if command == name:
            module = _module(command)
            module.add_parser(subparsers)
        else:
            subparsers.add_parser(command, help=summary)
    args = parser.parse_args(arguments)
    if module is None:
        parser.print_help()
        return 0
    status: int = module.run(args)
    return status


def _module(command: str) -> ModuleType:
    try:
        return importlib.import_module(f"lastcard.cli.{command}_command")
    except ModuleNotFoundError as error:
        missing = (error.name or "").partition(".")[0]
        if missing == "lastcard":
            raise CommandError(f"`lastcard {command}` is not part of this build: {error.name} is missing") from error
        advice = "pip install 'lastcard[server]'"
        raise CommandError(f"`lastcard {command}` needs the package {missing!r}, not installed: {advice}") from error


def _version() -> str:
    from importlib.metadata import PackageNotFoundError, version  # noqa: PLC0415 - see _Version

    try:
        return version("lastcard")
    except PackageNotFoundError:
        return "unknown (not installed)"


def _prepare_streams() -> None:
    """Give a process that was started with closed streams (`>&-`) some that lead nowhere, and let it print any text.

    Names in files and of files may hold what an encoding does not; in JSON the escape reads back as what it was.
    """
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, Path(os.devnull).open(mode, encoding="utf-8"))  # noqa: SIM115 - open until the end
    if isinstance(sys.stdout, io.TextIOWrapper) and sys.stdout.errors == "strict":
        sys.stdout.reconfigure(errors="backslashreplace")


def _show_traceback() -> None:
    if os.environ.get("LASTCARD_TRACEBACK"):
        traceback.print_exc()


def _fail(sentence: str, status: int) -> int:
    print(f"lastcard: {sentence}", file=sys.stderr)
    return status


def _stop_writing() -> int:
    """The reader of our output is gone; nothing may be written when the interpreter flushes at its end."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return 1
