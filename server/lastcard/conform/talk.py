"""A conversation with a bot on one stream: what it was told, what it has said, and waiting for what it must say.

Here: `Talk`. Not here: streams over the life of a bot (`bench`), what is true at a table (`tables`). May import
`arena`, `checking`, `messages`,
`tables`.
"""

import asyncio
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

import grpc

from lastcard.conform import messages
from lastcard.conform.arena import Stream
from lastcard.conform.checking import Failed
from lastcard.conform.tables import Table
from lastcard.v1.play_service_pb2 import ClientMessage, Hello, ServerMessage, Welcome
from lastcard.v1.table_pb2 import Act, Decision

if TYPE_CHECKING:
    from lastcard.conform.bench import Bench

HEARTBEAT_S = 10
MAX_FRAME_BYTES = 256 * 1024
MOST_TABLES = 64
UNLIMITED = 1 << 30

_AGAIN = {2: " a second time", 3: " a third time"}

T = TypeVar("T")


class Talk:
    """One stream. `said` is all that the bot has said on it, in order; `open` the questions that it has not answered.

    `hello` is set by `welcome`, or by `take_hello`.
    """

    def __init__(self, stream: Stream, bench: "Bench") -> None:
        self.stream = stream
        self.hello = Hello()
        self.said: list[ClientMessage] = []
        self.closed = False
        """Whether the bot has ended its side of the stream, or the stream is gone."""
        self.beats = 0
        """Heartbeats that were sent, which is the number of the last."""
        self._bench = bench
        self._news = asyncio.Event()

    def listen(self) -> asyncio.Task[None]:
        """The task that takes what the bot says until the stream ends."""
        return asyncio.create_task(self._listen(), name="talk")

    async def _beat(self, interval_s: float) -> None:
        """Sends heartbeats as often as the bot was told, since it may give up a stream without."""
        while not self.closed:
            await asyncio.sleep(interval_s)
            self.heartbeat()

    async def _listen(self) -> None:
        while (message := await self.stream.heard()) is not None:
            self.said.append(message)
            self._news.set()
        self.closed = True
        self._news.set()

    # ------------------------------------------------------------------- opening

    async def take_hello(self) -> Hello:
        """The `Hello`, which must come first."""
        first = await self.until(lambda: self.said[0] if self.said else None, "send a Hello")
        if first.WhichOneof("message") != "hello":
            raise Failed(f"it opened the stream with {kind_of(first)}; the first message must be hello")
        self.hello = first.hello
        return self.hello

    async def welcome(self, *tables: Table, resumed: bool = False, **fields: Any) -> None:
        """Takes the `Hello`, welcomes the bot and seats it, all in one frame; `fields` are those of `Welcome`."""
        if not self.hello.protocol_version:
            await self.take_hello()
        seats: list[ServerMessage] = []
        for table in tables:
            seats += self._return_to(table) if resumed else table.opening(decisions_only=self.decisions_only)
        answer = welcome(self.hello, **fields)
        self.send(answer, *seats)
        interval_s = answer.welcome.heartbeat_interval.ToMilliseconds() / 1000
        if interval_s:
            self._bench.keep(asyncio.create_task(self._beat(interval_s), name="heartbeats"))

    def _return_to(self, table: Table) -> list[ServerMessage]:
        """What a bot is told that comes back to a table: what lies beyond its cursor, or the state if it has none."""
        if self.decisions_only:
            return [table.seated(resumed=True)]
        cursor = next((entry.last_sequence for entry in self.hello.cursors if entry.table_id == table.table_id), None)
        if cursor is None or cursor < table.first - 1:
            return [table.seated(resumed=True), table.snapshot()]
        missed = [table.events(cursor)] if cursor < table.sequence else []
        return [table.seated(resumed=True), *missed]

    @property
    def decisions_only(self) -> bool:
        """Whether the bot wants no events."""
        return self.hello.decisions_only

    @property
    def most_open(self) -> int:
        """How many decisions may be open at once for this bot."""
        return self.hello.max_open_decisions or UNLIMITED

    @property
    def most_tables(self) -> int:
        """At how many tables the bot may sit at once."""
        return self.hello.max_tables or UNLIMITED

    # -------------------------------------------------------------------- saying

    def send(self, *said: ServerMessage) -> None:
        """Says something in one frame."""
        self.stream.send(*said)

    def ask(self, table: Table) -> Decision:
        """Puts the question that is due at the table, with the news that the bot has not heard yet, in one frame."""
        decision = table.ask()
        self.send(*table.news(decisions_only=self.decisions_only), ServerMessage(decision=decision))
        return decision

    def ask_again(self, decision: Decision) -> None:
        """Puts a question once more, as it was."""
        self.send(ServerMessage(decision=decision))

    def heartbeat(self) -> None:
        """Tells that the server lives."""
        self.beats += 1
        self.send(messages.heartbeat(self.beats))

    def end_for(self, code: grpc.StatusCode, reason: str, sentence: str) -> None:
        """Ends the stream as the server does: with a last message that says why, and a status that does, too."""
        if reason != "DRAINING":
            self.send(messages.message_refused(reason, sentence))
        self.stream.end_for(code, reason, sentence)

    # ------------------------------------------------------------------- hearing

    @property
    def acts(self) -> list[Act]:
        """All answers so far."""
        return [message.act for message in self.said if message.HasField("act")]

    def answers_to(self, decision: Decision) -> list[Act]:
        """The answers to a decision so far."""
        key = (decision.table_id, decision.decision_id)
        return [act for act in self.acts if (act.table_id, act.decision_id) == key]

    async def answer(self, decision: Decision, nth: int = 1, *, refused: str = "") -> Act:
        """The bot's answer to a decision, or its `nth` one, which is due since the rules refused that before."""

        def found() -> Act | None:
            answers = self.answers_to(decision)
            return answers[nth - 1] if len(answers) >= nth else None

        again = "" if nth == 1 else _AGAIN.get(nth, " once more")
        hangs_on = "turn" if nth == 1 else "refused-once"
        if refused:
            again, hangs_on = f"{again} after a refusal ({refused.removesuffix('.')})", "answer-form"
        return await self.until(found, f"answer {named(decision)}{again}", hangs_on=hangs_on)

    async def settle(self, table: Table, decision: Decision) -> Act:
        """The bot's answer to a decision, judged as a server would; one that is refused may be corrected, twice."""
        nth, refused = 1, ""
        while True:
            act = await self.answer(decision, nth, refused=refused)
            verdict = table.judge(act)
            self.send(verdict)
            if table.decision is None or table.decision.decision_id != decision.decision_id:
                return act
            nth, refused = nth + 1, verdict.act_result.message

    async def play(self, table: Table, decisions: int = 3) -> list[Act]:
        """Plays at a table as a server does: so many questions of the bot's turn, or until the match is over."""
        acts: list[Act] = []
        while len(acts) < decisions and table.play_on():
            acts.append(await self.settle(table, self.ask(table)))
        return acts

    async def plays_on(self, table: Table | None = None) -> None:
        """Asks one more question and waits for the answer: then all that was said before has been heard.

        It is asked at the table, which must have none open, or at one of its own that is over afterwards.
        """
        fence = table or Table(f"conform-fence-{len(self.said)}", players=2)
        if table is None:
            self.send(*fence.opening(decisions_only=self.decisions_only))
        if not await self.play(fence, 1):
            raise RuntimeError(f"nothing can be asked any more at {fence.table_id}")
        if table is None:
            self.send(fence.closed())

    async def quiet(self) -> None:
        """Listens for `quiet_s`."""
        await asyncio.sleep(self._bench.quiet_s)

    async def until(self, fact: Callable[[], T | None], must: str, *, hangs_on: str = "") -> T:
        """What `fact` returns as soon as that is something; `must` is what the bot has to do, as in "answer …".

        `hangs_on` names the check that is about just that.
        """
        return await self._bench.within(self._until(fact, must, hangs_on), f"did not {must}", hangs_on=hangs_on)

    async def _until(self, fact: Callable[[], T | None], must: str, hangs_on: str) -> T:
        while (found := fact()) is None:
            if self.closed:
                await self.quiet()  # a program that ends says more about it than its stream
                raise Failed(f"it ended the stream and did not {must}; {self._bench.fate()}", hangs_on=hangs_on)
            self._news.clear()
            await self._news.wait()
        return found

    async def acknowledged(self, table: Table, *, since: int = 0) -> None:
        """Waits until the bot has acknowledged the end of a table, with something said behind so many messages."""

        def found() -> bool | None:
            told = [message for message in self.said[since:] if message.HasField("table_closed_received")]
            return any(message.table_closed_received.table_id == table.table_id for message in told) or None

        must = f"acknowledge the end of table {table.table_id} (TableClosedReceived)"
        await self.until(found, must, hangs_on="table-closed")

    async def half_closed(self, why: str) -> None:
        """Waits until the bot has ended its side of the stream."""

        def found() -> bool | None:
            return self.closed or None

        await self.until(found, f"end its stream {why}")


def welcome(hello: Hello, **fields: Any) -> ServerMessage:
    """The answer to a `Hello`, with these fields in place of the usual ones."""
    usual = {
        "session_id": "conform",
        "bot_name": hello.bot_name or "conform",
        "server_version": "conform",
        "protocol_version": 1,
        "max_frame_bytes": MAX_FRAME_BYTES,
        "heartbeat_interval": {"seconds": HEARTBEAT_S},
        "max_tables": MOST_TABLES,
    }
    return ServerMessage(welcome=Welcome(**{**usual, **fields}))


def kind_of(message: ClientMessage) -> str:
    """What kind of message it is, by the name in `ClientMessage`."""
    return message.WhichOneof("message") or "a message of no known kind"


def named(decision: Decision) -> str:
    """A decision in words."""
    return f"decision {decision.decision_id} of table {decision.table_id}"
