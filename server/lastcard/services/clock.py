"""The clock of a process.

Here: `RunningClock`. Not here: who uses it. Imports nothing of ours.
"""

import time
from collections.abc import Callable

TICK_S = 0.1
"""How often somebody has to read the clock, so that a pause of the process is told from a quiet moment."""

STALL_NS = 500_000_000
"""Between two readings so far apart the process did not run: it was stopped, starved, or held up by its own work."""

_TICK_NS = int(TICK_S * 1_000_000_000)


class RunningClock:
    """Unix milliseconds that never go back, whatever is done to the system's time, and stand still while we do.

    It starts at the system's time, or at `not_before_ms` (the last time in the store) when that is later. What bots
    sent while the process was paused could not be read, so that time is not counted: nobody is late because of it.
    """

    __slots__ = ("_last_ns", "_monotonic_ns", "_origin_ns", "_stalled_ns")

    def __init__(
        self,
        not_before_ms: int = 0,
        *,
        monotonic_ns: Callable[[], int] | None = None,
        unix_ns: Callable[[], int] | None = None,
    ) -> None:
        self._monotonic_ns = monotonic_ns or time.monotonic_ns
        self._last_ns = self._monotonic_ns()
        self._origin_ns = max((unix_ns or time.time_ns)(), not_before_ms * 1_000_000) - self._last_ns
        """What is to be added to the monotonic time."""
        self._stalled_ns = 0

    def now(self) -> int:
        """The time; to be read at least every `TICK_S`."""
        now = self._monotonic_ns()
        if now - self._last_ns > STALL_NS:
            lost = now - self._last_ns - _TICK_NS
            self._origin_ns -= lost
            self._stalled_ns += lost
        self._last_ns = now
        return (now + self._origin_ns) // 1_000_000

    def stalled_ms(self) -> int:
        """How long the process has not run since this was last asked."""
        stalled, self._stalled_ns = self._stalled_ns, 0
        return stalled // 1_000_000
