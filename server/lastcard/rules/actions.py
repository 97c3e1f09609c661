"""What a seat may do: actions as small immutable values, shared by all tables.

Here: the kinds and the `Action` tuple. Not here: which are legal now (`legality`), what they do (`apply`), their text
(`notation`). Imports only `cards`.
"""

from enum import IntEnum
from typing import NamedTuple

from lastcard.rules.cards import COLORS, NO_CARD, NO_COLOR


class Kind(IntEnum):
    """Kind of an action, numbered as on the wire; legal actions are ordered by it."""

    PLAY = 1
    DRAW = 2
    KEEP = 3
    ACCEPT = 4
    CHALLENGE = 5
    CHOOSE_COLOR = 6
    JUMP_IN = 7
    UNO = 8
    CATCH = 9
    PASS = 10
    LEAVE = 11
    TIMEOUT = 12


class LeaveCause(IntEnum):
    """Why a seat left the match, numbered as on the wire."""

    LEFT = 1
    TIMEOUTS = 2
    DISCONNECTED = 3
    START_UP = 4
    REMOVED = 5


NO_TARGET = -1


class Action(NamedTuple):
    """One thing a seat does; ordered as `legal_actions` are: kind, card, colour, target.

    `card` is a face, `color` the colour named for a wild, `target` a seat. For `LEAVE`, `color` is unused and `card`
    holds the `LeaveCause`.
    """

    kind: int
    card: int = NO_CARD
    color: int = NO_COLOR
    target: int = NO_TARGET


DRAW = Action(Kind.DRAW)
KEEP = Action(Kind.KEEP)
ACCEPT = Action(Kind.ACCEPT)
CHALLENGE = Action(Kind.CHALLENGE)
UNO = Action(Kind.UNO)
PASS = Action(Kind.PASS)
TIMEOUT = Action(Kind.TIMEOUT)
CHOOSE_COLOR: dict[int, Action] = {color: Action(Kind.CHOOSE_COLOR, NO_CARD, color) for color in COLORS}


def play(card: int, color: int = NO_COLOR, target: int = NO_TARGET) -> Action:
    """A play of the face `card`."""
    return Action(Kind.PLAY, card, color, target)


def jump_in(card: int, color: int = NO_COLOR, target: int = NO_TARGET) -> Action:
    """A play out of turn."""
    return Action(Kind.JUMP_IN, card, color, target)


def catch(target: int) -> Action:
    """An accusation that `target` forgot to call UNO."""
    return Action(Kind.CATCH, NO_CARD, NO_COLOR, target)


def leave(cause: LeaveCause = LeaveCause.LEFT) -> Action:
    """A seat's leaving for `cause`."""
    return Action(Kind.LEAVE, cause)
