"""Checks of the beginning: connecting, `Hello`, who the bot is, heartbeats.

Not here: what happens when a stream ends (`resuming`). May import `bench`, `checking`, `messages`, `tables`.
"""

from lastcard.conform import messages
from lastcard.conform.bench import Bench
from lastcard.conform.checking import Check, Failed, Level, check
from lastcard.conform.tables import Table


@check(
    "connects",
    Level.REQUIRED,
    "dials the server in LASTCARD_SERVER and opens one stream with a Hello of version 1, alone and first",
    proves="without it the bot never gets a seat",
    advice="read LASTCARD_SERVER (host:port), call PlayService.Play and send Hello{protocol_version: 1} at once",
)
async def connects(bench: Bench) -> None:
    """The gate of all other checks."""
    await bench.start()
    talk = await bench.silent_talk()
    hello = await talk.take_hello()
    if hello.protocol_version != 1:
        raise Failed(f"its Hello says protocol_version {hello.protocol_version}; this arena speaks 1")
    await talk.quiet()
    if len(talk.said) > 1:
        extra = [message.WhichOneof("message") for message in talk.said[1:]]
        raise Failed(f"it said {', '.join(map(str, extra))} before it was welcomed; nothing but hello may come before")
    await talk.welcome()


@check(
    "heartbeat",
    Level.REQUIRED,
    "bears heartbeats while it thinks, and answers them, if at all, with their number",
    proves="a heartbeat comes every ten seconds, also in the middle of a thought",
    advice="read the stream while the bot thinks; reply to Heartbeat{number} with HeartbeatReply of the same number",
)
async def heartbeat(bench: Bench) -> None:
    """Heartbeats right behind a question, and between two."""
    table = Table()
    talk = await bench.connect(table)
    table.play_on()
    decision = talk.ask(table)
    talk.send(*(messages.heartbeat(number) for number in (1, 2, 3)))
    await talk.settle(table, decision)
    talk.send(messages.heartbeat(4))
    await talk.play(table, 2)
    await talk.quiet()
    numbers = [message.heartbeat_reply.number for message in talk.said if message.HasField("heartbeat_reply")]
    if not set(numbers) <= {1, 2, 3, 4} or len(set(numbers)) < len(numbers):
        raise Failed(
            f"heartbeats 1 to 4 were answered with the numbers {numbers}; each may be answered once, with its own"
        )


CHECKS: tuple[Check, ...] = (connects, heartbeat)
