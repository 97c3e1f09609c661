"""One tournament that a server hosts: its director runs when it is to run, and others look on.

Here: `HostedEvent`: its state, the director's task, who looks on, rulings. Not here: which tournaments there are
(`hosted_events`), what it needs of its server (`hosted_ports`), the course of one (`event`), messages (`services`).
May import asyncio, the standard library, `lastcard.table`'s values and `lastcard.tournament`.
"""

import asyncio
import contextlib
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TypeVar

from lastcard.table.journal import Registered
from lastcard.table.refusals import DomainError, TransportReason
from lastcard.tournament import event_state, ledger, notices
from lastcard.tournament.claim import InUseError, claimed
from lastcard.tournament.director import organiser
from lastcard.tournament.director.books import scoring_of
from lastcard.tournament.director.endings import EventError
from lastcard.tournament.director.event import Director, Report, look_again
from lastcard.tournament.director.game import table_id_of
from lastcard.tournament.director.hosted_figures import all_figures_of, ranking_of, unreadable
from lastcard.tournament.director.hosted_ports import Changed, HostedArena, House, News, Onlooker, Running
from lastcard.tournament.director.tables import latest_attempt
from lastcard.tournament.director.waiting import in_thread
from lastcard.tournament.file import TournamentFile
from lastcard.tournament.file_section import FileError
from lastcard.tournament.hosted_file import read_hosted
from lastcard.tournament.hosting import KIND, OVER, PLAYING, Hosted, HostedState, refusal
from lastcard.tournament.judging import judge
from lastcard.tournament.ledger import LedgerError
from lastcard.tournament.ledger_lines import LedgerLines, Line
from lastcard.tournament.notices import Notice
from lastcard.tournament.report.played import PlayedError
from lastcard.tournament.results import FILE, Results, ResultsError
from lastcard.tournament.rule_book import RulingError, Wish
from lastcard.tournament.statistics import Standings

T = TypeVar("T")


class HostedEvent:
    """A tournament of the server; `file` is what its text says."""

    def __init__(self, hosted: Hosted, file: TournamentFile, directory: Path, house: House) -> None:
        self.hosted = hosted
        self.file = file
        self.directory = directory
        self.running: dict[int, Running] = {}
        """The games that are on, by number, in the order in which they began."""
        self.aside: dict[str, str] = {}
        """Why bots are set aside, by bot, as far as this run of the server knows."""
        self.onlookers: set[Onlooker] = set()
        self.is_playing = False
        """Whether a director is at work, or about to be."""
        self._is_ruled_on = False
        """Whether somebody writes in its directory who is no director."""
        self._house = house
        self._lines: LedgerLines | None = None
        self._reading = asyncio.Lock()
        self._figures: tuple[int, Standings, str] | None = None
        """What was computed last, by the number of the ledger's last row."""
        self._figuring = asyncio.Lock()
        self._director: Director | None = None
        self._arena: HostedArena | None = None
        self._task: asyncio.Task[None] | None = None

    @property
    def name(self) -> str:
        """Its name."""
        return self.hosted.name

    @property
    def games_played(self) -> int:
        """How many games have their rows, as far as this run of the server knows."""
        return self.hosted.games_played if self._lines is None else self._lines.games

    @property
    def is_over(self) -> bool:
        """Whether nothing comes any more, as far as is known: what is being written may have it go on."""
        return self.hosted.state in OVER and not self.is_playing and not self._is_ruled_on

    # ------------------------------------------------------------------ state

    def check(self, wish: str) -> None:
        """Check that it can be `started`, `paused` or whatever `hosting.ALLOWED` has.

        Raises:
            DomainError: WRONG_STATE.
        """
        if self._is_ruled_on:
            sentence = f"a ruling on {self.name!r} is being written down; try again"
            raise DomainError(TransportReason.WRONG_STATE, sentence, retry_after_ms=500, tournament=self.name)
        why = refusal(self.hosted, wish)
        if why is not None:
            state = self.hosted.state
            raise DomainError(TransportReason.WRONG_STATE, why, tournament=self.name, state=state)

    def change(self, state: HostedState, reason: str = "") -> None:
        """Set the state and have it stored; those who look on are told."""
        now = self._house.clock()
        ruling = self.hosted.ruling and state not in PLAYING  # whoever plays on writes everything that follows
        hosted = replace(self.hosted, state=state, reason=reason, games_played=self.games_played, ruling=ruling)
        if state is HostedState.RUNNING and not hosted.started_ms:
            hosted = replace(hosted, started_ms=now)
        if state in OVER and not hosted.ended_ms:
            hosted = replace(hosted, ended_ms=now)
        self.keep(hosted)
        self._tell(Changed())

    def see_reopened(self) -> None:
        """A complete one is paused when its directory says that there are games to play: somebody ruled on it there."""
        if self.hosted.state is not HostedState.COMPLETE or self._is_ruled_on:
            return
        try:
            found = event_state.EventState.from_json((self.directory / event_state.NAME).read_bytes())
        except (OSError, event_state.StateError):
            return  # it stays complete, and whoever reads in the directory is told what is wrong
        if found.state != event_state.COMPLETE:
            self.change(HostedState.PAUSED, "after a ruling there are games to play; resume it")

    def keep(self, hosted: Hosted) -> None:
        """Have it stored as it is now."""
        self.hosted = hosted
        self._house.note(Registered(KIND, self.name, hosted.to_json()))

    def _tell(self, news: News) -> None:
        for onlooker in list(self.onlookers):
            onlooker(news)

    # ------------------------------------------------------------------ playing

    def begin(self) -> None:
        """Have the director begin or go on; nothing happens when it is at work."""
        if not self.is_playing:
            self.is_playing = True
            self._task = asyncio.create_task(self._play(), name=f"tournament {self.name}")

    def pause(self) -> None:
        """Have the director stop after the running games."""
        if self._director is not None:
            self._director.stop()

    async def cancel(self) -> None:
        """Have the director stop at once, and close the tables that were on; its state says already that it is over."""
        if self._director is not None:
            self._director.stop()
            self._director.stop()
        if self._task is not None:
            await asyncio.wait({self._task})
        if self.hosted.mark:
            self._house.cancel({self.hosted.mark})

    async def stand_still(self) -> None:
        """End the director's work wherever it is, since the server ends; the next one goes on with it."""
        if self._task is not None and not self._task.done():
            self._task.cancel()
            await asyncio.wait({self._task})

    async def _play(self) -> None:
        try:
            report = await self._direct()
            while self.hosted.state is HostedState.RUNNING and not (report is not None and report.complete):
                report = await self._direct()  # somebody resumed it while it was about to be paused
        except asyncio.CancelledError:
            raise
        except DomainError as error:
            if error.reason is not TransportReason.DRAINING:
                self._break(error.sentence)
        except (EventError, ResultsError, LedgerError, InUseError, FileError, OSError) as error:
            self._break(str(error))
        except Exception as error:  # noqa: BLE001 - whatever it is, the server's other tournaments go on
            self._break(self._house.log(self.name, error))
        else:
            if self.hosted.state in PLAYING:
                is_complete = report is not None and report.complete
                reason = "" if is_complete else self.hosted.reason
                wrong = "" if report is None else _wrong(report)
                state = HostedState.COMPLETE if is_complete else HostedState.PAUSED
                self.change(state, "; ".join(filter(None, (reason, wrong))))
        finally:
            self._director = None
            self.running.clear()
            self.is_playing = False
            self._tell(Changed())

    def _break(self, why: str) -> None:
        if self.hosted.state in PLAYING:
            self.change(HostedState.BROKEN, why.replace("--resume goes on", "a resume goes on"))

    async def _direct(self) -> Report | None:
        """Play what is to be played, and how that came out; `None` when it was cancelled before."""
        await self._house.durable()
        with contextlib.ExitStack() as stack:
            results = await in_thread(self._results, stack)
            await self._read_on()
            if results.mark != self.hosted.mark:
                self.keep(replace(self.hosted, mark=results.mark))
            if self.hosted.state in OVER:
                return None  # it was cancelled meanwhile
            if results.begun is not None and results.begun.state == event_state.COMPLETE:
                # The server died behind its end: its key and store are gone, so that nothing may say that it runs.
                self.hosted = replace(self.hosted, games=results.begun.games)
                report = await in_thread(look_again, self.file, results, self._observe)
                self.aside.update(report.aside)
                return report
            arena = self._house.arena(results.mark)
            director = await in_thread(Director, self.file, results, (arena,), self._observe)
            self._director, self._arena = director, arena
            if self.hosted.state in OVER:
                director.stop()
            if self.hosted.state is not HostedState.RUNNING:
                director.stop()
            report = await director.run()
            self.aside.update(report.aside)
            return report

    def out(self) -> dict[str, str]:
        """Why bots play no more, by bot."""
        judged = judge(() if self._lines is None else self._lines.rulings, scoring_of(self.file))
        withdrawn = {bot: f"withdrawn: {row.reason}" for bot, row in judged.withdrawn.items()}
        disqualified = {bot: f"disqualified: {reason}" for bot, reason in judged.disqualified.items()}
        return self.aside | withdrawn | disqualified

    def _results(self, stack: contextlib.ExitStack) -> Results:
        """The results directory: that of an earlier run, or a new one."""
        self.directory.mkdir(parents=True, exist_ok=True)
        stack.enter_context(claimed(self.directory))
        if (self.directory / FILE).exists() or (self.directory / ledger.NAME).exists():
            self._take_file()
            return organiser.take_up(self.directory, self.file, (), _moment(self._house.clock()))
        if self.hosted.mark:
            raise ResultsError(
                f"the results directory {str(self.directory)!r} is empty, though the tournament had begun; put it back "
                f"as it was"
            )
        file = self.file
        return Results.create(self.directory, file.text, file.name, file.seed, overwrite=True)

    def _take_file(self) -> None:
        """What lies in the directory is what is played: a bot may have entered just before the server died."""
        text = (self.directory / FILE).read_text(encoding="utf-8")
        if text != self.hosted.text:
            self.file = read_hosted(text, str(self.directory / FILE), self._house.builtins)
            self.hosted = replace(self.hosted, text=text)

    def _observe(self, notice: Notice) -> None:
        match notice:
            case notices.Started(_, games, _):
                self.hosted = replace(self.hosted, games=games)
                self._tell(Changed())
            case notices.GameStarted(game, _):
                assert self._director is not None
                assert self._arena is not None
                table_id = self._arena.table_id(table_id_of(game.game, latest_attempt(self._arena, game.game)))
                running = Running(game.game, table_id, game.seats)
                self.running[game.game] = running
                self._tell(running)
            case notices.GameFinished(row, _, games):
                self.hosted = replace(self.hosted, games=games)
                self.running.pop(row.game, None)
                assert self._lines is not None
                self._lines.read_on()
                self._tell(notice)
            case notices.BotSetAside(bot, why):
                self.aside[bot] = why
                self._tell(notice)
            case notices.BotReady() | notices.BotFailed() | notices.StageStarted() | notices.Looked():
                self._tell(notice)

    # ------------------------------------------------------------------ the organiser's rulings

    async def rule(self, wish: Wish) -> Line:
        """Write a ruling down, or find it when its request has done so already; the line of the ledger.

        One that is complete is paused when there are games to be played again.

        Raises:
            DomainError: WRONG_STATE, INVALID_ARGUMENT, NOT_KEPT.
        """
        lines = await self.lines()  # before the check: others may have come first meanwhile
        self.check("ruled on")
        if self.hosted.ruling:
            await self._settle()
            self.check("ruled on")
        at = _moment(self._house.clock())
        ruled = await self._write_in(lambda: organiser.rule(self.directory, self._house.builtins, wish, at))
        self._see_ruled(unfinished=ruled.unfinished, why=f"after ruling {ruled.row.number}")
        return lines.lines(lines.ruling_lines[ruled.row.number - 1], 1)[0]

    def see_to_rulings(self) -> None:
        """Have everything written that follows from a ruling at which the server has died."""
        self._is_ruled_on = True
        self._task = asyncio.create_task(self._follow_up(), name=f"rulings on {self.name}")

    async def _follow_up(self) -> None:
        try:
            await self._settle()
        except DomainError:
            return  # it stays to be done, and whoever looks in the directory is told what is wrong

    async def _settle(self) -> None:
        """Write what may be missing after a ruling that was broken off.

        Raises:
            DomainError: NOT_KEPT.
        """
        unfinished = await self._write_in(lambda: organiser.follow_up(self.directory, self._house.builtins))
        self._see_ruled(unfinished=unfinished, why="after a ruling")

    def _see_ruled(self, *, unfinished: bool, why: str) -> None:
        """Everything that follows from the rulings is written."""
        self.hosted = replace(self.hosted, ruling=False)
        if unfinished and self.hosted.state is HostedState.COMPLETE:
            self.change(HostedState.PAUSED, f"{why} there are games to play; resume it")
        else:
            self.keep(self.hosted)

    async def enter(self, name: str, file: TournamentFile) -> None:
        """Have a bot enter that `file` has behind the others; it plays from the next stage on.

        One that is complete is paused, since there are games to be played then.

        Raises:
            DomainError: WRONG_STATE, INVALID_ARGUMENT, NOT_KEPT.
        """
        self.check("entered")
        at = _moment(self._house.clock())

        def write() -> None:
            organiser.take_up(self.directory, file, [name], at)

        await self._write_in(write)
        self.file = file
        self.hosted = replace(self.hosted, text=file.text)
        self._see_ruled(unfinished=True, why=f"after {name} has entered")

    async def _write_in(self, write: Callable[[], T]) -> T:
        """Write in the directory while no director does; that this is about to happen is stored before."""

        def claiming() -> T:
            with claimed(self.directory):
                try:
                    return write()
                finally:
                    if self._lines is not None:
                        self._lines.read_on()

        self._is_ruled_on = True
        try:
            self.keep(replace(self.hosted, ruling=True))
            await self._house.durable()
            async with self._reading:
                return await in_thread(claiming)
        except RulingError as error:
            self.keep(replace(self.hosted, ruling=False))  # nothing was written
            raise DomainError(TransportReason.INVALID_ARGUMENT, str(error), field="ruling") from error
        except (PlayedError, ResultsError, LedgerError, InUseError, OSError) as error:
            raise unreadable(self.name, error) from error
        finally:
            self._is_ruled_on = False
            self._tell(Changed())  # whoever looks on comes to it when what follows is done

    # ------------------------------------------------------------------ what is known

    async def lines(self) -> LedgerLines:
        """The ledger as far as it is written; while a director is at work, as far as that has told.

        Raises:
            DomainError: NOT_KEPT when it cannot be read.
        """
        if self._lines is None or not self.is_playing:  # for somebody may have ruled in the directory itself
            return await self._read_on()
        return self._lines

    async def _read_on(self) -> LedgerLines:
        """Read what has been written since; not while a director is at work, which tells when there is more."""
        async with self._reading:
            lines = self._lines
            if lines is None:
                lines = LedgerLines(self.directory / ledger.NAME, all_orders=scoring_of(self.file).all_orders)
            try:
                await asyncio.to_thread(lines.read_on)
            except (LedgerError, OSError) as error:
                raise unreadable(self.name, error) from error
            self._lines = lines
        return lines

    async def standings(self) -> tuple[int, Standings]:
        """The number of the ledger's last row, and the ranking with it.

        Raises:
            DomainError: NOT_KEPT when the ledger cannot be read.
        """
        lines = await self.lines()
        last = len(lines)
        return last, await asyncio.to_thread(ranking_of, self.directory, self.file, last)

    async def figures(self) -> tuple[int, Standings, str]:
        """As `standings`, with all figures as they stand in `standings.json`.

        Raises:
            DomainError: NOT_KEPT when the results cannot be read.
        """
        lines = await self.lines()
        async with self._figuring:  # it may take seconds, and many may ask
            if self._figures is None or self._figures[0] != len(lines):
                self._figures = await asyncio.to_thread(
                    all_figures_of, self.directory, self.file, self._house.builtins, len(lines)
                )
            return self._figures


def _wrong(report: Report) -> str:
    """What is wrong with the records of an event; empty when nothing is."""
    if not report.problems:
        return ""
    first, total = report.problems[0], report.verified + len(report.problems)
    return f"{len(report.problems)} of {total} records do not verify, the first: {first.record} {first.sentence}"


def _moment(unix_ms: int) -> str:
    return datetime.fromtimestamp(unix_ms // 1_000, UTC).isoformat(timespec="seconds")
