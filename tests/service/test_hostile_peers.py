"""Peers that mean no good: bytes that are no protocol, calls that say nothing, floods. Each costs itself alone."""

import asyncio
import gzip
import os
import resource

import grpc
import pytest
from google.rpc import error_details_pb2
from grpc_health.v1 import health_pb2, health_pb2_grpc

from lastcard import app
from lastcard.services.channel import channel_options
from lastcard.services.gate import CALLS_AT_ONCE, DECISIONS_KEPT, FreeAnswers
from lastcard.services.patience import Patience
from lastcard.services.play_service import NEWCOMERS_AT_ONCE, RETURNS_AT_ONCE
from lastcard.services.watchers import BY_ONE
from lastcard.table.flood import BURST, PATIENCE
from lastcard.table.session import FREE_ACTS
from lastcard.table.timecontrol import TimeControl
from lastcard.v1 import play_service_pb2 as pb
from lastcard.v1 import server_service_pb2 as sp
from lastcard.v1 import table_service_pb2 as tp
from raw_peer import (
    CONTINUATION,
    DATA,
    END_HEADERS,
    HEADERS,
    PREFACE,
    RST,
    SETTINGS,
    RawPeer,
    call_headers,
    field,
    frame,
    message,
)
from service_client import (
    BotStream,
    Ended,
    bearer,
    connection,
    detail_of,
    plan,
    reason_of,
    refused,
    server_stub,
    tables_stub,
)
from waiting import until

LIST_TABLES = "/lastcard.v1.TableService/ListTables"
CANCELLED = b"\0\0\0\x08"

# Moves take milliseconds; whoever is held up by a hostile peer has lost time, and a busy machine does not do that.
QUICK = TimeControl(limit_ms=20_000, bank_ms=0)


@pytest.fixture
async def game(arena):
    """A game that goes on during a test, and in the end has had no fault."""
    async with connection(arena.address) as channel:
        stream = BotStream(channel)
        await stream.hello("honest")
        options = {"match_end": "rounds", "match_rounds": 100_000}
        table_id = arena.open_table(plan("honest", "+greedy", clock=QUICK, options=options))
        playing = asyncio.create_task(stream.play())
        table = arena.host.tables[table_id]
        await until(lambda: table.feed.last > 20)
        yield table
        before = table.feed.last
        await until(lambda: table.feed.last > before + 20)
        arena.cancel_table(table_id)
        assert (await playing).result.faults == []
        stream.cancel()


async def first_refusal(call) -> grpc.aio.AioRpcError:
    """How a call is refused that is made again and again."""
    for _ in range(50):
        try:
            assert await call() is not grpc.aio.EOF
        except grpc.aio.AioRpcError as error:
            return error
    raise AssertionError("fifty calls were answered")


async def rubbish(peer):
    await peer.send(os.urandom(5_000))


async def http_1(peer):
    await peer.send(b"GET / HTTP/1.1\r\nHost: lastcard\r\n\r\n")


async def tls(peer):
    await peer.send(b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + os.urandom(508))


async def frames_that_are_none(peer):
    await peer.begin()
    await peer.send(frame(DATA, 0, 77, b"x" * 100) + frame(99, 255, 3, b"x") + frame(SETTINGS, 0, 0, b"xyz"))


@pytest.mark.usefixtures("game")
@pytest.mark.parametrize("speech", [rubbish, http_1, tls, frames_that_are_none])
async def test_who_does_not_speak_http_2_is_cut(arena, speech):
    for _ in range(5):
        async with RawPeer(arena.address) as peer:
            await speech(peer)
            assert await peer.closed()


@pytest.mark.parametrize("beginning", [b"", PREFACE], ids=["nothing", "preface"])
async def test_a_connection_on_which_nothing_follows_is_closed(monkeypatch, start_arena, beginning):
    usual = channel_options
    name = "grpc.server_handshake_timeout_ms"
    assert 1_000 <= dict(usual(app.Settings()))[name] <= 10_000
    options = {**dict(usual(app.Settings())), name: 300}
    monkeypatch.setattr(app, "channel_options", lambda _: list(options.items()))
    arena = await start_arena()
    async with RawPeer(arena.address) as peer:
        await peer.send(beginning)
        assert await peer.closed()


async def test_a_connection_that_gives_no_sign_of_life_is_closed(start_arena):
    """Open calls do not keep it: it does not answer the server's ping."""
    arena = await start_arena(keepalive_s=0.2, keepalive_timeout_s=0.1)
    async with RawPeer(arena.address) as peer:
        await peer.begin()
        hello = pb.PlayRequest(messages=[pb.ClientMessage(hello={"protocol_version": 1, "bot_name": "x"})])
        call = frame(HEADERS, END_HEADERS, 1, call_headers()) + frame(DATA, 0, 1, message(hello.SerializeToString()))
        await peer.send(call)
        assert await peer.closed()
    await until(lambda: not arena.is_connected("x"))


@pytest.mark.usefixtures("game")
async def test_of_endless_metadata_nothing_is_kept(arena):
    """The core of gRPC drops them; the call it refuses, or it waits for `Hello` like any other."""
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    async with RawPeer(arena.address) as peer:
        await peer.begin()
        await peer.send(frame(HEADERS, 0, 1, call_headers()))
        for number in range(10_000):
            await peer.send(frame(CONTINUATION, 0, 1, field(b"x-%d" % number, b"a" * 14_000)))
        await peer.send(frame(CONTINUATION, END_HEADERS, 1))
        while b"grpc-status" not in await peer.look() and len(arena._patience) == 0:
            pass
    await until(lambda: len(arena._patience) == 0)
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 70_000


@pytest.mark.usefixtures("game")
async def test_a_frame_larger_than_the_transport_takes_is_refused_before_it_has_come(arena):
    """The reason is the transport's own: it says how much it was and how much is allowed."""
    async with RawPeer(arena.address) as peer:
        await peer.begin()
        await peer.send(frame(HEADERS, END_HEADERS, 1, call_headers()))
        await peer.send(frame(DATA, 0, 1, b"\x00\x7f\xff\xff\xff" + bytes(100)))
        await peer.until_it_says(b"Received message larger than max (2147483647 vs. 1048576)")
    await until(lambda: len(arena._patience) == 0)


@pytest.mark.usefixtures("game")
async def test_a_small_message_that_unpacks_to_a_huge_one_is_not_unpacked(arena):
    packed = gzip.compress(bytes(200_000_000), 9)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    async with RawPeer(arena.address) as peer:
        await peer.begin()
        await peer.send(frame(HEADERS, END_HEADERS, 1, call_headers() + field(b"grpc-encoding", b"gzip")))
        body = b"\x01" + message(packed)[1:]
        for at in range(0, len(body), 16_000):
            await peer.send(frame(DATA, 0, 1, body[at : at + 16_000]))
        await peer.until_it_says(b"grpc-status")
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 100_000


# ------------------------------------------------------------------ calls that say nothing


@pytest.mark.parametrize(
    "path",
    [
        "/lastcard.v1.PlayService/Play",
        LIST_TABLES,
        "/lastcard.v1.TableService/WatchTable",
        "/grpc.health.v1.Health/Check",
    ],
)
async def test_a_call_that_says_nothing_is_ended(monkeypatch, start_arena, path):
    monkeypatch.setattr(app, "Patience", lambda: Patience(seconds=0.2))
    arena = await start_arena()
    async with RawPeer(arena.address) as peer:
        await peer.begin()
        await peer.send(frame(HEADERS, END_HEADERS, 1, call_headers(path)))
        await peer.until_it_says(b"within 0.2 s")
    await until(lambda: len(arena._patience) == 0)


@pytest.mark.usefixtures("game")
@pytest.mark.parametrize("path", ["/lastcard.v1.PlayService/Play", LIST_TABLES])
async def test_of_thousands_of_calls_that_say_nothing_the_oldest_go(arena, channel, path):
    most = Patience()._most
    async with RawPeer(arena.address) as peer:
        await peer.begin()
        for number in range(3 * most):
            await peer.send(frame(HEADERS, END_HEADERS, 2 * number + 1, call_headers(path)))
        await until(lambda: len(arena._patience) == most)
        # Whoever has something to say is heard all the same. While calls come faster than they are taken, gRPC's core
        # refuses some by chance, which clients try again.
        await tried_again(lambda: hello_once(channel))
        await tried_again(lambda: tables_stub(channel).ListTables(tp.ListTablesRequest()))
    await until(lambda: len(arena._patience) == 0)


async def hello_once(channel):
    stream = BotStream(channel)
    await stream.hello("late")
    stream.cancel()


async def tried_again(call):
    """What a call gives that gRPC's core lets through.

    A refusal that comes between grpc.aio's look at the call and its writing is told as its own INTERNAL, for good.
    """
    while True:
        try:
            return await call()
        except (Ended, grpc.aio.AioRpcError) as error:
            refusal = error.error if isinstance(error, Ended) else error
            if refusal.code() is not grpc.StatusCode.CANCELLED:
                assert refusal.details() == "Internal error from Core"


async def test_a_call_that_ends_without_a_request_is_refused(channel):
    call = channel.stream_unary(LIST_TABLES)()
    await call.done_writing()
    _, reason, sentence = await refused(call)
    assert reason == "MALFORMED"
    assert "without a request" in sentence


async def test_health_answers_and_refuses_as_ever(channel):
    health = health_pb2_grpc.HealthStub(channel)
    answer = await health.Check(health_pb2.HealthCheckRequest())
    assert answer.status == health_pb2.HealthCheckResponse.SERVING
    with pytest.raises(grpc.aio.AioRpcError) as error:
        await health.Check(health_pb2.HealthCheckRequest(service="nobody"))
    assert error.value.code() == grpc.StatusCode.NOT_FOUND


@pytest.mark.usefixtures("game")
async def test_a_bot_that_ends_its_side_after_hello_has_left(arena, bot):
    stream = bot()
    await stream.hello("half")
    table_id = arena.open_table(plan("half", "+greedy"))
    await stream.decision()
    await stream.call.done_writing()
    assert (await stream.end()).code is grpc.StatusCode.OK
    assert arena.host.tables[table_id].machine.seats[0].status.name == "AWAY"


async def test_a_bot_that_says_hello_and_nothing_else_is_not_dead(start_arena):
    """It answers no heartbeat, and none is owed."""
    arena = await start_arena(heartbeat_s=0.05)
    async with connection(arena.address) as channel:
        stream = BotStream(channel)
        await stream.hello("quiet")
        arena.open_table(plan("quiet", "+greedy"))
        decision = await stream.decision()
        while (await stream.expect("heartbeat")).heartbeat.number < 40:
            pass
        await stream.act(decision)
        assert (await stream.result()).accepted
        stream.cancel()


# ------------------------------------------------------------------ floods


@pytest.mark.usefixtures("game")
async def test_streams_reset_as_soon_as_they_are_opened_leave_nothing(arena):
    tasks = len(asyncio.all_tasks())
    async with RawPeer(arena.address) as peer:
        await peer.begin()
        for number in range(10_000):
            stream = 2 * number + 1
            await peer.send(frame(HEADERS, END_HEADERS, stream, call_headers()) + frame(RST, 0, stream, CANCELLED))
        await until(lambda: len(asyncio.all_tasks()) <= tasks + 2 and len(arena._patience) == 0)


async def test_newcomers_beyond_what_a_machine_may_bring_wait(start_arena):
    arena = await start_arena(newcomers_per_s=1)
    async with connection(arena.address) as channel:
        # On a slow machine some more are let in while these come, but not so many.
        streams = [BotStream(channel) for _ in range(NEWCOMERS_AT_ONCE + 60)]
        ends = []
        secret = ""
        for stream in streams:
            try:
                secret = (await stream.hello("x")).resume_secret
            except Ended as end:
                ends.append(end)
        assert {(end.code.name, end.reason) for end in ends} == {("RESOURCE_EXHAUSTED", "TOO_FAST")}
        assert 1 <= len(ends) <= 60
        assert detail_of(ends[0].error, error_details_pb2.RetryInfo).retry_delay.ToMilliseconds() == 1_000
        # Those who are known come back all the same, and so do bots with a token.
        again, minted = BotStream(channel, secret), BotStream(channel, arena.mint("minted"))
        await again.hello()
        await minted.hello()
        for stream in (*streams, again, minted):
            stream.cancel()


async def test_two_streams_that_replace_each_other_for_ever_are_slowed_down(arena, bot):
    token = arena.mint("twice")
    reasons = set()
    for _ in range(RETURNS_AT_ONCE + 60):
        stream = bot(token)
        try:
            await stream.hello()
        except Ended as end:
            reasons.add(end.reason)
    assert reasons == {"TOO_FAST"}
    assert len(arena.sessions) == 1


async def test_a_flood_of_calls_is_refused_with_the_time_to_wait(start_arena):
    arena = await start_arena(calls_per_s=1)
    async with connection(arena.address) as channel:
        tables, server = tables_stub(channel), server_stub(channel)
        for _ in range(CALLS_AT_ONCE):
            await tables.ListTables(tp.ListTablesRequest())
        for call in (
            lambda: tables.ListTables(tp.ListTablesRequest()),
            lambda: tables.CreateTable(tp.CreateTableRequest(seats=[tp.SeatRequest(open=True)] * 2)),
            lambda: tables.GetTable(tp.GetTableRequest(table_id="x"), metadata=bearer("lct_made-up")),
            lambda: server.ListPresets(sp.ListPresetsRequest()),
        ):
            error = await first_refusal(call)
            assert (error.code().name, reason_of(error)) == ("RESOURCE_EXHAUSTED", "TOO_FAST")
            assert detail_of(error, error_details_pb2.RetryInfo).retry_delay.ToMilliseconds() == 1_000
        # Another caller is another matter.
        await tables.ListTables(tp.ListTablesRequest(), metadata=bearer(arena.mint("other")))


async def test_a_long_list_costs_as_many_calls(start_arena):
    arena = await start_arena(calls_per_s=5)
    for _ in range(400):
        arena.open_table(plan("", ""))
    async with connection(arena.address) as channel:
        tables = tables_stub(channel)
        await tables.ListTables(tp.ListTablesRequest(page_size=1_000))
        assert (await refused(tables.ListTables(tp.ListTablesRequest())))[1] == "TOO_FAST"


async def test_an_answer_to_an_open_decision_by_a_call_is_never_limited(start_arena):
    arena = await start_arena(calls_per_s=1)
    async with connection(arena.address) as channel:
        tables = tables_stub(channel)
        request = tp.CreateTableRequest(seats=[tp.SeatRequest(open=True), tp.SeatRequest(builtin="greedy")])
        table_id = (await tables.CreateTable(request)).table.table_id
        joined = await tables.JoinTable(tp.JoinTableRequest(table_id=table_id, name="ann"))
        me = bearer(joined.resume_secret)
        table = arena.host.tables[table_id]

        async def submit(decision_id):
            act = {"table_id": table_id, "decision_id": decision_id, "choice": 0}
            return await tables.SubmitAction(tp.SubmitActionRequest(act=act), metadata=me)

        moves = 0
        while table.result is None and moves < 40:
            asked = table.machine.open_decisions(0)
            if not asked:
                await asyncio.sleep(0.001)
                continue
            assert (await submit(asked[0].decision_id)).result.accepted
            moves += 1
        assert moves > 2 * CALLS_AT_ONCE
        assert reason_of(await first_refusal(lambda: submit(4_000))) == "TOO_FAST"


async def test_the_first_answers_alone_to_an_open_decision_are_free():
    answers = FreeAnswers()
    assert [answers.take("t", 1) for _ in range(FREE_ACTS + 2)] == [True] * FREE_ACTS + [False] * 2
    assert answers.take("t", 2)
    for number in range(DECISIONS_KEPT):
        answers.take("u", number)
    assert len(answers._answers) == DECISIONS_KEPT


async def test_watchers_are_bounded_for_one_caller_and_for_all(start_arena):
    arena = await start_arena(max_watchers=BY_ONE + 2, calls_per_s=10_000)
    table_id = arena.open_table(plan("", ""))
    async with connection(arena.address) as channel:
        tables = tables_stub(channel)
        request = tp.WatchTableRequest(table_id=table_id)
        watching = [tables.WatchTable(request) for _ in range(BY_ONE)]
        await until(lambda: len(arena._tables._watching) == BY_ONE)
        _, reason, sentence = await refused(tables.WatchTable(request).read())
        assert reason == "LIMIT_REACHED"
        assert str(BY_ONE) in sentence
        watching += [tables.WatchTable(request, metadata=bearer(arena.mint(f"b{number}"))) for number in range(2)]
        await until(lambda: len(arena._tables._watching) == BY_ONE + 2)
        call = tables.WatchTable(request, metadata=bearer(arena.mint("c")))
        assert (await refused(call.read()))[1] == "LIMIT_REACHED"
        for call in watching:
            call.cancel()
        await until(lambda: len(arena._tables._watching) == 0 and not arena.host.tables[table_id].watchers)
        assert not arena._tables._watching._boxes._by_key
        again = tables.WatchTable(request)
        await until(lambda: len(arena._tables._watching) == 1)
        again.cancel()


async def test_thousands_of_messages_that_answer_nothing_do_not_reach_the_tables(arena, game, bot):
    noisy = bot()
    await noisy.hello("noisy")
    # In one frame: a client that is still writing when its stream ends may not see the status.
    await noisy.send(*[{"act": {"table_id": game.table_id, "decision_id": 1, "choice": 0}}] * (BURST + 2 * PATIENCE))
    assert (await noisy.end()).reason == "TOO_FAST"
    await until(lambda: not arena.is_connected("noisy"))


@pytest.mark.usefixtures("game")
async def test_rubbish_in_every_kind_of_message_ends_in_a_reason(arena, channel):
    """Field numbers and wire types that no message has, at every depth."""
    hello = pb.PlayRequest(messages=[pb.ClientMessage(hello={"protocol_version": 1, "bot_name": "x"})])
    for broken in (b"\x0a\x05\x12\x03\x0a\x01\xff", b"\x0a\x7f\x12", b"\x0b", b"\x0a\x02\x12\x80", b"\xff" * 50):
        call = channel.stream_stream("/lastcard.v1.PlayService/Play")()
        await call.write(hello.SerializeToString())
        await call.write(broken)
        assert reason_of(await first_refusal(call.read)) in ("MALFORMED", "INVALID_ARGUMENT")
    await until(lambda: not arena.is_connected("x"))
