"""Calls that have been opened and have said nothing yet.

Here: `Patience`. Not here: what they say (`play_service`, `boundary`). Such a call costs its opener nothing and the
server as much as any other, so there is a bound to their time and to their number; of too many the oldest goes, which
one that means to speak is not.
"""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

SILENT_S = 10.0
"""How long a call may say nothing."""

SILENT_CALLS = 1_024
"""How many calls may say nothing at once."""


class Patience:
    """All calls that say nothing, oldest first."""

    def __init__(self, seconds: float = SILENT_S, most: int = SILENT_CALLS) -> None:
        self.seconds = seconds
        self._most = most
        self._waiting: dict[asyncio.Timeout, None] = {}

    def __len__(self) -> int:
        return len(self._waiting)

    @asynccontextmanager
    async def waiting(self) -> AsyncIterator[None]:
        """Waits for a call's first message.

        Raises:
            TimeoutError: it did not come in time, or too many others wait.
        """
        async with asyncio.timeout(self.seconds) as timeout:
            if len(self._waiting) >= self._most:
                oldest = next(iter(self._waiting))
                del self._waiting[oldest]
                if not oldest.expired():  # whose time has just run out goes by itself, and bears no other time
                    oldest.reschedule(asyncio.get_running_loop().time())
            self._waiting[timeout] = None
            try:
                yield
            finally:
                self._waiting.pop(timeout, None)
