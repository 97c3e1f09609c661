"""Who plays at a seat, as the outside is told.

Here: `SeatState`. Not here: how it comes about (`machine`). Imports nothing of ours.
"""

from enum import IntEnum
from typing import NamedTuple


class SeatStatus(IntEnum):
    """Who plays at a seat, numbered as on the wire."""

    OPEN = 1
    RESERVED = 2
    PRESENT = 3
    AWAY = 4
    LEFT = 5


class SeatState(NamedTuple):
    """A seat's occupant: name (empty while open), builtin (empty for others) and status."""

    name: str
    builtin: str
    status: SeatStatus
