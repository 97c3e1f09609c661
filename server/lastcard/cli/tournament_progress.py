"""How far a tournament is and how long it may still take.

Here: counting games and the time left. Not here: how it is shown (`tournament_view`). May import the standard library.
"""

from collections import deque
from collections.abc import Callable
from time import monotonic

_WINDOW = 200
"""The speed is that of so many games before: enough to be steady, few enough to follow a machine that slows down."""


class Progress:
    """Games played of those planned, and the speed of the latest of them; `now` tells the time in seconds."""

    def __init__(self, now: Callable[[], float] = monotonic) -> None:
        self._now = now
        self._begun = now()
        self._ends: deque[float] = deque([self._begun], maxlen=_WINDOW + 1)
        self.played = 0
        self.games: int | None = None

    def begin(self, played: int, games: int) -> None:
        """Games can be played from now on; `played` have been before."""
        self.played, self.games = played, games
        self._ends.clear()
        self._ends.append(self._now())

    def finish(self, played: int, games: int) -> None:
        """A game is over."""
        self.played, self.games = played, games
        self._ends.append(self._now())

    @property
    def share(self) -> float:
        """How much is played, from 0 to 1."""
        return min(1.0, self.played / self.games) if self.games else 0.0

    @property
    def elapsed_s(self) -> float:
        """How long this run has taken so far."""
        return self._now() - self._begun

    @property
    def games_a_second(self) -> float | None:
        """The speed of the latest games, until now, so that it falls while none ends; `None` before the first."""
        finished = len(self._ends) - 1
        took = self._now() - self._ends[0]
        return finished / took if finished > 0 and took > 0 else None

    @property
    def left_s(self) -> float | None:
        """How long the games that are planned may still take; `None` where nothing tells it yet."""
        speed = self.games_a_second
        return None if speed is None or self.games is None else max(0, self.games - self.played) / speed


def clock_text(span_s: float) -> str:
    """A span as on a clock, as in `0:07`, `12:30` or `3:04:05`."""
    minutes, seconds = divmod(round(span_s), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{seconds:02}" if hours else f"{minutes}:{seconds:02}"
