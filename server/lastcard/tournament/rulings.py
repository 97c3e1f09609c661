"""What a fault means for a bot: rulings as data, and how they change a game's outcome.

Here: the kinds of fault, the default rulings and the outcome after them. Not here: how faults come about (`table`,
`director`), what a figure makes of an outcome (`statistics`). May import the standard library only.

The ledger keeps what happened at the table; a ruling never changes a row, only what is computed from it.
"""

from collections.abc import Mapping, Sequence
from enum import StrEnum
from types import MappingProxyType
from typing import NamedTuple


class Fault(StrEnum):
    """What went wrong with a bot in a game."""

    TIMEOUT = "timeout"
    REFUSALS = "refusals"
    DISCONNECT = "disconnect"
    START_UP = "start_up"
    CRASH = "crash"
    LEFT = "left"


class Ruling(StrEnum):
    """What follows for the bot that is at fault."""

    STANDS = "stands"
    LOSS = "loss"


Rulings = Mapping[Fault, Ruling]

DEFAULT_RULINGS: Rulings = MappingProxyType(
    {
        # The table has charged these two already: the turn is lost, and after max_timeouts the seat (rules.md C80).
        Fault.TIMEOUT: Ruling.STANDS,
        Fault.REFUSALS: Ruling.STANDS,
        Fault.DISCONNECT: Ruling.LOSS,
        Fault.START_UP: Ruling.LOSS,
        Fault.CRASH: Ruling.LOSS,
        Fault.LEFT: Ruling.LOSS,
    }
)
"""The rulings of a tournament whose file says nothing."""

MEANINGS: Mapping[Ruling, str] = MappingProxyType(
    {
        Ruling.STANDS: "the result stands as played",
        Ruling.LOSS: "the bot ranks behind all bots without such a fault, and never wins the game",
    }
)
"""What each ruling does, in words."""


class Outcome(NamedTuple):
    """A game after the rulings: places from 1 (equal ones are shared), points, and who lost by a ruling, by seat."""

    places: tuple[int, ...]
    points: tuple[int, ...]
    lost: tuple[bool, ...]


def outcome(
    places: Sequence[int],
    points: Sequence[int],
    faults: Sequence[tuple[int, str]],
    *,
    fewest_points_win: bool = False,
    rulings: Rulings = DEFAULT_RULINGS,
) -> Outcome:
    """The outcome of a game with `faults`, pairs of seat and kind.

    Seats that lose by a ruling keep their order among themselves, behind all others, but those that never turned up
    share the last place, because nothing tells them apart. The points of all of them are the worst of the table, or 0
    where points are good.

    Raises:
        ValueError: a fault of an unknown kind.
    """
    guilty = {seat for seat, kind in faults if rulings[Fault(kind)] is Ruling.LOSS}
    absent = {seat for seat, kind in faults if kind == Fault.START_UP and seat in guilty}
    lost = tuple(seat in guilty for seat in range(len(places)))
    keys = [(lost[seat], seat in absent, 0 if seat in absent else place) for seat, place in enumerate(places)]
    worst = max(points, default=0) if fewest_points_win else 0
    return Outcome(
        places=tuple(1 + sum(other < key for other in keys) for key in keys),
        points=tuple(worst if lose else own for lose, own in zip(lost, points, strict=True)),
        lost=lost,
    )
