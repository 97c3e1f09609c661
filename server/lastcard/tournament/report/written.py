"""The figures of an event as files: all of them made from one reading of its ledger, and written.

Here: `Figures`, and writing them. Not here: their text (`standings`, `page`). May import the standard library and the
pure modules of `tournament`.
"""

from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from lastcard.tournament import durable
from lastcard.tournament.file import TournamentFile
from lastcard.tournament.formats import FORMATS
from lastcard.tournament.judging import Judged, judge
from lastcard.tournament.outlook import with_placings
from lastcard.tournament.reach import ReachError, reach_of
from lastcard.tournament.report.played import Played
from lastcard.tournament.results import PAGE
from lastcard.tournament.scoring import Scoring
from lastcard.tournament.standings import CSV_NAME, JSON_NAME, standings_csv, standings_json
from lastcard.tournament.statistics import Standings, standings_of

if TYPE_CHECKING:
    from lastcard.tournament.figures import Figures as Further

NAMES = (JSON_NAME, CSV_NAME, PAGE)
"""The files, in the order in which they are written."""


class Figures(NamedTuple):
    """All figures of an event; `further` are those that are not in its standings."""

    played: Played
    judged: Judged
    standings: Standings
    further: "Further"


def figures_of(played: Played, scoring: Scoring) -> Figures:
    """All figures of an event."""
    # What computes and draws them takes a while to import, and a server, a worker or a short command makes none.
    from lastcard.tournament.figures import figures_of as further_of  # noqa: PLC0415 - see above

    judged = judge(played.entries, scoring)
    file = played.file
    made = with_placings(standings_of(judged, [bot.name for bot in file.bots]), file, played.entries)
    ranked = [standing.bot for standing in made.ranking]
    reach = _reach(file, scoring)
    by_score = FORMATS[file.format].by_score
    further = further_of(judged, ranked, confidence=file.confidence, reach=reach, by_score=by_score)
    return Figures(played, judged, made, further)


def _reach(file: TournamentFile, scoring: Scoring) -> float | None:
    """The most that a game can give, where there is one: without it nothing can be settled."""
    try:
        return reach_of(scoring, file.rules, file.table_size)
    except ReachError:
        return None


def html_of(made: Figures, *, in_use: bool = False, base: str = "") -> str:
    """The page; `in_use`: a process works in the directory, which lies at `base` from the page."""
    from lastcard.tournament.report.page import page_of  # noqa: PLC0415 - see `figures_of`

    return page_of(made.played, made.judged, made.standings, made.further, in_use=in_use, base=base)


def write_figures(directory: Path, made: Figures) -> None:
    """Write the ranking and the page, each whole or not at all; when this returns, they are on disk."""
    name = made.played.file.name
    texts = (
        standings_json(made.standings, name, made.further),
        standings_csv(made.standings, made.further),
        html_of(made),
    )
    for file, text in zip(NAMES, texts, strict=True):
        durable.replace(directory / file, text.encode())
