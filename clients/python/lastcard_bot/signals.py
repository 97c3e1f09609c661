"""Being asked to end by SIGTERM or SIGINT.

Here: `listening`. Not here: what ending takes (`connection`). Imports nothing of ours.
"""

import atexit
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

SAME_S = 0.5
"""A signal so soon after the first is the same wish: `timeout`, shells and supervisors tell a process and its group."""


@contextmanager
def listening(stop: Callable[[], None]) -> Iterator[None]:
    """Calls `stop` at the first SIGTERM or SIGINT; one that comes later than `SAME_S` ends the process at once.

    `stop` is called between any two steps of the main thread, even while that is busy. Once a signal has come the
    handlers stay, and nothing interrupts the interpreter's own end: what is closed there cannot bear it, and says so
    with a traceback. Outside the main thread nothing is listened for.
    """
    first: float | None = None
    former: dict[signal.Signals, Any] = {}

    def hear(number: int, _: FrameType | None) -> None:
        nonlocal first
        if first is None:
            first = time.monotonic()
            for heard in former:
                atexit.register(signal.signal, heard, signal.SIG_IGN)
            stop()
        elif time.monotonic() - first > SAME_S:
            signal.signal(number, signal.SIG_DFL)
            signal.raise_signal(number)

    for number in (signal.SIGTERM, signal.SIGINT):
        try:
            former[number] = signal.signal(number, hear)
        except ValueError:  # not the main thread
            break
    try:
        yield
    finally:
        if first is None:
            for number, handler in former.items():
                signal.signal(number, signal.SIG_DFL if handler is None else handler)
