"""The turns of builtin bots: their decisions in order, without holding the event loop up.

Here: `BuiltinTurns`. Not here: the bots (`ports.Builtins`), their tables (`host`). Knows asyncio.
"""

import asyncio
from collections import deque
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from time import perf_counter

from lastcard.table.effects import Ask
from lastcard.table.hosted import HostedTable
from lastcard.table.performing import decision_item
from lastcard.table.ports import Builtins

SLICE_S = 0.002
"""How long quick builtins may choose in a row before streams get their turn."""

THREADS = 2
"""Threads for slow builtins; more do not help under one interpreter lock."""

Choice = tuple[int, bool, tuple[int, ...]]


class BuiltinTurns:
    """Asks builtins for their choices and hands them to `answered`, or a failure to `failed`."""

    def __init__(
        self,
        builtins: Builtins,
        answered: Callable[[HostedTable, Ask, int, bool, tuple[int, ...]], None],
        failed: Callable[[HostedTable, Exception], None],
    ) -> None:
        self._builtins = builtins
        self._answered = answered
        self._failed = failed
        self._queue: deque[tuple[HostedTable, Ask]] = deque()
        self._running = False
        self._threads: ThreadPoolExecutor | None = None
        self._futures: set[asyncio.Future[Choice]] = set()

    def ask(self, table: HostedTable, ask: Ask) -> None:
        """Puts a decision to the builtin of its seat; the answer comes in a later iteration of the loop."""
        name = table.links[ask.seat].builtin
        if self._builtins.is_quick(name):
            self._queue.append((table, ask))
            self._go_on()
        else:
            self._ask_slow(table, ask, name)

    def stop(self) -> None:
        """Answers nothing any more."""
        self._queue.clear()
        for future in self._futures:
            future.cancel()
        if self._threads is not None:
            self._threads.shutdown(wait=False, cancel_futures=True)

    def _go_on(self) -> None:
        if self._queue and not self._running:
            self._running = True
            asyncio.get_running_loop().call_soon(self._run)

    def _run(self) -> None:
        stop = perf_counter() + SLICE_S
        while self._queue and perf_counter() < stop:
            table, ask = self._queue.popleft()
            if table.result is None:
                self._answer(table, ask, partial(self._choose, table, ask))
        self._running = False
        self._go_on()

    def _choose(self, table: HostedTable, ask: Ask) -> Choice:
        return self._builtins.choose(table.links[ask.seat].builtin, decision_item(table, ask))

    def _ask_slow(self, table: HostedTable, ask: Ask, name: str) -> None:
        if self._threads is None:
            self._threads = ThreadPoolExecutor(THREADS, thread_name_prefix="builtin")
        body = decision_item(table, ask)
        loop = asyncio.get_running_loop()
        future = loop.run_in_executor(self._threads, self._builtins.choose, name, body)
        self._futures.add(future)
        future.add_done_callback(partial(self._slow_done, table, ask))

    def _slow_done(self, table: HostedTable, ask: Ask, future: asyncio.Future[Choice]) -> None:
        self._futures.discard(future)
        if not future.cancelled():
            self._answer(table, ask, future.result)

    def _answer(self, table: HostedTable, ask: Ask, choose: Callable[[], Choice]) -> None:
        try:
            choice, call_uno, catch_seats = choose()
        except Exception as error:  # noqa: BLE001 - a builtin's fault is ours: the table must go on, the log says why
            self._failed(table, error)
            choice, call_uno, catch_seats = len(ask.legal_actions) - 1, False, ()
        self._answered(table, ask, choice, call_uno, catch_seats)
