"""Luck at cards, by seat: what the cards that a seat was dealt and drew were worth beyond what was to be expected.

Here: `luck_of`. Not here: what it does to a score (`adjustment`). May import `lastcard.rules`.

Each card that comes to a seat counts what it is worth, less the mean of that over all cards that it could have been:
those of the deck for the deal, those in the draw pile at that moment for a draw. Every card of the pile is equally
likely to come next, whatever has been played so far (architecture: draw orders), also where each seat draws in an order
of its own. So the expected luck of a game is exactly 0, however the bots play and whenever they draw; the only thing
that it asks is that nobody knows what lies in the pile. What the cards are said to be worth decides how much luck
explains, not whether it is fair.

Pile and discards are kept as counts of faces, so that a game whose colours were renamed is counted as any other.
"""

from collections.abc import Callable, Iterable, Sequence
from math import comb
from typing import Any

from lastcard.rules.cards import (
    DRAW_TWO,
    FIRST_COLORED,
    NO_COLOR,
    REVERSE,
    SKIP,
    WILD,
    WILD_DRAW_FOUR,
    color_of,
    is_wild,
    rank_of,
)
from lastcard.rules.events import (
    CardPlayed,
    CardsDrawn,
    ColorChosen,
    DrawCause,
    Event,
    PileRebuilt,
    RoundStarted,
    SeatLeft,
    StartCardTurned,
)
from lastcard.rules.ruleset import Ruleset, may_start

WORTH = {WILD: 5, WILD_DRAW_FOUR: 6, DRAW_TWO: 2, SKIP: 1, REVERSE: 1}
"""What a card is worth by its rank, numbers nothing; from a regression of the win on what the shipped bots drew."""

FITS = 2
"""What a card with a colour is worth more when it is drawn at a turn and fits the top card, so that no turn is lost."""

DIGITS = 6
"""Digits behind the point to which luck is rounded."""

_FACES = 80  # faces are below this
_NO_RANK = 15


def luck_of(events: Iterable[Event], rules: Ruleset, seats: int) -> tuple[tuple[float, float], ...]:
    """The luck of each seat with the cards that it was dealt and with those that it drew, over all rounds of a game.

    `events` are all events of the game, in which no hands are hidden.

    Raises:
        ValueError: a card was drawn that cannot have been in the pile under these rules.
    """
    luck = _Luck(rules, seats)
    for event in events:
        handler = _HANDLERS.get(type(event))
        if handler is not None:
            handler(luck, event)
    return tuple(
        (round(dealt, DIGITS) + 0.0, round(drawn, DIGITS) + 0.0)
        for dealt, drawn in zip(luck.dealt, luck.drawn, strict=True)
    )


class _Luck:
    """The cards of one game while its events are gone through."""

    def __init__(self, rules: Ruleset, seats: int) -> None:
        self.dealt = [0.0] * seats
        self.drawn = [0.0] * seats
        self._rules = rules
        self._deck = rules.deck()
        self._pile: list[int] = []
        self._rebuilt: list[int] | None = None
        """The pile that follows when this one is empty, known before the draw that needs it is."""
        self._discards: list[int] = []
        self._color = NO_COLOR
        self._top_rank = _NO_RANK

    def start_round(self, event: RoundStarted) -> None:
        self._pile = _counts(self._deck)
        self._rebuilt = None
        self._discards = []
        for _, hand in event.hands:
            for face in hand:
                self._take(face)
        mean = _mean_dealt(self._rules, self._deck, sum(event.hand_counts))
        for seat, hand in event.hands:
            self.dealt[seat] += sum(map(_worth, hand)) - len(hand) * mean

    def turn_start_card(self, event: StartCardTurned) -> None:
        if not event.put_back:
            self._take(event.card)
            self._discards.append(event.card)
            self._lies(event.card, color_of(event.card))

    def play(self, event: CardPlayed) -> None:
        self._discards.append(event.card)
        self._lies(event.card, event.color)

    def choose_color(self, event: ColorChosen) -> None:
        self._color = event.color

    def rebuild(self, event: PileRebuilt) -> None:
        self._rebuilt = _counts(self._discards[:-1])
        self._discards = self._discards[-1:]
        if sum(self._rebuilt) != event.count:
            raise ValueError(
                f"a pile was rebuilt from {event.count} cards, but there were {sum(self._rebuilt)} discards"
            )

    def leave(self, event: SeatLeft) -> None:
        if self._rules.leaver_cards == "to_discard":
            self._discards[:0] = event.cards

    def draw(self, event: CardsDrawn) -> None:
        at_turn = event.cause == DrawCause.TURN
        for face in event.cards:
            if self._rebuilt is not None and not any(self._pile):
                self._pile, self._rebuilt = self._rebuilt, None
            total = size = 0
            for other, count in enumerate(self._pile):
                if count:
                    size += count
                    total += count * self._worth_now(other, at_turn)
            self._take(face)
            self.drawn[event.seat] += self._worth_now(face, at_turn) - total / size

    def _worth_now(self, face: int, at_turn: bool) -> int:
        if at_turn and face >= FIRST_COLORED and (color_of(face) == self._color or rank_of(face) == self._top_rank):
            return _worth(face) + FITS
        return _worth(face)

    def _lies(self, face: int, color: int) -> None:
        self._color = color
        self._top_rank = _NO_RANK if is_wild(face) else rank_of(face)

    def _take(self, face: int) -> None:
        if not self._pile[face]:
            raise ValueError(f"face {face} came from the pile, where there was none left")
        self._pile[face] -= 1


_HANDLERS: dict[type, Callable[[_Luck, Any], None]] = {
    RoundStarted: _Luck.start_round,
    StartCardTurned: _Luck.turn_start_card,
    CardPlayed: _Luck.play,
    ColorChosen: _Luck.choose_color,
    PileRebuilt: _Luck.rebuild,
    SeatLeft: _Luck.leave,
    CardsDrawn: _Luck.draw,
}


def _worth(face: int) -> int:
    return WORTH.get(rank_of(face), 0)


def _counts(faces: Sequence[int]) -> list[int]:
    counts = [0] * _FACES
    for face in faces:
        counts[face] += 1
    return counts


def _mean_dealt(rules: Ruleset, deck: Sequence[int], dealt: int) -> float:
    """The expected worth of a dealt card.

    A deal that leaves no card to start with is dealt again (rules.md K30), so that this is not quite the mean of the
    deck where that can happen: with a deck most of which may not start.
    """
    starting = [_worth(face) for face in deck if may_start(rules, face)]
    other = [_worth(face) for face in deck if not may_start(rules, face)]
    mean = (sum(starting) + sum(other)) / len(deck)
    if len(starting) > dealt:
        return mean
    refused = comb(len(other), dealt - len(starting)) / comb(len(deck), dealt)
    refused_worth = (sum(starting) + (dealt - len(starting)) * (sum(other) / len(other) if other else 0)) / dealt
    return (mean - refused * refused_worth) / (1 - refused)
