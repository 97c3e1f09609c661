"""What must be true of a table after every command, whatever bots and network do.

Here: `Watch`, which reads every effect and looks at the state. Not here: how commands come about (`world`).
"""

from collections import Counter

from lastcard.rules.actions import Kind
from lastcard.rules.events import CardPlayed, SeatLeft, TimedOut
from lastcard.rules.reasons import Reason
from lastcard.rules.state import Phase, State
from lastcard.table.commands import Answer, Command, NextRound, Tick
from lastcard.table.decisions import REMEMBERED
from lastcard.table.effects import (
    Announce,
    Ask,
    Blame,
    Closed,
    DecisionKind,
    Effect,
    FaultKind,
    Happened,
    NoticeKind,
    Receipt,
    Verdict,
    Withdraw,
)
from lastcard.table.machine import Table
from simulation.clocks import Clocks


class Watch:
    """Follows one table; every method fails by `assert`."""

    def __init__(self, table: Table) -> None:
        players = len(table.setup.seats)
        self._table = table
        self._sequence = 0
        self.open: dict[int, Ask] = {}
        self._asked = Counter[int]()
        self._banks = [table.setup.clock.bank_ms] * players
        self._clocks = Clocks(table, self._banks)
        self.blames: list[Blame] = []
        self._strikes = [0] * players
        self._left = [0] * players
        self._over = False
        self.closing: dict[int, tuple[Answer, Verdict]] = {}
        """By decision: the answer that closed it, with its verdict."""
        self.accepted = 0
        self.seen: Counter[str] = Counter()
        """How often something worth reaching was reached."""

    def check(self, command: Command, before: tuple[object, ...], effects: list[Effect], now_ms: int) -> None:
        """Checks what one command led to; `before` is the state's fingerprint ahead of it."""
        self._clocks.begin(command, now_ms)
        for effect in effects:
            self._effect(effect)
        self._clocks.end()
        table, state = self._table, self._table.state
        events = any(isinstance(effect, Happened) for effect in effects)
        if not events and not isinstance(command, NextRound):
            assert fingerprint(state) == before, "the game changed without an event"
        if isinstance(command, Answer):
            self._one_verdict(command, effects)
        _cards_are_all_there(state)
        self._questions_are_right(state)
        assert table.last_sequence == self._sequence
        assert tuple(state.strikes) == tuple(self._strikes)
        due = table.next_deadline_ms()
        if isinstance(command, Tick):
            assert due is None or due > now_ms, "what is due was not done"
        if table.closed is not None:
            assert due is None
            assert not self.open, "a closed table has open decisions"

    def _effect(self, effect: Effect) -> None:
        self.seen[type(effect).__name__] += 1
        match effect:
            case Ask():
                self._ask(effect)
            case Verdict():
                self._verdict(effect)
            case Withdraw():
                self._withdraw(effect)
            case Happened():
                self._happened(effect)
            case Blame():
                assert effect.sequence == self._sequence
                assert effect.evidence
                self.blames.append(effect)
            case Announce(NoticeKind.REACTION_OPENED, _):
                assert self._table.setup.sealed
                self.seen["window"] += 1
            case Closed():
                assert self._table.closed == effect
                self._over = True
            case _:
                pass

    # --------------------------------------------------------------- questions

    def _ask(self, ask: Ask) -> None:
        assert not self._over, "a closed table asks"
        known = self.open.get(ask.decision_id)
        if known is not None:
            assert known.seat == ask.seat
            assert known.legal_actions == ask.legal_actions
            self.seen["asked again"] += 1
        else:
            # Each seat's are counted apart, so that nobody hears by them how often others are asked.
            count, players = self._asked[ask.seat], self._table.state.players
            assert ask.decision_id == count * players + ask.seat + 1, "decision ids have gaps or come twice"
            self._asked[ask.seat] += 1
        self.open[ask.decision_id] = ask
        self._clocks.asked(ask)
        assert ask.legal_actions
        assert len(set(ask.legal_actions)) == len(ask.legal_actions)
        assert list(ask.legal_actions) == sorted(ask.legal_actions)
        if ask.kind == DecisionKind.REACTION:
            assert ask.bank_ms is None
            assert ask.legal_actions[-1].kind == Kind.PASS
            assert (ask.limit_ms == 0) == (not self._table.setup.sealed)
        else:
            assert ask.bank_ms is not None
            assert 0 <= ask.bank_ms <= self._banks[ask.seat]
            assert 0 <= ask.limit_ms <= self._table.setup.clock.limit_ms
            assert all(action.kind < Kind.JUMP_IN for action in ask.legal_actions)

    def _verdict(self, verdict: Verdict) -> None:
        assert not (verdict.accepted and verdict.reason is not None)
        if verdict.accepted:
            assert not verdict.sentence
        else:
            assert verdict.sentence
            assert verdict.reason is not None or verdict.choice_out_of_range or verdict.unknown_decision
            self.seen[verdict.reason.name if verdict.reason else "transport"] += 1
        closes = verdict.receipt is not None and verdict.decision_id in self.open
        if closes:
            assert verdict.receipt is not None
            ask = self.open.pop(verdict.decision_id)
            assert ask.seat == verdict.seat
            assert verdict.refusals_left == 0
            self._receipt(ask, verdict.receipt)
            assert verdict.receipt.received_ms is not None
            self.accepted += verdict.accepted

    def _withdraw(self, withdraw: Withdraw) -> None:
        ask = self.open.pop(withdraw.decision_id)
        assert ask.seat == withdraw.seat
        assert withdraw.reason in (Reason.TURN_EXPIRED, Reason.STALE_DECISION)
        if withdraw.receipt is not None:
            self._receipt(ask, withdraw.receipt)
            assert withdraw.receipt.received_ms is None
            assert withdraw.receipt.timed_out == (withdraw.reason == Reason.TURN_EXPIRED)
        else:
            self._clocks.withdrawn(withdraw)

    def _receipt(self, ask: Ask, receipt: Receipt) -> None:
        assert receipt.decision_id == ask.decision_id
        assert receipt.charged_ms >= 0
        self._clocks.closed(ask, receipt, self._banks[ask.seat])
        if ask.kind == DecisionKind.REACTION:
            assert receipt.bank_left_ms is None
            return
        assert receipt.bank_left_ms is not None
        used = self._banks[ask.seat] - receipt.bank_left_ms
        limit = self._table.setup.clock.limit_ms
        assert used == min(max(0, receipt.charged_ms - limit), self._banks[ask.seat]), "the bank is booked wrongly"
        self._banks[ask.seat] = receipt.bank_left_ms

    def _questions_are_right(self, state: State) -> None:
        """While a round is on, one seat has the turn's decision or a window is open: nothing stands still."""
        turns = [ask for ask in self.open.values() if ask.kind != DecisionKind.REACTION]
        reactions = [ask for ask in self.open.values() if ask.kind == DecisionKind.REACTION]
        assert len({ask.seat for ask in reactions}) == len(reactions), "two reactions are asked of one seat"
        assert all(state.active[ask.seat] for ask in self.open.values()), "a seat is asked that is out"
        if self._table.closed is not None or not state.round_on():
            assert not self.open
            return
        if self._table.setup.sealed:
            assert len(turns) == (0 if reactions else 1)
        else:
            assert len(turns) == 1
            assert all(ask.seat != state.turn for ask in reactions)
        for ask in turns:
            assert ask.seat == state.turn
            assert int(ask.kind) == int(state.phase)

    def _one_verdict(self, answer: Answer, effects: list[Effect]) -> None:
        verdicts = [effect for effect in effects if isinstance(effect, Verdict)]
        assert len(verdicts) == 1, "an answer gets one verdict"
        verdict = verdicts[0]
        assert verdict.seat == answer.seat
        assert answer.decision_id in (0, verdict.decision_id)
        known = self.closing.get(verdict.decision_id)
        if verdict.receipt is not None and known is None:
            self.closing[verdict.decision_id] = (answer, verdict)
        elif known is not None and verdict.receipt is not None:
            assert verdict == known[1], f"another verdict than before: {verdict}, {known[1]}"
            assert len(effects) == 1, f"an answer takes effect twice: {effects}"
            self.seen["first verdict again"] += 1
        elif known is not None and answer.decision_id and _same(answer, known[0]) and self._is_remembered(answer):
            raise AssertionError(f"an answer that was judged before gets another verdict: {verdict}, {known[1]}")

    def _is_remembered(self, answer: Answer) -> bool:
        """Whether a decision is so recent that its verdict cannot be forgotten."""
        number = (answer.decision_id - 1) // self._table.state.players
        return number > self._asked[answer.seat] - REMEMBERED

    # ------------------------------------------------------------------ events

    def _happened(self, happened: Happened) -> None:
        assert happened.first_sequence == self._sequence + 1, "event numbers have gaps or come twice"
        assert happened.events
        self._sequence += len(happened.events)
        for event in happened.events:
            self.seen[type(event).__name__] += 1
            if isinstance(event, CardPlayed) and event.jump_in:
                self.seen["sealed jump" if self._table.setup.sealed else "open jump"] += 1
            if isinstance(event, TimedOut):
                self._strikes[event.seat] += 1
                assert event.strikes == self._strikes[event.seat]
            elif isinstance(event, SeatLeft):
                self._left[event.seat] += 1
                assert self._left[event.seat] == 1, "a seat leaves twice"

    # --------------------------------------------------------------------- end

    def check_end(self) -> None:
        """Checks the result of a closed table."""
        closed, state = self._table.closed, self._table.state
        assert closed is not None
        assert closed.points == tuple(state.totals)
        assert closed.rounds == state.round
        assert closed.places, "a match that was not cancelled has places"
        assert min(closed.places) == 1
        assert all(1 <= place <= state.players for place in closed.places)
        if closed.cause == closed.cause.FINISHED:
            assert closed.match_cause
            assert closed.places == state.places
        strikes = Counter(blame.seat for blame in self.blames if blame.kind in (FaultKind.TIMEOUT, FaultKind.REFUSALS))
        assert [strikes[seat] for seat in range(state.players)] == self._strikes, "a strike without blame"


def _same(one: Answer, other: Answer) -> bool:
    """Whether an answer is the same again, whenever it came."""
    return one[:6] == other[:6]


def fingerprint(state: State) -> tuple[object, ...]:
    """All that the game consists of, to see that a refusal changes nothing."""
    return (
        tuple(bytes(hand) for hand in state.hands),
        len(state.pile),
        bytes(state.discard),
        bytes(state.buried),
        state.color,
        state.direction,
        state.turn,
        state.phase,
        state.pending,
        state.drawn,
        state.liable,
        state.called,
        state.early_call,
        state.turn_number,
        tuple(state.active),
        tuple(state.totals),
        tuple(state.strikes),
        state.round,
    )


def _cards_are_all_there(state: State) -> None:
    if state.phase == Phase.NOT_STARTED or state.round == 0:
        return
    cards = bytearray(state.pile.ids()) + state.discard + state.buried
    for hand in state.hands:
        cards += hand
    assert bytes(sorted(cards)) == bytes(range(len(state.faces))), "a card is lost or doubled"
