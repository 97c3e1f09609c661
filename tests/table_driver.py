"""A table machine under a test's hand: positions by notation, answers by notation, time as a number.

Here: `Driver`, `table_of`. Cards not named lie in the pile behind those that `pile` names, blue ones first, so that
what is drawn does not fit a red top card.
"""

from collections import Counter
from typing import TypeVar
from unittest.mock import patch

from lastcard.rules.actions import Action
from lastcard.rules.cards import FACES, classic_deck
from lastcard.rules.events import Event, TurnStarted
from lastcard.rules.notation import read_action, read_card
from lastcard.rules.ruleset import ruleset
from lastcard.rules.scenario_position import Position, build_state
from lastcard.rules.shuffle import SeededChance
from lastcard.rules.state import State
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
from lastcard.table.effects import Ask, DecisionKind, Effect, Happened, Receipt, SeedWanted, Verdict
from lastcard.table.machine import Table
from lastcard.table.setup import SeatRequest, TableSetup
from lastcard.table.timecontrol import TimeControl

SEED = b"seed" * 8
SALT = b"salt" * 8
CLOCK = TimeControl(limit_ms=1_000, bank_ms=5_000, reaction_ms=300, start_up_ms=30_000, grace_ms=10_000)

T = TypeVar("T")


class Driver:
    """One table; `told` holds all effects so far, `now` the time. Decisions are sent as soon as they are asked."""

    def __init__(
        self, *seats: str, preset: str = "official", clock: TimeControl = CLOCK, sealed: bool = False, **options: object
    ) -> None:
        requests = tuple(SeatRequest(bot=name) if name else SeatRequest() for name in seats)
        self.table = Table(
            TableSetup(rules=ruleset(preset, options), seats=requests, salt=SALT, clock=clock, sealed=sealed)
        )
        self.now = 0
        self.told: list[Effect] = []
        self.sends = True
        self._asked: dict[int, Ask] = {}

    @property
    def state(self) -> State:
        return self.table.state

    # ---------------------------------------------------------------- commands

    def do(self, command: Command) -> list[Effect]:
        """Hands a command over and follows its effects."""
        effects = self.table.handle(command, self.now)
        self.told += effects
        for effect in effects:
            if isinstance(effect, Ask):
                self._asked[effect.decision_id] = effect
                if self.sends:
                    self.sent(effect.seat)
        return effects

    def at(self, now: int) -> "Driver":
        """Moves the time on, without a tick."""
        assert now >= self.now
        self.now = now
        return self

    def tick(self, now: int) -> list[Effect]:
        return self.at(now).do(Tick())

    def sent(self, seat: int) -> None:
        """Reports all open decisions of a seat as sent."""
        for ask in self.table.open_decisions(seat):
            self.told += self.table.handle(DecisionSent(seat, ask.decision_id), self.now)

    def answer(
        self,
        seat: int,
        text: str | Action | int | None,
        *,
        decision: int | None = None,
        stamp: int | None = None,
        catch: tuple[int, ...] = (),
        credit: int = 0,
    ) -> Verdict:
        """Answers the open decision of a seat in the notation, as an action, or by index; returns the verdict."""
        choice, action, uno = None, None, False
        if isinstance(text, str):
            action, uno = read_action(text)
        elif isinstance(text, int):
            choice = text
        else:
            action = text
        number = self.asked(seat).decision_id if decision is None else decision
        received = self.now if stamp is None else stamp
        effects = self.do(Answer(seat, number, choice, action, uno, catch, received, credit))
        verdicts = [effect for effect in effects if isinstance(effect, Verdict)]
        assert len(verdicts) == 1
        return verdicts[0]

    def connect(self, seat: int) -> list[Effect]:
        return self.do(Connected(seat))

    def disconnect(self, seat: int) -> list[Effect]:
        return self.do(Disconnected(seat))

    def occupy_all(self) -> None:
        for seat, request in enumerate(self.table.setup.seats):
            self.do(Occupy(seat, request.bot or f"guest{seat}"))

    def leave(self, command: LeaveSeat) -> list[Effect]:
        return self.do(command)

    # -------------------------------------------------------------- looking up

    def open(self, seat: int) -> tuple[Ask, ...]:
        return self.table.open_decisions(seat, self.now)

    def asked(self, seat: int, kind: DecisionKind | None = None) -> Ask:
        """The only open decision of a seat (of a kind)."""
        found = [ask for ask in self.open(seat) if kind is None or ask.kind == kind]
        assert len(found) == 1, f"seat {seat} has the open decisions {found}"
        return found[0]

    def seats_asked(self) -> dict[int, DecisionKind]:
        """Kind of the open decision of each seat that has one."""
        return {ask.seat: ask.kind for seat in range(self.state.players) for ask in self.open(seat)}

    def all(self, kind: type[T]) -> list[T]:
        """All effects of a kind so far."""
        return [effect for effect in self.told if isinstance(effect, kind)]

    def last(self, kind: type[T]) -> T:
        return self.all(kind)[-1]

    def events(self, kind: type[T]) -> list[T]:
        """All events of a kind so far."""
        return [event for happened in self.all(Happened) for event in happened.events if isinstance(event, kind)]

    def receipt(self, seat: int) -> Receipt:
        receipt = self.table.last_receipt(seat)
        assert receipt is not None
        return receipt

    def hand(self, seat: int) -> Counter[int]:
        return Counter(self.state.hand_faces(seat))


def hand_of(text: str) -> Counter[int]:
    """A hand in the notation, to be compared."""
    return Counter(FACES[card] for card in text.split())


def table_of(
    *hands: str,
    top: str = "R5",
    pile: str = "",
    turn: int = 0,
    pending: int = 0,
    preset: str = "official",
    clock: TimeControl = CLOCK,
    sealed: bool = False,
    **options: object,
) -> Driver:
    """A running table in a position: hands and top card in the notation, everybody there, the turn's decision sent.

    `"*7"` is a hand of any seven cards. The match is of one round unless `options` say otherwise.
    """
    options.setdefault("match_end", "single_round")
    driver = Driver(*(f"bot{seat}" for seat in range(len(hands))), preset=preset, clock=clock, sealed=sealed, **options)
    driver.occupy_all()
    deal(driver, *hands, top=top, pile=pile, turn=turn, pending=pending)
    return driver


def deal(driver: Driver, *hands: str, top: str = "R5", pile: str = "", turn: int = 0, pending: int = 0) -> None:
    """Begins the round that is wanted in a position instead of from a shuffle."""
    wanted = driver.last(SeedWanted)
    position = _position(driver.table.setup, hands, top=top, pile=pile, turn=turn, pending=pending)

    def start_round(state: State, chance: SeededChance) -> list[Event]:
        built = build_state(position)
        for name in ("active", "totals", "strikes", "round_scores", "left_order", "rounds_won", "points_left"):
            setattr(built, name, getattr(state, name))
        for name in State.__slots__:
            setattr(state, name, getattr(built, name))
        state.round = wanted.round
        state.chance = chance
        return [TurnStarted(state.turn, 1)]

    with patch("lastcard.table.match.start_round", start_round):
        driver.do(NextRound(SEED))


def _position(setup: TableSetup, hands: tuple[str, ...], *, top: str, pile: str, turn: int, pending: int) -> Position:
    free = Counter(classic_deck())
    named = [[FACES[card] for card in hand.split()] if not hand.startswith("*") else None for hand in hands]
    on_pile = tuple(FACES[card] for card in pile.split())
    face, color = read_card(top)
    free.subtract([card for hand in named if hand is not None for card in hand])
    free.subtract([*on_pile, face])
    assert min(free.values()) >= 0, "a card is named more often than the deck holds it"
    rest = sorted(free.elements(), reverse=True)
    dealt = [
        tuple(rest.pop(0) for _ in range(int(text[1:]))) if cards is None else tuple(cards)
        for text, cards in zip(hands, named, strict=True)
    ]
    return Position(
        rules=setup.rules,
        out=(),
        hands=tuple(dealt),
        pile=on_pile,
        rest=tuple(rest),
        discard=((face, color or face >> 4),),
        flip=(),
        turn=turn,
        direction=1,
        dealer=len(hands) - 1,
        pending=pending,
        totals=(0,) * len(hands),
        chance=SeededChance(SEED, SALT, "pile"),
    )
