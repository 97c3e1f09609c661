"""Games at their tables: each is begun, or gone on with, at one of the arenas, waited for, and written down.

Here: `Tables`: attempts at a game, forfeits, the share of each arena. Not here: which game is next (`event`), a table's
plan and a game's row (`game`), writing down (`scribe`), the arenas (`ports`). May import the standard library,
`lastcard.table`'s values and `lastcard.tournament`.
"""

import asyncio
from collections.abc import Callable, Sequence

from lastcard.table.effects import CloseCause
from lastcard.tournament import notices
from lastcard.tournament.director.books import Books, Finished
from lastcard.tournament.director.endings import EventBrokenOff
from lastcard.tournament.director.failures import Failures
from lastcard.tournament.director.game import plan_of, table_id_of
from lastcard.tournament.director.scribe import Scribe
from lastcard.tournament.director.stopping import Stop
from lastcard.tournament.file import TournamentFile
from lastcard.tournament.ledger import Row
from lastcard.tournament.ports import ArenaPort, Observer, Played
from lastcard.tournament.results import Results
from lastcard.tournament.schedule import Game

MOST_ATTEMPTS = 3
"""How often a game is begun before the event is given up."""


class Tables:
    """The tables of an event, at one arena or several."""

    def __init__(
        self,
        file: TournamentFile,
        results: Results,
        arenas: Sequence[ArenaPort],
        *,
        books: Books,
        failures: Failures,
        stop: Stop,
        observe: Observer,
    ) -> None:
        self.planned = 0
        """How many games are planned so far, for those who look on."""
        self._file = file
        self._results = results
        self._arenas = arenas
        self._books = books
        self._stop = stop
        self._observe = observe
        self._running: dict[str, tuple[Game, ArenaPort]] = {}
        self._scribe = Scribe(books, failures, self._note_counted, file.concurrency - 1)

    @property
    def running(self) -> int:
        """How many games are on."""
        return len(self._running)

    # ------------------------------------------------------------------ what an earlier run left

    def is_begun(self, game: int) -> bool:
        """Whether some arena knows a table of a game."""
        return self._arena_of(game) is not None

    def forget(self, game: int) -> None:
        """Forget the tables of a game that has its row."""
        for arena in self._arenas:
            for attempt in range(latest_attempt(arena, game), 0, -1):
                arena.forget_table(table_id_of(game, attempt))

    def _arena_of(self, game: int) -> ArenaPort | None:
        return next((arena for arena in self._arenas if latest_attempt(arena, game)), None)

    # ------------------------------------------------------------------ playing

    async def play(self, game: Game, arena: ArenaPort) -> bool:
        """Play a game and hand it in to be written down; false when the event was stopped at once.

        One that an earlier run began goes on where it is, the others are played at `arena`. A table that the arena
        gives up is the arena's fault and no result: the game is played again.
        """
        arena = self._arena_of(game.game) or arena
        first = max(1, latest_attempt(arena, game.game))
        for attempt in range(first, first + MOST_ATTEMPTS):
            if await self._play_once(game, arena, attempt):
                return True
            if self._stop.at_once.is_set():
                return False
        why = f"the arena gave game {game.game} up {MOST_ATTEMPTS} times; {self._results.server_log} says why"
        raise EventBrokenOff(self._books.stand(why))

    async def _play_once(self, game: Game, arena: ArenaPort, attempt: int) -> bool:
        """Have a game played at its table to the end and hand it in; false when there is no result."""
        table = table_id_of(game.game, attempt)

        def begun(at: int) -> None:
            self._running[table] = (game, arena)
            self._observe(notices.GameStarted(game, at))
            for name in game.seats:
                self._remove(table, name)

        try:
            played = await self._until_stopped(arena, game, attempt, begun)
        finally:
            self._running.pop(table, None)
        if played is None or played.result.cause is CloseCause.CANCELLED:
            return False
        await self._scribe.take(Finished(game, played.result, played.files, played.reading))
        return True

    async def _until_stopped(
        self, arena: ArenaPort, game: Game, attempt: int, begun: Callable[[int], None]
    ) -> Played | None:
        """What came of a table, or `None` when the event is to stop at once."""
        playing = asyncio.create_task(
            arena.play(plan_of(game, self._file, self._results.key, attempt), begun), name=f"game {game.game}"
        )
        stop = asyncio.create_task(self._stop.at_once.wait())
        try:
            await asyncio.wait((playing, stop), return_when=asyncio.FIRST_COMPLETED)
            return playing.result() if playing.done() else None
        finally:
            for task in (playing, stop):
                task.cancel()
            await asyncio.gather(playing, stop, return_exceptions=True)

    async def written(self) -> None:
        """Return when all games that were played have their rows, and what follows from them is done."""
        await self._scribe.rest()

    async def ended(self) -> None:
        """Return when nothing is being written any more, whatever came of it."""
        await self._scribe.ended()

    def _note_counted(self, row: Row) -> None:
        self.forget(row.game)
        self._observe(notices.GameFinished(row, self._books.counted, self.planned))

    # ------------------------------------------------------------------ forfeits

    def forfeit(self, name: str) -> None:
        """Remove a bot that is set aside from all games that are on."""
        for table in list(self._running):
            self._remove(table, name)

    def _remove(self, table: str, name: str) -> None:
        """Remove a bot's seat from a game when the bot is set aside."""
        game, arena = self._running[table]
        if name in game.seats and self._books.aside(name) is not None:
            arena.remove_seat(table, game.seats.index(name))

    async def suspend(self) -> None:
        """Let nothing more happen at any table."""
        await asyncio.gather(*(arena.suspend() for arena in self._arenas))


def latest_attempt(arena: ArenaPort, game: int) -> int:
    """The number of the last attempt at a game of which an arena knows the table, from 1; 0 for none."""
    attempt = 0
    while arena.is_known(table_id_of(game, attempt + 1)):
        attempt += 1
    return attempt
