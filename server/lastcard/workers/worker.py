"""The program of a worker: an arena that does what the director at the other end of the pipe asks for.

Here: the whole program, run with `python -m lastcard.workers.worker FD`, FD being its end of the pipe. Not here: the
director's end (`arena`), the arena (`app`). May import anything.

When the pipe's other end is gone, so is the director, however that went; then the worker ends as well, in good order if
that takes no longer than `FAREWELL_S`. What happened is in the store, and the next run goes on.
"""

import asyncio
import os
import select
import signal
import socket
import sys
import time
from threading import Thread
from typing import Any

import structlog

from lastcard.app import Arena, ArenaError, Settings
from lastcard.services.collector import calm_collector
from lastcard.services.event_arena import EventArena
from lastcard.services.log import configure_log
from lastcard.services.open_files import allow_many_files
from lastcard.table.plan_text import plan_value, result_text
from lastcard.tournament.reading import reading_of
from lastcard.workers.messages import (
    Answer,
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

FAREWELL_S = 3.0
"""How long a worker may live on after its director, for example with an event loop that is stuck."""

_log = structlog.get_logger()


class Worker:
    """An arena and the pipe to its director."""

    def __init__(self, arena: EventArena, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._arena = arena
        self._reader = reader
        self._writer = writer
        self._tasks: dict[int, asyncio.Task[None]] = {}

    def say(self, message: tuple[Any, ...]) -> None:
        """Tell the director something."""
        self._writer.write(packed(message))

    async def serve(self) -> None:
        """Do what the director asks for, until it says that it is the end, or is gone."""
        failing = asyncio.create_task(self._watch(), name="watch")
        try:
            while not isinstance(message := await receive(self._reader), End | None):
                self._take(message)
        finally:
            tasks = (failing, *self._tasks.values())
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    async def _watch(self) -> None:
        self.say(Failed(await self._arena.failed()))

    def _take(self, message: Any) -> None:
        if isinstance(message, Tell):
            getattr(self._arena, message.method)(*message.arguments)
        elif isinstance(message, Drop):
            if message.number in self._tasks:
                self._tasks[message.number].cancel()
        elif isinstance(message, Beat):
            self.say(message)
        else:
            self._tasks[message.number] = asyncio.create_task(self._answer(message))

    async def _answer(self, request: Request) -> None:
        try:
            if isinstance(request, Play):
                value = await self._play(request)
            else:
                value = await getattr(self._arena, request.method)(*request.arguments)
            self.say(Answer(request.number, value))
        except Exception as error:  # noqa: BLE001 - ours, whatever it is; the director says what becomes of the event
            _log.exception("worker.failed", request=str(request)[:200])
            self.say(Failed(f"a server process failed: {type(error).__name__}: {error}"))
        finally:
            del self._tasks[request.number]

    async def _play(self, request: Play) -> tuple[str, bytes, bytes, tuple[Any, ...]]:
        plan = plan_value(request.plan, request.table_id)
        played = await self._arena.play(plan, lambda at: self.say(Begun(request.number, at)))
        record, receipts = played.files.record, played.files.receipts
        reading = await asyncio.to_thread(reading_of, record, receipts, plan.rules, len(plan.seats))
        return result_text(played.result), record, receipts, tuple(reading)


async def work(link: socket.socket) -> None:
    """Be a worker until the director says that it is the end, or is gone."""
    reader, writer = await asyncio.open_connection(sock=link)
    begin = await receive(reader)
    if begin is None:
        return
    assert isinstance(begin, Begin)
    configure_log("json", "info", worker=begin.worker)
    arena = Arena(Settings(**begin.settings))
    try:
        await arena.start()
    except ArenaError as error:
        writer.write(packed(Unable(str(error))))
        writer.close()
        await writer.wait_closed()
        return
    try:
        calm_collector()
        arena.revoke_earlier()  # the programs that had these tokens are started anew
        worker = Worker(EventArena(arena), reader, writer)
        worker.say(Ready(arena.address, arena.known_tables()))
        await worker.serve()
    finally:
        await arena.stop()


def _end_with_the_director(link: socket.socket) -> None:
    """End this process soon after the pipe's other end is gone, whatever its event loop does meanwhile."""
    poll = select.poll()
    poll.register(link.fileno(), select.POLLHUP)
    poll.poll()
    time.sleep(FAREWELL_S)
    os._exit(1)


def main() -> None:
    """Run the program."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the director is told, and says what is to be done
    link = socket.socket(fileno=int(sys.argv[1]))
    Thread(target=_end_with_the_director, args=(link.dup(),), daemon=True).start()
    allow_many_files()
    try:
        import uvloop  # noqa: PLC0415 - an optional extra: faster, never required
    except ModuleNotFoundError:
        asyncio.run(work(link))
    else:
        uvloop.run(work(link))


if __name__ == "__main__":
    main()
