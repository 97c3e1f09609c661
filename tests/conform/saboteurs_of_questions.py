"""Saboteurs of questions: each is right but for one thing in what it answers, or in when it calls UNO."""

from conform.innocents import ActingBot, LastBot
from conform.playing import PLAYS, option
from conform.raw_bot import Asked, RightBot, seconds
from conform.saboteur import breaks
from lastcard.v1.action_pb2 import Action, ActionKind
from lastcard.v1.card_pb2 import Card, Color
from lastcard.v1.table_pb2 import Act, Decision, DecisionKind

# ---------------------------------------------------------------- questions


class _LeavesOpen(RightBot):
    """Does not answer questions of one kind."""

    kind = DecisionKind.DECISION_KIND_UNSPECIFIED

    async def consider(self, asked: Asked) -> None:
        if asked.decision.kind != self.kind:
            await super().consider(asked)


@breaks(
    "turn",
    also="answer-form no-false-call many-tables decisions-in-a-frame in-time whole-round resumes comes-back "
    "server-vanishes draining refused-without-choice",
)
class NeverDraws(RightBot):
    """Does not know what to say when nothing but a draw is left."""

    async def consider(self, asked: Asked) -> None:
        if [action.kind for action in asked.decision.legal_actions] != [ActionKind.ACTION_KIND_DRAW]:
            await super().consider(asked)


@breaks("drawn-card", also="calls-uno in-time whole-round comes-back")
class ForgetsWhatItDrew(_LeavesOpen):
    kind = DecisionKind.DECISION_KIND_DRAWN_CARD


@breaks("penalty", also="many-tables whole-round")
class IgnoresPenalties(_LeavesOpen):
    kind = DecisionKind.DECISION_KIND_PENALTY


@breaks("color", also="many-tables decisions-in-a-frame open-at-once")
class NamesNoColor(_LeavesOpen):
    kind = DecisionKind.DECISION_KIND_COLOR


@breaks("color", also="many-tables decisions-in-a-frame open-at-once")
class ForgetsTheColor(ActingBot):
    """Says that it names a colour, and names none."""

    def put(self, act: Act, action: Action, choice: int) -> None:
        super().put(act, action, choice)
        if action.kind == ActionKind.ACTION_KIND_CHOOSE_COLOR:
            act.action.color = Color.COLOR_UNSPECIFIED


@breaks("reaction")
class NeverReacts(_LeavesOpen):
    kind = DecisionKind.DECISION_KIND_REACTION


@breaks("reaction")
class WaitsForItsTurn(RightBot):
    """Answers only when the view says that it is its turn."""

    async def consider(self, asked: Asked) -> None:
        if asked.decision.view.turn_seat == asked.decision.view.seat:
            await super().consider(asked)


@breaks(
    "answer-form",
    also="turn drawn-card penalty reaction calls-uno calls-uno-after-rotation no-false-call catches "
    "many-tables decisions-in-a-frame in-time whole-round",
)
class LeavesZeroOut(LastBot):
    """Writes choice only when it is not 0, as if the field had no presence."""

    def put(self, act: Act, action: Action, choice: int) -> None:
        if choice:
            act.choice = choice


@breaks(
    "answer-form",
    also="turn reaction calls-uno calls-uno-after-rotation no-false-call many-tables decisions-in-a-frame "
    "in-time whole-round",
)
class CountsFromOne(RightBot):
    def put(self, act: Act, action: Action, choice: int) -> None:
        act.choice = choice + 1


@breaks("reaction")
class ComesTooLateForEverything(RightBot):
    """Takes a question without a deadline for one whose deadline is over."""

    async def consider(self, asked: Asked) -> None:
        if seconds(asked.decision.time_left) > 0:
            await super().consider(asked)


@breaks("answer-form", also="catches")
class CatchesEverybody(RightBot):
    """Catches itself, too, when anybody can be caught."""

    def catches(self, decision: Decision, action: Action) -> list[int]:
        return list(range(len(decision.view.hand_counts))) if super().catches(decision, action) else []


@breaks("largest-question")
class HasRoomForEight(RightBot):
    async def consider(self, asked: Asked) -> None:
        room = [0] * 8
        for seat, count in enumerate(asked.decision.view.hand_counts):
            room[seat] = count
        await super().consider(asked)


@breaks("unknown-cards")
class DiesOfUnknownCards(RightBot):
    async def consider(self, asked: Asked) -> None:
        for card in asked.decision.view.hand:
            Card.Name(card)
        await super().consider(asked)


# ---------------------------------------------------------------- calling


def _moves_hands(decision: Decision, action: Action, rank: int, name: str) -> bool:
    """Whether a play is of this rank, under the rule that makes it move hands."""
    return action.kind in PLAYS and action.card & 15 == rank and option(decision.view, name, "false") == "true"


@breaks("calls-uno")
class ForgetsToCall(RightBot):
    def calls(self, decision: Decision, action: Action) -> bool:
        return super().calls(decision, action) and len(decision.view.hand) != 2


@breaks("calls-uno-after-swap")
class ForgetsToCallAfterASwap(RightBot):
    def calls(self, decision: Decision, action: Action) -> bool:
        return super().calls(decision, action) and not _moves_hands(decision, action, 7, "seven_swap")


@breaks("calls-uno-after-rotation")
class ForgetsToCallAfterARotation(RightBot):
    def calls(self, decision: Decision, action: Action) -> bool:
        return super().calls(decision, action) and not _moves_hands(decision, action, 0, "zero_rotate")


@breaks("calls-uno-after-rotation")
class RotatesTheOtherWay(RightBot):
    def calls(self, decision: Decision, action: Action) -> bool:
        decision.view.direction = -decision.view.direction
        return super().calls(decision, action)


@breaks("no-false-call")
class CallsTooEarly(RightBot):
    def calls(self, decision: Decision, action: Action) -> bool:
        return super().calls(decision, action) or (action.kind in PLAYS and len(decision.view.hand) == 3)


@breaks("no-false-call", also="calls-uno-after-swap calls-uno-after-rotation")
class KnowsNoHouseRules(RightBot):
    """Calls when it held two cards, whatever a seven or a zero does."""

    def calls(self, decision: Decision, action: Action) -> bool:
        return action.kind in PLAYS and len(decision.view.hand) == 2


@breaks("catches")
class CatchesNobody(RightBot):
    def catches(self, decision: Decision, action: Action) -> list[int]:
        return []
