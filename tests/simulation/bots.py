"""What the bots of a simulation do, and do wrong.

Here: `Habits`, from the flawless bot to the one that does everything wrong, and wrong answers. Not here: the network
between bot and table (`world`).
"""

from dataclasses import dataclass
from random import Random

from lastcard.rules.actions import Action, Kind, catch, play


@dataclass(frozen=True, slots=True)
class Habits:
    """How likely a bot does something; all 0 is a flawless one."""

    never_comes: float = 0.0
    """Does not turn up at all."""
    ignores: float = 0.0
    """Does not answer a decision."""
    late: float = 0.0
    """Answers after the deadline."""
    wrong: float = 0.0
    """Answers something that is refused; tries again or gives up."""
    strays: float = 0.0
    """Sends an answer to a decision that is closed, another's, or nobody's."""
    repeats: float = 0.0
    """Sends its answer a second time."""
    drops: float = 0.0
    """Loses its connection, and perhaps comes back."""
    leaves: float = 0.0
    """Leaves the match."""
    catches: float = 0.0
    """Accuses whoever comes to mind."""


FLAWLESS = Habits()
CLUMSY = Habits(wrong=0.05, strays=0.05, repeats=0.2, catches=0.05)
SLOW = Habits(ignores=0.05, late=0.05, repeats=0.05)
SHAKY = Habits(drops=0.05, repeats=0.1, ignores=0.02)
ROTTEN = Habits(0.1, 0.1, 0.1, 0.2, 0.2, 0.3, 0.1, 0.01, 0.2)
DEAD = Habits(ignores=1.0)

KINDS = (FLAWLESS, FLAWLESS, CLUMSY, SLOW, SHAKY, ROTTEN, DEAD)


def wrong_action(random: Random, seat: int, hand: bytes) -> Action:
    """An action that nobody in his right mind would send; a card of the hand may happen to fit."""
    held = random.choice(hand or b"\1")
    return random.choice(
        (
            play(held),
            play(held, color=random.randrange(6), target=random.randrange(-1, 12)),
            Action(Kind.JUMP_IN, held),
            play(random.choice((13, 14, 77, 200, 255))),
            play(random.randrange(16, 76), color=random.randrange(6), target=random.randrange(-1, 12)),
            Action(Kind.JUMP_IN, random.randrange(80)),
            Action(Kind.PASS),
            Action(Kind.KEEP),
            Action(Kind.UNO),
            Action(Kind.LEAVE, 5),
            Action(Kind.TIMEOUT),
            Action(99),
            Action(0),
            Action(Kind.CHOOSE_COLOR, 0, 9),
            catch(seat),
            catch(random.randrange(-3, 300)),
        )
    )
