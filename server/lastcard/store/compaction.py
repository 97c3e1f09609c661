"""What keeps the journal small: rows are read again, and only commands of tables that are still needed go back.

Here: `Compaction`, which says what is to be read next, and `without`. Not here: reading and writing (`file`).

A pass over all rows begins when the journal holds twice as many commands as the last pass left, and `LEAST` more. So
what is kept for nothing is bounded by what is needed, however long some table stays open, and each command is read
again about twice in its life. A pass goes on with every commit by a slice, which takes the thread about a millisecond.
"""

import json
from collections import deque
from collections.abc import Collection, Iterable, Sequence

SLICE = 1_000
"""Commands in a row at most when it is written first, and about as many that are read again at a time."""

LEAST = 20_000
"""Commands that a pass must be able to find for nothing, at least: about a megabyte."""

Row = tuple[int, int]
"""Number of a batch, and how many commands its row holds."""


class Compaction:
    """The rows of a journal and how far a pass over them has come."""

    def __init__(self, rows: Iterable[Row], needed: int) -> None:
        self.total = 0
        """Commands in the journal."""
        self._waiting: deque[Row] = deque()
        self._passed: list[Row] = []
        self._left = needed
        """Commands that the last pass left; at first those that are known to be needed."""
        self._last = -1
        """The last batch of the pass; below all batches when there is none."""
        for row in rows:
            self.added(row)

    def added(self, row: Row) -> None:
        """A row was written behind all others."""
        self._waiting.append(row)
        self.total += row[1]

    def next_slice(self) -> Sequence[Row]:
        """Rows to read again now, neighbours in order; none while the journal is small enough."""
        if self._last < 0:
            if self.total < 2 * self._left + LEAST:
                return ()
            self._last = self._waiting[-1][0]
        rows, count = [], 0
        while self._waiting and self._waiting[0][0] <= self._last and count < SLICE:
            rows.append(self._waiting.popleft())
            count += rows[-1][1]
        return rows

    def replaced(self, rows: Sequence[Row], by: Row) -> None:
        """Rows of a slice were written back as one."""
        self.total += by[1] - sum(count for _, count in rows)
        self._passed.append(by)
        if not self._waiting or self._waiting[0][0] > self._last:
            self._left = sum(count for _, count in self._passed)
            self._waiting.extendleft(reversed(self._passed))
            self._passed, self._last = [], -1


def without(texts: Sequence[tuple[int, str]], needed: Collection[int]) -> tuple[int, str]:
    """The commands of several rows as one, those of tables that are not needed left out; how many, and the text.

    The rows are pairs of how many commands they have, and their text (`commands_text`).
    """
    kept: list[str] = []
    for count, text in texts:
        # Cutting is three times as fast as reading, and makes nothing that Python's collector would have to look at.
        commands = text[2:-3].split(_BETWEEN) if count else []
        if len(commands) != count:  # what stands between commands stands in a string too
            commands = [_encode(command)[1:-2] for command in json.loads(text)]
        kept += [command for command in commands if int(command.partition(",")[0]) in needed]
    return len(kept), f"[[{_BETWEEN.join(kept)}]]]" if kept else "[]"


_BETWEEN = "]],["
"""Between two commands: the end of the fields, which are a list, and of the command."""

_encode = json.JSONEncoder(separators=(",", ":"), check_circular=False).encode
