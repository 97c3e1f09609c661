"""A worker as the director sees it: an arena whose process is started, spoken to, and started again when it is lost.

Here: `WorkerArena`. Not here: the worker's own end (`worker`), how many there are (`crew`). May import asyncio, the
plain values of `lastcard.table`, settings, `messages` and `lastcard.tournament`'s ports, which it satisfies.

What is asked of a worker that dies is asked again of the next, which has the same store: games go on where they were.
One that hangs is ended, which makes it one that died.
"""

import asyncio
import contextlib
import itertools
import os
import socket
import sys
from collections.abc import Callable, Collection
from pathlib import Path
from typing import Any, NamedTuple

from lastcard.app import ArenaError
from lastcard.services.settings import Settings, settings_list
from lastcard.table.plan import RecordFiles, TablePlan
from lastcard.table.plan_text import plan_text, result_value
from lastcard.tournament.director.guard_program import MARK
from lastcard.tournament.ports import Played
from lastcard.tournament.reading import Reading
from lastcard.workers.messages import (
    Answer,
    Ask,
    Beat,
    Begin,
    Begun,
    Drop,
    End,
    Failed,
    Play,
    Ready,
    Request,
    Tell,
    Unable,
    packed,
    receive,
)

MOST_DEATHS = 3
"""A worker that dies so often without finishing a game in between is not started again."""

START_S = 300.0
"""How long a worker may take to open its arena, which reads its store first; then it hangs."""

BEAT_S = 5.0
"""How often a worker is asked whether it lives."""

MOST_BEATS = 12
"""A worker that says nothing while it is asked so often hangs. They are counted, and no time is measured, since the
director may have been stopped itself; then the answers are there when it goes on."""

SUSPEND_S = 10.0
"""How long a worker may take to suspend its tables; then it is killed, which stops them as well."""

STOP_S = 30.0
"""How long a worker may take to end in good order."""

_FAREWELL_S = 2.0
"""How long a process may take to be gone whose pipe is closed."""


class _Call(NamedTuple):
    """A request that is not answered yet; `again` when the next run of the worker is to be asked if this one dies."""

    request: Request
    answer: asyncio.Future[Any]
    again: bool
    begun: Callable[[int], None] | None = None


class _DiedAtStartError(ArenaError):
    """A process ended by itself before its arena was open, without a word."""


class WorkerArena:
    """Satisfies `lastcard.tournament.ports.ArenaPort`.

    Its log is appended to a file; its processes are known by a mark. `died` is called with a sentence when the worker
    has died and is started again.
    """

    def __init__(self, number: int, settings: Settings, log: Path, mark: str, died: Callable[[str], None]) -> None:
        self.number = number
        """From 1."""
        self.address = ""
        self.run = 1
        self._settings = {declared.name: getattr(settings, declared.name) for declared in settings_list()}
        self._log = log
        self._mark = mark
        self._died = died
        self.known: set[str] = set()
        """The tables that there are, open or closed and not forgotten, by id."""
        self._removed: dict[str, list[int]] = {}
        """Seats that were removed at tables that are played at now."""
        self._calls: dict[int, _Call] = {}
        self._numbers = itertools.count(1)
        self._writer: asyncio.StreamWriter | None = None
        self._is_open = False
        self._process: asyncio.subprocess.Process | None = None
        self._over = asyncio.Event()  # of the present run
        self._failure: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        self._deaths = 0
        self._unanswered = 0  # so many beats since the process has said something
        self._hung = ""  # for how long, when the process was ended for that
        self._ending = False
        self._life: asyncio.Task[None] | None = None

    # ------------------------------------------------------------------ the process

    async def start(self) -> None:
        """Start the process and wait until its arena is open.

        Raises:
            ArenaError: it cannot be opened.
        """
        reader = await self._launch()
        self._life = asyncio.create_task(self._live(reader), name=f"worker {self.number}")

    async def stop(self) -> None:
        """Have the process end, in good order if it can."""
        self._ending = True
        if self._process is None:
            return
        self._send(End()) if self._is_open else self.kill()
        await self._ended(STOP_S)
        if self._life is not None:
            self._life.cancel()
            await asyncio.gather(self._life, return_exceptions=True)
        await self._hang_up()

    async def _ended(self, patience_s: float) -> int:
        """Wait for the process's end, killing it when that takes long; its status."""
        assert self._process is not None
        try:
            async with asyncio.timeout(patience_s):
                return await self._process.wait()
        except TimeoutError:
            self.kill()  # not sooner: asking a process that has just ended for its status here takes it from asyncio
            return await self._process.wait()

    def kill(self) -> None:
        """End the process at once."""
        if self._process is not None:
            with contextlib.suppress(ProcessLookupError):
                self._process.kill()

    async def _hang_up(self) -> None:
        """Close our end of the pipe."""
        self._is_open = False
        if self._writer is not None:
            self._writer.close()
            with contextlib.suppress(ConnectionError):
                await self._writer.wait_closed()
            self._writer = None

    async def _launch(self) -> asyncio.StreamReader:
        """Start the process; its messages, once its arena is open.

        Raises:
            ArenaError: it cannot be opened.
        """
        here, there = socket.socketpair()
        try:
            with self._log.open("ab") as log:
                self._process = await asyncio.create_subprocess_exec(
                    sys.executable,
                    *("-m", "lastcard.workers.worker", str(there.fileno())),
                    stdin=asyncio.subprocess.DEVNULL,
                    stdout=log,
                    stderr=log,
                    env={**os.environ, MARK: self._mark},
                    pass_fds=(there.fileno(),),
                    start_new_session=True,  # Ctrl-C at a terminal is for the director alone
                )
        except BaseException as error:
            here.close()
            if isinstance(error, OSError):
                raise ArenaError(f"server process {self.number} cannot be started: {error.strerror}") from error
            raise
        finally:
            there.close()
        reader, self._writer = await asyncio.open_connection(sock=here)
        self._writer.write(packed(Begin(self.number, self._settings)))
        said = await self._first_word(reader)
        if isinstance(said, Ready):
            self._open(said)
            return reader
        await self._hang_up()
        status = await self._process.wait()
        if isinstance(said, Unable):
            raise ArenaError(said.sentence)
        sentence = f"server process {self.number} {self._end_text(status)} at its start; {self._log} says why"
        raise _DiedAtStartError(sentence)

    async def _first_word(self, reader: asyncio.StreamReader) -> Any:
        """What a new process says first; `None` when it is gone, also because it hangs."""
        try:
            async with asyncio.timeout(START_S):
                return await receive(reader)
        except TimeoutError:
            self._end_hung(START_S)
            return None

    def _open(self, ready: Ready) -> None:
        """An arena is open: what was asked of an earlier run is asked again, what it was to forget is forgotten."""
        self.address = ready.address
        self._unanswered = 0
        self._is_open = True
        requests = [call.request for call in self._calls.values()]
        tables = set(ready.tables)
        if self.run > 1:
            known = self.known | {request.table_id for request in requests if isinstance(request, Play)}
            for table_id in tables - known:
                self._tell("forget_table", table_id)
            tables &= known
        self.known = tables
        for request in requests:
            self._send(request)

    async def _live(self, reader: asyncio.StreamReader) -> None:
        """Read what the process says, and start it again when it dies."""
        beating = asyncio.create_task(self._beat(), name=f"beat of worker {self.number}")
        try:
            while True:
                while (message := await receive(reader)) is not None:
                    self._take(message)
                if self._ending:
                    return
                again = await self._start_again()
                if again is None:
                    return
                reader = again
        except ArenaError as error:
            self._fail(f"{error}")
        finally:
            beating.cancel()
            self._end_run()

    async def _beat(self) -> None:
        while True:
            await asyncio.sleep(BEAT_S)
            self._ask_for_life()

    def _ask_for_life(self) -> None:
        """Ask the process whether it lives, or end it when it has been asked often enough."""
        if not self._is_open or self._ending:
            return
        if self._unanswered >= MOST_BEATS:
            self._end_hung(MOST_BEATS * BEAT_S)
            return
        self._unanswered += 1
        self._send(Beat())

    def _end_hung(self, silent_s: float) -> None:
        self._hung = f"was ended since it said nothing for {silent_s:g} s"
        self.kill()

    async def _start_again(self) -> asyncio.StreamReader | None:
        """The process is gone: start another, which goes on from its store; `None` when it has died too often."""
        assert self._process is not None
        self._end_run()
        await self._hang_up()
        while True:
            status = await self._ended(_FAREWELL_S)  # it may be that only the pipe is gone
            self._deaths += 1
            why = f"server process {self.number} {self._end_text(status)}"
            if self._deaths >= MOST_DEATHS:
                self._fail(f"{why}, as {MOST_DEATHS} times in a row without a finished game; {self._log} says why")
                return None
            self._died(f"{why} and is started again; its games go on where they were")
            # Whatever ended it may end the next one before that has begun, which says no more about the store.
            with contextlib.suppress(_DiedAtStartError):
                return await self._launch()

    def _end_text(self, status: int) -> str:
        """How the process ended."""
        hung, self._hung = self._hung, ""
        return hung or (f"was ended by signal {-status}" if status < 0 else f"ended with status {status}")

    def _end_run(self) -> None:
        """The present run is over; the next one is asked what this one did not answer."""
        self._is_open = False
        over, self._over = self._over, asyncio.Event()
        self.run += 1
        for number, call in list(self._calls.items()):
            if not call.again and not call.answer.done():
                del self._calls[number]
                call.answer.set_result(None)
        over.set()

    def _fail(self, sentence: str) -> None:
        if not self._failure.done():
            self._failure.set_result(sentence)

    # ------------------------------------------------------------------ speaking with it

    def _send(self, message: tuple[Any, ...]) -> None:
        """Say something, unless the worker is down: what the next one is to know is said when it is open."""
        if self._is_open and self._writer is not None:
            self._writer.write(packed(message))

    def _take(self, message: Any) -> None:
        self._unanswered = 0
        if isinstance(message, Answer):
            call = self._calls.pop(message.number, None)
            if call is not None and not call.answer.done():
                call.answer.set_result(message.value)
        elif isinstance(message, Begun):
            self._note_begun(message)
        elif isinstance(message, Failed):
            self._fail(message.sentence)

    def _note_begun(self, message: Begun) -> None:
        call = self._calls.get(message.number)
        if call is None or call.begun is None:
            return
        assert isinstance(call.request, Play)
        table_id = call.request.table_id
        self.known.add(table_id)
        if table_id in self._removed:  # an earlier run has begun it, too
            for seat in self._removed[table_id]:
                self._tell("remove_seat", table_id, seat)
            return
        self._removed[table_id] = []
        try:
            call.begun(message.at)
        except BaseException as error:  # noqa: BLE001 - it belongs to whoever called
            del self._calls[message.number]
            if not call.answer.done():
                call.answer.set_exception(error)

    def _tell(self, method: str, *arguments: object) -> None:
        self._send(Tell(method, arguments))

    async def _ask(self, method: str, *arguments: object, again: bool = True) -> Any:
        return await self._request(Ask(next(self._numbers), method, arguments), again=again)

    async def _request(
        self, request: Request, *, again: bool = True, begun: Callable[[int], None] | None = None
    ) -> Any:
        """Ask the worker for something, and its successors until one has answered; unless `again`, only this one."""
        call = _Call(request, asyncio.get_running_loop().create_future(), again, begun)
        self._calls[request.number] = call
        self._send(request)
        try:
            return await call.answer
        finally:
            if self._calls.pop(request.number, None) is not None:
                self._send(Drop(request.number))

    # ------------------------------------------------------------------ the port

    async def failed(self) -> str:
        """Return as soon as the worker cannot go on and is not started again: a sentence on why."""
        return await asyncio.shield(self._failure)

    async def gone(self, run: int) -> None:
        """Return as soon as a run of the worker is over, though the event is not."""
        if self.run == run:
            await self._over.wait()

    async def lasts(self, run: int) -> bool:
        """Whether a run of the worker goes on."""
        if self.run != run:
            return False
        await self._ask("lasts", run, again=False)
        return self.run == run

    @property
    def registered(self) -> bool:
        """All tokens are the event's own."""
        return False

    def revoke_earlier(self, keep: Collection[str] = ()) -> None:
        """Each run of a worker begins by that; what is to be kept is adopted."""

    async def mint(self, bot_name: str) -> str:
        """A token by which one instance of a bot identifies itself; while the worker is down, the next gives it."""
        token = await self._ask("mint", bot_name)
        assert isinstance(token, str)
        return token

    async def adopt(self, bot_name: str, token: str) -> None:
        """Take a token that an earlier run handed out for one of a bot's again."""
        await self._ask("adopt", bot_name, token)

    async def connected(self, token: str) -> str:
        """Return as soon as the instance with a token is connected, with the version that it told."""
        return str(await self._ask("connected", token))

    async def lost(self, token: str) -> None:
        """Return as soon as the instance with a token is not connected."""
        await self._ask("lost", token)

    async def bot_connected(self, bot_name: str) -> str:
        """Return as soon as an instance of a bot is connected, with the version that it told."""
        return str(await self._ask("bot_connected", bot_name))

    async def bot_lost(self, bot_name: str) -> None:
        """Return as soon as no instance of a bot is connected."""
        await self._ask("bot_lost", bot_name)

    def revoke(self, token: str) -> None:
        """Make a token invalid: its stream ends, and its instance is given no seat any more."""
        self._tell("revoke", token)

    def report_crash(self, token: str, evidence: str) -> None:
        """Note at the open tables of an instance that its process ended by itself."""
        self._tell("report_crash", token, evidence)

    # ------------------------------------------------------------------ the port: tables

    def is_known(self, table_id: str) -> bool:
        """Whether there is a table, open or closed and not forgotten, also from an earlier run of the arena."""
        return table_id in self.known

    async def play(self, plan: TablePlan, begun: Callable[[int], None]) -> Played:
        """Play at a table with the plan's id to the end; a table that is known goes on where it is."""
        table_id, deal_key, salt = plan.table_id, plan.deal_key, plan.salt
        assert table_id is not None
        assert deal_key is not None
        assert salt is not None
        request = Play(next(self._numbers), table_id, plan_text(plan, deal_key, salt))
        try:
            text, record, receipts, reading = await self._request(request, begun=begun)
        finally:
            self._removed.pop(table_id, None)
        self._deaths = 0
        result = result_value(text)
        files = RecordFiles(record=record, receipts=receipts, record_hash=result.record_hash)
        return Played(result, files, Reading(*reading))

    def remove_seat(self, table_id: str, seat: int) -> None:
        """Remove a seat from its match; said again to the next worker, if this one dies before the match is over."""
        self._removed[table_id].append(seat)
        self._tell("remove_seat", table_id, seat)

    def forget_table(self, table_id: str) -> None:
        """Free the memory of a closed table."""
        self.known.discard(table_id)
        self._tell("forget_table", table_id)

    async def suspend(self) -> None:
        """Let nothing more happen at any table; a worker that dies from now on is not started again."""
        self._ending = True
        if self._life is None or self._life.done():
            return
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(SUSPEND_S):
                await self._ask("suspend", again=False)
                return
        self.kill()
