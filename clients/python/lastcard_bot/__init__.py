"""The Python SDK for bots: write one method, and the arena does the rest.

    from lastcard_bot import Bot, run

    class First(Bot):
        def choose(self, view, legal_actions):
            return 0

    run(First())

`lastcard_bot.cards` has functions on cards and views, `lastcard_bot.bots` the bots that ship with it. The messages are
those of `lastcard.v1`.
"""

from lastcard.v1.action_pb2 import Action, ActionKind
from lastcard.v1.card_pb2 import Card, Color
from lastcard.v1.event_pb2 import Event
from lastcard.v1.play_service_pb2 import Notice, Seated, TableClosed, TableSnapshot
from lastcard.v1.table_pb2 import Decision, DecisionKind, Receipt
from lastcard.v1.view_pb2 import View
from lastcard_bot.bot import Answer, AsyncBot, Bot, Refusal, Reply
from lastcard_bot.runner import bot_settings, play, run
from lastcard_bot.settings import BotError, Settings

__all__ = [
    "Action",
    "ActionKind",
    "Answer",
    "AsyncBot",
    "Bot",
    "BotError",
    "Card",
    "Color",
    "Decision",
    "DecisionKind",
    "Event",
    "Notice",
    "Receipt",
    "Refusal",
    "Reply",
    "Seated",
    "Settings",
    "TableClosed",
    "TableSnapshot",
    "View",
    "bot_settings",
    "play",
    "run",
]
