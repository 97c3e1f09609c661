"""One tournament that a server hosts: its director runs when it is to run, and others look on.

Here: `HostedEvent`: its state, the director's task, who looks on. Not here: which tournaments there are
(`hosted_events`), the course of one (`event`), messages (`services`). May import asyncio, the standard library,
`lastcard.table`'s values and `lastcard.tournament`.
"""

import asyncio
import contextlib
from collections.abc import Awaitable, Callable, Collection
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NamedTuple, Protocol

from lastcard.table.journal import Entry, Registered
from lastcard.table.ports import Clock
from lastcard.table.refusals import DomainError, TransportReason
from lastcard.tournament import ledger, notices
from lastcard.tournament.claim import InUseError, claimed
from lastcard.tournament.director.books import scoring_of
from lastcard.tournament.director.endings import EventError
from lastcard.tournament.director.event import Director
from lastcard.tournament.director.waiting import in_thread
from lastcard.tournament.file import TournamentFile
from lastcard.tournament.hosting import KIND, OVER, PLAYING, Hosted, HostedState, refusal
from lastcard.tournament.judging import judge
from lastcard.tournament.ledger import LedgerError, read_entries
from lastcard.tournament.ledger_lines import LedgerLines
from lastcard.tournament.notices import Notice
from lastcard.tournament.ports import ArenaPort
from lastcard.tournament.results import FILE, Results, ResultsError
from lastcard.tournament.resumption import resume
from lastcard.tournament.statistics import Standings, standings


class Changed(NamedTuple):
    """The state of the tournament is another."""


class Running(NamedTuple):
    """A game that is on, with the id of its table on the server."""

    game: int
    table_id: str
    seats: tuple[str, ...]


News = Changed | Running | notices.GameFinished | notices.BotReady | notices.BotFailed | notices.BotSetAside
"""What those who look on are told; rows they read from the ledger, which has grown when a game is finished."""

Onlooker = Callable[[News], None]
"""Whoever looks on; it must return at once and raise nothing."""


class HostedArena(ArenaPort, Protocol):
    """The running server, as the director of one of its tournaments needs it."""

    def table_id(self, table_id: str) -> str:
        """The id on the server of one of this event's tables."""


@dataclass(frozen=True, slots=True, kw_only=True)
class House:
    """What a hosted tournament needs of its server.

    `note` takes what is to be stored, `durable` returns when it is; `arena` gives the arena for an event whose tables
    have ids that begin with its mark, `cancel` closes the tables of events with these marks without a result; `log` is
    told of a fault of ours and gives a sentence with the number under which it is found.
    """

    note: Callable[[Entry], None]
    durable: Callable[[], Awaitable[None]]
    clock: Clock
    arena: Callable[[str], HostedArena]
    cancel: Callable[[Collection[str]], None]
    log: Callable[[str, Exception], str]


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
        self._house = house
        self._lines: LedgerLines | None = None
        self._reading = asyncio.Lock()
        self._director: Director | None = None
        self._arena: HostedArena | None = None
        self._task: asyncio.Task[None] | None = None

    @property
    def name(self) -> str:
        """Its name."""
        return self.hosted.name

    # ------------------------------------------------------------------ state

    def check(self, wish: str) -> None:
        """Check that it can be `started`, `paused` or whatever `hosting.ALLOWED` has.

        Raises:
            DomainError: WRONG_STATE.
        """
        sentence = refusal(self.hosted, wish)
        if sentence is not None:
            state = self.hosted.state
            raise DomainError(TransportReason.WRONG_STATE, sentence, tournament=self.name, state=state)

    def change(self, state: HostedState, reason: str = "") -> None:
        """Set the state and have it stored; those who look on are told."""
        now = self._house.clock()
        played = self.hosted.games_played if self._lines is None else self._lines.games
        hosted = replace(self.hosted, state=state, reason=reason, games_played=played)
        if state is HostedState.RUNNING and not hosted.started_ms:
            hosted = replace(hosted, started_ms=now)
        if state in OVER and not hosted.ended_ms:
            hosted = replace(hosted, ended_ms=now)
        self.keep(hosted)
        self._tell(Changed())

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
            complete = await self._direct()
            while not complete and self.hosted.state is HostedState.RUNNING:
                complete = await self._direct()  # somebody resumed it while it was about to be paused
        except asyncio.CancelledError:
            raise
        except DomainError as error:
            if error.reason is not TransportReason.DRAINING:
                self._break(error.sentence)
        except (EventError, ResultsError, LedgerError, InUseError, OSError) as error:
            self._break(str(error))
        except Exception as error:  # noqa: BLE001 - whatever it is, the server's other tournaments go on
            self._break(self._house.log(self.name, error))
        else:
            if self.hosted.state in PLAYING:
                self.change(HostedState.COMPLETE if complete else HostedState.PAUSED, self.hosted.reason)
        finally:
            self._director = None
            self.running.clear()
            self.is_playing = False
            self._tell(Changed())

    def _break(self, why: str) -> None:
        if self.hosted.state in PLAYING:
            self.change(HostedState.BROKEN, why.replace("--resume goes on", "a resume goes on"))

    async def _direct(self) -> bool:
        """Play what is to be played; whether all was."""
        await self._house.durable()
        with contextlib.ExitStack() as stack:
            results = await in_thread(self._results, stack)
            await self.lines()
            if results.mark != self.hosted.mark:
                self.keep(replace(self.hosted, mark=results.mark))
            arena = self._house.arena(results.mark)
            director = await in_thread(Director, self.file, results, (arena,), self._observe)
            self._director, self._arena = director, arena
            if self.hosted.state is not HostedState.RUNNING:
                director.stop()
            report = await director.run()
            self.aside.update(report.aside)
            return report.complete

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
            return resume(self.directory, self.file)
        file = self.file
        return Results.create(self.directory, file.text, file.name, file.seed, overwrite=True)

    def _observe(self, notice: Notice) -> None:
        match notice:
            case notices.Started(_, games, _):
                self.hosted = replace(self.hosted, games=games)
                self._tell(Changed())
            case notices.GameStarted(game, _):
                assert self._director is not None
                assert self._arena is not None
                running = Running(game.game, self._arena.table_id(f"game-{game.game:05d}"), game.seats)
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
            case notices.BotReady() | notices.BotFailed():
                self._tell(notice)

    # ------------------------------------------------------------------ what is known

    async def lines(self) -> LedgerLines:
        """The ledger as far as it is written; read when it is first asked for.

        Raises:
            DomainError: NOT_KEPT when it cannot be read.
        """
        async with self._reading:
            if self._lines is None:
                lines = LedgerLines(self.directory / ledger.NAME, all_orders=scoring_of(self.file).all_orders)
                try:
                    await asyncio.to_thread(lines.read_on)
                except (LedgerError, OSError) as error:
                    raise unreadable(self.name, error) from error
                self._lines = lines
        return self._lines

    async def standings(self) -> tuple[int, Standings]:
        """The number of the ledger's last row, and the ranking with it.

        Raises:
            DomainError: NOT_KEPT when the ledger cannot be read.
        """
        lines = await self.lines()
        last = len(lines)
        return last, await asyncio.to_thread(self._standings, last)

    def _standings(self, last: int) -> Standings:
        names = [bot.name for bot in self.file.bots]
        try:
            entries = list(read_entries(self.directory / ledger.NAME)) if last else []
        except (LedgerError, OSError) as error:
            raise unreadable(self.name, error) from error
        return standings(entries, names, scoring_of(self.file))


def unreadable(name: str, error: Exception) -> DomainError:
    """The refusal of what cannot be read from a results directory."""
    sentence = f"the ledger of {name!r} cannot be read: {error}; put it back as it was"
    return DomainError(TransportReason.NOT_KEPT, sentence, tournament=name)
