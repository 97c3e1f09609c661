"""What a format is: a pure function from what was played to what is played next.

Here: the contract and the values that pass it. Not here: the formats (one module each), the games of a stage
(`schedule`). May import the standard library only.

A format gives its tournament stage by stage. A stage is decided from complete stages alone, so that it depends neither
on which game ended first nor on how far an interrupted run had come: the same file and the same results give the same
next stage. A format that does not look at results gives one stage.
"""

from collections.abc import Sequence
from typing import NamedTuple, Protocol


class FormatError(ValueError):
    """A tournament cannot be played as designed; `key` is what to change, and the text a sentence on what is valid."""

    def __init__(self, key: str, sentence: str) -> None:
        super().__init__(sentence)
        self.key = key


class Design(NamedTuple):
    """What the organiser fixed: the bots in the order of the file, seats a table, deals for each table of bots."""

    bots: tuple[str, ...]
    table_size: int
    deals: int


class Stage(NamedTuple):
    """What can be played without waiting for a result: each composition of bots plays `deals` sets."""

    compositions: tuple[tuple[str, ...], ...]
    deals: int


class SetResult(NamedTuple):
    """How a complete set came out: the mean score of each bot of the composition, in its order."""

    composition: tuple[str, ...]
    scores: tuple[float, ...]


class Format(Protocol):
    """A way to decide who plays whom."""

    @property
    def name(self) -> str:
        """The name in the tournament file."""

    @property
    def about(self) -> str:
        """What it does, in one sentence."""

    def check(self, design: Design) -> None:
        """Check that the design can be played.

        Raises:
            FormatError: it cannot.
        """

    def next_stage(self, design: Design, played: Sequence[Sequence[SetResult]]) -> Stage | None:
        """The stage after the complete stages `played` (each its sets in order), or `None` when all is played."""
