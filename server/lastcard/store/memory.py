"""A store that keeps nothing beyond the process: for tests, benchmarks and arenas whose results are written elsewhere.

Here: `MemoryStore`. Not here: what the entries mean (`table.journal`). May import only `lastcard.table`.
"""

from collections.abc import Callable, Sequence

from lastcard.table.journal import Entry


class MemoryStore:
    """Calls back at once: nothing outlives the process, so everything is as durable as it will ever be."""

    failure: str | None = None
    """Nothing can fail that is not written."""

    def append(self, entries: Sequence[Entry], then: Callable[[], None]) -> None:  # noqa: ARG002 - nothing is kept
        """Keeps nothing and calls `then`."""
        then()

    async def table(self, table_id: str) -> None:
        """Knows no table from before."""

    def close(self) -> None:
        """Has nothing to close."""
