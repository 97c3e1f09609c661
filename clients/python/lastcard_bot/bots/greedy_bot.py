"""The bot that plays by rules of thumb, without looking ahead.

Here: `GreedyBot`. Imports `lastcard_bot`.
"""

from collections.abc import Sequence

from lastcard.v1.action_pb2 import Action, ActionKind
from lastcard.v1.view_pb2 import View
from lastcard_bot.bot import Bot
from lastcard_bot.bots.chance import chance_of
from lastcard_bot.cards import color_counts, color_of, is_wild, points

_ORDER = (
    ActionKind.ACTION_KIND_PLAY,
    ActionKind.ACTION_KIND_JUMP_IN,
    ActionKind.ACTION_KIND_UNO,
    ActionKind.ACTION_KIND_CATCH,
    ActionKind.ACTION_KIND_CHOOSE_COLOR,
    ActionKind.ACTION_KIND_DRAW,
    ActionKind.ACTION_KIND_ACCEPT,
    ActionKind.ACTION_KIND_PASS,
    ActionKind.ACTION_KIND_KEEP,
    ActionKind.ACTION_KIND_CHALLENGE,
)
"""Kinds of actions, the dearest first: whatever can be played is played, and nothing is risked on a challenge."""


class GreedyBot(Bot):
    """Plays the dearest card of its longest colour at once, wilds last; calls, catches and jumps in, never challenges.

    Equals are decided by chance that depends on position and seed alone.
    """

    name = "greedy"
    version = "1"
    threaded = False
    max_open_decisions = 0

    def __init__(self, seed: int = 0) -> None:
        self._seed = seed

    def choose(self, view: View, legal_actions: Sequence[Action]) -> int:
        """The dearest action."""
        counts = color_counts(view.hand)
        worth = [_worth(view, action, counts) for action in legal_actions]
        best = max(worth)
        equals = [index for index, value in enumerate(worth) if value == best]
        return equals[0] if len(equals) == 1 else chance_of(view, self._seed).choice(equals)

    def react(self, view: View, legal_actions: Sequence[Action]) -> int:
        """The dearest reaction: a jump-in, else the own call, else a catch."""
        return self.choose(view, legal_actions)


def _worth(view: View, action: Action, counts: dict[int, int]) -> tuple[int, int, int, int]:
    """How dear an action is: by kind, no wild, cards of the colour that will be in force, points or a short target."""
    kind = _ORDER.index(action.kind) if action.kind in _ORDER else len(_ORDER)
    wild = is_wild(action.card)
    color = action.color if wild else color_of(action.card)
    last = -view.hand_counts[action.target] if action.HasField("target") else points(action.card)
    return -kind, -wild, counts.get(color, 0), last
