"""The bots that ship with the SDK, by name.

Here: the registry and `make_bot`. Not here: the bots (`random_bot`, `greedy_bot`, `shrewd_bot`). Imports those.
"""

from collections.abc import Callable

from lastcard_bot.bot import Bot
from lastcard_bot.bots.greedy_bot import GreedyBot
from lastcard_bot.bots.random_bot import RandomBot
from lastcard_bot.bots.shrewd_bot import ShrewdBot

BOTS: dict[str, Callable[[int], Bot]] = {"random": RandomBot, "greedy": GreedyBot, "shrewd": ShrewdBot}
"""Makers of the bots by name; they take the seed."""


def make_bot(name: str, seed: int = 0) -> Bot:
    """A shipped bot by name. Raises `ValueError` with the valid names for any other."""
    if name not in BOTS:
        raise ValueError(f"there is no bot {name!r}; there are {', '.join(BOTS)}")
    return BOTS[name](seed)
