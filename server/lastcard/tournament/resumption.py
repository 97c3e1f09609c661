"""Going on with an event that was stopped or killed: whether its directory and its file allow it.

Here: `resume`, and what differs between two texts of a tournament file. Not here: a new directory (`results`), playing
on (`director`). May import the standard library, `lastcard.rules` and the pure modules of this package. Nothing here
changes anything on disk, so that an event that cannot be gone on with stays as it is.
"""

import tomllib
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from typing import Any

from lastcard.rules.shuffle import KEY_BYTES, event_key
from lastcard.tournament import event_state, ledger
from lastcard.tournament.event_state import COMPLETE, EventState, StateError
from lastcard.tournament.file import TournamentFile
from lastcard.tournament.file_section import key_text, shown
from lastcard.tournament.ledger import LedgerError, read_rows
from lastcard.tournament.results import FILE, KEY, RECORDS, Results, ResultsError, holds_event
from lastcard.tournament.toml_lines import Path as KeyPath
from lastcard.tournament.toml_lines import toml_lines


def resume(directory: Path, file: TournamentFile) -> Results:
    """The results of an event that was begun with this file, to go on with it, or to look at it when it is complete.

    Raises:
        ResultsError: there is no such event, or something that it needs is missing or damaged.
    """
    begun = _begun(directory)
    games = _games(directory)
    _check_file(directory, file, games)
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


def _games(directory: Path) -> int:
    """How many games have their rows."""
    path = directory / ledger.NAME
    if not path.exists():
        if any((directory / RECORDS).glob("*.jsonl")):
            raise ResultsError(f"{str(path)!r} is missing, though games were played; put it back to go on")
        return 0
    try:
        return len(read_rows(path)[0])
    except OSError as error:
        raise ResultsError(f"{str(path)!r} cannot be read: {error.strerror}") from error
    except LedgerError as error:
        raise ResultsError(f"{error}; put the line back as it was to go on; the other lines stand") from error


def _check_file(directory: Path, file: TournamentFile, games: int) -> None:
    path = directory / FILE
    try:
        played = path.read_bytes().decode()
        found = list(differences(file.text, played))
    except FileNotFoundError:
        if games:
            raise ResultsError(
                f"{str(path)!r} is missing; put it back to go on, or begin anew with --overwrite; {_stand(games)}"
            ) from None
        raise _not_begun(directory) from None
    except (OSError, ValueError) as error:
        raise ResultsError(f"{str(path)!r} is damaged: {error}; put it back to go on; {_stand(games)}") from error
    if found:
        more = f" (and {len(found) - 1} more: {', '.join(key for key, _ in found[1:])})" if len(found) > 1 else ""
        raise ResultsError(
            f"{file.path} is not the file that the event in {str(directory)!r} was begun with: {found[0][1]}{more}; go "
            f"on with the file as it was, of which {str(path)!r} is a copy, or play the new one with another --out"
        )


def differences(text: str, played: str) -> Iterator[tuple[str, str]]:
    """What differs between a tournament file's text and the one that was played: the key, and a sentence.

    Comments, order and layout make no difference.

    Raises:
        ValueError: a text is not TOML.
    """
    now, then = dict(_values(tomllib.loads(text))), dict(_values(tomllib.loads(played)))
    here, there = toml_lines(text), toml_lines(played)
    for path in [*now, *(path for path in then if path not in now)]:
        key = key_text(path)
        if path not in now:
            yield key, f"{key} is missing, but was {shown(then[path])} (line {there[path]})"
        elif path not in then:
            yield key, f"{key} is {shown(now[path])} (line {here[path]}), but was not there"
        elif repr(now[path]) != repr(then[path]):  # 1, 1.0 and true are equal to Python
            was = f"was {shown(then[path])} (line {there[path]})"
            yield key, f"{key} is {shown(now[path])} (line {here[path]}), but {was}"


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
