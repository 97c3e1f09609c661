"""Checks of lost connections, servers that go and come back, and who the bot is then.

Not here: ends after which it must not come back (`ending`), answers to questions that are repeated (`repeats`). May
import `bench`, `checking`, `messages`, `tables`, `talk`.
"""

import asyncio

import grpc

from lastcard.conform import messages
from lastcard.conform.bench import NAME, SECRET, Bench
from lastcard.conform.checking import Check, Failed, Level, Skipped, check
from lastcard.conform.tables import Table
from lastcard.conform.talk import Talk
from lastcard.v1.play_service_pb2 import NoticeKind

_CODE = grpc.StatusCode

_LISTENING = 6
"""Times `quiet_s` that attempts to connect are counted."""
_MOST_ATTEMPTS = 12
"""Most streams that may be opened in that time: with waits that double from 0.2 s it is half of that."""

_COME_BACK = (
    "dial again whenever a stream ends, unless its status says that there is nothing to come back to (clients/README.md"
    " has the table)"
)


@check(
    "resumes",
    Level.REQUIRED,
    "comes back after a lost connection with the same identity, and plays on",
    proves="connections break; a bot that stays away loses the match by timeouts",
    advice=_COME_BACK + ", with the same token and name",
)
async def resumes(bench: Bench) -> None:
    """The wire is cut between two questions and in the middle of one."""
    table = Table()
    talk = await bench.connect(table)
    identity = talk.stream.metadata.get("authorization")
    await talk.play(table, 2)
    bench.arena.cut()
    talk = await _returned(bench, table)
    if talk.stream.metadata.get("authorization") != identity:
        said = talk.stream.metadata.get("authorization")
        raise Failed(f"it came back with the metadata authorization {said!r}; it came with {identity!r} before")
    table.play_on()
    decision = talk.ask(table)
    await talk.answer(decision)
    bench.arena.cut()
    talk = await _returned(bench, table)
    talk.ask_again(decision)
    await talk.settle(table, decision)
    await talk.play(table, 1)


@check(
    "cursors",
    Level.REQUIRED,
    "names in Hello, after a lost connection, the last event that it has seen at each table",
    proves="with a wrong number events are lost or come twice",
    advice="keep the number of the last event (or of the snapshot) of each table, and send all in Hello.cursors",
)
async def cursors(bench: Bench) -> None:
    """One table with events from the first on, and one whose state came as a snapshot."""
    known = Table("conform-events")
    await bench.start()
    talk = await bench.silent_talk()
    if (await talk.take_hello()).decisions_only:
        raise Skipped("it wants decisions only, and needs no cursors")
    tables = [known]
    if talk.most_tables > 1:
        hands = {"hands": ["R1 R2 B3", "*5"], "discard": "R9", "turn": 0}
        tables.append(Table("conform-snapshot", players=2, position=hands))
    await talk.welcome(*tables)
    await talk.play(known, 2)
    bench.arena.cut()
    talk = await bench.silent_talk("a new stream after the connection was lost")
    named = {cursor.table_id: cursor.last_sequence for cursor in (await talk.take_hello()).cursors}
    expected = {table.table_id: table.told for table in tables}
    if named != expected:
        raise Failed(f"its Hello after a lost connection has the cursors {named}; the last numbers sent are {expected}")
    await talk.welcome(*tables, resumed=True)
    await talk.play(known, 1)


@check(
    "resume-secret",
    Level.REQUIRED,
    "without a token, comes back under the same name with the resume secret of its Welcome",
    proves="the secret is all that shows who it was; without it the seats are lost",
    advice="keep Welcome.resume_secret and send it as `authorization: Bearer SECRET` on the next stream, with the same "
    "Hello.bot_name",
)
async def resume_secret(bench: Bench) -> None:
    """A guest who comes back."""
    table = Table()
    await bench.start(token="", name=NAME)
    talk = await bench.talk(table, resume_secret=SECRET)
    name = talk.hello.bot_name
    for _ in range(2):
        await talk.play(table, 1)
        bench.arena.cut()
        talk = await _returned(bench, table, resume_secret=SECRET)  # as a server does, again
        said = talk.stream.metadata.get("authorization")
        if said != f"Bearer {SECRET}":
            raise Failed(f"it came back with the metadata authorization {said!r}; it must be 'Bearer {SECRET}'")
        if talk.hello.bot_name != name:
            raise Failed(f"it came back as {talk.hello.bot_name!r}; it was {name!r} before")
    await talk.play(table, 1)


@check(
    "secret-forgotten",
    Level.RECOMMENDED,
    "without a token, comes as somebody new when the server does not know its resume secret any more",
    proves="a server that was started again knows only the secrets of those who had a seat",
    advice="after UNAUTHENTICATED on a stream that was opened with a resume secret, forget secret and tables, dial on",
)
async def secret_forgotten(bench: Bench) -> None:
    """A guest whom nobody remembers."""
    await bench.start(token="", name=NAME)
    talk = await bench.talk(resume_secret=SECRET)
    await talk.plays_on()
    bench.arena.cut()
    talk = await bench.silent_talk("a new stream after the connection was lost")
    await talk.take_hello()
    if talk.stream.metadata.get("authorization") != f"Bearer {SECRET}":
        raise Skipped("it did not send its resume secret, which resume-secret judges")
    talk.end_for(_CODE.UNAUTHENTICATED, "UNAUTHENTICATED", "the resume secret is unknown; come without one.")
    talk = await bench.silent_talk("a new stream after its resume secret was refused")
    await talk.take_hello()
    said = talk.stream.metadata.get("authorization")
    if said is not None:
        raise Failed(f"its resume secret was refused, and it sent the metadata authorization {said!r} again")
    await talk.welcome(resume_secret="another")  # noqa: S106 - opens nothing
    await talk.plays_on()


@check(
    "comes-back",
    Level.REQUIRED,
    "comes back after every end of a stream that is no end of the event",
    proves="a server cuts readers that are too slow, proxies break streams off; the match goes on",
    advice=_COME_BACK,
)
async def comes_back(bench: Bench) -> None:
    """Ends of several kinds, one after the other."""
    table = Table()
    talk = await bench.connect(table)
    await talk.play(table, 1)
    talk.end_for(_CODE.RESOURCE_EXHAUSTED, "READER_TOO_SLOW", "4 MiB wait to be read; read faster.")
    talk = await _returned(bench, table, "a new stream after the last ended with READER_TOO_SLOW")
    await talk.play(table, 1)
    for code in (_CODE.UNAVAILABLE, _CODE.INTERNAL, _CODE.UNKNOWN):
        talk.stream.end(code, "without details")
        talk = await _returned(bench, table, f"a new stream after the last ended with {code.name}")
        await talk.play(table, 1)


@check(
    "server-vanishes",
    Level.REQUIRED,
    "survives a server that vanishes while it thinks and comes back a little later",
    proves="a server that is killed and started again goes on with every table where it was",
    advice="keep the decision and its answer when the stream is lost; dial until the server is there again, and answer "
    "when the decision is repeated",
)
async def server_vanishes(bench: Bench) -> None:
    """The server is killed right behind a question."""
    table = Table()
    talk = await bench.connect(table)
    await talk.play(table, 1)
    table.play_on()
    decision = talk.ask(table)
    await asyncio.sleep(bench.quiet_s / 10)
    await bench.arena.vanish()
    await asyncio.sleep(2 * bench.quiet_s)
    await bench.arena.come_back()
    talk = await _returned(bench, table, "a new stream after the server was back")
    talk.send(messages.notice(table.table_id, NoticeKind.NOTICE_KIND_RECOVERED))
    talk.ask_again(decision)
    await talk.settle(table, decision)
    await talk.play(table, 2)


@check(
    "draining",
    Level.REQUIRED,
    "plays on while the server shuts down, and comes back when it is up again",
    proves="a server that is updated tells so, ends all streams and is back within seconds",
    advice="take Draining for information: go on answering, and dial again, with waits, when the stream ends",
)
async def draining(bench: Bench) -> None:
    """An orderly restart."""
    table = Table()
    talk = await bench.connect(table)
    await talk.play(table, 1)
    talk.send(messages.draining(bench.answer_s))
    await talk.play(table, 1)
    talk.end_for(_CODE.UNAVAILABLE, "DRAINING", "the server is shutting down; reconnect later.")
    await asyncio.wait_for(talk.stream.over.wait(), bench.answer_s)
    await bench.arena.vanish()
    await asyncio.sleep(2 * bench.quiet_s)
    await bench.arena.come_back()
    talk = await _returned(bench, table, "a new stream after the server was back")
    await talk.play(table, 2)


@check(
    "backs-off",
    Level.REQUIRED,
    "waits longer and longer between attempts to connect, and does not give up soon",
    proves="a thousand bots that dial without a pause keep a server from ever coming back",
    advice="wait 0.2 s before the second attempt, double the wait up to 5 s, and shorten each at random by up to half",
)
async def backs_off(bench: Bench) -> str:
    """A server that ends every stream at once, for a while."""
    table = Table()
    talk = await bench.connect(table)
    await talk.play(table, 1)
    talk.stream.end(_CODE.UNAVAILABLE, "not now")
    attempts = 0
    try:
        async with asyncio.timeout(_LISTENING * bench.quiet_s):
            while True:
                stream = await bench.arena.next_stream()
                attempts += 1
                stream.end(_CODE.UNAVAILABLE, "not now")
    except TimeoutError:
        pass
    seconds = _LISTENING * bench.quiet_s
    if attempts > _MOST_ATTEMPTS:
        raise Failed(f"it opened {attempts} streams in {seconds:g} s to a server that ended each at once")
    talk = await _returned(bench, table, "a new stream after the one before had been ended at once")
    await talk.play(table, 1)
    return f"{attempts} attempts in {seconds:g} s"


@check(
    "dead-connection",
    Level.RECOMMENDED,
    "gives a stream up on which no heartbeat comes any more, and dials anew",
    proves="a connection may die without a word; only the missing heartbeats tell",
    advice="when nothing has come for three times Welcome.heartbeat_interval, cancel the call and dial again, on a new "
    "channel: a new call on the old one would go out on the same dead connection",
)
async def dead_connection(bench: Bench) -> None:
    """Nothing arrives any more, and nobody is told."""
    table = Table()
    seconds, rest = divmod(round(2 * bench.quiet_s * 1e9), 10**9)
    talk = await bench.connect(table, heartbeat_interval={"seconds": seconds, "nanos": rest})
    await talk.play(table, 1)
    bench.arena.go_dead()
    talk = await _returned(bench, table, "a new stream after three heartbeats had not come")
    await talk.play(table, 1)


async def _returned(
    bench: Bench, table: Table, what: str = "a new stream after the connection was lost", **welcome: str
) -> Talk:
    """The conversation on the stream with which the bot comes back to its table."""
    return await bench.talk(table, what=what, resumed=True, **welcome)


CHECKS: tuple[Check, ...] = (
    resumes,
    cursors,
    resume_secret,
    secret_forgotten,
    comes_back,
    server_vanishes,
    draining,
    backs_off,
    dead_connection,
)
