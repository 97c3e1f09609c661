"""Verdicts on answers, each refusal with its sentence.

Here: what is said of an answer that is accepted, refused or late. Not here: what follows from it (`match`). May import
only `lastcard.rules`, `commands`, `decisions`, `effects`.
"""

from lastcard.rules.actions import Action, Kind
from lastcard.rules.notation import action_text
from lastcard.rules.reasons import Reason
from lastcard.rules.state import Phase
from lastcard.table.commands import Answer
from lastcard.table.decisions import REFUSALS, Decision, Docket
from lastcard.table.effects import Receipt, RefusedCatch, Verdict

RefusedCatches = tuple[RefusedCatch, ...]


def accepted(
    answer: Answer, decision: Decision, receipt: Receipt | None, catches: RefusedCatches, refusals_left: int
) -> Verdict:
    """The answer took effect."""
    # Without the Python-level constructor: this is the one verdict of the hot path.
    return tuple.__new__(
        Verdict, (answer.seat, decision.id, True, None, False, False, "", receipt, catches, refusals_left)
    )


def refused(answer: Answer, decision: Decision, reason: Reason, sentence: str, catches: RefusedCatches) -> Verdict:
    """The game refuses the answer and the decision stays open."""
    left = REFUSALS - decision.refusals
    return Verdict(answer.seat, decision.id, False, reason, False, False, sentence, None, catches, left)


def out_of_range(answer: Answer, decision: Decision, catches: RefusedCatches) -> Verdict:
    """The answer's `choice` is not an index into the legal actions, or it has neither choice nor action."""
    count = len(decision.legal)
    given = f"choice is {answer.choice}" if answer.choice is not None else "the answer has neither choice nor action"
    sentence = f"{given}; valid choices are 0 to {count - 1}" if count > 1 else f"{given}; the only choice is 0"
    left = REFUSALS - decision.refusals
    return Verdict(answer.seat, decision.id, False, None, True, False, sentence, None, catches, left)


def too_late(answer: Answer, decision: Decision) -> Verdict:
    """The answer was stamped after the deadline, while the decision is not yet closed (C81)."""
    sentence = (
        f"decision {decision.id} expired {answer.received_ms - decision.deadline_ms} ms before this answer; "
        "wait for the next decision"
    )
    left = REFUSALS - decision.refusals
    return Verdict(answer.seat, decision.id, False, Reason.TURN_EXPIRED, False, False, sentence, None, (), left)


def of_no_open_decision(docket: Docket, answer: Answer, *, over: bool) -> Verdict:
    """The answer names no open decision of its seat: the first verdict again, or the first reason that applies.

    `over` tells that the table is closed.
    """
    closed = docket.closed(answer.seat, answer.decision_id)
    if closed is not None:
        first = closed.first_verdict(answer, closed=True)
        if first is not None:
            return first
    reason, sentence = _late_reason(docket, answer, over)
    unknown = reason is None
    return Verdict(answer.seat, answer.decision_id, False, reason, False, unknown, sentence, None, (), 0)


def _late_reason(docket: Docket, answer: Answer, over: bool) -> tuple[Reason | None, str]:
    state, seat, number = docket.state, answer.seat, answer.decision_id
    if over or state.phase == Phase.MATCH_OVER:
        return Reason.MATCH_OVER, "the match is over; nothing can be done at this table any more"
    if state.phase == Phase.ROUND_OVER:
        return Reason.ROUND_OVER, f"round {state.round} is over; wait for the next round's deal"
    if seat in state.left_order:
        return Reason.FORBIDDEN, f"seat {seat} has left the match and can do nothing"
    if number == 0 and answer.action is not None:
        return Reason.NOT_YOUR_TURN, f"seat {seat} has no open decision that this action answers; wait for one"
    owner, last = docket.owner(number), docket.last_id(seat)
    if owner is not None and owner != seat:
        return Reason.FORBIDDEN, f"decision {number} is for seat {owner} to answer, not for seat {seat}"
    if owner is None or number > last:
        known = f"the last one that seat {seat} was asked is {last}" if last else f"seat {seat} has not been asked yet"
        return None, f"decision {number} was never asked; {known}"
    if docket.expired(number):
        return Reason.TURN_EXPIRED, f"decision {number} was closed by its deadline; wait for the next decision"
    return Reason.STALE_DECISION, f"decision {number} is closed already; wait for the next decision"


def not_available(decision: Decision, action: Action) -> str:
    """The sentence for an action that does not exist at a decision."""
    valid = ", ".join(dict.fromkeys(action_text(legal) for legal in decision.legal))
    return f"{_named(action)} is not possible at a {decision.kind.name} decision; valid are {valid}"


def _named(action: Action) -> str:
    """A kind of action in words; its card may be anything a wire can hold and is left out."""
    return Kind(action.kind).name.lower() if action.kind in Kind.__members__.values() else f"kind {action.kind}"


def late_evidence(decision: Decision, bank_ms: int, away: bool) -> str:
    """What a timeout's blame says."""
    text = (
        f"decision {decision.id} ({decision.kind.name}) had no accepted answer within "
        f"{decision.deadline_ms - decision.sent_ms} ms: limit {decision.limit_ms} ms, bank {bank_ms} ms"
    )
    if away:
        text += "; the seat was away"
    if decision.past:
        text += f"; refused answers: {_past_text(decision)}"
    return text


def refusals_evidence(decision: Decision) -> str:
    """What the blame for the third refusal says."""
    return f"decision {decision.id} ({decision.kind.name}) had {REFUSALS} refused answers: {_past_text(decision)}"


def _past_text(decision: Decision) -> str:
    refusals = [verdict for _, verdict in decision.past or () if not verdict.accepted]
    return "; ".join(f"{_reason_name(verdict)}, {verdict.sentence}" for verdict in refusals) or "none"


def _reason_name(verdict: Verdict) -> str:
    return "CHOICE_OUT_OF_RANGE" if verdict.reason is None else verdict.reason.name
