"""The bot that looks ahead.

Here: `ShrewdBot`. Not here: how worlds are drawn, played on and estimated (`lastcard_bot.search`). Imports those.

For each decision it draws hands for the others that fit what it sees, tries its candidates in each of these worlds with
the rules themselves, lets the others play until its next turn, and estimates its chance there. All candidates are tried
in the same worlds, so that luck hits them alike, and those that have clearly fallen behind are dropped, so that the
time goes to those that are close.
"""

import time
from collections.abc import Sequence

from lastcard.rules.actions import Action as RulesAction
from lastcard.rules.apply import apply
from lastcard.rules.state import State
from lastcard.v1.action_pb2 import Action, ActionKind
from lastcard.v1.table_pb2 import Decision, DecisionKind
from lastcard.v1.view_pb2 import View
from lastcard_bot.bot import Bot
from lastcard_bot.bots.chance import chance_of
from lastcard_bot.bots.greedy_bot import GreedyBot
from lastcard_bot.cards import COLORS, color_counts, is_wild
from lastcard_bot.search.outlook import outlook
from lastcard_bot.search.playout import play_until
from lastcard_bot.search.worlds import WorldError, Worlds, rules_action

TRIALS = 420
"""Worlds drawn, and candidates tried in them, for a decision between four players: counted together, since they take
about the same time. Some 12 ms, and at most 20, on one core of a small machine."""
ROUND = 12
"""Worlds between two looks at who has fallen behind."""
BEHIND = 2.5
"""Standard errors by which a candidate must be behind the best to be dropped."""


class ShrewdBot(Bot):
    """Samples hidden hands, plays every candidate on to its next turn, and takes the best; counts cards, keeps wilds.

    The same answer in the same position with the same seed, as long as no time budget is set: `budget_ms` replaces the
    fixed number of trials.
    """

    name = "shrewd"
    version = "1"

    def __init__(self, seed: int = 0, trials: int = TRIALS, budget_ms: float | None = None) -> None:
        self._seed = seed
        self._trials = trials
        self._budget_ms = budget_ms
        self._thumb = GreedyBot(seed)

    def decide(self, decision: Decision) -> int:
        """Answers reactions and forced moves by rule of thumb, and all else by search."""
        if decision.kind in (DecisionKind.DECISION_KIND_REACTION, DecisionKind.DECISION_KIND_COLOR):
            return self._thumb.choose(decision.view, decision.legal_actions)
        candidates = worthwhile(decision.view, decision.legal_actions)
        if len(candidates) == 1:
            return candidates[0]
        try:
            worlds = Worlds(decision.view, decision.kind, decision.legal_actions)
        except WorldError:
            return self._thumb.choose(decision.view, decision.legal_actions)
        return self._best(decision, worlds, candidates)

    def choose(self, view: View, legal_actions: Sequence[Action]) -> int:
        """Answers a decision of which only view and actions are known."""
        return self.decide(Decision(kind=kind_of(legal_actions), view=view, legal_actions=legal_actions))

    def _best(self, decision: Decision, worlds: Worlds, candidates: list[int]) -> int:
        """The candidate with the best expected outcome."""
        seat = decision.view.seat
        chance = chance_of(decision.view, self._seed)
        actions = {index: rules_action(decision.legal_actions[index]) for index in candidates}
        values: dict[int, list[float]] = {index: [] for index in candidates}
        deadline = None if self._budget_ms is None else time.perf_counter() + self._budget_ms / 1000
        left = trials_for(self._trials, len(decision.view.active_seats))
        for number, world in enumerate(worlds.sample(chance), 1):
            spare = len(values)
            for index, outcomes in values.items():
                spare -= 1  # the last one may have the world itself
                outcomes.append(outcome(world.clone() if spare else world, seat, actions[index]))
            left -= len(values) + 1
            if number % ROUND == 0:
                drop_behind(values)
            done = left <= len(values) if deadline is None else time.perf_counter() >= deadline
            if done or len(values) == 1:
                break
        return max(values, key=lambda index: sum(values[index]))


def trials_for(trials: int, players: int) -> int:
    """As many trials as take the same time with more or fewer players, `trials` being meant for four."""
    return trials * 8 // (players + 4)


def outcome(state: State, seat: int, action: RulesAction) -> float:
    """What comes of an action, for the seat that takes it; the state is played on."""
    apply(state, seat, action, len(state.hands[seat]) == 2)
    play_until(state, seat)
    return outlook(state, seat)


def drop_behind(values: dict[int, list[float]]) -> None:
    """Drops candidates that are clearly behind the best; all have been tried in the same worlds, two or more."""
    best = max(values, key=lambda index: sum(values[index]))
    leading = values[best]
    count = len(leading)
    for index, own in list(values.items()):
        gaps = [lead - value for lead, value in zip(leading, own, strict=True)]
        mean = sum(gaps) / count
        variance = sum((gap - mean) ** 2 for gap in gaps) / (count - 1)
        if index != best and mean > BEHIND * (variance / count) ** 0.5:
            del values[index]


def worthwhile(view: View, legal_actions: Sequence[Action]) -> list[int]:
    """The indices of what is to be tried: wilds in the two longest colours, no draw while a colour can be played."""
    counts = color_counts(view.hand)
    colors = sorted(COLORS, key=lambda color: (-counts[color], color))[:2]
    colored = any(action.kind == ActionKind.ACTION_KIND_PLAY and not is_wild(action.card) for action in legal_actions)
    kept = []
    for index, action in enumerate(legal_actions):
        if action.kind == ActionKind.ACTION_KIND_DRAW and colored:
            continue
        if is_wild(action.card) and action.color and action.color not in colors:
            continue
        kept.append(index)
    return kept or list(range(len(legal_actions)))


def kind_of(legal_actions: Sequence[Action]) -> DecisionKind.ValueType:
    """The kind of a decision, told from what may be done."""
    kinds = {action.kind for action in legal_actions}
    if kinds & {ActionKind.ACTION_KIND_PASS, ActionKind.ACTION_KIND_JUMP_IN, ActionKind.ACTION_KIND_CATCH}:
        return DecisionKind.DECISION_KIND_REACTION
    if ActionKind.ACTION_KIND_CHOOSE_COLOR in kinds:
        return DecisionKind.DECISION_KIND_COLOR
    if kinds & {ActionKind.ACTION_KIND_ACCEPT, ActionKind.ACTION_KIND_CHALLENGE}:
        return DecisionKind.DECISION_KIND_PENALTY
    if ActionKind.ACTION_KIND_KEEP in kinds:
        return DecisionKind.DECISION_KIND_DRAWN_CARD
    return DecisionKind.DECISION_KIND_TURN
