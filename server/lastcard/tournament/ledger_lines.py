"""The lines of a ledger by their numbers, for those who look on while it grows.

Here: `LedgerLines`, which keeps where lines are and not what is in them, so that it stays small however many games
there are. Not here: what a row is (`rows`), writing (`ledger`). May import the standard library, `ledger`, `rows` and
`judging`.
"""

from array import array
from pathlib import Path
from typing import NamedTuple

from lastcard.tournament.judging import complete_sets
from lastcard.tournament.ledger import LedgerError
from lastcard.tournament.rows import Row, RulingRow, row_of_line


class Line(NamedTuple):
    """A line: its number from 1, the row, its text, and whether games of the row's set are still to be played."""

    number: int
    row: Row | RulingRow
    text: str
    open_set: bool


class LedgerLines:
    """The lines of the ledger at `path`, which need not exist yet; read anew by `read_on` alone."""

    def __init__(self, path: Path, *, all_orders: bool = False) -> None:
        self.path = path
        self._all_orders = all_orders
        self._ends = array("Q")
        """Where each line ends."""
        self._open: dict[int, list[Row]] = {}
        """The rows of sets that are not complete."""
        self.games = 0
        """How many of the lines are games."""
        self.rulings: list[RulingRow] = []
        """The lines that are not."""
        self.ruling_lines: list[int] = []
        """The numbers of these lines."""

    def __len__(self) -> int:
        return len(self._ends)

    def read_on(self) -> None:
        """Take in the lines that have been written since; one without its end is not counted.

        Raises:
            LedgerError: a line cannot be read.
            OSError: the file cannot be read.
        """
        begin = self._ends[-1] if self._ends else 0
        for text in self._bytes(begin, None).split(b"\n")[:-1]:
            row = self._row(text, len(self._ends) + 1)
            begin += len(text) + 1
            self._ends.append(begin)
            if isinstance(row, Row):
                self.games += 1
                members = self._open.setdefault(row.set, [])
                members.append(row)
                if complete_sets(members, all_orders=self._all_orders):
                    del self._open[row.set]
            else:
                self.rulings.append(row)
                self.ruling_lines.append(len(self._ends))

    def lines(self, first: int, most: int) -> list[Line]:
        """At most so many lines, from the one with the number `first` on, as far as they have been taken in.

        Raises:
            LedgerError: a line cannot be read.
            OSError: the file cannot be read.
        """
        last = min(first + most - 1, len(self._ends))
        if last < first:
            return []
        begin = self._ends[first - 2] if first > 1 else 0
        texts = self._bytes(begin, self._ends[last - 1]).split(b"\n")[:-1]
        found = []
        for number, text in enumerate(texts, first):
            row = self._row(text, number)
            found.append(Line(number, row, text.decode(), isinstance(row, Row) and row.set in self._open))
        return found

    def rulings_from(self, first: int, most: int) -> list[Line]:
        """As `lines`, of rulings alone."""
        wanted = [number for number in self.ruling_lines if number >= first][:most]
        return [line for number in wanted for line in self.lines(number, 1)]

    def _bytes(self, begin: int, end: int | None) -> bytes:
        try:
            with self.path.open("rb") as file:
                file.seek(begin)
                return file.read(-1 if end is None else end - begin)
        except FileNotFoundError:
            return b""

    def _row(self, text: bytes, number: int) -> Row | RulingRow:
        try:
            return row_of_line(text.decode())
        except (ValueError, RecursionError) as error:
            raise LedgerError(f"{self.path}:{number}: not a row of a ledger: {error}") from error
