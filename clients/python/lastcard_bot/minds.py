"""How a bot is made to think: in a thread of its own, inline, or as tasks.

Here: calling a bot's methods, and turning whatever happens into an answer. Not here: what is asked and when
(`session`, `connection`). Imports `answers`, `bot`, `outputs`, `settings`.

A bot that raises or returns nonsense still answers: the fault is logged and another legal action taken, since a defect
in one position should not cost a match.
"""

import asyncio
import inspect
import logging
import queue
import threading
from collections.abc import Awaitable, Callable, Coroutine
from contextlib import suppress
from typing import Any, Protocol, TypeVar

from lastcard.v1.table_pb2 import Act
from lastcard_bot.answers import BadReplyError, act_for, fallback
from lastcard_bot.bot import AsyncBot, Bot, Refusal, Reply
from lastcard_bot.outputs import Ask, Key, Tell
from lastcard_bot.settings import BotError

log = logging.getLogger("lastcard_bot")

CLOSE_S = 1.0
"""How long a bot may take, when its connection has ended, with what it was told before: the end of its last table."""

T = TypeVar("T")
Answered = Callable[[Key, Act], None]
"""Takes an answer, on the event loop."""
Failed = Callable[[BaseException], None]
"""Takes what ended the bot (`SystemExit`, `BotError`), on the event loop."""


class Mind(Protocol):
    """Lets one bot think."""

    def ask(self, ask: Ask) -> None:
        """Puts a decision to the bot; the answer comes by the callback, unless it is withdrawn before."""

    def withdraw(self, key: Key) -> None:
        """Drops a decision; an answer that is already on its way may still come."""

    def tell(self, tell: Tell) -> None:
        """Calls a hook, after everything that was told before."""

    async def close(self) -> None:
        """Ends all thinking, after the hooks that were called for before; waits `CLOSE_S` at most."""


def check_methods(bot: Bot | AsyncBot) -> None:
    """Checks that the bot's methods are coroutines when it is an `AsyncBot`, and else are not.

    Raises `BotError` for the first that is not as it must be. One that only hands a coroutine on counts as none.
    """
    base = AsyncBot if isinstance(bot, AsyncBot) else Bot
    for name, method in vars(base).items():
        if name.startswith("_") or not inspect.isfunction(method):
            continue
        own = inspect.unwrap(getattr(bot, name))
        if inspect.iscoroutinefunction(own) != (base is AsyncBot):
            where = f"{type(bot).__name__}.{name}"
            if base is AsyncBot:
                raise BotError(f"{where} is no coroutine; write `async def {name}`, or derive from Bot")
            raise BotError(f"{where} is a coroutine; write `def {name}`, or derive from AsyncBot")


def mind_for(bot: Bot | AsyncBot, answered: Answered, failed: Failed) -> Mind:
    """The mind that suits a bot.

    Raises `BotError` when the bot's methods do not suit its kind.
    """
    check_methods(bot)
    if isinstance(bot, AsyncBot):
        return _Tasks(bot, answered)
    return _Thread(bot, answered, failed) if bot.threaded else _Inline(bot, answered)


async def deliberate(bot: Bot | AsyncBot, ask: Ask) -> Act:
    """The bot's answer to a decision, or a legal one in its place."""
    try:
        reply = await _first_reply(bot, ask)
    except Exception:
        log.exception("%s raised at %s; another legal action is taken", type(bot).__name__, ask.key)
        reply = fallback(ask.decision, ask.refused)
    try:
        return _act(bot, ask, reply)
    except BadReplyError as error:
        log.error("%s at %s: %s", type(bot).__name__, ask.key, error)  # noqa: TRY400 - the sentence says it all
        return await _corrected(bot, ask, Refusal(str(error)))


async def _first_reply(bot: Bot | AsyncBot, ask: Ask) -> Reply:
    """What the bot says: to the decision, or to the refusal of its former answer."""
    if ask.refusal is None:
        return await _result(bot.decide(ask.decision))
    reply = await _result(bot.on_refused(ask.decision, ask.refusal))
    return fallback(ask.decision, ask.refused) if reply is None else reply


async def _corrected(bot: Bot | AsyncBot, ask: Ask, refusal: Refusal) -> Act:
    """The bot's second attempt after a bad reply, or the fallback."""
    try:
        reply = await _result(bot.on_refused(ask.decision, refusal))
        if reply is not None:
            return _act(bot, ask, reply)
    except Exception:
        log.exception("%s could not correct its answer at %s", type(bot).__name__, ask.key)
    return _act(bot, ask, fallback(ask.decision, ask.refused))


def _act(bot: Bot | AsyncBot, ask: Ask, reply: Reply) -> Act:
    return act_for(ask.decision, reply, auto_uno=bot.auto_uno, auto_catch=bot.auto_catch)


async def _result(value: T | Awaitable[T]) -> T:
    """The result of a blocking method or a coroutine."""
    return await value if isinstance(value, Awaitable) else value


def finish(coroutine: Coroutine[Any, Any, T]) -> T:
    """Runs a coroutine that never waits, as `deliberate` of a blocking bot, where no event loop is at hand.

    Raises `BotError` when it waits: the bot's methods are coroutines and should not be.
    """
    try:
        coroutine.send(None)
    except StopIteration as end:
        result: T = end.value
        return result
    coroutine.close()
    raise BotError("a method of a blocking Bot is a coroutine that waits; derive from AsyncBot for coroutines")


def _call_hook(bot: Bot, tell: Tell) -> None:
    """Calls a hook of a blocking bot; its fault is logged."""
    try:
        getattr(bot, tell.hook)(*tell.arguments)
    except Exception:
        log.exception("%s raised in %s", type(bot).__name__, tell.hook)


class _Inline:
    """Calls the bot where the stream is read."""

    def __init__(self, bot: Bot, answered: Answered) -> None:
        self._bot = bot
        self._answered = answered

    def ask(self, ask: Ask) -> None:
        self._answered(ask.key, finish(deliberate(self._bot, ask)))

    def withdraw(self, key: Key) -> None:
        """Nothing is ever pending."""

    def tell(self, tell: Tell) -> None:
        _call_hook(self._bot, tell)

    async def close(self) -> None:
        """Nothing is ever pending."""


class _Thread:
    """Calls the bot in one daemon thread, which cannot keep the program from ending."""

    def __init__(self, bot: Bot, answered: Answered, failed: Failed) -> None:
        self._bot = bot
        self._answered = answered
        self._failed = failed
        self._loop = asyncio.get_running_loop()
        self._jobs: queue.SimpleQueue[Ask | Tell | None] = queue.SimpleQueue()
        self._waiting: dict[Key, Ask] = {}
        self._done = asyncio.Event()
        threading.Thread(target=self._work, name=f"{type(bot).__name__} thinks", daemon=True).start()

    def ask(self, ask: Ask) -> None:
        self._waiting[ask.key] = ask
        self._jobs.put(ask)

    def withdraw(self, key: Key) -> None:
        self._waiting.pop(key, None)

    def tell(self, tell: Tell) -> None:
        self._jobs.put(tell)

    async def close(self) -> None:
        """Lets the thread end after its present job and the hooks; a bot that never returns is left behind."""
        self._waiting.clear()
        self._jobs.put(None)
        with suppress(TimeoutError):
            await asyncio.wait_for(self._done.wait(), CLOSE_S)

    def _work(self) -> None:
        self._do_jobs()
        self._post(self._done.set)

    def _do_jobs(self) -> None:
        """The thread: one job after the other. A decision withdrawn before its turn is passed over."""
        while (job := self._jobs.get()) is not None:
            try:
                if isinstance(job, Tell):
                    _call_hook(self._bot, job)
                elif self._waiting.get(job.key) is job:
                    self._post(self._deliver, job.key, finish(deliberate(self._bot, job)))
            except BaseException as error:  # noqa: BLE001 - SystemExit ends the bot, not only its thread
                self._post(self._failed, error)
                return

    def _deliver(self, key: Key, act: Act) -> None:
        """Hands an answer on, unless its decision was withdrawn meanwhile."""
        if self._waiting.pop(key, None) is not None:
            self._answered(key, act)

    def _post(self, callback: Callable[..., None], *arguments: object) -> None:
        """Calls back on the event loop, unless that is gone: then nobody waits any more."""
        try:
            self._loop.call_soon_threadsafe(callback, *arguments)
        except RuntimeError:
            if not self._loop.is_closed():
                raise


class _Tasks:
    """Runs a task for each decision; hooks are awaited between, in the order in which things happened."""

    def __init__(self, bot: AsyncBot, answered: Answered) -> None:
        self._bot = bot
        self._answered = answered
        self._jobs: asyncio.Queue[Ask | Tell | None] = asyncio.Queue()
        self._thoughts: dict[Key, asyncio.Task[None] | None] = {}
        """Decisions not answered yet; `None` for those whose turn in the queue has not come."""
        self._worker = asyncio.create_task(self._work(), name=f"{type(bot).__name__} thinks")

    def ask(self, ask: Ask) -> None:
        self._thoughts[ask.key] = None
        self._jobs.put_nowait(ask)

    def withdraw(self, key: Key) -> None:
        thought = self._thoughts.pop(key, None)
        if thought is not None:
            thought.cancel()

    def tell(self, tell: Tell) -> None:
        self._jobs.put_nowait(tell)

    async def close(self) -> None:
        pending = [thought for thought in self._thoughts.values() if thought is not None]
        self._thoughts.clear()
        self._jobs.put_nowait(None)
        try:
            await asyncio.wait({self._worker}, timeout=CLOSE_S)
        finally:
            for task in (*pending, self._worker):
                task.cancel()
            await asyncio.gather(*pending, self._worker, return_exceptions=True)

    async def _work(self) -> None:
        """Starts thoughts and awaits hooks, one job after the other."""
        while (job := await self._jobs.get()) is not None:
            if isinstance(job, Ask):
                if job.key in self._thoughts:
                    self._thoughts[job.key] = asyncio.create_task(self._think(job), name=f"decision {job.key}")
                continue
            try:
                await getattr(self._bot, job.hook)(*job.arguments)
            except Exception:
                log.exception("%s raised in %s", type(self._bot).__name__, job.hook)

    async def _think(self, ask: Ask) -> None:
        act = await deliberate(self._bot, ask)
        if self._thoughts.get(ask.key) is asyncio.current_task():
            del self._thoughts[ask.key]
            self._answered(ask.key, act)
