"""A table, its bots and the network between them in virtual time.

Here: `World`, which plays one match from a seed to its end. Not here: what must be true (`invariants`), what bots do
wrong (`bots`).

A bot's answer is stamped when it is read and handled some milliseconds later, but never later than the settling time
of the clock; a decision is reported as sent up to 100 ms after it was asked, or much later when the bot holds it back.
"""

from dataclasses import dataclass, field
from heapq import heappop, heappush
from random import Random

from lastcard.rules.actions import UNO, LeaveCause, catch
from lastcard.rules.reasons import Reason
from lastcard.table.commands import (
    Answer,
    Command,
    Connected,
    DecisionSent,
    Disconnected,
    LeaveSeat,
    NextRound,
    Occupy,
    Tick,
)
from lastcard.table.effects import Ask, Blame, DecisionKind, Effect, FaultKind, SeedWanted, Verdict
from lastcard.table.machine import Table
from lastcard.table.timecontrol import SETTLE_MS
from simulation.bots import FLAWLESS, KINDS, Habits, wrong_action
from simulation.invariants import Watch, fingerprint
from simulation.setups import draw_setup

STEPS = 200_000
"""Commands after which a match must have come to its end."""

INNOCENT = frozenset((Reason.STALE_DECISION, Reason.ROUND_OVER, Reason.MATCH_OVER))
"""Why a flawless bot's answer may be refused: something else closed the decision while it was under way."""


@dataclass
class Peer:
    """A bot at a seat as the world knows it."""

    habits: Habits
    there: bool = False
    epoch: int = 0
    """Counts its connections: what was under way on a lost one does not arrive."""
    gone_for_good: bool = False
    sins: set[FaultKind] = field(default_factory=set)
    """What it may be blamed for."""
    answered: set[int] = field(default_factory=set)
    last: Answer | None = None


class World:
    """One match; `log` holds every command with its time, `told` the effects of each."""

    def __init__(self, seed: int) -> None:
        self._random = Random(seed)
        self.setup = draw_setup(self._random)
        self.table = Table(self.setup)
        self.watch = Watch(self.table)
        self.log: list[tuple[Command, int]] = []
        self.told: list[list[Effect]] = []
        self.now = self.setup.opened_ms
        self._heap: list[tuple[int, int, Command, int]] = []
        self._order = 0
        self._tick_lag = self._random.choice((0, 1, 7))
        troubled = self._random.random() < 0.8
        self.peers = [Peer(self._random.choice(KINDS) if troubled else FLAWLESS) for _ in self.setup.seats]
        self._arrive()

    # ----------------------------------------------------------------- running

    def play(self) -> None:
        """Plays until the table is closed."""
        while self.table.closed is None:
            self._step()
            assert len(self.log) < STEPS, "the match does not end"
        self._after_the_end()
        self.watch.check_end()
        self._check_blames()

    def _step(self) -> None:
        due = self.table.next_deadline_ms()
        if due is not None and (not self._heap or due + self._tick_lag < self._heap[0][0]):
            self._handle(Tick(), max(self.now, due + self._tick_lag))
            return
        assert self._heap, "nothing is due and nothing is under way: the table stands still"
        at, _, command, epoch = heappop(self._heap)
        seat = getattr(command, "seat", None)
        peer = None if seat is None else self.peers[seat]
        if peer is not None and epoch != peer.epoch and isinstance(command, Answer | DecisionSent):
            return
        self._handle(command, max(self.now, at))

    def _handle(self, command: Command, now: int) -> None:
        self.now = now
        if isinstance(command, Disconnected):
            peer = self.peers[command.seat]
            peer.there, peer.epoch = False, peer.epoch + 1
            peer.sins |= {FaultKind.TIMEOUT, FaultKind.DISCONNECT}
        elif isinstance(command, Connected | Occupy):
            self.peers[command.seat].there = True
        before = fingerprint(self.table.state)
        effects = self.table.handle(command, now)
        self.log.append((command, now))
        self.told.append(effects)
        self.watch.check(command, before, effects, now)
        for effect in effects:
            self._react(effect)
        if isinstance(command, DecisionSent):
            self._think(command)

    def _send(self, command: Command, delay: int) -> None:
        seat = getattr(command, "seat", None)
        epoch = 0 if seat is None else self.peers[seat].epoch
        heappush(self._heap, (self.now + delay, self._order, command, epoch))
        self._order += 1

    # ---------------------------------------------------------------- arriving

    def _arrive(self) -> None:
        for seat, request in enumerate(self.setup.seats):
            peer = self.peers[seat]
            if request.builtin:
                peer.habits, peer.there = FLAWLESS, True
                continue
            if self._random.random() < peer.habits.never_comes:
                peer.sins.add(FaultKind.START_UP)
                peer.gone_for_good = True
                continue
            self._send(Occupy(seat, request.bot or f"guest{seat}"), self._random.randrange(4_000))

    def _react(self, effect: Effect) -> None:
        match effect:
            case SeedWanted():
                self._send(NextRound(self._random.randbytes(32)), max(0, effect.not_before_ms - self.now))
            case Ask():
                self._deliver(effect)
            case Verdict():
                self._verdict(effect)
            case _:
                pass

    def _deliver(self, ask: Ask) -> None:
        """The session writes a decision out, at once or after holding it back."""
        peer = self.peers[ask.seat]
        if not peer.there:
            return
        delay = self._random.randrange(100)
        if self._random.random() < 0.02:
            delay += self._random.randrange(3_000)
        self._send(DecisionSent(ask.seat, ask.decision_id), delay)

    # ---------------------------------------------------------------- thinking

    def _think(self, sent: DecisionSent) -> None:
        """A bot has a decision before it and does something about it, or not."""
        ask = self.watch.open.get(sent.decision_id)
        peer = self.peers[sent.seat]
        if ask is None or not peer.there:
            return
        random, habits = self._random, peer.habits
        if random.random() < habits.drops:
            self._drop(sent.seat)
            return
        if random.random() < habits.leaves:
            peer.sins.add(FaultKind.LEFT)
            self._send(LeaveSeat(sent.seat, LeaveCause.LEFT), random.randrange(500))
            peer.gone_for_good = True
        if random.random() < habits.strays:
            self._stray(sent.seat)
        if random.random() < habits.ignores:
            peer.sins.add(FaultKind.TIMEOUT)
            return
        self._answer(ask, peer)

    def _answer(self, ask: Ask, peer: Peer) -> None:
        random, habits = self._random, peer.habits
        left = self._time_left(ask)
        delay = random.randrange(max(1, min(left + 1, self.setup.clock.limit_ms)))
        if random.random() < 0.02:
            delay = left
        if random.random() < habits.late:
            peer.sins.add(FaultKind.TIMEOUT)
            delay = left + random.randint(1, 2 * SETTLE_MS)
        choice: int | None = random.randrange(len(ask.legal_actions))
        action = None
        if random.random() < habits.wrong:
            peer.sins |= {FaultKind.TIMEOUT, FaultKind.REFUSALS}
            choice, action = random.choice(
                (
                    (None, wrong_action(random, ask.seat, self.table.state.hand_faces(ask.seat))),
                    (99, None),
                    (-1, None),
                    (None, None),
                )
            )
        elif random.random() < 0.2:
            assert choice is not None
            choice, action = None, ask.legal_actions[choice]
        catches = self._accusations(ask, habits)
        credit = random.choice((0, 0, 30, 500))
        answer = Answer(
            ask.seat, ask.decision_id, choice, action, random.random() < 0.8, catches, self.now + delay, credit
        )
        self._post(answer, delay)
        if random.random() < habits.repeats:
            self._post(answer._replace(received_ms=answer.received_ms + 5), delay + 5 + random.choice((0, 400, 5_000)))
        peer.last = answer

    def _time_left(self, ask: Ask) -> int:
        """How long the bot has until its deadline; a standing reaction has all the time."""
        for open_ask in self.table.open_decisions(ask.seat, self.now):
            if open_ask.decision_id == ask.decision_id:
                if not open_ask.limit_ms and open_ask.kind == DecisionKind.REACTION:
                    return 1_000
                return open_ask.limit_ms + (open_ask.bank_ms or 0)
        return 0

    def _post(self, answer: Answer, delay: int) -> None:
        self._send(answer, delay + self._random.randrange(SETTLE_MS - 10))

    def _accusations(self, ask: Ask, habits: Habits) -> tuple[int, ...]:
        random = self._random
        if random.random() < habits.catches:
            return tuple(random.randrange(12) for _ in range(random.randint(1, 4)))
        if self.setup.rules.false_catch_penalty or random.random() < 0.5:
            return ()
        liable = self.table.state.liable
        return tuple(seat for seat in range(len(self.peers)) if liable >> seat & 1 and seat != ask.seat)

    def _verdict(self, verdict: Verdict) -> None:
        """A bot that was refused corrects itself, mostly."""
        peer = self.peers[verdict.seat]
        ask = self.watch.open.get(verdict.decision_id)
        if verdict.accepted or ask is None or ask.seat != verdict.seat or not peer.there:
            if peer.habits is FLAWLESS and not verdict.accepted:
                assert verdict.reason in INNOCENT, f"a flawless bot was refused: {verdict}"
            return
        assert peer.habits is not FLAWLESS, f"a flawless bot was refused: {verdict}"
        if verdict.reason != Reason.TURN_EXPIRED and self._random.random() < 0.9:
            self._answer(ask, peer)

    def _stray(self, seat: int) -> None:
        """An answer that no open decision of the seat expects."""
        random, count = self._random, self.table.decision_count
        peer = self.peers[seat]
        peer.sins |= {FaultKind.TIMEOUT, FaultKind.REFUSALS}
        number = random.choice((0, count + 1, random.randint(0, count), 4_000_000_000))
        action = random.choice((UNO, catch(random.randrange(-1, 12)), wrong_action(random, seat, b""), None))
        choice = 0 if action is None else None
        self._post(Answer(seat, number, choice, action, False, (), self.now), 0)
        if peer.last is not None and random.random() < 0.5:
            self._post(peer.last, 0)

    # ------------------------------------------------------------- connections

    def _drop(self, seat: int) -> None:
        peer, random = self.peers[seat], self._random
        if self.setup.seats[seat].builtin or peer.gone_for_good:
            return
        self._send(Disconnected(seat), random.randrange(50))
        if random.random() < 0.1:
            peer.gone_for_good = True
            return
        away = random.choice((0, 100, 1_000, 5_000, self.setup.clock.grace_ms, self.setup.clock.grace_ms + 60))
        self._send(Connected(seat), 50 + away)

    # --------------------------------------------------------------------- end

    def _after_the_end(self) -> None:
        """Whatever comes after the end is answered, and changes nothing."""
        for seat in range(len(self.peers)):
            for number in (0, 1, self.table.decision_count, self.table.decision_count + 1):
                answer = Answer(seat, number, 0, None, False, (), self.now)
                effects = self.table.handle(answer, self.now)
                self.log.append((answer, self.now))
                self.told.append(effects)
                assert len(effects) == 1
                verdict = effects[0]
                assert isinstance(verdict, Verdict)
                assert verdict.receipt is not None or verdict.reason == Reason.MATCH_OVER

    def _check_blames(self) -> None:
        """Nobody is blamed without a cause."""
        for blame in self.watch.blames:
            peer = self.peers[blame.seat]
            assert isinstance(blame, Blame)
            assert blame.kind in peer.sins, f"seat {blame.seat} is blamed without cause: {blame}"


def replay(world: World) -> list[list[Effect]]:
    """What a new table makes of the same commands."""
    table = Table(world.setup)
    return [table.handle(command, now) for command, now in world.log]
