"""Checks of ends: of a table, of the session, of the event, and of the program when it is asked to.

Not here: ends after which the bot must come back (`resuming`). May import `bench`, `checking`, `tables`, `talk`.
"""

import asyncio

import grpc

from lastcard.conform.bench import Bench, ended_how
from lastcard.conform.checking import Check, Failed, Level, check
from lastcard.conform.tables import Table
from lastcard.conform.talk import Talk

_CODE = grpc.StatusCode


@check(
    "table-closed",
    Level.REQUIRED,
    "acknowledges the end of a table, and plays on at others",
    proves="the server repeats the end of a table with every connection until it is acknowledged",
    advice="answer TableClosed with TableClosedReceived of the same table_id",
)
async def table_closed(bench: Bench) -> None:
    """One table ends, and another one begins."""
    table = Table()
    talk = await bench.connect(table)
    await talk.play(table, 2)
    talk.send(table.closed())
    await talk.acknowledged(table)
    await talk.plays_on()


@check(
    "closed-again",
    Level.REQUIRED,
    "acknowledges the end of a table again when it is repeated, and does not ask for it any more",
    proves="the acknowledgement may be lost with the connection",
    advice="acknowledge every TableClosed, known or not, and forget the table's cursor",
)
async def closed_again(bench: Bench) -> None:
    """The acknowledgement was lost."""
    table = Table()
    talk = await bench.connect(table)
    await talk.play(table, 1)
    talk.send(table.closed())
    await talk.acknowledged(table)
    bench.arena.cut()
    talk = await bench.talk(what="a new stream after the connection was lost")
    cursors = [cursor.table_id for cursor in talk.hello.cursors]
    if table.table_id in cursors:
        raise Failed(f"its Hello has a cursor for table {table.table_id}, whose end it has acknowledged")
    talk.send(table.closed())
    await talk.acknowledged(table)
    await talk.plays_on()


@check(
    "closed-while-asked",
    Level.REQUIRED,
    "bears the end of a table that comes while it thinks about a question there",
    proves="matches end by time, or are closed by the organiser, in the middle of a thought",
    advice="drop all open decisions of a table with TableClosed; an answer that is on its way does no harm",
)
async def closed_while_asked(bench: Bench) -> None:
    """The end comes right behind the question."""
    table = Table()
    talk = await bench.connect(table)
    await talk.play(table, 1)
    table.play_on()
    talk.ask(table)
    talk.send(table.closed())
    await talk.plays_on()


@check(
    "replaced",
    Level.REQUIRED,
    "ends when another program with its identity takes the session over, and does not fight for it",
    proves="two programs that take turns at throwing each other out both lose every match",
    advice="after SESSION_REPLACED (status ABORTED) do not dial again; say so on stderr and exit with status 1",
)
async def replaced(bench: Bench) -> None:
    """The stream is taken over."""
    table = Table()
    talk = await bench.connect(table)
    await talk.play(table, 1)
    sentence = "another stream with the same identity has taken over; do not reconnect from here"
    talk.end_for(_CODE.ABORTED, "SESSION_REPLACED", sentence)
    status = await bench.exit_status("after its session was taken over")
    if status == 0:
        raise Failed("its program ended with status 0 after its session was taken over; it must be another")


@check(
    "event-over",
    Level.REQUIRED,
    "ends with status 0 when its token is revoked, since the event is over then",
    proves="a bot that dials on for ever, or calls that a failure, is a nuisance to whoever started it",
    advice="after UNAUTHENTICATED with a token that was welcomed before, exit with status 0",
)
async def event_over(bench: Bench) -> None:
    """The token that was good is not any more."""
    table = Table()
    talk = await bench.connect(table)
    await talk.play(table, 1)
    await _with_nothing_left_to_say(talk, table)
    talk.end_for(_CODE.UNAUTHENTICATED, "UNAUTHENTICATED", "the token is unknown or revoked; send a valid one.")
    await _ends_well(bench, "after its token was revoked")


@check(
    "session-over",
    Level.RECOMMENDED,
    "ends with status 0 when the server ends the stream with OK and has not said that it shuts down",
    proves="that is a server's word for: there is nothing more to play",
    advice="when a stream ends with OK, and no Draining came on it, exit with status 0",
)
async def session_over(bench: Bench) -> None:
    """The stream ends with OK."""
    table = Table()
    talk = await bench.connect(table)
    await talk.play(table, 1)
    await _with_nothing_left_to_say(talk, table)
    talk.stream.end()
    await _ends_well(bench, "after the server had ended the stream with OK")


@check(
    "exits-on-request",
    Level.REQUIRED,
    "ends on SIGTERM",
    proves="a tournament ends programs so; one that has not ended after three seconds is killed",
    advice="on SIGTERM and SIGINT half-close the stream, wait a second at most for its end, and exit; a script should "
    "start the bot with exec",
)
async def exits_on_request(bench: Bench) -> None:
    """Asked to end between two questions."""
    table = Table()
    talk = await bench.connect(table)
    await talk.play(table, 2)
    assert bench.running is not None
    bench.running.terminate()
    await bench.exit_status("after SIGTERM")
    try:
        await asyncio.wait_for(talk.stream.over.wait(), bench.answer_s)
    except TimeoutError:
        raise Failed("its program ended on SIGTERM, and its stream is still open") from None


@check(
    "exits-cleanly",
    Level.RECOMMENDED,
    "ends with status 0 on SIGTERM",
    proves="whoever supervises it cannot tell an orderly end from a crash",
    advice="handle SIGTERM and SIGINT: half-close the stream, wait a second at most for its end, exit with status 0",
)
async def exits_cleanly(bench: Bench) -> None:
    """Asked to end between two questions, with what an orderly program says then."""
    table = Table()
    talk = await bench.connect(table)
    await talk.play(table, 2)
    assert bench.running is not None
    bench.running.terminate()
    await _ends_well(bench, "after SIGTERM")


@check(
    "exits-while-away",
    Level.RECOMMENDED,
    "ends with status 0 on SIGTERM also while it has no connection",
    proves="a bot that sleeps between two attempts to connect and does not listen is killed",
    advice="wait between attempts in a way that SIGTERM ends",
)
async def exits_while_away(bench: Bench) -> None:
    """Asked to end while the server is gone."""
    table = Table()
    talk = await bench.connect(table)
    await talk.play(table, 1)
    await bench.arena.vanish()
    await asyncio.sleep(2 * bench.quiet_s)
    assert bench.running is not None
    bench.running.terminate()
    await _ends_well(bench, "after SIGTERM while the server was gone")


async def _with_nothing_left_to_say(talk: Talk, table: Table) -> None:
    """Ends a table, and waits until the bot says nothing more: one that writes just now may not see the status."""
    other = Table("conform-2")
    talk.send(table.closed(), *other.opening(decisions_only=talk.decisions_only))
    await talk.play(other, 1)
    await talk.quiet()


async def _ends_well(bench: Bench, why: str) -> None:
    """The bot's program must end with status 0."""
    status = await bench.exit_status(why)
    if status != 0:
        words = bench.complaint()
        raise Failed(
            f"its program {ended_how(status)} {why}; it must be status 0" + (f"; it said: {words}" if words else "")
        )


CHECKS: tuple[Check, ...] = (
    table_closed,
    closed_again,
    closed_while_asked,
    replaced,
    event_over,
    session_over,
    exits_on_request,
    exits_cleanly,
    exits_while_away,
)
