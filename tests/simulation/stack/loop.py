"""An event loop in virtual time that several simulated processes share, and in which any of them can die.

Here: `VirtualLoop`. Not here: what runs in it (`server`, `link`, clients).

Nothing sleeps: when nothing is ready the time jumps to the next timer. There is no input, output or thread, so the same
calls always come in the same order. Every callback belongs to the process that was running when it was scheduled, tasks
included; process 0 is the world outside. A process that is killed has no more callbacks, one that is paused gets those
that were due when it goes on, in their order.
"""

import asyncio
import contextvars
import warnings
from asyncio import events
from collections import deque
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager
from heapq import heappop, heappush
from typing import Any

WORLD = 0
"""The process that never dies: the network, the clients, and whoever looks on."""


class Call:
    """Something to be called, now or at a time; what asyncio knows as a handle."""

    __slots__ = ("_cancelled", "args", "callback", "context", "process", "time")

    def __init__(
        self,
        callback: Callable[..., object],
        args: tuple[Any, ...],
        context: contextvars.Context | None,
        process: int,
        time: float,
    ) -> None:
        self.callback: Callable[..., object] | None = callback
        self.args = args
        self.context = context
        self.process = process
        self.time = time
        self._cancelled = False

    def cancel(self) -> None:
        self._cancelled = True
        self.callback, self.args = None, ()

    def cancelled(self) -> bool:
        return self._cancelled

    def when(self) -> float:
        return self.time


class VirtualLoop(asyncio.AbstractEventLoop):
    """See above; `run` runs it. The first exception that a callback or a task leaves behind ends the run."""

    def __init__(self) -> None:
        self.now = 0.0
        self.process = WORLD
        """Whose callback is running."""
        self.steps = 0
        """Callbacks run so far."""
        self.fuse: tuple[int, int, Callable[[], None]] | None = None
        """Process, how many of its steps are left, and what is called then instead of its next one."""
        self.failure: BaseException | None = None
        self._ready: deque[Call] = deque()
        self._timers: list[tuple[float, int, Call]] = []
        self._order = 0
        self._dead: set[int] = set()
        self._paused: dict[int, list[Call]] = {}
        self._running = False
        self._tasks: dict[int, set[asyncio.Task[Any]]] = {}

    # ------------------------------------------------------------------ what asyncio asks for

    def get_debug(self) -> bool:
        return False

    def is_running(self) -> bool:
        return self._running

    def is_closed(self) -> bool:
        return False

    def time(self) -> float:
        return self.now

    def create_future(self) -> "asyncio.Future[Any]":
        return asyncio.Future(loop=self)

    def create_task(  # type: ignore[override] # the loop is never asked for eager tasks
        self, coro: Coroutine[Any, Any, Any], *, name: str | None = None, context: contextvars.Context | None = None
    ) -> "asyncio.Task[Any]":
        task = asyncio.Task(coro, loop=self, name=name, context=context)
        mine = self._tasks.setdefault(self.process, set())
        mine.add(task)
        task.add_done_callback(mine.discard)
        return task

    def call_exception_handler(self, context: dict[str, Any]) -> None:
        self.fail(context.get("exception") or RuntimeError(context.get("message")))

    def call_soon(  # type: ignore[override] # a `Call` is all that asyncio needs of a handle
        self, callback: Callable[..., object], *args: Any, context: contextvars.Context | None = None
    ) -> Call:
        call = Call(callback, args, context, self.process, self.now)
        self._ready.append(call)
        return call

    call_soon_threadsafe = call_soon  # type: ignore[assignment] # there are no threads

    def call_later(  # type: ignore[override]
        self, delay: float, callback: Callable[..., object], *args: Any, context: contextvars.Context | None = None
    ) -> Call:
        return self.call_at(self.now + delay, callback, *args, context=context)

    def call_at(  # type: ignore[override]
        self, when: float, callback: Callable[..., object], *args: Any, context: contextvars.Context | None = None
    ) -> Call:
        call = Call(callback, args, context, self.process, when)
        self._order += 1
        heappush(self._timers, (when, self._order, call))
        return call

    # ------------------------------------------------------------------ processes

    @contextmanager
    def inside(self, process: int) -> Iterator[None]:
        """What is scheduled meanwhile belongs to `process`."""
        before, self.process = self.process, process
        try:
            yield
        finally:
            self.process = before

    def kill(self, process: int) -> None:
        """Nothing of a process happens any more. Its tasks are dropped as they stand: no `finally` of theirs runs."""
        self._dead.add(process)
        self._paused.pop(process, None)
        if self.fuse is not None and self.fuse[0] == process:
            self.fuse = None

    def pause(self, process: int) -> None:
        """Nothing of a process happens until `resume`."""
        self._paused.setdefault(process, [])

    def resume(self, process: int) -> None:
        """A paused process goes on with all that was due meanwhile."""
        self._ready.extend(self._paused.pop(process, ()))

    def tasks(self, process: int) -> "list[asyncio.Task[Any]]":
        """The tasks of a process that are not done."""
        return list(self._tasks.get(process, ()))

    def timers(self, process: int) -> list[Callable[..., object]]:
        """What the timers of a process will call."""
        return [call.callback for _, _, call in self._timers if call.callback is not None and call.process == process]

    def bury(self) -> None:
        """Lets go of the tasks that are left, without a word from asyncio; to be called when nothing runs any more."""
        with warnings.catch_warnings():
            # Some have not even begun.
            warnings.simplefilter("ignore", RuntimeWarning)
            for tasks in self._tasks.values():
                for task in tuple(tasks):
                    task._log_destroy_pending = False  # type: ignore[attr-defined]
                    _close(task)
        self._tasks.clear()
        self._ready.clear()
        self._timers.clear()

    # ------------------------------------------------------------------ running

    def fail(self, error: BaseException) -> None:
        """Has `run` raise an error, the first one that it is told of."""
        if self.failure is None:
            self.failure = error

    def run(self, is_over: Callable[[], bool], most_steps: int) -> None:
        """Runs until something is over, or until nothing is left to do."""
        events._set_running_loop(self)
        self._running = True
        try:
            while self.failure is None and not is_over():
                if not self._ready and not self._advance():
                    return
                self._step()
                assert self.steps <= most_steps, f"{most_steps} steps, and it does not end"
        finally:
            self._running = False
            events._set_running_loop(None)
        if self.failure is not None:
            raise self.failure

    def _advance(self) -> bool:
        """Moves the time to the next timer and what is due then to what is ready; false when nothing is left."""
        timers = self._timers
        while timers and timers[0][2].cancelled():
            heappop(timers)
        if not timers:
            return False
        self.now = max(self.now, timers[0][0])
        while timers and timers[0][0] <= self.now:
            self._ready.append(heappop(timers)[2])
        return True

    def _step(self) -> None:
        call = self._ready.popleft()
        callback, process = call.callback, call.process
        if callback is None or process in self._dead:
            return
        if process in self._paused:
            self._paused[process].append(call)
            return
        fuse = self.fuse
        if fuse is not None and fuse[0] == process:
            if fuse[1] <= 0:
                self.fuse = None
                fuse[2]()
                if process not in self._dead:
                    self._ready.appendleft(call)
                return
            self.fuse = (process, fuse[1] - 1, fuse[2])
        self.steps += 1
        self.process = process
        try:
            if call.context is None:
                callback(*call.args)
            else:
                call.context.run(callback, *call.args)
        except Exception as error:  # noqa: BLE001 - whatever a callback raises ends the simulation, which says so
            self.fail(error)
        finally:
            self.process = WORLD


def _close(task: "asyncio.Task[Any]") -> None:
    """Unwinds a task that will never run again; what it does on the way out concerns nobody."""
    coroutine = task.get_coro()
    try:
        if coroutine is not None:
            coroutine.close()
    except RuntimeError:
        # It awaits something in a `finally`; the process that would wait for it is dead.
        return
