"""How long to wait before the next attempt to connect.

Here: exponential growth with jitter. Not here: when to attempt (`connection`). Imports nothing of ours.
"""

import random


class Backoff:
    """Waits that double from `first_s` to `most_s`, each shortened at random by up to half.

    The jitter keeps a thousand bots from coming back to a restarted server in step.
    """

    def __init__(self, first_s: float = 0.2, most_s: float = 5.0, chance: random.Random | None = None) -> None:
        self._first_s = first_s
        self._most_s = most_s
        self._next_s = first_s
        self._chance = chance or random.Random()

    def next_s(self) -> float:
        """The next wait, in seconds."""
        wait = self._next_s
        self._next_s = min(self._most_s, wait * 2)
        return wait * (1 - self._chance.random() / 2)

    def reset(self) -> None:
        """Begins with the shortest wait again, after a connection that held."""
        self._next_s = self._first_s
