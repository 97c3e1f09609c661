"""Questions put to seats, and the account of each.

Here: `Decision`, `Docket` (issues decisions, keeps banks and receipts, collects a command's effects). Not here: when a
question is put (`match`, `sealed`, `standing`), verdicts and their sentences (`verdicts`). May import only
`lastcard.rules`, `commands`, `effects`, `setup`, `timecontrol`.
"""

from collections.abc import Sequence

from lastcard.rules.actions import Action
from lastcard.rules.events import Event
from lastcard.rules.reasons import Reason
from lastcard.rules.state import State, new_match
from lastcard.table.commands import Answer
from lastcard.table.effects import (
    Announce,
    Ask,
    Blame,
    DecisionKind,
    Effect,
    FaultKind,
    Happened,
    NoticeKind,
    Receipt,
    Verdict,
    Withdraw,
)
from lastcard.table.setup import TableSetup
from lastcard.table.timecontrol import NEVER, bank_after, credited_ms, left_ms

REFUSALS = 3
"""The refusal at one decision that counts as a timeout (architecture section 3)."""

KEPT_ANSWERS = 8
"""Answers kept of one decision beside the one that closed it; more come only from a bot that plays with the server."""

REMEMBERED = 8
"""Closed decisions of each seat whose verdicts are kept for answers that a network repeats."""

_REACTION = DecisionKind.REACTION
"""Looked up in its enum a member costs a tenth of a microsecond, and this one is needed for every answer."""

_new = tuple.__new__
"""Makes a named tuple without its Python-level constructor: four of them a move are worth half a microsecond."""


class Decision:
    """One question put to one seat.

    `sent_ms` is -1 until its clock runs, `deadline_ms` is `NEVER` until then. `catchable` is the bit set of seats that
    could be caught when it was asked. `past` holds the answers that did not close it, with their verdicts; `answer` and
    `verdict` are the ones that did.
    """

    __slots__ = (
        "answer",
        "catchable",
        "deadline_ms",
        "id",
        "kind",
        "legal",
        "limit_ms",
        "past",
        "refusals",
        "seat",
        "sent_ms",
        "verdict",
    )

    def __init__(  # noqa: PLR0917 - the hot path names nothing
        self, number: int, seat: int, kind: DecisionKind, legal: tuple[Action, ...], limit_ms: int, catchable: int
    ) -> None:
        self.id = number
        self.seat = seat
        self.kind = kind
        self.legal = legal
        self.limit_ms = limit_ms
        self.catchable = catchable
        self.sent_ms = -1
        self.deadline_ms = NEVER
        self.refusals = 0
        self.past: list[tuple[Answer, Verdict]] | None = None
        self.answer: Answer | None = None
        self.verdict: Verdict | None = None

    def keep(self, answer: Answer, verdict: Verdict) -> None:
        """Remembers an answer that left the decision open."""
        if self.past is None:
            self.past = []
        self.past.append((answer, verdict))
        del self.past[:-KEPT_ANSWERS]

    def first_verdict(self, answer: Answer, *, closed: bool) -> Verdict | None:
        """The verdict that the same answer got before; refused ones are judged again while the decision is open."""
        if self.answer is not None and _same(self.answer, answer):
            return self.verdict
        for earlier, verdict in self.past or ():
            if _same(earlier, answer) and (closed or verdict.accepted):
                return verdict
        return None


def _same(one: Answer, other: Answer) -> bool:
    return (
        one.choice == other.choice
        and one.action == other.action
        and one.call_uno == other.call_uno
        and one.catch_seats == other.catch_seats
    )


class Docket:
    """Where a match puts its questions and keeps its accounts; `out` collects the effects of the present command.

    `away[seat]` tells that the occupant cannot be reached: the clock of its decisions starts when they are asked.
    """

    __slots__ = (
        "_asked",
        "_closed",
        "_limit_ms",
        "_most_credit_ms",
        "_players",
        "awaited",
        "away",
        "banks",
        "credits",
        "held",
        "now_ms",
        "out",
        "receipts",
        "sequence",
        "setup",
        "state",
    )

    def __init__(self, setup: TableSetup) -> None:
        players = len(setup.seats)
        self.setup = setup
        self.state: State = new_match(setup.rules, players)
        self.sequence = 0
        self.now_ms = setup.opened_ms
        self.out: list[Effect] = []
        self.away = [False] * players
        self.awaited = 0
        """Bit set of the seats whose clocks stand still, since the server was down and they are not back yet."""
        self.banks = [setup.clock.bank_ms] * players
        self.credits = [setup.clock.network_credit_total_ms] * players
        """What each seat's bank may still be spared for the network."""
        self.receipts: list[Receipt | None] = [None] * players
        self.held: dict[int, int] = {}
        """Seats whose catching is held back for `uno_grace_ms`, and until when (C39)."""
        self._limit_ms = setup.clock.limit_ms
        self._most_credit_ms = setup.clock.network_credit_ms
        self._players = players
        self._asked = [bytearray() for _ in range(players)]
        """For each seat, decision by decision, whether its deadline closed it."""
        self._closed: list[Decision | None] = [None] * (REMEMBERED * players)

    # ------------------------------------------------------------------ asking

    # Numbers are unique at the table, but each seat's are counted apart: the k-th decision (from 0) of seat s at a
    # table of n is k * n + s + 1. One count for all would tell everybody when somebody else is asked, and with open
    # reactions only who holds the card is asked to jump.

    def ask(self, seat: int, kind: DecisionKind, legal: tuple[Action, ...]) -> Decision:
        """Puts a question of the turn to a seat."""
        asked, limit = self._asked[seat], self._limit_ms
        number = len(asked) * self._players + seat + 1
        asked.append(False)
        decision = Decision(number, seat, kind, legal, limit, self.state.liable)
        if self.away[seat]:
            self.start(decision)
        self.out.append(_new(Ask, (seat, number, kind, legal, limit, self.banks[seat], self.receipts[seat])))
        return decision

    def ask_reaction(self, seat: int, legal: tuple[Action, ...], limit_ms: int) -> Decision:
        """Asks a seat for a reaction; with `limit_ms` 0 it stands until it is withdrawn."""
        decision = self._issue(seat, DecisionKind.REACTION, legal, limit_ms)
        self.out.append(Ask(seat, decision.id, DecisionKind.REACTION, legal, limit_ms, None, self.receipts[seat]))
        return decision

    def ask_anew(self, old: Decision, legal: tuple[Action, ...]) -> Decision:
        """Withdraws a decision whose seat has changed its own legal actions, and asks again with the same clock."""
        self.forget(old)
        self.out.append(Withdraw(old.seat, old.id, Reason.STALE_DECISION, None))
        decision = self._issue(old.seat, old.kind, legal, old.limit_ms)
        decision.refusals = old.refusals
        decision.sent_ms = old.sent_ms
        decision.deadline_ms = old.deadline_ms
        self.out.append(self.as_asked(decision, self.now_ms))
        return decision

    def _issue(self, seat: int, kind: DecisionKind, legal: tuple[Action, ...], limit_ms: int) -> Decision:
        asked = self._asked[seat]
        decision = Decision(len(asked) * self._players + seat + 1, seat, kind, legal, limit_ms, self.state.liable)
        asked.append(False)
        return decision

    def as_asked(self, decision: Decision, now_ms: int) -> Ask:
        """The question as it stands at `now_ms`, with what is left of limit and bank.

        A sealed reaction whose time is over keeps its last millisecond: 0 marks one that has no time of its own.
        """
        reaction = decision.kind is _REACTION
        limit, bank = decision.limit_ms, 0 if reaction else self.banks[decision.seat]
        if decision.sent_ms >= 0 and limit:
            limit, bank = left_ms(limit, bank, now_ms - decision.sent_ms)
            limit = max(limit, 1) if reaction else limit
        return Ask(
            decision.seat,
            decision.id,
            decision.kind,
            decision.legal,
            limit,
            None if reaction else bank,
            self.receipts[decision.seat],
        )

    def start(self, decision: Decision) -> None:
        """Starts the clock of a decision; one that runs is left alone."""
        if decision.sent_ms >= 0:
            return
        decision.sent_ms = self.now_ms
        if decision.kind is not _REACTION:
            decision.deadline_ms = self.now_ms + decision.limit_ms + self.banks[decision.seat]
        elif decision.limit_ms:
            decision.deadline_ms = self.now_ms + decision.limit_ms

    def restart(self, decision: Decision) -> None:
        """An open decision has its full limit again, and its clock does not run."""
        decision.sent_ms = -1
        decision.deadline_ms = NEVER

    # ----------------------------------------------------------------- closing

    def close(self, decision: Decision, received_ms: int, credit_ms: int) -> Receipt:
        """Closes a decision by its seat's answer and books what it cost."""
        seat, sent = decision.seat, decision.sent_ms
        if sent < 0:
            sent = received_ms
        charged = received_ms - sent
        charged = max(charged, 0)
        if credit_ms:
            credit_ms = self._credit(decision, charged, credit_ms) if self._most_credit_ms else 0
            charged -= credit_ms
        bank: int | None = None
        if decision.kind is not _REACTION:
            bank = self.banks[seat]
            if charged > decision.limit_ms:
                bank = self.banks[seat] = bank_after(bank, decision.limit_ms, charged)
        receipt = _new(Receipt, (decision.id, sent, received_ms, credit_ms, charged, bank, False))
        self.receipts[seat] = receipt
        self.forget(decision)
        return receipt

    def _credit(self, decision: Decision, elapsed: int, known_ms: int) -> int:
        """What of a decision's time is credited to the network; the deadline stays where it is (C81)."""
        seat = decision.seat
        if decision.kind is _REACTION:
            return credited_ms(elapsed, known_ms, self._most_credit_ms, elapsed, 0)[0]  # no bank pays for it
        credit, spared = credited_ms(elapsed, known_ms, self._most_credit_ms, decision.limit_ms, self.credits[seat])
        self.credits[seat] -= spared
        return credit

    def withdraw(self, decision: Decision) -> None:
        """Closes a decision by something other than an answer or its deadline; the time used is booked."""
        receipt = self.close(decision, self.now_ms, 0)._replace(received_ms=None)
        self.receipts[decision.seat] = receipt
        self.out.append(Withdraw(decision.seat, decision.id, Reason.STALE_DECISION, receipt))

    def expire(self, decision: Decision) -> None:
        """Closes a decision by its deadline."""
        seat = decision.seat
        bank: int | None = None
        if decision.kind != DecisionKind.REACTION:
            bank = self.banks[seat] = 0
        charged = decision.deadline_ms - decision.sent_ms
        receipt = Receipt(decision.id, decision.sent_ms, None, 0, charged, bank, True)
        self.receipts[seat] = receipt
        self.forget(decision)
        self._asked[seat][(decision.id - 1) // self._players] = True
        self.out.append(Withdraw(seat, decision.id, Reason.TURN_EXPIRED, receipt))

    def forget(self, decision: Decision) -> None:
        """Moves a decision to those that are closed; what was legal at it is not needed any more."""
        decision.legal = ()
        self._closed[(decision.id - 1) % len(self._closed)] = decision

    # --------------------------------------------------------------- looking up

    @property
    def decision_count(self) -> int:
        """How many decisions have been asked."""
        return sum(map(len, self._asked))

    def closed(self, seat: int, decision_id: int) -> Decision | None:
        """A closed decision of a seat, while it is remembered."""
        decision = self._closed[(decision_id - 1) % len(self._closed)]
        if decision is None or decision.id != decision_id or decision.seat != seat:
            return None
        return decision

    def owner(self, decision_id: int) -> int | None:
        """The seat that a number belongs to, whether it has been asked or not; `None` when it is nobody's."""
        return (decision_id - 1) % self._players if decision_id > 0 else None

    def last_id(self, seat: int) -> int:
        """The number of the last decision that was put to a seat; 0 before the first."""
        asked = len(self._asked[seat])
        return (asked - 1) * self._players + seat + 1 if asked else 0

    def expired(self, decision_id: int) -> bool:
        """Whether its deadline closed a decision that was asked."""
        return bool(self._asked[(decision_id - 1) % self._players][(decision_id - 1) // self._players])

    # ----------------------------------------------------------------- telling

    def publish(self, events: Sequence[Event]) -> None:
        """Numbers events and tells them."""
        if events:
            first = self.sequence + 1
            self.out.append(_new(Happened, (first, tuple(events))))
            self.sequence = first + len(events) - 1

    def blame(self, seat: int, kind: FaultKind, evidence: str) -> None:
        """Records a fault of a seat's bot."""
        self.out.append(Blame(seat, kind, self.sequence, evidence))

    def announce(self, kind: NoticeKind, seat: int | None = None) -> None:
        """Tells something that is not part of the game."""
        self.out.append(Announce(kind, seat))
