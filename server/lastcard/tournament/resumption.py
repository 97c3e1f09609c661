"""Going on with an event that was stopped or killed: whether its directory and its file allow it.

Here: `resume`, what differs between two texts of a tournament file, and which bots may be new in it. Not here: a new
directory (`results`), playing on (`director`), writing down who enters (`director.organiser`). May import the standard
library, `lastcard.rules` and the pure modules of this package. Nothing here changes anything on disk, so that an event
that cannot be gone on with stays as it is.
"""

import tomllib
from collections.abc import Collection, Iterator, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

from lastcard.rules.shuffle import KEY_BYTES, event_key
from lastcard.tournament import event_state, ledger
from lastcard.tournament.event_state import COMPLETE, EventState, StateError
from lastcard.tournament.file import TournamentFile
from lastcard.tournament.file_section import key_text, shown
from lastcard.tournament.judging import in_force
from lastcard.tournament.ledger import Entries, LedgerError, RulingKind, read_entries
from lastcard.tournament.results import FILE, KEY, RECORDS, Results, ResultsError, holds_event
from lastcard.tournament.toml_lines import Path as KeyPath
from lastcard.tournament.toml_lines import toml_lines


def resume(directory: Path, file: TournamentFile, entering: Sequence[str] = ()) -> Results:
    """The results of an event that was begun with this file, to go on with it, or to look at it when it is complete.

    The file may have more bots than it had, behind the others: those who are `entering` and those who did before.

    Raises:
        ResultsError: there is no such event, or something that it needs is missing or damaged.
    """
    begun = _begun(directory)
    entries = _entries(directory)
    games = len(entries.rows)
    entered = {row.bot for row in in_force(entries.rulings) if row.kind is RulingKind.ENTER and row.bot is not None}
    _check_file(directory, file, games, entered, entering)
    key = _key(directory, file, begun, games)
    results = Results(directory, key, begun)
    if begun.state != COMPLETE and games and not (directory / RECORDS).is_dir():
        raise ResultsError(
            f"{str(directory / RECORDS)!r} is missing, though games were played; put it back to go on; {_stand(games)}"
        )
    stores = (results.store_of(arena) for arena in range(results.stores))
    if begun.state != COMPLETE and (missing := [store for store in stores if not store.is_dir()]):
        raise ResultsError(
            f"the store {str(missing[0])!r} is missing, so the games that were being played cannot go on where they "
            f"were; put it back, or make an empty directory there to have them played again from their beginning; "
            f"{_stand(games)}"
        )
    return results


def _begun(directory: Path) -> EventState:
    path = directory / event_state.NAME
    if not directory.is_dir():
        raise ResultsError(
            f"there is no event in {str(directory)!r}, which does not exist; name its directory with --out, or leave "
            f"--resume out to begin one"
        )
    if not holds_event(directory):
        raise ResultsError(
            f"there is no event in {str(directory)!r}; name its directory with --out, or leave --resume out to begin "
            f"one"
        )
    try:
        return EventState.from_json(path.read_bytes())
    except FileNotFoundError:
        if not (directory / ledger.NAME).exists():
            raise _not_begun(directory) from None
        what = "is missing"
    except OSError as error:
        what = f"cannot be read: {error.strerror}"
    except StateError as error:
        what = f"is damaged: {error}"
    raise ResultsError(f"{str(path)!r} {what}; put it back as it was to go on; what is in the ledger stands")


def _not_begun(directory: Path) -> ResultsError:
    sentence = f"the event in {str(directory)!r} was stopped before it had begun"
    return ResultsError(f"{sentence}; begin it anew with --overwrite")


def _entries(directory: Path) -> Entries:
    """The rows of the ledger."""
    path = directory / ledger.NAME
    if not path.exists():
        if any((directory / RECORDS).glob("*.jsonl*")):
            raise ResultsError(f"{str(path)!r} is missing, though games were played; put it back to go on")
        return Entries([], [], 0)
    try:
        return read_entries(path)
    except OSError as error:
        raise ResultsError(f"{str(path)!r} cannot be read: {error.strerror}") from error
    except LedgerError as error:
        raise ResultsError(f"{error}; put the line back as it was to go on; the other lines stand") from error


def _check_file(
    directory: Path, file: TournamentFile, games: int, entered: Collection[str], entering: Sequence[str]
) -> None:
    path = directory / FILE
    try:
        played = path.read_bytes().decode()
        found = list(differences(file.text, played))
        before = bots_of(played)
    except FileNotFoundError:
        if games:
            raise ResultsError(
                f"{str(path)!r} is missing; put it back to go on, or begin anew with --overwrite; {_stand(games)}"
            ) from None
        raise _not_begun(directory) from None
    except (OSError, ValueError) as error:
        raise ResultsError(f"{str(path)!r} is damaged: {error}; put it back to go on; {_stand(games)}") from error
    now = [bot.name for bot in file.bots]
    _check_entering(now, before, entered, entering)
    admitted = set(entered).union(entering)
    places = {place for place, name in enumerate(now) if place >= len(before) and name in admitted}
    found = [each for each in found if not (each.path[:1] == ("bot",) and each.path[1] in places)]
    if found:
        others = ", ".join(key_text(each.path) for each in found[1:])
        more = f" (and {len(found) - 1} more: {others})" if others else ""
        new = [name for name in now if name not in before and name not in admitted]
        enter = f"; a bot enters with --enter NAME, and stands behind the others ({', '.join(new)})" if new else ""
        raise ResultsError(
            f"{file.path} is not the file that the event in {str(directory)!r} was begun with: {found[0].sentence}"
            f"{more}{enter}; go on with the file as it was, of which {str(path)!r} is a copy, or play the new one with "
            f"another --out"
        )


def _check_entering(
    now: Sequence[str], before: Sequence[str], entered: Collection[str], entering: Sequence[str]
) -> None:
    """Check that bots that enter are in the file and were not before, and that those that have entered still are."""
    new = [name for name in now if name not in before]
    for name in entering:
        if name not in now:
            valid = f"new in it are {', '.join(new)}" if new else "no bot in it is new"
            raise ResultsError(f"there is no bot {name!r} to enter in the tournament file; {valid}")
        if name in before:
            raise ResultsError(f"{name!r} is in the event already; leave --enter {name} out to go on")
    for name in entered:
        if name not in now:
            raise ResultsError(
                f"{name!r} has entered the event and is not in the tournament file; go on with the file that has it"
            )


def bots_of(text: str) -> list[str]:
    """The names of the bots in the text of a tournament file that was checked once."""
    bots = tomllib.loads(text).get("bot", [])
    return [str(bot.get("name")) for bot in bots if isinstance(bot, dict)] if isinstance(bots, list) else []


class Difference(NamedTuple):
    """A value that differs: where it stands, and a sentence."""

    path: KeyPath
    sentence: str


def differences(text: str, played: str) -> Iterator[Difference]:
    """What differs between a tournament file's text and the one that was played.

    Comments, order and layout make no difference.

    Raises:
        ValueError: a text is not TOML.
    """
    now, then = dict(_values(tomllib.loads(text))), dict(_values(tomllib.loads(played)))
    here, there = toml_lines(text), toml_lines(played)
    for path in [*now, *(path for path in then if path not in now)]:
        key = key_text(path)
        if path not in now:
            yield Difference(path, f"{key} is missing, but was {shown(then[path])} (line {there[path]})")
        elif path not in then:
            yield Difference(path, f"{key} is {shown(now[path])} (line {here[path]}), but was not there")
        elif repr(now[path]) != repr(then[path]):  # 1, 1.0 and true are equal to Python
            was = f"was {shown(then[path])} (line {there[path]})"
            yield Difference(path, f"{key} is {shown(now[path])} (line {here[path]}), but {was}")


def _values(value: object, path: KeyPath = ()) -> Iterator[tuple[KeyPath, Any]]:
    """All values that are no tables, by where they stand; lists of anything else are one value."""
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from _values(inner, (*path, key))
    elif isinstance(value, list) and value and all(isinstance(inner, dict) for inner in value):
        for place, inner in enumerate(value):
            yield from _values(inner, (*path, place))
    else:
        yield path, value


def _key(directory: Path, file: TournamentFile, begun: EventState, games: int) -> bytes:
    """The event's key: from the file's seed, else as it was kept; it must be the one that the event was begun with."""
    path = directory / KEY
    what = "is damaged"
    if begun.key is not None:
        path, text = directory / event_state.NAME, begun.key
    elif file.seed is not None:
        text = event_key(file.seed).hex()
    else:
        try:
            text = path.read_text()
        except FileNotFoundError:
            what, text = "is missing", ""
        except (OSError, ValueError):
            text = ""
    try:
        key = bytes.fromhex(text)
    except ValueError:
        key = b""
    if len(key) == KEY_BYTES and sha256(key).hexdigest() == begun.key_sha256:
        return key
    if file.seed is not None and begun.key is None:
        what = f"binds another key than that of the seed {file.seed}, so it is damaged"
        path = directory / event_state.NAME
    raise ResultsError(
        f"the event's key {str(path)!r} {what}, and without it nothing more can be dealt or revealed; put it back as "
        f"it was to go on; {_stand(games)}"
    )


def _stand(games: int) -> str:
    return f"{games} finished {'game stands' if games == 1 else 'games stand'} in its ledger"
