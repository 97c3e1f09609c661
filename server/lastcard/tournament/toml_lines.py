"""The line on which each key of a TOML text stands, which the standard library's reader does not tell.

Here: a scanner that walks over text that `tomllib` has already accepted, and so need not judge it, and what to look for
before `tomllib` is asked. Not here: what the keys mean (`file`). May import the standard library only.
"""

import re
import tomllib
from bisect import bisect_right

Path = tuple[str | int, ...]
"""Where a value stands: keys, and indices from 0 in arrays, as in `("bot", 0, "name")`."""

_BLANK = " \t\n"
_VALUE_ENDS = ",]}#\n"

_LONG_KEY = re.compile(r"""(?<![\w-])(?:(?:[\w-]++|"[^"\n]{0,64}+"|'[^'\n]{0,64}+')[ \t]*+\.[ \t]*+){32}""", re.ASCII)
"""A dotted key of more than 32 parts; parts in quotes are counted up to a length, so that looking takes no time."""


def has_long_keys(text: str) -> bool:
    """Whether a text, TOML or not, has dotted keys that take `tomllib` long: its time grows with the parts' square."""
    return _LONG_KEY.search(text) is not None


def toml_lines(text: str) -> dict[Path, int]:
    """The line, from 1, of each key, array element and table header of `text`, which must be valid TOML.

    A dotted key and a header stand for all their parts; a part that occurs several times has its first line.
    """
    scanner = _Scanner(text.replace("\r\n", "\n"))
    scanner.scan()
    return scanner.lines


class _Scanner:
    """A walk over valid TOML that notes where keys stand."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0
        self.table: Path = ()
        self.lines: dict[Path, int] = {}
        self._counts: dict[Path, int] = {}  # arrays of tables: how many tables so far
        self._line_starts = [0, *(place + 1 for place, letter in enumerate(text) if letter == "\n")]

    def scan(self) -> None:
        self._skip_blank()
        while self.at < len(self.text):
            if self.text.startswith("[", self.at):
                self._header()
            else:
                self._pair(self.table)
            self._skip_blank()

    def _header(self) -> None:
        brackets = 2 if self.text.startswith("[[", self.at) else 1
        self.at += brackets
        start, keys = self._keys()
        self.at += brackets
        path: Path = ()
        for key in keys[:-1]:
            path = self._inside((*path, key), start)
        path = (*path, keys[-1])
        if brackets == 2:
            self._counts[path] = self._counts.get(path, 0) + 1
        self.table = self._inside(path, start)

    def _inside(self, path: Path, start: int) -> Path:
        """The table that a header's `path` means: in an array of tables the last one."""
        self._note(path, start)
        if path in self._counts:
            path = (*path, self._counts[path] - 1)
            self._note(path, start)
        return path

    def _pair(self, table: Path) -> None:
        start, keys = self._keys()
        path = table
        for key in keys:
            path = (*path, key)
            self._note(path, start)
        self.at += 1  # the equals sign
        self._value(path)

    def _keys(self) -> tuple[int, list[str]]:
        """A dotted key; leaves off at what follows it."""
        self._skip(" \t")
        start, keys = self.at, [self._key()]
        self._skip(" \t")
        while self.text.startswith(".", self.at):
            self.at += 1
            self._skip(" \t")
            keys.append(self._key())
            self._skip(" \t")
        return start, keys

    def _key(self) -> str:
        start = self.at
        if self.text[start] in "\"'":
            self._string()
            return str(tomllib.loads(f"key = {self.text[start : self.at]}")["key"])
        while self.text[self.at] not in " \t.=]":
            self.at += 1
        return self.text[start : self.at]

    def _value(self, path: Path) -> None:
        self._skip(" \t")
        letter = self.text[self.at]
        if letter in "\"'":
            self._string()
        elif letter == "[":
            self._array(path)
        elif letter == "{":
            self._inline_table(path)
        else:
            while self.at < len(self.text) and self.text[self.at] not in _VALUE_ENDS:
                self.at += 1

    def _array(self, path: Path) -> None:
        self.at += 1
        index = 0
        self._skip_blank()
        while self.text[self.at] != "]":
            self._note((*path, index), self.at)
            self._value((*path, index))
            index += 1
            self._skip_comma()
        self.at += 1

    def _inline_table(self, path: Path) -> None:
        self.at += 1
        self._skip_blank()
        while self.text[self.at] != "}":
            self._pair(path)
            self._skip_comma()
        self.at += 1

    def _skip_comma(self) -> None:
        self._skip_blank()
        if self.text[self.at] == ",":
            self.at += 1
            self._skip_blank()

    def _string(self) -> None:
        quote = self.text[self.at]
        closing = quote * 3 if self.text.startswith(quote * 3, self.at) else quote
        self.at += len(closing)
        while not self.text.startswith(closing, self.at):
            self.at += 2 if quote == '"' and self.text[self.at] == "\\" else 1
        self.at += len(closing)
        if len(closing) == 3:
            # Up to two quotes may stand directly before the closing three.
            for _ in range(2):
                self.at += self.text.startswith(quote, self.at)

    def _skip(self, letters: str) -> None:
        while self.at < len(self.text) and self.text[self.at] in letters:
            self.at += 1

    def _skip_blank(self) -> None:
        """Skip blanks, line ends and comments."""
        self._skip(_BLANK)
        while self.text.startswith("#", self.at):
            end = self.text.find("\n", self.at)
            self.at = len(self.text) if end < 0 else end
            self._skip(_BLANK)

    def _note(self, path: Path, place: int) -> None:
        self.lines.setdefault(path, bisect_right(self._line_starts, place))
