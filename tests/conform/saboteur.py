"""What a saboteur is: a bot that is right but for one thing, and the names of the checks that must accuse it.

Here: `breaks`, `SABOTEURS`. Not here: the saboteurs (`saboteurs_of_…`).
"""

from collections.abc import Callable
from typing import NamedTuple

from conform.raw_bot import RightBot


class Saboteur(NamedTuple):
    """A bot that fails the check `breaks`, and `also` those of which it cannot break the one without the others."""

    bot: type[RightBot]
    breaks: str
    also: frozenset[str]


SABOTEURS: list[Saboteur] = []


def breaks(check: str, *, also: str = "") -> Callable[[type[RightBot]], type[RightBot]]:
    """Notes down a saboteur; `also` are names of checks with blanks between."""

    def note(bot: type[RightBot]) -> type[RightBot]:
        SABOTEURS.append(Saboteur(bot, check, frozenset(also.split())))
        return bot

    return note
