"""The bots that come with the server, played in process.

Here: `ShippedBuiltins`. Not here: how they choose (`lastcard_bot.bots`), when they are asked (`table.builtin_turns`).
They see what every bot sees: the bytes of a `Decision`.
"""

from typing import TYPE_CHECKING

from lastcard.services.wire.frames import body_of
from lastcard.v1 import table_pb2
from lastcard_bot.answers import resolve
from lastcard_bot.bots import BOTS, make_bot

if TYPE_CHECKING:
    from lastcard_bot.bot import Bot

SLOW = frozenset({"shrewd"})
"""Builtins that search: up to 20 ms a decision, too long for an event loop to wait."""


class ShippedBuiltins:
    """The shipped bots by name; each plays all tables, since it keeps nothing between decisions."""

    names: tuple[str, ...] = tuple(BOTS)

    def __init__(self) -> None:
        self._bots: dict[str, Bot] = {}

    def is_quick(self, name: str) -> bool:
        """Whether a choice takes so little time that the event loop may wait for it."""
        return name not in SLOW

    def choose(self, name: str, decision: bytes) -> tuple[int, bool, tuple[int, ...]]:
        """The answer to a decision: index, UNO call, seats to catch.

        Raises:
            RuntimeError: the bot gave no valid answer.
        """
        bot = self._bots.get(name)
        if bot is None:
            bot = self._bots[name] = make_bot(name)
        act, complaint = resolve(bot, table_pb2.Decision.FromString(body_of(decision)))
        if complaint:
            raise RuntimeError(f"the builtin {name!r} gave no valid answer: {complaint}")
        return act.choice, act.call_uno, tuple(act.catch_seats)
