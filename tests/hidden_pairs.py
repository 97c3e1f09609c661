"""Two arenas side by side whose games differ only in cards that one viewer cannot see, in virtual time.

Here: `Pair`, which plays both in step and compares every byte that the viewer gets: its stream, the calls by which it
and a spectator watch, and the answers to single calls. Not here: which tables are played (`property/test_leaks`).
Everything of a server takes part but gRPC itself.
"""

import asyncio
from collections.abc import Callable, Coroutine
from functools import partial
from random import Random
from typing import Any, NoReturn
from unittest.mock import patch

from lastcard.bus.local import LocalBus
from lastcard.rules.actions import DRAW, Action, Kind, LeaveCause, catch, play
from lastcard.rules.cards import TEXT
from lastcard.rules.deal import start_round
from lastcard.rules.events import ChallengeResolved, Event, RoundEnded, RoundStarted
from lastcard.rules.pile import SharedPile
from lastcard.rules.reasons import Refused
from lastcard.rules.shuffle import SeededChance
from lastcard.rules.state import State
from lastcard.services.gate import gate_of_calls
from lastcard.services.identity import Caller
from lastcard.services.settings import Settings
from lastcard.services.table_service import TableServicer
from lastcard.services.wire.frames import WireEncoder
from lastcard.store.memory import MemoryStore
from lastcard.table.commands import Command
from lastcard.table.effects import Ask, DecisionKind, Effect, Happened
from lastcard.table.greeting import Greeting, Limits
from lastcard.table.hosting import Hosting
from lastcard.table.journal import Remembered
from lastcard.table.machine import Table
from lastcard.table.mail import Acted
from lastcard.table.plan import TablePlan
from lastcard.table.refusals import DomainError
from lastcard.v1 import table_pb2, table_service_pb2

TABLE = "pair"


class _NoSelector:
    """Instead of waiting for input that never comes, the time jumps to when something is due."""

    def __init__(self, loop: "QuickLoop", real: Any) -> None:
        self._loop, self._real = loop, real

    def select(self, timeout: float | None) -> list[Any]:
        assert timeout is not None, "nothing is due any more"
        self._loop.now += timeout
        return []

    def __getattr__(self, name: str) -> Any:
        return getattr(self._real, name)


class QuickLoop(asyncio.SelectorEventLoop):
    """An event loop in virtual time."""

    def __init__(self) -> None:
        super().__init__()
        self.now = 0.0
        self._selector = _NoSelector(self, self._selector)

    def time(self) -> float:
        return self.now


class _NoBuiltins:
    names = ()


class _Context:
    """What a servicer needs of a call; what it writes is kept with its time."""

    def __init__(self, world: "World", channel: str, token: str) -> None:
        self._world, self._channel, self._token = world, channel, token

    def invocation_metadata(self) -> tuple[tuple[str, str], ...]:
        return (("authorization", f"Bearer {self._token}"),) if self._token else ()

    def peer(self) -> str:
        return "ipv4:127.0.0.1:1"

    async def write(self, message: Any) -> None:
        self._world.note(self._channel, message.SerializeToString(deterministic=True))


class _Overheard:
    """A machine whose events are kept as they were before anything was hidden."""

    def __init__(self, machine: Table, handle: Callable[[Command, int], list[Effect]]) -> None:
        self._machine = machine
        self.handle = handle

    def __getattr__(self, name: str) -> Any:
        return getattr(self._machine, name)


class _Identities:
    """Tokens are identities, for equal bytes."""

    anonymous = True

    def caller(self, token: str, *, newcomer: bool = False) -> Caller:
        return Caller(token, f"bot{token}", True)


class World:
    """One arena with one table; `seen` holds what the viewer got: time, channel, bytes."""

    def __init__(self, plan: TablePlan, viewer: int | None, deal: Any) -> None:
        self.loop = QuickLoop()
        self.viewer = viewer
        self.seen: list[tuple[int, str, bytes]] = []
        self._deal = deal
        self._tasks: list[asyncio.Task[Any]] = []
        self.streams: dict[int, tuple[Any, asyncio.Task[None]]] = {}
        self.happened: list[Event] = []
        """What has happened, with all that is hidden."""
        self.plan = plan
        self.run(self._open())

    def run(self, doing: Coroutine[Any, Any, Any]) -> Any:
        with patch("lastcard.table.match.start_round", self._deal):
            return self.loop.run_until_complete(doing)

    def now(self, doing: Callable[[], object]) -> None:
        """Does something in the running loop."""

        async def do() -> None:
            doing()

        self.run(do())

    def pass_time(self, seconds: float) -> None:
        """Lets everything happen that is due."""
        self.run(asyncio.sleep(seconds))

    def close(self) -> None:
        self.run(self._close())
        self.loop.close()

    def clock(self) -> int:
        return 1_000_000 + round(self.loop.now * 1_000)

    def note(self, channel: str, data: bytes) -> None:
        self.seen.append((self.clock(), channel, data))

    # ---------------------------------------------------------------- set-up

    async def _open(self) -> None:
        encoder = WireEncoder("test")
        self.hosting = Hosting(
            clock=self.clock,
            tables=encoder,
            streams=encoder,
            bus=LocalBus(),
            store=MemoryStore(),
            builtins=_NoBuiltins(),  # type: ignore[arg-type] # there are none to ask
            limits=Limits(),
            failed=_fail,
            run_id="run",
            remembered=Remembered(),
        )
        self.hosting.start()
        self.servicer = TableServicer(
            desk=self.hosting.desk,
            identities=_Identities(),  # type: ignore[arg-type] # what a servicer needs of them
            clock=self.clock,
            find_record=_find_no_record,
            note=_forget,
            calls=gate_of_calls(self.clock, 1e9),
            settings=Settings(),
        )
        for seat in range(len(self.plan.seats)):
            self.dial(seat)
        self.table = self.hosting.host.open_table(self.plan, "creator")
        handle = self.table.machine.handle

        def overheard(command: Command, now_ms: int) -> list[Effect]:
            effects = handle(command, now_ms)
            self.happened += [event for effect in effects if isinstance(effect, Happened) for event in effect.events]
            return effects

        self.table.machine = _Overheard(self.table.machine, overheard)  # type: ignore[assignment]
        if self.viewer is not None:
            self.watch("own", str(self.viewer), own_view=True)
        self.watch("spectator", "")
        self.watch("delayed", "", delay_s=7)

    async def _close(self) -> None:
        self.hosting.stop()
        tasks = [*self._tasks, *(task for _, task in self.streams.values())]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    def dial(self, seat: int, *, cursor: int | None = None, decisions_only: bool = False) -> None:
        """Opens a stream of a seat's bot."""
        greeting = Greeting(
            identity=str(seat),
            bot=f"bot{seat}",
            shared=True,
            secret="",
            max_tables=0,
            max_open_decisions=0,
            decisions_only=decisions_only,
            cursors=() if cursor is None else ((TABLE, cursor),),
        )

        async def write(frame: bytes) -> None:
            if seat == self.viewer:
                self.note("stream", frame)

        session = self.hosting.sessions.open(greeting, write)
        self.streams[seat] = session, self.loop.create_task(session.write_all())

    def hang_up(self, seat: int) -> None:
        """Ends a stream of a seat's bot."""
        session, task = self.streams.pop(seat)
        task.cancel()
        self._tasks.append(task)
        self.hosting.sessions.close(session)

    def watch(self, channel: str, token: str, *, own_view: bool = False, delay_s: int = 0, last: int = 0) -> None:
        """Watches the table by a call."""
        request = table_service_pb2.WatchTableRequest(table_id=TABLE, own_view=own_view, last_sequence=last)
        if delay_s:
            request.delay.seconds = delay_s
        context = _Context(self, channel, token)
        self._tasks.append(self.loop.create_task(self.servicer.WatchTable(request, context)))

    # ---------------------------------------------------------------- doing

    def asks(self) -> list[Ask]:
        """All open decisions."""
        machine = self.table.machine
        return [ask for seat in range(len(self.plan.seats)) for ask in machine.open_decisions(seat, self.clock())]

    def answer(  # noqa: PLR0917 - an answer is all of this
        self, seat: int, number: int, choice: int | None, action: Action | None, uno: bool, catches: tuple[int, ...]
    ) -> None:
        """A seat's bot answers on its stream."""
        session = self.streams[seat][0]
        acted = Acted(TABLE, str(seat), session.address, number, choice, action, uno, catches, self.clock(), 0)
        session.hear([acted])

    def call(self, name: str, request: Any, token: str) -> None:
        """The viewer, or with an empty token a spectator, calls; answer or refusal is kept."""
        self.run(self._call(name, request, token))

    async def _call(self, name: str, request: Any, token: str) -> None:
        channel = f"{name}/{token}"
        try:
            answer = await getattr(self.servicer, name)(request, _Context(self, channel, token))
        except (DomainError, Refused) as error:
            self.note(channel, repr((error.reason, str(error), error.facts)).encode())
        else:
            self.note(channel, answer.SerializeToString(deterministic=True))


def _forget(entry: object) -> None:
    """Keeps nothing: no arena is started again here."""


def _fail(table_id: str, error: Exception) -> NoReturn:
    raise AssertionError(f"table {table_id} is broken") from error


async def _find_no_record(table_id: str, identity: str) -> NoReturn:
    raise NotImplementedError(f"nobody asks for the record of {table_id} ({identity})")


class Pair:
    """The two arenas; `same` tells whether the games are still equal in all that the viewer may know."""

    def __init__(self, plan: TablePlan, viewer: int | None, rng: Random) -> None:
        self.rng = rng
        self.viewer = viewer
        self.plan = plan
        self.same = True
        self.differs = 0
        """Steps at which hidden cards did differ."""
        self.kinds: set[str] = set()
        """What was done."""
        self.one = World(plan, viewer, start_round)
        self.two = World(plan, viewer, self._deal_otherwise)
        self._told = [0, 0]
        self._worlds = (self.one, self.two)

    def close(self) -> None:
        for world in self._worlds:
            world.close()

    # ---------------------------------------------------------------- dealing

    def _deal_otherwise(self, state: State, chance: SeededChance) -> list[Event]:
        """The same deal but for cards that the viewer cannot see."""
        events = start_round(state, chance)
        seats = [seat for seat in state.active_seats() if seat != self.viewer]
        cards = [card for seat in seats for card in state.hands[seat]]
        self.rng.shuffle(cards)
        if chance.draws == "pile":
            order = [state.pile.draw(0) for _ in range(len(state.pile))]
            if self.viewer is None or self.rng.random() < 0.5:
                cards += order
                self.rng.shuffle(cards)
                order = [cards.pop() for _ in order]
            else:
                # From the bottom, so that what the viewer draws is the same for a long time.
                swapped = min(len(cards) // 2, len(order) // 3)
                for place in range(swapped):
                    cards[place], order[-1 - place] = order[-1 - place], cards[place]
                self.rng.shuffle(cards)
            state.pile = SharedPile(order)
        for seat in seats:
            count = len(state.hands[seat])
            state.hands[seat] = bytearray(sorted(cards[:count]))
            del cards[:count]
        return [self._told_otherwise(state, event) for event in events]

    def _told_otherwise(self, state: State, event: Event) -> Event:
        if not isinstance(event, RoundStarted):
            return event
        hands = tuple(
            (seat, tuple(state.hand_faces(seat)) if seat != self.viewer else hand) for seat, hand in event.hands
        )
        return event._replace(hands=hands)

    # ---------------------------------------------------------------- playing

    def step(self) -> None:
        """Does one thing in both, and compares what came of it."""
        before = len(self.one.seen), len(self.two.seen)
        doing = self.rng.choices(
            (self._move, self._wrong, self._strange_number, self._drop, self._ask_about, self._watch_anew, self._wait),
            (60, 6, 4, 4, 6, 2, 3),
        )[0]
        if not doing():
            self.same = False
            return
        for world in self._worlds:
            world.pass_time(0.25)
        self._note_differences()
        if self.same:
            assert self.one.seen[before[0] :] == self.two.seen[before[1] :], f"told apart after {doing.__name__}"
            self.kinds.add(doing.__name__)

    def _note_differences(self) -> None:
        """Ends the comparison where what was hidden has come out, or the games have gone apart in public."""
        states = [world.table.machine.state for world in self._worlds]
        told = [self._new_events(number) for number in range(2)]
        show = not self.plan.closed
        if [_public(event) for event in told[0]] != [_public(event) for event in told[1]]:
            self.same = False
        if self.viewer is not None and states[0].hands[self.viewer] != states[1].hands[self.viewer]:
            self.same = False
        for one, two in zip(*told, strict=False):
            shown = self._sees(one) if isinstance(one, ChallengeResolved) else show and isinstance(one, RoundEnded)
            if shown and one != two:
                self.same = False
        if self.viewer is not None and _known(states[0], self.viewer) != _known(states[1], self.viewer):
            self.same = False
        if show and any(world.table.result is not None for world in self._worlds):
            self.same = False  # an open table has nothing to hide any more
        self.differs += [bytes(hand) for hand in states[0].hands] != [bytes(hand) for hand in states[1].hands]

    def _sees(self, event: ChallengeResolved) -> bool:
        reveal = self.plan.rules.challenge_reveal
        return reveal == "all" or self.viewer in (event.offender, event.challenger)

    def _new_events(self, number: int) -> list[Event]:
        happened = self._worlds[number].happened
        new, self._told[number] = happened[self._told[number] :], len(happened)
        return new

    def over(self) -> bool:
        return any(world.table.result is not None for world in self._worlds)

    def _asks(self) -> list[tuple[Ask, Ask]]:
        """Decisions that are open in both games, of which the other seats' may differ in number and actions."""
        two = {(ask.seat, ask.kind): ask for ask in self.two.asks()}
        return [(ask, two[ask.seat, ask.kind]) for ask in self.one.asks() if (ask.seat, ask.kind) in two]

    def _move(self) -> bool:
        """Somebody answers; the same in both games."""
        asks = self._asks()
        if not asks:
            for world in self._worlds:
                world.pass_time(1)
            return True
        turn = [pair for pair in asks if pair[0].kind != DecisionKind.REACTION]
        one, two = self.rng.choice(turn if turn and self.rng.random() < 0.6 else asks)
        both = [action for action in one.legal_actions if action in two.legal_actions]
        if not both:
            return False
        plays = [action for action in both if action.kind in (Kind.PLAY, Kind.JUMP_IN)]
        action = self.rng.choice(plays if plays and self.rng.random() < 0.8 else both)
        uno, seats = self.rng.random() < 0.6, len(self.plan.seats)
        catches = tuple(self.rng.sample(range(seats), 2)) if self.rng.random() < 0.2 else ()
        for world, ask in zip(self._worlds, (one, two), strict=True):
            if ask.seat in world.streams:
                world.now(partial(world.answer, ask.seat, ask.decision_id, None, action, uno, catches))
        return True

    def _wrong(self) -> bool:
        """Somebody answers what is refused in both; three times, so that it is blamed for it."""
        asks = self._asks()
        if not asks:
            return True
        one, two = self.rng.choice(asks)
        wrong = self.rng.choice([play(self.rng.choice(sorted(TEXT)), 1, 0), catch(one.seat), Action(99), DRAW])
        if wrong in one.legal_actions or wrong in two.legal_actions:
            return True
        choice = 77 if self.rng.random() < 0.2 else None
        for _ in range(self.rng.choice((1, 3))):
            for world, ask in zip(self._worlds, (one, two), strict=True):
                if ask.seat in world.streams:
                    action = None if choice else wrong
                    world.now(partial(world.answer, ask.seat, ask.decision_id, choice, action, False, ()))
        return True

    def _strange_number(self) -> bool:
        """The viewer answers a decision that may be anybody's or nobody's."""
        if self.viewer is None:
            return True
        number = self.rng.choice((0, self.rng.randrange(1, 300), 4_000_000_000))
        catches = (self.rng.randrange(len(self.plan.seats)),)
        for world in self._worlds:
            act = table_pb2.Act(table_id=TABLE, decision_id=number, choice=0, catch_seats=catches)
            request = table_service_pb2.SubmitActionRequest(act=act)
            world.call("SubmitAction", request, str(self.viewer))
            world.call("SubmitAction", request, "")
        return True

    def _drop(self) -> bool:
        """A stream breaks, and comes back with a cursor or without."""
        seat = self.rng.choice([self.rng.randrange(len(self.plan.seats)), self.viewer or 0])
        last = self.one.table.feed.last
        cursor = self.rng.choice((None, self.rng.randint(0, last), last, last + 9))
        only, away = self.rng.random() < 0.3, self.rng.choice((0.0, 0.3))
        for world in self._worlds:
            if seat in world.streams:
                world.now(partial(world.hang_up, seat))
            world.pass_time(away)
            world.now(partial(world.dial, seat, cursor=cursor, decisions_only=only))
        return True

    def _ask_about(self) -> bool:
        """The viewer and a spectator call."""
        for world in self._worlds:
            for token in ("", *([] if self.viewer is None else [str(self.viewer)])):
                world.call("GetTable", table_service_pb2.GetTableRequest(table_id=TABLE), token)
                world.call("ListTables", table_service_pb2.ListTablesRequest(), token)
        return True

    def _watch_anew(self) -> bool:
        last = self.rng.choice((0, self.rng.randint(0, self.one.table.feed.last)))
        for world in self._worlds:
            world.now(partial(world.watch, "spectator", "", last=last))
            if self.viewer is not None:
                world.now(partial(world.watch, "own", str(self.viewer), own_view=True, last=last))
        return True

    def _wait(self) -> bool:
        """Time passes: reactions are missed, a clock may run out, a seat may be removed."""
        seat, leaves = self.rng.randrange(len(self.plan.seats)), self.rng.random() < 0.2
        seconds = self.rng.choice((0.6, 4.0))
        for world in self._worlds:
            if leaves and seat != self.viewer:
                world.now(partial(world.hosting.host.remove_seat, world.table, seat, LeaveCause.REMOVED))
            world.pass_time(seconds)
        return True


def _public(event: Event) -> Event:
    """An event without any field that may hold cards of a hand; told apart from `rules.view`, which is on trial."""
    hidden = {name: () for name in ("cards", "hand", "hands") if name in event._fields}
    return event._replace(**hidden) if hidden else event


def _known(state: State, viewer: int) -> Any:
    return {seat: sorted(faces) for seat, faces in state.known.get(viewer, {}).items() if faces}
