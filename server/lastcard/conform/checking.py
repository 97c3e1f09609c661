"""What a check is, and how it ends.

Here: `Check`, `Level`, the decorator `check`, and `Failed` and `Skipped`, which a check raises. Not here: the checks
(`checks`), what they work with (`bench`, `talk`, `tables`), running them (`running`). Imports the bench's name alone.
"""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from lastcard.conform.bench import Bench

Run = Callable[["Bench"], Awaitable[str | None]]
"""What a check does: returns when the bot is right, with a note for the report or `None`."""


class Level(Enum):
    """How much a check counts."""

    REQUIRED = "required"
    """A bot that fails it loses games by it, or harms others."""
    RECOMMENDED = "recommended"
    """A bot that fails it plays, and worse than it could."""
    INFORMATIVE = "informative"
    """Says how a bot is; nothing about it is wrong."""


class Failed(AssertionError):
    """The bot is wrong; the sentence says what it did and what it should have done, with the values.

    `hangs_on` names the check that is about what it did not do, when this one could only begin after that.
    """

    def __init__(self, sentence: str, *, hangs_on: str = "") -> None:
        super().__init__(sentence)
        self.hangs_on = hangs_on


class Skipped(Exception):
    """The check says nothing about this bot; the sentence says why."""


@dataclass(frozen=True, slots=True)
class Check:
    """One thing that a bot must do.

    `title` completes "the bot …" and is what the report shows; `proves` says what it means in a game when it does not,
    `advice` what to do then.
    """

    name: str
    level: Level
    title: str
    proves: str
    advice: str
    run: Run
    gate: bool = False
    """Whether it is of no use to try anything else with a bot that fails it."""
    alone: bool = False
    """Whether it measures time, so that no other check may run beside it."""


def check(
    name: str, level: Level, title: str, *, proves: str, advice: str, gate: bool = False, alone: bool = False
) -> Callable[[Run], Check]:
    """Makes a check of a function; `name` is lower case with dashes, as for `--only`."""
    return lambda run: Check(name, level, title, proves, advice, run, gate, alone)
