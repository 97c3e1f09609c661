"""The picture of a running tournament on a terminal, as wide as the terminal is: progress, ranking, what happened.

Here: what stands where. Not here: when it changes (`tournament_view`). May import `rich` and `lastcard.tournament`.

A narrow terminal loses what matters least: first the drawn intervals, then the counts of games, then the intervals.
Names, scores and ranks stay whole.
"""

from collections.abc import Iterable, Sequence

from rich.console import Console, ConsoleOptions, RenderResult
from rich.table import Table
from rich.text import Text

from lastcard.cli.counted import count
from lastcard.cli.tournament_progress import Progress, clock_text
from lastcard.cli.tournament_ranking import interval_text, mean_text
from lastcard.cli.tournament_words import times
from lastcard.tournament.statistics import Standing, Standings

_BAR = 30
_PLOT_FROM = 92
"""A terminal so wide has room for drawn intervals."""
_COUNTS_FROM = 64
_INTERVALS_FROM = 44
_OTHER_LINES = 12
"""Lines of the picture that are no bots'."""


class Picture:
    """What is shown; whoever changes a field need do nothing else."""

    def __init__(self, progress: Progress) -> None:
        self.progress = progress
        self.phase = "starting"
        self.stage = ""
        self.verdict = ""
        self.standings: Standings | None = None
        self.happened: Sequence[str] = ()

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        width = options.max_width
        yield self._progress_line(width)
        if self.stage:
            yield Text(self.stage, style="bold", no_wrap=True, overflow="ellipsis")
        if self.standings is not None:
            yield Text("")
            room = max(3, options.size.height - _OTHER_LINES - len(self.happened))
            yield live_table(self.standings, width, room)
            for note in _notes(self.standings, room):
                yield Text(note, style="dim", no_wrap=True, overflow="ellipsis")
        if self.verdict:
            yield Text(self.verdict, style="cyan", overflow="fold")
        if self.happened:
            yield Text("")
            for sentence in self.happened:
                yield Text(sentence, style="yellow", no_wrap=True, overflow="ellipsis")

    def _progress_line(self, width: int) -> Text:
        made = self.progress
        line = Text(self.phase, style="bold", no_wrap=True, overflow="ellipsis")
        if made.games is None:
            return line
        if width >= _COUNTS_FROM:
            done = round(_BAR * made.share)
            line.append(" ")
            line.append("━" * done, style="green")
            line.append("━" * (_BAR - done), style="bright_black")
        line.append(f" {made.played:,}/{made.games:,} games", style="not bold")
        if width >= _PLOT_FROM and made.games_a_second is not None:
            line.append(f"  {made.games_a_second:.1f} a second", style="not bold")
        line.append(f"  {clock_text(made.elapsed_s)}", style="not bold")
        if made.left_s is not None and made.played < made.games:
            most = "at most " if self.verdict else ""  # it may be settled before
            line.append(f", {most}{clock_text(made.left_s)} left", style="not bold")
        return line


def live_table(made: Standings, width: int, room: int) -> Table:
    """The first `room` bots of the ranking in a table that fits `width`."""
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    table.add_column("rank", justify="right")
    table.add_column("bot", overflow="fold")
    table.add_column(made.scoring.score, justify="right", no_wrap=True)
    if width >= _INTERVALS_FROM:
        table.add_column("95 % interval", justify="right", no_wrap=True)
    if width >= _PLOT_FROM:
        table.add_column("", no_wrap=True)
        table.add_column("won", justify="right")
    if width >= _COUNTS_FROM:
        table.add_column("sets", justify="right")
    table.add_column("faults", overflow="fold")
    shown = made.ranking[:room]
    bounds = _bounds(shown)
    for standing in shown:
        table.add_row(*_cells(standing, made, width, bounds))
    return table


def _cells(standing: Standing, made: Standings, width: int, bounds: tuple[float, float] | None) -> Iterable[str | Text]:
    yield str(standing.rank) if standing.score.mean is not None else "–"
    yield standing.bot
    yield mean_text(standing.score, made)
    if width >= _INTERVALS_FROM:
        yield interval_text(standing.score, made)
    if width >= _PLOT_FROM:
        yield Text(whisker(standing, bounds, width - _PLOT_FROM + 12), style="blue")
        yield f"{standing.places.get(1, 0):,} of {standing.games:,}"
    if width >= _COUNTS_FROM:
        yield f"{standing.sets:,}"
        yield ", ".join(times(number, kind) for kind, number in standing.faults.items())
    else:
        yield str(sum(standing.faults.values()) or "")


def whisker(standing: Standing, bounds: tuple[float, float] | None, width: int) -> str:
    """A bot's interval drawn between the ends of all intervals, as in `  ├──●──┤   `."""
    made = standing.score
    if made.interval is None or made.mean is None or bounds is None:
        return ""
    width = min(width, 28)
    low, high = bounds

    def place(value: float) -> int:
        return round((value - low) / (high - low) * (width - 1))

    first, last = place(made.interval[0]), place(made.interval[1])
    drawn = [" "] * width
    drawn[first : last + 1] = "─" * (last - first + 1)
    drawn[first], drawn[last] = "├", "┤"
    drawn[place(float(made.mean))] = "●"
    return "".join(drawn)


def _bounds(ranking: Sequence[Standing]) -> tuple[float, float] | None:
    ends = [end for standing in ranking for end in standing.score.interval or ()]
    return (min(ends), max(ends)) if ends and max(ends) > min(ends) else None


def _notes(made: Standings, room: int) -> Iterable[str]:
    if len(made.ranking) > room:
        yield f"and {count(len(made.ranking) - room, 'more bot')}"
    if made.games_in_open_sets:
        yield f"{count(made.games_in_open_sets, 'game')} in sets that are not complete"
    if made.void_sets:
        yield f"{count(made.void_sets, 'set')} void or replaced by a ruling"
    for bot, why in made.disqualified:
        yield f"{bot} is disqualified: {why}"
