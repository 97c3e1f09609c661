"""A bot in twenty lines: it plays its longest colour, keeps wilds for later and draws when nothing fits."""

from lastcard_bot import ActionKind, Bot, run
from lastcard_bot.cards import color_counts, color_of, is_wild


class MyBot(Bot):
    def choose(self, view, legal_actions):
        held = color_counts(view.hand)

        def worth(action):
            plays = action.kind == ActionKind.ACTION_KIND_PLAY
            color = action.color or color_of(action.card)
            return plays, not is_wild(action.card), held.get(color, 0)

        return max(legal_actions, key=worth)


if __name__ == "__main__":
    run(MyBot())
