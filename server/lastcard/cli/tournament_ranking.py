"""The ranking of a tournament as text, and all that is said at its end.

Here: the table and its notes. Not here: the figures (`tournament.statistics`), the page (`tournament.report`). May
import `rich` and `lastcard.tournament`.
"""

import io
import shlex
import sys
from collections.abc import Iterable

from rich.console import Console
from rich.table import Table

from lastcard.cli.counted import count
from lastcard.cli.tournament_words import times
from lastcard.tournament.director import Report
from lastcard.tournament.file import TournamentFile
from lastcard.tournament.remembering import later_gains
from lastcard.tournament.results import Results
from lastcard.tournament.scoring import Scoring
from lastcard.tournament.statistics import Estimate, Standing, Standings

_SCORE_TITLES = {"wins": "wins", "points": "points a game", "places": "mean place"}


def ranking_text(file: TournamentFile, results: Results, report: Report) -> str:
    """All that is said at the end."""
    sentences = [f"{bot} was {why}." for bot, why in report.aside]
    if not report.complete:
        command = shlex.join(("lastcard", "tournament", "run", str(file.path), "--out", str(results.directory)))
        sentences.append(f"Stopped before all games were played. To go on: {command} --resume")
    sentences += [f"{problem.record} {problem.sentence}" for problem in report.problems]
    sentences.append(_verified(report))
    return "\n".join(["", figures_text(file.name, report.standings), *sentences, *_places(results)])


def figures_text(name: str, made: Standings) -> str:
    """The ranking of the event `name` and what its figures do not say themselves."""
    # No markup: names, paths and what bots printed may hold anything.
    width = None if sys.stdout.isatty() else 120
    console = Console(file=io.StringIO(), width=width, force_terminal=False, markup=False, emoji=False)
    console.print(f"{name}: {count(made.games, 'game')}, {count(made.sets, 'complete set')}", highlight=False)
    console.print(ranking_table(made))
    for sentence in _notes(made):
        console.print(sentence, highlight=False)
    assert isinstance(console.file, io.StringIO)
    return "\n".join(line.rstrip() for line in console.file.getvalue().splitlines())


def ranking_table(made: Standings) -> Table:
    """The ranking as a table, by the order of the format where it has one of its own."""
    placings = {placing.bot: placing for placing in made.placings or ()}
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    most = max((place for standing in made.ranking for place in standing.places), default=0)
    table.add_column("place" if placings else "rank", justify="right")
    table.add_column("bot", overflow="fold")
    if placings:
        table.add_column("by the format", overflow="fold")
    table.add_column(_score_title(made.scoring), justify="right")
    table.add_column("95 % interval", justify="right", no_wrap=True)
    if made.scoring.score != "points":
        table.add_column("points", justify="right")
    for place in range(1, most + 1):
        table.add_column(_ordinal(place), justify="right")
    table.add_column("faults")
    ranking = made.ranking
    if placings:
        order = list(placings)
        ranking = tuple(sorted(ranking, key=lambda each: order.index(each.bot) if each.bot in placings else len(order)))
    for standing in ranking:
        rank = str(standing.rank) if standing.score.mean is not None else "–"
        cells = [rank, standing.bot]
        if placings:
            placing = placings.get(standing.bot)
            cells = [str(placing.place), standing.bot, placing.note] if placing else ["–", standing.bot, ""]
        cells += [mean_text(standing.score, made), interval_text(standing.score, made)]
        if made.scoring.score != "points":
            cells.append(_figure(standing.points.mean, 1))
        cells += [str(standing.places.get(place, 0)) for place in range(1, most + 1)]
        table.add_row(*cells, _faults(standing))
    return table


def _score_title(scoring: Scoring) -> str:
    """Points have penalties in them; wins and places are told as they were played."""
    title = _SCORE_TITLES[scoring.score]
    return f"{title} after penalties" if scoring.charges and scoring.score != "points" else title


def _ordinal(number: int) -> str:
    return f"{number}{ {1: 'st', 2: 'nd', 3: 'rd'}.get(number, 'th') }"


def _figure(value: object, digits: int) -> str:
    return "–" if value is None else f"{float(value):.{digits}f}"  # type: ignore[arg-type]


def mean_text(made: Estimate, all_: Standings) -> str:
    """The mean of an estimate of the score."""
    if made.mean is not None and all_.scoring.score == "wins":
        return f"{float(made.mean):.1%}"
    return _figure(made.mean, 2)


def interval_text(made: Estimate, all_: Standings) -> str:
    """The interval of an estimate of the score."""
    if made.interval is None:
        return "none"
    low, high = made.interval
    if all_.scoring.score == "wins":
        return f"{low:.1%} – {high:.1%}"
    return f"{low:.2f} – {high:.2f}"


def _faults(standing: Standing) -> str:
    return ", ".join(times(count, kind) for kind, count in standing.faults.items()) or "none"


def _notes(made: Standings) -> Iterable[str]:
    """What the figures do not say themselves."""
    if made.games_in_open_sets:
        open_ = count(made.games_in_open_sets, "game")
        yield f"In sets that are not complete: {open_}, which count for no mean."
    if made.void_sets:
        yield f"{count(made.void_sets, 'set')} void, or replaced by another on a fresh deal."
    for bot, why in made.disqualified:
        yield f"{bot} is disqualified and not ranked: {why}."
    yield from _remembering(made)
    for note in dict.fromkeys(standing.score.note for standing in made.ranking if standing.score.note):
        bots = [standing.bot for standing in made.ranking if standing.score.note == note]
        yield f"No interval for {', '.join(bots)}: {note}."


def _remembering(made: Standings) -> Iterable[str]:
    """Which bots won more when they had seen a deal before, as far as this can be told from what was judged."""
    if made.judged is None:
        return
    for bot, gain in later_gains(made.judged, [standing.bot for standing in made.ranking]).items():
        if gain.mean is not None and gain.interval is not None and gain.interval[0] > 0:
            low, high = gain.interval
            yield (
                f"{bot} won {float(gain.mean):.1%} more in the later games of its sets than in the first "
                f"({low:.1%} – {high:.1%}), as a bot would that remembers deals; by chance one bot in forty does."
            )


def _verified(report: Report) -> str:
    total = report.verified + len(report.problems)
    if total == 0:
        return "No game was played to its end, so there is no record to verify."
    if report.problems:
        return f"{len(report.problems)} of {total} records do not verify."
    records = "The one record verifies" if total == 1 else f"All {total} records verify"
    return f"{records}: hash chain, legality, scores, and the revealed chance of every complete set."


def _places(results: Results) -> Iterable[str]:
    yield f"Results in {results.directory}:"
    yield "  ledger.jsonl     one row a game"
    yield "  report.html      all figures as a page: open it in a browser"
    yield "  standings.json   the ranking; standings.csv for spreadsheets"
    yield "  records/         every game: `lastcard show FILE` prints it, `lastcard verify FILE` checks it"
    yield "  bots/            what each bot printed"
