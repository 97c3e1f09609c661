"""What a check works with: an arena of its own, and the bot that it starts there.

Here: `Bench`. Not here: a conversation on one stream (`talk`), what is said (`tables`, `messages`). May import `arena`,
`checking`, `launch`, `talk`.
"""

import asyncio
from collections.abc import Awaitable, Mapping
from types import TracebackType
from typing import Any, Self, TypeVar

from lastcard.conform.arena import Stream, WiredArena
from lastcard.conform.checking import Failed
from lastcard.conform.launch import Launcher, Running, end
from lastcard.conform.tables import Table
from lastcard.conform.talk import Talk

ANSWER_S = 20.0
"""How long a bot may take for anything that it must do, its start included."""
QUIET_S = 0.5
"""How long is listened for what must not come, after the bot has shown that it heard what was said before."""
START_FACTOR = 3
"""A bot may take so many times as long to start: it may have to be unpacked or compiled."""

TOKEN = "conform-token"  # noqa: S105 - opens nothing
NAME = "conform"
SECRET = "conform-secret"  # noqa: S105 - opens nothing

T = TypeVar("T")


class Bench:
    """An arena and, once it is started, a bot; both are gone when the context ends.

    `answer_s` and `quiet_s` are the only two times that checks may wait by.
    """

    def __init__(
        self,
        launcher: Launcher,
        *,
        arena: WiredArena | None = None,
        answer_s: float = ANSWER_S,
        quiet_s: float = QUIET_S,
    ) -> None:
        self._launcher = launcher
        self.arena = arena or WiredArena()
        self.answer_s = answer_s
        self.quiet_s = quiet_s
        self.running: Running | None = None
        self._dialled = 0
        """Streams that were opened before the bot that runs was started."""
        self._exit: asyncio.Task[int] | None = None
        self._tasks: set[asyncio.Task[None]] = set()

    async def __aenter__(self) -> Self:
        await self.arena.__aenter__()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            if self.running is not None:
                await end(self.running)
        finally:
            pending = [*self._tasks] + ([self._exit] if self._exit is not None else [])
            for task in pending:
                task.cancel()
            await asyncio.gather(*pending, return_exceptions=True)
            await self.arena.__aexit__(kind, error, trace)

    # ------------------------------------------------------------------- starting

    async def start(
        self, *, token: str = TOKEN, name: str = NAME, environment: Mapping[str, str] | None = None
    ) -> None:
        """Starts the bot with the arena's address, this token (empty: none) and this name in its environment.

        Another one may be started when the first has ended.
        """
        assert self.running is None or self.ended, "the bot runs already"
        variables = {"LASTCARD_SERVER": self.arena.address, "LASTCARD_TOKEN": token, "LASTCARD_BOT": name}
        self._dialled = len(self.arena.opened)
        self.running = await self._launcher.start({**variables, **(environment or {})})
        self._exit = asyncio.create_task(self.running.wait(), name="exit of the bot")

    async def connect(self, *tables: Table, token: str = TOKEN, **welcome: Any) -> Talk:
        """Starts the bot, welcomes it on its first stream and seats it at the tables."""
        await self.start(token=token)
        return await self.talk(*tables, **welcome)

    # -------------------------------------------------------------------- streams

    async def stream(self, what: str = "its stream") -> Stream:
        """The next stream that the bot opens."""
        first = len(self.arena.opened) == self._dialled
        return await self.within(
            self.arena.next_stream(),
            f"did not open {what}",
            seconds=self.answer_s * (START_FACTOR if first else 1),
            hangs_on="" if first else "resumes",
        )

    async def talk(self, *tables: Table, what: str = "its stream", resumed: bool = False, **welcome: Any) -> Talk:
        """A conversation on the next stream: its `Hello` is taken, the bot welcomed, and seated at the tables."""
        talk = await self.silent_talk(what)
        await talk.welcome(*tables, resumed=resumed, **welcome)
        return talk

    async def silent_talk(self, what: str = "its stream") -> Talk:
        """As `talk`, but nothing is said on the stream yet."""
        talk = Talk(await self.stream(what), self)
        self.keep(talk.listen())
        return talk

    async def no_stream(self, why: str) -> None:
        """Listens for `quiet_s`; a stream that the bot opens meanwhile fails the check, for this reason."""
        await asyncio.sleep(self.quiet_s)
        if not self.arena.no_stream():
            raise Failed(f"it opened another stream {why}")

    # --------------------------------------------------------------------- waiting

    async def exit_status(self, why: str) -> int:
        """The status with which the bot's program ends, as it must now; `why` completes "did not end …".

        A bot that opens another stream instead fails at once.
        """
        assert self._exit is not None, "the bot was not started"
        returning = asyncio.ensure_future(self.arena.next_stream())
        try:
            done, _ = await asyncio.wait(
                {self._exit, returning}, timeout=self.answer_s, return_when=asyncio.FIRST_COMPLETED
            )
        finally:
            returning.cancel()
        if returning in done:
            raise Failed(f"it opened another stream {why}; it must end")
        if self._exit in done:
            return self._exit.result()
        raise Failed(f"its program did not end within {self.answer_s:g} s {why}")

    @property
    def ended(self) -> bool:
        """Whether the bot's program has ended."""
        return self._exit is not None and self._exit.done()

    async def within(self, awaited: Awaitable[T], complaint: str, *, seconds: float = 0, hangs_on: str = "") -> T:
        """What is awaited, within `answer_s` or so many seconds; otherwise fails with "it did not … within 20 s".

        A bot whose program ends fails at once.
        """
        assert self._exit is not None, "the bot was not started"
        bound = seconds or self.answer_s
        waiter = asyncio.ensure_future(awaited)
        try:
            await asyncio.wait({waiter, self._exit}, timeout=bound, return_when=asyncio.FIRST_COMPLETED)
            if not waiter.done() and self.ended:
                await asyncio.wait({waiter}, timeout=self.quiet_s)  # what it said last may be on its way
            if waiter.done():
                return waiter.result()
        finally:
            waiter.cancel()
        if self.ended:
            raise Failed(f"it {complaint}: {self.fate()}", hangs_on=hangs_on)
        raise Failed(f"it {complaint} within {bound:g} s", hangs_on=hangs_on)

    def fate(self) -> str:
        """What has become of the bot's program, in words."""
        if self._exit is None or not self._exit.done() or self._exit.cancelled():
            return "its program still runs"
        status = self._exit.result()
        words = self.complaint()
        return f"its program {ended_how(status)}" + (f", saying: {words}" if words else "")

    def complaint(self) -> str:
        """The last line with words in it that the bot wrote."""
        lines = self.running.complaint().splitlines() if self.running is not None else []
        return next((line.strip() for line in reversed(lines) if any(map(str.isalpha, line))), "")

    def keep(self, task: asyncio.Task[None]) -> None:
        """Ends a task with the bench."""
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)


def ended_how(status: int) -> str:
    """The end of a program in words, from its exit status."""
    return f"was ended by signal {-status}" if status < 0 else f"ended with status {status}"
