"""Whether an answer can be understood, and what it means.

Here: `well_formed`, `chosen`, `said`, and what checks of answers share: `judged`, `visits`. Not here: whether the rules
allow an answer, which the table judges (`tables`). May import `bench`, `checking`, `tables`, `talk`, `lastcard.rules`,
the wire's encoding, `lastcard.v1`.
"""

from collections.abc import AsyncIterator

from lastcard.conform.bench import Bench
from lastcard.conform.checking import Failed
from lastcard.conform.tables import Table
from lastcard.conform.talk import Talk, named
from lastcard.rules.notation import action_text
from lastcard.services.wire.actions import action_value
from lastcard.v1.action_pb2 import Action, ActionKind
from lastcard.v1.table_pb2 import Act, Decision, DecisionKind

_APART = (ActionKind.ACTION_KIND_UNO, ActionKind.ACTION_KIND_CATCH)
_KNOWN_CARDS = frozenset((0, *range(10, 15), *(16 * color + rank for color in range(1, 5) for rank in range(13))))


def words(action: Action) -> str:
    """An action as text, as in `R5` or `W/G`; one of a newer server by its numbers."""
    move = action_value(action)
    if move is None or action.card not in _KNOWN_CARDS or action.color > 4:
        return f"an action of kind {action.kind} with card {action.card}"
    return action_text(move)


def said(decision: Decision, act: Act) -> str:
    """An answer as text, as in `choice 3 (R5)`."""
    form = act.WhichOneof("answer")
    catches = f" with catch_seats {list(act.catch_seats)}" if act.catch_seats else ""
    if form is None:
        return f"neither choice nor action{catches}"
    if form == "action":
        return f"action {words(act.action)}{catches}"
    known = act.choice < len(decision.legal_actions)
    return f"choice {act.choice}" + (f" ({words(decision.legal_actions[act.choice])})" if known else "") + catches


def is_apart(decision: Decision, act: Act) -> bool:
    """Whether it is a call or a catch by itself, which leaves a turn open."""
    own_turn = decision.kind != DecisionKind.DECISION_KIND_REACTION
    return own_turn and act.WhichOneof("answer") == "action" and act.action.kind in _APART


def well_formed(decision: Decision, act: Act) -> None:
    """Raises `Failed` when an answer to this decision says nothing, or something that is not to be had."""
    which = f"its answer to {named(decision)}"
    form, last = act.WhichOneof("answer"), len(decision.legal_actions) - 1
    if form is None:
        raise Failed(f"{which} has neither choice nor action; one must be set, also when it is choice 0")
    if form == "choice" and act.choice > last:
        raise Failed(f"{which} is choice {act.choice}; valid are 0 to {last}, the indices of legal_actions")
    if form == "action" and not is_apart(decision, act) and _legal(decision, act.action) is None:
        valid = ", ".join(map(words, decision.legal_actions))
        raise Failed(f"{which} is {said(decision, act)}, which is not in legal_actions; valid are {valid}")
    seats = len(decision.view.hand_counts)
    for seat in act.catch_seats:
        if seat >= seats or (decision.view.HasField("seat") and seat == decision.view.seat):
            raise Failed(f"{which} catches seat {seat}; valid are other seats, from 0 to {seats - 1}")


def chosen(decision: Decision, act: Act) -> Action:
    """The action that a well-formed answer means, as it stands in legal_actions; a call or catch as it was sent."""
    if act.WhichOneof("answer") == "action":
        return _legal(decision, act.action) or act.action
    return decision.legal_actions[act.choice]


def _legal(decision: Decision, action: Action) -> Action | None:
    """The legal action that is meant; a colour or target where none is needed is ignored, as the rules do."""
    for legal in decision.legal_actions:
        same = (legal.kind, legal.card) == (action.kind, action.card)
        color = not legal.color or legal.color == action.color
        target = not legal.HasField("target") or (action.HasField("target") and legal.target == action.target)
        if same and color and target:
            return legal
    return None


async def judged(talk: Talk, table: Table, decision: Decision) -> list[Act]:
    """The bot's answer to a decision, accepted by the rules, and before it what it called or caught by itself.

    Raises `Failed` when an answer cannot be understood or is refused.
    """
    acts: list[Act] = []
    while True:
        act = await talk.answer(decision, len(acts) + 1)
        well_formed(decision, act)
        acts.append(act)
        verdict = table.judge(act)
        talk.send(verdict)
        result = verdict.act_result
        if not result.accepted:
            raise Failed(f"its answer to {named(decision)}, {said(decision, act)}, had to be refused: {result.message}")
        if result.HasField("receipt"):
            return acts
        if len(acts) > 2 * len(decision.view.hand_counts):
            raise Failed(f"it called or caught {len(acts)} times at {named(decision)} and never took its turn")


async def visits(bench: Bench, *tables: Table) -> AsyncIterator[tuple[Talk, Table]]:
    """The bot at one table after the other, all on one stream."""
    talk = await bench.connect()
    for table in tables:
        talk.send(*table.opening(decisions_only=talk.decisions_only))
        yield talk, table
        talk.send(table.closed())
