"""The SDK over many streams: what it does when one ends, with a server that does what the test says."""

import asyncio
from contextlib import suppress

import grpc
import pytest

from bot_doubles import BOUND_S, First, Listener, Thinker
from bot_messages import (
    accepted,
    asked,
    draining,
    events,
    heartbeat,
    message_refused,
    refused,
    seated,
    snapshot,
    table_closed,
)
from lastcard.conform.wire import Wire
from lastcard.v1.reason_pb2 import ErrorCause, Reason
from lastcard_bot import BotError
from lastcard_bot.backoff import Backoff
from lastcard_bot.endings import Ending, Next
from waiting import ended, until

Code = grpc.StatusCode


@pytest.fixture(autouse=True)
def waits(monkeypatch):
    """Makes waits short, and notes each wait as 1 and each beginning anew as 0."""
    noted: list[int] = []

    class Short(Backoff):
        def next_s(self) -> float:
            noted.append(1)
            return 0.001

        def reset(self) -> None:
            noted.append(0)

    monkeypatch.setattr("lastcard_bot.connection.Backoff", Short)
    return noted


def cursors(hello) -> dict[str, int]:
    return {cursor.table_id: cursor.last_sequence for cursor in hello.cursors}


# ------------------------------------------------------------------ coming back


async def test_a_lost_stream_is_resumed_with_numbers_and_secret(scripted, dial):
    bot = Listener()
    dial(bot, scripted.address)
    stream = await scripted.stream()
    await stream.open(seated("a"), events(1, 2, 3, table="a"), seated("b"), asked(1, table="b"), resume_secret="hush")
    await stream.acts(1)
    stream.end(Code.UNAVAILABLE, "gone")
    again = await scripted.stream()
    hello = await again.open(seated("a", resumed=True), events(3, 4, table="a"), seated("b", resumed=True))
    assert again.metadata["authorization"] == "Bearer hush"
    assert cursors(hello) == {"a": 3, "b": 0}
    assert hello.bot_name == "me"
    await until(lambda: ("a", 4) in bot.of("event"))
    assert bot.of("event") == [("a", number) for number in (1, 2, 3, 4)]
    assert bot.of("seated") == [("a", 0), ("b", 0)]


async def test_the_secret_stays_on_later_streams_and_a_token_goes_before_it(scripted, dial):
    dial(First(), scripted.address)
    for expected in (None, "Bearer hush", "Bearer hush"):
        stream = await scripted.stream()
        await stream.open(resume_secret="hush" if expected is None else "")
        assert stream.metadata.get("authorization") == expected
        stream.end(Code.INTERNAL)
    dial(First(), scripted.address, token="token")
    stream = await scripted.stream()
    while stream.metadata["authorization"] != "Bearer token":
        stream = await scripted.stream()


async def test_an_answer_whose_verdict_was_lost_is_sent_again_and_thought_about_once(scripted, dial):
    bot = Thinker()
    bot.go.set()
    dial(bot, scripted.address)
    stream = await scripted.stream()
    await stream.open(asked(1))
    assert await stream.acts(1) == [("t", 1, 0)]
    stream.end(Code.UNAVAILABLE)
    again = await scripted.stream()
    await again.open(seated(resumed=True), asked(1))
    assert await again.acts(1) == [("t", 1, 0)]
    again.send(accepted(1), asked(2))
    assert await again.acts(1) == [("t", 2, 0)]
    assert bot.began == [("t", 1), ("t", 2)]


async def test_what_the_bot_thought_of_while_away_is_said_when_it_is_asked_again(scripted, dial):
    bot = Thinker()
    dial(bot, scripted.address)
    stream = await scripted.stream()
    await stream.open(asked(1))
    await until(lambda: bot.began == [("t", 1)])
    stream.end(Code.UNAVAILABLE)
    again = await scripted.stream()
    bot.go.set()
    await again.open(seated(resumed=True), asked(1))
    assert await again.acts(1) == [("t", 1, 0)]
    assert bot.began == [("t", 1)]


async def test_an_answer_to_a_decision_that_is_closed_meanwhile_is_never_sent(scripted, dial):
    bot = Thinker()
    dial(bot, scripted.address)
    stream = await scripted.stream()
    await stream.open(asked(1))
    await until(lambda: bot.began == [("t", 1)])
    stream.end(Code.UNAVAILABLE)
    again = await scripted.stream()
    await again.open(seated(resumed=True), asked(2, receipt=1), heartbeat(1))
    await again.expect("heartbeat_reply")
    bot.go.set()
    assert await again.acts(1) == [("t", 2, 0)]
    again.send(heartbeat(2))
    await again.expect("heartbeat_reply")


async def test_a_snapshot_takes_the_place_of_events_that_are_gone(scripted, dial):
    bot = Listener()
    dial(bot, scripted.address)
    stream = await scripted.stream()
    await stream.open(seated(), events(1, 2, 3))
    await until(lambda: len(bot.of("event")) == 3)
    stream.end(Code.RESOURCE_EXHAUSTED, "too slow")
    again = await scripted.stream()
    await again.open(seated(resumed=True), snapshot(700), events(701))
    await until(lambda: bot.of("event")[-1] == ("t", 701))
    assert bot.of("snapshot") == [("t", 700)]
    again.end(Code.UNAVAILABLE)
    assert cursors(await (await scripted.stream()).open()) == {"t": 701}


async def test_the_end_of_a_table_that_comes_again_is_acknowledged_and_not_told_again(scripted, dial):
    bot = Listener()
    dial(bot, scripted.address)
    stream = await scripted.stream()
    await stream.open(seated(), events(1), table_closed())
    await stream.expect("table_closed_received")
    stream.end(Code.UNAVAILABLE)
    again = await scripted.stream()
    assert cursors(await again.open(seated(resumed=True), table_closed())) == {}
    await again.expect("table_closed_received")
    assert bot.of("closed") == [("t",)]


async def test_a_table_is_left_on_the_next_stream_when_the_first_was_lost(scripted, dial):
    bot = First()
    dial(bot, scripted.address)
    stream = await scripted.stream()
    await stream.open(seated())
    stream.send(heartbeat(1))
    await stream.expect("heartbeat_reply")
    bot.leave("t")
    await stream.expect("leave")
    stream.end(Code.UNAVAILABLE)
    again = await scripted.stream()
    await again.open(seated(resumed=True))
    assert (await again.expect("leave")).leave.table_id == "t"


async def test_a_stream_on_which_nothing_comes_any_more_is_given_up(scripted, dial, caplog):
    dial(First(), scripted.address)
    stream = await scripted.stream()
    await stream.open(seated(), heartbeat_interval={"nanos": 20_000_000}, resume_secret="hush")
    again = await scripted.stream()
    assert again.metadata["authorization"] == "Bearer hush"
    await asyncio.wait_for(stream.over.wait(), BOUND_S)
    assert "nothing came from the server" in caplog.text


async def test_a_connection_that_died_without_a_word_is_replaced(scripted, dial, monkeypatch):
    monkeypatch.setattr("lastcard_bot.connection.MISSED_HEARTBEATS", 1_000_000)
    async with Wire(scripted.address) as wire:
        dial(First(), wire.address)
        stream = await scripted.stream()
        await stream.open(seated(), asked(1), heartbeat_interval={"nanos": 20_000_000})
        await stream.acts(1)
        wire.go_dead()
        monkeypatch.setattr("lastcard_bot.connection.MISSED_HEARTBEATS", 3)
        again = await scripted.stream()
        await again.open(seated(resumed=True), asked(2))
        assert await again.acts(1) == [("t", 2, 0)]
        assert wire.connections == 2


async def test_a_server_that_never_welcomes_the_bot_is_given_up(scripted, dial, monkeypatch):
    monkeypatch.setattr("lastcard_bot.connection.WELCOME_S", 0.05)
    dial(First(), scripted.address)
    stream = await scripted.stream()
    monkeypatch.setattr("lastcard_bot.connection.WELCOME_S", 0.0)
    again = await scripted.stream()
    await asyncio.wait_for(stream.over.wait(), BOUND_S)
    await again.open(asked(1))
    await again.acts(1)


@pytest.mark.parametrize("code", [Code.UNAVAILABLE, Code.OK])
async def test_a_server_that_shuts_down_is_awaited(scripted, dial, code):
    dial(First(), scripted.address)
    stream = await scripted.stream()
    await stream.open(seated(), draining())
    if code is Code.OK:
        stream.end()
    else:
        stream.end_for(code, "DRAINING")
    again = await scripted.stream()
    assert cursors(await again.open()) == {}
    again.send(asked(1))
    await again.acts(1)


# ------------------------------------------------------------------ waiting


async def test_every_attempt_waits_and_a_stream_that_held_begins_the_waits_anew(scripted, dial, waits, monkeypatch):
    task = dial(First(), scripted.address)
    for _ in range(3):
        (await scripted.stream()).end(Code.UNAVAILABLE)
    stream = await scripted.stream()
    assert waits == [1, 1, 1]
    monkeypatch.setattr("lastcard_bot.connection.HELD_S", 0.0)
    await stream.open()
    stream.end(Code.UNAVAILABLE)
    await scripted.stream()
    assert waits == [1, 1, 1, 0, 1]
    assert not task.done()


async def test_without_a_server_the_bot_gives_up_and_says_so(dial, unused_port):
    task = dial(First(), f"127.0.0.1:{unused_port}", give_up_s=0.05)
    with pytest.raises(BotError, match=rf"^no connection to 127\.0\.0\.1:{unused_port} for \d+ s") as error:
        await ended(task)
    assert "UNAVAILABLE" in str(error.value)
    assert str(error.value).endswith("Is the server running, and is the address right?")


async def test_a_bot_that_has_never_connected_says_once_what_to_check(dial, unused_port, waits, caplog, monkeypatch):
    monkeypatch.setattr("lastcard_bot.connection.CHECK_S", 0.0)
    dial(First(), f"127.0.0.1:{unused_port}")
    await until(lambda: len(waits) > 3)
    told = [record.getMessage() for record in caplog.records if "not connected" in record.getMessage()]
    assert len(told) == 1
    assert told[0].startswith(f"not connected to 127.0.0.1:{unused_port} yet; is an arena running there, and is the ad")
    assert told[0].endswith("Giving up in 300 s")


async def test_a_bot_that_was_connected_is_not_told_to_check_its_address(scripted, dial, waits, caplog, monkeypatch):
    monkeypatch.setattr("lastcard_bot.connection.CHECK_S", 0.0)
    dial(First(), scripted.address)
    stream = await scripted.stream()
    await stream.open(heartbeat(1))
    await stream.expect("heartbeat_reply")  # so it has read its welcome, which a server that stops may take with it
    await scripted.__aexit__()
    await until(lambda: len(waits) > 2)
    assert "connection lost" in caplog.text
    assert "not connected" not in caplog.text


async def test_a_bot_is_cancelled_though_grpc_swallows_it(dial, unused_port, monkeypatch):
    setting_up = asyncio.Event()

    async def set_up():
        setting_up.set()
        with suppress(asyncio.CancelledError):
            await asyncio.Event().wait()

    async def stream(*_):
        await asyncio.create_task(set_up())  # is cancelled instead of whoever waits for it, and says nothing
        return Ending(Next.RECONNECT, "the server is not there")

    monkeypatch.setattr("lastcard_bot.connection.Connection._stream", stream)
    task = dial(First(), f"127.0.0.1:{unused_port}")
    await asyncio.wait_for(setting_up.wait(), BOUND_S)
    task.cancel()
    await asyncio.wait({task}, timeout=BOUND_S)
    assert task.cancelled()


async def test_a_server_of_another_protocol_is_given_up(dial):
    async def serve(reader, writer):
        await reader.readline()
        writer.write(b"HTTP/1.1 505 HTTP Version Not Supported\r\n\r\n")
        writer.close()

    async with await asyncio.start_server(serve, "127.0.0.1", 0) as server:
        port = server.sockets[0].getsockname()[1]
        with pytest.raises(BotError, match=f"no connection to 127.0.0.1:{port} for .* is the address right"):
            await ended(dial(First(), f"127.0.0.1:{port}", give_up_s=0.05))


async def test_a_grpc_server_that_is_no_arena_is_named_as_such(dial):
    server = grpc.aio.server()
    port = server.add_insecure_port("127.0.0.1:0")
    await server.start()
    with pytest.raises(BotError, match="what answers at this address is no arena"):
        await ended(dial(First(), f"127.0.0.1:{port}"))
    await server.stop(None)


async def test_a_server_that_is_slow_to_accept_is_waited_for(dial, waits):
    """A connection takes several round trips; a tenth of a second is too little for a server far away."""
    connections = []
    async with await asyncio.start_server(lambda *streams: connections.append(streams), "127.0.0.1", 0) as server:
        dial(First(), f"127.0.0.1:{server.sockets[0].getsockname()[1]}")
        await until(lambda: bool(connections))
        with pytest.raises(TimeoutError):
            await until(lambda: len(connections) > 1 or bool(waits), 0.5)
        for _, writer in connections:
            writer.close()


async def test_a_bot_that_waits_for_a_server_can_be_stopped(dial, unused_port, waits):
    bot = First()
    task = dial(bot, f"127.0.0.1:{unused_port}")
    await until(lambda: len(waits) > 2)
    bot.stop()
    await ended(task)


@pytest.fixture
async def unused_port():
    """A port of this machine on which nobody listens."""
    server = await asyncio.start_server(lambda *_: None, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    server.close()
    await server.wait_closed()
    return port


# ------------------------------------------------------------------ ends


REPLACED = ErrorCause(reason=Reason.REASON_SESSION_REPLACED)


@pytest.mark.parametrize("way", ["status", "status-of-the-game", "message"])
async def test_a_session_taken_over_by_another_program_is_not_fought_over(scripted, dial, way):
    task = dial(First(), scripted.address)
    stream = await scripted.stream()
    await stream.open(seated())
    if way == "message":
        # A proxy that breaks a stream off loses its status.
        stream.send(message_refused("SESSION_REPLACED"))
        stream.end(Code.INTERNAL, "broken off")
    elif way == "status":
        stream.end_for(Code.ABORTED, "SESSION_REPLACED")
    else:
        stream.end(Code.ABORTED, "because", REPLACED)
    with pytest.raises(BotError, match=r"another program with the same identity took the session over: (no, )?because"):
        await ended(task)
    assert scripted.no_stream()


@pytest.mark.parametrize("way", ["status", "message"])
async def test_a_revoked_token_is_the_end_of_the_event(scripted, dial, way):
    task = dial(First(), scripted.address, token="token")
    stream = await scripted.stream()
    await stream.open(seated())
    if way == "message":
        stream.send(message_refused("UNAUTHENTICATED"))
        stream.end(Code.UNKNOWN, "Stream removed")
    else:
        stream.end_for(Code.UNAUTHENTICATED, "UNAUTHENTICATED")
    await ended(task)
    assert scripted.no_stream()


async def test_a_token_revoked_while_the_bot_was_away_is_the_end_too(scripted, dial):
    task = dial(First(), scripted.address, token="token")
    stream = await scripted.stream()
    await stream.open(seated())
    stream.end(Code.UNAVAILABLE)
    (await scripted.stream()).end_for(Code.UNAUTHENTICATED, "UNAUTHENTICATED")
    await ended(task)


async def test_a_token_that_was_never_good_is_an_error(scripted, dial):
    task = dial(First(), scripted.address, token="token")
    (await scripted.stream()).end_for(Code.UNAUTHENTICATED, "UNAUTHENTICATED", "who is this?")
    with pytest.raises(BotError, match=r"does not accept the token: who is this\?"):
        await ended(task)


async def test_a_server_that_wants_a_token_is_told_of(scripted, dial):
    task = dial(First(), scripted.address)
    (await scripted.stream()).end_for(Code.UNAUTHENTICATED, "UNAUTHENTICATED")
    with pytest.raises(BotError, match="set LASTCARD_TOKEN"):
        await ended(task)


async def test_a_server_that_forgot_the_session_is_greeted_as_a_new_one(scripted, dial):
    bot = Listener()
    dial(bot, scripted.address)
    stream = await scripted.stream()
    await stream.open(seated(), events(1), resume_secret="old")
    stream.end(Code.UNAVAILABLE)
    (await scripted.stream()).end_for(Code.UNAUTHENTICATED, "UNAUTHENTICATED")
    again = await scripted.stream()
    assert "authorization" not in again.metadata
    hello = await again.open(seated(seat=3), asked(1), resume_secret="new")
    assert cursors(hello) == {}
    await again.acts(1)
    assert bot.of("seated") == [("t", 0), ("t", 3)]
    again.end(Code.UNAVAILABLE)
    assert (await scripted.stream()).metadata["authorization"] == "Bearer new"


async def test_a_server_that_is_done_with_the_bot_ends_it(scripted, dial):
    task = dial(First(), scripted.address)
    stream = await scripted.stream()
    await stream.open()
    stream.end()
    await ended(task)
    assert scripted.no_stream()


@pytest.mark.parametrize("code", [Code.FAILED_PRECONDITION, Code.INVALID_ARGUMENT])
async def test_what_would_be_refused_again_is_not_tried_again(scripted, dial, code):
    task = dial(First(), scripted.address)
    (await scripted.stream()).end(code, "not like this")
    with pytest.raises(BotError, match="the server refused the bot: not like this"):
        await ended(task)
    assert scripted.no_stream()


async def test_a_message_that_was_refused_in_the_middle_does_not_decide_the_end(scripted, dial):
    dial(First(), scripted.address)
    stream = await scripted.stream()
    await stream.open(message_refused("UNAUTHENTICATED"), refused(1), heartbeat(1))
    await stream.expect("heartbeat_reply")
    stream.end(Code.INTERNAL)
    await (await scripted.stream()).open()
