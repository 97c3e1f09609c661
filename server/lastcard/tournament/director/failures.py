"""What follows from what the bots' programs do: who is told, what is noted and counted, and who plays no more.

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

    def troubles(self, bot: str) -> int:
        """How often a bot's programs have failed by now."""
        return self._books.conduct.troubles(bot)

    def fail(self, bot: str, why: str, troubles: int) -> None:
        """A bot's program failed that was begun when there had been so many `troubles`; what it leads to is done."""
        failure = self._books.fail(bot, why, troubles)
        if failure is not None:
            self.follow([failure])
        else:
            self._note(bot, why)

    def note(self, bot: str, what: str) -> None:
        """Something that is counted has happened to a bot; it is on disk with whatever is next."""
        self._books.conduct.note(bot, what)

    def ready(self, bot: str, starts: int, copy: int, version: str) -> None:
        """An instance of a bot has connected; the version that it told is on disk when this returns."""
        self._books.note_version(bot, version)
        self._observe(notices.BotReady(bot, starts, copy))

    def tell(self, notice: notices.Notice) -> None:
        """Tell those who look on."""
        self._observe(notice)

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
