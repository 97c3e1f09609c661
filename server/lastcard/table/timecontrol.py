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

MOST_CREDIT_MS = 1_000
"""The largest `network_credit_ms`: no line that a game is worth playing over is slower."""

CREDIT_TOTAL_MS = 10_000
"""The most that a seat's bank is spared for the network in a whole match, unless the time control says otherwise: what
a hundred decisions over a line of a tenth of a second need, and a sixth of the usual bank for a bot that deceives."""


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
    network_credit_ms: int = 0
    """The most of one decision's time that is credited to the network; 0 credits nothing."""
    network_credit_total_ms: int = CREDIT_TOTAL_MS
    """The most that each seat's bank is spared by such credits in the whole match."""


def credited_ms(elapsed: int, known_ms: int, most_ms: int, limit_ms: int, total_left_ms: int) -> tuple[int, int]:
    """What of the time that a decision took is credited to the network, and how much of that the bank is spared.

    `known_ms` is what the network is known to have used, `most_ms` the most for one decision. Only what the bank is
    spared counts against `total_left_ms`: a quick answer costs nothing with or without credit. Whoever answers
    heartbeats slowly to buy time gains `total_left_ms` at most.
    """
    credit = max(0, min(known_ms, most_ms, elapsed))
    spared = min(credit, max(0, elapsed - limit_ms))
    if spared <= total_left_ms:
        return credit, spared
    return total_left_ms, total_left_ms


def bank_after(bank_ms: int, limit_ms: int, charged: int) -> int:
    """What is left of a bank after a decision that cost `charged`."""
    over = charged - limit_ms
    return bank_ms if over <= 0 else max(0, bank_ms - over)


def left_ms(limit_ms: int, bank_ms: int, elapsed: int) -> tuple[int, int]:
    """What is left of limit and bank after `elapsed`; the limit goes first."""
    return max(0, limit_ms - elapsed), bank_after(bank_ms, limit_ms, elapsed)
