"""A server that died goes on where it was: its store is taken as it is on disk at that moment, and opened by another.

What a killed process leaves is what is in the files; that real processes are killed is tested apart.
"""

import asyncio
import shutil
from dataclasses import replace

import grpc
import pytest

from lastcard.app import ArenaError
from lastcard.rules.verify import verify
from lastcard.store.opening import FILE
from lastcard.table.effects import CloseCause
from lastcard.table.machine import Table
from lastcard.table.plan_text import plan_value
from lastcard.table.refusals import DomainError
from lastcard.table.seats import SeatStatus
from lastcard.table.timecontrol import TimeControl
from lastcard.v1 import table_pb2
from lastcard.v1 import table_service_pb2 as tp
from service_client import BOUND_S, PATIENT, BotStream, bearer, connection, plan, refused, tables_stub
from waiting import until

KEY, SALT = b"k" * 32, b"s" * 32
GREEDY = tp.SeatRequest(builtin="greedy")
OPEN = tp.SeatRequest(open=True)


@pytest.fixture
def disk(tmp_path):
    return tmp_path / "data"


@pytest.fixture
async def crash(start_arena, disk, tmp_path):
    """Starts another server on what is on disk now, as if the first had died; that one lives on and is not used."""
    copies = []

    async def crashed(**settings):
        copies.append(tmp_path / f"copy{len(copies)}")
        source = copies[-2] if len(copies) > 1 else disk
        shutil.copytree(source, copies[-1])
        return await start_arena(data=copies[-1], **settings)

    return crashed


@pytest.fixture
async def dial_in():
    """Opens streams to any arena; all are broken off at the end."""
    streams, channels = [], []

    async def opened(arena, token=""):
        context = connection(arena.address)
        channel = await context.__aenter__()
        channels.append(context)
        streams.append(BotStream(channel, token))
        return streams[-1]

    yield opened
    for stream in streams:
        stream.cancel()
    for context in channels:
        await context.__aexit__(None, None, None)


async def played(stream, decisions):
    """Answers so many decisions by the first action and returns the next one, unanswered."""
    for _ in range(decisions):
        decision = await stream.decision()
        await stream.act(decision)
        assert (await stream.result(decision.decision_id)).accepted
    return await stream.decision()


def a_plan(*seats, **fields):
    return plan(*seats, deal_key=KEY, salt=SALT, table_id="t", **fields)


async def undisturbed(start_arena, dial_in, *seats, **fields):
    """The record of the same match without a crash."""
    arena = await start_arena()
    stream = await dial_in(arena)
    await stream.hello("me")
    arena.open_table(a_plan(*seats, **fields))
    await stream.play_at("t")
    await arena.result("t")
    return arena.record("t").record


@pytest.mark.parametrize("answered", [0, 1, 3])
async def test_a_table_goes_on_at_the_same_event_with_the_same_decision(disk, start_arena, crash, dial_in, answered):
    arena = await start_arena(data=disk)
    stream = await dial_in(arena)
    secret = (await stream.hello("me")).resume_secret
    arena.open_table(a_plan("me", "+greedy", "+greedy"))
    decision = await played(stream, answered)
    seen = [event.SerializeToString() for event in stream.events()]
    after = await crash()
    again = await dial_in(after, secret)
    await again.hello(cursors=[{"table_id": "t", "last_sequence": len(seen) - 2}])
    seated = (await again.expect("seated")).seated
    assert (seated.resumed, seated.last_sequence) == (True, len(seen))
    asked = await again.decision()
    assert [event.SerializeToString() for event in again.events()] == seen[-2:]
    assert [message.notice.kind for message in again.heard if message.WhichOneof("message") == "notice"][:1] == [4]
    assert (asked.decision_id, asked.view, asked.legal_actions) == (
        decision.decision_id,
        decision.view,
        decision.legal_actions,
    )
    assert asked.time_left == decision.time_left
    await again.act(asked)
    await again.play_at("t")
    result = await after.result("t")
    assert result.faults == ()
    record = after.record("t").record
    assert verify(record).ok
    assert record == await undisturbed(start_arena, dial_in, "me", "+greedy", "+greedy")


async def test_it_may_die_again_and_again(disk, start_arena, crash, dial_in):
    arena = await start_arena(data=disk)
    stream = await dial_in(arena)
    secret = (await stream.hello("me")).resume_secret
    arena.open_table(a_plan("me", "+greedy"))
    decision = await played(stream, 0)
    for _ in range(6):
        arena = await crash()
        stream = await dial_in(arena, secret)
        await stream.hello()
        again = await stream.decision()
        assert (again.decision_id, again.view) == (decision.decision_id, decision.view)
        await stream.act(again)
        if (await stream.expect("decision", "table_closed")).WhichOneof("message") == "table_closed":
            break
        decision = stream.heard[-1].decision
    else:
        await stream.act(decision)
        await stream.play_at("t")
    await arena.result("t")
    assert arena.record("t").record == await undisturbed(start_arena, dial_in, "me", "+greedy")


async def test_builtins_play_on_by_themselves(disk, start_arena, crash, dial_in):
    arena = await start_arena(data=disk)
    stream = await dial_in(arena)
    await stream.hello("me")
    arena.open_table(a_plan("me", "+greedy", "+random"))
    await played(stream, 1)
    after = await crash(recovery_grace_s=0)
    after.remove_seat("t", 0)
    async with asyncio.timeout(BOUND_S):
        result = await after.result("t")
    assert result.places


async def test_an_answer_repeated_after_the_crash_gets_its_verdict_again(disk, start_arena, crash, dial_in):
    arena = await start_arena(data=disk)
    stream = await dial_in(arena)
    secret = (await stream.hello("me")).resume_secret
    arena.open_table(a_plan("me", "+greedy"))
    decision = await stream.decision()
    await stream.act(decision)
    verdict = await stream.result(decision.decision_id)
    await stream.decision()
    again = await dial_in(await crash(), secret)
    await again.hello()
    await again.decision()
    await again.act(decision)
    assert await again.result(decision.decision_id) == verdict


async def test_the_end_is_told_to_whoever_did_not_hear_of_it_and_to_nobody_else(disk, start_arena, crash, dial_in):
    arena = await start_arena(data=disk)
    streams = {name: await dial_in(arena) for name in ("ann", "bob")}
    secrets = {name: (await stream.hello(name)).resume_secret for name, stream in streams.items()}
    arena.open_table(a_plan("ann", "bob"))
    ends = dict(zip(streams, await asyncio.gather(*(stream.play_at("t") for stream in streams.values())), strict=True))
    await streams["ann"].send({"table_closed_received": {"table_id": "t"}})
    await until(lambda: arena.host.tables["t"].links[0].acknowledged)
    async with connection(arena.address) as channel:
        await tables_stub(channel).GetTable(tp.GetTableRequest(table_id="t"))  # what was told before is durable now
    after = await crash()
    bob, ann = await dial_in(after, secrets["bob"]), await dial_in(after, secrets["ann"])
    last = arena.progress("t")[0]
    await bob.hello(cursors=[{"table_id": "t", "last_sequence": last - 1}])
    end = (await bob.expect("table_closed")).table_closed
    assert end == ends["bob"]
    assert [event.sequence for event in bob.events()] == [last]
    await ann.hello()
    after.open_table(plan("ann", "+greedy", table_id="u"))
    await ann.expect("seated")
    assert {message.WhichOneof("message") for message in ann.heard} <= {"welcome", "seated", "heartbeat"}


async def test_seats_kept_for_bots_that_had_not_come_are_kept(disk, start_arena, crash, dial_in):
    arena = await start_arena(data=disk)
    stream = await dial_in(arena)
    secret = (await stream.hello("ann")).resume_secret
    arena.open_table(plan("ann", "bob", table_id="t"))
    await stream.expect("seated")
    after = await crash()
    ann, bob = await dial_in(after, secret), await dial_in(after)
    await ann.hello()
    await bob.hello("bob")
    assert {(await each.expect("seated")).seated.seat for each in (ann, bob)} == {0, 1}
    await asyncio.gather(ann.play_at("t"), bob.play_at("t"))


async def test_a_token_and_a_person_s_secret_are_known_again(disk, start_arena, crash, dial_in):
    arena = await start_arena(data=disk)
    token = arena.mint("ann")
    stream = await dial_in(arena, token)
    await stream.hello()
    async with connection(arena.address) as channel:
        tables = tables_stub(channel)
        request = tp.CreateTableRequest(seats=[tp.SeatRequest(bot_name="ann"), OPEN])
        table_id = (await tables.CreateTable(request)).table.table_id
        joined = await tables.JoinTable(tp.JoinTableRequest(table_id=table_id, name="eve"))
    after = await crash()
    again = await dial_in(after, token)
    await again.hello()
    assert (await again.expect("seated")).seated.table_id == table_id
    async with connection(after.address) as channel:
        seen = await tables_stub(channel).GetTable(
            tp.GetTableRequest(table_id=table_id), metadata=bearer(joined.resume_secret)
        )
    assert seen.view.seat == 1
    await until(lambda: after.host.tables[table_id].machine.seats[1].status.name == "PRESENT")


async def test_request_ids_are_recognised_after_a_restart(disk, start_arena, crash):
    arena = await start_arena(data=disk)
    create = tp.CreateTableRequest(request_id="c", seats=[OPEN, OPEN, GREEDY])
    async with connection(arena.address) as channel:
        tables = tables_stub(channel)
        created = await tables.CreateTable(create)
        join = tp.JoinTableRequest(request_id="j", table_id=created.table.table_id, name="eve")
        joined = await tables.JoinTable(join)
    after = await crash()
    async with connection(after.address) as channel:
        tables = tables_stub(channel)
        assert await tables.CreateTable(create) == created
        again = await tables.JoinTable(join)
        assert (again.seat, again.table) == (joined.seat, joined.table)
        assert again.resume_secret not in ("", joined.resume_secret)
        view = await tables.GetTable(
            tp.GetTableRequest(table_id=created.table.table_id), metadata=bearer(again.resume_secret)
        )
        assert [seat.status for seat in view.table.seats] == [3, 1, 3]
        create.seats.add(builtin="greedy")
        assert (await refused(tables.CreateTable(create)))[1] == "REQUEST_ID_REUSED"
    assert len(after.host.tables) == 1


async def test_tables_of_an_earlier_run_are_listed_where_they_belong(disk, start_arena, crash):
    """Whoever asks for one that was over brings it back after those that were opened later."""
    arena = await start_arena(data=disk)
    over = [arena.open_table(plan("+random", "+random")) for _ in range(2)]
    await asyncio.gather(*(arena.result(table_id) for table_id in over))
    waiting = [arena.open_table(plan("", "")) for _ in range(2)]
    await arena._desk.durable()
    after = await crash()
    for back in reversed(over):
        assert after.is_known(back)
        opened = [*([] if back is over[1] else over[:1]), over[1], *waiting]
        waiting.append(after.open_table(plan("", "")))
        listed, page = [], tp.ListTablesResponse(next_page_token="")
        async with connection(after.address) as channel:
            while not listed or page.next_page_token:
                request = tp.ListTablesRequest(page_size=1, page_token=page.next_page_token)
                page = await tables_stub(channel).ListTables(request)
                listed += [table.table_id for table in page.tables]
        assert listed == [waiting[-1], *reversed(opened)]


async def owners(tables, table_id, *secrets):
    """Which of these secrets own a seat at a table that waits for players."""
    act = tp.SubmitActionRequest(act={"table_id": table_id, "decision_id": 1, "choice": 0})
    calls = [tables.SubmitAction(act, metadata=bearer(secret)) for secret in secrets]
    answers = await asyncio.gather(*calls, return_exceptions=True)
    codes = [await call.code() for call in calls]
    assert {code for code in codes if code != grpc.StatusCode.OK} <= {grpc.StatusCode.PERMISSION_DENIED}, answers
    return [secret for secret, code in zip(secrets, codes, strict=True) if code == grpc.StatusCode.OK]


@pytest.mark.parametrize("crashes", [1, 2])
async def test_a_join_repeated_after_a_restart_is_one_join(disk, start_arena, crash, crashes):
    """However often it is repeated: who reads the first of the answers has the seat as who reads the last."""
    arena = await start_arena(data=disk)
    table_id = arena.open_table(plan("", ""))
    join = tp.JoinTableRequest(request_id="j", table_id=table_id, name="eve")
    async with connection(arena.address) as channel:
        told = [(await tables_stub(channel).JoinTable(join)).resume_secret]
    for _ in range(crashes):
        after = await crash()
        async with connection(after.address) as channel:
            tables = tables_stub(channel)
            answers = await asyncio.gather(*(tables.JoinTable(join) for _ in range(3)))
            assert len({answer.resume_secret for answer in answers}) == 1
            told.append(answers[0].resume_secret)
            assert await owners(tables, table_id, *told) == told[-1:]


async def test_a_join_repeated_after_a_restart_takes_nobody_s_seat(disk, start_arena, crash):
    arena = await start_arena(data=disk)
    table_id = arena.open_table(plan("", ""))
    join = tp.JoinTableRequest(request_id="j", table_id=table_id, name="eve")
    async with connection(arena.address) as channel:
        tables = tables_stub(channel)
        first = await tables.JoinTable(join)
        await tables.LeaveTable(tp.LeaveTableRequest(table_id=table_id), metadata=bearer(first.resume_secret))
        second = await tables.JoinTable(tp.JoinTableRequest(table_id=table_id, name="bob"))
        assert second.seat == first.seat
    after = await crash()
    async with connection(after.address) as channel:
        tables = tables_stub(channel)
        again = await tables.JoinTable(join)
        told = (first.resume_secret, second.resume_secret, again.resume_secret)
        assert await owners(tables, table_id, *told) == [second.resume_secret]


async def test_nobody_is_blamed_for_the_pause_and_whoever_stays_away_is_in_the_end(
    disk, start_arena, crash, dial_in, times
):
    quick = TimeControl(limit_ms=700, bank_ms=0, reaction_ms=50, start_up_ms=60_000, grace_ms=600)
    arena = await start_arena(data=disk)
    streams = {name: await dial_in(arena) for name in ("ann", "bob")}
    secrets = {name: (await stream.hello(name)).resume_secret for name, stream in streams.items()}
    arena.open_table(a_plan("ann", "bob", "+greedy", clock=quick))
    await asyncio.gather(*(stream.expect("table_events") for stream in streams.values()))
    after = await crash(recovery_grace_s=1.5)
    table = after.host.tables["t"]
    times[-1].ms += 1_400
    after.host.pump._on_time()
    assert table.faults == []
    ann = await dial_in(after, secrets["ann"])
    await ann.hello()
    playing = asyncio.create_task(ann.play_at("t"))
    async with asyncio.timeout(BOUND_S):
        while not playing.done():
            if not table.machine.open_decisions(0):  # ann answers at once
                times[-1].ms += 20
                after.host.pump._on_time()
            await asyncio.sleep(0.001)
    blamed = [(fault.seat, fault.kind) for fault in (await playing).result.faults]
    assert blamed
    assert {seat for seat, _ in blamed} == {1}


async def test_a_stop_in_good_order_notes_where_tables_are_and_a_start_compares(disk, start_arena, dial_in):
    arena = await start_arena(data=disk)
    stream = await dial_in(arena)
    secret = (await stream.hello("me")).resume_secret
    arena.open_table(a_plan("me", "+greedy"))
    decision = await played(stream, 2)
    await arena.stop(1)
    assert (await stream.end()).reason == "DRAINING"
    after = await start_arena(data=disk)
    again = await dial_in(after, secret)
    await again.hello()
    assert (await again.decision()).decision_id == decision.decision_id


async def test_a_table_that_does_not_come_to_where_it_was_is_nobody_s_loss(
    disk, start_arena, crash, dial_in, monkeypatch
):
    arena = await start_arena(data=disk)
    stream = await dial_in(arena)
    secret = (await stream.hello("me")).resume_secret
    arena.open_table(a_plan("me", "+greedy"))
    other = await dial_in(arena)
    await other.hello("you")
    arena.open_table(plan("you", "+greedy", table_id="u"))
    await played(stream, 1)
    await played(other, 1)
    await arena.stop(1)
    monkeypatch.setattr("lastcard.table.recovery.plan_value", changed_for("t"))
    after = await crash()
    again = await dial_in(after, secret)
    await again.hello()
    closed = (await again.expect("table_closed")).table_closed
    assert closed.result.cause == table_pb2.CLOSE_CAUSE_CANCELLED
    assert list(closed.result.faults) == []
    assert after.host.tables["u"].result is None


async def test_who_has_not_heard_that_a_table_could_not_be_played_on_does_after_one_more_crash(
    disk, start_arena, crash, dial_in, monkeypatch
):
    """What was done to it cannot be played again either; how it ended is known all the same."""
    arena = await start_arena(data=disk)
    stream = await dial_in(arena)
    secret = (await stream.hello("me")).resume_secret
    arena.open_table(a_plan("me", "+greedy"))
    await played(stream, 1)
    stream.cancel()

    def fail(*_):
        raise ZeroDivisionError

    monkeypatch.setattr(Table, "_leave_seat", fail)
    arena.remove_seat("t", 0)
    before = await arena.result("t")
    assert before.cause == CloseCause.CANCELLED
    after = await crash()
    again = await dial_in(after, secret)
    await again.hello(cursors=[{"table_id": "t", "last_sequence": 1}])
    closed = (await again.expect("table_closed")).table_closed
    assert closed.result.cause == table_pb2.CLOSE_CAUSE_CANCELLED
    assert await after.result("t") == before
    async with connection(after.address) as channel:
        tables = tables_stub(channel)
        table = (await tables.GetTable(tp.GetTableRequest(table_id="t"))).table
        assert (table.state, table.result) == (table_pb2.TABLE_STATE_CLOSED, closed.result)
        assert (await tables.GetRecord(tp.GetRecordRequest(table_id="t"))).record_hash == closed.result.record_hash


def changed_for(table_id):
    """Reads plans as another version might: one table's shuffles come out otherwise."""

    def read(text, wanted):
        found = plan_value(text, wanted)
        return replace(found, salt=b"x" * 32) if wanted == table_id else found

    return read


async def test_a_plan_that_cannot_be_read_stops_the_start(disk, start_arena, crash, monkeypatch):
    arena = await start_arena(data=disk)
    arena.open_table(a_plan("me", "+greedy"))
    await arena.stop(1)

    def unreadable(*_):
        raise ValueError("no plan")

    monkeypatch.setattr("lastcard.table.recovery.plan_value", unreadable)
    with pytest.raises(ArenaError, match=r"is damaged: the plan of table t cannot be read") as error:
        await crash()
    assert "give another directory" in str(error.value)
    assert (disk / FILE).exists()


async def test_watching_resumes_without_a_gap(disk, start_arena, crash, dial_in):
    arena = await start_arena(data=disk)
    stream = await dial_in(arena)
    secret = (await stream.hello("me")).resume_secret
    arena.open_table(a_plan("me", "+greedy"))
    await played(stream, 2)
    seen = arena.progress("t")[0]
    after = await crash()
    async with connection(after.address) as channel:
        watch = tables_stub(channel).WatchTable(tp.WatchTableRequest(table_id="t", last_sequence=seen - 3))
        again = await dial_in(after, secret)
        await again.hello()
        playing = asyncio.create_task(again.play_at("t"))
        numbers, kinds = [], []
        async for message in watch:
            kinds.append(message.WhichOneof("message"))
            numbers += [event.sequence for event in message.events.events]
        await playing
    assert numbers == list(range(seen - 2, after.progress("t")[0] + 1))
    assert kinds[0] == "notice"
    assert kinds[-1] == "closed"
    assert watch.done()
    assert await watch.code() == grpc.StatusCode.OK


def test_the_clock_of_these_tests_never_runs_out():
    assert PATIENT.limit_ms > 1000 * BOUND_S


async def test_a_stop_in_good_order_charges_nobody_and_ends_no_window(disk, start_arena, dial_in):
    arena = await start_arena(data=disk)
    streams = {name: await dial_in(arena) for name in ("ann", "bob")}
    secrets = {name: (await stream.hello(name)).resume_secret for name, stream in streams.items()}
    arena.open_table(a_plan("ann", "bob", sealed=True, options={"jump_in": "identical_incl_w4"}))

    async def reaction(name):
        while (decision := await streams[name].decision()).kind != table_pb2.DECISION_KIND_REACTION:
            await streams[name].act(decision)
        return name, decision

    tasks = [asyncio.create_task(reaction(name)) for name in streams]
    done, waiting = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
    for task in waiting:
        task.cancel()
    await asyncio.gather(*waiting, return_exceptions=True)
    name, before = done.pop().result()
    await arena.stop(2)
    after = await start_arena(data=disk)
    stream = await dial_in(after, secrets[name])
    await stream.hello()
    assert (await stream.decision()).decision_id == before.decision_id
    assert after.host.tables["t"].faults == []


async def test_nobody_is_seated_while_everything_stands_still(disk, start_arena, crash, dial_in):
    """A seat that was taken then would be bound to one who does not sit there, and nobody else could take it."""
    arena = await start_arena(data=disk)
    arena.open_table(a_plan("me", "you"))
    arena.suspend()
    early = await dial_in(arena)
    await early.hello("me")
    with pytest.raises(DomainError, match="DRAINING"):
        arena.open_table(plan("me", "you"))
    await arena._desk.durable()
    after = await crash()
    stream = await dial_in(after)
    await stream.hello("me")
    await stream.expect("seated")
    assert after.host.tables["t"].machine.seats[0].status is SeatStatus.PRESENT


async def test_what_cannot_take_effect_any_more_is_refused(disk, start_arena):
    arena = await start_arena(data=disk)
    table_id = arena.open_table(plan("", ""))
    async with connection(arena.address) as channel:
        tables = tables_stub(channel)
        joined = await tables.JoinTable(tp.JoinTableRequest(table_id=table_id, name="me"))
        arena.suspend()
        joining = tables.JoinTable(tp.JoinTableRequest(table_id=table_id, name="you"))
        assert (await refused(joining))[:2] == (grpc.StatusCode.UNAVAILABLE, "DRAINING")
        leaving = tables.LeaveTable(tp.LeaveTableRequest(table_id=table_id), metadata=bearer(joined.resume_secret))
        assert (await refused(leaving))[:2] == (grpc.StatusCode.UNAVAILABLE, "DRAINING")
