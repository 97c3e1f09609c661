"""Bad input to single calls: each kind has a reason, and nothing is left behind."""

import asyncio

import grpc
import pytest

from lastcard.services.wire.requests import MOST_MESSAGES
from lastcard.v1 import play_service_pb2 as pb
from lastcard.v1 import table_service_pb2 as tp
from service_client import BOUND_S, BotStream, connection, plan, refused, tables_stub
from waiting import until


@pytest.fixture
def tables(channel):
    return tables_stub(channel)


@pytest.mark.parametrize("frame", [b"\xff\xff\xff", b"\x0a\x02\xff\xfe"], ids=["rubbish", "no-utf-8"])
@pytest.mark.parametrize("method", ["TableService/CreateTable", "TableService/GetTable"])
async def test_bytes_that_are_no_request_are_malformed(channel, method, frame):
    code, reason, sentence = await refused(channel.unary_unary(f"/lastcard.v1.{method}")(frame))
    assert (code, reason) == (grpc.StatusCode.INVALID_ARGUMENT, "MALFORMED")
    assert f"{len(frame)} bytes" in sentence


async def test_bytes_that_are_no_request_to_watch_are_malformed(channel):
    call = channel.unary_stream("/lastcard.v1.TableService/WatchTable")(b"\xff\xff")
    assert (await refused(call.read()))[1] == "MALFORMED"


@pytest.mark.parametrize(
    ("fields", "word"),
    [
        ({"page_token": "9" * 6_000}, "page_token"),
        ({"page_token": "٣"}, "'٣'"),
        ({"page_size": 1_001}, "1 to 1000"),
        ({"state": 99}, "state is 99"),
    ],
    ids=["long-token", "foreign-digits", "size", "state"],
)
async def test_a_page_that_cannot_be_is_refused(tables, fields, word):
    code, reason, sentence = await refused(tables.ListTables(tp.ListTablesRequest(**fields)))
    assert (code, reason) == (grpc.StatusCode.INVALID_ARGUMENT, "INVALID_ARGUMENT")
    assert word in sentence


@pytest.mark.parametrize(
    "limit",
    [{"seconds": 1, "nanos": 2_000_000_000}, {"seconds": 2, "nanos": -500_000_000}],
    ids=["nanos-above-a-second", "mixed-signs"],
)
async def test_a_span_that_is_none_is_refused(tables, limit):
    request = tp.CreateTableRequest(seats=[tp.SeatRequest(open=True)] * 2, clock={"limit": limit})
    _, reason, sentence = await refused(tables.CreateTable(request))
    assert reason == "INVALID_ARGUMENT"
    assert f"{limit['nanos']} ns" in sentence


async def test_what_a_caller_sent_never_makes_a_refusal_too_long_to_be_read(tables):
    code, reason, sentence = await refused(tables.GetTable(tp.GetTableRequest(table_id="é" * 30_000)))
    assert (code, reason) == (grpc.StatusCode.NOT_FOUND, "NOT_FOUND")
    assert sentence.endswith("ListTables lists those that there are")


async def test_a_name_that_is_none_leaves_no_secret_behind(arena, tables):
    table = (await tables.CreateTable(tp.CreateTableRequest(seats=[tp.SeatRequest(open=True)] * 2))).table
    before = len(arena.identities._known)
    for name in ("a/b", "a" * 65):
        assert (await refused(tables.JoinTable(tp.JoinTableRequest(table_id=table.table_id, name=name))))[1] == (
            "INVALID_ARGUMENT"
        )
    assert len(arena.identities._known) == before


async def test_a_full_server_makes_no_secrets_and_lets_a_bot_come_back(start_arena):
    arena = await start_arena(max_streams=1)
    async with connection(arena.address) as channel:
        first, other = BotStream(channel), BotStream(channel)
        secret = (await first.hello("ann")).resume_secret
        before = len(arena.identities._known)
        await other.send({"hello": {"protocol_version": 1, "bot_name": "bob"}})
        assert (await other.end()).reason == "LIMIT_REACHED"
        assert len(arena.identities._known) == before
        again = BotStream(channel, secret)
        assert (await again.hello()).bot_name == "ann"
        assert (await first.end()).reason == "SESSION_REPLACED"
        again.cancel()


async def test_a_frame_of_very_many_messages_is_too_large(bot):
    stream = bot()
    await stream.hello("me")
    await stream.call.write(pb.PlayRequest(messages=[pb.ClientMessage()] * (MOST_MESSAGES + 1)))
    end = await stream.end()
    assert end.reason == "FRAME_TOO_LARGE"
    assert f"{MOST_MESSAGES + 1} messages" in end.sentence


@pytest.mark.parametrize("delay", [0, 3_600], ids=["at-once", "delayed"])
async def test_who_watches_is_told_that_the_server_shuts_down(start_arena, delay):
    arena = await start_arena()
    async with connection(arena.address) as channel, asyncio.timeout(BOUND_S):
        table_id = arena.open_table(plan("nobody", "+greedy"))
        call = tables_stub(channel).WatchTable(tp.WatchTableRequest(table_id=table_id, delay={"seconds": delay}))
        reading = asyncio.create_task(refused(call.read()))
        await until(lambda: arena.host.tables[table_id].watchers)
        await arena.stop(60)
        assert (await reading)[:2] == (grpc.StatusCode.UNAVAILABLE, "DRAINING")
