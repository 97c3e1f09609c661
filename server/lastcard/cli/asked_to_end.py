"""Being asked to end (Ctrl-C, SIGTERM, a closed terminal) while there is something to put away.

Here: `unless_asked_to_end`, for commands that start programs in process groups of their own, which do not end by
themselves. Not here: what is put away. Imports `errors`.
"""

import asyncio
import signal
import time
from collections.abc import Coroutine
from typing import Any, TypeVar

from lastcard.cli.errors import CommandError

PATIENCE_S = 5.0
"""A signal that comes so much later than the first ends the process at once, whatever is left."""

T = TypeVar("T")


async def unless_asked_to_end(work: Coroutine[Any, Any, T], sentence: str) -> T:
    """What `work` returns; once a signal comes it is cancelled, once, and may put away what it has in peace.

    A signal that is ignored, as SIGHUP under `nohup`, stays so. Outside the main thread none is listened for.

    Raises:
        CommandError: a signal came; the sentence says what was broken off.
    """
    loop = asyncio.get_running_loop()
    working = asyncio.ensure_future(work)
    asked: list[float] = []

    def ask(number: signal.Signals) -> None:
        asked.append(time.monotonic())
        if len(asked) == 1:
            working.cancel()
        elif asked[-1] - asked[0] > PATIENCE_S:
            signal.signal(number, signal.SIG_DFL)
            signal.raise_signal(number)

    heard = []
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        if signal.getsignal(number) is signal.SIG_IGN:
            continue
        try:
            loop.add_signal_handler(number, ask, number)
        except (RuntimeError, ValueError):  # not the main thread, where no signal comes
            break
        heard.append(number)
    try:
        return await working
    except asyncio.CancelledError:
        if not asked:
            raise
        raise CommandError(sentence, status=1) from None
    finally:
        for number in heard:
            loop.remove_signal_handler(number)
