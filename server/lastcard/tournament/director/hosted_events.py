"""All tournaments of a server: created, started, paused, and gone on with after a start.

Here: `HostedEvents`. Not here: one of them (`hosted_event`), messages (`services`). May import asyncio, the standard
library, `lastcard.table`'s values and `lastcard.tournament`. Whatever changes a tournament is checked whole before
anything is changed, and noted before anything is done about it; the caller tells nobody before that is durable.
"""

import asyncio
from collections.abc import Container, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from lastcard.table.journal import Registered
from lastcard.table.refusals import DomainError, TransportReason
from lastcard.tournament.director.hosted_event import HostedEvent
from lastcard.tournament.director.hosted_ports import House
from lastcard.tournament.file import TournamentFile
from lastcard.tournament.file_section import FileError
from lastcard.tournament.hosted_file import LONGEST_FILE, read_hosted, with_bot, without_bot
from lastcard.tournament.hosting import OVER, PLAYING, Hosted, HostedState
from lastcard.tournament.ledger import RulingBy, RulingKind
from lastcard.tournament.rule_book import Wish

MOST_EVENTS = 10_000
"""Tournaments that one server keeps."""

LONGEST_REASON = 1_000

EVENTS = "events"
"""The directory of all results directories, in the server's data directory."""

_FILE = "tournament.toml"


class HostedEvents:
    """The tournaments of a server, which keeps their results under `data`; at most `most_running` run at once."""

    def __init__(
        self,
        *,
        data: Path | None,
        house: House,
        builtins: Sequence[str],
        registered: Container[str],
        most_running: int,
    ) -> None:
        self._directory = None if data is None else data / EVENTS
        self._house = house
        self._builtins = builtins
        self._registered = registered
        self._most_running = most_running
        self._events: dict[str, HostedEvent] = {}
        self._folded: dict[str, str] = {}
        """Names by themselves in lower case: some systems do not tell case apart."""
        self._cancelling: set[asyncio.Task[None]] = set()

    # ------------------------------------------------------------------ runs of the server

    def restore(self, registered: Registered) -> None:
        """Take in a tournament of an earlier run.

        Raises:
            ValueError: what was kept cannot be read.
        """
        hosted = Hosted.from_json(registered.name, registered.facts)
        self._add(hosted, read_hosted(hosted.text, _FILE, self._builtins))

    def go_on(self) -> None:
        """Go on with what was under way, rulings too, and close the tables of what was given up."""
        self._events = dict(sorted(self._events.items(), key=lambda item: item[1].hosted.number))
        cancelled = HostedState.CANCELLED
        self._house.cancel({event.hosted.mark for event in self._events.values() if event.hosted.state is cancelled})
        for event in self._events.values():
            if event.hosted.state in PLAYING:
                event.begin()
            elif event.hosted.ruling:
                event.see_to_rulings()

    async def stand_still(self) -> None:
        """The server ends: all directors end wherever they are."""
        await asyncio.gather(*(event.stand_still() for event in self._events.values()), *self._cancelling)

    # ------------------------------------------------------------------ looking

    def find(self, name: str) -> HostedEvent:
        """The tournament of a name.

        Raises:
            DomainError: NOT_FOUND.
        """
        event = self._events.get(name)
        if event is None:
            sentence = f"there is no tournament {name!r}; ListTournaments lists those that there are"
            raise DomainError(TransportReason.NOT_FOUND, sentence, tournament=name)
        return event

    def newest_first(self, before: int | None = None) -> Iterator[HostedEvent]:
        """All tournaments, or those with a number below one."""
        for event in reversed(self._events.values()):
            if before is None or event.hosted.number < before:
                yield event

    def needing(self, bot: str) -> str | None:
        """A tournament that is not over and has a registered bot."""
        for event in self._events.values():
            if event.hosted.state not in OVER and any(each.name == bot and each.remote for each in event.file.bots):
                return event.name
        return None

    # ------------------------------------------------------------------ changing

    def create(self, text: str, file_name: str, *, start: bool) -> HostedEvent:
        """Check a file and keep a tournament.

        Raises:
            DomainError: INVALID_ARGUMENT, NAME_TAKEN, NOT_KEPT, LIMIT_REACHED.
        """
        if self._directory is None:
            sentence = "this server keeps nothing on disk; start it with --data DIR to hold tournaments on it"
            raise DomainError(TransportReason.NOT_KEPT, sentence)
        file = self._read(text, file_name or _FILE)
        self._check_name(file.name, self._directory)
        if len(self._events) >= MOST_EVENTS:
            sentence = f"this server keeps {MOST_EVENTS} tournaments, which is the most"
            raise DomainError(TransportReason.LIMIT_REACHED, sentence)
        if start:
            self._check_room()
        number = max((event.hosted.number for event in self._events.values()), default=0) + 1
        hosted = Hosted(number, file.name, text, HostedState.CREATED, created_ms=self._house.clock())
        event = self._add(hosted, file)
        event.keep(hosted)
        if start:
            self._begin(event)
        return event

    def start(self, name: str) -> HostedEvent:
        """Begin to play a tournament.

        Raises:
            DomainError: NOT_FOUND, WRONG_STATE, LIMIT_REACHED, INVALID_ARGUMENT when a bot is registered no more.
        """
        event = self.find(name)
        event.check("started")
        self._read(event.hosted.text, _FILE)
        self._check_room()
        self._begin(event)
        return event

    def pause(self, name: str, reason: str) -> HostedEvent:
        """Let the running games end and begin no more.

        Raises:
            DomainError: NOT_FOUND, WRONG_STATE, INVALID_ARGUMENT.
        """
        event = self.find(name)
        check_reason(reason)
        event.check("paused")
        if event.hosted.state is HostedState.RUNNING:
            event.change(HostedState.PAUSING, reason)
            event.pause()
        return event

    def resume(self, name: str) -> HostedEvent:
        """Go on with a tournament that stands still, or is about to, or that was complete and was ruled on elsewhere.

        Raises:
            DomainError: NOT_FOUND, WRONG_STATE, LIMIT_REACHED.
        """
        event = self.find(name)
        event.see_reopened()
        event.check("resumed")
        if event.hosted.state not in PLAYING:
            self._check_room()
        self._begin(event)
        return event

    def cancel(self, name: str, reason: str) -> HostedEvent:
        """Give a tournament up.

        Raises:
            DomainError: NOT_FOUND, WRONG_STATE, INVALID_ARGUMENT.
        """
        event = self.find(name)
        check_reason(reason)
        event.check("cancelled")
        if event.hosted.state is not HostedState.CANCELLED:
            event.change(HostedState.CANCELLED, reason)
            task = asyncio.create_task(event.cancel(), name=f"cancelling {name}")
            self._cancelling.add(task)
            task.add_done_callback(self._cancelling.discard)
        return event

    async def enter(self, name: str, bot: str, builtin: str) -> HostedEvent:
        """Add a bot to a tournament that was not started, stands still or is complete.

        Raises:
            DomainError: NOT_FOUND, WRONG_STATE, NAME_TAKEN, INVALID_ARGUMENT, NOT_KEPT.
        """
        event = self.find(name)
        if event.hosted.state is not HostedState.CREATED:
            await event.lines()  # before the check: the file to which the bot is added is that of the moment
        event.check("entered")
        if any(each.name.casefold() == bot.casefold() for each in event.file.bots):
            sentence = f"the tournament {name!r} has a bot {bot!r} already; enter another"
            raise DomainError(TransportReason.NAME_TAKEN, sentence, tournament=name, bot=bot)
        file = self._read(with_bot(event.hosted.text, bot, builtin), _FILE)
        if event.hosted.state is HostedState.CREATED:
            _rewrite(event, file)
        else:
            await event.enter(bot, file)
        return event

    async def withdraw(self, name: str, bot: str, reason: str, by: RulingBy, request: str) -> HostedEvent:
        """Take a bot out of a tournament that was not started, or stands still; `by` and `request` as in a `Wish`.

        Raises:
            DomainError: NOT_FOUND, WRONG_STATE, INVALID_ARGUMENT, NOT_KEPT.
        """
        event = self.find(name)
        check_reason(reason)
        event.check("changed")
        if all(each.name != bot for each in event.file.bots):
            names = ", ".join(each.name for each in event.file.bots)
            sentence = f"the tournament {event.name!r} has no bot {bot!r}; it has {names}"
            raise DomainError(TransportReason.NOT_FOUND, sentence, tournament=event.name, bot=bot)
        if event.hosted.state is HostedState.CREATED:
            _rewrite(event, self._read(without_bot(event.hosted.text, bot), _FILE))
        else:
            await event.rule(Wish(RulingKind.WITHDRAW, bot, reason or "it was withdrawn", by=by, request=request))
        return event

    # ------------------------------------------------------------------ within

    def _add(self, hosted: Hosted, file: TournamentFile) -> HostedEvent:
        assert self._directory is not None
        event = HostedEvent(hosted, file, self._directory / hosted.name, self._house)
        self._events[hosted.name] = event
        self._folded[hosted.name.casefold()] = hosted.name
        return event

    def _read(self, text: str, file_name: str) -> TournamentFile:
        if len(text) > LONGEST_FILE:
            sentence = f"file has {len(text)} characters; the most is {LONGEST_FILE}"
            raise DomainError(TransportReason.INVALID_ARGUMENT, sentence, field="file")
        if not (file_name.isprintable() and len(file_name) <= 200):
            sentence = f"file_name has {len(file_name)} characters, or some that cannot be printed; the most is 200"
            raise DomainError(TransportReason.INVALID_ARGUMENT, sentence, field="file_name")
        try:
            return read_hosted(text, file_name, self._builtins, self._registered)
        except FileError as error:
            raise DomainError(
                TransportReason.INVALID_ARGUMENT, str(error), field="file", line=error.line, key=error.key
            ) from error

    def _check_name(self, name: str, directory: Path) -> None:
        taken = self._folded.get(name.casefold())
        if taken is not None:
            sentence = f"there is a tournament {taken!r} on this server; choose another name"
            raise DomainError(TransportReason.NAME_TAKEN, sentence, field="file", tournament=taken)
        if (directory / name).exists():
            sentence = (
                f"the server has results of a tournament {name!r} that it does not know; choose another name, or "
                f"move {EVENTS}/{name} out of its data directory"
            )
            raise DomainError(TransportReason.NAME_TAKEN, sentence, field="file", tournament=name)

    def _check_room(self) -> None:
        running = sum(event.is_playing for event in self._events.values())
        if running >= self._most_running:
            sentence = f"{running} tournaments run, which is the most at once; pause one, or wait until one is over"
            raise DomainError(TransportReason.LIMIT_REACHED, sentence)

    def _begin(self, event: HostedEvent) -> None:
        event.change(HostedState.RUNNING)
        event.begin()


def _rewrite(event: HostedEvent, file: TournamentFile) -> None:
    """Have a tournament that was not started be played by another file."""
    event.file = file
    event.keep(replace(event.hosted, text=file.text))


def check_reason(reason: str) -> None:
    """Check the organiser's words for something.

    Raises:
        DomainError: INVALID_ARGUMENT.
    """
    if len(reason) > LONGEST_REASON or not reason.isprintable():
        sentence = (
            f"reason has {len(reason)} characters, or some that cannot be printed, such as line ends; the most is "
            f"{LONGEST_REASON}"
        )
        raise DomainError(TransportReason.INVALID_ARGUMENT, sentence, field="reason")
