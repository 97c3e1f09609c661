"""The page: all sections put together and written as one HTML file.

Here: `page_of`. Not here: what a section says (one module each), its looks (`page.html`, `page.css`, `page.js`). May
import the standard library, jinja2, markupsafe and the pure modules of `tournament`.

Whatever a ledger or a file holds is hostile: every value is escaped, and should one slip through, the page's own policy
lets no other script run than the one that is known by its hash.
"""

import base64
from functools import lru_cache
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple

from jinja2 import Environment, FileSystemLoader, StrictUndefined, Template
from markupsafe import Markup

from lastcard.tournament.balance import balance_of_games
from lastcard.tournament.figures import Figures
from lastcard.tournament.judging import Judged
from lastcard.tournament.ledger import Row
from lastcard.tournament.ratings import rating_course
from lastcard.tournament.report.blame import KIND_TITLES, Blamed, blame_of
from lastcard.tournament.report.contenders import contenders_of
from lastcard.tournament.report.evenness import evenness_of
from lastcard.tournament.report.form import course_of
from lastcard.tournament.report.games import games_of
from lastcard.tournament.report.head import head_of
from lastcard.tournament.report.links import Links
from lastcard.tournament.report.meetings import meetings_of
from lastcard.tournament.report.memory import memory_of
from lastcard.tournament.report.pace import pace_of
from lastcard.tournament.report.played import Played
from lastcard.tournament.report.ranking import ranking_of
from lastcard.tournament.report.table import table_of
from lastcard.tournament.report.verdicts import verdicts_of
from lastcard.tournament.schedule import Game
from lastcard.tournament.statistics import Standings

NAME = "report.html"
"""The page's name in a results directory."""

_HERE = Path(__file__).parent
_SECTIONS = (
    ("ranking", "Ranking"),
    ("figures", "Standings"),
    ("meetings", "Who beats whom"),
    ("course", "Ratings"),
    ("pace", "Thinking times"),
    ("faults", "Faults"),
    ("verdicts", "Rulings"),
    ("evenness", "Balance"),
    ("games", "Games"),
    ("reading", "How to read this page"),
)


class _Blame(NamedTuple):
    kinds: tuple[str, ...]
    lines: tuple[Blamed, ...]
    total: int


def page_of(
    played: Played, judged: Judged, made: Standings, figures: Figures, *, in_use: bool = False, base: str = ""
) -> str:
    """The page of an event, from what its ledger was judged to mean and the figures after that.

    `in_use`: a process works in the directory. `base` is the way from the page to the directory, empty when the page
    lies in it.
    """
    file = played.file
    bots = [bot.name for bot in file.bots]
    links = Links(played.present, base)
    ranked = [standing.bot for standing in made.ranking]
    rows = [game.row for game in judged.games]
    lines = blame_of(rows, file.bots, played.state.conduct, links)
    return _template().render(
        style=_text("page.css"),
        script=_text("page.js"),
        script_hash=_hash(_text("page.js")),
        sections=_SECTIONS,
        head=head_of(played, made, in_use=in_use),
        ranking=ranking_of(made, figures, file.table_size),
        figures=table_of(made, figures, contenders_of(file.bots, rows)),
        meetings=meetings_of(figures.meetings, ranked),
        course=course_of(rating_course(judged, ranked), ranked),
        pace=pace_of(figures.thinking, ranked, file.clock.limit_ms),
        verdicts=verdicts_of(played.entries.rulings, judged),
        evenness=evenness_of(balance_of_games(bots, map(_game, rows), file.seats)),
        blame=_Blame(tuple(KIND_TITLES.values()), lines, sum(map(_told_of, lines))),
        memory=memory_of(figures.remembering, ranked),
        placings=made.placings or (),
        files=links.to_files(),
        games=games_of(judged, bots, links),
        bots=bots,
    )


def _told_of(line: Blamed) -> int:
    """How much there is to tell of a bot's faults."""
    return line.total + line.recovered + bool(line.aside)


def _game(row: Row) -> Game:
    return Game(row.game, row.set, row.deal, row.rotation, row.seats)


@lru_cache(maxsize=1)
def _template() -> Template:
    environment = Environment(
        loader=FileSystemLoader(_HERE), autoescape=True, undefined=StrictUndefined, keep_trailing_newline=True
    )
    return environment.get_template("page.html")


@lru_cache
def _text(name: str) -> Markup:
    """A file of the page, which is ours and trusted."""
    return Markup((_HERE / name).read_text(encoding="utf-8").strip())  # noqa: S704 - a file of this package


def _hash(script: str) -> str:
    return f"sha256-{base64.b64encode(sha256(script.encode()).digest()).decode()}"
