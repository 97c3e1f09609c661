"""Checking the ranking of a results directory: that it follows from the ledger beside it.

Here: what is found of it. Not here: the records (`verify_command`), the figures themselves (`tournament.statistics`).
May import `lastcard.tournament`, the standard library and the bots' names.

Standings are written when an event stops or is complete, and after each ruling. While it is played, or when it was
killed, the files are of an earlier stop or not there yet, and nothing can be said of them.
"""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from lastcard.cli.record_files import LEDGER
from lastcard.tournament.event_state import NAME as STATE
from lastcard.tournament.event_state import RUNNING

_FILE, _STANDINGS = "tournament.toml", "standings.json"

_CLOSE = 2e-6
"""Figures are rounded to six digits, and another machine may round the last one differently."""


class FoundFigures(NamedTuple):
    """What was found of a ranking, or of `what` else there is in a results directory beside its records.

    `problem` says what is wrong, `unread` that it could not be checked for that.
    """

    path: Path
    problem: str | None
    unread: bool = False
    said: str = ""
    what: str = "figures"

    @property
    def ok(self) -> bool:
        """Whether nothing is wrong."""
        return self.problem is None

    def text(self) -> str:
        """One line for people."""
        if self.problem is None:
            return f"ok    {self.path}: {self.said}"
        return f"{'?    ' if self.unread else 'WRONG'} {self.path}: {self.problem}"

    def json(self) -> dict[str, Any]:
        """One object for programs."""
        return {self.what: str(self.path), "ok": self.ok, "line": None, "problem": self.problem}


def holds_figures(directory: Path) -> bool:
    """Whether a directory is one of results, whose ranking can be computed again, or could but for a missing file."""
    there = [(directory / name).is_file() for name in (_FILE, STATE, LEDGER)]
    return sum(there) >= 2  # a file of that name may well lie anywhere, two of them do not


def verify_figures(directory: Path) -> FoundFigures:
    """Compute the ranking of a results directory again and compare it with the file that holds it."""
    # Here, because single records are verified without numpy and scipy, which take a second to import.
    from lastcard.tournament.director.books import scoring_of  # noqa: PLC0415
    from lastcard.tournament.report.played import PlayedError, read_played  # noqa: PLC0415
    from lastcard.tournament.report.written import figures_of  # noqa: PLC0415
    from lastcard.tournament.standings import standings_json  # noqa: PLC0415
    from lastcard_bot.bots import BOTS  # noqa: PLC0415

    path = directory / _STANDINGS
    try:
        played = read_played(directory, tuple(BOTS))
    except PlayedError as error:
        return FoundFigures(path, f"cannot be computed again: {error}", unread=True)
    if played.state.state == RUNNING:
        return FoundFigures(path, None, said="the event is being played or was killed; its ranking is not written yet")
    made = figures_of(played, scoring_of(played.file))
    try:
        found = json.loads(path.read_bytes())
    except FileNotFoundError:
        return FoundFigures(path, "is missing; `lastcard tournament report` writes it again", unread=True)
    except (OSError, ValueError, RecursionError) as error:
        return FoundFigures(path, f"cannot be read: {error}; `lastcard tournament report` writes it again", unread=True)
    expected = json.loads(standings_json(made.standings, played.file.name, made.further))
    for where, here, follows in _differences(expected, found):
        return FoundFigures(path, f"{where} is {here}, but {follows} follows from the ledger")
    rulings = len(played.entries.rulings)
    ruled = f" and {rulings} {'ruling' if rulings == 1 else 'rulings'}" if rulings else ""
    games = len(played.entries.rows)
    return FoundFigures(path, None, said=f"follows from {games} {'game' if games == 1 else 'games'}{ruled}")


def _differences(expected: Any, found: Any, where: str = "") -> Iterator[tuple[str, str, str]]:
    """Where a value differs, what it is, and what it should be."""
    if isinstance(expected, dict) and isinstance(found, dict):
        for key in [*expected, *(key for key in found if key not in expected)]:
            inner = f"{where}.{key}" if where else str(key)
            if key not in expected or key not in found:
                yield inner, _shown(found, key), _shown(expected, key)
            else:
                yield from _differences(expected[key], found[key], inner)
    elif isinstance(expected, list) and isinstance(found, list):
        if len(expected) != len(found):
            yield where, f"a list of {len(found)}", f"one of {len(expected)}"
        for place, (one, other) in enumerate(zip(expected, found, strict=False)):
            yield from _differences(one, other, f"{where}[{place + 1}]")
    elif not _equal(expected, found):
        yield where, json.dumps(found, ensure_ascii=False), json.dumps(expected, ensure_ascii=False)


def _shown(values: dict[str, Any], key: str) -> str:
    return json.dumps(values[key], ensure_ascii=False) if key in values else "not there"


def _equal(one: object, other: object) -> bool:
    if isinstance(one, float) and isinstance(other, int | float) and not isinstance(other, bool):
        return abs(one - other) <= _CLOSE * max(1.0, abs(one))
    return type(one) is type(other) and one == other
