"""What an option of the rules is: its name, its valid values, what each means, and how text becomes a value.

Here: the `Option` types and `RulesetError`. Not here: which options there are (`option_list`), the rules that they make
(`ruleset`). Imports only `face_map`.

Every option takes its value typed (`True`, `2`, `"off"`, `{"W": 40}`) or as text (`"true"`, `"2"`, `"off"`, `"W=40"`),
because a tournament file has types and the wire has not.
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field

from lastcard.rules.face_map import FaceMapError, Pairs, compact, pairs_text, read_pairs

Value = bool | int | str | Pairs
"""A parsed value: a flag, a whole number, a word, or the pairs of a map."""


class RulesetError(ValueError):
    """The rules asked for do not exist or cannot be played; the text is a sentence that names what is valid."""


@dataclass(frozen=True, slots=True)
class Option(ABC):
    """One option of rules.md section 7; `meanings` maps value texts to sentences."""

    name: str
    section: str
    help: str
    default: Value
    meanings: Mapping[str, str]

    @property
    @abstractmethod
    def valid(self) -> str:
        """The valid values in words, as they stand in an error."""

    @abstractmethod
    def parse(self, value: object) -> Value:
        """The typed value of `value`.

        Raises:
            RulesetError: the value is not valid, or not supported yet.
        """

    def text(self, value: Value) -> str:
        """The value as text, which `parse` takes again."""
        return str(value)

    def meaning(self, value: Value) -> str:
        """What the value means, as a sentence without its full stop."""
        return self.meanings[self.text(value)]

    def refuse(self, value: object) -> RulesetError:
        """The error for a value that is not valid."""
        shown = str(value).lower() if isinstance(value, bool) else repr(value)
        return RulesetError(f"{self.name} must be {self.valid}, not {shown}.")


@dataclass(frozen=True, slots=True)
class Choice(Option):
    """An option whose values are words; those in `unsupported` exist in rules.md and are refused for now."""

    unsupported: frozenset[str] = frozenset()

    @property
    def words(self) -> tuple[str, ...]:
        """The words that are supported."""
        return tuple(word for word in self.meanings if word not in self.unsupported)

    @property
    def valid(self) -> str:
        """The valid values in words."""
        return f"one of {', '.join(self.words)}" if len(self.words) > 1 else self.words[0]

    def parse(self, value: object) -> str:
        """The typed value; see `Option.parse`."""
        if isinstance(value, str) and value in self.unsupported:
            raise RulesetError(f"{self.name} = {value} is not yet supported; valid is {self.valid}.")
        if not isinstance(value, str) or value not in self.meanings:
            raise self.refuse(value)
        return value


@dataclass(frozen=True, slots=True)
class Combination(Option):
    """An option whose value is one word or several joined by `+`, kept in the order of `meanings`."""

    @property
    def valid(self) -> str:
        """The valid values in words."""
        return f"one or several of {', '.join(self.meanings)}, joined by +"

    def parse(self, value: object) -> str:
        """The typed value; see `Option.parse`."""
        if not isinstance(value, str):
            raise self.refuse(value)
        words = [word.strip() for word in value.split("+")]
        if len(set(words)) < len(words) or not set(words) <= set(self.meanings):
            raise self.refuse(value)
        return "+".join(word for word in self.meanings if word in words)

    def meaning(self, value: Value) -> str:
        """What the value means."""
        return "; or ".join(self.meanings[word] for word in str(value).split("+"))


@dataclass(frozen=True, slots=True)
class Flag(Option):
    """An option that is true or false."""

    @property
    def valid(self) -> str:
        """The valid values in words."""
        return "true or false"

    def parse(self, value: object) -> bool:
        """The typed value; see `Option.parse`."""
        if isinstance(value, bool):
            return value
        if value not in ("true", "false"):
            raise self.refuse(value)
        return value == "true"

    def text(self, value: Value) -> str:
        """The value as text."""
        return "true" if value else "false"


@dataclass(frozen=True, slots=True)
class Number(Option):
    """An option that is a whole number from `low` to `high`; `phrase` says what `{}` of it means.

    `only` is the one number that is supported so far, where it is not all of them.
    """

    phrase: str = ""
    low: int = 0
    high: int = 0
    only: int | None = None

    @property
    def valid(self) -> str:
        """The valid values in words."""
        if self.only is not None:
            return str(self.only)
        return f"a whole number from {self.low} to {self.high}"

    def parse(self, value: object) -> int:
        """The typed value; see `Option.parse`."""
        number = value if isinstance(value, int) and not isinstance(value, bool) else self._from_text(value)
        if not self.low <= number <= self.high:
            raise self.refuse(value)
        if self.only is not None and number != self.only:
            raise RulesetError(f"{self.name} = {number} is not yet supported; valid is {self.valid}.")
        return number

    def _from_text(self, value: object) -> int:
        # Python also reads "1_000" and other scripts' digits; a number has one spelling here.
        if not isinstance(value, str) or not value.isascii() or not value.isdigit() or len(value) > 10:
            raise self.refuse(value)
        return int(value)

    def meaning(self, value: Value) -> str:
        """What the value means."""
        special = self.meanings.get(self.text(value))
        return special if special is not None else self.phrase.format(value)


@dataclass(frozen=True, slots=True)
class FaceMap(Option):
    """An option that gives faces or ranks a number from `low` to `high`, for example `W=40,W4=40` or `R0=2,5=1`.

    `base` holds the numbers that hold where nothing is said; the value is kept in its shortest form.
    """

    phrase: str = ""
    low: int = 0
    high: int = 0
    base: Mapping[int, int] = field(default_factory=dict)

    @property
    def valid(self) -> str:
        """The valid values in words."""
        return (
            f"pairs of a card or rank (R5, 5, S, V, D, W, W4) and a whole number from {self.low} to {self.high}, "
            'as in "R0=2,W=4"'
        )

    def parse(self, value: object) -> Pairs:
        """The typed value; see `Option.parse`."""
        try:
            pairs = read_pairs(value, self.low, self.high)
        except FaceMapError as error:
            raise RulesetError(f"{self.name} must be {self.valid}; {error}.") from None
        return compact(pairs, self.base)

    def text(self, value: Value) -> str:
        """The value as text."""
        assert isinstance(value, tuple)
        return pairs_text(value)

    def meaning(self, value: Value) -> str:
        """What the value means."""
        return self.phrase.format(self.text(value)) if value else self.meanings[""]
