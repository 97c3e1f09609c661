"""How often who may call, so that a flood of calls costs the others nothing.

Here: `Gate`, and `FreeAnswers`, which it never counts. Not here: the bucket (`table.flood`), messages within a stream
(`table.session`), calls that say nothing (`patience`).
"""

from lastcard.table.flood import Allowance
from lastcard.table.ports import Clock
from lastcard.table.refusals import DomainError, TransportReason
from lastcard.table.session import FREE_ACTS

KEYS_KEPT = 10_000
"""Callers counted at once. One that has been quiet is as one that has never come, so those go first."""

DECISIONS_KEPT = 10_000
"""Decisions of which answers are counted."""

_LOOKS = 8
"""How many are looked at for each that is new, so that no call pays for all that there are."""


WAIT_MS = 1_000
"""When to try again: later than when the next one would be let in, since whoever is refused is not alone."""

CALLS_AT_ONCE = 4
"""For how many seconds' worth a caller may call at once."""


class Gate:
    """A bucket for each caller: `burst` calls at once, and `per_second` for long."""

    def __init__(self, what: str, clock: Clock, *, burst: float, per_second: float) -> None:
        self._what = what
        self._clock = clock
        self._burst = burst
        self._per_second = per_second
        self._allowances: dict[str, Allowance] = {}

    def enter(self, key: str) -> None:
        """Counts a call.

        Raises:
            DomainError: TOO_FAST, with the time to wait.
        """
        now = self._clock()
        allowance = self._allowances.get(key)
        if allowance is None:
            allowance = self._allowances[key] = Allowance(now, self._burst, self._per_second)
            if len(self._allowances) > KEYS_KEPT:
                self._forget_some(now)
        if allowance.take(now):
            sentence = (
                f"too many {self._what}: {self._per_second:g} a second are allowed for long and {self._burst:g} at "
                f"once; try again in {WAIT_MS // 1000} s"
            )
            raise DomainError(TransportReason.TOO_FAST, sentence, retry_after_ms=WAIT_MS)

    def charge(self, key: str, cost: float) -> None:
        """Counts a call that turned out to be more work than others as several."""
        allowance = self._allowances.get(key)
        if allowance is not None:
            allowance.charge(cost)

    def __len__(self) -> int:
        return len(self._allowances)

    def _forget_some(self, now_ms: int) -> None:
        for _ in range(_LOOKS):
            if len(self._allowances) <= KEYS_KEPT:
                return
            oldest = next(iter(self._allowances))
            allowance = self._allowances.pop(oldest)
            if not allowance.is_full(now_ms) and len(self._allowances) < 2 * KEYS_KEPT:
                self._allowances[oldest] = allowance


def gate_of_calls(clock: Clock, per_second: float) -> Gate:
    """The gate of all single calls."""
    return Gate("calls", clock, burst=CALLS_AT_ONCE * per_second, per_second=per_second)


class FreeAnswers:
    """Answers by single calls to open decisions: the first few to each are never taken for a flood."""

    def __init__(self) -> None:
        self._answers: dict[tuple[str, int], int] = {}

    def take(self, table_id: str, decision_id: int) -> bool:
        """Counts an answer to an open decision; whether it is free."""
        key = (table_id, decision_id)
        count = self._answers.pop(key, 0) + 1
        self._answers[key] = count
        if len(self._answers) > DECISIONS_KEPT:
            del self._answers[next(iter(self._answers))]
        return count <= FREE_ACTS
