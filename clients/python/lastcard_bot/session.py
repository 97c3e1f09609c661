"""One bot's side of the protocol as a state machine: server messages in, things to do out.

Here: handshake, cursors, open decisions, answers and their repetition, refusals, receipts, ends of tables. Not here:
the network, threads and clocks (`connection`), what a reply means (`answers`). Imports `lastcard.v1`; no input or
output, no clock, so that every disturbance of a network is a unit test.

A *stream* is one call of `Play`; a session outlives streams. A decision is thought about once. Its answer is sent each
time that the server puts the decision, on whatever stream, and is the same each time unless it was refused.
"""

from collections import OrderedDict

from google.protobuf.duration_pb2 import Duration

from lastcard.v1.play_service_pb2 import (
    ClientMessage,
    Hello,
    NoticeKind,
    Seated,
    ServerMessage,
    TableClosed,
    Welcome,
)
from lastcard.v1.reason_pb2 import ErrorCause, ProtocolReason, Reason
from lastcard.v1.table_pb2 import Act, ActResult, Decision, DecisionKind, Receipt
from lastcard_bot.answers import after_apart, is_apart
from lastcard_bot.bot import Refusal
from lastcard_bot.memory import KEPT_ANSWERS, Open, Table
from lastcard_bot.outputs import Ask, Drain, Fail, Key, Log, Output, Resume, Send, SendLater, Tell, Welcomed, Withdraw
from lastcard_bot.words import fault_texts, protocol_reason_name, reason_name, result_text, seat_text

PROTOCOL_VERSION = 1
KEPT_TABLES = 1024
"""Closed tables that are remembered in case the server repeats their end."""

APART_MOST = 3
"""Calls and catches by themselves at one decision, after which the bot is told to play: it could go on for ever."""
TOO_FAST_S = 0.2
"""How long to wait with an answer that came too fast; the server's allowance is full again within a few times that."""

_FINAL = frozenset(
    {
        Reason.REASON_NOT_YOUR_TURN,
        Reason.REASON_STALE_DECISION,
        Reason.REASON_TURN_EXPIRED,
        Reason.REASON_ROUND_OVER,
        Reason.REASON_MATCH_OVER,
        Reason.REASON_FORBIDDEN,
        Reason.REASON_SESSION_REPLACED,
    }
)
"""Refusals that no other answer can mend. After all others, also unknown ones, the decision is still open."""

_NO_SUCH_DECISION = frozenset(
    {ProtocolReason.PROTOCOL_REASON_UNKNOWN_TABLE, ProtocolReason.PROTOCOL_REASON_UNKNOWN_DECISION}
)
"""Refusals by the transport that no other answer can mend."""


class Session:
    """The state of a bot's session, over all its streams.

    `hello` is the opening message without cursors; `secret` is the resume secret, once the server gave one. Of the
    present stream, `draining` tells whether the server said that it shuts down, `farewell` and `farewell_text` why it
    ends the stream (`None` and empty: it did not say).
    """

    def __init__(self, hello: Hello) -> None:
        self._hello = hello
        self._stream = 0
        self._tables: dict[str, Table] = {}
        self._closed: OrderedDict[str, None] = OrderedDict()
        self._leaving: set[str] = set()
        self.welcomed = False
        self.secret = ""
        self.draining = False
        self.farewell: ErrorCause | None = None
        self.farewell_text = ""
        self._broken = False
        """Whether something is missing on the present stream, so that nothing more is taken from it."""

    @property
    def tables(self) -> tuple[str, ...]:
        """The tables that are not over."""
        return tuple(self._tables)

    def open_stream(self) -> ClientMessage:
        """Begins a stream: the `Hello` for it, with a cursor for each table of which events were seen."""
        self._stream += 1
        self.welcomed = self.draining = self._broken = False
        self.farewell, self.farewell_text = None, ""
        hello = Hello()
        hello.CopyFrom(self._hello)
        for table_id, table in self._tables.items():
            for entry in table.open.values():
                entry.unjudged = 0
            if table.cursor is not None and not hello.decisions_only:
                hello.cursors.add(table_id=table_id, last_sequence=table.cursor)
        return ClientMessage(hello=hello)

    def forget(self) -> list[Output]:
        """Begins anew after the server has lost the session: all tables are dropped, and so is the secret."""
        outputs: list[Output] = [
            Withdraw((table_id, decision_id)) for table_id, table in self._tables.items() for decision_id in table.open
        ]
        self._tables.clear()
        self._closed.clear()
        self._leaving.clear()
        self.secret = ""
        return outputs

    def receive(self, message: ServerMessage) -> list[Output]:
        """What is to be done about one message of the server, in order. Unknown messages are ignored."""
        self.farewell, self.farewell_text = None, ""
        kind = message.WhichOneof("message")
        if kind is None or self._broken:
            return []
        if kind == "welcome":
            return self._welcome(message.welcome)
        if not self.welcomed and kind != "message_refused":
            return [Fail(f"the server opened the stream with {kind!r}; it must begin with 'welcome'")]
        outputs: list[Output] = getattr(self, f"_{kind}")(message)
        return outputs

    def answered(self, key: Key, act: Act) -> list[Output]:
        """Takes the bot's answer to a decision; nothing is sent when it was closed, or not put again on this stream."""
        entry = self._entry(key)
        if entry is None or entry.act is not None:
            return []
        entry.act = act
        self._keep(key, act)
        return self._put(entry) if entry.stream == self._stream and self.welcomed else []

    def leave(self, table_id: str) -> list[Output]:
        """Leaves a table for good; said again after a reconnect, until the table is over for the bot."""
        if table_id not in self._tables:
            return []
        self._leaving.add(table_id)
        return [_leave(table_id)] if self.welcomed else []

    def resend(self, table_id: str) -> list[Output]:
        """Says again at a table (all tables when empty) what came too fast: leaving, and answers without a verdict."""
        if not self.welcomed:
            return []
        outputs: list[Output] = []
        for name in [table_id] if table_id else list(self._tables):
            if name in self._leaving:
                outputs.append(_leave(name))
            table = self._tables.get(name)
            for entry in table.open.values() if table else ():
                if not entry.unjudged and entry.stream == self._stream:
                    outputs += self._put(entry)
        return outputs

    # Messages of the server, by their name in `ServerMessage`.

    def _welcome(self, welcome: Welcome) -> list[Output]:
        if welcome.protocol_version != PROTOCOL_VERSION:
            return [
                Fail(
                    f"the server speaks protocol version {welcome.protocol_version}; "
                    f"this client speaks {PROTOCOL_VERSION}: install a matching lastcard"
                )
            ]
        self.welcomed = True
        self.secret = welcome.resume_secret or self.secret
        interval = _seconds(welcome.heartbeat_interval)
        return [Welcomed(welcome.bot_name, welcome.server_version, welcome.max_frame_bytes, interval)]

    def _seated(self, message: ServerMessage) -> list[Output]:
        seated: Seated = message.seated
        table = self._table(seated.table_id)
        outputs: list[Output] = []
        if table.cursor is None and not seated.last_sequence:
            table.cursor = 0  # nothing has happened yet, so that all events can be had from now on
        if table.seat is None:
            table.seat = seated.seat
            outputs += [Log(f"seated at {seat_text(seated)}"), Tell("on_seated", (seated,))]
        if seated.HasField("previous_receipt"):
            outputs += self._receipt(seated.table_id, seated.previous_receipt)
        if seated.table_id in self._leaving:
            outputs.append(_leave(seated.table_id))
        return outputs

    def _decision(self, message: ServerMessage) -> list[Output]:
        decision = message.decision
        table = self._table(decision.table_id)
        outputs: list[Output] = []
        if decision.HasField("previous_receipt"):
            outputs += self._receipt(decision.table_id, decision.previous_receipt)
        key = (decision.table_id, decision.decision_id)
        entry = table.open.get(decision.decision_id)
        if entry is not None:
            entry.stream = self._stream
            return outputs + (self._put(entry) if entry.act is not None else [])
        former = table.answers.get(decision.decision_id)
        if former is not None:
            return [*outputs, Send(ClientMessage(act=former))]
        outputs += self._outdated(decision)
        if not decision.legal_actions:
            text = f"the server asked {_where(key)} without any legal action; it stays unanswered"
            return [*outputs, Log(text, serious=True)]
        kept = Decision()
        kept.CopyFrom(decision)
        table.open[decision.decision_id] = Open(kept, self._stream)
        return [*outputs, Ask(key, kept)]

    def _outdated(self, decision: Decision) -> list[Output]:
        """Drops what a new decision shows to be closed, the news of it having been lost with an earlier stream.

        A seat is asked one question of its turn at a time, and beside it one for a reaction.
        """
        table_id, reaction = decision.table_id, decision.kind == DecisionKind.DECISION_KIND_REACTION
        closed = [
            (table_id, number)
            for number, entry in self._table(table_id).open.items()
            if entry.stream != self._stream and (entry.decision.kind == DecisionKind.DECISION_KIND_REACTION) == reaction
        ]
        return [Withdraw(key) for key in closed if self._close(key)]

    def _act_result(self, message: ServerMessage) -> list[Output]:
        result = message.act_result
        key = (result.table_id, result.decision_id)
        outputs: list[Output] = [
            Log(f"catch of seat {catch.seat} at {_where(key)} refused: {catch.message}")
            for catch in result.refused_catches
        ]
        entry = self._entry(key)
        if entry is not None and entry.act is not None:
            entry.unjudged = max(0, entry.unjudged - 1)
            if result.accepted:
                outputs += self._accepted(key, entry, result)
            elif not entry.unjudged:  # otherwise a verdict on what was sent before; that on the present answer follows
                outputs += self._refused(key, entry, result)
        if result.HasField("receipt"):
            outputs += self._receipt(result.table_id, result.receipt)
        return outputs

    def _accepted(self, key: Key, entry: Open, result: ActResult) -> list[Output]:
        """A call or catch apart from the turn leaves it open; everything else closes the decision."""
        if entry.act is None or not is_apart(entry.act) or result.HasField("receipt"):
            self._close(key)
            return []
        entry.decision = after_apart(entry.decision, entry.act)
        entry.act = None
        entry.apart += 1
        if entry.apart < APART_MOST:
            return [Ask(key, entry.decision)]
        text = f"{entry.apart} calls and catches by themselves at {_where(key)}; choose from legal_actions"
        return [Log(text, serious=True), Ask(key, entry.decision, Refusal(text), entry.refused)]

    def _refused(self, key: Key, entry: Open, result: ActResult) -> list[Output]:
        name = reason_name(result.reason) if result.reason else protocol_reason_name(result.protocol_reason)
        text = f"answer at {_where(key)} refused, {name}: {result.message}"
        if result.protocol_reason == ProtocolReason.PROTOCOL_REASON_TOO_FAST:
            return [Log(text, serious=True), SendLater(TOO_FAST_S, key[0])]
        if result.reason in _FINAL or result.protocol_reason in _NO_SUCH_DECISION:
            self._close(key)
            return [Log(text)]
        if not result.refusals_left:
            self._close(key)
            return [Log(text, serious=True)]
        if entry.act is not None and entry.act.WhichOneof("answer") == "choice":
            entry.refused += (entry.act.choice,)
        entry.act = None
        refusal = Refusal(result.message, result.reason, result.protocol_reason, result.refusals_left)
        return [Log(text, serious=True), Ask(key, entry.decision, refusal, entry.refused)]

    def _decision_closed(self, message: ServerMessage) -> list[Output]:
        closed = message.decision_closed
        key = (closed.table_id, closed.decision_id)
        outputs: list[Output] = []
        if self._close(key):
            outputs.append(Withdraw(key))
            if closed.reason == Reason.REASON_TURN_EXPIRED:
                outputs.append(Log(f"no answer in time at {_where(key)}", serious=True))
        if closed.HasField("receipt"):
            outputs += self._receipt(closed.table_id, closed.receipt)
        return outputs

    def _table_events(self, message: ServerMessage) -> list[Output]:
        events = message.table_events
        table = self._table(events.table_id)
        outputs: list[Output] = []
        for event in events.events:
            seen = table.cursor or 0
            if event.sequence <= seen:
                continue
            if table.cursor is not None and event.sequence != seen + 1:
                gap = f"{seen + 1} to {event.sequence - 1}"
                if table.gap != seen:
                    table.gap = seen
                    self._broken = True
                    text = f"events {gap} at table {events.table_id} did not come; reconnecting to have them"
                    return [*outputs, Log(text, serious=True), Resume()]
                outputs.append(Log(f"events {gap} at table {events.table_id} never came", serious=True))
            table.cursor = event.sequence
            if event.WhichOneof("event") is not None:
                outputs.append(Tell("on_event", (events.table_id, event)))
        return outputs

    def _table_snapshot(self, message: ServerMessage) -> list[Output]:
        snapshot = message.table_snapshot
        table = self._table(snapshot.table_id)
        if table.cursor is not None and snapshot.sequence < table.cursor:
            return []
        table.cursor = snapshot.sequence
        return [Tell("on_snapshot", (snapshot,))]

    def _notice(self, message: ServerMessage) -> list[Output]:
        notice = message.notice
        outputs: list[Output] = []
        if notice.kind == NoticeKind.NOTICE_KIND_RECOVERED:
            outputs.append(Log(f"the server was restarted and goes on with table {notice.table_id}"))
        return [*outputs, Tell("on_notice", (notice,))]

    def _table_closed(self, message: ServerMessage) -> list[Output]:
        closed: TableClosed = message.table_closed
        table_id = closed.table_id
        outputs: list[Output] = []
        if closed.HasField("previous_receipt") and table_id not in self._closed:
            outputs += self._receipt(table_id, closed.previous_receipt)
        table = self._tables.pop(table_id, None)
        self._leaving.discard(table_id)
        if table is not None:
            outputs += [Withdraw((table_id, decision_id)) for decision_id in table.open]
        if table_id not in self._closed:
            seat = None if table is None else table.seat
            outputs += [Log(text, serious=True) for text in fault_texts(closed, seat)]
            outputs += [Log(result_text(closed, seat)), Tell("on_table_closed", (closed,))]
        self._closed[table_id] = None
        self._closed.move_to_end(table_id)
        if len(self._closed) > KEPT_TABLES:
            self._closed.popitem(last=False)
        receipt = ClientMessage()
        receipt.table_closed_received.table_id = table_id
        return [*outputs, Send(receipt)]

    def _heartbeat(self, message: ServerMessage) -> list[Output]:
        reply = ClientMessage()
        reply.heartbeat_reply.number = message.heartbeat.number
        return [Send(reply)]

    def _draining(self, message: ServerMessage) -> list[Output]:
        self.draining = True
        return [Drain(_seconds(message.draining.time_left))]

    def _message_refused(self, message: ServerMessage) -> list[Output]:
        refused = message.message_refused
        table_id = refused.table_id
        if not table_id:
            # The last message of a stream that the server ends says why; its status may be lost to a failed write.
            self.farewell, self.farewell_text = ErrorCause(protocol_reason=refused.reason), refused.message
        about = f" about table {table_id}" if table_id else ""
        name = protocol_reason_name(refused.reason)
        outputs: list[Output] = [Log(f"message{about} refused, {name}: {refused.message}", serious=True)]
        if refused.reason == ProtocolReason.PROTOCOL_REASON_CURSOR_BEYOND_END and table_id in self._tables:
            self._tables[table_id].cursor = None
        elif refused.reason == ProtocolReason.PROTOCOL_REASON_UNKNOWN_TABLE and table_id in self._tables:
            self._leaving.discard(table_id)
            gone = self._tables.pop(table_id)
            outputs += [Withdraw((table_id, decision_id)) for decision_id in gone.open]
        elif refused.HasField("retry_after"):
            outputs.append(SendLater(_seconds(refused.retry_after), table_id))
        return outputs

    # What the handlers share.

    def _table(self, table_id: str) -> Table:
        return self._tables.setdefault(table_id, Table())

    def _entry(self, key: Key) -> Open | None:
        table = self._tables.get(key[0])
        return None if table is None else table.open.get(key[1])

    def _close(self, key: Key) -> bool:
        """Drops an open decision; whether there was one."""
        return self._entry(key) is not None and self._tables[key[0]].open.pop(key[1]) is not None

    def _put(self, entry: Open) -> list[Output]:
        """Sends the answer of an open decision."""
        if entry.act is None:
            return []
        entry.unjudged += 1
        return [Send(ClientMessage(act=entry.act))]

    def _keep(self, key: Key, act: Act) -> None:
        """Remembers the latest answer to a decision beyond its close."""
        answers = self._tables[key[0]].answers
        answers[key[1]] = act
        if len(answers) > KEPT_ANSWERS:
            answers.popitem(last=False)

    def _receipt(self, table_id: str, receipt: Receipt) -> list[Output]:
        """Tells a receipt once, however often the server repeats it; its decision needs no thought any more."""
        if table_id in self._closed and table_id not in self._tables:
            return []
        told = self._table(table_id).receipts
        if receipt.decision_id in told:
            return []
        told[receipt.decision_id] = None
        if len(told) > KEPT_ANSWERS:
            told.popitem(last=False)
        key = (table_id, receipt.decision_id)
        withdrawn: list[Output] = [Withdraw(key)] if self._close(key) else []
        return [*withdrawn, Tell("on_receipt", (table_id, receipt))]


def _leave(table_id: str) -> Send:
    message = ClientMessage()
    message.leave.table_id = table_id
    return Send(message)


def _seconds(duration: Duration) -> float:
    return duration.seconds + duration.nanos / 1e9


def _where(key: Key) -> str:
    return f"decision {key[1]} of table {key[0]}"
