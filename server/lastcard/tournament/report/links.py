"""Links from the page to files of the results directory.

Here: which files are linked, and how. Not here: which are there (`played`). May import the standard library only.

A ledger may come from anywhere, so that what it calls a record is linked only when it is a file that was found in the
directory.
"""

from collections.abc import Collection
from urllib.parse import quote

TOP_FILES = ("ledger.jsonl", "tournament.toml", "event.json", "incidents.jsonl", "arena.log")
"""Files of the directory itself that are linked, as they are there before the page is written."""


class Links:
    """Links to the files that are `present`, paths relative to the directory, which lies at `base` from the page."""

    def __init__(self, present: Collection[str], base: str = "") -> None:
        self._present = present
        self._base = base if not base or base.endswith("/") else f"{base}/"

    def to_record(self, record: str) -> str | None:
        """The link to a record, as the ledger names it; it may have been compressed since."""
        return self._to(record) or self._to(f"{record}.gz")

    def to_outputs(self, bot: str) -> list[str]:
        """The links to what a bot printed: a file for each of the places where it ran."""
        names = [path for path in self._present if path.startswith((f"bots/{bot}.log", f"bots/{bot}@"))]
        return [link for path in sorted(names) if path.endswith(".log") and (link := self._to(path))]

    def to_files(self) -> list[tuple[str, str]]:
        """The links to the files that everything follows from, with their names."""
        return [(name, link) for name in TOP_FILES if (link := self._to(name))]

    def _to(self, path: str) -> str | None:
        return quote(self._base + path, safe="/.") if path in self._present else None
