"""The course of one match: whose decision it is, what answers and the clock do to it, rounds one after the other.

Here: `Match`. Not here: seats and connections (`presence`), closing the table (`machine`), questions and accounts
(`decisions`), reactions (`sealed`, `standing`). May import only `lastcard.rules` and the pure modules of `table`.
"""

from lastcard.rules.actions import ACCEPT, TIMEOUT, Action, Kind, LeaveCause, leave
from lastcard.rules.apply import apply
from lastcard.rules.cards import rank_of
from lastcard.rules.deal import start_round
from lastcard.rules.disguise import chance_of
from lastcard.rules.events import Event
from lastcard.rules.legality import legal_actions
from lastcard.rules.reasons import Reason, Refused
from lastcard.rules.score import note_time_up
from lastcard.rules.state import Phase
from lastcard.rules.turns import may_challenge
from lastcard.table.catches import attempt, ride
from lastcard.table.commands import Answer
from lastcard.table.decisions import REFUSALS, Decision, Docket
from lastcard.table.effects import DecisionKind, FaultKind, RefusedCatch, SeedWanted
from lastcard.table.sealed import SealedReactions
from lastcard.table.standing import StandingReactions
from lastcard.table.timecontrol import NEVER, SETTLE_MS
from lastcard.table.verdicts import (
    RefusedCatches,
    accepted,
    late_evidence,
    not_available,
    of_no_open_decision,
    out_of_range,
    refusals_evidence,
    refused,
    too_late,
)

# Members that every answer needs: looked up in their enums they would cost a tenth of a microsecond each.
_ROUND_OVER, _PLAY = Phase.ROUND_OVER, Kind.PLAY
_KINDS: dict[int, DecisionKind] = {phase: DecisionKind(phase) for phase in Phase if Phase.TURN <= phase <= Phase.COLOR}
_TURN_KINDS = frozenset((Kind.PLAY, Kind.DRAW, Kind.KEEP, Kind.ACCEPT, Kind.CHALLENGE, Kind.CHOOSE_COLOR))
_REACTIONS = frozenset((Kind.JUMP_IN, Kind.UNO, Kind.CATCH, Kind.PASS))


class Match:
    """One match from the first deal to its end; `turn` is the open decision of the seat on turn."""

    __slots__ = ("_docket", "_jump_in", "_sealed", "_standing", "_wanted", "time_up_ms", "turn")

    def __init__(self, docket: Docket) -> None:
        self._docket = docket
        self._jump_in = docket.state.law.jump_in
        self._sealed = SealedReactions(docket) if docket.setup.sealed else None
        self._standing = None if docket.setup.sealed else StandingReactions(docket)
        self._wanted = False
        """Whether a seed was asked for and has not come yet."""
        self.time_up_ms = NEVER
        """When the agreed time of the match is over."""
        self.turn: Decision | None = None

    @property
    def reactions(self) -> dict[int, Decision]:
        """The open `REACTION` decisions, by seat."""
        if self._sealed is not None:
            return self._sealed.open
        assert self._standing is not None
        return self._standing.open

    def open_decisions(self, seat: int) -> list[Decision]:
        """The open decisions of a seat."""
        reaction = self.reactions.get(seat)
        found = [self.turn] if self.turn is not None and self.turn.seat == seat else []
        return found if reaction is None else [*found, reaction]

    # ------------------------------------------------------------------ rounds

    def begin(self) -> None:
        """Begins the match: its time runs, and the first deal's seed is wanted."""
        rules = self._docket.state.rules
        if "time" in rules.match_end.split("+"):
            self.time_up_ms = self._docket.now_ms + rules.match_time_s * 1_000
        self._want_seed(0)

    def _want_seed(self, pause_ms: int) -> None:
        self._wanted = True
        self._docket.out.append(SeedWanted(self._docket.state.round + 1, self._docket.now_ms + pause_ms))

    def next_round(self, seed: bytes) -> None:
        """Deals the next round from its seed; ignored when none is wanted."""
        docket = self._docket
        if not self._wanted or docket.state.phase == Phase.MATCH_OVER:
            return
        setup = docket.setup
        chance = chance_of(seed, setup.salt, setup.draws, docket.state.faces, disguised=setup.disguise)
        self._wanted = False
        docket.publish(start_round(docket.state, chance))
        self._go_on(-1, played=False, liable=0)

    def note_time(self) -> None:
        """The agreed time is over: the match ends with the present round, or at once between rounds (C84)."""
        self.time_up_ms = NEVER
        self._docket.publish(note_time_up(self._docket.state))

    def _end_round(self) -> None:
        self.withdraw_all()
        if self._docket.state.phase == Phase.ROUND_OVER and not self._wanted:
            self._want_seed(self._docket.setup.round_pause_ms)

    def withdraw_all(self) -> None:
        """Withdraws every open decision."""
        if self.turn is not None:
            self._docket.withdraw(self.turn)
            self.turn = None
        if self._sealed is not None:
            self._sealed.clear()
        if self._standing is not None:
            self._standing.clear()

    # -------------------------------------------------------------- what is next

    def _go_on(self, actor: int, *, played: bool, liable: int) -> None:
        """Asks what comes next after `actor` did something, and events of it were told.

        `played` tells that a card was played, `liable` is the bit set of seats that were liable before.
        """
        state = self._docket.state
        if state.phase >= _ROUND_OVER:
            self._end_round()
            return
        fresh = state.liable & ~liable
        if self._sealed is not None:
            if (fresh or (played and self._jump_in)) and self._sealed.open_window(actor, played, fresh):
                return
        else:
            assert self._standing is not None
            if fresh:
                self._standing.hold_catches(actor, fresh)
            if state.liable or self._jump_in or self._standing.open:
                self._standing.sync(played=played)
        self._ask_turn()

    def _ask_turn(self) -> None:
        """Puts the turn's question to the seat that must act."""
        docket = self._docket
        state = docket.state
        if self._jump_in and self._sealed is not None and state.phase == Phase.PENALTY and self._is_forced_penalty():
            # K1: nobody has jumped in, so the penalty is served as it would be without jump-in.
            docket.publish(apply(state, state.turn, ACCEPT))
            if state.phase >= Phase.ROUND_OVER:
                self._end_round()
                return
        seat = state.turn
        self.turn = docket.ask(seat, _KINDS[state.phase], tuple(legal_actions(state, seat)))

    def _is_forced_penalty(self) -> bool:
        """Whether the rules let nobody answer the pending penalty with a card or a challenge: a public fact."""
        state = self._docket.state
        return not state.law.can_answer_penalty(rank_of(state.top_face()), state.pending) and not may_challenge(state)

    def _resolve_if_complete(self) -> None:
        sealed = self._sealed
        if sealed is not None and sealed.active and not sealed.waits():
            jumper, liable = sealed.resolve()
            if jumper < 0:
                liable = self._docket.state.liable
            self._go_on(jumper, played=jumper >= 0, liable=liable)

    def _after_aside(self, actor: int) -> None:
        """`actor` (-1 for nobody) did something that was no turn: a call, a catch, a leaving, the end of a grace."""
        state = self._docket.state
        if state.phase >= Phase.ROUND_OVER:
            self._end_round()
            return
        if not state.round_on():
            return
        if self._standing is not None:
            self._standing.sync(played=False)
        elif self._sealed is not None and self._sealed.active:
            self._resolve_if_complete()
            return
        self._review_turn(actor)

    def _review_turn(self, actor: int) -> None:
        """Sees whether the turn's question is still the right one.

        With other legal actions it is asked anew under a new id. When `actor` has changed them by its own doing its
        clock runs on; by another's it starts again, since an answer under way is lost with the old question.
        """
        docket, turn = self._docket, self.turn
        state = docket.state
        if turn is not None and turn.seat == state.turn and turn.kind is _KINDS[state.phase]:
            legal = tuple(legal_actions(state, turn.seat))
            if legal == turn.legal:
                return
            if turn.seat == actor:
                self.turn = docket.ask_anew(turn, legal)
            else:
                docket.withdraw(turn)
                self.turn = docket.ask(turn.seat, turn.kind, legal)
                self.turn.refusals = turn.refusals
            return
        if turn is not None:
            docket.withdraw(turn)
        self._ask_turn()

    # ----------------------------------------------------------------- answers

    def answer(self, answer: Answer) -> None:
        """Gives the verdict on an answer and does what it says."""
        decision = self.turn
        if decision is None or decision.id != answer.decision_id or decision.seat != answer.seat:
            decision = self._decision_of(answer)
        if decision is None:
            self._docket.out.append(of_no_open_decision(self._docket, answer, over=False))
        elif decision is self.turn:
            self._answer_turn(decision, answer)
        elif self._sealed is not None:
            self._sealed.answer(decision, answer)
            self._resolve_if_complete()
        else:
            self._answer_standing(decision, answer)

    def _decision_of(self, answer: Answer) -> Decision | None:
        """The open decision, other than the turn's, that an answer is for; one that names none answers what it fits."""
        turn, seat, number = self.turn, answer.seat, answer.decision_id
        reaction = self.reactions.get(seat)
        if reaction is not None and reaction.id == number:
            return reaction
        if number == 0 and answer.action is not None:
            if turn is not None and turn.seat == seat:
                return turn
            return reaction if answer.action.kind in _REACTIONS else None
        return None

    def _answer_standing(self, decision: Decision, answer: Answer) -> None:
        assert self._standing is not None
        liable = self._docket.state.liable
        kind = self._standing.answer(decision, answer)
        if kind == Kind.JUMP_IN:
            if self.turn is not None:
                self._docket.withdraw(self.turn)
                self.turn = None
            self._go_on(decision.seat, played=True, liable=liable)
        elif kind:
            self._after_aside(decision.seat)

    def _answer_turn(self, turn: Decision, answer: Answer) -> None:
        docket = self._docket
        state = docket.state
        if answer.received_ms > turn.deadline_ms:
            docket.out.append(too_late(answer, turn))
            return
        if turn.past is not None:
            again = turn.first_verdict(answer, closed=False)
            if again is not None:
                docket.out.append(again)
                return
        choice = answer.choice
        if choice is not None and 0 <= choice < len(turn.legal):
            action = turn.legal[choice]
        elif choice is None and answer.action is not None:
            action = answer.action
        else:
            self._refuse(turn, answer, None, "", ())
            return
        events: list[Event] = []
        catches: RefusedCatches = ()
        if answer.catch_seats:
            catches = ride(docket, turn, answer.catch_seats, action, events)
        kind = action.kind
        if kind not in _TURN_KINDS:
            self._answer_aside(turn, answer, action, events, catches)
            return
        liable = state.liable
        try:
            done = apply(state, answer.seat, action, answer.call_uno)
        except Refused as refusal:
            docket.publish(events)
            self._refuse(turn, answer, refusal.reason, refusal.sentence, catches)
            if events:
                self._after_aside(answer.seat)
            return
        self.turn = None
        receipt = docket.close(turn, answer.received_ms, answer.network_credit_ms)
        turn.answer = answer
        turn.verdict = verdict = accepted(answer, turn, receipt, catches, 0)
        docket.out.append(verdict)
        docket.publish(events + done if events else done)
        self._go_on(answer.seat, played=kind == _PLAY, liable=liable)

    def _answer_aside(
        self, turn: Decision, answer: Answer, action: Action, events: list[Event], catches: tuple[RefusedCatch, ...]
    ) -> None:
        """A call or a catch as the answer to a turn's decision takes effect and leaves the decision open."""
        docket = self._docket
        try:
            events += self._aside(turn, action)
        except Refused as refusal:
            docket.publish(events)
            if action.kind == Kind.CATCH:
                # A refused catch never counts against an open turn.
                docket.out.append(refused(answer, turn, refusal.reason, refusal.sentence, catches))
            else:
                self._refuse(turn, answer, refusal.reason, refusal.sentence, catches)
        else:
            verdict = accepted(answer, turn, None, catches, REFUSALS - turn.refusals)
            turn.keep(answer, verdict)
            docket.out.append(verdict)
            docket.publish(events)
        if events:
            self._after_aside(answer.seat)

    def _aside(self, turn: Decision, action: Action) -> list[Event]:
        """Calls or catches.

        Raises:
            Refused: it is neither, or the rules refuse it; the state is untouched.
        """
        if action.kind == Kind.CATCH:
            return attempt(self._docket, turn, action.target)
        if action.kind == Kind.UNO:
            return apply(self._docket.state, turn.seat, action)
        raise Refused(Reason.ACTION_NOT_AVAILABLE, not_available(turn, action))

    def _refuse(
        self, turn: Decision, answer: Answer, reason: Reason | None, sentence: str, catches: RefusedCatches
    ) -> None:
        """Refuses an answer (without a reason: its choice is out of range); the third time counts as a timeout."""
        docket = self._docket
        turn.refusals += 1
        if reason is None:
            verdict = out_of_range(answer, turn, catches)
        else:
            verdict = refused(answer, turn, reason, sentence, catches)
        turn.keep(answer, verdict)
        if turn.refusals < REFUSALS:
            docket.out.append(verdict)
            return
        receipt = docket.close(turn, answer.received_ms, answer.network_credit_ms)
        turn.answer, turn.verdict = answer, verdict._replace(receipt=receipt)
        docket.out.append(turn.verdict)
        docket.blame(turn.seat, FaultKind.REFUSALS, refusals_evidence(turn))
        self._time_out(turn.seat)

    # -------------------------------------------------------------------- time

    def due_ms(self) -> int:
        """When `expire` should be called next; `NEVER` while nothing runs."""
        due = self.time_up_ms
        turn = self.turn
        if turn is not None and turn.deadline_ms + SETTLE_MS < due:
            due = turn.deadline_ms + SETTLE_MS
        if self._sealed is not None:
            if self._sealed.open:
                due = min(due, self._sealed.due_ms)
        elif self._docket.held:
            assert self._standing is not None
            due = min(due, self._standing.due_ms)
        return due

    def sent(self, seat: int, decision_id: int) -> None:
        """A decision was sent: its clock starts. Ignored for one that is closed or runs already.

        Ignored too for a seat that is awaited after a restart: what was sent went nowhere.
        """
        if self._docket.awaited >> seat & 1:
            return
        turn = self.turn
        if turn is not None and turn.id == decision_id and turn.seat == seat:
            self._docket.start(turn)
            return
        reaction = self.reactions.get(seat)
        if reaction is not None and reaction.id == decision_id:
            self._docket.start(reaction)

    def expire(self) -> None:
        """Does what is due by now."""
        now = self._docket.now_ms
        if self.time_up_ms <= now:
            self.note_time()
        turn = self.turn
        if turn is not None and turn.deadline_ms + SETTLE_MS <= now:
            self.turn = None
            bank, away = self._docket.banks[turn.seat], self._docket.away[turn.seat]
            self._docket.expire(turn)
            self._docket.blame(turn.seat, FaultKind.TIMEOUT, late_evidence(turn, bank, away))
            self._time_out(turn.seat)
        elif self._sealed is not None and self._sealed.open:
            self._sealed.expire()
            self._resolve_if_complete()
        if self._standing is not None and self._standing.due_ms <= now:
            self._standing.expire()

    def _time_out(self, seat: int) -> None:
        """The rules do for a seat what they do when its time runs out (C80)."""
        self.turn = None
        state = self._docket.state
        liable = state.liable
        self._docket.publish(apply(state, seat, TIMEOUT))
        self._go_on(seat, played=False, liable=liable)

    # ---------------------------------------------------------- presence, leaving

    def gone(self, seat: int) -> None:
        """The bot of a seat is away: its clocks run, and no window waits for it."""
        for decision in self.open_decisions(seat):
            self._docket.start(decision)
        self._resolve_if_complete()

    def recover(self, pause_ms: int) -> None:
        """The server was down for `pause_ms`: what is open has its full time again, and no other time has passed."""
        for seat in range(self._docket.state.players):
            for decision in self.open_decisions(seat):
                self._docket.restart(decision)
        held = self._docket.held
        for seat in held:
            held[seat] += pause_ms
        if self.time_up_ms != NEVER:
            self.time_up_ms += pause_ms

    def leave(self, seat: int, cause: LeaveCause) -> None:
        """Takes a seat out of the match."""
        docket = self._docket
        if self.turn is not None and self.turn.seat == seat:
            docket.withdraw(self.turn)
            self.turn = None
        if self._sealed is not None:
            self._sealed.withdraw(seat)
        elif self._standing is not None:
            self._standing.withdraw(seat)
        docket.publish(apply(docket.state, seat, leave(cause)))
        if self._sealed is not None and self._sealed.active and docket.state.round_on():
            self._sealed.review()
        self._after_aside(-1)
