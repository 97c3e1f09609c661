"""The course of a tournament: bots are started, games are played a few at a time, and the ranking is written down.

Here: `Director`. Not here: which games there are (`course`), how one is played at its table (`tables`),
what is written down (`books`), the bots' programs (`cast`), what their failures lead to (`failures`), the arenas
(`ports`). May import the standard library, `lastcard.table`'s values and `lastcard.tournament`.
"""

import asyncio
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from lastcard.tournament import notices
from lastcard.tournament.course import Course, Lot
from lastcard.tournament.director.books import Books, ForeignRowError
from lastcard.tournament.director.cast import Cast
from lastcard.tournament.director.endings import EventBrokenOff, EventError, refused
from lastcard.tournament.director.failures import Failures
from lastcard.tournament.director.guard import Guard
from lastcard.tournament.director.guard_program import kill_event
from lastcard.tournament.director.stopping import Stop
from lastcard.tournament.director.tables import Tables
from lastcard.tournament.director.verifier import GivenUpError
from lastcard.tournament.director.waiting import first_of, in_thread
from lastcard.tournament.event_state import COMPLETE
from lastcard.tournament.file import TournamentFile
from lastcard.tournament.outlook import foreseen_games, looked_text, plan_of
from lastcard.tournament.ports import ArenaPort, Observer
from lastcard.tournament.results import Results
from lastcard.tournament.schedule import Game, Schedule
from lastcard.tournament.statistics import Standings
from lastcard.tournament.verifying import Problem


class Report(NamedTuple):
    """How a tournament ended: `complete` when every game has its row; what is wrong with records; bots set aside.

    `torn` is of how many bytes a torn last line of the ledger was that was cut off.
    """

    complete: bool
    standings: Standings
    verified: int
    problems: tuple[Problem, ...]
    aside: tuple[tuple[str, str], ...]
    torn: int = 0


class Director:
    """Runs one tournament once, from its beginning or from where an earlier run left off; `observe` is told of it.

    Games are shared out among `arenas`, or the first `taking` of them; the others only go on with games that an earlier
    run began there. Each bot that is a program is started for each arena.

    Raises:
        LedgerError: a line of the ledger cannot be read.
    """

    def __init__(
        self,
        file: TournamentFile,
        results: Results,
        arenas: Sequence[ArenaPort],
        observe: Observer,
        taking: int | None = None,
    ) -> None:
        self._file = file
        self._results = results
        self._arenas = arenas
        self._taking = taking or len(arenas)
        self._observe = observe
        self._stop = Stop()
        self._books = Books(file, results)
        self._failures = Failures(self._books, results, observe, self._set_aside)
        self._tables = Tables(
            file, results, arenas, books=self._books, failures=self._failures, stop=self._stop, observe=observe
        )
        plan = plan_of(file, results.key, self._books.scoring)
        self._course = Course(plan, self._books)
        self._foreseen = 0 if plan.endless else foreseen_games(plan)
        self._cast = Cast(file, results, arenas, self._failures)

    async def run(self) -> Report:
        """Play all games that have no row yet, reveal, verify and write the standings.

        Raises:
            EventBrokenOff: results cannot be written, or an arena failed.
            EventError: the ledger is another event's.
        """
        try:
            await self._take_up()
            lot = await self._next_lot()
            complete = lot is None or await self._play_with_bots(lot)
            return await self._finish(complete=complete)
        except (BaseExceptionGroup, ForeignRowError, OSError) as raised:
            error = _first(raised)
            if isinstance(error, OSError):
                raise EventBrokenOff(self._books.stand(refused(error))) from error
            if isinstance(error, ForeignRowError):
                raise EventError(str(error)) from error
            raise error from raised
        finally:
            await self._tables.ended()  # whoever goes on with the event writes to the same files

    def stop(self) -> None:
        """End the event: the first time after the running games, the second time without them."""
        self._stop.ask()
        self._observe(notices.Stopping(self._tables.running, self._stop.at_once.is_set()))

    # ------------------------------------------------------------------ what an earlier run left

    async def _take_up(self) -> None:
        """Take up the event where an earlier run left it; nothing of a new one is there yet."""
        if self._results.begun is None:
            return
        for arena in self._arenas:
            arena.revoke_earlier(self._cast.tokens())
        await asyncio.to_thread(kill_event, self._results.mark)
        self._observe(notices.Resumed(tuple(self._books.rows), self._books.torn))
        failures = await in_thread(self._books.begin)
        for row in self._books.rows:
            self._tables.forget(row.game)
        for bot in self._file.bots:
            if self._books.aside(bot.name) is not None:
                self._cast.set_aside(bot.name)
        self._failures.follow(failures)

    # ------------------------------------------------------------------ stages and games

    async def _play_with_bots(self, lot: Lot) -> bool:
        async with Guard() as guard, asyncio.TaskGroup() as group:
            self._cast.start(guard, group)
            watches = [group.create_task(self._watch(arena)) for arena in self._arenas]
            try:
                return await self._play_lots(lot)
            finally:
                for watch in watches:
                    watch.cancel()
                self._cast.end_probes()
                await self._tables.suspend()
                self._cast.end()

    async def _watch(self, arena: ArenaPort) -> None:
        """Fail when an arena does, since its games would never end then."""
        raise EventBrokenOff(self._books.stand(await arena.failed()))

    async def _next_lot(self) -> Lot | None:
        """The next lot that is not over, `None` when there is none; earlier runs may have played some to their end."""
        while True:
            await self._leave_out_those_set_aside()
            lot = await in_thread(self._course.next)
            if lot is None or not all(map(self._books.has, lot.schedule)):
                break
        games = self._course.given_out.games
        self._tables.planned = games if lot is None else max(self._foreseen, games)
        if self._course.verdict is not None:
            self._observe(notices.Looked(self._course.verdict.settled, looked_text(self._course.verdict)))
        return lot

    async def _leave_out_those_set_aside(self) -> None:
        """Have bots that were set aside be in no further stage, unless there is none, or it has begun with them."""
        given_out = self._course.given_out
        names = [bot.name for bot in self._file.bots if self._books.conduct.aside(bot.name) is not None]
        names = [name for name in names if name not in self._books.left_out]
        if not names or given_out.games == 0 or self._is_begun_behind(given_out.games):
            return
        if await in_thread(self._course.comes_to_a_stage):
            for name in names:
                await in_thread(self._books.withdraw, name, self._books.conduct.aside(name) or "", given_out)

    def _is_begun_behind(self, game: int) -> bool:
        """Whether a game behind this one has its row, or a table."""
        if len(self._books.rows) > game:
            return True
        return any(map(self._tables.is_begun, range(game + 1, game + 1 + self._file.concurrency)))

    async def _play_lots(self, lot: Lot | None) -> bool:
        """Play lot after lot; whether all were played to their end."""
        address = ", ".join(arena.address for arena in self._arenas)
        self._observe(notices.Started(address, self._tables.planned, len(self._books.rows)))
        while lot is not None:
            self._observe(notices.StageStarted(lot.stage + 1, lot.title, len(lot.schedule)))
            await self._play_lot(lot.schedule)
            if not all(map(self._books.has, lot.schedule)):
                return False
            lot = await self._next_lot()
            if lot is not None and self._stop.wished.is_set():
                return False
        return True

    async def _play_lot(self, schedule: Schedule) -> None:
        games = iter(schedule)
        async with asyncio.TaskGroup() as group:
            for place in range(self._file.concurrency):
                group.create_task(self._play_in_turn(games, place % self._taking))
        await self._tables.written()

    async def _play_in_turn(self, games: Iterator[Game], arena: int) -> None:
        """Play the next game that nobody plays yet, until there is none or the event is to stop.

        Games that an earlier run began are running ones, which a stop waits for, and their bots have seats already.
        """
        for game in games:
            if self._books.has(game):
                continue
            if not self._tables.is_begun(game.game) and not await self._all_settled(game.seats, arena):
                return
            if not await self._tables.play(game, self._arenas[arena]):
                return

    async def _all_settled(self, names: Sequence[str], arena: int) -> bool:
        """Wait until each of these bots can be seated or is set aside; false when the event is to stop first."""
        while not self._stop.wished.is_set():
            settled = [self._cast.settled(name, arena) for name in names]
            missing = [each for each in settled if not each.is_set()]
            if not missing:
                return True
            await first_of(missing[0], self._stop.wished)
        return False

    # ------------------------------------------------------------------ the bots' conduct

    def _set_aside(self, bot: str) -> None:
        self._cast.set_aside(bot)
        self._tables.forfeit(bot)

    # ------------------------------------------------------------------ the end

    async def _finish(self, *, complete: bool) -> Report:
        total = len(self._books.rows)
        self._observe(notices.Verifying(total))
        try:
            given_up = self._stop.at_once if complete else self._stop.without_verifying
            made, problems = await in_thread(self._books.settle, complete=complete, given_up=given_up.is_set)
        except GivenUpError:
            raise EventBrokenOff(self._books.stand("stopped while records were being verified")) from None
        for arena in self._arenas if complete else ():
            arena.revoke_earlier()  # which tells remote bots that it is over; those of one that is stopped come again
        return _report(self._file, self._books, made, problems, complete=complete)


def look_again(file: TournamentFile, results: Results, observe: Observer) -> Report:
    """The report of an event that is complete; its records are verified once more.

    Raises:
        LedgerError: a line of the ledger cannot be read.
        EventError: the ledger is not what it was.
    """
    books = Books(file, results)
    total = len(books.rows)
    if results.begun is None or total != results.begun.games:
        raise EventError(
            f"{results.ledger} has {total} rows, but {results.begun.games if results.begun else 0} games were played "
            f"when the event was complete; put it back as it was"
        )
    observe(notices.Complete(total))
    observe(notices.Verifying(total))
    made, problems = books.look()
    try:
        books.write_figures(COMPLETE)  # the power may have failed behind a ruling
    except OSError as error:
        raise EventError(books.stand(refused(error))) from error
    if not problems:
        results.close()
    return _report(file, books, made, problems, complete=True)


def _report(
    file: TournamentFile, books: Books, made: Standings, problems: tuple[Problem, ...], *, complete: bool
) -> Report:
    aside = [(bot.name, books.aside(bot.name)) for bot in file.bots]
    told = tuple((name, why) for name, why in aside if why is not None)
    return Report(complete, made, len(books.rows) - len(problems), problems, told, books.torn)


def _first(group: BaseException) -> BaseException:
    """One of the errors in a group of them."""
    while isinstance(group, BaseExceptionGroup):
        group = group.exceptions[0]
    return group
