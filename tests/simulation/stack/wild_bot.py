"""A bot's process that does all that a bot must not do, each as often as its habits say.

Here: `WildBot`: what it sends beside its session or instead of it. Not here: that session, which stays the SDK's own
(`bot_client`). Whatever it does that it may be blamed for it confesses first.
"""

from random import Random
from typing import TYPE_CHECKING

from lastcard.rules.actions import Action as RulesAction
from lastcard.table.effects import FaultKind
from lastcard.v1.action_pb2 import Action, ActionKind
from lastcard.v1.play_service_pb2 import ClientMessage, Hello, PlayRequest
from lastcard.v1.table_pb2 import Act
from lastcard_bot.answers import act_for
from lastcard_bot.bot import Answer
from lastcard_bot.outputs import Ask, Key
from simulation.bots import wrong_action
from simulation.stack.bot_client import BotClient
from simulation.stack.network import KEEPALIVE_S, Link, Quality

if TYPE_CHECKING:
    from simulation.stack.habits import Habits
    from simulation.stack.world import World

BURST = 400
"""Messages that answer nothing and are taken at once (`table.flood`)."""

LATE = (FaultKind.TIMEOUT,)
GONE = (FaultKind.TIMEOUT, FaultKind.DISCONNECT, FaultKind.START_UP)
WRONG = (FaultKind.TIMEOUT, FaultKind.REFUSALS)


class WildBot(BotClient):
    """See `habits.Habits` for what it does."""

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
        habits: "Habits",
    ) -> None:
        super().__init__(world, name, bot, token, random=random, quality=quality, hello=hello)
        self.habits = habits
        self._repeated: list[tuple[bytes, list[str]]] = []
        """What is sent once more on the next stream."""
        self._held: tuple[bytes, list[str]] | None = None
        """What is sent after the next frame."""
        self._seen: list[Key] = []
        """The last decisions that it heard of."""

    def connect(self) -> None:
        """Opens a stream and says again what it said on the last one."""
        if self.random.random() < self.habits.never_comes:
            self.world.sin(self.bot, FaultKind.START_UP)
            self.finish("it never comes")
            return
        super().connect()
        repeated, self._repeated = self._repeated, []
        for frame, answers in repeated:
            self._loop.call_later(self.random.random(), self._send_on, self.link, frame, answers)

    # ------------------------------------------------------------------ its connection and its process

    def tempted(self, ask: Ask) -> None:
        """A decision is before it: an occasion to misbehave."""
        self._seen = [*self._seen[-20:], ask.key]
        habits, roll = self.habits, self.random.random
        if roll() < habits.leaves:
            self._note("leaves", FaultKind.LEFT, FaultKind.TIMEOUT)
            self._perform(self.session.leave(ask.key[0]))
            self._flush()
        if roll() < habits.strays:
            self._note("strays", *WRONG)
            self._stray(self.random.randint(1, 3))
        if roll() < habits.floods:
            self._note("floods", *WRONG, *GONE)
            self._stray(BURST + 30)
        if roll() < habits.rubbish:
            self._note("rubbish", *GONE, *WRONG)
            self._talk_rubbish()
        if roll() < habits.stalls:
            self._note("stalls", *GONE)
            self._stall()
        if roll() < habits.blocks:
            self._note("blocks", *GONE)
            self._block()
        if roll() < habits.twins:
            self._note("twins", *GONE)
            self.world.start_process(self.bot, self.token, self.random.random() * 0.2)
        if roll() < habits.mute:
            self._note("mute", *GONE)
            self._go_mute()
        elif roll() < habits.cuts:
            self._note("cuts", *GONE)
            self._cut()
        elif roll() < habits.dies:
            self._note("dies", *GONE)
            self.die()

    def _note(self, what: str, *sins: FaultKind) -> None:
        self.world.reached[f"bot {what}"] += 1
        self.world.trace("%s %s", self, what)
        self.world.sin(self.bot, *sins)

    def _cut(self) -> None:
        """The line breaks; each end notices at once, late, or when keep-alive finds out."""
        if self.link is not None:
            notices = [
                self.random.choice((0.0, 0.05, self.random.random() * 5, self.random.random() * KEEPALIVE_S))
                for _ in range(2)
            ]
            self.link.cut(notices[0], notices[1] if self.random.random() < 0.7 else None)

    def _go_mute(self) -> None:
        """What the server says is lost on the way, verdicts included, while it still reads; then the line breaks."""
        link = self.link
        if link is not None:
            link.deafen()
            self._loop.call_later(self.random.random(), self._cut_link, link)

    def _cut_link(self, link: Link) -> None:
        if not link.is_over:
            link.cut(self.random.random() * KEEPALIVE_S, self.random.random() * 3)

    def die(self) -> None:
        """The process ends; its machine says so to the server, or is gone itself. Mostly another one comes."""
        link, random = self.link, self.random
        if link is not None:
            if random.random() < 0.7:
                link.cancel()
            else:
                link.cut(random.random() * KEEPALIVE_S, 0.0)
        self.finish("it died")
        if random.random() < 0.5:
            self.world.report_crash(self.bot, self.token or self.session.secret)
        if random.random() < 0.8:
            self.world.start_process(self.bot, self.token, random.choice((0.0, 0.5, 3.0, 20.0)) * random.random())

    def _stall(self) -> None:
        """It does not read for a while."""
        link = self.link
        if link is not None:
            link.window = 512
            link.read_on(False)
            self._loop.call_later(
                self.random.choice((0.2, 2.0, 30.0, 100.0)) * self.random.random(), link.read_on, True
            )

    def _block(self) -> None:
        """The whole process stands still: it does not read, does not write, and does not watch the time."""
        link, seconds = self.link, self.random.choice((0.2, 2.0, 20.0)) * self.random.random()
        if link is None:
            return
        link.read_on(False)
        if self._watch is not None:
            self._watch.cancel()
        for key, call in list(self._thoughts.items()):
            self._thoughts[key] = self._loop.call_at(call.when() + seconds, *_what(call))
            call.cancel()
        self._loop.call_later(seconds, self._go_on, link)

    def _go_on(self, link: Link) -> None:
        if link is self.link:
            self._begin_watch(10.0)
        link.read_on(True)

    # ------------------------------------------------------------------ its answers

    def thinking_s(self, ask: Ask) -> float:
        """How long it thinks: sometimes about as long as it may."""
        if self.random.random() < self.habits.late:
            self._note("late", *LATE)
            bank = ask.decision.bank_left
            whole = self.time_s(ask.decision) + bank.seconds + bank.nanos / 1e9
            return max(0.0, whole + self.random.uniform(-0.06, 0.12))
        return super().thinking_s(ask)

    def choose(self, ask: Ask) -> Act | None:
        """Its answer, right or wrong; `None` for silence."""
        random, habits, decision = self.random, self.habits, ask.decision
        if random.random() < habits.ignores:
            self._note("ignores", *LATE)
            return None
        if random.random() < habits.wrong:
            self._note("wrong", *WRONG)
            return self._wrong_act(ask)
        if random.random() < habits.apart:
            self._note("apart", *WRONG)
            kind = random.choice((ActionKind.ACTION_KIND_UNO, ActionKind.ACTION_KIND_CATCH))
            action = Action(kind=kind)
            if kind == ActionKind.ACTION_KIND_CATCH:
                action.target = random.randrange(len(decision.view.hand_counts))
            return Act(table_id=ask.key[0], decision_id=ask.key[1], action=action)
        if random.random() < habits.catches:
            seats = tuple({random.randrange(len(decision.view.hand_counts)) for _ in range(2)})
            return act_for(decision, Answer(random.randrange(len(decision.legal_actions)), catch_seats=seats))
        return super().choose(ask)

    def _wrong_act(self, ask: Ask) -> Act:
        act = Act(table_id=ask.key[0], decision_id=ask.key[1])
        if self.random.random() < 0.4:
            act.choice = self.random.choice((99, len(ask.decision.legal_actions), (1 << 32) - 1))
        else:
            hand = bytes(ask.decision.view.hand)
            act.action.CopyFrom(_wire(wrong_action(self.random, ask.decision.view.seat, hand)))
        return act

    # ------------------------------------------------------------------ what it sends beside

    def _say(self, message: ClientMessage) -> None:
        kind = message.WhichOneof("message")
        if kind == "heartbeat_reply" and self.habits.silent:
            return
        if kind == "table_closed_received" and self.habits.forgets and self.random.random() < 0.7:
            self.world.reached["end not acknowledged"] += 1
            return
        super()._say(message)

    def send(self, frame: bytes, answers: list[str]) -> None:
        """Sends a frame, perhaps later than the next one, perhaps twice, perhaps on a stream that is no more."""
        random, habits = self.random, self.habits
        if answers and self._held is None and random.random() < habits.reorders:
            self.world.reached["answer held back"] += 1
            self._held = (frame, answers)
            self._loop.call_later(random.random() * 0.1, self._release)
            return
        super().send(frame, answers)
        self._release()
        if answers and random.random() < habits.repeats:
            self._repeat(frame, answers)

    def _release(self) -> None:
        held, self._held = self._held, None
        if held is not None:
            super().send(*held)

    def _repeat(self, frame: bytes, answers: list[str]) -> None:
        self.world.reached["answer repeated"] += 1
        way = self.random.randrange(4)
        if way == 0:
            self._send_on(self.link, frame, answers)
        elif way == 1:
            # Perhaps the stream has been replaced or given up by then.
            self._loop.call_later(
                self.random.choice((0.1, 1.0, 10.0)) * self.random.random(), self._send_on, self.link, frame, answers
            )
        elif way == 2:
            self._loop.call_later(self.random.random() * 3, lambda: self._send_on(self.link, frame, answers))
        else:
            self._repeated = [*self._repeated[-5:], (frame, answers)]

    def _send_on(self, link: Link | None, frame: bytes, answers: list[str]) -> None:
        if link is not None:
            link.send(frame, answers)

    def _stray(self, count: int) -> None:
        """Answers that no open decision expects, or one that it has answered already."""
        messages = []
        for _ in range(count):
            table_id, decision_id = self.random.choice(self._seen)
            decision_id = self.random.choice((decision_id, 0, decision_id + self.random.randint(-5, 5), 4_000_000_000))
            act = Act(table_id=self.random.choice((table_id, "nowhere")), decision_id=max(0, decision_id))
            if self.random.random() < 0.5:
                act.choice = 0
            else:
                act.action.CopyFrom(_wire(wrong_action(self.random, 0, b"")))
            messages.append(ClientMessage(act=act))
        answers = [message.act.table_id for message in messages]
        self._send_on(self.link, PlayRequest(messages=messages).SerializeToString(), answers)

    def _talk_rubbish(self) -> None:
        random = self.random
        table_id = random.choice(self._seen)[0]
        message = ClientMessage()
        way = random.randrange(8)
        if way == 0:
            self._send_on(self.link, random.randbytes(random.randint(1, 40)), [])
            return
        if way == 1:
            self._send_on(self.link, bytes(self._most_bytes + 1), [])
            return
        if way == 2:
            self._send_on(self.link, b"", [])
            return
        if way == 3:
            message.hello.protocol_version = 1
        elif way == 4:
            message.heartbeat_reply.number = random.randrange(100)
        elif way == 5:
            message.table_closed_received.table_id = random.choice((table_id, "nowhere"))
        elif way == 6:
            message.leave.table_id = "nowhere"
        self._send_on(self.link, PlayRequest(messages=[message]).SerializeToString(), [])


def _what(call: object) -> tuple[object, ...]:
    return (call.callback, *call.args)  # type: ignore[attr-defined]


def _wire(action: RulesAction) -> Action:
    """An action of the rules as a message; what no wire can hold is left out."""
    wire = Action(kind=int(action.kind), card=max(0, action.card), color=max(0, action.color))  # type: ignore[arg-type]
    if 0 <= action.target < 1 << 32:
        wire.target = action.target
    return wire
