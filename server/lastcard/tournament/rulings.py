"""What a fault means for a bot: rulings as data, and how they change a game's outcome.

Here: the kinds of fault, what can follow from one, the default rulings and the outcome after them. Not here: how faults
come about (`table`, `director`), what becomes of sets (`judging`), what a game counts (`scoring`). May import the
standard library only.

The ledger keeps what happened at the table; a ruling never changes a row, only what is computed from it.
"""

from collections import Counter
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
    """What follows for the bot that is at fault, and for the set."""

    STANDS = "stands"
    LOSS = "loss"
    PENALTY = "penalty"
    REPLAY = "replay"
    VOID = "void"


class Policy(NamedTuple):
    """What follows from a kind of fault; `points` are those of a penalty."""

    ruling: Ruling
    points: int = 0


Rulings = Mapping[Fault, Policy]

DEFAULT_RULINGS: Rulings = MappingProxyType(
    {
        # The table has charged these two already: the turn is lost, and after max_timeouts the seat (rules.md C80).
        Fault.TIMEOUT: Policy(Ruling.STANDS),
        Fault.REFUSALS: Policy(Ruling.STANDS),
        Fault.DISCONNECT: Policy(Ruling.LOSS),
        Fault.START_UP: Policy(Ruling.LOSS),
        Fault.CRASH: Policy(Ruling.LOSS),
        Fault.LEFT: Policy(Ruling.LOSS),
    }
)
"""The rulings of a tournament whose file says nothing."""

MEANINGS: Mapping[Ruling, str] = MappingProxyType(
    {
        Ruling.STANDS: "the result stands as played",
        Ruling.LOSS: "the bot ranks behind all bots without such a fault, and never wins the game",
        Ruling.PENALTY: "the bot is charged so many points for each such fault",
        Ruling.REPLAY: "a loss for the bot; for the others the whole set is played again on a fresh deal",
        Ruling.VOID: "a loss for the bot; for the others the whole set counts for nothing",
    }
)
"""What each ruling does, in words."""

COSTS_THE_GAME = frozenset({Ruling.LOSS, Ruling.REPLAY, Ruling.VOID})
"""The rulings under which the bot at fault loses the game.

Were it otherwise with a set that is played again or void, a bot that does badly could do better by crashing.
"""

FORFEITED = "forfeited: "
"""How the evidence begins of a fault by which a bot forfeits a game because it plays no more in the event."""


class Outcome(NamedTuple):
    """A game after the rulings, by seat: places from 1 (equal ones are shared), points, lost by a ruling, penalties.

    The points are those after penalties.
    """

    places: tuple[int, ...]
    points: tuple[int, ...]
    lost: tuple[bool, ...]
    penalties: tuple[int, ...]


def outcome(
    places: Sequence[int],
    points: Sequence[int],
    faults: Sequence[tuple[int, str]],
    *,
    fewest_points_win: bool = False,
    loss_points: int = 0,
    rulings: Rulings = DEFAULT_RULINGS,
) -> Outcome:
    """The outcome of a game with `faults`, pairs of seat and kind.

    Seats that lose by a ruling keep their order among themselves, behind all others, but those that never turned up
    share the last place, because nothing tells them apart. The points of all of them are 0; where few points are good
    they are the most of the table, and at least `loss_points`. Penalties change points, never places.

    Raises:
        ValueError: a fault of an unknown kind.
    """
    if not faults:
        nobody, nothing = (False,) * len(places), (0,) * len(places)
        return Outcome(tuple(places), tuple(points), nobody, nothing)
    guilty: set[int] = set()
    charged: Counter[int] = Counter()
    for seat, kind in faults:
        ruling, charge = rulings[Fault(kind)]
        charged[seat] += charge
        if ruling in COSTS_THE_GAME:
            guilty.add(seat)
    absent = {seat for seat, kind in faults if kind == Fault.START_UP and seat in guilty}
    seats = range(len(places))
    keys = [(seat in guilty, seat in absent, 0 if seat in absent else places[seat]) for seat in seats]
    worst = max(*points, loss_points) if fewest_points_win else 0
    sign = 1 if fewest_points_win else -1
    return Outcome(
        places=tuple(1 + sum(other < key for other in keys) for key in keys),
        points=tuple((worst if seat in guilty else points[seat]) + sign * charged[seat] for seat in seats),
        lost=tuple(seat in guilty for seat in seats),
        penalties=tuple(charged[seat] for seat in seats),
    )
