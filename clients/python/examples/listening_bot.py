"""A bot that listens to every event and thinks about all its decisions at once, each for a while."""

import asyncio
from collections import Counter

from lastcard_bot import AsyncBot, run

THINKS_S = 0.3


class ListeningBot(AsyncBot):
    def __init__(self):
        self.played = {}

    async def choose(self, view, legal_actions):
        await asyncio.sleep(THINKS_S)  # a model's server, another process, …
        return sum(view.hand_counts) % len(legal_actions)

    async def on_event(self, table_id, event):
        if event.HasField("card_played"):
            self.played.setdefault(table_id, Counter())[event.card_played.seat] += 1

    async def on_table_closed(self, closed):
        cards = self.played.pop(closed.table_id, Counter())
        print(f"{closed.table_id} is over; cards played by seat: {dict(sorted(cards.items()))}", flush=True)


if __name__ == "__main__":
    run(ListeningBot())
