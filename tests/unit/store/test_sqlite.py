import asyncio
import sqlite3

import pytest

from lastcard.rules.actions import LeaveCause, play
from lastcard.store.commands_text import CODES, commands_text, commands_value
from lastcard.store.opening import FILE
from lastcard.store.schema import StoreError
from lastcard.store.sqlite import SqliteStore
from lastcard.table import commands
from lastcard.table.effects import FaultKind
from lastcard.table.journal import (
    Bound,
    Commanded,
    IdentityMade,
    IdentityRevoked,
    TableClosed,
    TableOpened,
)
from lastcard.table.plan import RecordFiles

FILES = RecordFiles(record=lambda: b"record", receipts=b"receipts", record_hash=bytes(32))

COMMANDS = (
    commands.Occupy(0, "a"),
    commands.Connected(1),
    commands.Disconnected(1),
    commands.DecisionSent(2, 9),
    commands.Answer(0, 9, 3, None, True, (1, 2), 123, 4),
    commands.Answer(0, 9, None, play(17, 0, 2), False, (), 123),
    commands.LeaveSeat(1, LeaveCause.REMOVED),
    commands.Tick(),
    commands.NextRound(bytes(range(32))),
    commands.CloseTable(),
    commands.NoteFault(1, FaultKind.CRASH, "its process ended"),
    commands.Recovered(1_000, 30_000),
)


def test_every_command_comes_back_from_its_text():
    entries = [Commanded(7, 1_000 + number, command) for number, command in enumerate(COMMANDS)]
    back = commands_value(commands_text(entries))
    assert back == entries
    assert [type(entry.command) for entry in back] == [type(command) for command in COMMANDS]


def test_every_kind_of_command_has_a_code():
    assert set(CODES) == set(commands.Command.__args__)
    assert {type(command) for command in COMMANDS} == set(CODES)


@pytest.fixture
async def store(tmp_path):
    opened = SqliteStore(tmp_path, pytest.fail)
    opened.start()
    yield opened
    opened.close()


async def written(store, *entries):
    done = asyncio.get_running_loop().create_future()
    store.append(entries, lambda: done.set_result(None))
    await asyncio.wait_for(done, 60)


def rows(tmp_path, query):
    connection = sqlite3.connect(tmp_path / FILE)
    try:
        return connection.execute(query).fetchall()
    finally:
        connection.close()


async def test_what_was_appended_is_in_the_file_when_it_is_called_durable(tmp_path):
    store = SqliteStore(tmp_path, pytest.fail)
    store.start()
    await written(
        store,
        IdentityMade("i", "bot", True),
        TableOpened(1, "t", 5, "me", "{}"),
        Bound(1, 0, "i"),
        *[Commanded(1, 10, command) for command in COMMANDS],
    )
    # Looked at through a copy of the files as they are now: what a crash at this moment would leave.
    copy = tmp_path / "copy"
    copy.mkdir()
    for file in tmp_path.glob(f"{FILE}*"):
        (copy / file.name).write_bytes(file.read_bytes())
    store.close()
    assert rows(copy, "SELECT number, table_id, opened_ms, owner, plan, closed_ms FROM tables") == [
        (1, "t", 5, "me", "{}", None)
    ]
    assert rows(copy, "SELECT * FROM seats") == [(1, 0, "i")]
    ((text,),) = rows(copy, "SELECT commands FROM journal")
    assert [entry.command for entry in commands_value(text)] == list(COMMANDS)


async def test_calls_come_in_the_order_of_what_was_appended(store):
    came = []
    last = asyncio.get_running_loop().create_future()
    for number in range(200):
        store.append([Commanded(1, number, commands.Tick())], lambda number=number: came.append(number))
    store.append([], lambda: last.set_result(None))
    await asyncio.wait_for(last, 60)
    assert came == list(range(200))


async def test_a_closed_table_gives_its_record(store):
    await written(store, TableOpened(1, "t", 5, "me", '{"a":1}'))
    assert await store.table("t") is None
    await written(store, TableClosed(1, 9, '{"r":1}', FILES))
    assert await store.table("t") == ("me", '{"a":1}', '{"r":1}', b"record", b"receipts")
    assert await store.table("other") is None


async def test_a_later_start_knows_identities_numbers_and_times(tmp_path):
    store = SqliteStore(tmp_path, pytest.fail)
    store.start()
    await written(store, IdentityMade("i", "bot", True), IdentityMade("j", "guest", False), IdentityRevoked("i"))
    await written(store, TableOpened(4, "t", 5, "", "{}"), TableClosed(4, 77, "{}", FILES))
    store.close()
    again = SqliteStore(tmp_path, pytest.fail)
    remembered = again.start()
    again.close()
    assert remembered.identities == (IdentityMade("j", "guest", False),)
    assert (remembered.next_number, remembered.last_ms) == (5, 77)


async def test_a_store_that_is_closed_says_so(store):
    store.close()
    with pytest.raises(StoreError, match="is closed"):
        await store.table("t")


async def test_a_disk_that_refuses_is_told_once_and_nothing_is_called_durable(tmp_path):
    told = asyncio.get_running_loop().create_future()
    store = SqliteStore(tmp_path, told.set_result)
    store.start()
    store._connection.execute("PRAGMA max_page_count = 1")
    durable = []
    store.append([TableOpened(1, "t", 5, "", "x" * 1_000_000)], lambda: durable.append(1))
    sentence = await asyncio.wait_for(told, 60)
    assert "full" in sentence
    store.append([Commanded(1, 6, commands.Tick())], lambda: durable.append(2))
    store.close()
    await asyncio.sleep(0)
    assert durable == []
