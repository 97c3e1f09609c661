"""How a raw bot plays: what it chooses, when it calls UNO, whom it catches.

Here: `Player`, `cards_left`, `option`. Not here: when it is asked and what it sends (`raw_bot`).
"""

from lastcard.v1.action_pb2 import Action, ActionKind
from lastcard.v1.table_pb2 import Act, Decision, DecisionKind
from lastcard.v1.view_pb2 import View

PLAYS = (ActionKind.ACTION_KIND_PLAY, ActionKind.ACTION_KIND_JUMP_IN)


class Player:
    """The part of a bot that knows the game."""

    def choose(self, decision: Decision, refused: list[int]) -> int:
        """An index that was not refused: in a reaction calling, catching at no cost, passing; else the first."""
        kinds = [action.kind for action in decision.legal_actions]
        wanted = list(range(len(kinds)))
        if decision.kind == DecisionKind.DECISION_KIND_REACTION:
            order = [ActionKind.ACTION_KIND_UNO, ActionKind.ACTION_KIND_PASS]
            if option(decision.view, "false_catch_penalty", "0") == "0":
                order.insert(1, ActionKind.ACTION_KIND_CATCH)
            wanted.sort(key=lambda index: order.index(kinds[index]) if kinds[index] in order else len(order))
        return next((index for index in wanted if index not in refused), wanted[0])

    def act(self, decision: Decision, choice: int) -> Act:
        """The answer that says `choice`."""
        act = Act(table_id=decision.table_id, decision_id=decision.decision_id)
        action = decision.legal_actions[choice]
        self.put(act, action, choice)
        act.call_uno = self.calls(decision, action)
        act.catch_seats.extend(self.catches(decision, action))
        return act

    def put(self, act: Act, action: Action, choice: int) -> None:
        act.choice = choice

    def calls(self, decision: Decision, action: Action) -> bool:
        """Whether to call UNO with an action: exactly when it leaves one card."""
        return action.kind in PLAYS and cards_left(decision.view, action) == 1

    def catches(self, decision: Decision, action: Action) -> list[int]:
        """Whom to catch along with an action: everybody who can be, where that costs nothing."""
        view = decision.view
        free = option(view, "false_catch_penalty", "0") == "0"
        if not free or action.kind in (ActionKind.ACTION_KIND_UNO, ActionKind.ACTION_KIND_CATCH):
            return []
        return [seat for seat in view.catchable_seats if seat != view.seat]


def cards_left(view: View, action: Action) -> int:
    """How many cards the viewer holds after a play: its own, or those that a seven or a zero brings."""
    left = len(view.hand) - 1
    colour, rank = action.card >> 4, action.card & 15
    moves = left > 0 or option(view, "last_card_hand_effect", "win") == "apply"
    if colour and moves and rank == 7 and action.HasField("target") and option(view, "seven_swap", "false") == "true":
        return view.hand_counts[action.target]
    if colour and moves and rank == 0 and option(view, "zero_rotate", "false") == "true":
        seats = list(view.active_seats)
        return view.hand_counts[seats[(seats.index(view.seat) - (view.direction or 1)) % len(seats)]]
    return left


def option(view: View, name: str, default: str) -> str:
    return next((entry.value for entry in view.ruleset.options if entry.name == name), default)
