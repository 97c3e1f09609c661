"""The clock of a process.

Here: `running_clock`. Not here: who uses it. Imports nothing of ours.
"""

import time
from collections.abc import Callable


def running_clock(not_before_ms: int = 0) -> Callable[[], int]:
    """A clock of unix milliseconds that never goes back, whatever is done to the system's time meanwhile.

    It starts at the system's time, or at `not_before_ms` (the last time in the store) when that is later.
    """
    start_ms = max(time.time_ns() // 1_000_000, not_before_ms)
    start_ns = time.monotonic_ns()
    monotonic_ns = time.monotonic_ns
    return lambda: start_ms + (monotonic_ns() - start_ns) // 1_000_000
