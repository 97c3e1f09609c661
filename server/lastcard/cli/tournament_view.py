"""What `lastcard tournament run` shows: live on a terminal, plain lines without one, and the ranking at the end.

Here: the views and the ranking's text. Not here: the figures (`tournament.statistics`). May import `rich` and
`lastcard.tournament`.
"""

import io
import shlex
import sys
import time
from collections.abc import Iterable
from typing import Self

from rich.console import Console, Group
from rich.live import Live
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn
from rich.table import Table
from rich.text import Text

from lastcard.tournament import notices
from lastcard.tournament.director import Report
from lastcard.tournament.director.books import scoring_of
from lastcard.tournament.file import TournamentFile
from lastcard.tournament.ledger import Row
from lastcard.tournament.notices import Notice
from lastcard.tournament.results import Results
from lastcard.tournament.rulings import Fault
from lastcard.tournament.statistics import Estimate, Standing, Standings, standings

_REFRESH_S = 1.0
"""How often the live ranking is computed anew, at most."""
_LEAST_PAUSE = 30
"""The pause between two computations is at least so many times their length, however many games there are."""
_PLAIN_S = 10.0
"""How often a line tells the progress where there is no terminal."""
_EVENTS_SHOWN = 6

_SCORE_TITLES = {"wins": "wins", "points": "points a game", "places": "mean place"}


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
        kinds = notices.BotFailed | notices.BotSetAside | notices.Stopping | notices.GameStarted
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


def opening(file: TournamentFile, results: Results) -> Iterable[str]:
    """What is played, and what an organiser should know before."""
    yield (
        f"{file.name}: {len(file.bots)} bots, {file.format}, tables of {file.table_size}, "
        f"{count(file.deals, 'deal')} in every rotation, rules {file.rules.preset}; results in {results.directory}"
    )
    if file.seed is not None:
        yield f"seed {file.seed} makes the event reproducible: whoever knows it can compute the deals"


def sentence_of(notice: Notice) -> str | None:
    """A notice in words; `None` for those that only move the progress."""
    match notice:
        case notices.Resumed(rows, torn):
            cut = f"; a last line of the ledger that was not written to its end ({torn} bytes) is cut off"
            return f"resumed: {count(len(rows), 'game')} finished before" + (cut if torn else "")
        case notices.Complete(games):
            return f"the event is complete: all {count(games, 'game')} were played before"
        case notices.GameStarted(game, at):
            return f"game {game.game} goes on behind event {at}" if at else None
        case notices.Started(address, games, played):
            return f"arena on {address}, {count(games - played, 'game')} to play"
        case notices.BotReady(bot, starts):
            return f"{bot} is connected" + (f" (start {starts})" if starts > 1 else "")
        case notices.BotFailed(bot, why, in_a_row):
            return f"{bot} {why}" + (f" (failure {in_a_row} in a row)" if in_a_row > 1 else "")
        case notices.BotSetAside(bot, why):
            return f"{bot} is {why}; its games from now on are forfeited"
        case notices.Stopping(running, at_once):
            return (
                "stopping now; --resume goes on where this stops"
                if at_once
                else f"stopping after {count(running, 'running game')}; Ctrl-C again stops now"
            )
        case notices.Verifying(records):
            return f"verifying {count(records, 'record')}"
    return None


def faults_of(row: Row) -> list[str]:
    """The faults of a game, one line a bot."""
    by_bot: dict[str, list[str]] = {}
    for fault in row.faults:
        if fault.sequence or fault.kind != Fault.START_UP:  # what was forfeited before it began has been said once
            by_bot.setdefault(fault.bot, []).append(fault.kind)
    return [
        f"game {row.game}: {bot}: " + ", ".join(_times(kinds.count(kind), kind) for kind in dict.fromkeys(kinds))
        for bot, kinds in by_bot.items()
    ]


def count(number: int, noun: str) -> str:
    """A number of things, as in `1 game` or `2 games`."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def _times(count: int, kind: str) -> str:
    return kind if count == 1 else f"{count} × {kind}"


def ranking_text(file: TournamentFile, results: Results, report: Report) -> str:
    """All that is said at the end."""
    made = report.standings
    # No markup: names, paths and what bots printed may hold anything.
    width = None if sys.stdout.isatty() else 120
    console = Console(file=io.StringIO(), width=width, force_terminal=False, markup=False, emoji=False)
    print_ = console.print
    print_()
    print_(f"{file.name}: {count(made.games, 'game')}, {count(made.sets, 'complete set')}", highlight=False)
    print_(ranking_table(made))
    for sentence in _notes(made):
        print_(sentence, highlight=False)
    for bot, why in report.aside:
        print_(f"{bot} was {why}.", highlight=False)
    if not report.complete:
        command = shlex.join(("lastcard", "tournament", "run", str(file.path), "--out", str(results.directory)))
        print_(f"Stopped before all games were played. To go on: {command} --resume", highlight=False, soft_wrap=True)
    for problem in report.problems:
        print_(f"{problem.record} {problem.sentence}", highlight=False, soft_wrap=True)
    print_(_verified(report), highlight=False)
    for sentence in _places(results):
        print_(sentence, highlight=False, soft_wrap=True)
    assert isinstance(console.file, io.StringIO)
    return "\n".join(line.rstrip() for line in console.file.getvalue().splitlines())


def ranking_table(made: Standings) -> Table:
    """The ranking as a table."""
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    most = max((place for standing in made.ranking for place in standing.places), default=0)
    table.add_column("rank", justify="right")
    table.add_column("bot", overflow="fold")
    table.add_column(_SCORE_TITLES[made.scoring.score], justify="right")
    table.add_column("95 % interval", justify="right", no_wrap=True)
    if made.scoring.score != "points":
        table.add_column("points", justify="right")
    for place in range(1, most + 1):
        table.add_column(_ordinal(place), justify="right")
    table.add_column("faults")
    for standing in made.ranking:
        cells = [str(standing.rank), standing.bot, _mean(standing.score, made), _interval(standing.score, made)]
        if made.scoring.score != "points":
            cells.append(_figure(standing.points.mean, 1))
        cells += [str(standing.places.get(place, 0)) for place in range(1, most + 1)]
        table.add_row(*cells, _faults(standing))
    return table


def _ordinal(number: int) -> str:
    return f"{number}{ {1: 'st', 2: 'nd', 3: 'rd'}.get(number, 'th') }"


def _figure(value: object, digits: int) -> str:
    return "–" if value is None else f"{float(value):.{digits}f}"  # type: ignore[arg-type]


def _mean(made: Estimate, all_: Standings) -> str:
    if made.mean is not None and all_.scoring.score == "wins":
        return f"{float(made.mean):.1%}"
    return _figure(made.mean, 2)


def _interval(made: Estimate, all_: Standings) -> str:
    if made.interval is None:
        return "none"
    low, high = made.interval
    if all_.scoring.score == "wins":
        return f"{low:.1%} – {high:.1%}"
    return f"{low:.2f} – {high:.2f}"


def _faults(standing: Standing) -> str:
    return ", ".join(_times(count, kind) for kind, count in standing.faults.items()) or "none"


def _notes(made: Standings) -> Iterable[str]:
    """What the figures do not say themselves."""
    if made.games_in_open_sets:
        open_ = count(made.games_in_open_sets, "game")
        yield f"In sets that are not complete: {open_}, which count for no mean."
    for note in dict.fromkeys(standing.score.note for standing in made.ranking if standing.score.note):
        bots = [standing.bot for standing in made.ranking if standing.score.note == note]
        yield f"No interval for {', '.join(bots)}: {note}."


def _verified(report: Report) -> str:
    total = report.verified + len(report.problems)
    if total == 0:
        return "No game was played to its end, so there is no record to verify."
    if report.problems:
        return f"{len(report.problems)} of {total} records do not verify."
    return f"All {total} records verify: hash chain, legality, scores, and the revealed chance of every complete set."


def _places(results: Results) -> Iterable[str]:
    yield f"Results in {results.directory}:"
    yield "  ledger.jsonl     one row a game"
    yield "  standings.json   the ranking; standings.csv for spreadsheets"
    yield "  records/         every game: `lastcard show FILE` prints it, `lastcard verify FILE` checks it"
    yield "  bots/            what each bot printed"
