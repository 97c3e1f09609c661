"""A server whose store fails, at its start or later, ends with a sentence, and has told nothing that is not kept."""

import asyncio
import json
import resource
import subprocess
import sys

import grpc

from lastcard.store.opening import FILE, close_store, open_store
from lastcard.v1 import table_service_pb2 as tp
from service_client import BOUND_S, BotStream, Ended, connection, tables_stub

PATIENT = {"limit": {"seconds": 600}, "grace": {"seconds": 600}}
GREEDY = tp.SeatRequest(builtin="greedy")
ME = tp.SeatRequest(bot_name="me")
OPEN = tp.SeatRequest(open=True)


def serve(data, *options):
    return subprocess.Popen(
        [
            sys.executable,
            "-m",
            "lastcard.cli.main",
            "serve",
            "--port",
            "0",
            "--data",
            str(data),
            "--log",
            "json",
            *options,
        ],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def ended(process):
    """Status, standard output, and standard error of a process that ends by itself."""
    with process:
        out, err = process.communicate(timeout=BOUND_S)
    return process.returncode, out, err


def address_of(process):
    line = process.stdout.readline()
    assert line.startswith("lastcard: serving on ")
    return line.split()[-1]


async def answered_to_the_end(stream):
    """Answers decisions for as long as there is a stream; the numbers of all that was accepted, and how it ended."""
    accepted = []
    try:
        while True:
            message = await stream.next()
            kind = message.WhichOneof("message")
            if kind == "decision":
                await stream.act(message.decision)
            elif kind == "act_result" and message.act_result.accepted:
                accepted.append(message.act_result.decision_id)
    except Ended as end:
        return accepted, end
    except asyncio.InvalidStateError:
        return accepted, await stream.end()


async def opened_by(stub):
    """The id of a table that the server says it has opened, if it does."""
    try:
        answer = await stub.CreateTable(tp.CreateTableRequest(seats=[OPEN, OPEN]))
    except grpc.aio.AioRpcError:
        return None
    return answer.table.table_id


async def test_a_server_whose_disk_refuses_ends_by_itself_and_keeps_all_that_it_told(tmp_path, start_arena):
    process = serve(tmp_path)
    try:
        async with connection(address_of(process)) as channel:
            stream = BotStream(channel)
            await stream.hello("me")
            request = tp.CreateTableRequest(seats=[ME, GREEDY], clock=PATIENT)
            table_id = (await tables_stub(channel).CreateTable(request)).table.table_id
            size = (tmp_path / f"{FILE}-wal").stat().st_size
            # No file may become larger than this, which is what a full disk looks like to one process alone.
            resource.prlimit(process.pid, resource.RLIMIT_FSIZE, (size + 150_000,) * 2)
            accepted, end = await answered_to_the_end(stream)
        status, _, err = ended(process)
    finally:
        process.kill()
    assert status == 1
    *log, sentence = err.splitlines()
    assert sentence.startswith(f"lastcard: the store {tmp_path / FILE} cannot be read or written: its disk refuses")
    assert "SQLITE_IOERR_WRITE" in sentence
    events = [json.loads(line)["event"] for line in log]
    assert events.count("store.failed") == 1
    assert events[-1] == "arena.closed"
    assert end.reason == "DRAINING"
    assert len(accepted) > 5
    told = max(event.sequence for event in stream.events(table_id))
    arena = await start_arena(data=tmp_path)
    assert arena.is_known(table_id)
    assert arena.progress(table_id)[0] >= told


async def test_nothing_is_told_after_the_store_is_full(start_arena, tmp_path):
    arena = await start_arena(data=tmp_path)
    async with connection(arena.address) as channel:
        stub = tables_stub(channel)
        stream = BotStream(channel)
        await stream.hello("me")
        created = await stub.CreateTable(tp.CreateTableRequest(seats=[ME, GREEDY], clock=PATIENT))
        assert (await stream.decision()).table_id == created.table.table_id
        (pages,) = arena._store._connection.execute("PRAGMA page_count").fetchone()
        arena._store._connection.execute(f"PRAGMA max_page_count = {pages}")
        others = [asyncio.create_task(opened_by(stub)) for _ in range(200)]
        await asyncio.wait_for(arena.failed.wait(), BOUND_S)
        assert "its disk is full; make room and start again" in arena.failure
        assert str(tmp_path / FILE) in arena.failure
        heard = len(stream.heard)
        assert (await stream.end()).reason == "DRAINING"
        late = {message.WhichOneof("message") for message in stream.heard[heard:]}
        await arena.stop(0)
        answers = await asyncio.gather(*others)
    told = {table_id for table_id in answers if table_id}
    assert len(told) < 200
    assert not late & {"act_result", "decision", "table_events", "seated", "table_closed"}
    opened = open_store(tmp_path)
    close_store(opened.connection)
    kept = {table.opened.table_id for table in opened.remembered.tables}
    assert kept >= told | {created.table.table_id}
