"""The arena as a whole: start, drain, practice, storage, faults of ours."""

import asyncio
import json
import os
import signal
import socket
import sqlite3
import subprocess
import sys

import grpc
import pytest
from grpc_health.v1 import health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha.proto_reflection_descriptor_database import ProtoReflectionDescriptorDatabase
from structlog.testing import capture_logs

from lastcard import app
from lastcard.app import Arena, ArenaError, Settings
from lastcard.services.clock import RunningClock
from lastcard.services.log import configure_log
from lastcard.store.opening import FILE
from lastcard.table.hosting import Hosting
from lastcard.table.machine import Table
from lastcard.v1 import table_service_pb2 as tp
from service_client import BotStream, connection, plan, refused, tables_stub


async def test_draining_tells_health_and_every_stream_and_ends(start_arena):
    arena = await start_arena()
    async with connection(arena.address) as channel:
        stream = BotStream(channel)
        await stream.hello("me")
        arena.open_table(plan("me", "+greedy"))
        await stream.decision()
        health = health_pb2_grpc.HealthStub(channel)
        watching = health.Watch(health_pb2.HealthCheckRequest())
        assert (await watching.read()).status == health_pb2.HealthCheckResponse.SERVING
        stopping = asyncio.create_task(arena.stop(5))
        assert (await watching.read()).status == health_pb2.HealthCheckResponse.NOT_SERVING
        watching.cancel()
        await stream.expect("draining")
        end = await stream.end()
        assert (end.code.name, end.reason) == ("UNAVAILABLE", "DRAINING")
        async with asyncio.timeout(60):
            await stopping


async def test_a_port_that_is_taken_is_one_sentence(arena):
    port = int(arena.address.rpartition(":")[2])
    with pytest.raises(ArenaError, match=f"127.0.0.1:{port}"):
        await Arena(Settings(port=port)).start()


async def test_a_store_in_use_is_one_sentence(start_arena, tmp_path):
    await start_arena(data=tmp_path)
    with pytest.raises(ArenaError, match="in use by another server"):
        await Arena(Settings(data=tmp_path)).start()


async def test_practice_seats_whoever_connects_again_and_again(start_arena):
    arena = await start_arena(practice="greedy,random", rules="german")
    async with connection(arena.address) as channel:
        stream = BotStream(channel)
        await stream.hello("me")
        seated = (await stream.expect("seated")).seated
        assert sorted(seat.name for seat in seated.seats) == ["greedy", "me", "random"]
        assert seated.ruleset.preset == "german"
        await stream.send({"leave": {"table_id": seated.table_id}})
        await stream.expect("table_closed")
        assert (await stream.expect("seated")).seated.table_id != seated.table_id
        stream.cancel()


@pytest.mark.parametrize(
    ("settings", "word"),
    [({"practice": "gredy"}, "greedy"), ({"practice": "greedy", "rules": "martian"}, "german")],
    ids=["builtin", "preset"],
)
async def test_practice_against_nobody_known_does_not_start(settings, word):
    with pytest.raises(ArenaError, match=word):
        await Arena(Settings(**settings)).start()


async def test_results_records_and_identities_outlive_the_server(start_arena, tmp_path):
    arena = await start_arena(data=tmp_path)
    token = arena.mint("mine")
    table_id = arena.open_table(plan("+greedy", "+random"))
    result = await arena.result(table_id)
    record = arena.record(table_id)
    await arena.stop(1)
    again = await start_arena(data=tmp_path)
    async with connection(again.address) as channel:
        answer = await tables_stub(channel).GetRecord(tp.GetRecordRequest(table_id=table_id))
        assert answer.record == record.record
        assert answer.record_hash == result.record_hash
        stream = BotStream(channel, token)
        assert (await stream.hello()).bot_name == "mine"
        stream.cancel()
    other = again.open_table(plan("+greedy", "+random"))
    assert again.host.tables[other].number > 1


async def test_the_store_holds_what_a_table_can_be_played_again_from(start_arena, tmp_path):
    from lastcard.rules.shuffle import round_seed
    from lastcard.store.commands_text import commands_value
    from lastcard.table.commands import NextRound
    from lastcard.table.effects import Happened
    from lastcard.table.plan_text import plan_value

    arena = await start_arena(data=tmp_path)
    async with connection(arena.address) as channel:
        stream = BotStream(channel)
        await stream.hello("me")
        table_id = arena.open_table(plan("me", "+greedy", "+random"))
        await stream.play()
        stream.cancel()
    table = arena.host.tables[table_id]
    await arena.stop(1)
    connection_ = sqlite3.connect(tmp_path / FILE)
    ((number, opened_ms, text),) = connection_.execute("SELECT number, opened_ms, plan FROM tables").fetchall()
    batches = connection_.execute("SELECT commands FROM journal ORDER BY batch").fetchall()
    connection_.close()
    stored = plan_value(text, table_id)
    machine = Table(table.machine.setup)
    assert stored.salt == table.machine.setup.salt
    assert opened_ms == table.machine.setup.opened_ms
    events = []
    for (batch,) in batches:
        for entry in commands_value(batch):
            assert entry.number == number
            if isinstance(entry.command, NextRound):
                assert entry.command.seed == round_seed(stored.deal_key, len(table.seeds))
            effects = machine.handle(entry.command, entry.at_ms)
            events += [event for effect in effects if isinstance(effect, Happened) for event in effect.events]
    assert machine.closed == table.machine.closed
    assert len(events) == table.result.last_sequence


async def test_a_machine_that_breaks_closes_its_table_alone(arena, bot, monkeypatch):
    stream = bot()
    await stream.hello("me")
    broken = arena.open_table(plan("me", "+greedy"))
    decision = await stream.decision(broken)
    handle = Table.handle

    def breaks(self, command, now_ms):
        if self is arena.host.tables[broken].machine:
            raise ZeroDivisionError("a fault of ours")
        return handle(self, command, now_ms)

    monkeypatch.setattr(Table, "handle", breaks)
    with capture_logs() as log:
        await stream.act(decision)
        closed = (await stream.expect("table_closed")).table_closed
    assert closed.result.cause == 3
    assert (await arena.result(broken)).faults == ()
    assert [entry["event"] for entry in log if entry["log_level"] == "error"] == ["table.failed"]
    whole = arena.open_table(plan("me", "+greedy"))
    assert (await stream.play_at(whole)).result.cause == 1


async def test_a_fault_of_ours_tells_nothing_but_an_incident(arena, channel, monkeypatch):
    monkeypatch.setattr(arena._desk, "tables", lambda _: 1 / 0)
    with capture_logs() as log, pytest.raises(grpc.aio.AioRpcError) as error:
        await tables_stub(channel).ListTables(tp.ListTablesRequest())
    assert error.value.code() == grpc.StatusCode.INTERNAL
    (entry,) = [entry for entry in log if entry["event"] == "rpc.failed"]
    assert entry["incident"] in error.value.details()
    assert "division" not in error.value.details()


async def test_a_pause_of_the_process_is_told_and_a_long_start_is_none(start_arena, monkeypatch):
    passed_ns, minute_ns = [0], 60_000_000_000
    monkeypatch.setattr(app, "RunningClock", lambda last_ms: RunningClock(last_ms, monotonic_ns=lambda: passed_ns[0]))
    begin = Hosting.start

    def begin_slowly(hosting):
        passed_ns[0] += minute_ns
        begin(hosting)

    monkeypatch.setattr(Hosting, "start", begin_slowly)
    configure_log("json", "warning")
    with capture_logs() as log:
        arena = await start_arena()
        arena._clock_timer.cancel()
        passed_ns[0] += 2 * minute_ns
        arena._read_clock()
    assert [entry["ms"] for entry in log if entry["event"] == "arena.stalled"] == [120_000 - 100]


async def test_more_tables_than_the_server_holds_are_refused(start_arena):
    arena = await start_arena(max_tables=2)
    async with connection(arena.address) as channel:
        tables = tables_stub(channel)
        request = tp.CreateTableRequest(seats=[tp.SeatRequest(open=True)] * 2)
        for _ in range(2):
            await tables.CreateTable(request)
        code, reason, sentence = await refused(tables.CreateTable(request))
        assert (code, reason) == (grpc.StatusCode.RESOURCE_EXHAUSTED, "LIMIT_REACHED")
        assert "2 tables" in sentence


async def test_more_streams_than_the_server_serves_are_refused(start_arena):
    arena = await start_arena(max_streams=1)
    async with connection(arena.address) as channel:
        first, second = BotStream(channel), BotStream(channel)
        await first.hello("first")
        await second.send({"hello": {"protocol_version": 1, "bot_name": "second"}})
        assert (await second.end()).reason == "LIMIT_REACHED"
        first.cancel()


async def test_reflection_lists_our_services(arena):
    def services():
        with grpc.insecure_channel(arena.address) as channel:
            return set(ProtoReflectionDescriptorDatabase(channel).get_services())

    found = await asyncio.to_thread(services)
    assert {f"lastcard.v1.{name}Service" for name in ("Play", "Table", "Server")} <= found


async def test_an_arena_in_process_tells_progress_crashes_and_removals(arena, bot):
    token = arena.mint("mine")
    stream = bot(token)
    await stream.hello()
    await arena.connected("mine")
    table_id = arena.open_table(plan("mine", "+greedy", "+random"))
    await stream.decision()
    sequence, round_number, totals = arena.progress(table_id)
    assert sequence >= 2
    assert (round_number, totals) == (1, (0, 0, 0))
    arena.report_crash(token, "exit status 1")
    arena.remove_seat(table_id, 0)
    result = await arena.result(table_id)
    assert result.faults[0].kind.name == "CRASH"
    assert result.faults[0].evidence == "exit status 1"
    assert result.places[0] == 3
    arena.forget_table(table_id)
    with pytest.raises(KeyError):
        await arena.result(table_id)


async def test_a_cancelled_table_has_no_result(arena):
    table_id = arena.open_table(plan("nobody", "+greedy"))
    arena.cancel_table(table_id)
    result = await arena.result(table_id)
    assert result.cause.name == "CANCELLED"
    assert result.places == ()


@pytest.mark.parametrize("host", ["::1", "[::1]"])
async def test_an_address_of_ipv6_may_be_given_with_and_without_brackets(start_arena, host):
    try:
        socket.create_server(("::1", 0), family=socket.AF_INET6).close()
    except OSError:
        pytest.skip("this machine has no IPv6")
    arena = await start_arena(host=host)
    assert arena.address.startswith("[::1]:")
    async with connection(arena.address) as channel:
        stream = BotStream(channel)
        assert (await stream.hello("me")).session_id, "a guest on this machine"
        stream.cancel()


def test_serve_prints_its_address_and_stops_in_good_order_on_sigterm(tmp_path):
    command = [
        sys.executable,
        "-m",
        "lastcard.cli.main",
        "serve",
        "--port",
        "0",
        "--data",
        str(tmp_path),
        "--log",
        "json",
    ]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env={**os.environ, "PYTHONUNBUFFERED": "1"}
    ) as process:
        assert process.stdout.readline().startswith("lastcard: serving on 127.0.0.1:")
        process.send_signal(signal.SIGTERM)
        _, log = process.communicate(timeout=100)
    assert process.returncode == 0
    assert [json.loads(line)["event"] for line in log.splitlines()] == ["arena.opened", "arena.closed"]


def test_serve_at_a_port_that_is_taken_says_how_to_name_another():
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        command = [sys.executable, "-m", "lastcard.cli.main", "serve", "--data", "none", "--port", port]
        ended = subprocess.run(command, capture_output=True, text=True, check=False, timeout=100)
    assert ended.returncode == 2
    assert f"cannot listen on 127.0.0.1:{port}: the port is taken" in ended.stderr
    assert "name another with --port" in ended.stderr
