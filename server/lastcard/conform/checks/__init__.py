"""The checks, in the order in which they are reported.

Here: `CHECKS`. Not here: what a check is (`checking`). A module of checks has a tuple of its own of that name.
"""

from lastcard.conform.checking import Check
from lastcard.conform.checks import connection

CHECKS: tuple[Check, ...] = (*connection.CHECKS,)
"""The first is the gate: when the bot fails it, nothing else is tried."""
