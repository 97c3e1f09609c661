"""Checks of the beginning: connecting, `Hello`, who the bot is, versions, heartbeats.

Not here: what happens when a stream ends (`resuming`). May import `bench`, `checking`, `tables`.
"""

import grpc

from lastcard.conform.bench import NAME, TOKEN, Bench
from lastcard.conform.checking import Check, Failed, Level, check
from lastcard.conform.tables import Table

_CODE = grpc.StatusCode


@check(
    "connects",
    Level.REQUIRED,
    "dials the server in LASTCARD_SERVER and opens one stream with a Hello of version 1, alone and first",
    proves="without it the bot never gets a seat",
    advice="read LASTCARD_SERVER (host:port), call PlayService.Play and send Hello{protocol_version: 1} at once, "
    "and nothing else before Welcome",
    gate=True,
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
    "token",
    Level.REQUIRED,
    "sends the token of LASTCARD_TOKEN and the name of LASTCARD_BOT",
    proves="in a tournament the token is who the bot is; without it there is no seat",
    advice="send LASTCARD_TOKEN as metadata `authorization: Bearer TOKEN` with Play, and LASTCARD_BOT (or nothing) as "
    "Hello.bot_name",
)
async def token(bench: Bench) -> None:
    """With a token, as in a tournament."""
    await bench.start(token=TOKEN, name=NAME)
    talk = await bench.silent_talk()
    hello = await talk.take_hello()
    scheme, _, sent = talk.stream.metadata.get("authorization", "").partition(" ")
    if (scheme.lower(), sent.strip()) != ("bearer", TOKEN):
        said = talk.stream.metadata.get("authorization")
        what = "no metadata authorization" if said is None else f"the metadata authorization {said!r}"
        raise Failed(f"it was started with LASTCARD_TOKEN={TOKEN} and sent {what}; it must be 'Bearer {TOKEN}'")
    if hello.bot_name not in ("", NAME):
        raise Failed(f"it was started with LASTCARD_BOT={NAME}, and its Hello says bot_name {hello.bot_name!r}")


@check(
    "guest",
    Level.REQUIRED,
    "comes without a token when LASTCARD_TOKEN is empty, under the name of LASTCARD_BOT",
    proves="at a server of one's own no token is needed, and the server takes any that is sent for a wrong one",
    advice="send no metadata `authorization` when LASTCARD_TOKEN is unset or empty, and LASTCARD_BOT as Hello.bot_name",
)
async def guest(bench: Bench) -> None:
    """Without a token, as on a server of one's own."""
    await bench.start(token="", name=NAME)
    talk = await bench.silent_talk()
    hello = await talk.take_hello()
    if "authorization" in talk.stream.metadata:
        said = talk.stream.metadata["authorization"]
        raise Failed(f"it was started with an empty LASTCARD_TOKEN and sent the metadata authorization {said!r}")
    if hello.bot_name != NAME:
        raise Failed(f"it was started with LASTCARD_BOT={NAME}, and its Hello says bot_name {hello.bot_name!r}")


@check(
    "version",
    Level.RECOMMENDED,
    "ends with a failure when the server speaks another version of the protocol",
    proves="it would misunderstand everything, or dial for ever",
    advice="compare Welcome.protocol_version with 1, take FAILED_PRECONDITION for an end; say so on stderr and exit "
    "with status 1",
)
async def version(bench: Bench) -> None:
    """A server that refuses version 1, and one that answers with another."""
    await bench.start()
    talk = await bench.silent_talk()
    await talk.take_hello()
    talk.end_for(_CODE.FAILED_PRECONDITION, "VERSION_UNSUPPORTED", "protocol version 1 is not spoken here; valid is 2.")
    await _fails(bench, "after its version of the protocol was refused")
    await bench.start()
    await bench.talk(protocol_version=2)
    await _fails(bench, "after a Welcome of protocol_version 2")


@check(
    "bad-token",
    Level.RECOMMENDED,
    "ends with a failure when its token is not accepted at all",
    proves="whoever started it must learn that the token is wrong; dialling on cannot help",
    advice="when the first stream ends with UNAUTHENTICATED before Welcome, say so on stderr and exit with status 1",
)
async def bad_token(bench: Bench) -> None:
    """A token that the server does not know."""
    await bench.start()
    talk = await bench.silent_talk()
    await talk.take_hello()
    talk.end_for(_CODE.UNAUTHENTICATED, "UNAUTHENTICATED", "the token is unknown or revoked; send a valid one.")
    await _fails(bench, "after its token was refused")


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
    for _ in range(3):
        talk.heartbeat()
    await talk.settle(table, decision)
    talk.heartbeat()
    await talk.play(table, 2)
    await talk.quiet()
    numbers = [message.heartbeat_reply.number for message in talk.said if message.HasField("heartbeat_reply")]
    if not set(numbers) <= set(range(1, talk.beats + 1)) or len(set(numbers)) < len(numbers):
        said = f"it answered heartbeats 1 to {talk.beats} with the numbers {numbers}"
        raise Failed(f"{said}; each may be answered once, with its own")


async def _fails(bench: Bench, why: str) -> None:
    """The bot's program must end with a failure."""
    if await bench.exit_status(why) == 0:
        raise Failed(f"its program ended with status 0 {why}; it must be another, since it could not play")


CHECKS: tuple[Check, ...] = (connects, token, guest, version, bad_token, heartbeat)
