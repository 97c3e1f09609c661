"""How the bots' programs behave over an event: failures in a row, who is set aside, and how often what happened.

Here: counting, and the same as plain data. Not here: what a failure is (`director`), where the count is kept
(`event_state`). May import the standard library only.

The count belongs to the event and not to the process that runs it: it is on disk before anything follows from it, so
that a tournament that is killed and resumed neither forgives a failure nor adds one.

One trouble is one failure. A bot has several processes and is in several games at once, and whatever ails it shows in
all of them together; so what had begun before the last failure was counted, a program or a game, does not count again.
"""

from collections.abc import Mapping
from typing import Any, NamedTuple

MOST_FAILURES = 3
"""So many failures without a whole game between set a bot aside."""

STARTS, CRASHES, DISCONNECTS, FAILURES = "starts", "crashes", "disconnects", "failures"
"""What is counted of a bot: starts of its programs, their ends by themselves after they had connected, connections that
were lost and came back, and failures that counted."""

COUNTS = (STARTS, CRASHES, DISCONNECTS, FAILURES)


class Failure(NamedTuple):
    """A failure of a bot, the `in_a_row`-th without a whole game between; `aside` says why it plays no more, if so."""

    bot: str
    why: str
    in_a_row: int
    aside: str | None


class Conduct:
    """The failures of each bot; a bot that is set aside stays so to the end of the event."""

    def __init__(
        self,
        failures: Mapping[str, int] | None = None,
        aside: Mapping[str, str] | None = None,
        counts: Mapping[str, Mapping[str, int]] | None = None,
        games_ms: Mapping[str, int] | None = None,
    ) -> None:
        self._failures = dict(failures or {})
        self._aside = dict(aside or {})
        self._counts = {bot: dict(own) for bot, own in (counts or {}).items()}
        self._games_ms = dict(games_ms or {})
        """By bot: when the last game ended in which it failed."""
        self._troubles: dict[str, int] = {}
        """By bot: how often its programs have failed in this run of the event."""

    def failures(self, bot: str) -> int:
        """How often a bot has failed since its last whole game."""
        return self._failures.get(bot, 0)

    def aside(self, bot: str) -> str | None:
        """Why a bot plays no more, as in `set aside after …`; `None` while it does."""
        return self._aside.get(bot)

    def count(self, bot: str, what: str) -> int:
        """How often something has happened to a bot in the whole event: one of `COUNTS`."""
        return self._counts.get(bot, {}).get(what, 0)

    def note(self, bot: str, what: str) -> None:
        """Something has happened to a bot once more."""
        own = self._counts.setdefault(bot, {})
        own[what] = own.get(what, 0) + 1

    def fail(self, bot: str, why: str) -> Failure:
        """Count a failure of a bot that is not set aside."""
        in_a_row = self._failures[bot] = self.failures(bot) + 1
        self.note(bot, FAILURES)
        if in_a_row >= MOST_FAILURES:
            self._aside[bot] = f"set aside after {in_a_row} failures in a row, the last: {why}"
        return Failure(bot, why, in_a_row, self.aside(bot))

    def troubles(self, bot: str) -> int:
        """How often a bot's programs have failed by now: a program remembers it when it is started."""
        return self._troubles.get(bot, 0)

    def fail_program(self, bot: str, why: str, troubles: int) -> Failure | None:
        """Count a failure of one of a bot's programs, started when there had been so many `troubles`.

        `None` when another has been counted since, or the bot is set aside.
        """
        if troubles != self.troubles(bot) or self.aside(bot) is not None:
            return None
        self._troubles[bot] = troubles + 1
        return self.fail(bot, why)

    def fail_game(self, bot: str, why: str, began_ms: int, ended_ms: int) -> Failure | None:
        """Count a removal from a game; `None` when the game was on already when another ended like that."""
        if began_ms <= self._games_ms.get(bot, -1) or self.aside(bot) is not None:
            return None
        self._games_ms[bot] = ended_ms
        return self.fail(bot, why)

    def finish(self, bot: str) -> bool:
        """Count a game that a bot played to its end: failures before it are no longer in a row. Whether there were."""
        return self._failures.pop(bot, 0) > 0

    def as_dict(self) -> dict[str, dict[str, Any]]:
        """By bot, of those of which there is anything to tell."""
        told = sorted(self._failures.keys() | self._aside.keys() | self._counts.keys())
        return {
            bot: {
                "failures_in_a_row": self.failures(bot),
                "set_aside": self.aside(bot),
                **{what: self.count(bot, what) for what in COUNTS},
                "failed_until_ms": self._games_ms.get(bot, 0),
            }
            for bot in told
        }

    @classmethod
    def from_dict(cls, data: object) -> "Conduct":
        """What `as_dict` gave; of an older version the counts are missing.

        Raises:
            ValueError: a sentence on what is wrong.
        """
        failures: dict[str, int] = {}
        aside: dict[str, str] = {}
        counts: dict[str, dict[str, int]] = {}
        games_ms: dict[str, int] = {}
        bots = data.items() if isinstance(data, dict) else [("", None)]
        for bot, told in bots:
            facts = told if isinstance(told, dict) else {}
            count, why = facts.get("failures_in_a_row"), facts.get("set_aside")
            if not isinstance(count, int) or not (why is None or isinstance(why, str)):
                raise ValueError(f"bots: {bot!r} has no failures_in_a_row, or a set_aside that is no text")
            own = {what: facts.get(what, 0) for what in (*COUNTS, "failed_until_ms")}
            for what, number in own.items():
                if not isinstance(number, int) or number < 0:
                    raise ValueError(f"bots: {bot!r} has {number!r} {what}, not a whole number from 0")
            if until := own.pop("failed_until_ms"):
                games_ms[bot] = until
            if any(own.values()):
                counts[bot] = {what: number for what, number in own.items() if number}
            if count:
                failures[bot] = count
            if why is not None:
                aside[bot] = why
        return cls(failures, aside, counts, games_ms)
