"""The games of a stage: which bots sit where on which deal, and in what order the games are played.

Here: circular orders, rotations, blocks and the numbers of games, sets and deals, all as a pure function of the stage,
a key and a position, so that a run can be taken up anywhere. Not here: which compositions meet (`formats`), the cards
(`rules.shuffle`). May import the standard library and `formats.contract`.

A *set* is one deal for one composition of bots, played in every rotation of the seats; each set has a deal of its own,
so that sets are independent. From deal to deal the circular order of a composition changes, so that nobody always sits
before the same bot. With `seats` "all" a set is played in every order of the seats instead, which is every rotation of
every circular order: k! games at a table of k. A *block* is some deals of every composition; its games are scattered by
the key, so that a bot cannot tell when it sees a deal again, and a set is complete when its block is. Without
duplicates each game of a set has a deal of its own, with the game's number: nothing is left to remember, and more games
are needed.
"""

import hmac
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import permutations
from math import factorial
from typing import Literal, NamedTuple, TypeVar, get_args

from lastcard.tournament.formats.contract import Stage

T = TypeVar("T")

Seats = Literal["rotations", "all"]
SEATS: tuple[str, ...] = get_args(Seats)
"""In which orders of the seats a deal is played: every rotation of one circular order, or every order."""

BLOCK_SETS = 8
"""A block holds at least so many sets: enough to hide which games share a deal, few enough to be complete soon."""

_PASSES = 12
"""So often compositions choose their circular orders, each knowing what the others chose, unless none chooses anew.

For a dozen bots at tables of four eight are enough; of thousands of tables the last passes change little."""

_WORD = 8  # bytes of the key's stream for one place


class Game(NamedTuple):
    """One game: its number in the order of play, set and deal (all from 1), rotation from 0, and who sits where.

    `rotation` numbers the orders of the seats in its set. `replaces` is the set in whose place its set is played, or 0.
    """

    game: int
    set: int
    deal: int
    rotation: int
    seats: tuple[str, ...]
    replaces: int = 0


class Schedule:
    """The games of one stage, by position.

    `first_game`, `first_set` and `first_deal` number its first ones; `key` (secret until the end, or the games that
    share a deal are known) scatters the games. `turns` says for each composition with which of its circular orders it
    begins, `replaces` in the place of which set its only one is played; without them all begin with the first, and
    nothing is replaced.
    """

    def __init__(
        self,
        stage: Stage,
        *,
        key: bytes,
        first_game: int = 1,
        first_set: int = 1,
        first_deal: int = 1,
        seats: Seats = "rotations",
        duplicates: bool = True,
        turns: Sequence[int] | None = None,
        replaces: Sequence[int] | None = None,
    ) -> None:
        self.stage = stage
        self.first_game = first_game
        self.first_set = first_set
        self.first_deal = first_deal
        self.seats = seats
        self._duplicates = duplicates
        self._turns = turns or (0,) * len(stage.compositions)
        self._replaces = replaces or (0,) * len(stage.compositions)
        self._key = key
        self._deals_a_block = deals_a_block(stage)
        self._games_a_deal = sum(games_a_set(len(composition), seats) for composition in stage.compositions)
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

    def circles(self) -> Iterator[tuple[tuple[str, ...], int]]:
        """Each circular order of each composition, and how many sets are played in it."""
        for place, composition in enumerate(self.stage.compositions):
            orders = circular_orders(len(composition))
            for number, order in enumerate(self._orders(len(composition))):
                behind = (number - self._turns[place]) % len(orders)
                sets = self.stage.deals if self.seats == "all" else -(-(self.stage.deals - behind) // len(orders))
                if sets > 0:
                    yield tuple(composition[seat] for seat in order), sets

    def turn_of(self, set_: int) -> int:
        """Which of the circular orders of its composition one of the sets is played in."""
        deal, place = divmod(set_ - self.first_set, len(self.stage.compositions))
        composition = self.stage.compositions[place]
        return (self._turns[place] + deal) % len(circular_orders(len(composition)))

    def composition_of(self, set_: int) -> tuple[str, ...]:
        """The bots of one of the sets."""
        return self.stage.compositions[(set_ - self.first_set) % len(self.stage.compositions)]

    def _make_block(self, number: int) -> tuple[Game, ...]:
        first = number * self._deals_a_block
        deals = range(first, min(first + self._deals_a_block, self.stage.deals))
        games = [game for deal in deals for game in self._games_of(deal)]
        order = _scattered(len(games), self._key, number)
        first_game = self.first_game + first * self._games_a_deal
        numbered = (games[place]._replace(game=first_game + offset) for offset, place in enumerate(order))
        return tuple(game if self._duplicates else game._replace(deal=game.game) for game in numbered)

    def _games_of(self, deal: int) -> Iterator[Game]:
        """The games of every composition's deal with a number from 0 in the stage; their own numbers come later."""
        for place, composition in enumerate(self.stage.compositions):
            offset = deal * len(self.stage.compositions) + place
            set_ = self.first_set + offset
            orders = self._orders(len(composition))
            if self.seats == "rotations":
                orders = (orders[self.turn_of(set_)],)
            turned = (order[rotation:] + order[:rotation] for order in orders for rotation in range(len(order)))
            for rotation, order in enumerate(turned):
                seats = tuple(composition[bot] for bot in order)
                yield Game(0, set_, self.first_deal + offset, rotation, seats, self._replaces[place])

    def _orders(self, size: int) -> tuple[tuple[int, ...], ...]:
        return circular_orders(size) if self.seats == "rotations" else all_circular_orders(size)


def deals_a_block(stage: Stage) -> int:
    """How many deals of each composition a block of a stage holds, but for its last."""
    return -(-BLOCK_SETS // len(stage.compositions))


def games_a_set(size: int, seats: Seats) -> int:
    """How many games a set has at a table of `size`."""
    return factorial(size) if seats == "all" else size


def balanced_turns(compositions: Sequence[Sequence[str]], deals: int, before: Counter[tuple[str, str]]) -> list[int]:
    """With which circular order each composition begins, so that everybody sits before everybody equally often.

    `before` counts the sets in which the first of two bots sat right before the second; the sets that begin here are
    added to it. Each composition takes the orders in which its pairs have sat least, and the first of equal ones; when
    all have taken theirs, each may choose again, a few times over.
    """
    turns = [0] * len(compositions)
    for again in range(_PASSES):
        changed = False
        for place, composition in enumerate(compositions):
            pairs = _pairs_in_order(composition)
            rest = deals % len(pairs)  # whole cycles are balanced in themselves
            if again:
                before.subtract(pair for step in range(rest) for pair in pairs[(turns[place] + step) % len(pairs)])
            counts = [sum(before[pair] for pair in each) for each in pairs]
            windows = [sum(counts[(turn + step) % len(pairs)] for step in range(rest)) for turn in range(len(pairs))]
            turn = windows.index(min(windows))
            changed |= turn != turns[place]
            turns[place] = turn
            before.update(pair for step in range(rest) for pair in pairs[(turn + step) % len(pairs)])
        if again and not changed:
            break
    return turns


def _pairs_in_order(composition: Sequence[str]) -> list[list[tuple[str, str]]]:
    """Who sits right before whom in each circular order of a composition."""
    return [
        [(composition[one], composition[other]) for one, other in neighbours(order)]
        for order in circular_orders(len(composition))
    ]


def neighbours(order: Sequence[T]) -> Iterator[tuple[T, T]]:
    """Each place of a circular order with the next."""
    return zip(order, (*order[1:], order[0]), strict=True)


def stage_key(event_key: bytes, number: int) -> bytes:
    """The key of the schedule with a number from 0 of an event."""
    return hmac.digest(event_key, b"lastcard/schedule\0" + number.to_bytes(_WORD), "sha256")


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


@lru_cache(maxsize=16)
def all_circular_orders(size: int) -> tuple[tuple[int, ...], ...]:
    """All circular orders of 0 to size − 1; with all their rotations they are all orders."""
    return tuple((0, *rest) for rest in permutations(range(1, size)))


def _scattered(count: int, key: bytes, block: int) -> Sequence[int]:
    """The places 0 to count − 1 in an order that only who knows the key can tell."""

    def rank(place: int) -> bytes:
        return hmac.digest(key, block.to_bytes(_WORD) + place.to_bytes(_WORD), "sha256")

    return sorted(range(count), key=rank)
