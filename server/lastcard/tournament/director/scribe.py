"""Games that are over are written down: as they come, and as many together as have come meanwhile.

Here: `Scribe`. Not here: what is written (`books`), what follows for bots (`failures`). May import the standard
library, the pure modules of `tournament`, `ports`, `books` and `failures`.
"""

import asyncio
from collections import deque
from collections.abc import Callable
from typing import NamedTuple

from lastcard.table.effects import FaultKind
from lastcard.tournament.director.books import Books, Finished
from lastcard.tournament.director.failures import Failures
from lastcard.tournament.director.waiting import in_thread
from lastcard.tournament.ledger import MOST_AT_ONCE, Row


class _Waiting(NamedTuple):
    finished: Finished
    written: asyncio.Future[None]


class Scribe:
    """Writes down one batch after the other; `counted` is called with each row when all that follows from it is done.

    Of games that are over at most `most` wait while others are begun. An error in writing is raised to all who hand
    games in, or wait, from then on.
    """

    def __init__(self, books: Books, failures: Failures, counted: Callable[[Row], None], most: int) -> None:
        self._books = books
        self._failures = failures
        self._counted = counted
        self._most = most
        self._waiting: deque[_Waiting] = deque()
        self._writing: asyncio.Task[None] | None = None
        self._error: BaseException | None = None

    async def take(self, finished: Finished) -> None:
        """Take a game to be written down; return when another may be begun.

        That is when this one counts, if there is anything in it that may cost its bots something, which must be known
        before they play on; else as soon as not too many wait.
        """
        self._check()
        waiting = _Waiting(finished, asyncio.get_running_loop().create_future())
        self._waiting.append(waiting)
        if self._writing is None:
            self._writing = asyncio.create_task(self._write_all(), name="scribe")
        if finished.result.faults:
            await asyncio.wait((waiting.written,))
        elif len(self._waiting) > self._most:
            await asyncio.wait((self._waiting[0].written,))
        self._check()

    async def rest(self) -> None:
        """Return when all games that were taken count, or cannot be written."""
        if self._writing is not None:
            await asyncio.shield(self._writing)
        self._check()

    async def ended(self) -> None:
        """Return when nothing is being written any more, whatever came of it."""
        if self._writing is not None:
            await asyncio.wait((self._writing,))

    def _check(self) -> None:
        if self._error is not None:
            raise self._error

    async def _write_all(self) -> None:
        try:
            while self._waiting:
                await self._write([self._waiting[place] for place in range(min(MOST_AT_ONCE, len(self._waiting)))])
        except BaseException as error:  # noqa: BLE001 - it is raised where games are handed in and waited for
            self._error = error
            for waiting in self._waiting:
                waiting.written.cancel()
        finally:
            self._writing = None

    async def _write(self, batch: list[_Waiting]) -> None:
        written = await in_thread(self._books.write, [waiting.finished for waiting in batch])
        for waiting, (row, left) in zip(batch, written, strict=True):
            crashed = {blame.seat for blame in waiting.finished.result.faults if blame.kind is FaultKind.CRASH}
            self._failures.follow(self._books.judge(row, left, crashed))
            self._counted(row)
            self._waiting.popleft()
            waiting.written.set_result(None)
