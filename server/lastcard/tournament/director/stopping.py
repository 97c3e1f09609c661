"""That the organiser wants the event to end: after the running games, or at once.

Here: the wish. Not here: what follows from it (`event`, `tables`). May import the standard library only.
"""

import asyncio


class Stop:
    """Asked for once, the event ends after the running games; asked for twice, without them.

    Records are verified then; asked for a third time, or twice when all games are over, it ends without that.
    """

    def __init__(self) -> None:
        self.wished = asyncio.Event()
        """Set when no further game is to be begun."""
        self.at_once = asyncio.Event()
        """Set when running games are not waited for either."""
        self.without_verifying = asyncio.Event()
        """Set when the records of an event that was stopped are not verified."""

    def ask(self) -> None:
        """Ask for it, once more."""
        if self.at_once.is_set():
            self.without_verifying.set()
        if self.wished.is_set():
            self.at_once.set()
        self.wished.set()
