"""Builds and tests the clients in all languages whose tools are present: `make clients`.

Here: which are present, running `make build` and `make test` in each folder, and a summary. Not here: how a client is
built (its Makefile), whether its bot keeps the protocol (tests/clients). Standard library only.

A language whose tools are missing is skipped, and the summary says so; with --all that is a failure.
"""

import argparse
import os
import shutil
import subprocess
import sys
import time
import tomllib
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

CLIENTS = Path(__file__).resolve().parent
LANGUAGES = CLIENTS / "languages.toml"


class Language(NamedTuple):
    """A language with a client: its folder in `clients/`, the commands that building takes, and how its bots start."""

    name: str
    folder: str
    needs: tuple[str, ...]
    bot: tuple[str, ...]
    listener: tuple[str, ...]

    def missing(self) -> list[str]:
        """The commands that building takes and that are not here."""
        return [command for command in self.needs if shutil.which(command) is None]


def languages() -> list[Language]:
    """All languages, in the order of the file."""
    rows: list[dict[str, Any]] = tomllib.loads(LANGUAGES.read_text(encoding="utf-8"))["language"]
    return [
        Language(row["name"], row["folder"], *(tuple(row[name]) for name in ("needs", "bot", "listener")))
        for row in rows
    ]


def chosen(names: Sequence[str]) -> list[Language]:
    """The languages of these folders, all when none is named; ends the program for one that does not exist."""
    known = {language.folder: language for language in languages()}
    unknown = [name for name in names if name not in known]
    if unknown:
        sys.exit(f"there is no client in {', '.join(unknown)}; the folders are {', '.join(known)}")
    return [known[name] for name in names] or list(known.values())


def build(language: Language) -> str:
    """Builds and tests a client, and says what came of it in a word: `passed`, `build failed` or `tests failed`."""
    folder = CLIENTS / language.folder
    if not (folder / "Makefile").exists():
        return "passed"  # what has nothing to build is tested with the server
    environment = {name: value for name, value in os.environ.items() if name not in {"MAKEFLAGS", "MAKELEVEL"}}
    for target, failure in (("build", "build failed"), ("test", "tests failed")):
        if subprocess.run(
            ["make", "--no-print-directory", target], cwd=folder, env=environment, check=False
        ).returncode:
            return failure
    return "passed"


def main() -> None:
    """Builds and tests the clients that are named, or all; exit status 1 when one failed."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("folder", nargs="*", help="which to build, for example: go rust; all when none is named")
    parser.add_argument("--all", action="store_true", help="a language whose tools are missing is a failure")
    arguments = parser.parse_args()
    summary = []
    failed = False
    for language in chosen(arguments.folder):
        missing = language.missing()
        if missing:
            failed |= arguments.all
            summary.append(f"{language.name:<11} {'missing' if arguments.all else 'skipped'}: no {', '.join(missing)}")
            continue
        print(f"== {language.name}", flush=True)
        started = time.monotonic()
        outcome = build(language)
        failed |= outcome != "passed"
        summary.append(f"{language.name:<11} {outcome} in {time.monotonic() - started:.0f} s")
    print("\n".join(["== Summary", *summary]), flush=True)
    sys.exit(int(failed))


if __name__ == "__main__":
    main()
