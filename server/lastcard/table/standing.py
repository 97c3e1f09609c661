"""Open reactions: first come, first served.

Here: `StandingReactions`, a standing `REACTION` decision for each seat that may do something out of turn, beside the
turn's own decision. Not here: sealed windows (`sealed`), what follows (`match`). May import only `lastcard.rules`,
`catches`, `commands`, `decisions`, `effects`, `timecontrol`, `verdicts`.

A standing decision has no time of its own: it stands as long as its actions do. A pass closes it until the next card is
played or other actions become possible. The seat on turn has none: calls and catches are answers to its own decision.
"""

from lastcard.rules.actions import PASS, Action, Kind
from lastcard.rules.apply import apply
from lastcard.rules.events import Event
from lastcard.rules.legality import reaction_actions
from lastcard.rules.reasons import Reason, Refused
from lastcard.table.catches import attempt, ride
from lastcard.table.commands import Answer
from lastcard.table.decisions import Decision, Docket
from lastcard.table.timecontrol import NEVER
from lastcard.table.verdicts import accepted, not_available, out_of_range, refused


class StandingReactions:
    """`open` holds the standing decisions by seat."""

    __slots__ = ("_docket", "_passed", "open")

    def __init__(self, docket: Docket) -> None:
        self._docket = docket
        self.open: dict[int, Decision] = {}
        self._passed: dict[int, tuple[Action, ...]] = {}
        """What each seat has passed on."""

    # ---------------------------------------------------------------- keeping

    def hold_catches(self, actor: int, fresh: int) -> None:
        """Holds catches back for seats that became liable by another's action (C39), and for no other."""
        held, grace = self._docket.held, self._docket.state.rules.uno_grace_ms
        if grace:
            for seat in range(self._docket.state.players):
                if fresh >> seat & 1:
                    held.pop(seat, None)
                    if seat != actor:
                        held[seat] = self._docket.now_ms + grace

    def sync(self, *, played: bool) -> None:
        """Withdraws the decisions whose actions are gone or have changed, and asks those who may do something now.

        `played` tells that a card was played: who passed before is asked again.
        """
        if played:
            self._passed.clear()
        docket = self._docket
        for seat in range(docket.state.players):
            actions = self._options(seat)
            standing = self.open.get(seat)
            if standing is not None:
                if standing.legal[:-1] == actions and not played:
                    continue
                del self.open[seat]
                docket.withdraw(standing)
            if actions and self._passed.get(seat) != actions:
                self.open[seat] = docket.ask_reaction(seat, (*actions, PASS), 0)
                if docket.away[seat]:
                    docket.start(self.open[seat])

    def _options(self, seat: int) -> tuple[Action, ...]:
        """What a seat may do out of turn now; nothing for the seat on turn."""
        docket = self._docket
        if seat == docket.state.turn:
            return ()
        actions = reaction_actions(docket.state, seat)
        if docket.held and actions:
            held = {target for target, until in docket.held.items() if until > docket.now_ms}
            actions = [action for action in actions if action.kind != Kind.CATCH or action.target not in held]
        return tuple(actions)

    @property
    def due_ms(self) -> int:
        """When catches that are held back become possible."""
        return min(self._docket.held.values(), default=NEVER)

    def expire(self) -> None:
        """Ends the holding back of catches whose time is over."""
        docket = self._docket
        docket.held = {seat: until for seat, until in docket.held.items() if until > docket.now_ms}
        self.sync(played=False)

    def withdraw(self, seat: int) -> None:
        """Withdraws the decision of a seat."""
        standing = self.open.pop(seat, None)
        if standing is not None:
            self._docket.withdraw(standing)

    def clear(self) -> None:
        """The round is over: nothing stands any more."""
        for seat in list(self.open):
            self.withdraw(seat)
        self._passed.clear()
        self._docket.held.clear()

    # -------------------------------------------------------------- answering

    def answer(self, decision: Decision, answer: Answer) -> int:
        """Does what a seat answers, at once, and tells it; a refusal is not counted.

        Returns the kind of what was done, 0 when nothing of the game has changed.
        """
        docket = self._docket
        if answer.choice is not None and 0 <= answer.choice < len(decision.legal):
            action = decision.legal[answer.choice]
        elif answer.choice is None and answer.action is not None:
            action = answer.action
        else:
            docket.out.append(out_of_range(answer, decision, ()))
            return 0
        events: list[Event] = []
        refusals = ride(docket, decision, answer.catch_seats, action, events) if answer.catch_seats else ()
        caught = bool(events)
        try:
            events += self._done(decision, action, answer.call_uno)
        except Refused as refusal:
            docket.out.append(refused(answer, decision, refusal.reason, refusal.sentence, refusals))
            docket.publish(events)
            return Kind.CATCH if caught else 0
        del self.open[decision.seat]
        if action.kind == Kind.PASS:
            self._passed[decision.seat] = decision.legal[:-1]
        receipt = docket.close(decision, answer.received_ms, answer.network_credit_ms)
        decision.answer = answer
        decision.verdict = accepted(answer, decision, receipt, refusals, 0)
        docket.out.append(decision.verdict)
        docket.publish(events)
        if action.kind == Kind.PASS:
            return Kind.CATCH if caught else 0
        return action.kind

    def _done(self, decision: Decision, action: Action, call_uno: bool) -> list[Event]:
        """Does one thing out of turn.

        Raises:
            Refused: the rules refuse it, or it is nothing that can be done out of turn; the state is untouched.
        """
        match action.kind:
            case Kind.PASS:
                return []
            case Kind.CATCH:
                return attempt(self._docket, decision, action.target)
            case Kind.JUMP_IN | Kind.UNO:
                return apply(self._docket.state, decision.seat, action, call_uno)
            case _:
                raise Refused(Reason.ACTION_NOT_AVAILABLE, not_available(decision, action))
