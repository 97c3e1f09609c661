"""A bot whose answers follow from what it sees and from nothing else.

It takes its time for each as long as there is a file `slow` where it runs, so that games are on when others are killed.
It plays anything that it may, jumps in and catches as it comes, and with `FORGETFUL` set now and then forgets to call.
With `SEEN` it notes there the number of each event that it is told.
"""

import json
import os
import time
from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path

from lastcard.v1.action_pb2 import Action, ActionKind
from lastcard.v1.event_pb2 import Event
from lastcard.v1.view_pb2 import View
from lastcard_bot import Answer, Bot, run

THINKS_S = 0.03
SLOW = Path("slow")


class Steady(Bot):
    def choose(self, view: View, legal_actions: Sequence[Action]) -> Answer:
        if SLOW.exists():
            time.sleep(THINKS_S)
        seen = sha256(view.SerializeToString(deterministic=True)).digest()
        plays = [place for place, action in enumerate(legal_actions) if action.kind == ActionKind.ACTION_KIND_PLAY]
        places = plays or list(range(len(legal_actions)))
        forgets = bool(os.environ.get("FORGETFUL")) and seen[1] % 3 == 0
        return Answer(places[seen[0] % len(places)], call_uno=False if forgets else None)

    def react(self, view: View, legal_actions: Sequence[Action]) -> int:
        seen = sha256(view.SerializeToString(deterministic=True)).digest()
        return seen[0] % len(legal_actions)


class Noting(Steady):
    """Notes the number of each event that it is told."""

    def on_event(self, table_id: str, event: Event) -> None:
        with Path(os.environ["SEEN"]).open("a") as file:
            file.write(json.dumps([table_id, event.sequence]) + "\n")


if __name__ == "__main__":
    run(Noting() if "SEEN" in os.environ else Steady())
