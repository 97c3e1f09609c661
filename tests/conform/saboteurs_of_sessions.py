"""Saboteurs of sessions: each is right but for one thing in how it connects, reads, comes back or ends."""

import asyncio

import grpc
from google.protobuf.message import Message
from google.protobuf.unknown_fields import UnknownFieldSet

from conform.calls import Call, End
from conform.innocents import ListeningBot
from conform.life import AGAIN, FAIL, FINISH
from conform.raw_bot import Asked, RightBot
from conform.saboteur import breaks
from lastcard.v1.play_service_pb2 import ClientMessage, Hello, NoticeKind, PlayResponse, ServerMessage

# ---------------------------------------------------------------- connecting


@breaks("connects", also="heartbeat")
class Chatters(RightBot):
    """Says something before it is welcomed."""

    def opening(self) -> list[ClientMessage]:
        reply = ClientMessage()
        reply.heartbeat_reply.number = 1
        return [*super().opening(), reply]


@breaks("connects")
class SpeaksVersionTwo(RightBot):
    def hello(self) -> Hello:
        hello = super().hello()
        hello.protocol_version = 2
        return hello


@breaks("token", also="resume-secret")
class ForgetsTheScheme(RightBot):
    """Sends the bare token."""

    def metadata(self) -> tuple[tuple[str, str], ...]:
        return tuple((key, value.removeprefix("Bearer ")) for key, value in super().metadata())


@breaks("token", also="guest")
class HasItsOwnName(RightBot):
    """Does not care for LASTCARD_BOT."""

    def hello(self) -> Hello:
        hello = super().hello()
        hello.bot_name = "my_own_name"
        return hello


@breaks("guest", also="secret-forgotten")
class SendsAnEmptyToken(RightBot):
    def metadata(self) -> tuple[tuple[str, str], ...]:
        return super().metadata() or (("authorization", "Bearer "),)


@breaks("version")
class DialsOnAfterItsVersionWasRefused(RightBot):
    def on_hopeless(self, text: str) -> tuple[str, str]:
        return AGAIN, text


@breaks("version")
class TakesAnyVersion(RightBot):
    def on_other_version(self, version: int) -> None:
        self.welcomed = self.known = True


@breaks("bad-token")
class DialsOnWithABadToken(RightBot):
    def on_unauthenticated(self, text: str) -> tuple[str, str]:
        return super().on_unauthenticated(text) if self.known else (AGAIN, text)


@breaks("heartbeat")
class Miscounts(RightBot):
    """Counts heartbeats by itself, from 0."""

    beats = 0

    async def on_heartbeat(self, message: ServerMessage) -> None:
        message.heartbeat.number = self.beats
        self.beats += 1
        await super().on_heartbeat(message)


# ---------------------------------------------------------------- newer servers


def _has_unknown_fields(message: Message) -> bool:
    """Whether there is anything in a message, or in one in it, that this version does not know."""
    if len(UnknownFieldSet(message)):
        return True
    return any(
        _has_unknown_fields(part)
        for field, value in message.ListFields()
        if field.message_type is not None
        for part in ([value] if isinstance(value, Message) else value)
    )


@breaks("unknown-fields", also="unknown-cards")
class ReadsStrictly(RightBot):
    """Takes a message with unknown fields for a broken one."""

    async def on_message(self, message: ServerMessage) -> None:
        if message.WhichOneof("message") is not None and _has_unknown_fields(message):
            raise ValueError("unknown field")
        await super().on_message(message)


@breaks("unknown-messages")
class DiesOfUnknownMessages(RightBot):
    def on_unknown(self, message: ServerMessage) -> None:
        raise ValueError("unknown message")


@breaks("unknown-values")
class DiesOfUnknownNotices(RightBot):
    async def on_notice(self, message: ServerMessage) -> None:
        NoticeKind.Name(message.notice.kind)


@breaks("unknown-values", also="unknown-cards")
class LeavesUnknownQuestionsOpen(RightBot):
    """Answers kinds of decisions that it knows."""

    async def consider(self, asked: Asked) -> None:
        if asked.decision.kind <= 5:
            await super().consider(asked)


# ---------------------------------------------------------------- frames


@breaks("large-frames", also="frame-limit")
class ReadsSmallFrames(RightBot):
    """Is cut by its own library when a frame has more than 64 KiB."""

    async def on_frame(self, frame: PlayResponse) -> None:
        if frame.ByteSize() > 64 * 1024:
            assert self.call is not None
            self.call.cancel()
            return
        await super().on_frame(frame)


@breaks("frame-limit")
class PacksAllIntoOneFrame(RightBot):
    def packed(self, messages: list[ClientMessage]) -> list[list[ClientMessage]]:
        return [messages] if messages else []


@breaks("message-refused", also="secret-forgotten comes-back event-over")
class DiesOfRefusedMessages(RightBot):
    async def on_message_refused(self, message: ServerMessage) -> None:
        raise ValueError(message.message_refused.message)


# ---------------------------------------------------------------- coming back


@breaks(
    "resumes",
    also="repeated-after-drop not-sent-again moved-on resume-secret secret-forgotten comes-back "
    "server-vanishes draining backs-off dead-connection closed-again",
)
class NeverComesBack(RightBot):
    """Takes a lost connection for the end."""

    def after(self, end: End) -> tuple[str, str]:
        after, why = super().after(end)
        return (FINISH, why) if after == AGAIN else (after, why)


@breaks("resumes")
class ComesBackWithoutItsToken(RightBot):
    def metadata(self) -> tuple[tuple[str, str], ...]:
        return super().metadata() if self.stream == 1 or not self.environment["LASTCARD_TOKEN"] else ()


@breaks("repeated-after-drop")
class ThinksAnewAfterALostConnection(RightBot):
    """Takes the next action each time that it is asked again on a new stream."""

    answered_on = 0

    def answer(self, asked: Asked) -> None:
        self.answered_on = self.stream
        super().answer(asked)

    def repeat(self, asked: Asked) -> None:
        if self.answered_on != self.stream:
            asked.act = self.act(asked.decision, self.choose(asked.decision, asked.refused))
        super().repeat(asked)


@breaks("cursors", also="resumes resume-secret comes-back draining")
class CountsFromZero(ListeningBot):
    """Names the next event that it wants instead of the last that it has."""

    def hello(self) -> Hello:
        hello = super().hello()
        for cursor in hello.cursors:
            cursor.last_sequence += 1
        return hello


@breaks("cursors")
class ForgetsCursors(ListeningBot):
    def hello(self) -> Hello:
        hello = super().hello()
        del hello.cursors[:]
        return hello


@breaks("resume-secret")
class ForgetsItsSecret(RightBot):
    def metadata(self) -> tuple[tuple[str, str], ...]:
        self.secret = ""
        return super().metadata()


@breaks("secret-forgotten")
class ClingsToItsSecret(RightBot):
    """Dials on with a secret that the server does not know any more."""

    def on_unauthenticated(self, text: str) -> tuple[str, str]:
        return (AGAIN, text) if self.secret and self.known else super().on_unauthenticated(text)


@breaks("comes-back")
class TakesOffenceAtBeingTooSlow(RightBot):
    """Gives up when it was cut for reading too slowly."""

    def after(self, end: End) -> tuple[str, str]:
        return (FAIL, end.text) if end.code == grpc.StatusCode.RESOURCE_EXHAUSTED else super().after(end)


@breaks("server-vanishes", also="secret-forgotten exits-while-away")
class GivesUpInThought(RightBot):
    """Ends when the server cannot be reached and a question is open."""

    def after(self, end: End) -> tuple[str, str]:
        thinks = any(table.asked for table in self.tables.values())
        return (FAIL, end.text) if thinks and not self.welcomed else super().after(end)


@breaks("draining")
class TakesDrainingForTheEnd(RightBot):
    def after(self, end: End) -> tuple[str, str]:
        return (FINISH, end.text) if self.draining else super().after(end)


@breaks("draining")
class FallsSilentWhenTheServerDrains(RightBot):
    async def consider(self, asked: Asked) -> None:
        if not self.draining:
            await super().consider(asked)


@breaks("backs-off")
class Hammers(RightBot):
    def wait_s(self) -> float:
        return 0.01


@breaks("dead-connection")
class WaitsForEver(RightBot):
    async def next_frame(self, call: Call) -> PlayResponse | None:
        return await call.read()


# ---------------------------------------------------------------- ending


@breaks("table-closed", also="closed-again")
class NeverAcknowledges(RightBot):
    async def on_table_closed(self, message: ServerMessage) -> None:
        self.tables.pop(message.table_closed.table_id, None)


@breaks("closed-again")
class AcknowledgesOnce(RightBot):
    async def on_table_closed(self, message: ServerMessage) -> None:
        if message.table_closed.table_id not in self.over:
            await super().on_table_closed(message)


@breaks("closed-again")
class KeepsCursorsOfClosedTables(ListeningBot):
    def hello(self) -> Hello:
        hello = super().hello()
        for table_id in self.over:
            hello.cursors.add(table_id=table_id, last_sequence=1)
        return hello


@breaks("closed-while-asked")
class DiesOfATableThatEndsInThought(RightBot):
    async def on_table_closed(self, message: ServerMessage) -> None:
        assert not self.table(message.table_closed.table_id).asked, "but I was just about to answer"
        await super().on_table_closed(message)


@breaks("replaced")
class FightsForItsSession(RightBot):
    def on_replaced(self, text: str) -> tuple[str, str]:
        return AGAIN, text


@breaks("replaced")
class CallsItSuccessToBeReplaced(RightBot):
    def on_replaced(self, text: str) -> tuple[str, str]:
        return FINISH, text


@breaks("event-over")
class CallsTheEndAFailure(RightBot):
    def on_unauthenticated(self, text: str) -> tuple[str, str]:
        after, why = super().on_unauthenticated(text)
        return (FAIL, why) if after == FINISH else (after, why)


@breaks("session-over")
class ComesBackWhenTheSessionIsOver(RightBot):
    def after(self, end: End) -> tuple[str, str]:
        after, why = super().after(end)
        return (AGAIN, why) if end.code == grpc.StatusCode.OK and after == FINISH else (after, why)


@breaks("exits-on-request", also="exits-cleanly")
class StaysUntilTheServerLeaves(RightBot):
    """Hears SIGTERM, and waits for the stream to end by itself."""

    async def on_stop(self) -> None:
        await asyncio.Event().wait()


@breaks("exits-cleanly", also="exits-while-away")
class EndsWithTheSignalsStatus(RightBot):
    async def run(self) -> int:
        status = await super().run()
        return 143 if self.stopped.is_set() else status


@breaks("exits-while-away")
class HearsNothingWhileAway(RightBot):
    """Listens for SIGTERM while it plays, not while it waits to connect."""

    async def live(self) -> int:
        status = await super().live()
        if self.stopped.is_set() and not self.welcomed:
            await asyncio.Event().wait()
        return status
