"""The games of a stage: which bots sit where on which deal, and in what order the games are played.

Here: circular orders, rotations, blocks and the numbers of games, sets and deals, all as a pure function of the stage,
a key and a position, so that a run can be taken up anywhere. Not here: which compositions meet (`formats`), the cards
(`rules.shuffle`). May import the standard library and `formats.contract`.

A *set* is one deal for one composition of bots, played in every rotation of the seats; each set has a deal of its own,
so that sets are independent. From deal to deal the circular order of a composition changes, so that nobody always sits
before the same bot. A *block* is some deals of every composition; its games are scattered by the key, so that a bot
cannot tell when it sees a deal again, and a set is complete when its block is.
"""

import hmac
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

from lastcard.tournament.formats.contract import Stage

BLOCK_SETS = 8
"""A block holds at least so many sets: enough to hide which games share a deal, few enough to be complete soon."""

_WORD = 8  # bytes of the key's stream for one place


class Game(NamedTuple):
    """One game: its number in the order of play, set and deal (all from 1), rotation from 0, and who sits where."""

    game: int
    set: int
    deal: int
    rotation: int
    seats: tuple[str, ...]


class Schedule:
    """The games of one stage, by position.

    `first_game`, `first_set` and `first_deal` number its first ones; `key` (secret until the end, or the games that
    share a deal are known) scatters the rotations.
    """

    def __init__(
        self, stage: Stage, *, key: bytes, first_game: int = 1, first_set: int = 1, first_deal: int = 1
    ) -> None:
        self.stage = stage
        self.first_game = first_game
        self.first_set = first_set
        self.first_deal = first_deal
        self._key = key
        self._deals_a_block = -(-BLOCK_SETS // len(stage.compositions))
        self._games_a_deal = sum(len(composition) for composition in stage.compositions)
        self._block = lru_cache(maxsize=4)(self._make_block)

    def __len__(self) -> int:
        """How many games the stage has."""
        return self.stage.deals * self._games_a_deal

    def __iter__(self) -> Iterator[Game]:
        """All games in the order of play."""
        for number in range(self.blocks):
            yield from self._block(number)

    def __getitem__(self, position: int) -> Game:
        """The game at a position from 0 in the order of play.

        Raises:
            IndexError: there is no such position.
        """
        if not 0 <= position < len(self):
            raise IndexError(position)
        number, place = divmod(position, self._deals_a_block * self._games_a_deal)
        return self._block(number)[place]

    @property
    def sets(self) -> int:
        """How many sets the stage has."""
        return self.stage.deals * len(self.stage.compositions)

    @property
    def blocks(self) -> int:
        """How many blocks the stage has."""
        return -(-self.stage.deals // self._deals_a_block)

    def block(self, number: int) -> tuple[Game, ...]:
        """The games of the block with a number from 0, in the order of play."""
        return self._block(number)

    def _make_block(self, number: int) -> tuple[Game, ...]:
        first = number * self._deals_a_block
        deals = range(first, min(first + self._deals_a_block, self.stage.deals))
        games = [game for deal in deals for game in self._games_of(deal)]
        order = _scattered(len(games), self._key, number)
        first_game = self.first_game + first * self._games_a_deal
        return tuple(games[place]._replace(game=first_game + offset) for offset, place in enumerate(order))

    def _games_of(self, deal: int) -> Iterator[Game]:
        """The games of every composition's deal with a number from 0 in the stage; their own numbers come later."""
        for place, composition in enumerate(self.stage.compositions):
            offset = deal * len(self.stage.compositions) + place
            orders = circular_orders(len(composition))
            order = orders[deal % len(orders)]
            for rotation in range(len(order)):
                seats = tuple(composition[order[(seat + rotation) % len(order)]] for seat in range(len(order)))
                yield Game(0, self.first_set + offset, self.first_deal + offset, rotation, seats)


def stage_key(event_key: bytes, stage: int) -> bytes:
    """The key of a stage, numbered from 0, of an event."""
    return hmac.digest(event_key, b"lastcard/schedule\0" + stage.to_bytes(_WORD), "sha256")


@lru_cache(maxsize=16)
def circular_orders(size: int) -> tuple[tuple[int, ...], ...]:
    """Circular orders of 0 to size − 1 in which everybody sits before everybody else equally often.

    There are size − 1 of them for an odd size and twice as many for an even one (but one for 2). The first place is
    always number size − 1; the others zigzag through the whole numbers modulo size − 1, shifted by one from order to
    order, and for even sizes each order is followed by its reverse. Source: Walecki's decomposition of the complete
    graph into cycles (Lucas, Récréations mathématiques, 1883).
    """
    if size == 2:
        return ((1, 0),)
    modulus = size - 1
    zigzag = [(-1) ** (step + 1) * ((step + 1) // 2) for step in range(modulus)]
    orders: list[tuple[int, ...]] = []
    for shift in range(modulus):
        order = (modulus, *((step + shift) % modulus for step in zigzag))
        orders.append(order)
        if size % 2 == 0:
            orders.append((order[0], *reversed(order[1:])))
    return tuple(orders)


def _scattered(count: int, key: bytes, block: int) -> Sequence[int]:
    """The places 0 to count − 1 in an order that only who knows the key can tell."""

    def rank(place: int) -> bytes:
        return hmac.digest(key, block.to_bytes(_WORD) + place.to_bytes(_WORD), "sha256")

    return sorted(range(count), key=rank)
