"""What is shown of a running tournament: live on a terminal, plain lines without one.

Here: the views. Not here: the words (`tournament_words`), the ranking's text (`tournament_ranking`), the figures
(`tournament.statistics`). May import `rich` and `lastcard.tournament`.
"""

import sys
import time
from typing import TYPE_CHECKING, Self

from rich.console import Console, Group
from rich.live import Live
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn
from rich.text import Text

from lastcard.cli.tournament_ranking import ranking_table
from lastcard.cli.tournament_words import faults_of, opening, sentence_of
from lastcard.tournament import notices
from lastcard.tournament.director.books import scoring_of
from lastcard.tournament.file import TournamentFile
from lastcard.tournament.notices import Notice
from lastcard.tournament.results import Results
from lastcard.tournament.statistics import standings

if TYPE_CHECKING:
    from rich.table import Table

    from lastcard.tournament.ledger import Row

_REFRESH_S = 1.0
"""How often the live ranking is computed anew, at most."""
_LEAST_PAUSE = 30
"""The pause between two computations is at least so many times their length, however many games there are."""
_PLAIN_S = 10.0
"""How often a line tells the progress where there is no terminal."""
_EVENTS_SHOWN = 6


class View:
    """Whoever shows a running tournament; it is opened before and entered while the games are played."""

    def open(self, file: TournamentFile, results: Results) -> None:
        """Take what is about to be played."""

    def show(self, notice: Notice) -> None:
        """Show a notice."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        return None


class SilentView(View):
    """Shows nothing, for output that a program reads."""


class PlainView(View):
    """Lines of text, for logs and pipes."""

    def __init__(self) -> None:
        self._started = self._told = time.monotonic()
        self._heard = True

    def open(self, file: TournamentFile, results: Results) -> None:
        """Say what is played."""
        for sentence in opening(file, results):
            self._say(sentence)

    def _say(self, sentence: str) -> None:
        """Print a line, as long as it can be; the games go on without readers, and when the disk behind is full."""
        try:
            if self._heard:
                print(sentence, flush=True)
        except OSError:
            self._heard = False

    def show(self, notice: Notice) -> None:
        """Print what matters of a notice; games only now and then."""
        if isinstance(notice, notices.GameFinished):
            now = time.monotonic()
            if now - self._told >= _PLAIN_S or notice.played == notice.games:
                self._told = now
                self._say(f"{notice.played} of {notice.games} games, {now - self._started:.0f} s")
            for sentence in faults_of(notice.row):
                self._say(sentence)
        elif (told := sentence_of(notice)) is not None:
            self._say(told)


class LiveView(View):
    """A progress bar, the ranking so far and the latest incidents, redrawn in place."""

    def __init__(self, console: Console | None = None) -> None:
        self._console = console or Console(markup=False, emoji=False)
        self._progress = Progress(
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TextColumn("games"),
            TimeElapsedColumn(),
            TextColumn("left"),
            TimeRemainingColumn(),
            console=self._console,
        )
        self._live = Live(console=self._console, refresh_per_second=4, transient=True)
        self._task = self._progress.add_task("starting", total=None)
        self._rows: list[Row] = []
        self._due = 0.0
        self._ranking: Table | Text = Text("")
        self._happened: list[str] = []

    @staticmethod
    def fits() -> bool:
        """Whether there is a terminal to draw on."""
        return sys.stdout.isatty() and Console().is_terminal

    def open(self, file: TournamentFile, results: Results) -> None:
        """Say what is played."""
        self._file = file
        for sentence in opening(file, results):
            self._console.print(sentence, highlight=False)

    def __enter__(self) -> Self:
        self._live.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._live.stop()

    def show(self, notice: Notice) -> None:
        """Take a notice into the picture."""
        if isinstance(notice, notices.Resumed | notices.Complete):
            self._console.print(sentence_of(notice), highlight=False)
        if isinstance(notice, notices.Resumed):
            self._rows += notice.rows
        elif isinstance(notice, notices.Started):
            self._progress.update(self._task, description="playing", total=notice.games, completed=notice.played)
        elif isinstance(notice, notices.GameFinished):
            self._rows.append(notice.row)
            self._progress.update(self._task, total=notice.games, completed=notice.played)
            self._happened += faults_of(notice.row)
            self._rank()
        elif isinstance(notice, notices.Verifying):
            self._progress.update(self._task, description="verifying")
        kinds = notices.BotFailed | notices.BotSetAside | notices.Stopping | notices.GameStarted | notices.WorkerDied
        if isinstance(notice, kinds) and (told := sentence_of(notice)) is not None:
            self._happened.append(told)
        del self._happened[:-_EVENTS_SHOWN]
        self._live.update(Group(self._progress, self._ranking, Text("\n".join(self._happened), style="yellow")))

    def _rank(self) -> None:
        begun = time.monotonic()
        if begun >= self._due:
            names = [bot.name for bot in self._file.bots]
            self._ranking = ranking_table(standings(self._rows, names, scoring_of(self._file)))
            ended = time.monotonic()
            self._due = ended + max(_REFRESH_S, _LEAST_PAUSE * (ended - begun))
