"""`lastcard store` against a server that runs, and against what one left."""

import asyncio
import json
import signal
import sqlite3
import time
import zlib
from contextlib import closing

import pytest

from lastcard.cli.main import main
from lastcard.store.file import PRUNED_AT_ONCE, StoreFile
from lastcard.store.opening import FILE, close_store, open_store
from lastcard.table.journal import Pruned, TableClosed, TableOpened
from lastcard.table.plan import RecordFiles
from lastcard.v1 import table_pb2
from lastcard.v1 import table_service_pb2 as tp
from serve_process import ServeProcess
from service_client import connection, tables_stub
from waiting import until

DAY_MS = 86_400_000
PATIENT = {"limit": {"seconds": 600}, "start_up": {"seconds": 600}, "grace": {"seconds": 600}}
GREEDY, OPEN = tp.SeatRequest(builtin="greedy"), tp.SeatRequest(open=True)


def lastcard(capsys, *arguments):
    """Status, output and complaints of a command line."""
    status = main([str(argument) for argument in arguments])
    out, err = capsys.readouterr()
    return status, out, err


async def play(address, count):
    """Has builtins play so many tables to their end; their ids."""
    async with connection(address) as channel:
        tables = tables_stub(channel)
        ids = []
        for _ in range(count):
            request = tp.CreateTableRequest(seats=[GREEDY, GREEDY], clock=PATIENT)
            request.ruleset.preset = "official"
            request.ruleset.options.add(name="match_end", value="single_round")
            ids.append((await tables.CreateTable(request)).table.table_id)

        async def over():
            found = [await tables.GetTable(tp.GetTableRequest(table_id=table)) for table in ids]
            return all(each.table.state == table_pb2.TABLE_STATE_CLOSED for each in found)

        for _ in range(400):
            if await over():
                return ids
            await asyncio.sleep(0.02)
    raise AssertionError("the tables do not end")


async def waiting_table(address):
    """A table that nobody joins: it stays open."""
    async with connection(address) as channel:
        request = tp.CreateTableRequest(seats=[GREEDY, OPEN], clock=PATIENT)
        return (await tables_stub(channel).CreateTable(request)).table.table_id


async def test_a_running_servers_store_is_backed_up_checked_and_exported_and_the_copy_starts(tmp_path, capsys):
    data, copy = tmp_path / "arena", tmp_path / "copy"
    async with ServeProcess(data) as server:
        played = await play(server.address, 3)
        waiting = await waiting_table(server.address)
        (data / "events" / "cup").mkdir(parents=True)
        (data / "events" / "cup" / "ledger.jsonl").write_text("{}\n")
        status, out, _ = lastcard(capsys, "store", "backup", data, copy)
        assert status == 0
        assert out.startswith(f"{copy}: ")
        assert (copy / "events" / "cup" / "ledger.jsonl").read_text() == "{}\n"
        status, out, _ = lastcard(capsys, "store", "check", data, "--json")
        assert status == 0
        assert json.loads(out)["closed_tables"] == json.loads(out)["records"] == 3
        assert json.loads(out)["open_tables"] == 1
        status, out, _ = lastcard(capsys, "store", "export", data, tmp_path / "records", "--gzip")
        assert (status, out) == (0, f"{tmp_path / 'records'}: 3 closed tables, 3 records\n")
        assert await play(server.address, 1), "the server has not noticed"
    assert lastcard(capsys, "verify", tmp_path / "records")[0] == 0
    index = [json.loads(line) for line in (tmp_path / "records" / "index.ndjson").read_text().splitlines()]
    assert sorted(line["table"] for line in index) == sorted(played)
    assert lastcard(capsys, "store", "check", copy)[0] == 0
    async with ServeProcess(copy) as server, connection(server.address) as channel:
        tables = tables_stub(channel)
        found = await tables.GetTable(tp.GetTableRequest(table_id=waiting))
        assert found.table.state == table_pb2.TABLE_STATE_WAITING
        for table in played:
            assert (await tables.GetRecord(tp.GetRecordRequest(table_id=table))).record


async def test_a_server_that_keeps_tables_for_a_time_drops_them_then(tmp_path, capsys):
    async with ServeProcess(tmp_path / "arena") as server:
        await play(server.address, 3)
        server.send(signal.SIGTERM)
        assert await server.wait() == 0
    with closing(sqlite3.connect(tmp_path / "arena" / FILE)) as store:
        store.execute("UPDATE tables SET closed_ms = closed_ms - ?", (3 * DAY_MS,))
        store.execute("DELETE FROM kept")
        store.execute("DELETE FROM seats")
        store.commit()
    async with ServeProcess(tmp_path / "arena", "--retain-days", "2"):

        def left():
            status, out, _ = lastcard(capsys, "store", "check", tmp_path / "arena", "--json")
            return status == 0 and json.loads(out)["closed_tables"] == 1  # the last of all stays

        await until(left)


# ------------------------------------------------------------------ without a server


def store_with(directory, *closed_ms):
    """A store with a closed table for each time, none of which anybody asks for any more, and an open one behind."""
    opened = open_store(directory)
    files = RecordFiles(record=b"", receipts=b"", record_hash=bytes(32))
    result = json.dumps({"record_hash": ""})
    for number, at_ms in enumerate(closed_ms, 1):
        opened.file.commit(
            [[TableOpened(number, f"t{number}", 1, "", "{}"), TableClosed(number, at_ms, result, files)]]
        )
    opened.connection.execute("DELETE FROM kept")
    close_store(opened.connection)
    return directory


def kept(directory):
    with closing(sqlite3.connect(directory / FILE)) as store:
        return [table.table_id for table in StoreFile(store).closed()]


def test_what_ended_long_ago_is_pruned_and_the_last_number_given_out_stays(tmp_path, capsys):
    now = time.time_ns() // 1_000_000
    store = store_with(tmp_path, now - 40 * DAY_MS, now - DAY_MS, now - 35 * DAY_MS, now - 50 * DAY_MS)
    status, out, _ = lastcard(capsys, "store", "prune", store, "--older-than", "30d")
    assert status == 0
    assert "2 closed tables dropped" in out
    assert kept(store) == ["t2", "t4"]
    opened = open_store(store)
    assert opened.remembered.next_number == 5
    close_store(opened.connection)


def test_a_commit_drops_a_bounded_number_of_tables(tmp_path):
    store_with(tmp_path, *range(1, PRUNED_AT_ONCE + 20))
    opened = open_store(tmp_path)
    opened.file.commit([[Pruned(10**6)]])
    assert sum(1 for _ in opened.file.closed()) == 19
    opened.file.commit([[Pruned(10**6)]])
    assert [table.table_id for table in opened.file.closed()] == [f"t{PRUNED_AT_ONCE + 19}"]
    close_store(opened.connection)


def test_tables_that_somebody_may_still_ask_for_are_not_pruned(tmp_path, capsys):
    opened = open_store(tmp_path)
    files = RecordFiles(record=b"", receipts=b"", record_hash=bytes(32))
    for number in (1, 2):
        opened.file.commit([[TableOpened(number, f"t{number}", 1, "", "{}")]])
    opened.file.commit([[TableClosed(1, 5, "{}", files)]])
    close_store(opened.connection)
    assert lastcard(capsys, "store", "prune", tmp_path, "--older-than", "1d")[0] == 0
    assert kept(tmp_path) == ["t1"]


async def test_the_store_of_a_server_that_runs_is_not_pruned(tmp_path, capsys):
    async with ServeProcess(tmp_path) as server:
        status, _, err = lastcard(capsys, "store", "prune", tmp_path, "--older-than", "1d")
        assert status == 2
        assert "is in use by another server; stop that one" in err
        assert await play(server.address, 1)


def test_a_check_names_every_table_that_is_wrong(tmp_path, capsys):
    opened = open_store(tmp_path)
    for number, record in ((1, b"rubbish\n"), (2, b"")):
        files = RecordFiles(record=record, receipts=b"", record_hash=bytes(32))
        opened.file.commit([[TableOpened(number, f"t{number}", 1, "", "{}")]])
        opened.file.commit([[TableClosed(number, 5, json.dumps({"record_hash": "00"}), files)]])
    opened.file.commit([[TableOpened(3, "t3", 1, "", "{}")]])
    opened.connection.execute("DELETE FROM kept WHERE number < 3")
    close_store(opened.connection)
    status, out, _ = lastcard(capsys, "store", "check", tmp_path, "--json")
    problems = json.loads(out)["problems"]
    assert status == 1
    assert [problem[:8] for problem in problems] == ["table t3", "table t1"]
    status, out, _ = lastcard(capsys, "store", "check", tmp_path)
    assert status == 1
    assert out.splitlines()[-1].startswith(f"WRONG 2 in {tmp_path}: 1 open and 2 closed tables")


def test_a_check_names_a_record_that_cannot_be_read(tmp_path, capsys):
    store_with(tmp_path, 1)
    with closing(sqlite3.connect(tmp_path / FILE)) as store:
        store.execute("UPDATE tables SET record = ?", (zlib.compress(b"a" * 100)[:-4],))
        store.commit()
    status, out, _ = lastcard(capsys, "store", "check", tmp_path)
    assert status == 1
    assert "cannot be read" in out
    status, out, err = lastcard(capsys, "store", "export", tmp_path, tmp_path / "out")
    assert (status, out) == (2, "")
    assert "out is not complete: the record behind 0 closed tables cannot be read" in err


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["backup", "{empty}", "{new}"], "there is no store in"),
        (["backup", "{none}", "{new}"], "is no directory; name the --data directory of a server"),
        (["backup", "{store}", "{full}"], "is not empty; name a new directory"),
        (["backup", "{store}", "{store}/copy"], "lies in"),
        (["check", "{empty}"], "there is no store in"),
        (["export", "{store}", "{full}"], "is not empty; name a new directory"),
        (["prune", "{empty}", "--older-than", "1d"], "there is no store in"),
    ],
)
def test_what_cannot_be_done_is_said_in_a_sentence(tmp_path, capsys, arguments, sentence):
    store_with(tmp_path / "store", 1)
    for name in ("empty", "full"):
        (tmp_path / name).mkdir()
    (tmp_path / "full" / "file").write_text("mine")
    places = {name: tmp_path / name for name in ("store", "empty", "full", "none", "new")}
    status, out, err = lastcard(capsys, "store", *(argument.format(**places) for argument in arguments))
    assert (status, out) == (2, "")
    assert sentence in err
    assert (tmp_path / "full" / "file").read_text() == "mine"
    assert not (tmp_path / "none").exists()


@pytest.mark.parametrize("span", ["", "30", "1.5d", "d", "-3d", "1w"])
def test_a_span_that_is_none_is_refused(tmp_path, capsys, span):
    with pytest.raises(SystemExit) as raised:
        main(["store", "prune", str(tmp_path), f"--older-than={span}"])
    assert raised.value.code == 2
    assert "is no span of time; valid are such as '30d', '12h' and '90m'" in capsys.readouterr().err
