"""What a bot that remembers knows of a deal, and how it knows a deal again.

Here: `Sight` (what one seat saw of one game), `Deal` (what is known of a deal from all its games so far), `recognised`.
Not here: what is made of it at the table (`bot`).

All of it is in the colours of the first game on the deal; a later game is told in these colours by a renaming.
"""

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import permutations
from typing import NamedTuple

from lastcard.rules import events as ev
from lastcard.rules.cards import COLORS, FIRST_COLORED
from lastcard.rules.events import DrawCause, Event

Renaming = tuple[int, ...]
"""The new name of each colour, 0 for none first."""

PLAIN: Renaming = (0, *COLORS)
RENAMINGS: tuple[Renaming, ...] = tuple((0, *names) for names in permutations(COLORS))
HARDLY = 0.02
"""A renaming with a smaller share is not thought of any more."""
SURE = 0.8
"""How probable it must be that a game is on a known deal to be taken for it."""
UNKNOWN = 0


def renamed(face: int, names: Renaming) -> int:
    """A face in other colours."""
    return face if face < FIRST_COLORED else 16 * names[face >> 4] + (face & 15)


def inverse(names: Renaming) -> Renaming:
    """The renaming that takes this one back."""
    back = [0] * 5
    for color, name in enumerate(names):
        back[name] = color
    return tuple(back)


class Drawn(NamedTuple):
    """A card that a seat drew: its number among the seat's own draws, and among all."""

    own: int
    at: int


@dataclass
class Sight:
    """What a seat saw of the game that it plays: its own cards, and what all can see. Only first rounds are looked at.

    `pure` are the cards that a seat played before it drew any, so that they were dealt to it; `draws` the cards that it
    drew, by their number among its own draws, and `piled` by their number among all draws.
    """

    seat: int
    players: int
    start: int = UNKNOWN
    dealer: int = -1
    hand: tuple[int, ...] = ()
    pure: list[Counter[int]] = field(default_factory=list)
    played: list[Counter[int]] = field(default_factory=list)
    counts: list[int] = field(default_factory=list)
    drawn: list[int] = field(default_factory=list)
    draws: list[dict[int, int]] = field(default_factory=list)
    piled: dict[int, int] = field(default_factory=dict)
    owners: list[int] = field(default_factory=list)
    """Who drew each card of the first pile."""
    rebuilt: bool = False
    fresh: int = -1
    """The seat that has drawn one card and may play it now: a play is of that card."""
    courses: list[list[Drawn | int]] = field(default_factory=list)
    """What each seat did, in order: cards of the first pile drawn, faces played."""

    def __post_init__(self) -> None:
        players = range(self.players)
        self.pure, self.played = [Counter() for _ in players], [Counter() for _ in players]
        self.counts, self.drawn = [0] * self.players, [0] * self.players
        self.draws = [{} for _ in players]
        self.courses = [[] for _ in players]

    def see(self, events: Iterable[Event]) -> None:
        """Takes in what happened, hidden cards left out."""
        for event in events:
            match event:
                case ev.RoundStarted():
                    self.dealer, self.counts = event.dealer, list(event.hand_counts)
                    self.hand = dict(event.hands).get(self.seat, ())
                case ev.StartCardTurned() if not event.put_back:
                    self.start = event.card
                case ev.CardPlayed():
                    self._play(event.seat, event.card)
                case ev.CardsDrawn():
                    self._draw(event)
                case ev.PileRebuilt():
                    self.rebuilt = True
                case _:
                    pass

    def _play(self, seat: int, face: int) -> None:
        if self.fresh == seat and not self.rebuilt:
            self.draws[seat].setdefault(self.drawn[seat] - 1, face)
            self.piled.setdefault(len(self.owners) - 1, face)
        elif not self.drawn[seat]:
            self.pure[seat][face] += 1
        self.played[seat][face] += 1
        self.courses[seat].append(face)
        self.counts[seat] -= 1
        self.fresh = -1

    def _draw(self, event: ev.CardsDrawn) -> None:
        seat = event.seat
        if not self.rebuilt:
            for index, face in enumerate(event.cards):
                self.draws[seat][self.drawn[seat] + index] = face
                self.piled[len(self.owners) + index] = face
            at, mine = len(self.owners), self.drawn[seat]
            self.courses[seat] += [Drawn(mine + index, at + index) for index in range(event.count)]
            self.owners += [seat] * event.count
        self.drawn[seat] += event.count
        self.counts[seat] += event.count
        self.fresh = seat if event.cause == DrawCause.TURN and event.count == 1 else -1

    def dealt(self, seat: int) -> tuple[Counter[int], bool]:
        """What was dealt to a seat as far as it was seen, and whether that is all."""
        if seat == self.seat:
            return Counter(self.hand), True
        return self.pure[seat], not self.drawn[seat] and not self.counts[seat]


@dataclass
class Deal:
    """What is known of a deal: by seat the cards dealt (`whole` where all are) and drawn, and those of the pile."""

    number: int
    players: int
    start: int
    dealer: int
    hands: list[Counter[int]]
    whole: list[bool]
    draws: list[dict[int, int]]
    piled: dict[int, int]
    seed: bytes | None = None
    """What open records give away; all is then known, and told in plain colours."""
    games: int = 0
    sights: list[tuple[Sight, Renaming]] = field(default_factory=list)

    @classmethod
    def unknown(cls, number: int, players: int, start: int, dealer: int) -> "Deal":
        """A deal of which nothing but the start is known."""
        seats = range(players)
        return cls(
            number, players, start, dealer, [Counter() for _ in seats], [False] * players, [{} for _ in seats], {}
        )

    def learn(self, sight: Sight, names: Renaming) -> None:
        """Adds what was seen of another game, whose colours `names` renames to those of the deal."""
        self.games += 1
        self.sights.append((sight, names))
        for seat in range(self.players):
            seen, whole = sight.dealt(seat)
            cards = Counter({renamed(face, names): count for face, count in seen.items()})
            if whole and not self.whole[seat]:
                self.hands[seat], self.whole[seat] = cards, True
            elif not self.whole[seat]:
                self.hands[seat] |= cards
            for index, face in sight.draws[seat].items():
                self.draws[seat].setdefault(index, renamed(face, names))
        for index, face in sight.piled.items():
            self.piled.setdefault(index, renamed(face, names))
        for seat in range(self.players):
            if self.whole[seat]:
                self._conclude(sight, names, seat)

    def note_hand(self, seat: int, cards: Counter[int]) -> None:
        """Takes in what was dealt to a seat, which tells of earlier games what was not: what was drawn there."""
        if not self.whole[seat]:
            self.hands[seat], self.whole[seat] = cards, True
            for sight, names in self.sights:
                self._conclude(sight, names, seat)

    def _conclude(self, sight: Sight, names: Renaming, seat: int) -> None:
        """What a seat played that was not dealt to it, it had drawn: the first draw that may have been it."""
        held = self.hands[seat].copy()
        unknown: list[Drawn] = []
        for step in sight.courses[seat]:
            if isinstance(step, Drawn):
                if step.own in sight.draws[seat]:
                    held[renamed(sight.draws[seat][step.own], names)] += 1
                else:
                    unknown.append(step)
                continue
            face = renamed(step, names)
            if held[face]:
                held[face] -= 1
            elif unknown:
                drawn = unknown.pop(0)
                self.draws[seat].setdefault(drawn.own, face)
                self.piled.setdefault(drawn.at, face)


class Match(NamedTuple):
    """A known deal that a game is taken for, and the renamings of the game's colours to those of the deal that fit.

    They are the likeliest first, each with its share.
    """

    deal: Deal
    namings: tuple[tuple[Renaming, float], ...]

    @property
    def names(self) -> Renaming:
        """The likeliest renaming."""
        return self.namings[0][0]

    def told(self, faces: Iterable[int]) -> Counter[int] | None:
        """Faces of the game in the colours of the deal; none where they may be one thing or another."""
        cards = list(faces)
        found = [Counter(renamed(face, names) for face in cards) for names, _ in self.namings]
        return found[0] if all(one == found[0] for one in found) else None


def recognised(
    sight: Sight, deals: Sequence[Deal], faces: Sequence[int], *, canonical: bool, unseen: float
) -> Match | None:
    """The known deal that a game is on, by all that was seen of it so far; none when it is not clear.

    Every deal and, when `canonical`, every renaming of the colours is weighed by how likely it makes what was seen,
    against a deal that was never seen, which is `unseen` times as probable beforehand as each of the known ones.
    """
    held = Counter(faces)
    renamings = RENAMINGS if canonical else (PLAIN,)
    found: list[tuple[float, Deal, list[tuple[Renaming, float]]]] = []
    for deal in deals:
        if deal.dealer != sight.dealer or (deal.start & 15) != (sight.start & 15):
            continue
        weighed = [(names, _odds(sight, deal, names, held) / len(renamings)) for names in renamings]
        odds = sum(weight for _, weight in weighed)
        if odds:
            found.append((odds, deal, weighed))
    if not found:
        return None
    odds, deal, weighed = max(found, key=lambda one: one[0])
    if odds / (sum(one[0] for one in found) + unseen) <= SURE:
        return None
    shares = [(names, weight / odds) for names, weight in weighed if weight > odds * HARDLY]
    return Match(deal, tuple(sorted(shares, key=lambda pair: -pair[1])))


def _odds(sight: Sight, deal: Deal, names: Renaming, held: Counter[int]) -> float:
    """How much likelier the deal makes what was seen than a deal that was never seen; 0 where it contradicts."""
    if renamed(sight.start, names) != deal.start:
        return 0.0
    size = len(sight.hand)
    odds = deal.players * held.total() / held[deal.start]
    for seat in range(deal.players):
        seen, all_seen = sight.dealt(seat)
        cards = Counter({renamed(face, names): count for face, count in seen.items()})
        known, all_known = deal.hands[seat], deal.whole[seat]
        if all_seen and all_known:
            if cards != known:
                return 0.0
            odds /= _chance(cards, size, held)
        elif all_seen:
            if not known <= cards:
                return 0.0
            odds *= _chance(cards - known, size - known.total(), held - known) / _chance(cards, size, held)
        elif all_known:
            if not cards <= known:
                return 0.0
            odds /= min(1.0, _chance(cards, size, held))
    return odds


def _chance(cards: Counter[int], size: int, held: Counter[int]) -> float:
    """How likely it is that a hand of so many cards out of those `held` has these cards in it."""
    ways = math.prod(math.comb(held[face], count) for face, count in cards.items())
    total, some = held.total(), cards.total()
    return ways * math.comb(total - some, size - some) / math.comb(total, size)
