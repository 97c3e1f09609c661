"""Checks of frames: large ones from the server, none too large to it, and messages that are refused.

May import `bench`, `checking`, `messages`, `tables`.
"""

from lastcard.conform import messages
from lastcard.conform.bench import Bench
from lastcard.conform.checking import Check, Failed, Level, check
from lastcard.conform.tables import Table
from lastcard.v1.play_service_pb2 import ServerMessage
from lastcard.v1.table_pb2 import Fault, FaultKind

_CLOSED_TABLES = 200
_EVIDENCE = "decision 7 was asked at 10:00:00.000 and not answered within 2000 ms. " * 15
_SMALL_BYTES = 1_024
"""The smallest limit that a server may be given."""


@check(
    "large-frames",
    Level.REQUIRED,
    "reads a frame of a mebibyte",
    proves="after a reconnect all that was missed comes at once",
    advice="let your gRPC library receive messages of at least 4 MiB, better 64 MiB",
)
async def large_frames(bench: Bench) -> str:
    """The ends of very many tables, and a question, in one frame."""
    table = Table()
    talk = await bench.connect(table)
    table.play_on()
    decision = table.ask()
    ends = _ends()
    talk.send(*ends, *table.news(decisions_only=talk.decisions_only), ServerMessage(decision=decision))
    await talk.settle(table, decision)
    await talk.play(table, 1)
    return f"{sum(end.ByteSize() for end in ends) >> 10} KiB"


@check(
    "frame-limit",
    Level.RECOMMENDED,
    "sends no frame larger than Welcome.max_frame_bytes",
    proves="the server ends the stream with FRAME_TOO_LARGE",
    advice="pack what is ready into as many frames as it takes to keep each below Welcome.max_frame_bytes",
)
async def frame_limit(bench: Bench) -> None:
    """Very much is to be acknowledged at once, to a server that reads small frames only."""
    table = Table()
    talk = await bench.connect(table, max_frame_bytes=_SMALL_BYTES)
    talk.send(*_ends())
    await talk.play(table, 1)
    largest = max(frame.ByteSize() for frame in talk.stream.frames)
    if largest > _SMALL_BYTES:
        raise Failed(f"it sent a frame of {largest} bytes; Welcome.max_frame_bytes is {_SMALL_BYTES}")


@check(
    "message-refused",
    Level.REQUIRED,
    "plays on after a MessageRefused",
    proves="a message that crossed the end of a table is refused, and that is all",
    advice="log MessageRefused and go on; only the status of the stream says that it is over",
)
async def message_refused(bench: Bench) -> None:
    """Refusals of what the bot may never have said."""
    table = Table()
    talk = await bench.connect(table)
    await talk.play(table, 1)
    talk.send(messages.message_refused("UNKNOWN_TABLE", "there is no table 'gone'; you sit at one.", "gone"))
    await talk.play(table, 1)
    talk.send(messages.message_refused("INVALID_ARGUMENT", "heartbeat_reply.number is 0; valid is from 1."))
    await talk.play(table, 1)


def _ends() -> list[ServerMessage]:
    """The ends of very many tables, with much evidence of faults."""
    ended = Table("conform-ended")
    kinds = (FaultKind.FAULT_KIND_TIMEOUT, FaultKind.FAULT_KIND_REFUSALS, FaultKind.FAULT_KIND_LEFT)
    faults = [Fault(seat=1 + number % 3, kind=kind, evidence=_EVIDENCE) for number, kind in enumerate(kinds * 2)]
    closed = []
    for number in range(_CLOSED_TABLES):
        message = ended.closed(faults=faults)
        message.table_closed.table_id = f"conform-ended-{number}"
        closed.append(message)
    return closed


CHECKS: tuple[Check, ...] = (large_frames, frame_limit, message_refused)
