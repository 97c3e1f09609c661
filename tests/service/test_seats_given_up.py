"""Seats that change hands before the match: whoever had one before has nothing to do with it any more."""

import pytest

from lastcard.v1 import table_service_pb2 as tp
from service_client import bearer, plan, tables_stub
from waiting import until

PATIENT = {"limit": {"seconds": 600}, "grace": {"seconds": 600}}


@pytest.fixture
def tables(channel):
    return tables_stub(channel)


@pytest.fixture
async def open_table(arena, tables):
    """A table with two open seats, as its host keeps it."""
    request = tp.CreateTableRequest(clock=PATIENT, seats=[tp.SeatRequest(open=True)] * 2)
    return arena.host.tables[(await tables.CreateTable(request)).table.table_id]


@pytest.fixture
async def leaver(bot, tables, open_table):
    """A bot that takes one table at a time and has the first seat."""
    stream = bot()
    stream.secret = (await stream.hello("ann", max_tables=1)).resume_secret
    await join(tables, open_table, stream.secret)
    await stream.expect("seated")
    return stream


async def join(tables, table, secret="", name=""):
    metadata = bearer(secret) if secret else ()
    return await tables.JoinTable(tp.JoinTableRequest(table_id=table.table_id, name=name), metadata=metadata)


async def give_up(leaver, table):
    await leaver.send({"leave": {"table_id": table.table_id}})
    await until(lambda: not table.machine.seats[0].name)


async def begin(tables, table):
    """Two others take the seats, and are asked."""
    for name in ("bob", "eve"):
        await join(tables, table, name=name)
    await until(lambda: table.machine.decision_count)


async def test_the_stream_of_who_left_is_told_nothing_of_the_match(arena, tables, open_table, leaver):
    await give_up(leaver, open_table)
    await begin(tables, open_table)
    own = arena.open_table(plan("ann", "+greedy"))
    assert (await leaver.decision()).table_id == own
    assert leaver.events(open_table.table_id) == []


async def test_who_left_and_comes_back_is_not_at_the_seat(arena, bot, tables, open_table, leaver):
    await give_up(leaver, open_table)
    await begin(tables, open_table)
    again = bot(leaver.secret)
    await again.hello()
    own = arena.open_table(plan("ann", "+greedy"))
    assert (await again.expect("seated")).seated.table_id == own


async def test_who_was_away_too_long_before_the_match_is_not_at_the_seat(arena, bot, tables):
    short = {"limit": {"seconds": 600}, "grace": {"nanos": 1_000_000}}
    request = tp.CreateTableRequest(clock=short, seats=[tp.SeatRequest(open=True)] * 2)
    table = arena.host.tables[(await tables.CreateTable(request)).table.table_id]
    stream = bot()
    secret = (await stream.hello("ann")).resume_secret
    await join(tables, table, secret)
    table.links[0].lease_ms = 0  # a call counts as presence for a while; here only the stream does
    stream.cancel()
    await until(lambda: not table.machine.seats[0].name)
    again = bot(secret)
    await again.hello()
    own = arena.open_table(plan("ann", "+greedy"))
    assert (await again.expect("seated")).seated.table_id == own
    await begin(tables, table)
    assert again.events(table.table_id) == []


async def test_who_watched_its_own_view_watches_as_a_spectator(arena, tables, open_table, leaver):
    request = tp.WatchTableRequest(table_id=open_table.table_id, own_view=True)
    watching = tables.WatchTable(request, metadata=bearer(leaver.secret))
    await until(lambda: open_table.watchers)
    await give_up(leaver, open_table)
    await begin(tables, open_table)
    arena.cancel_table(open_table.table_id)
    messages = [message async for message in watching]
    assert "decision" not in {message.WhichOneof("message") for message in messages}
    events = [event for message in messages for event in message.events.events]
    assert [list(event.round_started.hands) for event in events if event.HasField("round_started")] == [[]]


async def test_who_left_has_room_for_another_table(arena, open_table, leaver):
    waiting = arena.open_table(plan("ann", "+greedy"))
    assert arena.host.tables[waiting].machine.seats[0].status.name == "RESERVED"
    await leaver.send({"leave": {"table_id": open_table.table_id}})
    assert (await leaver.expect("seated")).seated.table_id == waiting


async def test_who_left_may_take_a_seat_again(tables, open_table, leaver):
    await give_up(leaver, open_table)
    assert (await join(tables, open_table, leaver.secret)).seat == 0
    assert (await leaver.expect("seated")).seated.table_id == open_table.table_id
