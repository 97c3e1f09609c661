"""Catches that come with an answer at an open decision.

Here: which of them count, and the refusals of the others. Not here: catches in a sealed window (`sealed`), what a catch
does (`rules.uno`). May import only `lastcard.rules`, `decisions`, `effects`.
"""

from lastcard.rules.actions import Action, Kind, catch
from lastcard.rules.apply import apply
from lastcard.rules.events import Event
from lastcard.rules.reasons import Reason, Refused
from lastcard.table.decisions import Decision, Docket
from lastcard.table.effects import RefusedCatch


def ride(
    docket: Docket, decision: Decision, targets: tuple[int, ...], action: Action, events: list[Event]
) -> tuple[RefusedCatch, ...]:
    """Tries the catches that ride on an answer, each target once, and adds what happened to `events`.

    One that the answer's `action` makes itself is left to it. Returns those refused.
    """
    refused = []
    for target in dict.fromkeys(targets):
        if action.kind == Kind.CATCH and action.target == target:
            continue
        try:
            events += attempt(docket, decision, target)
        except Refused as refusal:
            refused.append(RefusedCatch(target, refusal.reason, refusal.sentence))
    return tuple(refused)


def attempt(docket: Docket, decision: Decision, target: int) -> list[Event]:
    """Catches a seat at a decision.

    Raises:
        Refused: as `apply`; and `NOT_LIABLE` without any cost when the seat was caught, or called, since the question
            was put (C56), or has still time to call for itself (C39). The state is untouched.
    """
    state = docket.state
    if 0 <= target < state.players:
        liable = state.liable >> target & 1
        if not liable and decision.catchable >> target & 1:
            raise Refused(
                Reason.NOT_LIABLE,
                f"seat {target} could be caught when decision {decision.id} was asked, but not any more",
                target=target,
            )
        until = docket.held.get(target) if liable else None
        if until is not None and until > docket.now_ms:
            left = until - docket.now_ms
            raise Refused(
                Reason.NOT_LIABLE,
                f"seat {target} has {left} ms left to call UNO for itself before it can be caught",
                target=target,
                left_ms=left,
            )
    return apply(state, decision.seat, catch(target))
