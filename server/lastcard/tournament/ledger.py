"""The list of results: one row a game or ruling, appended to a file and on disk before it counts.

Here: the file, reading and appending. Not here: the rows' fields (`rows`), what they mean (`judging`). May import the
standard library, `durable`, `rows` and `row_values`.

`ledger.jsonl` holds one JSON object a line. A line that was being written when the machine stopped has no line end: it
never counted, and is cut off. Any other line that cannot be read is an error, never skipped.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from types import MappingProxyType
from typing import Any

from lastcard.tournament import durable
from lastcard.tournament.row_values import RowError, SeatFault
from lastcard.tournament.rows import Row, RulingBy, RulingKind, RulingRow, row_of_line

__all__ = [
    "NAME", "Entries", "Ledger", "LedgerError", "Row", "RowError", "RulingBy", "RulingKind", "RulingRow",
    "SeatFault", "open_ledger", "read_entries", "read_rows",
]  # fmt: skip

NAME = "ledger.jsonl"
"""The ledger's name in a results directory."""

_NOTHING: Mapping[str, Any] = MappingProxyType({})


class LedgerError(ValueError):
    """A ledger cannot be read or written; the text names file and line and says what is wrong."""


@dataclass(frozen=True, slots=True)
class Entries:
    """What a ledger holds: games and rulings, each in the order in which they were appended.

    `torn` is of how many bytes a torn last line is that was left out.
    """

    rows: list[Row]
    rulings: list[RulingRow]
    torn: int

    def __iter__(self) -> Iterator[Row | RulingRow]:
        """All rows, as `judge` takes them."""
        yield from self.rows
        yield from self.rulings


MOST_AT_ONCE = 64
"""So many rows are appended together at most."""


class Ledger:
    """A ledger that is open for appending; one process at a time.

    It keeps of each row in memory what says how the game came out, so that long events need not have it for the rest:
    whoever wants a game's times or luck reads the file.
    """

    def __init__(self, path: Path, rows: Sequence[Row], rulings: Sequence[RulingRow] = ()) -> None:
        self.path = path
        self.latest = tuple(rows[-2 * MOST_AT_ONCE :])
        """The last rows of those that were there at first, as they were read."""
        self._shared: dict[Any, Any] = {}
        self._rows = [self._lean(row) for row in rows]
        self._rulings = list(rulings)
        self._games = {row.game: row for row in self._rows}

    def _lean(self, row: Row) -> Row:
        """What is kept of a row; values that are equal in many rows are there once."""
        share = self._shared.setdefault
        shared = {name: share(value := getattr(row, name), value) for name in ("seats", "points", "places", "versions")}
        return replace(row, **shared, luck=(), times=_NOTHING)

    @property
    def rows(self) -> Sequence[Row]:
        """The games' rows, without times and luck, in the order in which they were appended."""
        return self._rows

    @property
    def rulings(self) -> Sequence[RulingRow]:
        """The rulings, in the order in which they were made."""
        return self._rulings

    @property
    def entries(self) -> Sequence[Row | RulingRow]:
        """All rows, as `judge` takes them."""
        return [*self._rows, *self._rulings]

    def __contains__(self, game: int) -> bool:
        """Whether a game with this number has its row."""
        return game in self._games

    def row(self, game: int) -> Row:
        """The row of a game that has one."""
        return self._games[game]

    def append(self, *rows: Row) -> None:
        """Append games' rows; when this returns, they are on disk.

        Raises:
            LedgerError: a game has its row already.
            OSError: they could not be written; nothing of them stays in the file.
        """
        for row in rows:
            if row.game in self._games:
                raise LedgerError(f"{self.path}: game {row.game} has its row already")
        durable.append(self.path, "".join(f"{row.to_json()}\n" for row in rows).encode())
        for row in rows:
            kept = self._games[row.game] = self._lean(row)
            self._rows.append(kept)

    def rule(self, ruling: RulingRow) -> None:
        """Append a ruling; when this returns, it is on disk.

        Raises:
            LedgerError: its number is not the next one.
            OSError: it could not be written; nothing of it stays in the file.
        """
        if ruling.number != len(self._rulings) + 1:
            raise LedgerError(f"{self.path}: the next ruling is number {len(self._rulings) + 1}, not {ruling.number}")
        durable.append(self.path, f"{ruling.to_json()}\n".encode())
        self._rulings.append(ruling)


def open_ledger(path: Path) -> tuple[Ledger, int]:
    """The ledger at `path`, made if there is none, and how many bytes of a torn last line were cut off.

    Raises:
        LedgerError: a line cannot be read.
    """
    if not path.exists():
        path.touch()
        durable.sync(path.parent)
    found = read_entries(path)
    if found.torn:
        durable.cut_torn_line(path)
    return Ledger(path, found.rows, found.rulings), found.torn


def read_rows(path: Path) -> tuple[list[Row], int]:
    """The games' rows of a ledger, and how many bytes of a torn last line were left out.

    Raises:
        LedgerError: a line cannot be read, or a game has two rows.
    """
    found = read_entries(path)
    return found.rows, found.torn


def read_entries(path: Path) -> Entries:
    """All rows of a ledger.

    Raises:
        LedgerError: a line cannot be read, a game has two rows, or rulings are not numbered one by one.
    """
    data = path.read_bytes()
    whole = data.rfind(b"\n") + 1
    rows: list[Row] = []
    rulings: list[RulingRow] = []
    seen: dict[int, int] = {}
    for number, line in enumerate(data[:whole].split(b"\n")[:-1], start=1):
        try:
            row = row_of_line(line.decode())
        except (ValueError, RecursionError) as error:
            raise LedgerError(f"{path}:{number}: not a row of a ledger: {error}") from error
        if isinstance(row, RulingRow):
            if row.number != len(rulings) + 1:
                raise LedgerError(f"{path}:{number}: the next ruling is number {len(rulings) + 1}, not {row.number}")
            rulings.append(row)
            continue
        if row.game in seen:
            raise LedgerError(f"{path}:{number}: game {row.game} has its row already, in line {seen[row.game]}")
        seen[row.game] = number
        rows.append(row)
    return Entries(rows, rulings, len(data) - whole)
