"""The bot that plays anything legal.

Here: `RandomBot`. Imports `lastcard_bot`.
"""

from collections.abc import Sequence

from lastcard.v1.action_pb2 import Action
from lastcard.v1.view_pb2 import View
from lastcard_bot.bot import Bot
from lastcard_bot.bots.chance import chance_of


class RandomBot(Bot):
    """Takes any legal action, each with equal chance; the same one in the same position with the same seed."""

    name = "random"
    version = "1"
    threaded = False
    max_open_decisions = 0

    def __init__(self, seed: int = 0) -> None:
        self._seed = seed

    def choose(self, view: View, legal_actions: Sequence[Action]) -> int:
        """Any legal action."""
        return chance_of(view, self._seed).randrange(len(legal_actions))

    def react(self, view: View, legal_actions: Sequence[Action]) -> int:
        """Any legal action, jumping in and passing included."""
        return self.choose(view, legal_actions)
