"""Two arenas side by side whose games differ only in cards that one viewer cannot see.

Here: `Pair`, which plays both in step and compares every byte that the viewer gets: its stream, the calls by which it
and a spectator watch, and the answers to single calls. Not here: the arenas (`hidden_world`), which tables are played
(`property/test_leaks`).
"""

from functools import partial
from random import Random
from typing import Any

from hidden_world import TABLE, World
from lastcard.rules.actions import DRAW, Action, Kind, LeaveCause, catch, play
from lastcard.rules.cards import TEXT
from lastcard.rules.deal import start_round
from lastcard.rules.events import CardsDrawn, ChallengeResolved, Event, HandsMoved, RoundEnded, RoundStarted
from lastcard.rules.pile import SharedPile
from lastcard.rules.shuffle import SeededChance
from lastcard.rules.state import State
from lastcard.table.effects import Ask, DecisionKind
from lastcard.table.plan import TablePlan
from lastcard.v1 import table_pb2, table_service_pb2


class Pair:
    """The two arenas; `same` tells whether the games are still equal in all that the viewer may know."""

    def __init__(self, plan: TablePlan, viewer: int | None, rng: Random) -> None:
        self.rng = rng
        self._number = rng.random()
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
        # The same at every start of the server.
        rng = Random(f"{self._number} {chance.commitment.hex()}")
        seats = [seat for seat in state.active_seats() if seat != self.viewer]
        cards = [card for seat in seats for card in state.hands[seat]]
        rng.shuffle(cards)
        if chance.draws == "pile":
            order = [state.pile.draw(0) for _ in range(len(state.pile))]
            if self.viewer is None or rng.random() < 0.5:
                cards += order
                rng.shuffle(cards)
                order = [cards.pop() for _ in order]
            else:
                # From the bottom, so that what the viewer draws is the same for a long time.
                swapped = min(len(cards) // 2, len(order) // 3)
                for place in range(swapped):
                    cards[place], order[-1 - place] = order[-1 - place], cards[place]
                rng.shuffle(cards)
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
        often = {
            self._move: 60,
            self._wrong: 6,
            self._strange_number: 4,
            self._drop: 4,
            self._ask_about: 6,
            self._watch_anew: 2,
            self._wait: 3,
            self._restart: 2,
        }
        doing = self.rng.choices(list(often), list(often.values()))[0]
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
            if (shown and one != two) or self._own_cards(one) != self._own_cards(two):
                self.same = False
        if self.viewer is not None and _known(states[0], self.viewer) != _known(states[1], self.viewer):
            self.same = False
        if show and any(world.table.result is not None for world in self._worlds):
            self.same = False  # an open table has nothing to hide any more
        self.differs += [bytes(hand) for hand in states[0].hands] != [bytes(hand) for hand in states[1].hands]

    def _sees(self, event: ChallengeResolved) -> bool:
        reveal = self.plan.rules.challenge_reveal
        return reveal == "all" or self.viewer in (event.offender, event.challenger)

    def _own_cards(self, event: Event) -> tuple[int, ...]:
        """The viewer's own cards in an event; it may hold a hand for a moment that differs, and give it away again."""
        if isinstance(event, HandsMoved):
            return next((cards for seat, cards in event.hands if seat == self.viewer), ())
        return event.cards if isinstance(event, CardsDrawn) and event.seat == self.viewer else ()

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
            world.now(partial(world.watch_anew, last))
        return True

    def _restart(self) -> bool:
        """The servers die and start again; most bots come back at once, some later."""
        if self.over():
            return True
        seats = range(len(self.plan.seats))
        late = [seat for seat in seats if self.rng.random() < 0.2]
        last = self.rng.choice((0, self.one.table.feed.last))
        for world in self._worlds:
            world.die_and_start()
            for seat in (*(seat for seat in seats if seat not in late), *late):
                if seat in late:
                    world.pass_time(0.4)
                world.now(partial(world.dial, seat, cursor=last or None))
            world.now(partial(world.watch_anew, last))
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
