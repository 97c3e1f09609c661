"""The clock as values: limits, banks and what a decision costs, in whole milliseconds.

Here: `TimeControl`, the constants of timing, the arithmetic of limit and bank. Not here: who is asked and what follows
from a timeout (`match`), seats and their connections (`presence`). Imports nothing of ours.
"""

from dataclasses import dataclass

NEVER = 1 << 62
"""A time that does not come."""

SETTLE_MS = 50
"""How long after a deadline its timer fires, so that an answer stamped in time but handled late still counts (C81).

Stamping and handling are one turn of an event loop apart, 5 to 20 ms at saturation.
"""

CREDIT_LIMIT_MS = 100
"""The most that one decision is credited for the network, so that a bot cannot buy time by slow heartbeat replies."""


@dataclass(frozen=True, slots=True)
class TimeControl:
    """The time control of a table (rules.md 7.8)."""

    limit_ms: int = 2_000
    """Time for one decision of any kind but `REACTION`."""
    bank_ms: int = 60_000
    """Reserve of each seat for the whole match, used when a decision takes longer than its limit."""
    reaction_ms: int = 500
    """Time for a sealed `REACTION` decision."""
    start_up_ms: int = 30_000
    """Time for which a seat is kept for a bot that has not connected yet."""
    grace_ms: int = 40_000
    """Time to come back after a lost connection, while the clock runs on."""


def charged_ms(sent_ms: int, received_ms: int, credit_ms: int = 0) -> int:
    """The time a decision cost: from sent to received, less what the network used (at most `CREDIT_LIMIT_MS`)."""
    return max(0, received_ms - sent_ms - min(credit_ms, CREDIT_LIMIT_MS))


def bank_after(bank_ms: int, limit_ms: int, charged: int) -> int:
    """What is left of a bank after a decision that cost `charged`."""
    over = charged - limit_ms
    return bank_ms if over <= 0 else max(0, bank_ms - over)


def left_ms(limit_ms: int, bank_ms: int, elapsed: int) -> tuple[int, int]:
    """What is left of limit and bank after `elapsed`; the limit goes first."""
    return max(0, limit_ms - elapsed), bank_after(bank_ms, limit_ms, elapsed)
