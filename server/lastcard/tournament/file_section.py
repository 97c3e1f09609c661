"""Reading the tables of a tournament file so that every refusal names file, line and key.

Here: `FileError`, and `Section`, which takes keys out of one table and refuses what is wrong with them. Not here: which
keys there are (`file`). May import the standard library, `durations` and `toml_lines`.
"""

import difflib
import json
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from lastcard.tournament.durations import LONGEST_MS, milliseconds
from lastcard.tournament.toml_lines import Path


class FileError(ValueError):
    """A tournament file is refused; the text is `FILE:LINE: KEY: sentence`; line 0 is none, for the file as a whole."""

    def __init__(self, file: str, line: int, key: str, sentence: str) -> None:
        where = f"{file}:{line}" if line else file
        super().__init__(f"{where}: {key}: {sentence}" if key else f"{where}: {sentence}")
        self.file = file
        self.line = line
        self.key = key
        self.sentence = sentence


class Source(NamedTuple):
    """The file that is read: its name for errors, and on which line its keys stand."""

    name: str
    lines: Mapping[Path, int]

    def refuse(self, path: Path, sentence: str) -> FileError:
        """The error for the value at `path`, on its line or that of the nearest table around it."""
        line, around = 1, path
        while around:
            if around in self.lines:
                line = self.lines[around]
                break
            around = around[:-1]
        return FileError(self.name, line, key_text(path), sentence)


def key_text(path: Path) -> str:
    """A path as it is named in errors: `clock.limit`, `bot[2].name`, with arrays counted from 1."""
    text = ""
    for part in path:
        text += f"[{part + 1}]" if isinstance(part, int) else f".{part}" if text else part
    return text


def listed(words: Iterable[str]) -> str:
    """Words in a list for a sentence."""
    return ", ".join(words)


class Section:
    """One table of the file: `valid` are all its keys, and any other is refused at once.

    Raises:
        FileError: the value is no table, or has a key that is not valid.
    """

    def __init__(self, source: Source, path: Path, values: object, valid: Iterable[str]) -> None:
        self.source = source
        self.path = path
        self.valid = tuple(valid)
        if not isinstance(values, dict):
            raise source.refuse(path, f"must be a table, not {shown(values)}")
        self._values: dict[str, Any] = values
        for key in values:
            if key not in self.valid:
                raise self.refuse(key, unknown("key", key, self.valid))

    def __contains__(self, key: str) -> bool:
        return key in self._values

    def refuse(self, key: str, sentence: str) -> FileError:
        """The error for one key."""
        return self.source.refuse((*self.path, key), sentence)

    def raw(self, key: str) -> object:
        """The value of a key as it stands; `None` when it is absent."""
        return self._values.get(key)

    def text(self, key: str, default: str | None = None) -> str:
        """A text; required when there is no default."""
        value = self._value(key, default, "a text in quotes")
        if not isinstance(value, str):
            raise self.refuse(key, f"must be a text in quotes, not {shown(value)}")
        if "\0" in value:
            raise self.refuse(key, f"must be a text without \\u0000, not {shown(value)}")
        return value

    def word(self, key: str, valid: Iterable[str], default: str | None = None) -> str:
        """One of the `valid` texts."""
        words = tuple(valid)
        value = self._value(key, default, f"one of {listed(words)}")
        if value not in words:
            raise self.refuse(key, unknown("value", value, words))
        return str(value)

    def number(self, key: str, low: int, high: int, default: int | None = None) -> int:
        """A whole number from `low` to `high`."""
        valid = f"a whole number from {low} to {high}"
        value = self._value(key, default, valid)
        if not isinstance(value, int) or isinstance(value, bool) or not low <= value <= high:
            raise self.refuse(key, f"must be {valid}, not {shown(value)}")
        return value

    def flag(self, key: str, default: bool) -> bool:
        """True or false."""
        value = self._values.get(key, default)
        if not isinstance(value, bool):
            raise self.refuse(key, f"must be true or false, not {shown(value)}")
        return value

    def share(self, key: str, low: float, high: float, default: float) -> float:
        """A number from `low` to `high`, which need not be whole."""
        value = self._values.get(key, default)
        if not isinstance(value, int | float) or isinstance(value, bool) or not low <= value <= high:
            raise self.refuse(key, f"must be a number from {low} to {high}, not {shown(value)}")
        return float(value)

    def duration_ms(self, key: str, default_ms: int, *, least_ms: int = 0, most_ms: int = LONGEST_MS) -> int:
        """A span of time, a text such as "500ms", "2s", "1.5s", "1m" or "1h", in whole milliseconds."""
        value = self._values.get(key)
        if value is None:
            return default_ms
        span = milliseconds(value) if isinstance(value, str) else None
        if span is None or not least_ms <= span <= most_ms:
            least = "0s" if least_ms == 0 else f"{least_ms}ms"
            most = "24h" if most_ms == LONGEST_MS else f"{most_ms}ms"
            valid = f'a span of time in quotes such as "500ms", "2s" or "1m", from {least} to {most}'
            raise self.refuse(key, f"must be {valid}, not {shown(value)}")
        return span

    def texts(self, key: str, example: str = '["python3", "my_bot.py"]') -> tuple[str, ...] | None:
        """A list of texts that is not empty; `None` when it is absent. `example` is shown where it is refused."""
        value = self._values.get(key)
        if value is None:
            return None
        if not isinstance(value, list) or not value:
            raise self.refuse(key, f"must be a list of texts such as {example}, not {shown(value)}")
        for place, part in enumerate(value):
            if not isinstance(part, str) or "\0" in part:
                raise self.source.refuse((*self.path, key, place), f"must be a text in quotes, not {shown(part)}")
        return tuple(value)

    def _value(self, key: str, default: object, valid: str) -> object:
        value = self._values.get(key, default)
        if value is None:
            raise self.source.refuse(self.path, f"the key {key!r} is missing; it must be {valid}")
        return value


def unknown(what: str, given: object, valid: Iterable[str]) -> str:
    """A sentence on a name that does not exist, with the valid ones and the likeliest."""
    words = tuple(valid)
    near = difflib.get_close_matches(str(given), words, n=1, cutoff=0.7)
    hint = f" (did you mean {near[0]!r}?)" if near else ""
    return f"unknown {what} {shown(given)}{hint}; valid are {listed(words)}"


def shown(value: object) -> str:
    """A value as it might stand in the file."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, dict):
        return "a table"
    # A text as JSON writes it, which is TOML's way too: what cannot be seen is escaped.
    if isinstance(value, str):
        text = json.dumps(value, ensure_ascii=not value.isprintable())
    else:
        text = repr(value) if isinstance(value, int | float | list) else str(value)
    return text if len(text) <= 60 else f"{text[:57]}..."
