"""A bot that does everything right, without the SDK, in steps of which each can be overridden to break just that.

Here: `RightBot`, its messages and its memory. Not here: its streams (`life`), how it plays (`playing`), those that do
otherwise (`innocents`) or wrongly (`saboteurs`). It is written from the `.proto` files and imports nothing of
`lastcard_bot`, so that an error of the SDK does not show up here again.
"""

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from google.protobuf.duration_pb2 import Duration

from conform.calls import Dialer
from conform.life import Life
from conform.playing import Player
from lastcard.v1.play_service_pb2 import ClientMessage, Hello, ServerMessage
from lastcard.v1.reason_pb2 import ErrorCause, ProtocolReason, Reason
from lastcard.v1.table_pb2 import Act, ActResult, Decision, DecisionKind

FINAL = frozenset(
    Reason.Value(f"REASON_{name}")
    for name in (
        "NOT_YOUR_TURN",
        "STALE_DECISION",
        "TURN_EXPIRED",
        "ROUND_OVER",
        "MATCH_OVER",
        "FORBIDDEN",
        "SESSION_REPLACED",
    )
)
FINAL_PROTOCOL = frozenset(
    (ProtocolReason.PROTOCOL_REASON_UNKNOWN_TABLE, ProtocolReason.PROTOCOL_REASON_UNKNOWN_DECISION)
)


@dataclass
class Asked:
    """An open decision."""

    decision: Decision
    stream: int
    act: Act | None = None
    unjudged: int = 0
    refused: list[int] = field(default_factory=list)
    thought: "asyncio.Task[None] | None" = None


@dataclass
class Table:
    """What the bot remembers of a table."""

    cursor: int | None = None
    asked: dict[int, Asked] = field(default_factory=dict)
    answers: dict[int, Act] = field(default_factory=dict)
    gap: int | None = None


class RightBot(Player, Life):
    """A bot that does what the `.proto` files ask of it."""

    decisions_only = True
    max_tables = 0
    max_open_decisions = 0
    think_s = 0.0
    version = 1

    def __init__(self, dialer: Callable[[str], Dialer], environment: Mapping[str, str], stop: asyncio.Event) -> None:
        super().__init__(dialer, environment, stop)
        self.tables: dict[str, Table] = {}
        self.over: set[str] = set()

    def hello(self) -> Hello:
        token = self.environment.get("LASTCARD_TOKEN")
        hello = Hello(
            protocol_version=1,
            bot_name=self.environment.get("LASTCARD_BOT") or ("" if token else "right"),
            client_name="raw",
            max_tables=self.max_tables,
            max_open_decisions=self.max_open_decisions,
            decisions_only=self.decisions_only,
        )
        for table_id, table in self.tables.items():
            for asked in table.asked.values():
                asked.unjudged = 0
            if table.cursor is not None and not self.decisions_only:
                hello.cursors.add(table_id=table_id, last_sequence=table.cursor)
        return hello

    def forget(self) -> None:
        for table in self.tables.values():
            self.drop_all(table)
        self.tables.clear()
        self.over.clear()
        self.secret = ""

    # ---------------------------------------------------------------- messages

    async def on_message(self, message: ServerMessage) -> None:
        kind = message.WhichOneof("message")
        if kind is None:
            self.on_unknown(message)
            return
        self.farewell = None
        if not self.welcomed and kind not in ("welcome", "message_refused"):
            self.fatal = f"the server opened the stream with {kind}"
            return
        await getattr(self, f"on_{kind}")(message)

    def on_unknown(self, message: ServerMessage) -> None:
        """A message of a newer server: nothing."""

    async def on_welcome(self, message: ServerMessage) -> None:
        welcome = message.welcome
        if welcome.protocol_version != self.version:
            self.on_other_version(welcome.protocol_version)
            return
        self.welcomed = self.known = True
        self.secret = welcome.resume_secret or self.secret
        self.heartbeat_s = seconds(welcome.heartbeat_interval)
        self.max_frame_bytes = welcome.max_frame_bytes

    def on_other_version(self, version: int) -> None:
        self.fatal = f"the server speaks protocol version {version}, this bot {self.version}"

    async def on_seated(self, message: ServerMessage) -> None:
        seated = message.seated
        table = self.table(seated.table_id)
        if table.cursor is None and not seated.last_sequence:
            table.cursor = 0
        if seated.HasField("previous_receipt"):
            self.drop(table, seated.previous_receipt.decision_id)

    async def on_decision(self, message: ServerMessage) -> None:
        decision = message.decision
        table = self.table(decision.table_id)
        if decision.HasField("previous_receipt"):
            self.drop(table, decision.previous_receipt.decision_id)
        asked = table.asked.get(decision.decision_id)
        if asked is not None:
            asked.stream = self.stream
            if asked.act is not None:
                self.repeat(asked)
        elif decision.decision_id in table.answers:
            self.on_old_decision(decision, table.answers[decision.decision_id])
        else:
            self.drop_outdated(table, decision)
            asked = table.asked[decision.decision_id] = Asked(decision, self.stream)
            await self.consider(asked)

    def repeat(self, asked: Asked) -> None:
        """A decision that was answered came again: the same answer."""
        assert asked.act is not None
        asked.unjudged += 1
        self.say(ClientMessage(act=asked.act))

    def on_old_decision(self, decision: Decision, act: Act) -> None:
        """A decision that was closed came again: the same answer, too."""
        self.say(ClientMessage(act=act))

    def drop_outdated(self, table: Table, new: Decision) -> None:
        """A new decision on a new stream shows that older ones of its sort are closed."""
        reaction = new.kind == DecisionKind.DECISION_KIND_REACTION
        for number, asked in tuple(table.asked.items()):
            if asked.stream != self.stream and (asked.decision.kind == DecisionKind.DECISION_KIND_REACTION) == reaction:
                self.drop(table, number)

    async def consider(self, asked: Asked) -> None:
        """Answers now, or after some thought that stops nothing else."""
        if self.think_s:
            asked.thought = self.start(self.think(asked))
        else:
            self.settle(asked, self.choose(asked.decision, asked.refused))

    async def think(self, asked: Asked) -> None:
        await asyncio.sleep(self.think_s)
        asked.thought = None
        self.settle(asked, self.choose(asked.decision, asked.refused))
        await self.flush()

    def settle(self, asked: Asked, choice: int) -> None:
        """The bot has decided: the answer is kept, and sent when its decision was put on this stream."""
        asked.act = self.act(asked.decision, choice)
        asked.refused.append(choice)
        table = self.table(asked.decision.table_id)
        table.answers[asked.decision.decision_id] = asked.act
        if asked.stream == self.stream and self.welcomed:
            self.answer(asked)

    def answer(self, asked: Asked) -> None:
        """Sends an answer for the first time."""
        assert asked.act is not None
        asked.unjudged += 1
        self.say(ClientMessage(act=asked.act))

    async def on_act_result(self, message: ServerMessage) -> None:
        result = message.act_result
        table = self.table(result.table_id)
        asked = table.asked.get(result.decision_id)
        if asked is not None and asked.act is not None:
            asked.unjudged = max(0, asked.unjudged - 1)
            if result.accepted:
                await self.on_accepted(table, asked, result)
            elif not asked.unjudged:
                await self.on_refused(table, asked, result)
        if result.HasField("receipt"):
            self.drop(table, result.receipt.decision_id)

    async def on_accepted(self, table: Table, asked: Asked, result: ActResult) -> None:
        self.drop(table, result.decision_id)

    async def on_refused(self, table: Table, asked: Asked, result: ActResult) -> None:
        if result.protocol_reason == ProtocolReason.PROTOCOL_REASON_TOO_FAST:
            self.start(self.say_later(asked))
        elif result.reason in FINAL or result.protocol_reason in FINAL_PROTOCOL:
            self.drop(table, result.decision_id)
        elif not result.refusals_left:
            await self.on_third_refusal(table, asked)
        else:
            await self.correct(asked, result)

    async def on_third_refusal(self, table: Table, asked: Asked) -> None:
        self.drop(table, asked.decision.decision_id)

    async def correct(self, asked: Asked, result: ActResult) -> None:
        """Another answer in place of one that was refused."""
        asked.act = None
        await self.consider(asked)

    too_fast_s = 0.2

    async def say_later(self, asked: Asked) -> None:
        """The same answer again, a little later."""
        stream = self.stream
        await asyncio.sleep(self.too_fast_s)
        table = self.tables.get(asked.decision.table_id)
        open_still = table is not None and table.asked.get(asked.decision.decision_id) is asked
        if stream == self.stream and open_still and asked.act is not None:
            self.answer(asked)
            await self.flush()

    async def on_decision_closed(self, message: ServerMessage) -> None:
        closed = message.decision_closed
        self.drop(self.table(closed.table_id), closed.decision_id)

    async def on_table_events(self, message: ServerMessage) -> None:
        table = self.table(message.table_events.table_id)
        for event in message.table_events.events:
            seen = table.cursor or 0
            if event.sequence <= seen:
                continue
            if table.cursor is not None and event.sequence != seen + 1 and table.gap != seen:
                table.gap = seen
                self.on_gap()
                return
            table.cursor = event.sequence

    def on_gap(self) -> None:
        """Events are missing: comes back to have them."""
        if self.call is not None:
            self.call.cancel()

    async def on_table_snapshot(self, message: ServerMessage) -> None:
        table = self.table(message.table_snapshot.table_id)
        if table.cursor is None or message.table_snapshot.sequence >= table.cursor:
            table.cursor = message.table_snapshot.sequence

    async def on_notice(self, message: ServerMessage) -> None:
        """Nothing."""

    async def on_table_closed(self, message: ServerMessage) -> None:
        table_id = message.table_closed.table_id
        table = self.tables.pop(table_id, None)
        if table is not None:
            self.drop_all(table)
        self.over.add(table_id)
        reply = ClientMessage()
        reply.table_closed_received.table_id = table_id
        self.say(reply)

    async def on_heartbeat(self, message: ServerMessage) -> None:
        reply = ClientMessage()
        reply.heartbeat_reply.number = message.heartbeat.number
        self.say(reply)

    async def on_draining(self, message: ServerMessage) -> None:
        self.draining = True

    async def on_message_refused(self, message: ServerMessage) -> None:
        refused = message.message_refused
        if not refused.table_id:
            self.farewell = refused.message, ErrorCause(protocol_reason=refused.reason)
        elif refused.reason == ProtocolReason.PROTOCOL_REASON_CURSOR_BEYOND_END:
            self.table(refused.table_id).cursor = None
        elif refused.reason == ProtocolReason.PROTOCOL_REASON_UNKNOWN_TABLE:
            table = self.tables.pop(refused.table_id, None)
            if table is not None:
                self.drop_all(table)

    # ---------------------------------------------------------------- memory

    def table(self, table_id: str) -> Table:
        return self.tables.setdefault(table_id, Table())

    def drop(self, table: Table, number: int) -> None:
        """A decision is closed: it needs neither thought nor answer any more."""
        asked = table.asked.pop(number, None)
        if asked is not None and asked.thought is not None:
            asked.thought.cancel()

    def drop_all(self, table: Table) -> None:
        for number in tuple(table.asked):
            self.drop(table, number)


def seconds(duration: Duration) -> float:
    return duration.seconds + duration.nanos / 1e9
