"""The course of a tournament: bots are started, games are played a few at a time, and results are written down.

Here: `Director`. Not here: which games there are (`formats`, `schedule`), what became of a game (`game`), a bot's
program (`competitor`), files (`results`), the arena (`ports`). May import the standard library, `lastcard.rules`,
`lastcard.table`'s values and `lastcard.tournament`.
"""

import asyncio
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import NamedTuple

from lastcard.rules.actions import LeaveCause
from lastcard.rules.events import SeatLeft
from lastcard.rules.record_reader import read_record
from lastcard.table.effects import CloseCause, FaultKind
from lastcard.table.plan import RecordFiles, TableResult
from lastcard.tournament import notices
from lastcard.tournament.director.competitor import Competitor
from lastcard.tournament.director.game import Forfeit, plan_of, row_of
from lastcard.tournament.director.guard import Guard
from lastcard.tournament.file import TournamentFile
from lastcard.tournament.formats import FORMATS, SetResult
from lastcard.tournament.ledger import Ledger, Row, open_ledger
from lastcard.tournament.notices import Notice
from lastcard.tournament.ports import ArenaPort, Observer
from lastcard.tournament.results import Problem, Results
from lastcard.tournament.schedule import Game, Schedule, stage_key
from lastcard.tournament.statistics import Scoring, Standings, complete_sets, set_results, standings

_REMOVED = {
    LeaveCause.TIMEOUTS: "was removed after too many timeouts",
    LeaveCause.DISCONNECTED: "was removed because it did not come back",
    LeaveCause.START_UP: "was removed because it did not turn up",
    LeaveCause.LEFT: "left the match",
}

_MOST_ATTEMPTS = 3
"""How often a game is begun before the event is given up."""


class EventError(Exception):
    """The tournament cannot go on; the text says why and that what is in the ledger stands."""


class Report(NamedTuple):
    """How a tournament ended: `complete` when every game has its row; what is wrong with records; bots set aside."""

    complete: bool
    standings: Standings
    verified: int
    problems: tuple[Problem, ...]
    aside: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class _Running:
    """A game that is on, and the seats that were taken out of it."""

    game: Game
    forfeits: list[Forfeit] = field(default_factory=list)


class Director:
    """Runs one tournament once; `observe` is told what happens."""

    def __init__(self, file: TournamentFile, results: Results, arena: ArenaPort, observe: Observer) -> None:
        self._file = file
        self._results = results
        self._arena = arena
        self._observe = observe
        self._scoring = scoring_of(file)
        self._ledger: Ledger = open_ledger(results.ledger)[0]
        self._competitors = {bot.name: Competitor(bot, arena, self._hear) for bot in file.bots}
        self._running: dict[str, _Running] = {}
        self._sets: dict[int, list[Row]] = {}  # of sets that are not complete
        for row in self._ledger.rows:
            self._sets.setdefault(row.set, []).append(row)
        self._planned = 0
        self._stopping = asyncio.Event()
        self._at_once = False
        self._writing = asyncio.Lock()

    async def run(self) -> Report:
        """Play all games that have no row yet, reveal, verify and write the standings.

        Raises:
            EventError: results cannot be written, or the arena failed.
        """
        try:
            complete = await self._play_with_bots()
        except BaseExceptionGroup as group:
            error = _first(group)
            if isinstance(error, OSError):
                raise EventError(self._stands(f"cannot write results: {error}")) from error
            raise error from group
        return await self._finish(complete=complete)

    def stop(self) -> None:
        """End the event: the first time after the running games, the second time without them."""
        self._at_once = self._stopping.is_set()
        self._stopping.set()
        if self._at_once:
            for table in self._running:
                self._arena.cancel_table(table)
        self._observe(notices.Stopping(len(self._running), self._at_once))

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
                for competitor in self._competitors.values():
                    competitor.end()

    async def _watch_arena(self) -> None:
        """Fail when the arena does, since no game would ever end then."""
        await self._arena.failed.wait()
        raise EventError(self._stands(f"the arena cannot store games any more; {self._results.server_log} says why"))

    async def _play_stages(self) -> bool:
        """Play stage after stage; whether all were played to their end."""
        style = FORMATS[self._file.format]
        played: list[list[SetResult]] = []
        games = sets = 0
        while stage := style.next_stage(self._file.design, played):
            key = stage_key(self._results.key, len(played))
            schedule = Schedule(stage, key=key, first_game=games + 1, first_set=sets + 1, first_deal=sets + 1)
            games += len(schedule)
            self._planned = games
            if not played:
                self._observe(notices.Started(self._arena.address, games, len(self._ledger.rows)))
            await self._play_stage(schedule)
            if any(game not in self._ledger for game in range(games - len(schedule) + 1, games + 1)):
                return False
            results = set_results(self._ledger.rows, self._scoring)
            played.append([results[number] for number in range(sets + 1, sets + schedule.sets + 1)])
            sets += schedule.sets
        return True

    async def _play_stage(self, schedule: Schedule) -> None:
        games = iter(schedule)
        async with asyncio.TaskGroup() as group:
            for _ in range(self._file.concurrency):
                group.create_task(self._play_in_turn(games))

    async def _play_in_turn(self, games: Iterator[Game]) -> None:
        """Play the next game that nobody plays yet, until there is none or the event is to stop."""
        for game in games:
            if game.game in self._ledger:
                continue
            if not await self._all_settled(game.seats) or not await self._play(game):
                return

    async def _all_settled(self, names: Sequence[str]) -> bool:
        """Wait until each of these bots can be seated or is set aside; false when the event is to stop first."""
        while not self._stopping.is_set():
            missing = [name for name in names if not self._competitors[name].settled.is_set()]
            if not missing:
                return True
            waits = [
                asyncio.create_task(event.wait()) for event in (self._competitors[missing[0]].settled, self._stopping)
            ]
            try:
                await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
            finally:
                for wait in waits:
                    wait.cancel()
        return False

    async def _play(self, game: Game) -> bool:
        """Play a game and write it down; false when the event was stopped at once.

        A table that the arena gives up is the arena's fault and no result: the game is played again.
        """
        for attempt in range(1, _MOST_ATTEMPTS + 1):
            if await self._play_once(game, attempt):
                return True
            if self._at_once:
                return False
        why = f"the arena gave game {game.game} up {_MOST_ATTEMPTS} times; {self._results.server_log} says why"
        raise EventError(self._stands(why))

    async def _play_once(self, game: Game, attempt: int) -> bool:
        """Open a table for a game, wait for its end and write it down; false when there is no result."""
        table = self._arena.open_table(plan_of(game, self._file, self._results.key, attempt))
        running = self._running[table] = _Running(game)
        try:
            self._observe(notices.GameStarted(game))
            for name in game.seats:
                self._forfeit(table, running, name, 0)
            result = await self._arena.result(table)
        finally:
            del self._running[table]
        if result.cause is CloseCause.CANCELLED:
            return False
        files = self._arena.record(table)
        async with self._writing:
            row, left = await asyncio.to_thread(self._write, running, result, files)
        self._arena.forget_table(table)
        self._judge(row, left, {blame.seat for blame in result.faults if blame.kind is FaultKind.CRASH})
        self._observe(notices.GameFinished(row, len(self._ledger.rows), self._planned))
        return True

    def _forfeit(self, table: str, running: "_Running", name: str, sequence: int) -> None:
        """Remove a bot's seat from a game, which is at event `sequence`, when the bot is set aside."""
        why = self._competitors[name].aside
        if why is not None and name in running.game.seats:
            seat = running.game.seats.index(name)
            running.forfeits.append(Forfeit(seat, sequence, why))
            self._arena.remove_seat(table, seat)

    def _write(self, running: "_Running", result: TableResult, files: RecordFiles) -> tuple[Row, dict[int, LeaveCause]]:
        """Write record, row and, when the set is complete, the reveals of its records; in a thread, one at a time.

        Returns the row, and why seats left by the record.
        """
        record = self._results.keep_record(running.game.game, files.record, files.receipts)
        row = row_of(running.game, result, record, running.forfeits)
        self._ledger.append(row)
        members = self._sets.setdefault(row.set, [])
        members.append(row)
        if complete_sets(members):
            self._results.reveal(self._sets.pop(row.set))
        events = read_record(files.record).events
        return row, {event.seat: LeaveCause(event.cause) for event in events if isinstance(event, SeatLeft)}

    def _judge(self, row: Row, left: Mapping[int, LeaveCause], crashed: Collection[int]) -> None:
        """Tell each bot of a game whether it played it to its end; a crash has been counted when it happened."""
        for seat, name in enumerate(row.seats):
            competitor = self._competitors[name]
            if seat not in left:
                competitor.finish_game()
            elif left[seat] in _REMOVED and seat not in crashed:
                competitor.fail_game(f"{_REMOVED[left[seat]]} (game {row.game})")

    def _hear(self, notice: Notice) -> None:
        """Take down what happens to a bot, and pass it on."""
        if isinstance(notice, notices.BotFailed | notices.BotSetAside):
            facts = {"at": datetime.now(UTC).isoformat(timespec="milliseconds"), "bot": notice.bot, "what": notice.why}
            self._results.note_incident(facts)
        if isinstance(notice, notices.BotSetAside):
            for table, running in self._running.items():
                self._forfeit(table, running, notice.bot, self._arena.progress(table)[0])
        self._observe(notice)

    async def _finish(self, *, complete: bool) -> Report:
        rows = sorted(self._ledger.rows, key=lambda row: row.game)
        made = standings(rows, [bot.name for bot in self._file.bots], self._scoring)
        self._observe(notices.Verifying(len(rows)))
        try:
            problems = await asyncio.to_thread(self._settle, rows, made, complete=complete)
        except OSError as error:
            raise EventError(self._stands(f"cannot write results: {error}")) from error
        aside = tuple((each.name, each.aside) for each in self._competitors.values() if each.aside is not None)
        return Report(complete, made, len(rows) - len(problems), problems, aside)

    def _settle(self, rows: Sequence[Row], made: Standings, *, complete: bool) -> tuple[Problem, ...]:
        """Reveal, verify and write down what is known at the end; in a thread."""
        done = complete_sets(rows)
        self._results.reveal(row for row in rows if row.set in done)
        found = [self._results.verify(row, revealed=row.set in done) for row in rows]
        problems = tuple(problem for problem in found if problem is not None)
        self._results.write_standings(made, self._file.name)
        self._results.write_state("complete" if complete else "stopped", self._file.name, games=len(rows))
        if complete and not problems:
            self._results.close()
        return problems

    def _stands(self, sentence: str) -> str:
        games = len(self._ledger.rows)
        return f"{sentence}; the {games} {'game' if games == 1 else 'games'} in {self._ledger.path} stand"


def scoring_of(file: TournamentFile) -> Scoring:
    """How the games of a tournament are scored."""
    return Scoring(file.score, fewest_points_win=file.rules.scoring == "each_keeps_own")


def _first(group: BaseException) -> BaseException:
    """One of the errors in a group of them."""
    while isinstance(group, BaseExceptionGroup):
        group = group.exceptions[0]
    return group
