"""Saboteurs of answers: each is right but for one thing in when it answers, how often, or what it does when refused."""

from conform.innocents import PonderingBot
from conform.raw_bot import FINAL, Asked, RightBot, Table
from conform.saboteur import breaks
from lastcard.v1.play_service_pb2 import PlayResponse, ServerMessage
from lastcard.v1.reason_pb2 import ProtocolReason, Reason
from lastcard.v1.table_pb2 import ActResult, Decision

# ---------------------------------------------------------------- refusals


@breaks(
    "refused-once", also="refused-twice third-refusal refused-by-transport refused-for-unknown-reason one-correction"
)
class FallsSilentWhenRefused(RightBot):
    async def correct(self, asked: Asked, result: ActResult) -> None:
        """Nothing."""


@breaks("refused-once", also="refused-twice third-refusal refused-by-transport refused-for-unknown-reason")
class InsistsOnItsAnswer(RightBot):
    async def correct(self, asked: Asked, result: ActResult) -> None:
        self.answer(asked)


@breaks("refused-twice", also="third-refusal refused-by-transport")
class GoesBackToItsFirstAnswer(RightBot):
    """Remembers the last refusal only."""

    async def correct(self, asked: Asked, result: ActResult) -> None:
        asked.refused[:] = asked.refused[-1:]
        await super().correct(asked, result)


@breaks("third-refusal")
class TriesAFourthTime(RightBot):
    async def on_third_refusal(self, table: Table, asked: Asked) -> None:
        asked.act = None
        await self.consider(asked)


@breaks("refused-without-choice")
class LooksForAnotherChoice(RightBot):
    async def correct(self, asked: Asked, result: ActResult) -> None:
        rest = [index for index in range(len(asked.decision.legal_actions)) if index not in asked.refused]
        self.settle(asked, rest[0])


@breaks("one-correction")
class CorrectsForEachVerdict(RightBot):
    async def on_act_result(self, message: ServerMessage) -> None:
        asked = self.table(message.act_result.table_id).asked.get(message.act_result.decision_id)
        if asked is not None:
            asked.unjudged = min(asked.unjudged, 1)
        await super().on_act_result(message)


@breaks("refused-by-transport")
class ReadsOnlyTheReasonOfTheGame(RightBot):
    async def on_refused(self, table: Table, asked: Asked, result: ActResult) -> None:
        if result.reason or result.protocol_reason == ProtocolReason.PROTOCOL_REASON_TOO_FAST:
            await super().on_refused(table, asked, result)


@breaks("refused-for-unknown-reason")
class DiesOfUnknownReasons(RightBot):
    async def on_refused(self, table: Table, asked: Asked, result: ActResult) -> None:
        Reason.Name(result.reason)
        await super().on_refused(table, asked, result)


@breaks("final-refusals")
class CorrectsWhatIsClosed(RightBot):
    async def on_refused(self, table: Table, asked: Asked, result: ActResult) -> None:
        if result.reason in FINAL:
            await self.correct(asked, result)
        else:
            await super().on_refused(table, asked, result)


@breaks("too-fast")
class TakesTooFastForNo(RightBot):
    async def on_refused(self, table: Table, asked: Asked, result: ActResult) -> None:
        if result.protocol_reason != ProtocolReason.PROTOCOL_REASON_TOO_FAST:
            await super().on_refused(table, asked, result)


@breaks("too-fast-waits")
class IsInAHurry(RightBot):
    too_fast_s = 0.0


@breaks("refused-catch")
class TakesARefusedCatchForARefusal(RightBot):
    async def on_accepted(self, table: Table, asked: Asked, result: ActResult) -> None:
        if result.refused_catches:
            asked.act = None
            await self.consider(asked)
        else:
            await super().on_accepted(table, asked, result)


# ---------------------------------------------------------------- repetitions


@breaks("repeated-decision", also="one-correction")
class AnswersOnce(RightBot):
    """Is sure that the server has its answer, as long as the stream holds."""

    def repeat(self, asked: Asked) -> None:
        if self.sent_on != self.stream:
            super().repeat(asked)

    sent_on = 0

    def answer(self, asked: Asked) -> None:
        self.sent_on = self.stream
        super().answer(asked)


@breaks("repeated-decision", also="repeated-in-one-frame repeated-after-drop")
class ThinksAnewEachTime(RightBot):
    def repeat(self, asked: Asked) -> None:
        asked.refused[:] = asked.refused[-1:]
        asked.act = self.act(asked.decision, self.choose(asked.decision, asked.refused))
        asked.refused.append(asked.act.choice)
        super().repeat(asked)


@breaks("repeated-in-one-frame")
class ThinksTwiceAtOnce(PonderingBot):
    """Begins a thought with each decision that comes, also while it thinks about the same."""

    async def on_decision(self, message: ServerMessage) -> None:
        asked = self.table(message.decision.table_id).asked.get(message.decision.decision_id)
        if asked is not None and asked.act is None:
            self.start(self.think(asked))
        else:
            await super().on_decision(message)


@breaks("not-sent-again", also="moved-on")
class SendsAgainWhatHadNoVerdict(RightBot):
    async def on_welcome(self, message: ServerMessage) -> None:
        await super().on_welcome(message)
        for table in self.tables.values():
            for asked in table.asked.values():
                if asked.act is not None:
                    self.answer(asked)


@breaks("moved-on")
class FinishesItsThoughts(PonderingBot):
    """Sends what it has thought out, on whatever stream."""

    think_s = 0.5

    def drop_outdated(self, table: Table, new: Decision) -> None:
        """Nothing is ever out of date."""

    async def on_decision(self, message: ServerMessage) -> None:
        message.decision.ClearField("previous_receipt")
        await super().on_decision(message)

    async def on_seated(self, message: ServerMessage) -> None:
        """Whatever the receipt says."""

    def settle(self, asked: Asked, choice: int) -> None:
        asked.stream = self.stream
        super().settle(asked, choice)


@breaks("decision-closed")
class CorrectsClosedDecisions(RightBot):
    """Takes DecisionClosed for a refusal."""

    async def on_decision_closed(self, message: ServerMessage) -> None:
        closed = message.decision_closed
        asked = self.table(closed.table_id).asked.pop(closed.decision_id, None)
        if asked is not None:
            await self.consider(asked)


@breaks("closed-while-thinking")
class ThinksOn(PonderingBot):
    async def on_decision_closed(self, message: ServerMessage) -> None:
        """Does not look up."""


# ---------------------------------------------------------------- many at once


@breaks("many-tables", also="final-refusals too-fast all-of-a-frame decisions-in-a-frame open-at-once")
class TakesTablesForOne(RightBot):
    """Remembers decisions by their number alone."""

    def table(self, table_id: str) -> Table:
        return super().table("")

    async def on_table_closed(self, message: ServerMessage) -> None:
        self.tables.clear()
        await super().on_table_closed(message)


@breaks("all-of-a-frame", also="decisions-in-a-frame in-time unknown-messages large-frames one-correction")
class ReadsTheFirstMessage(RightBot):
    async def on_frame(self, frame: PlayResponse) -> None:
        for message in frame.messages[:1]:
            await self.on_message(message)


@breaks("decisions-in-a-frame")
class AnswersTheFirstDecisionOfAFrame(RightBot):
    async def on_frame(self, frame: PlayResponse) -> None:
        asked = False
        for message in frame.messages:
            if not (asked and message.HasField("decision")):
                await self.on_message(message)
            asked = asked or message.HasField("decision")


@breaks("open-at-once")
class WaitsForEachVerdict(RightBot):
    """Says that it can be asked everything at once, and answers one after the other."""

    def __init__(self, *arguments: object) -> None:
        super().__init__(*arguments)  # type: ignore[arg-type]
        self.waiting: list[Asked] = []

    def busy(self) -> bool:
        return any(asked.unjudged for table in self.tables.values() for asked in table.asked.values())

    async def consider(self, asked: Asked) -> None:
        if self.busy():
            self.waiting.append(asked)
        else:
            await super().consider(asked)

    async def on_message(self, message: ServerMessage) -> None:
        await super().on_message(message)
        while self.waiting and not self.busy():
            await self.consider(self.waiting.pop(0))


# ---------------------------------------------------------------- games


@breaks("in-time")
class ThinksTooLong(PonderingBot):
    think_s = 2.5


@breaks("receipts")
class LooksEverythingUp(RightBot):
    """Has never heard of a verdict on something that it does not know."""

    async def on_act_result(self, message: ServerMessage) -> None:
        assert message.act_result.decision_id in self.table(message.act_result.table_id).answers, "no such decision"
        await super().on_act_result(message)


@breaks("whole-round")
class TiresAfterThirtyAnswers(RightBot):
    answered = 0

    async def consider(self, asked: Asked) -> None:
        self.answered += 1
        if self.answered <= 30:
            await super().consider(asked)
