"""A server whose store fails, at its start or later, ends with a sentence, and has told nothing that is not kept."""

import asyncio
import json
import resource
import shutil
import sqlite3
import subprocess
import sys
from pathlib import Path

import grpc
import pytest
from structlog.testing import capture_logs

from lastcard.app import ArenaError
from lastcard.services.log import configure_log
from lastcard.store import compaction
from lastcard.store.opening import FILE, close_store, open_store
from lastcard.v1 import table_service_pb2 as tp
from service_client import BOUND_S, BotStream, Ended, connection, plan, tables_stub

PATIENT = {"limit": {"seconds": 600}, "grace": {"seconds": 600}}
GREEDY = tp.SeatRequest(builtin="greedy")
ME = tp.SeatRequest(bot_name="me")
OPEN = tp.SeatRequest(open=True)


def started(*command):
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def serve(data, *options):
    command = [sys.executable, "-m", "lastcard.cli.main", "serve", "--port", "0", "--data", str(data), "--log", "json"]
    return started(*command, *options)


def ended(process):
    """Status, standard output, and standard error of a process that ends by itself."""
    with process:
        out, err = process.communicate(timeout=2 * BOUND_S)
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


async def test_one_table_that_stays_open_is_whole_after_many_others_have_come_and_gone(
    start_arena, tmp_path, monkeypatch
):
    monkeypatch.setattr(compaction, "LEAST", 200)
    monkeypatch.setattr(compaction, "SLICE", 50)
    arena = await start_arena(data=tmp_path / "data")
    async with connection(arena.address) as channel:
        stream = BotStream(channel)
        await stream.hello("me")
        table_id = arena.open_table(plan("me", "+greedy", options={"match_end": "target"}))
        for _ in range(20):
            await stream.act(await stream.decision(table_id))
            other = arena.open_table(plan("+greedy", "+greedy", "+greedy"))
            await arena.result(other)
            arena.forget_table(other)
        await stream.decision(table_id)
        told = max(event.sequence for event in stream.events(table_id))
        await arena._desk.durable()  # else the files might change while they are copied
        shutil.copytree(tmp_path / "data", tmp_path / "copy")
    opened = open_store(tmp_path / "copy")
    (commands,) = opened.connection.execute("SELECT sum(count) FROM journal").fetchone()
    needed = sum(len(table.commands) for table in opened.remembered.tables)
    close_store(opened.connection)
    assert commands <= 2 * needed + 600
    again = await start_arena(data=tmp_path / "copy")
    assert again.progress(table_id)[0] >= told
    assert again.progress(table_id)[2] == arena.progress(table_id)[2]


async def test_a_last_commit_that_fails_is_told_when_the_arena_stops(start_arena, tmp_path):
    arena = await start_arena(data=tmp_path)
    arena._store._connection.execute("PRAGMA max_page_count = 1")
    for _ in range(100):
        arena.open_table(plan("", ""))
    await arena.stop(0)
    assert "its disk is full" in arena.failure


CUP = """
[tournament]
name = "cup"
seed = 3
table_size = 2
deals = 8
options = { match_end = "single_round" }
[[bot]]
name = "a"
builtin = "greedy"
[[bot]]
name = "b"
builtin = "greedy"
"""


@pytest.mark.slow
def test_a_tournament_whose_disk_refuses_ends_with_the_reason_and_goes_on_later(tmp_path):
    (tmp_path / "cup.toml").write_text(CUP)
    out = tmp_path / "out"
    command = [sys.executable, "-m", "lastcard.cli.main", "tournament", "run", str(tmp_path / "cup.toml")]
    # In blocks of 512 bytes: twice what a store needs that has no games yet, and a third of what all games need.
    status, _, err = ended(started("sh", "-c", 'ulimit -f 280; exec "$@"', "sh", *command, "--out", str(out)))
    assert status == 1
    sentence = err.splitlines()[-1]
    (store,) = out.rglob(FILE)
    assert sentence.startswith(f"lastcard: the arena cannot store games any more: the store {store} cannot be read or")
    assert sentence.endswith("stand, and --resume goes on with the event")
    rows = len((out / "ledger.jsonl").read_text().splitlines())
    assert rows < 16
    status, _, err = ended(started(*command, "--out", str(out), "--resume"))
    assert (status, err) == (0, "")
    assert len((out / "ledger.jsonl").read_text().splitlines()) == 16


# ------------------------------------------------------------------ at the start


async def test_a_second_server_on_the_same_directory_is_refused_and_the_first_goes_on(tmp_path):
    first = serve(tmp_path)
    try:
        address = address_of(first)
        status, out, err = ended(serve(tmp_path))
        assert (status, out) == (2, "")
        store = tmp_path / FILE
        assert (
            err
            == f"lastcard: the store {store} is in use by another server; stop that one, or give another directory\n"
        )
        async with connection(address) as channel:
            request = tp.CreateTableRequest(seats=[OPEN, OPEN])
            assert (await tables_stub(channel).CreateTable(request)).table.table_id
    finally:
        first.terminate()
        assert ended(first)[0] == 0


def test_a_store_that_is_damaged_stops_the_start_and_stays_as_it_is(tmp_path):
    close_store(open_store(tmp_path).connection)
    data = (tmp_path / FILE).read_bytes()
    (tmp_path / FILE).write_bytes(data[:8192] + bytes(len(data) - 8192))
    status, out, err = ended(serve(tmp_path))
    assert (status, out) == (2, "")
    assert err.startswith(f"lastcard: the store {tmp_path / FILE} is damaged or no store (")
    assert err.endswith("and was left as it is; bring it back from a copy, or give another directory\n")
    assert (tmp_path / FILE).read_bytes() == data[:8192] + bytes(len(data) - 8192)


@pytest.mark.parametrize("given", [["--durability", "most"], ["--durability", ""]])
def test_a_durability_that_is_none_is_refused_with_the_valid_ones(tmp_path, given):
    status, _, err = ended(serve(tmp_path, *given))
    assert status == 2
    assert err == f"lastcard: durability is {given[1]!r}; valid are full, normal\n"
    assert not (tmp_path / FILE).exists()


async def test_the_arena_writes_with_the_durability_that_it_is_given(start_arena, tmp_path):
    for durability, level in (("full", 2), ("normal", 1)):
        arena = await start_arena(data=tmp_path / durability, durability=durability)
        assert arena._store._connection.execute("PRAGMA synchronous").fetchone() == (level,)


async def test_an_arena_that_cannot_start_lets_go_of_its_store(start_arena, tmp_path):
    arena = await start_arena()
    port = int(arena.address.rpartition(":")[2])
    with pytest.raises(ArenaError, match="cannot listen"):
        await start_arena(data=tmp_path, port=port)
    close_store(open_store(tmp_path).connection)


async def test_what_was_done_to_an_older_store_is_logged(start_arena, tmp_path):
    connection_ = sqlite3.connect(tmp_path / FILE, isolation_level=None)
    connection_.executescript((Path(__file__).parents[1] / "unit" / "store" / "version_1.sql").read_text())
    connection_.close()
    configure_log("json", "warning")
    with capture_logs() as logs:
        arena = await start_arena(data=tmp_path)
    notes = [entry["note"] for entry in logs if entry["event"] == "store.migrated"]
    assert "was of version 1" in notes[0]
    assert not arena.is_known("waiting")
