"""Bots that hang, answer too late or die, as `FAULT` says; between faults they play whatever comes first.

They are faultless in the health probe before an event, or they would be set aside before its first game.
"""

import os
import time
from collections.abc import Sequence

from lastcard.v1.action_pb2 import Action
from lastcard.v1.play_service_pb2 import Seated
from lastcard.v1.view_pb2 import View
from lastcard_bot import Bot, run

FAULT = os.environ["FAULT"]
LIMIT_S = float(os.environ["LIMIT_S"])
DEADLY = 6
"""The decision at which a bot dies."""


class Faulty(Bot):
    max_open_decisions = 0

    def __init__(self) -> None:
        self._decisions = 0
        self._in_event = False

    def on_seated(self, seated: Seated) -> None:
        self._in_event |= seated.table_id.startswith("game-")

    def choose(self, view: View, legal_actions: Sequence[Action]) -> int:
        if not self._in_event:
            return 0
        self._decisions += 1
        if FAULT == "hangs":
            time.sleep(3600)
        if FAULT == "late":
            time.sleep(1.5 * LIMIT_S)
        if FAULT == "dies" and self._decisions == DEADLY:
            os._exit(3)
        return 0


if __name__ == "__main__":
    run(Faulty())
