"""The draw pile in its two orders, and where chance comes from.

Here: `Chance` (what the rules ask of chance), `SharedPile`, `PerSeatPile`. Not here: the specified shuffle (`shuffle`),
when a card is drawn (`draw`). May import `purposes`. Piles hold card ids.
"""

from collections.abc import Iterable, Sequence
from typing import Protocol

from lastcard.rules.purposes import seat_order


class Chance(Protocol):
    """A round's chance: every use names its purpose, so that none depends on how often another was used."""

    @property
    def draws(self) -> str:
        """`pile` or `per_seat`."""

    @property
    def commitment(self) -> bytes:
        """What was published about it before the round: 32 bytes, or none for chance that nobody checks."""

    def shuffled(self, purpose: str, items: Sequence[int]) -> list[int]:
        """The items in a uniformly drawn order."""

    def uniform(self, purpose: str, n: int) -> int:
        """A uniformly drawn whole number from 0 to n - 1."""


class Pile(Protocol):
    """A draw pile."""

    def __len__(self) -> int:
        """Cards left."""

    def draw(self, seat: int) -> int:
        """The next card for a seat, taken off the pile; the pile is not empty."""

    def ids(self) -> list[int]:
        """The cards left, ascending."""

    def clone(self) -> "Pile":
        """A pile that draws the same and can be drawn from independently."""


class SharedPile:
    """One order for the whole pile, as on a real table; `order` holds the next card first."""

    __slots__ = ("_stack",)

    def __init__(self, order: Iterable[int]) -> None:
        self._stack = list(order)
        self._stack.reverse()

    def __len__(self) -> int:
        return len(self._stack)

    def draw(self, seat: int) -> int:  # noqa: ARG002 - every seat draws the same card
        """The next card, whoever draws."""
        return self._stack.pop()

    def ids(self) -> list[int]:
        """The cards left, ascending."""
        return sorted(self._stack)

    def clone(self) -> "SharedPile":
        """A pile that draws the same and can be drawn from independently."""
        copy = SharedPile(())
        copy._stack = self._stack.copy()
        return copy


class PerSeatPile:
    """Each seat draws the first card of its own secret order of the whole deck that is still in the pile.

    Orders are drawn when first needed; `building` counts the piles of a round from 1, so that a rebuilt pile has new
    orders (architecture: draw orders).
    """

    __slots__ = ("_building", "_chance", "_deck", "_left", "_orders")

    def __init__(self, ids: Iterable[int], chance: Chance, building: int, deck_size: int) -> None:
        self._left = set(ids)
        self._chance = chance
        self._building = building
        self._deck = range(deck_size)
        self._orders: dict[int, list[int]] = {}

    def __len__(self) -> int:
        return len(self._left)

    def draw(self, seat: int) -> int:
        """The first card of the seat's order that is still here."""
        order = self._orders.get(seat)
        if order is None:
            order = self._chance.shuffled(seat_order(self._building, seat), self._deck)
            order.reverse()
            self._orders[seat] = order
        left = self._left
        card = order.pop()
        while card not in left:
            card = order.pop()
        left.remove(card)
        return card

    def ids(self) -> list[int]:
        """The cards left, ascending."""
        return sorted(self._left)

    def clone(self) -> "PerSeatPile":
        """A pile that draws the same and can be drawn from independently."""
        copy = PerSeatPile(self._left, self._chance, self._building, len(self._deck))
        copy._orders = {seat: order.copy() for seat, order in self._orders.items()}
        return copy


def build_pile(order: Sequence[int], chance: Chance, building: int, deck_size: int) -> Pile:
    """The pile of the chance's kind: `order` counts for a shared pile only."""
    if chance.draws == "per_seat":
        return PerSeatPile(order, chance, building, deck_size)
    return SharedPile(order)
