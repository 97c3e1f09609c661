"""When the clock of each decision began, and what must be left of it: reckoned apart from the machine.

Here: `Clocks`. Not here: what else must be true of a table (`invariants`). May look at who is away, nothing else.
"""

from lastcard.rules.reasons import Reason
from lastcard.table.commands import Command, DecisionSent, Recovered
from lastcard.table.effects import Ask, DecisionKind, Receipt, Withdraw
from lastcard.table.machine import Table
from lastcard.table.timecontrol import SETTLE_MS


class Clocks:
    """The clocks of the open decisions of one table."""

    def __init__(self, table: Table, banks: list[int]) -> None:
        self._table = table
        self._banks = banks
        """What each seat has left; kept by whoever follows the table."""
        self._began: dict[int, int] = {}
        self._open: dict[int, Ask] = {}
        self._inherited: int | None = None
        """When the clock began of a decision that is asked anew under another number."""
        self._spared = [0] * len(banks)
        """What credits have spared each seat's bank."""
        self._now = 0

    def begin(self, command: Command, now_ms: int) -> None:
        """A command is about to be done."""
        self._now = now_ms
        if isinstance(command, DecisionSent):
            ask = self._open.get(command.decision_id)
            if ask is not None and ask.seat == command.seat and not self._is_awaited(ask.seat):
                self._began.setdefault(ask.decision_id, now_ms)
        elif isinstance(command, Recovered):
            self._began.clear()

    def end(self) -> None:
        """A command has been done: the clocks of those who are away run."""
        for ask in self._open.values():
            if self._table._docket.away[ask.seat]:
                self._began.setdefault(ask.decision_id, self._now)

    def _is_awaited(self, seat: int) -> bool:
        return bool(self._table._docket.awaited >> seat & 1)

    def asked(self, ask: Ask) -> None:
        """A decision is put, for the first time or again."""
        if ask.decision_id not in self._open and self._inherited is not None:
            self._began[ask.decision_id] = self._inherited
        self._inherited = None
        self._open[ask.decision_id] = ask
        clock = self._table.setup.clock
        began = self._began.get(ask.decision_id)
        elapsed = 0 if began is None else self._now - began
        if ask.kind == DecisionKind.REACTION:
            if self._table.setup.sealed:
                assert ask.limit_ms == max(1 if elapsed else clock.reaction_ms, clock.reaction_ms - elapsed)
            return
        bank = self._banks[ask.seat]
        assert ask.limit_ms == max(0, clock.limit_ms - elapsed), "a decision is asked with a wrong limit"
        assert ask.bank_ms == max(0, bank - max(0, elapsed - clock.limit_ms)), "a decision is asked with a wrong bank"

    def closed(self, ask: Ask, receipt: Receipt, bank_ms: int) -> None:
        """A decision is closed; `bank_ms` is what its seat had before."""
        began = self._began.pop(ask.decision_id, None)
        del self._open[ask.decision_id]
        if began is not None:
            assert receipt.sent_ms == began, "a receipt says another time of sending"
        elif receipt.received_ms is not None:
            assert receipt.sent_ms == receipt.received_ms
        clock = self._table.setup.clock
        assert 0 <= receipt.network_credit_ms <= clock.network_credit_ms
        if receipt.received_ms is not None:
            elapsed = max(0, receipt.received_ms - receipt.sent_ms)
            assert receipt.charged_ms == elapsed - receipt.network_credit_ms, "more or less is charged than was used"
            if ask.kind != DecisionKind.REACTION:
                over = max(0, elapsed - clock.limit_ms)
                self._spared[ask.seat] += over - max(0, receipt.charged_ms - clock.limit_ms)
                assert self._spared[ask.seat] <= clock.network_credit_total_ms, "more is credited than agreed"
        if receipt.timed_out:
            whole = clock.reaction_ms if ask.kind == DecisionKind.REACTION else clock.limit_ms + bank_ms
            assert began is not None, "time ran out for a decision whose clock did not run"
            assert self._now >= began + whole + SETTLE_MS, "time ran out too early"
            assert receipt.charged_ms == whole

    def withdrawn(self, withdraw: Withdraw) -> None:
        """A decision without an account of its own is asked anew at once, with the clock that it had."""
        assert withdraw.reason == Reason.STALE_DECISION
        self._inherited = self._began.pop(withdraw.decision_id, None)
        del self._open[withdraw.decision_id]
