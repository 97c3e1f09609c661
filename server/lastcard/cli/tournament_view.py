"""What is shown of a running tournament: live on a terminal, plain lines without one.

Here: the views, which are fed by notices and know nothing of who plays. Not here: the picture (`tournament_live`), the
words (`tournament_words`), the figures (`tournament.statistics`). May import `rich` and `lastcard.tournament`.
"""

import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import Self

from rich.console import Console
from rich.live import Live

from lastcard.cli.tournament_live import Picture
from lastcard.cli.tournament_progress import Progress, clock_text
from lastcard.cli.tournament_words import ShownEvent, faults_of, sentence_of
from lastcard.tournament import notices
from lastcard.tournament.ledger import Row
from lastcard.tournament.notices import Notice
from lastcard.tournament.statistics import RunningStandings

_REFRESH_S = 1.0
"""How often the live ranking is computed anew, at most."""
_LEAST_PAUSE = 30
"""The pause between two computations is at least so many times their length, however many games there are."""
_PLAIN_S = 10.0
"""How often a line tells the progress where there is no terminal."""
_EVENTS_SHOWN = 6
_NOTHING: Mapping[str, object] = MappingProxyType({})


class View:
    """Whoever shows a running tournament; it is opened before and entered while the games are played."""

    def open(self, event: ShownEvent) -> None:
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
        self._progress = Progress()
        self._told = time.monotonic()
        self._heard = True
        self._stage: tuple[int, str] | None = None
        self._verdict = ""

    def open(self, event: ShownEvent) -> None:
        """Say what is played."""
        for sentence in event.opening:
            self._say(sentence)

    def _say(self, sentence: str) -> None:
        """Print a line, as long as it can be; the games go on without readers, and when the disk behind is full."""
        try:
            if self._heard:
                print(sentence, flush=True)
        except OSError:
            self._heard = False

    def show(self, notice: Notice) -> None:
        """Print what matters of a notice; games, and that nothing is settled, only now and then."""
        told = sentence_of(notice)
        match notice:
            case notices.GameFinished(row, played, games):
                self._progress.finish(played, games)
                self._tell_progress(at_once=played == games)
                for sentence in faults_of(row):
                    self._say(sentence)
            case notices.Looked(settled=False):
                self._verdict = told or ""
            case notices.StageStarted(number, title) if (number, title) == self._stage:
                pass  # a further part of the same one
            case _ if told is not None:
                self._say(told)
        if isinstance(notice, notices.Started):
            self._progress.begin(notice.played, notice.games)
        elif isinstance(notice, notices.StageStarted):
            self._stage = notice.number, notice.title

    def _tell_progress(self, *, at_once: bool) -> None:
        now = time.monotonic()
        if now - self._told < _PLAIN_S and not at_once:
            return
        self._told = now
        made = self._progress
        left = made.left_s or 0
        about = f", {'at most' if self._verdict else 'about'} {clock_text(left)} left" if left else ""
        self._say(f"{made.played} of {made.games} games, {clock_text(made.elapsed_s)}{about}")
        if self._verdict:
            self._say(self._verdict)


class LiveView(View):
    """Progress, the ranking so far and the latest incidents, redrawn in place."""

    def __init__(self, console: Console | None = None) -> None:
        self._console = console or Console(markup=False, emoji=False, highlight=False)
        self._progress = Progress()
        self._picture = Picture(self._progress)
        self._live = Live(self._picture, console=self._console, refresh_per_second=2, transient=True)
        self._running: RunningStandings | None = None
        self._counted = False
        self._due = 0.0
        self._happened: list[str] = []

    @staticmethod
    def fits() -> bool:
        """Whether there is a terminal to draw on."""
        return sys.stdout.isatty() and Console().is_terminal

    def open(self, event: ShownEvent) -> None:
        """Say what is played."""
        self._running = RunningStandings(event.bots, event.scoring)
        for sentence in event.opening:
            self._console.print(sentence, highlight=False)

    def __enter__(self) -> Self:
        self._live.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._live.stop()

    def show(self, notice: Notice) -> None:
        """Take a notice into the picture."""
        told = sentence_of(notice)
        match notice:
            case notices.Resumed(rows):
                self._console.print(told, highlight=False)
                self._count(rows)
            case notices.Complete():
                self._console.print(told, highlight=False)
            case notices.RemoteAwaited() if told is not None:
                # Above the picture, to be copied from there: whole, on a line of its own.
                self._console.print(told, highlight=False, markup=False, soft_wrap=True)
            case notices.Started(_, games, played):
                self._picture.phase = "playing"
                self._progress.begin(played, games)
            case notices.StageStarted():
                self._picture.stage = told or ""
            case notices.Looked():
                self._picture.verdict = told or ""
            case notices.Ranked(made):
                self._picture.standings = made
            case notices.GameFinished(row, played, games):
                self._progress.finish(played, games)
                self._happened += faults_of(row)
                self._count([row])
            case notices.Verifying():
                self._picture.phase = "verifying"
                self._rank()
            case notices.BotReady(starts=1):
                pass  # that it is there at the beginning is no incident
            case _ if told is not None:
                self._happened.append(told)
        del self._happened[:-_EVENTS_SHOWN]
        self._picture.happened = tuple(self._happened)

    def _count(self, rows: Sequence[Row]) -> None:
        """Count games, and rank anew when it is time."""
        assert self._running is not None
        self._counted |= bool(rows)
        for row in rows:
            self._running.add(replace(row, luck=(), times=_NOTHING, record="", record_hash=""))  # it keeps them all
        if time.monotonic() >= self._due:
            self._rank()

    def _rank(self) -> None:
        if self._running is None or not self._counted:
            return  # whoever looks on is told the standings
        begun = time.monotonic()
        self._picture.standings = self._running.standings()
        ended = time.monotonic()
        self._due = ended + max(_REFRESH_S, _LEAST_PAUSE * (ended - begun))
