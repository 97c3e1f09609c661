"""The checks, in the order in which they are reported.

Here: `CHECKS`. Not here: what a check is (`checking`). A module of checks has a tuple of its own of that name.
"""

from lastcard.conform.checking import Check
from lastcard.conform.checks import (
    calling,
    connection,
    ending,
    frames,
    games,
    many,
    newer,
    questions,
    refusals,
    repeats,
    resuming,
)

CHECKS: tuple[Check, ...] = (
    *connection.CHECKS,
    *questions.CHECKS,
    *calling.CHECKS,
    *refusals.CHECKS,
    *repeats.CHECKS,
    *many.CHECKS,
    *games.CHECKS,
    *newer.CHECKS,
    *frames.CHECKS,
    *resuming.CHECKS,
    *ending.CHECKS,
)
"""The first is the gate of all others."""
