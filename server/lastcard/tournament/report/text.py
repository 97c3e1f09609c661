"""Figures as text: shares, means, intervals, spans of time and moments.

Here: how a figure is written. Not here: which figures there are. May import the standard library, `scoring` and
`statistics`.
"""

from datetime import UTC, datetime

from lastcard.tournament.scoring import Scoring
from lastcard.tournament.statistics import Estimate, Score, Standing

NONE = "–"
"""Stands for a figure that cannot be given."""

_TITLES: dict[Score, str] = {"wins": "share of the wins", "points": "points a game", "places": "mean place"}


def title_of(scoring: Scoring) -> str:
    """What the mean score is called. Points have penalties in them; wins and places are told as they were played."""
    title = _TITLES[scoring.score]
    return f"{title} after penalties" if scoring.charges and scoring.score != "points" else title


def value_text(value: float, score: Score) -> str:
    """A score, or a difference of scores."""
    return f"{value:.1%}" if score == "wins" else f"{value:.2f}"


def tick_text(value: float, score: Score) -> str:
    """A score at a tick of a scale."""
    return f"{100 * value:.3g}%" if score == "wins" else f"{value:.4g}"


def mean_text(made: Estimate, score: Score) -> str:
    """The mean of an estimate."""
    return NONE if made.mean is None else value_text(float(made.mean), score)


def interval_text(made: Estimate, score: Score) -> str:
    """The interval of an estimate."""
    if made.interval is None:
        return NONE
    low, high = made.interval
    return f"{value_text(low, score)} to {value_text(high, score)}"


def rank_text(standing: Standing) -> str:
    """A bot's rank, if it has one yet."""
    return str(standing.rank) if standing.score.mean is not None else NONE


def count_text(number: int, noun: str) -> str:
    """A number of things, as in `1 game` or `10,000 games`."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def span_text(span_ms: float) -> str:
    """A span of time, of which two or three digits matter."""
    if span_ms < 1:
        return "< 1 ms"
    if span_ms < 1000:
        return f"{span_ms:.0f} ms"
    if span_ms < 60_000:
        return f"{span_ms / 1000:.3g} s"
    minutes, seconds = divmod(round(span_ms / 1000), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes:02} min" if hours else f"{minutes} min {seconds:02} s"


def moment_text(unix_ms: int) -> str:
    """A moment, in UTC, so that the same directory gives the same page everywhere."""
    return f"{datetime.fromtimestamp(unix_ms / 1000, UTC):%Y-%m-%d %H:%M:%S} UTC"
