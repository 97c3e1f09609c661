"""`lastcard tournament report DIR`: computes every figure of an event again, from nothing but its results directory.

Here: arguments, writing the files, what is printed. Not here: the figures (`tournament.statistics`), the page
(`tournament.report`). May import anything.

A directory that a director is working in is read, which is always safe, but nothing is written in it: its director
writes the same files at the end.
"""

import argparse
import json
import os
from pathlib import Path
from typing import Any, NamedTuple

from lastcard.cli.errors import CommandError
from lastcard.cli.paths import path_of
from lastcard.cli.tournament_ranking import figures_text
from lastcard.tournament.claim import InUseError, claimed
from lastcard.tournament.director.books import scoring_of
from lastcard.tournament.report.played import PlayedError, read_played
from lastcard.tournament.report.written import NAMES, Figures, figures_of, html_of, write_figures
from lastcard.tournament.standings import as_dict
from lastcard_bot.bots import BOTS

EPILOG = """\
examples:
  lastcard tournament report results/friday-cup
  lastcard tournament report results/friday-cup --json
  lastcard tournament report results/friday-cup --html /tmp/so-far.html

Every figure follows from the ledger and the tournament file in DIR. The event may be complete, stopped, broken off or
being played, and DIR may be a copy from another machine. Written are standings.json, standings.csv and report.html, a
page that opens offline in any browser; with --html only the page, to another file. In a directory whose event is being
played nothing is written, so that --html is needed for a page of it.
exit status: 0 done, 2 DIR is no results directory, or something in it is damaged or cannot be written
"""


class _Written(NamedTuple):
    """What came of it: the files that were written, and a sentence where some were not."""

    files: tuple[Path, ...]
    note: str


def add_parser(commands: Any) -> None:
    """Add the action `report`."""
    parser = commands.add_parser(
        "report",
        help="compute all figures of an event again and write its page",
        description="Compute all figures of an event from its ledger, print the ranking and write the report.",
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("directory", metavar="DIR", type=path_of, help="a results directory")
    parser.add_argument("--html", metavar="FILE", type=path_of, help="write the page there, and nothing in DIR")
    parser.add_argument("--json", action="store_true", help="print the standings as JSON and nothing else")


def run(args: argparse.Namespace) -> int:
    """Run `lastcard tournament report`."""
    directory: Path = args.directory
    try:
        with claimed(directory):
            made, written = _report(directory, args.html, in_use=False)
    except InUseError:
        made, written = _report(directory, args.html, in_use=True)
    if args.json:
        print(_json(directory, made, written))
        return 0
    print(figures_text(made.played.file.name, made.standings))
    for path in written.files:
        print(f"written: {path}")
    if written.note:
        print(written.note)
    return 0


def _report(directory: Path, page: Path | None, *, in_use: bool) -> tuple[Figures, _Written]:
    try:
        played = read_played(directory, tuple(BOTS))
    except PlayedError as error:
        raise CommandError(str(error)) from error
    made = figures_of(played, scoring_of(played.file))
    if page is not None:
        base = Path(os.path.relpath(directory, page.parent)).as_posix()
        _write_page(page, html_of(made, in_use=in_use, base=base))
        return made, _Written((page,), "")
    if in_use:
        note = f"the event is being played, so nothing is written in {directory}; --html FILE writes a page elsewhere"
        return made, _Written((), note)
    try:
        write_figures(directory, made)
    except OSError as error:
        raise CommandError(
            f"nothing can be written in {str(directory)!r}: {error.strerror or error}; write the page elsewhere with "
            f"--html FILE"
        ) from error
    return made, _Written(tuple(directory / name for name in NAMES), "")


def _write_page(path: Path, text: str) -> None:
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise CommandError(f"the page {str(path)!r} cannot be written: {error.strerror or error}") from error


def _json(directory: Path, made: Figures, written: _Written) -> str:
    data = as_dict(made.standings, made.played.file.name, made.further)
    data["directory"] = str(directory)
    data["state"] = made.played.state.state
    data["written"] = [str(path) for path in written.files]
    return json.dumps(data, indent=2, ensure_ascii=False)
