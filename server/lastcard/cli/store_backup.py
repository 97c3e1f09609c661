"""`lastcard store backup DIR TARGET`: a copy of a data directory from which a server can be started.

Here: arguments, the order of copying, what is said. Not here: copying the store itself (`lastcard.store.copying`).
"""

import argparse
import os
import shutil
from collections.abc import Iterator
from pathlib import Path

from lastcard.cli.errors import CommandError
from lastcard.cli.paths import path_of
from lastcard.cli.store_copy import copied
from lastcard.store.opening import FILE

EPILOG = """\
examples:
  lastcard store backup arena /backups/arena-monday
  lastcard serve --data /backups/arena-monday

Works while the server runs, and does not hold it up. TARGET is new or empty. Whatever else lies in DIR (events, the
organiser's token) is copied behind the store, so that events are no older than their tables. Whoever can read the copy
can read the cards of tables that are on: keep it as you keep DIR. `lastcard store check TARGET` proves it.
exit status: 0 copied, 2 not
"""


def add_parser(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Adds `backup`."""
    parser = commands.add_parser(
        "backup",
        help="copy a data directory, also while its server runs",
        description="Copy a data directory, also while its server runs.",
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument("directory", metavar="DIR", type=path_of, help="the server's --data directory")
    parser.add_argument("target", metavar="TARGET", type=path_of, help="the directory of the copy, new or empty")


def run(args: argparse.Namespace) -> int:
    """Copies; 0."""
    source, target = args.directory, args.target
    _prepare(source, target)
    copied(source, target / FILE)
    files = 1
    try:
        for path in _others(source):
            files += _copy_file(path, target / path.relative_to(source))
        _sync(target)
    except OSError as error:
        raise CommandError(
            f"{target} is not complete: {error.filename or target}: {error.strerror or error}; remove it and try again"
        ) from error
    size = sum(path.stat().st_size for path in target.rglob("*") if path.is_file())
    print(f"{target}: {files} {'file' if files == 1 else 'files'}, {size / 1e6:.1f} MB")
    print(f"next: `lastcard store check {target}`, `lastcard serve --data {target}`")
    return 0


def _prepare(source: Path, target: Path) -> None:
    if not source.is_dir():
        raise CommandError(f"{source} is no directory; name the --data directory of a server")
    if target.resolve().is_relative_to(source.resolve()):
        raise CommandError(f"{target} lies in {source}, which is to be copied; name a directory elsewhere")
    try:
        target.mkdir(parents=True, exist_ok=True)
        if any(target.iterdir()):
            raise CommandError(f"{target} is not empty; name a new directory")
    except OSError as error:
        raise CommandError(f"{target} cannot be made: {error.strerror}; name another directory") from error


def _others(source: Path) -> Iterator[Path]:
    """All files but those of stores, which are of no use without one another: events keep none of their own."""
    for where, _, names in os.walk(source):
        yield from (Path(where, name) for name in sorted(names) if not name.startswith(FILE))


def _copy_file(path: Path, target: Path) -> int:
    """Copy a file with its mode; 0 when it is gone by now, as one is that was written under another name at first."""
    target.parent.mkdir(parents=True, exist_ok=True)
    try:
        shutil.copy2(path, target, follow_symlinks=False)
    except FileNotFoundError:
        return 0
    return 1


def _sync(target: Path) -> None:
    for path in target.rglob("*"):
        descriptor = os.open(path, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
