"""Chance that gives again what a record says was dealt and drawn, for records whose seeds are not revealed yet.

Here: `RecordedChance`. Not here: the seeded chance (`shuffle`), the replay that uses it (`replay`). Imports `cards`,
`events`, `purposes` and `state`.

It looks ahead into the events of its round and serves orders in which the recorded cards come up where they were
recorded. A card that cannot have been there, because no such card was left, is replaced by another, so that the replay
departs from the record in exactly that event.
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence

from lastcard.rules import purposes
from lastcard.rules.cards import NO_CARD, NO_COLOR, SKIP, rank_of
from lastcard.rules.events import CardsDrawn, ColorChosen, Event, RoundStarted, StartCardTurned
from lastcard.rules.state import State


class _Pool:
    """Cards to be given out by face, each once."""

    def __init__(self, ids: Iterable[int], faces: bytes) -> None:
        self._faces = faces
        self._left: dict[int, list[int]] = defaultdict(list)
        for card in sorted(ids, reverse=True):
            self._left[faces[card]].append(card)

    def take(self, face: int) -> int | None:
        """A card of this face, or none when there is none left."""
        left = self._left[face]
        return left.pop() if left else None

    def rest(self) -> list[int]:
        """The cards left, numbers first, since those may always lie as start card."""
        cards = [card for left in self._left.values() for card in left]
        return sorted(cards, key=lambda card: (rank_of(self._faces[card]) >= SKIP, card))

    def order(self, wanted: Iterable[int]) -> list[int]:
        """All cards, the `wanted` faces first; another card stands for one that there is not."""
        taken = [self.take(face) for face in wanted]
        rest = iter(self.rest())
        chosen = [next(rest, None) if card is None else card for card in taken]
        return [card for card in chosen if card is not None] + list(rest)


class RecordedChance:
    """The chance of one round as its `events` tell it; `first_player` is the lot that no event names."""

    def __init__(self, state: State, events: Sequence[Event], draws: str, first_player: int = 0) -> None:
        started = events[0]
        assert isinstance(started, RoundStarted)
        self.draws = draws
        self.commitment = started.commitment
        self._state = state
        self._started = started
        self._first_player = first_player
        self._starts = [event.card for event in events if isinstance(event, StartCardTurned)]
        self._drawn = [(event.seat, face) for event in events if isinstance(event, CardsDrawn) for face in event.cards]
        """Seats and faces in the order in which cards were drawn in this round."""
        self._served = 0
        """How many of them come before the pile that is built now."""
        self._pile_end = 0
        """How many of them are over when that pile is empty."""
        self._server_color = next(
            (event.color for event in events if isinstance(event, ColorChosen) and event.by_server), NO_COLOR
        )
        self._seat_orders: dict[str, dict[int, list[int]]] = {}

    def shuffled(self, purpose: str, items: Sequence[int]) -> list[int]:
        """The items in an order that leads to the recorded cards."""
        use, _, number = purpose.partition("/")
        match use:
            case "seat":
                building, _, seat = number.partition("/")
                return self._seat_order(building, int(seat), items)
            case "high-card":
                return self._high_card(items)
            case "rebuild":
                self._served = self._pile_end
                return self._pile_order(items, [])
            case "flip":
                return self._pile_order(items, self._starts[int(number) :][:1])
            case _:
                return self._deal(items)

    def uniform(self, purpose: str, n: int) -> int:
        """The lot that leads to what was recorded."""
        if purpose == purposes.FIRST_DEALER:
            seats = self._state.active_seats()
            return seats.index(self._started.dealer) if self._started.dealer in seats else 0
        if purpose == purposes.FIRST_PLAYER:
            return self._first_player % n
        return (self._server_color - 1) % n

    def _deal(self, items: Sequence[int]) -> list[int]:
        """Hands are dealt card by card from the lowest active seat; then comes the start card, then the pile."""
        hands = dict(self._started.hands)
        seats = self._state.active_seats()
        size = self._state.rules.hand_size
        dealt = [
            hand[index] if index < len(hand := hands.get(seat, ())) else NO_CARD
            for index in range(size)
            for seat in seats
        ]
        if len(self._starts) > 1:
            # A start card was put back: the pile that is drawn from comes from the last flip.
            return _Pool(items, self._state.faces).order(dealt + self._starts[:1])
        return self._pile_order(items, dealt + self._starts)

    def _pile_order(self, items: Sequence[int], first: list[int]) -> list[int]:
        """`first`, then what was drawn from this pile, where one order serves all seats."""
        wanted = list(first)
        if self.draws == "pile":
            self._pile_end = self._served + len(items) - len(first)
            wanted += [face for _, face in self._drawn[self._served : self._pile_end]]
        return _Pool(items, self._state.faces).order(wanted)

    def _seat_order(self, building: str, seat: int, deck: Sequence[int]) -> list[int]:
        """What the seat drew from this pile, then the rest of the deck."""
        if building not in self._seat_orders:
            self._seat_orders[building] = self._share_out()
        mine = self._seat_orders[building].get(seat, [])
        return mine + [card for card in deck if card not in mine]

    def _share_out(self) -> dict[int, list[int]]:
        """The cards that each seat drew from the pile as it lies now, before the first was drawn from it."""
        cards = self._state.pile.ids()
        pool = _Pool(cards, self._state.faces)
        orders: dict[int, list[int]] = defaultdict(list)
        for seat, face in self._drawn[self._served : self._served + len(cards)]:
            card = pool.take(face)
            if card is not None:
                orders[seat].append(card)
        self._served += len(cards)
        return orders

    def _high_card(self, deck: Sequence[int]) -> list[int]:
        """The recorded dealer draws the highest number, the others the lowest (M3)."""
        faces = self._state.faces
        by_value = sorted(deck, key=lambda card: (rank_of(faces[card]) if rank_of(faces[card]) < SKIP else 0, card))
        seats = self._state.active_seats()
        order = by_value[: len(seats)]
        if self._started.dealer in seats:
            order[seats.index(self._started.dealer)] = by_value[-1]
        return order
