"""Positions with reactions, reached by random play: rules of any preset with any options, 2 to 10 seats.

Here: `reaction_tables`, `Play`, `Window`, `answers_of`. Not here: what must be true (`property/test_reactions`).
"""

import pickle
from collections.abc import Iterator
from copy import copy
from dataclasses import replace
from itertools import permutations
from random import Random

from hypothesis import strategies as st

import random_games as games
from lastcard.rules.actions import Kind
from lastcard.rules.events import Event
from lastcard.rules.ruleset import Ruleset
from lastcard.table.commands import Answer, Command, DecisionSent, NextRound, Occupy
from lastcard.table.effects import Ask, DecisionKind, Effect, Happened, SeedWanted
from lastcard.table.machine import Table
from lastcard.table.setup import SeatRequest, TableSetup
from lastcard.table.timecontrol import TimeControl

CLOCK = TimeControl(limit_ms=1_000, bank_ms=5_000, reaction_ms=300, start_up_ms=30_000, grace_ms=10_000)

_JUMPS: list[dict[str, object]] = [{"jump_in": word} for word in ("off", "identical", "identical_incl_w4")]


@st.composite
def reaction_tables(draw: st.DrawFn, *, sealed: bool) -> TableSetup:
    """A table at which reactions are likely: small hands, so that calls are owed, and mostly jump-ins."""
    rules, players = draw(games.tables())
    chosen: dict[str, object] = {
        **draw(st.sampled_from([*_JUMPS, _JUMPS[2]])),
        "hand_size": draw(st.sampled_from([1, 2, 3])),
        "uno_catch_window": draw(st.sampled_from(["next_turn_action", "own_next_turn"])),
        "uno_penalty": draw(st.sampled_from([1, 2, 4])),
        "max_turns_per_round": 150,
        "match_end": "rounds",
        "match_rounds": 3,
        "uno_required": True,
    }
    return setup_of(replace(rules, **chosen), players, sealed=sealed, draws=draw(games.draw_orders))


def setup_of(rules: Ruleset, players: int, *, sealed: bool, draws: str = "pile") -> TableSetup:
    seats = tuple(SeatRequest(bot=f"bot{seat}") for seat in range(players))
    return TableSetup(rules=rules, seats=seats, salt=bytes(32), clock=CLOCK, sealed=sealed, draws=draws)


class Play:
    """One table with everybody there; `log` holds the commands with their times, by which it can be set up again."""

    def __init__(self, setup: TableSetup, log: list[tuple[Command, int]] | None = None) -> None:
        self.table = Table(setup)
        self.log: list[tuple[Command, int]] = []
        self.told: list[Effect] = []
        self.now = 0
        self._settled = 0
        """How many of the effects `settle` has looked at."""
        if log is not None:
            for command, now in log:
                self.do(command, now)

    def do(self, command: Command, now: int | None = None) -> list[Effect]:
        """Hands a command over at a time, or at the present one."""
        self.now = self.now if now is None else now
        self.log.append((command, self.now))
        effects = self.table.handle(command, self.now)
        self.told += effects
        return effects

    def begin(self) -> None:
        """Seats everybody."""
        for seat, request in enumerate(self.table.setup.seats):
            self.do(Occupy(seat, request.bot))

    def settle(self, rng: Random) -> None:
        """Sends what is asked and deals what is wanted, until nothing but answers is waited for."""
        while self._settled < len(self.told):
            effect = self.told[self._settled]
            self._settled += 1
            if isinstance(effect, SeedWanted) and effect.round == self.table.state.round + 1:
                self.do(NextRound(rng.randbytes(32)))
        for seat in range(self.table.state.players):
            for ask in self.table.open_decisions(seat, self.now):
                self.do(DecisionSent(seat, ask.decision_id))

    def open(self) -> list[Ask]:
        """All open decisions, by seat."""
        return [ask for seat in range(self.table.state.players) for ask in self.table.open_decisions(seat, self.now)]

    def reactions(self) -> list[Ask]:
        """The open reactions, by seat."""
        return [ask for ask in self.open() if ask.kind == DecisionKind.REACTION]

    def events(self, since: int = 0) -> list[Event]:
        """What has happened since a number of effects."""
        return [event for effect in self.told[since:] if isinstance(effect, Happened) for event in effect.events]

    def again(self, length: int | None = None) -> "Play":
        """The same table anew, as it was after so many commands."""
        return Play(self.table.setup, self.log[:length])


class Window:
    """A position in which reactions are open: the commands that led to it, carried out once."""

    def __init__(self, setup: TableSetup, log: list[tuple[Command, int]]) -> None:
        self._play = Play(setup, log)
        self._table = pickle.dumps(self._play.table)

    def play(self) -> Play:
        """The table in this position, to go on with; another one each time."""
        play = copy(self._play)
        play.table, play.log, play.told = pickle.loads(self._table), [*play.log], [*play.told]  # noqa: S301 - our own
        return play


def windows(setup: TableSetup, rng: Random, most: int = 4, steps: int = 80) -> list[Window]:
    """Some positions with open reactions out of one random match."""
    play = Play(setup)
    play.begin()
    found: list[list[tuple[Command, int]]] = []
    known: set[int] = set()
    for _ in range(steps):
        play.settle(rng)
        if play.table.closed is not None:
            break
        reactions = play.reactions()
        fresh = {ask.decision_id for ask in reactions} - known
        if fresh:
            known |= fresh
            found.append(play.log[:])
        asks = play.open()
        assert asks, "nobody is asked anything"
        if setup.sealed and reactions:
            for ask in reactions:
                play.do(answer_to(ask, play.now, rng, play.table.state.players))
        else:
            turn = [ask for ask in asks if ask.kind != DecisionKind.REACTION]
            ask = rng.choice(reactions) if reactions and rng.random() < 0.4 else rng.choice(turn)
            play.do(answer_to(ask, play.now, rng, play.table.state.players))
        play.now += 1
    rng.shuffle(found)
    return [Window(setup, log) for log in found[:most]]


def answer_to(ask: Ask, now: int, rng: Random, players: int, *, calls: float = 0.4) -> Answer:
    """Some answer that a decision offers; catches of anybody may ride on it."""
    plays = [action for action in ask.legal_actions if action.kind in (Kind.PLAY, Kind.JUMP_IN)]
    action = rng.choice(plays if plays and rng.random() < 0.7 else ask.legal_actions)
    catches: tuple[int, ...] = ()
    if rng.random() < 0.4:
        catches = tuple(rng.sample(range(players), rng.randint(1, min(3, players))))
    return Answer(ask.seat, ask.decision_id, None, action, rng.random() < calls, catches, now)


def answers_of(play: Play, rng: Random) -> list[Answer]:
    """An answer of each seat that is asked for a reaction."""
    return [answer_to(ask, play.now, rng, play.table.state.players) for ask in play.reactions()]


def orders(count: int, rng: Random, most: int = 12) -> Iterator[list[int]]:
    """All orders of so many things, or some when there are too many."""
    if count <= 3:
        yield from map(list, permutations(range(count)))
        return
    yield list(range(count - 1, -1, -1))
    for _ in range(most - 1):
        order = list(range(count))
        rng.shuffle(order)
        yield order
