"""Whether a bot gains when a deal comes again, as one would that remembers deals.

Here: the gains in words. Not here: how they come about (`remembering`). May import the standard library and the pure
modules of `tournament`.
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from lastcard.tournament.report.text import NONE
from lastcard.tournament.statistics import Estimate


class GainLine(NamedTuple):
    """A bot's gain, in shares of the win; `above` when its interval lies above 0."""

    bot: str
    gain: str
    interval: str
    above: bool


class Memory(NamedTuple):
    """The gains of all bots, and what they come to in a sentence."""

    lines: tuple[GainLine, ...]
    sentence: str


def memory_of(gains: Mapping[str, Estimate], ranked: Sequence[str]) -> Memory:
    """The gains of these bots, which are in the order of the ranking."""
    lines = tuple(_line(bot, gains[bot]) for bot in ranked if bot in gains)
    above = [line.bot for line in lines if line.above]
    told = "no bot wins more, beyond chance," if not above else f"{', '.join(above)} won more"
    return Memory(lines, f"When a deal comes again: {told} in the later games of its sets than in the first")


def _line(bot: str, made: Estimate) -> GainLine:
    if made.mean is None or made.interval is None:
        return GainLine(bot, NONE if made.mean is None else f"{float(made.mean):+.1%}", NONE, above=False)
    low, high = made.interval
    return GainLine(bot, f"{float(made.mean):+.1%}", f"{low:+.1%} to {high:+.1%}", above=low > 0)
