"""`lastcard tournament report EVENT`: computes every figure of an event again, from nothing but its results directory.

Here: arguments, writing the files, what is printed. Not here: the figures (`tournament.statistics`), the page
(`tournament.report`), getting what they follow from of a server (`tournament_report_hosted`). May import anything.

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
from lastcard.cli.table_server import add_server_options
from lastcard.cli.tournament_event import EVENT_HELP, add_event, is_hosted
from lastcard.cli.tournament_ranking import figures_text
from lastcard.cli.tournament_report_hosted import fetched
from lastcard.tournament.claim import InUseError, claimed
from lastcard.tournament.director.books import scoring_of
from lastcard.tournament.report.played import PlayedError, read_played
from lastcard.tournament.report.written import NAMES, Figures, figures_of, html_of, write_figures
from lastcard.tournament.standings import as_dict
from lastcard_bot.bots import BOTS

EPILOG = f"""\
examples:
  lastcard tournament report results/friday-cup
  lastcard tournament report results/friday-cup --json
  lastcard tournament report results/friday-cup --html /tmp/so-far.html
  lastcard tournament report friday --html friday.html --server 127.0.0.1:7600

{EVENT_HELP}
Every figure follows from the ledger and the tournament file. The event may be complete, stopped, broken off or being
played, and a directory may be a copy from another machine. Written are standings.json, standings.csv and report.html, a
page that opens offline in any browser; with --html only the page, to another file. In a directory whose event is being
played, and of a server's tournament, nothing is written but what --html names. The page of a server's tournament links
no records, which are in its archive (`lastcard tournament export`); before it is over it is for the organiser.
exit status: 0 done, 2 it is no results directory, something in it is damaged or cannot be written, or the server could
not be asked
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
    add_event(parser)
    parser.add_argument("--html", metavar="FILE", type=path_of, help="write the page there, and nothing else")
    parser.add_argument("--json", action="store_true", help="print the standings as JSON and nothing else")
    add_server_options(parser)


def run(args: argparse.Namespace) -> int:
    """Run `lastcard tournament report`."""
    directory = None if is_hosted(args) else Path(args.event)
    made, written = _report_hosted(args) if directory is None else _report_here(directory, args.html)
    if args.json:
        print(_json(directory, made, written))
        return 0
    print(figures_text(made.played.file.name, made.standings))
    for path in written.files:
        print(f"written: {path}")
    if written.note:
        print(written.note)
    return 0


def _report_hosted(args: argparse.Namespace) -> tuple[Figures, _Written]:
    page: Path | None = args.html
    with fetched(args) as (directory, is_played):
        made = _made(directory)
        if page is None:
            return made, _Written((), "nothing is written; --html FILE writes the page")
        elsewhere = made._replace(played=made.played._replace(present=frozenset()))  # files that a page could link
        _write_page(page, html_of(elsewhere, in_use=is_played))
        return made, _Written((page,), "")


def _report_here(directory: Path, page: Path | None) -> tuple[Figures, _Written]:
    try:
        with claimed(directory):
            return _report(directory, page, in_use=False)
    except InUseError:
        return _report(directory, page, in_use=True)


def _made(directory: Path) -> Figures:
    try:
        played = read_played(directory, tuple(BOTS))
    except PlayedError as error:
        raise CommandError(str(error)) from error
    return figures_of(played, scoring_of(played.file))


def _report(directory: Path, page: Path | None, *, in_use: bool) -> tuple[Figures, _Written]:
    made = _made(directory)
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


def _json(directory: Path | None, made: Figures, written: _Written) -> str:
    data = as_dict(made.standings, made.played.file.name, made.further)
    if directory is not None:
        data["directory"] = str(directory)
    data["state"] = made.played.state.state
    data["written"] = [str(path) for path in written.files]
    return json.dumps(data, indent=2, ensure_ascii=False)
