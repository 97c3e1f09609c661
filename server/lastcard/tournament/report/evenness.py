"""The balance of the design, as it was played: whether all bots had the same chances of seats and neighbours.

Here: its figures in words. Not here: the figures (`balance`). May import the standard library and the pure modules of
`tournament`.
"""

from typing import NamedTuple

from lastcard.tournament.balance import Balance, Spread


class EvenLine(NamedTuple):
    """One figure: what it is, its least and most, and whether these are the same."""

    what: str
    least: str
    most: str
    even: bool


class Evenness(NamedTuple):
    """The balance; `apart` says which pairs never met, if any."""

    lines: tuple[EvenLine, ...]
    tables: int
    apart: str


def evenness_of(made: Balance) -> Evenness:
    """The balance in words."""
    lines = (
        _line("complete sets of a bot", made.sets_a_bot),
        _line("sets in which two bots meet", made.meetings),
        _line("games of a bot in one seat", made.seats),
        _line("games in which one bot sits right before another", made.before),
    )
    return Evenness(lines, made.tables, _apart(made))


def _line(what: str, spread: Spread) -> EvenLine:
    return EvenLine(what, f"{spread.least:,}", f"{spread.most:,}", spread.even)


def _apart(made: Balance) -> str:
    if not made.apart:
        return ""
    pairs = ", ".join(f"{one} and {other}" for one, other in made.apart[:6])
    more = f" and {len(made.apart) - 6:,} more pairs" if len(made.apart) > 6 else ""
    return f"Never at one table: {pairs}{more}."
