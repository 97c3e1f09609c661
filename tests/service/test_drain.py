"""A server that is told to stop: what peers see, how long it takes, and that nothing is lost."""

import asyncio
import signal
from struct import pack

import grpc
import pytest
from grpc_health.v1 import health_pb2, health_pb2_grpc

from lastcard.v1 import play_service_pb2 as pb
from lastcard.v1 import table_service_pb2 as tp
from lastcard_bot.signals import SAME_S
from raw_peer import DATA, END_HEADERS, HEADERS, SETTINGS, RawPeer, call_headers, frame, message
from serve_process import ServeProcess
from service_client import BotStream, connection, tables_stub

GREEDY = tp.SeatRequest(builtin="greedy")
PATIENT = {"limit": {"seconds": 600}, "grace": {"seconds": 600}}
LONG_S = 60.0
"""Far longer than any of these stops may take."""


@pytest.fixture
async def serve(tmp_path):
    """Starts servers on one data directory; those that still run at the end are killed."""
    started = []

    async def start(*options):
        server = ServeProcess(tmp_path / "data", *options)
        started.append(server)
        await server.start()
        return server

    yield start
    for server in started:
        await server.__aexit__()


async def seated(channel, name="me"):
    stream = BotStream(channel)
    secret = (await stream.hello(name)).resume_secret
    request = tp.CreateTableRequest(seats=[tp.SeatRequest(bot_name=name), GREEDY], clock=PATIENT)
    table_id = (await tables_stub(channel).CreateTable(request)).table.table_id
    return stream, secret, table_id, await stream.decision()


async def ended(call):
    """How a call ends; what comes before is passed over."""
    try:
        while await call.read() is not grpc.aio.EOF:
            pass
    except grpc.aio.AioRpcError as error:
        return error.code()
    return await call.code()


class Stalled(RawPeer):
    """A bot that says `Hello` and lets the server send it nothing, not even how its call ends."""

    async def begin(self):
        hello = pb.PlayRequest(messages=[pb.ClientMessage(hello=pb.Hello(protocol_version=1, bot_name="stalled"))])
        no_window = pack(">HI", 4, 0)
        await self.send(
            b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
            + frame(SETTINGS, 0, 0, no_window)
            + frame(HEADERS, END_HEADERS, 1, call_headers())
            + frame(DATA, 0, 1, message(hello.SerializeToString()))
        )


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
async def test_everybody_is_told_and_the_next_start_goes_on(serve, number):
    server = await serve()
    async with connection(server.address) as channel:
        stream, secret, table_id, decision = await seated(channel)
        watch = tables_stub(channel).WatchTable(tp.WatchTableRequest(table_id=table_id))
        assert (await watch.read()).WhichOneof("message") == "snapshot"
        health = health_pb2_grpc.HealthStub(channel).Watch(health_pb2.HealthCheckRequest())
        assert (await health.read()).status == health_pb2.HealthCheckResponse.SERVING
        server.send(number)
        end = await stream.end()
        assert (end.code, end.reason) == (grpc.StatusCode.UNAVAILABLE, "DRAINING")
        assert [m.WhichOneof("message") for m in stream.heard].count("draining") == 1
        assert (await health.read()).status == health_pb2.HealthCheckResponse.NOT_SERVING
        assert await ended(watch) == grpc.StatusCode.UNAVAILABLE
    assert await server.wait() == 0
    await server.start()
    async with connection(server.address) as channel:
        again = BotStream(channel, secret)
        await again.hello()
        asked = await again.decision()
        assert (asked.decision_id, asked.view) == (decision.decision_id, decision.view)
        await again.act(asked)
        assert (await again.result()).accepted
        again.cancel()


async def test_a_call_that_comes_while_it_drains_changes_nothing(serve):
    server = await serve()
    async with connection(server.address) as channel, Stalled(server.address) as stalled:
        await stalled.begin()
        stream, *_ = await seated(channel)
        server.send(signal.SIGTERM)
        await stream.end()
        request = tp.CreateTableRequest(seats=[GREEDY, GREEDY], clock=PATIENT)
        with pytest.raises(grpc.aio.AioRpcError) as error:
            await tables_stub(channel).CreateTable(request)
        assert error.value.code() == grpc.StatusCode.UNAVAILABLE
    await server.wait()
    await server.start()
    async with connection(server.address) as channel:
        assert len((await tables_stub(channel).ListTables(tp.ListTablesRequest())).tables) == 1


async def test_a_peer_that_reads_nothing_does_not_hold_up_the_end(serve):
    server = await serve("--grace-s", "1")
    async with connection(server.address) as channel, Stalled(server.address) as stalled:
        await stalled.begin()
        stream, *_ = await seated(channel)
        server.send(signal.SIGTERM)
        await stream.end()
        assert await server.wait() == 0


async def test_a_second_signal_ends_it_at_once_and_loses_nothing(serve):
    server = await serve("--grace-s", str(LONG_S))
    async with connection(server.address) as channel, Stalled(server.address) as stalled:
        await stalled.begin()
        stream, secret, _, decision = await seated(channel)
        await stream.act(decision)
        verdict = await stream.result(decision.decision_id)
        last = await stream.decision()
        seen = [event.SerializeToString() for event in stream.events()]
        server.send(signal.SIGTERM)
        await stream.end()
        await asyncio.sleep(2 * SAME_S)
        server.send(signal.SIGTERM)
        assert await server.wait() == -signal.SIGTERM
    await server.start()
    async with connection(server.address) as channel:
        again = BotStream(channel, secret)
        await again.hello(cursors=[{"table_id": decision.table_id, "last_sequence": 1}])
        assert (await again.decision()).decision_id == last.decision_id
        assert [event.SerializeToString() for event in again.events()][: len(seen) - 1] == seen[1:]
        await again.act(decision)
        assert await again.result(decision.decision_id) == verdict
        again.cancel()


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
async def test_a_signal_while_it_starts_ends_it_and_loses_nothing(serve, number):
    """At whatever moment: by the signal before anything has been done, else in good order."""
    server = await serve()
    async with connection(server.address) as channel:
        stream, secret, table_id, decision = await seated(channel)
        stream.cancel()
    server.send(signal.SIGKILL)
    await server.wait()
    statuses = set()
    for delay_s in (0.05, 0.15, 0.25, 0.35, 0.45, 0.6, 0.8, 1.0):
        await server.begin()
        await asyncio.sleep(delay_s)
        server.send(number)
        statuses.add(await server.wait())
    assert statuses <= {0, -number} | ({1} if number == signal.SIGINT else set())  # 1: "lastcard: interrupted"
    await server.start()
    async with connection(server.address) as channel:
        again = BotStream(channel, secret)
        await again.hello()
        asked = await again.decision()
        assert (asked.table_id, asked.decision_id) == (table_id, decision.decision_id)
        again.cancel()
