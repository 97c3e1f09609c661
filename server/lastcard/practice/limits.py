"""What limits would have done to decisions that took so long.

Here: `lost`, `within`, `unseen_share`. Not here: their text (`report`). Imports `timing` and the clock's arithmetic of
`lastcard.table.timecontrol`; no input or output, no clock.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from lastcard.practice.timing import REACTION, Timed
from lastcard.table.timecontrol import bank_after, credited_ms

SURE = 0.95
"""How sure a statement about decisions that were not played is to be."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a clock would have done: decisions above the limit, lost ones, and the most that a game took of the bank."""

    over: int
    lost: int
    bank_used_ms: int


def under(
    decisions: Sequence[Timed], limit_ms: int, bank_ms: int, credit_ms: int = 0, credit_total_ms: int = 0
) -> Outcome:
    """What limit, bank and network credit would have done to decisions of the own turn, the bank new in each game.

    A decision is lost when it takes longer than the limit and what is left of the bank; the credit spares the bank and
    moves no deadline.
    """
    over = lost = most = 0
    for game in {decision.game for decision in decisions}:
        bank, total = bank_ms, credit_total_ms
        for decision in decisions:
            if decision.game != game or decision.kind == REACTION:
                continue
            over += decision.took_ms > limit_ms
            if not decision.answered or decision.took_ms > limit_ms + bank:
                lost += 1
                bank = 0
                continue
            credit, spared = credited_ms(decision.took_ms, decision.credit_ms, credit_ms, limit_ms, total)
            total -= spared
            bank = bank_after(bank, limit_ms, decision.took_ms - credit)
        most = max(most, bank_ms - bank)
    return Outcome(over, lost, most)


def lost_reactions(decisions: Sequence[Timed], reaction_ms: int) -> int:
    """How many reactions would have been missed; they have no bank."""
    return sum(
        not decision.answered or decision.took_ms > reaction_ms for decision in decisions if decision.kind == REACTION
    )


def within(decisions: Sequence[Timed], share: float) -> int | None:
    """The least limit that so large a share of the decisions keep without a bank; absent when there is none."""
    if not decisions:
        return None
    needed = math.ceil(share * len(decisions) - 1e-9)
    took = sorted(decision.took_ms for decision in decisions if decision.answered)
    if needed > len(took):
        return None
    return took[max(0, needed - 1)]


def unseen_share(count: int) -> float:
    """The largest share of all decisions that may still be longer than the longest of `count`, `SURE` as we want to be.

    With a larger share the chance that none of them was among those that were played is below 1 − `SURE`.
    """
    return 1.0 if not count else 1 - (1 - SURE) ** (1 / count)
