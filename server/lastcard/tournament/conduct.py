"""How the bots' programs behave over an event: failures in a row, and who is set aside.

Here: counting, and the same as plain data. Not here: what a failure is (`director`), where the count is kept
(`event_state`). May import the standard library only.

The count belongs to the event and not to the process that runs it: it is on disk before anything follows from it, so
that a tournament that is killed and resumed neither forgives a failure nor adds one.
"""

from collections.abc import Mapping
from typing import Any, NamedTuple

MOST_FAILURES = 3
"""So many failures without a whole game between set a bot aside."""


class Failure(NamedTuple):
    """A failure of a bot, the `in_a_row`-th without a whole game between; `aside` says why it plays no more, if so."""

    bot: str
    why: str
    in_a_row: int
    aside: str | None


class Conduct:
    """The failures of each bot; a bot that is set aside stays so to the end of the event."""

    def __init__(self, failures: Mapping[str, int] | None = None, aside: Mapping[str, str] | None = None) -> None:
        self._failures = dict(failures or {})
        self._aside = dict(aside or {})

    def failures(self, bot: str) -> int:
        """How often a bot has failed since its last whole game."""
        return self._failures.get(bot, 0)

    def aside(self, bot: str) -> str | None:
        """Why a bot plays no more, as in `set aside after …`; `None` while it does."""
        return self._aside.get(bot)

    def fail(self, bot: str, why: str) -> Failure:
        """Count a failure of a bot that is not set aside."""
        in_a_row = self._failures[bot] = self.failures(bot) + 1
        if in_a_row >= MOST_FAILURES:
            self._aside[bot] = f"set aside after {in_a_row} failures in a row, the last: {why}"
        return Failure(bot, why, in_a_row, self.aside(bot))

    def finish(self, bot: str) -> bool:
        """Count a game that a bot played to its end: failures before it are no longer in a row. Whether there were."""
        return self._failures.pop(bot, 0) > 0

    def as_dict(self) -> dict[str, dict[str, Any]]:
        """By bot, of those of which there is anything to tell."""
        told = sorted(self._failures.keys() | self._aside.keys())
        return {bot: {"failures_in_a_row": self.failures(bot), "set_aside": self.aside(bot)} for bot in told}

    @classmethod
    def from_dict(cls, data: object) -> "Conduct":
        """What `as_dict` gave.

        Raises:
            ValueError: a sentence on what is wrong.
        """
        failures: dict[str, int] = {}
        aside: dict[str, str] = {}
        bots = data.items() if isinstance(data, dict) else [("", None)]
        for bot, facts in bots:
            count = facts.get("failures_in_a_row") if isinstance(facts, dict) else None
            why = facts.get("set_aside") if isinstance(facts, dict) else None
            if not isinstance(count, int) or not (why is None or isinstance(why, str)):
                raise ValueError(f"bots: {bot!r} has no failures_in_a_row, or a set_aside that is no text")
            if count:
                failures[bot] = count
            if why is not None:
                aside[bot] = why
        return cls(failures, aside)
