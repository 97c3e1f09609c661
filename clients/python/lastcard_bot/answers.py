"""From what a bot returned to the message that answers a decision.

Here: checking a reply against `legal_actions`, the automatic UNO call and catches, the fallback after a bad reply, and
`resolve` for bots that play in the same process. Not here: sending (`session`). Imports `bot` and `lastcard.v1`; no
input or output, no clock.
"""

import operator
from collections.abc import Container, Iterable, Sequence

from lastcard.v1.action_pb2 import Action, ActionKind
from lastcard.v1.table_pb2 import Act, Decision, DecisionKind
from lastcard.v1.view_pb2 import View
from lastcard_bot.bot import Answer, Bot, Reply, catches_are_free
from lastcard_bot.cards import action_text, is_wild, option, rank_of

_PLAYS = (ActionKind.ACTION_KIND_PLAY, ActionKind.ACTION_KIND_JUMP_IN)
_CALLS = (ActionKind.ACTION_KIND_UNO, ActionKind.ACTION_KIND_CATCH)


class BadReplyError(ValueError):
    """A bot returned something that answers nothing; the sentence says what and what would be valid."""


def act_for(decision: Decision, reply: Reply, *, auto_uno: bool = True, auto_catch: bool = True) -> Act:
    """The message that gives `reply` to `decision`.

    Raises `BadReplyError` when the reply is no index into `legal_actions` and no action that may be sent, or calls or
    catches in a way that nobody could understand.
    """
    answer = reply if isinstance(reply, Answer) else Answer(reply)
    catches = None if answer.catch_seats is None else _checked_seats(answer.catch_seats, decision.view)
    call_uno = _checked_call(answer.call_uno)
    act = Act(table_id=decision.table_id, decision_id=decision.decision_id)
    if isinstance(answer.choice, Action):
        chosen = _set_action(act, answer.choice, decision)
    else:
        act.choice = _checked_index(answer.choice, decision.legal_actions)
        chosen = decision.legal_actions[act.choice]
    act.call_uno = (auto_uno and leaves_one_card(decision.view, chosen)) if call_uno is None else call_uno
    if catches is not None:
        act.catch_seats.extend(catches)
    elif auto_catch and chosen.kind not in _CALLS:
        act.catch_seats.extend(_free_catches(decision))
    return act


def is_apart(act: Act) -> bool:
    """Whether an answer is a call or a catch by itself, which leaves a turn open."""
    return act.WhichOneof("answer") == "action" and act.action.kind in _CALLS


def after_apart(decision: Decision, act: Act) -> Decision:
    """The same decision after a call or catch by itself took effect: the view says so, the legal actions stand.

    Cards that the caught seat drew are not in it; a server whose legal actions change asks anew.
    """
    after = Decision()
    after.CopyFrom(decision)
    view = after.view
    if act.action.kind == ActionKind.ACTION_KIND_CATCH:
        view.catchable_seats[:] = [seat for seat in view.catchable_seats if seat != act.action.target]
    elif view.seat not in view.called_seats:
        view.called_seats[:] = sorted((*view.called_seats, view.seat))
    return after


def leaves_one_card(view: View, action: Action) -> bool:
    """Whether a play leaves the viewer with one card, so that UNO is due (rules.md M19, C63)."""
    if action.kind not in _PLAYS:
        return False
    left = len(view.hand) - 1
    if (left > 0 or option(view, "last_card_hand_effect") == "apply") and not is_wild(action.card):
        if rank_of(action.card) == 7 and action.HasField("target") and option(view, "seven_swap") == "true":
            return view.hand_counts[action.target] == 1
        if rank_of(action.card) == 0 and option(view, "zero_rotate") == "true":
            return view.hand_counts[_seat_before(view)] == 1
    return left == 1


def fallback(decision: Decision, refused: Container[int] = ()) -> int:
    """The index of a legal action that was not refused yet: passing in a reaction, otherwise the first."""
    order = list(range(len(decision.legal_actions)))
    if decision.kind == DecisionKind.DECISION_KIND_REACTION:
        order.reverse()
    return next((index for index in order if index not in refused), order[0])


def resolve(bot: Bot, decision: Decision) -> tuple[Act, str]:
    """What a bot in the same process answers, and what was wrong with its reply (empty when nothing was).

    A bad reply is replaced by the fallback. An exception of the bot is the caller's to handle.
    """
    reply = bot.decide(decision)
    try:
        return act_for(decision, reply, auto_uno=bot.auto_uno, auto_catch=bot.auto_catch), ""
    except BadReplyError as error:
        return act_for(decision, fallback(decision), auto_uno=bot.auto_uno, auto_catch=bot.auto_catch), str(error)


def _checked_index(choice: object, legal_actions: Sequence[Action]) -> int:
    """`choice` as an index that exists."""
    count = len(legal_actions)
    if isinstance(choice, bool) or not hasattr(choice, "__index__"):
        raise BadReplyError(
            f"a reply must be an index from 0 to {count - 1}, an Action or an Answer, "
            f"not {type(choice).__name__} {choice!r}"
        )
    index = operator.index(choice)
    if not 0 <= index < count:
        raise BadReplyError(f"choice {index} is no index into legal_actions; valid are 0 to {count - 1}")
    return index


def _checked_call(call: object) -> bool | None:
    """`call_uno` as a truth value, or `None` when the SDK is to decide."""
    if call is None or isinstance(call, bool):
        return call
    raise BadReplyError(f"call_uno must be True, False or None (the SDK decides), not {call!r}")


def _checked_seats(seats: object, view: View) -> list[int]:
    """`catch_seats` as seats that exist, each once."""
    count = len(view.hand_counts)
    if not isinstance(seats, Iterable):
        raise BadReplyError(f"catch_seats must be a sequence of seats from 0 to {count - 1}, not {seats!r}")
    checked: dict[int, None] = {}
    for seat in seats:
        number = operator.index(seat) if hasattr(seat, "__index__") and not isinstance(seat, bool) else -1
        if not 0 <= number < count:
            raise BadReplyError(f"catch_seats names {seat!r}; valid are seats from 0 to {count - 1}")
        checked[number] = None
    return list(checked)


def _set_action(act: Act, action: Action, decision: Decision) -> Action:
    """Puts an action into `act`: by its index when legal, as itself when it is a call or catch in the own turn."""
    for index, legal in enumerate(decision.legal_actions):
        if _means(action, legal):
            act.choice = index
            return legal
    if action.kind in _CALLS and decision.kind != DecisionKind.DECISION_KIND_REACTION:
        act.action.CopyFrom(action)
        return action
    valid = ", ".join(action_text(legal) for legal in decision.legal_actions)
    raise BadReplyError(f"{action_text(action)} is not a legal action; valid are {valid}")


def _means(action: Action, legal: Action) -> bool:
    """Whether `action` is `legal`, give or take a colour or target that `legal` does not need."""
    return (
        action.kind == legal.kind
        and action.card == legal.card
        and (not legal.color or action.color == legal.color)
        and (not legal.HasField("target") or (action.HasField("target") and action.target == legal.target))
    )


def _free_catches(decision: Decision) -> list[int]:
    """The seats to be caught along with an answer at no cost."""
    view = decision.view
    if not view.catchable_seats or not catches_are_free(view):
        return []
    return [seat for seat in view.catchable_seats if not view.HasField("seat") or seat != view.seat]


def _seat_before(view: View) -> int:
    """The active seat before the viewer in the direction of play, whose hand a rotation brings."""
    active = list(view.active_seats)
    return active[(active.index(view.seat) - (view.direction or 1)) % len(active)]
