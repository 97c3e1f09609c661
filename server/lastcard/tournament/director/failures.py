"""What follows from the failures of bots: who is told, what is noted, and who plays no more.

Here: `Failures`. Not here: counting (`conduct`), writing the count down (`books`), the programs (`competitor`). May
import the standard library, the pure modules of `tournament`, `ports` and `books`.
"""

from collections.abc import Callable, Sequence
from datetime import UTC, datetime

from lastcard.tournament import notices
from lastcard.tournament.conduct import Failure
from lastcard.tournament.director.books import Books
from lastcard.tournament.ports import Observer
from lastcard.tournament.results import Results


class Failures:
    """The failures of an event's bots; `set_aside` is called with a bot that plays no more from now on."""

    def __init__(self, books: Books, results: Results, observe: Observer, set_aside: Callable[[str], None]) -> None:
        self._books = books
        self._results = results
        self._observe = observe
        self._set_aside = set_aside

    def count(self, bot: str, why: str) -> int:
        """Count a failure of a bot's program; how many there are in a row."""
        failure = self._books.fail(bot, why)
        self.follow([failure])
        return failure.in_a_row

    def follow(self, failures: Sequence[Failure]) -> None:
        """Do what failures, which are written down, lead to."""
        for bot, why, in_a_row, aside in failures:
            self._note(bot, why)
            self._observe(notices.BotFailed(bot, why, in_a_row))
            if aside is not None:
                self._note(bot, aside)
                self._set_aside(bot)
                self._observe(notices.BotSetAside(bot, aside))

    def _note(self, bot: str, what: str) -> None:
        at = datetime.now(UTC).isoformat(timespec="milliseconds")
        self._results.note_incident({"at": at, "bot": bot, "what": what})
