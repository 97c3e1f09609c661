"""The course of a tournament: bots are started, games are played a few at a time, and results are written down.

Here: `Director`. Not here: which games there are (`formats`, `schedule`), what became of a game (`game`), what is
written down (`books`), a bot's program (`competitor`), the arena (`ports`). May import the standard library,
`lastcard.table`'s values and `lastcard.tournament`.
"""

import asyncio
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime
from typing import NamedTuple, ParamSpec, TypeVar

from lastcard.table.effects import CloseCause, FaultKind
from lastcard.table.plan import TableResult
from lastcard.tournament import notices
from lastcard.tournament.conduct import Failure
from lastcard.tournament.director.books import Books, ForeignRowError
from lastcard.tournament.director.competitor import Competitor
from lastcard.tournament.director.game import plan_of, table_id_of
from lastcard.tournament.director.guard import Guard
from lastcard.tournament.director.guard_program import kill_event
from lastcard.tournament.file import TournamentFile
from lastcard.tournament.formats import FORMATS, SetResult
from lastcard.tournament.ports import ArenaPort, Observer
from lastcard.tournament.results import Problem, Results
from lastcard.tournament.schedule import Game, Schedule, stage_key
from lastcard.tournament.statistics import Standings, set_results

P = ParamSpec("P")
T = TypeVar("T")

_MOST_ATTEMPTS = 3
"""How often a game is begun before the event is given up."""


class EventError(Exception):
    """The tournament cannot go on; the text says why, that what is in the ledger stands, and how to go on."""


class EventBrokenOff(EventError):
    """The tournament was under way and had to be broken off; the text says how it goes on."""


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

    Raises:
        LedgerError: a line of the ledger cannot be read.
    """

    def __init__(self, file: TournamentFile, results: Results, arena: ArenaPort, observe: Observer) -> None:
        self._file = file
        self._results = results
        self._arena = arena
        self._observe = observe
        self._books = Books(file, results)
        self._competitors = {
            bot.name: Competitor(bot, arena, results.mark, self._note_ready, self._note_failure) for bot in file.bots
        }
        self._running: dict[str, Game] = {}
        self._planned = 0
        self._stopping = asyncio.Event()
        self._at_once = asyncio.Event()
        self._writing = asyncio.Lock()

    async def run(self) -> Report:
        """Play all games that have no row yet, reveal, verify and write the standings.

        Raises:
            EventBrokenOff: results cannot be written, or the arena failed.
            EventError: the ledger is another event's.
        """
        try:
            await self._take_up()
            complete = self._all_played() or await self._play_with_bots()
            return await self._finish(complete=complete)
        except (BaseExceptionGroup, ForeignRowError, OSError) as raised:
            error = _first(raised)
            if isinstance(error, OSError):
                raise EventBrokenOff(self._stands(f"cannot write results: {error}")) from error
            if isinstance(error, ForeignRowError):
                raise EventError(str(error)) from error
            raise error from raised

    def stop(self) -> None:
        """End the event: the first time after the running games, the second time without them."""
        if self._stopping.is_set():
            self._at_once.set()
        self._stopping.set()
        self._observe(notices.Stopping(len(self._running), self._at_once.is_set()))

    # ------------------------------------------------------------------ what an earlier run left

    async def _take_up(self) -> None:
        """Take up the event where an earlier run left it; nothing of a new one is there yet."""
        if self._results.begun is None:
            return
        self._arena.revoke_earlier()
        await asyncio.to_thread(kill_event, self._results.mark)
        self._observe(notices.Resumed(tuple(self._books.rows), self._books.torn))
        failures = await _in_thread(self._books.begin)
        for row in self._books.rows:
            self._forget(row.game)
        for competitor in self._competitors.values():
            if self._books.conduct.aside(competitor.name) is not None:
                competitor.set_aside()
        self._tell_failures(failures)

    def _latest_attempt(self, game: int) -> int:
        """The number of the last attempt at a game of which the arena knows the table, from 1; 0 for none."""
        attempt = 0
        while self._arena.is_known(table_id_of(game, attempt + 1)):
            attempt += 1
        return attempt

    def _forget(self, game: int) -> None:
        """Forget the tables of a game that has its row."""
        for attempt in range(self._latest_attempt(game), 0, -1):
            self._arena.forget_table(table_id_of(game, attempt))

    # ------------------------------------------------------------------ stages and games

    async def _play_with_bots(self) -> bool:
        async with Guard() as guard, asyncio.TaskGroup() as group:
            for competitor in self._competitors.values():
                log = self._results.log(competitor.name)
                group.create_task(competitor.supervise(log, self._file.clock.start_up_ms, guard))
            watch = group.create_task(self._watch_arena())
            try:
                return await self._play_stages()
            finally:
                watch.cancel()
                self._arena.suspend()
                for competitor in self._competitors.values():
                    competitor.end()

    async def _watch_arena(self) -> None:
        """Fail when the arena does, since no game would ever end then."""
        await self._arena.failed.wait()
        raise EventBrokenOff(self._stands(f"the arena cannot store games any more: {self._arena.failure}"))

    def _stages(self) -> Iterator[Schedule]:
        """The stages in their order; all games of one must have their rows before the next is asked for."""
        style = FORMATS[self._file.format]
        played: list[list[SetResult]] = []
        games = sets = 0
        while stage := style.next_stage(self._file.design, played):
            key = stage_key(self._results.key, len(played))
            schedule = Schedule(stage, key=key, first_game=games + 1, first_set=sets + 1, first_deal=sets + 1)
            games += len(schedule)
            self._planned = games
            yield schedule
            results = set_results(self._books.rows, self._books.scoring)
            played.append([results[number] for number in range(sets + 1, sets + schedule.sets + 1)])
            sets += schedule.sets

    def _all_played(self) -> bool:
        return all(all(map(self._books.has, schedule)) for schedule in self._stages())

    async def _play_stages(self) -> bool:
        """Play stage after stage; whether all were played to their end."""
        for number, schedule in enumerate(self._stages()):
            if number == 0:
                self._observe(notices.Started(self._arena.address, self._planned, len(self._books.rows)))
            await self._play_stage(schedule)
            if not all(map(self._books.has, schedule)):
                return False
        return True

    async def _play_stage(self, schedule: Schedule) -> None:
        games = iter(schedule)
        async with asyncio.TaskGroup() as group:
            for _ in range(self._file.concurrency):
                group.create_task(self._play_in_turn(games))

    async def _play_in_turn(self, games: Iterator[Game]) -> None:
        """Play the next game that nobody plays yet, until there is none or the event is to stop.

        Games that an earlier run began are running ones, which a stop waits for, and their bots have seats already.
        """
        for game in games:
            if self._books.has(game):
                continue
            if not self._latest_attempt(game.game) and not await self._all_settled(game.seats):
                return
            if not await self._play(game):
                return

    async def _all_settled(self, names: Sequence[str]) -> bool:
        """Wait until each of these bots can be seated or is set aside; false when the event is to stop first."""
        while not self._stopping.is_set():
            missing = [name for name in names if not self._competitors[name].settled.is_set()]
            if not missing:
                return True
            await _first_of(self._competitors[missing[0]].settled, self._stopping)
        return False

    async def _play(self, game: Game) -> bool:
        """Play a game, from where an earlier run left it, and write it down; false when the event was stopped at once.

        A table that the arena gives up is the arena's fault and no result: the game is played again.
        """
        first = max(1, self._latest_attempt(game.game))
        for attempt in range(first, first + _MOST_ATTEMPTS):
            if await self._play_once(game, attempt):
                return True
            if self._at_once.is_set():
                return False
        why = f"the arena gave game {game.game} up {_MOST_ATTEMPTS} times; {self._results.server_log} says why"
        raise EventBrokenOff(self._stands(why))

    async def _play_once(self, game: Game, attempt: int) -> bool:
        """Have a game played at its table to the end and write it down; false when there is no result."""
        table = table_id_of(game.game, attempt)
        at = 0
        if self._arena.is_known(table):
            at = self._arena.progress(table)[0]
        else:
            self._arena.open_table(plan_of(game, self._file, self._results.key, attempt))
        self._running[table] = game
        try:
            self._observe(notices.GameStarted(game, at))
            for name in game.seats:
                self._forfeit(table, game, name)
            result = await self._result(table)
        finally:
            del self._running[table]
        if result is None or result.cause is CloseCause.CANCELLED:
            return False
        files = self._arena.record(table)
        async with self._writing:
            row, left = await _in_thread(self._books.write, game, result, files)
        self._forget(game.game)
        crashed = {blame.seat for blame in result.faults if blame.kind is FaultKind.CRASH}
        self._tell_failures(self._books.judge(row, left, crashed))
        self._observe(notices.GameFinished(row, len(self._books.rows), self._planned))
        return True

    async def _result(self, table: str) -> TableResult | None:
        """The result of a table, or `None` when the event is to stop at once."""
        result = asyncio.create_task(self._arena.result(table))
        stop = asyncio.create_task(self._at_once.wait())
        try:
            await asyncio.wait((result, stop), return_when=asyncio.FIRST_COMPLETED)
            return result.result() if result.done() else None
        finally:
            result.cancel()
            stop.cancel()

    def _forfeit(self, table: str, game: Game, name: str) -> None:
        """Remove a bot's seat from a game when the bot is set aside."""
        if name in game.seats and self._books.conduct.aside(name) is not None:
            self._arena.remove_seat(table, game.seats.index(name))

    # ------------------------------------------------------------------ the bots' conduct

    def _note_ready(self, bot: str, starts: int) -> None:
        self._observe(notices.BotReady(bot, starts))

    def _note_failure(self, bot: str, why: str) -> int:
        """Count a failure of a bot's program; how many there are in a row."""
        failure = self._books.fail(bot, why)
        self._tell_failures([failure])
        return failure.in_a_row

    def _tell_failures(self, failures: Sequence[Failure]) -> None:
        """Do what failures, which are written down, lead to."""
        for bot, why, in_a_row, aside in failures:
            self._note_incident(bot, why)
            self._observe(notices.BotFailed(bot, why, in_a_row))
            if aside is not None:
                self._note_incident(bot, aside)
                self._competitors[bot].set_aside()
                for table, game in self._running.items():
                    self._forfeit(table, game, bot)
                self._observe(notices.BotSetAside(bot, aside))

    def _note_incident(self, bot: str, what: str) -> None:
        at = datetime.now(UTC).isoformat(timespec="milliseconds")
        self._results.note_incident({"at": at, "bot": bot, "what": what})

    # ------------------------------------------------------------------ the end

    async def _finish(self, *, complete: bool) -> Report:
        total = len(self._books.rows)
        self._observe(notices.Verifying(total))
        made, problems = await _in_thread(self._books.settle, complete=complete)
        return _report(self._file, self._books, made, problems, complete=complete)

    def _stands(self, sentence: str) -> str:
        games = len(self._books.rows)
        many = "game" if games == 1 else "games"
        return f"{sentence}; the {games} {many} in {self._results.ledger} stand, and --resume goes on with the event"


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
    if not problems:
        results.close()
    return _report(file, books, made, problems, complete=True)


def _report(
    file: TournamentFile, books: Books, made: Standings, problems: tuple[Problem, ...], *, complete: bool
) -> Report:
    aside = [(bot.name, books.conduct.aside(bot.name)) for bot in file.bots]
    told = tuple((name, why) for name, why in aside if why is not None)
    return Report(complete, made, len(books.rows) - len(problems), problems, told, books.torn)


async def _in_thread(function: Callable[P, T], *arguments: P.args, **options: P.kwargs) -> T:
    """Call what writes in a thread, and wait for its end even when cancelled, so that nobody writes beside it."""
    work = asyncio.create_task(asyncio.to_thread(function, *arguments, **options))
    try:
        return await asyncio.shield(work)
    except asyncio.CancelledError:
        await asyncio.wait((work,))
        raise


async def _first_of(*events: asyncio.Event) -> None:
    """Wait until one of these events is set."""
    waits = [asyncio.create_task(event.wait()) for event in events]
    try:
        await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for wait in waits:
            wait.cancel()


def _first(group: BaseException) -> BaseException:
    """One of the errors in a group of them."""
    while isinstance(group, BaseExceptionGroup):
        group = group.exceptions[0]
    return group
