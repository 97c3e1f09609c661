"""What a results directory says of its event, read without changing anything in it, while it is played or long after.

Here: reading and what is refused. Not here: the figures (`statistics`), going on with an event (`resumption`). May
import the standard library and the pure modules of `tournament`.

The directory may be one that a director is working in: the ledger only grows, a line without its end is left out, and
all other files are replaced whole. It may be a copy on another machine: bots' programs need not be there, and records
may be missing, of which `records` says which are there.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from lastcard.tournament import event_state, ledger
from lastcard.tournament.event_state import EventState, StateError
from lastcard.tournament.file import FileError, TournamentFile, load
from lastcard.tournament.ledger import Entries, LedgerError, Row, read_entries
from lastcard.tournament.report.links import TOP_FILES
from lastcard.tournament.results import BOTS, FILE, RECORDS


class PlayedError(ValueError):
    """A directory holds no event that could be reported on; the text is a sentence that says why."""


class Played(NamedTuple):
    """An event as its directory tells it, with all rows of its ledger.

    `present` are the files that are there of those that a page may link, as paths relative to the directory.
    """

    file: TournamentFile
    state: EventState
    entries: Entries
    present: frozenset[str]


def read_played(directory: Path, builtins: Sequence[str]) -> Played:
    """Read a results directory; `builtins` are the bots that the server plays itself.

    Raises:
        PlayedError: it is none, or something that is needed is missing or damaged.
    """
    if not directory.is_dir():
        what = "is no directory" if directory.exists() else "does not exist"
        raise PlayedError(f"{str(directory)!r} {what}; name the results directory of a tournament")
    missing = [name for name in (FILE, event_state.NAME) if not (directory / name).is_file()]
    if missing:
        raise PlayedError(
            f"{str(directory)!r} has no {missing[0]}, so it is no results directory; name one that `lastcard "
            f"tournament run` has made, or a whole copy of one"
        )
    try:
        state = EventState.from_json((directory / event_state.NAME).read_bytes())
    except StateError as error:
        raise PlayedError(
            f"{str(directory / event_state.NAME)!r} is damaged: {error}; put it back as it was"
        ) from error
    except OSError as error:
        raise PlayedError(f"{error.filename} cannot be read: {error.strerror}") from error
    try:
        file = load(directory / FILE, builtins, played=True)
    except FileError as error:
        raise PlayedError(f"{error}; put the file that was played back as it was") from error
    return Played(file, state, _entries(directory, state), present_in(directory))


def _entries(directory: Path, state: EventState) -> Entries:
    """The rows of the ledger; there may be no ledger as long as no game is over."""
    path = directory / ledger.NAME
    try:
        entries = read_entries(path)
    except FileNotFoundError:
        entries = Entries([], [], 0)
    except OSError as error:
        raise PlayedError(f"{path} cannot be read: {error.strerror}") from error
    except LedgerError as error:
        raise PlayedError(f"{error}; put the line back as it was: every figure follows from the ledger") from error
    if len(entries.rows) < state.games:
        raise PlayedError(
            f"{str(path)!r} has {len(entries.rows)} of at least {state.games} games that were played; put it back as "
            f"it was: every figure follows from it"
        )
    first: dict[int, Row] = {}
    for row in entries.rows:
        other = first.setdefault(row.set, row)
        if sorted(row.seats) != sorted(other.seats):
            raise PlayedError(
                f"{str(path)!r} has {', '.join(row.seats)} in game {row.game} and {', '.join(other.seats)} in game "
                f"{other.game} of the same set {row.set}; put the line back as it was: every figure follows from the "
                f"ledger"
            )
    return entries


def present_in(directory: Path) -> frozenset[str]:
    """The files that are there of those that a page may link, as paths relative to the directory."""
    found = {f"{part}/{path.name}" for part in (RECORDS, BOTS) for path in _listed(directory / part)}
    return frozenset(found | {name for name in TOP_FILES if (directory / name).is_file()})


def _listed(directory: Path) -> Sequence[Path]:
    try:
        return list(directory.iterdir())
    except OSError:
        return []  # records that nobody may read, or that were cleared away, are simply not linked
