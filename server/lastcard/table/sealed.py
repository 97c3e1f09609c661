"""Sealed reactions: what may be done out of turn is asked of all entitled seats at once and resolved by rule.

Here: `SealedReactions`, the window from its opening to its resolution (architecture section 4). Not here: first come,
first served (`standing`), what follows (`match`). May import only `lastcard.rules`, `commands`, `decisions`, `effects`,
`timecontrol`, `verdicts`.

A window opens on public facts alone: a seat has become liable for a forgotten call, or a card was played that anybody
might jump on. Catches are asked of every seat that may catch, jumps of every seat that is not on turn, whether it holds
the card or not. A seat whose bot is away is not asked. One that goes away meanwhile is not waited for, but may still
answer when it is back before the window has closed.
"""

from collections.abc import Iterator
from typing import NamedTuple

from lastcard.rules.actions import PASS, UNO, Action, Kind, catch
from lastcard.rules.apply import apply
from lastcard.rules.events import Event
from lastcard.rules.legality import catchable, may_jump, reaction_actions
from lastcard.rules.reasons import Reason, Refused
from lastcard.table.commands import Answer
from lastcard.table.decisions import Decision, Docket
from lastcard.table.effects import NoticeKind, RefusedCatch
from lastcard.table.timecontrol import NEVER, SETTLE_MS
from lastcard.table.verdicts import accepted, not_available, out_of_range, refused, too_late


class Reaction(NamedTuple):
    """A sealed answer: what the seat wants to do, and whom it wants to catch."""

    action: Action
    call_uno: bool
    catches: frozenset[int]


class SealedReactions:
    """One window at a time; `open` holds the decisions that are not answered yet, by seat."""

    __slots__ = ("_actor", "_answers", "_docket", "_fresh", "_own_calls", "_played", "active", "open")

    def __init__(self, docket: Docket) -> None:
        self._docket = docket
        self.open: dict[int, Decision] = {}
        self.active = False
        """Whether a window is open."""
        self._answers: dict[int, Reaction] = {}
        self._actor = 0
        self._played = False
        self._fresh = 0
        self._own_calls = 0

    # ---------------------------------------------------------------- opening

    def open_window(self, actor: int, played: bool, fresh: int) -> bool:
        """Asks all who may react to what `actor` did; false when there is nobody to ask.

        `played` tells that a card was played, `fresh` is the bit set of seats that have just become liable.
        """
        docket = self._docket
        self._actor, self._played, self._fresh = actor, played, fresh
        self._own_calls = fresh & ~(1 << actor) if actor >= 0 else fresh
        for seat in self._in_order(actor):
            if not docket.away[seat]:
                legal = self._options(seat)
                if legal is not None:
                    self.open[seat] = docket.ask_reaction(seat, legal, docket.setup.clock.reaction_ms)
        self.active = bool(self.open)
        if self.active:
            docket.announce(NoticeKind.REACTION_OPENED)
        return self.active

    def _options(self, seat: int) -> tuple[Action, ...] | None:
        """What a seat is asked in this window; `None` when it is not."""
        state = self._docket.state
        bit = 1 << seat
        own_call = self._own_calls & state.liable & bit
        others = self._fresh & state.liable & ~bit
        if not state.active[seat] or not (own_call or others or (self._played and may_jump(state, seat))):
            return None
        actions = reaction_actions(state, seat)
        if not own_call and UNO in actions:
            # A call forgotten in the play cannot be repaired here.
            actions.remove(UNO)
        return (*actions, PASS)

    def _in_order(self, actor: int) -> Iterator[int]:
        """All seats in the direction of play from the one after `actor`, who is last."""
        state = self._docket.state
        for step in range(1, state.players + 1):
            yield (actor + step * state.direction) % state.players

    # -------------------------------------------------------------- answering

    def answer(self, decision: Decision, answer: Answer) -> None:
        """Takes a seat's answer; nothing comes of it before the window closes. A refusal is not counted."""
        docket = self._docket
        if answer.received_ms > decision.deadline_ms:
            docket.out.append(too_late(answer, decision))
            return
        if answer.choice is not None and 0 <= answer.choice < len(decision.legal):
            action = decision.legal[answer.choice]
        elif answer.choice is None and answer.action is not None:
            action = answer.action
        else:
            docket.out.append(out_of_range(answer, decision, ()))
            return
        catches, refusals = self._catches(answer)
        try:
            self._check(decision, action, answer.call_uno)
        except Refused as refusal:
            docket.out.append(refused(answer, decision, refusal.reason, refusal.sentence, refusals))
            return
        if action.kind == Kind.CATCH:
            catches |= {action.target}
        self._answers[decision.seat] = Reaction(action, answer.call_uno, catches)
        del self.open[decision.seat]
        receipt = docket.close(decision, answer.received_ms, answer.network_credit_ms)
        decision.answer = answer
        decision.verdict = accepted(answer, decision, receipt, refusals, 0)
        docket.out.append(decision.verdict)

    def _check(self, decision: Decision, action: Action, call_uno: bool) -> None:
        """Refuses an action that this decision does not offer, for the reason that the rules give."""
        if action in decision.legal:
            return
        if action.kind not in (Kind.JUMP_IN, Kind.CATCH):
            raise Refused(Reason.ACTION_NOT_AVAILABLE, not_available(decision, action))
        if action.kind == Kind.CATCH and not self._liable(action.target):
            # Never to the rules: nobody pays for a false catch in a window.
            raise Refused(Reason.NOT_LIABLE, f"seat {action.target} cannot be caught now", target=action.target)
        # What is not listed may still be the same with a colour that is not needed: the rules say so on a copy.
        apply(self._docket.state.clone(), decision.seat, action, call_uno)

    def _catches(self, answer: Answer) -> tuple[frozenset[int], tuple[RefusedCatch, ...]]:
        """The catches that ride on an answer: those that may count and those that cannot."""
        if not answer.catch_seats:
            return frozenset(), ()
        good, bad = set(), []
        for target in dict.fromkeys(answer.catch_seats):
            if target == answer.seat:
                sentence = f"seat {target} cannot catch itself; name another seat"
                bad.append(RefusedCatch(target, Reason.ACTION_NOT_AVAILABLE, sentence))
            elif self._liable(target):
                good.add(target)
            else:
                bad.append(RefusedCatch(target, Reason.NOT_LIABLE, f"seat {target} cannot be caught now"))
        return frozenset(good), tuple(bad)

    def _liable(self, seat: int) -> bool:
        return seat in catchable(self._docket.state)

    # ---------------------------------------------------- time, presence, leaving

    def waits(self) -> bool:
        """Whether anybody is there who has not answered."""
        away = self._docket.away
        return any(not away[seat] for seat in self.open)

    @property
    def due_ms(self) -> int:
        """When the next open decision of the window is overdue."""
        return min((decision.deadline_ms for decision in self.open.values()), default=NEVER) + SETTLE_MS

    def expire(self) -> None:
        """Closes the decisions that are overdue: a missed reaction is a pass."""
        now = self._docket.now_ms
        for seat, decision in list(self.open.items()):
            if decision.deadline_ms + SETTLE_MS <= now:
                del self.open[seat]
                self._docket.expire(decision)

    def withdraw(self, seat: int) -> None:
        """A seat cannot answer any more."""
        decision = self.open.pop(seat, None)
        if decision is not None:
            self._docket.withdraw(decision)

    def review(self) -> None:
        """A seat has left: the rules refuse what it answered, and what the others are asked may have changed.

        All who have not answered are asked anew, with the whole time: asking only those whose actions have changed
        would tell who holds a seven that could have been aimed at who left.
        """
        for other, decision in list(self.open.items()):
            legal = self._options(other)
            self.withdraw(other)
            if legal is not None:
                self.open[other] = self._docket.ask_reaction(other, legal, decision.limit_ms)
                if self._docket.away[other]:
                    self._docket.start(self.open[other])

    def clear(self) -> None:
        """The round is over: nothing is resolved any more."""
        for seat in list(self.open):
            self.withdraw(seat)
        self._answers.clear()
        self.active = False

    # -------------------------------------------------------------- resolving

    def resolve(self) -> tuple[int, int]:
        """Does what was answered, in the order of the rules, and tells it.

        Own calls come first, then catches, one penalty however many catch, then the jumper nearest in the direction of
        play. Returns the seat that jumped in, -1 for none, and the bit set of seats that were liable before it did.
        """
        for seat in list(self.open):
            self.withdraw(seat)
        answers, self._answers = self._answers, {}
        self.active = False
        events: list[Event] = []
        for seat in self._in_order(self._actor):
            # Who owes no call any more, since somebody's leaving has ended its duty, does not pay for having called.
            if seat in answers and answers[seat].action.kind == Kind.UNO and self._liable(seat):
                self._try(seat, UNO, False, events)
        for target in catchable(self._docket.state):
            for seat in self._in_order(target):
                if (
                    seat in answers
                    and target in answers[seat].catches
                    and self._try(seat, catch(target), False, events)
                ):
                    break
        liable = self._docket.state.liable
        jumper = -1
        for seat in self._in_order(self._actor):
            reaction = answers.get(seat)
            if reaction is None or reaction.action.kind != Kind.JUMP_IN:
                continue
            if self._try(seat, reaction.action, reaction.call_uno, events):
                jumper = seat
                break
        self._docket.publish(events)
        return jumper, liable

    def _try(self, seat: int, action: Action, call_uno: bool, events: list[Event]) -> bool:
        """Does it, unless an earlier reaction of this window has made it impossible: then it is a pass."""
        try:
            events += apply(self._docket.state, seat, action, call_uno)
        except Refused:
            return False
        return True
