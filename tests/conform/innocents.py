"""Bots that are right, each in another way: none of them may fail a check.

Here: slow ones, one on a busy machine, one that wants events, ones that answer by actions or call early. Not here:
`RightBot` itself.
"""

import asyncio

from conform.calls import Call
from conform.playing import PLAYS, option
from conform.raw_bot import Asked, RightBot, Table
from lastcard.v1.action_pb2 import Action, ActionKind
from lastcard.v1.card_pb2 import Color
from lastcard.v1.play_service_pb2 import PlayResponse, ServerMessage
from lastcard.v1.table_pb2 import Act, ActResult, Decision, DecisionKind


class SlowBot(RightBot):
    """Thinks about one decision at a time, for a while."""

    think_s = 0.1
    max_open_decisions = 1


class PonderingBot(RightBot):
    """Thinks about everything at once, each for a while."""

    think_s = 0.1


class ListeningBot(RightBot):
    """Wants events, and so has cursors."""

    decisions_only = False


class ActingBot(RightBot):
    """Answers by actions instead of their numbers."""

    def put(self, act: Act, action: Action, choice: int) -> None:
        act.action.CopyFrom(action)


class WordyBot(ActingBot):
    """Names a colour and a target with every action, also where none is needed."""

    def put(self, act: Act, action: Action, choice: int) -> None:
        super().put(act, action, choice)
        act.action.color = action.color or Color.COLOR_BLUE
        act.action.target = action.target


class LastBot(RightBot):
    """Takes the last action instead of the first, and plays where it can."""

    def choose(self, decision: Decision, refused: list[int]) -> int:
        if decision.kind == DecisionKind.DECISION_KIND_REACTION:
            return super().choose(decision, refused)
        plays = [i for i, action in enumerate(decision.legal_actions) if action.kind in PLAYS and i not in refused]
        rest = [i for i in range(len(decision.legal_actions)) if i not in refused]
        return (plays or rest or [0])[-1]


class EarlyCaller(RightBot):
    """Calls UNO by itself, before the play that leaves one card, where it can."""

    def __init__(self, *arguments: object) -> None:
        super().__init__(*arguments)  # type: ignore[arg-type]
        self.called: set[tuple[str, int]] = set()

    def act(self, decision: Decision, choice: int) -> Act:
        act = super().act(decision, choice)
        key = (decision.table_id, decision.decision_id)
        reaction = decision.kind == DecisionKind.DECISION_KIND_REACTION
        early = len(decision.view.hand) == 2 and act.call_uno and not reaction
        if early and key not in self.called:
            act = Act(table_id=decision.table_id, decision_id=decision.decision_id)
            act.action.kind = ActionKind.ACTION_KIND_UNO
        elif key in self.called:
            act.call_uno = False
        return act

    def settle(self, asked: Asked, choice: int) -> None:
        super().settle(asked, choice)
        if asked.act is not None and asked.act.action.kind == ActionKind.ACTION_KIND_UNO:
            asked.refused.remove(choice)

    async def on_accepted(self, table: Table, asked: Asked, result: ActResult) -> None:
        apart = asked.act is not None and asked.act.action.kind == ActionKind.ACTION_KIND_UNO
        if apart and not result.HasField("receipt"):
            self.called.add((result.table_id, result.decision_id))
            asked.act = None
            await self.consider(asked)
        else:
            await super().on_accepted(table, asked, result)


class PatientBot(SlowBot):
    """Uses most of the time that it has."""

    think_s = 1.8


class HeldUpBot(RightBot):
    """Answers at once, on a machine so busy that all that comes to it comes late."""

    async def next_frame(self, call: Call) -> PlayResponse | None:
        frame = await super().next_frame(call)
        await asyncio.sleep(self.chance.uniform(0.06, 0.3))
        return frame


class HeldUpPonderer(HeldUpBot):
    """The same for one that thinks in the background."""

    think_s = 0.1


class DrawingBot(RightBot):
    """Draws, keeps and accepts where it can: plays badly, and rightly."""

    def choose(self, decision: Decision, refused: list[int]) -> int:
        if decision.kind == DecisionKind.DECISION_KIND_REACTION:
            return super().choose(decision, refused)
        order = sorted(range(len(decision.legal_actions)), key=lambda at: decision.legal_actions[at].kind in PLAYS)
        return next((at for at in order if at not in refused), order[0])


class ChancyBot(RightBot):
    """Takes any action, by chance."""

    def choose(self, decision: Decision, refused: list[int]) -> int:
        rest = [at for at in range(len(decision.legal_actions)) if at not in refused]
        return self.chance.choice(rest or [0])


class HomelyBot(ListeningBot):
    """Sits at one table at a time, is asked one question at a time, and wants events."""

    max_tables = 1
    max_open_decisions = 1


class NewcomersBot(RightBot):
    """Names all that can be caught with every answer, also with one that catches, and trusts each Welcome."""

    def catches(self, decision: Decision, action: Action) -> list[int]:
        free = option(decision.view, "false_catch_penalty", "0") == "0"
        return list(decision.view.catchable_seats) if free else []

    async def on_welcome(self, message: ServerMessage) -> None:
        self.secret = ""
        await super().on_welcome(message)


INNOCENT = (
    RightBot,
    SlowBot,
    PonderingBot,
    ListeningBot,
    ActingBot,
    WordyBot,
    LastBot,
    EarlyCaller,
    PatientBot,
    HeldUpBot,
    HeldUpPonderer,
    DrawingBot,
    ChancyBot,
    HomelyBot,
    NewcomersBot,
)
