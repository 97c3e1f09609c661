"""A bot's process in virtual time: the SDK's own session state machine, its stream, and a mind of little worth.

Here: `BotClient`, which does what `lastcard_bot.connection` does. Not here: what others do wrong (`wild_bot`), the
network (`network`), what must be true of what it is told (`ledger`).
"""

from collections import deque
from random import Random
from typing import TYPE_CHECKING

from lastcard.table.effects import FaultKind
from lastcard.v1.play_service_pb2 import ClientMessage, Hello, PlayRequest, PlayResponse, ServerMessage
from lastcard.v1.table_pb2 import Act, Decision, DecisionKind
from lastcard_bot.answers import act_for
from lastcard_bot.backoff import Backoff
from lastcard_bot.bot import Answer
from lastcard_bot.endings import Next, judge
from lastcard_bot.outputs import (
    Ask,
    Fail,
    Key,
    Log,
    Output,
    Send,
    SendLater,
    Tell,
    Welcomed,
    Withdraw,
    frames,
)
from lastcard_bot.session import Session
from simulation.stack.ledger import Reader
from simulation.stack.network import Link, Quality, Status

if TYPE_CHECKING:
    from simulation.stack.loop import Call
    from simulation.stack.world import World

PLAY = "/lastcard.v1.PlayService/Play"
MISSED_HEARTBEATS = 3
HELD_S = 10.0
"""As in `lastcard_bot.connection`."""


class BotClient:
    """One process of a bot; `token` is who it is, empty for a bot that is given a secret."""

    def __init__(
        self,
        world: "World",
        name: str,
        bot: str,
        token: str,
        *,
        random: Random,
        quality: Quality,
        hello: Hello,
    ) -> None:
        self.world = world
        self.name = name
        self.bot = bot
        self.token = token
        self.random = random
        self.quality = quality
        self.link: Link | None = None
        self.is_done = False
        """Whether it has ended and does not come back."""
        self.ended_for = ""
        """Why."""
        self.ended_tables: set[str] = set()
        self.session = Session(hello)
        self._loop = world.loop
        self._backoff = Backoff(chance=random)
        self._reader = Reader({})
        self._readers: dict[int, Reader] = {}
        self._outbox: list[ClientMessage] = []
        self._thoughts: dict[Key, Call] = {}
        self._queue: deque[Ask] = deque()
        self._one_at_a_time = hello.max_open_decisions == 1
        self._known = False
        self._begun = 0.0
        self._most_bytes = 0
        self._frames_read = 0
        self._watch: Call | None = None

    def __repr__(self) -> str:
        return self.name

    @property
    def is_welcome(self) -> bool:
        """Whether it has a stream on which it hears what it is told."""
        link = self.link
        return link is not None and self.session.welcomed and link.reading and not (link.is_cut or link.is_deaf)

    # ------------------------------------------------------------------ its stream

    def connect(self) -> None:
        """Opens a stream."""
        if self.is_done:
            return
        self._begun = self._loop.now
        hello = self.session.open_stream()
        cursors = {cursor.table_id: cursor.last_sequence for cursor in hello.hello.cursors}
        self._reader = Reader(cursors, decisions_only=hello.hello.decisions_only)
        token = self.token or self.session.secret
        self.link = self.world.network.call(self, PLAY, token, self.quality, self.random)
        self._readers[self.link.number] = self._reader
        self.world.trace("%s opens %s with %s", self, self.link, cursors)
        self._outbox = [hello]
        self._flush()
        self._begin_watch(10.0)

    def on_frame(self, link: Link, frame: bytes) -> None:
        """A frame came; on a stream that was given up it concerns nobody but the one who compares."""
        self.world.reached["frame"] += 1
        reader = self._readers[link.number]
        for message in PlayResponse.FromString(frame).messages:
            self.note(link, reader, message)
            if link is self.link:
                self._perform(self.session.receive(message))
        if link is self.link:
            self._frames_read += 1
            self._flush()

    def note(self, link: Link, reader: Reader, message: ServerMessage) -> None:
        """Compares a message with all that was told before."""
        kind = message.WhichOneof("message")
        if self.world.is_traced:
            self.world.trace("%s on %s hears %s", self, link, str(message).replace("\n", " ")[:200])
        if kind == "act_result":
            table_id = message.act_result.table_id
            assert link.owed[table_id] > 0 or link.is_confused, (
                f"{self} is told a verdict that it is not owed: {message.act_result}"
            )
            link.owed[table_id] -= 1
        elif kind == "message_refused" and message.message_refused.table_id:
            # That may be how an answer was refused that names no decision.
            link.is_confused = True
        self.world.ledger.hear(reader, message)

    def on_end(self, link: Link, status: Status) -> None:
        """A stream is over."""
        self.world.trace("%s: %s ends: %s %s", self, link, status.code.name, status.text)
        if link is not self.link or self.is_done:
            return
        if not (self.token or self.session.secret):
            # Its secret is lost on the way, and its seat with it: nobody can ever prove to be that bot.
            self.world.sin(self.bot, *FaultKind)
        self._lose_link()
        ending = judge(
            status.code,
            self.session.farewell_text or status.text,
            status.cause or self.session.farewell,
            with_token=bool(self.token),
            with_secret=bool(self.session.secret) and not self.token,
            known=self._known,
            draining=self.session.draining,
        )
        self.world.reached[f"ending {ending.next.name}"] += 1
        if ending.next in (Next.FAIL, Next.FINISH):
            self.finish(ending.sentence)
            return
        if ending.next is Next.FORGET:
            self._perform(self.session.forget())
        if self._loop.now - self._begun >= HELD_S:
            self._backoff.reset()
        self._loop.call_later(self._backoff.next_s(), self.connect)

    def finish(self, why: str) -> None:
        """The process ends for good."""
        self.is_done = True
        self.ended_for = why
        self.world.trace("%s ends: %s", self, why)
        self._lose_link()
        for call in self._thoughts.values():
            call.cancel()
        self._thoughts.clear()

    def _lose_link(self) -> None:
        self.link = None
        if self._watch is not None:
            self._watch.cancel()
            self._watch = None

    def give_up_link(self) -> None:
        """Ends the present stream without waiting for the server, and connects again."""
        link = self.link
        if link is not None:
            self._lose_link()
            link.cancel()
            self._loop.call_later(self._backoff.next_s(), self.connect)

    def _begin_watch(self, heartbeat_s: float) -> None:
        if self._watch is not None:
            self._watch.cancel()
        self._watch = self._loop.call_later(heartbeat_s, self._look, heartbeat_s, self._frames_read, 0)

    def _look(self, heartbeat_s: float, seen: int, missed: int) -> None:
        missed = missed + 1 if self._frames_read == seen else 0
        if missed >= MISSED_HEARTBEATS:
            self.world.reached["given up without heartbeats"] += 1
            self.give_up_link()
            return
        self._watch = self._loop.call_later(heartbeat_s, self._look, heartbeat_s, self._frames_read, missed)

    def _flush(self) -> None:
        ready, self._outbox = self._outbox, []
        if self.link is None:
            return
        for messages in frames(ready, self._most_bytes):
            answers = [message.act.table_id for message in messages if message.WhichOneof("message") == "act"]
            self.send(PlayRequest(messages=messages).SerializeToString(), answers)

    def send(self, frame: bytes, answers: list[str]) -> None:
        """Sends a frame on the present stream."""
        if self.link is not None:
            self.link.send(frame, answers)

    # ------------------------------------------------------------------ what the session asks for

    def _perform(self, outputs: list[Output]) -> None:
        for output in outputs:
            match output:
                case Send(message):
                    self._say(message)
                case Ask():
                    self._ask(output)
                case Withdraw(key):
                    self._withdraw(key)
                case SendLater(seconds, table_id):
                    self._loop.call_later(seconds, self._resend, table_id)
                case Welcomed():
                    self._known = True
                    self._most_bytes = output.max_frame_bytes
                    self._begin_watch(output.heartbeat_seconds)
                case Tell(hook, arguments):
                    if hook == "on_table_closed":
                        self.ended_tables.add(arguments[0].table_id)  # type: ignore[attr-defined]
                case Fail(sentence):
                    raise AssertionError(f"the client gives up: {sentence}")
                case Log(text):
                    assert "never came" not in text, f"{self}: {text}"
                case _:
                    pass

    def _say(self, message: ClientMessage) -> None:
        self._outbox.append(message)

    def _resend(self, table_id: str) -> None:
        self._perform(self.session.resend(table_id))
        self._flush()

    # ------------------------------------------------------------------ its mind

    def _ask(self, ask: Ask) -> None:
        self.tempted(ask)
        if self._one_at_a_time and self._thoughts:
            self._queue.append(ask)
        else:
            self._think(ask)

    def tempted(self, ask: Ask) -> None:
        """A decision is before it: an occasion to misbehave, which this bot never takes."""

    def _think(self, ask: Ask) -> None:
        self._thoughts[ask.key] = self._loop.call_later(self.thinking_s(ask), self._decided, ask)

    def thinking_s(self, ask: Ask) -> float:
        """How long it thinks: far less than it may."""
        return self.random.random() * self.time_s(ask.decision) / 3

    def time_s(self, decision: Decision) -> float:
        """What the server says is left for a decision; a second for one without a limit."""
        if decision.kind == DecisionKind.DECISION_KIND_REACTION and not decision.HasField("time_left"):
            return 1.0
        return decision.time_left.seconds + decision.time_left.nanos / 1e9

    def _decided(self, ask: Ask) -> None:
        self._thoughts.pop(ask.key, None)
        act = self.choose(ask)
        if act is not None:
            self._perform(self.session.answered(ask.key, act))
            self._flush()
        self._next_thought()

    def choose(self, ask: Ask) -> Act | None:
        """Its answer; `None` for silence."""
        choice = self.random.randrange(len(ask.decision.legal_actions))
        return act_for(ask.decision, Answer(choice))

    def _withdraw(self, key: Key) -> None:
        call = self._thoughts.pop(key, None)
        if call is not None:
            call.cancel()
        self._queue = deque(ask for ask in self._queue if ask.key != key)
        self._next_thought()

    def _next_thought(self) -> None:
        if self._queue and not self._thoughts:
            self._think(self._queue.popleft())
