"""Bots that do not answer, and streams that are cut, over the wire (A33, A37, A39)."""

import asyncio
from contextlib import suppress

import pytest

from lastcard.table.timecontrol import TimeControl
from lastcard.v1 import play_service_pb2 as pb
from lastcard.v1 import table_service_pb2 as tp
from service_client import BOUND_S, BotStream, Ended, bearer, connection, plan, tables_stub
from waiting import until

SHORT = TimeControl(limit_ms=30, bank_ms=0, reaction_ms=30, grace_ms=60_000)
"""Far too short for who waits with its answer; builtins answer at once."""

FAIR = TimeControl(limit_ms=2_000, bank_ms=0, reaction_ms=500, grace_ms=60_000)
"""Long for who answers at once."""

SMALL = {"hand_size": 3, "max_turns_per_round": 60}
LONG = {"match_end": "rounds", "match_rounds": 2, "max_turns_per_round": 60}


# ---------------------------------------------------------------- A33: it does not answer


async def stay_silent(stream):
    await stream.end()


async def answer_wrongly(stream):
    """Answers everything, but never with what is possible."""
    with suppress(Ended):
        while True:
            decision = await stream.decision()
            for fields in ({"choice": 99}, {"choice": None, "action": {"kind": 3}}, {"choice": 98}):
                await stream.act(decision, **fields)


async def answer_late(stream):
    """Answers each decision when its time is over."""
    with suppress(Ended):
        while True:
            closed = (await stream.expect("decision_closed")).decision_closed
            if closed.reason == 9:
                await stream.act(closed)


async def answer_something_else(stream):
    """Answers decisions that nobody asked."""
    with suppress(Ended):
        while True:
            decision = await stream.decision()
            await stream.send({"act": {"table_id": decision.table_id, "decision_id": 4_000_001, "choice": 0}})


async def read_nothing(stream):
    await stream.call.wait_for_connection()


async def break_off(stream):
    await stream.expect("seated")
    stream.cancel()


BEHAVIOURS = [stay_silent, answer_wrongly, answer_late, answer_something_else, read_nothing, break_off]


@pytest.mark.parametrize("sealed", [True, False], ids=["sealed", "open"])
@pytest.mark.parametrize("behave", BEHAVIOURS, ids=lambda behave: behave.__name__)
async def test_a33_a_bot_that_does_not_answer_costs_only_itself(timed, behave, sealed):
    arena, _, pass_time = timed
    options = {**SMALL, "max_timeouts": 2, "jump_in": "identical", "match_end": "rounds", "match_rounds": 200}
    async with connection(arena.address, small=True) as bad_channel, connection(arena.address) as channel:
        bad, good = BotStream(bad_channel), BotStream(channel)
        await bad.hello("bad")
        await good.hello("good")
        stuck = arena.open_table(plan("bad", "+greedy", "+random", clock=SHORT, sealed=sealed, options=options))
        shared = arena.open_table(
            plan("bad", "good", "+random", clock=FAIR, sealed=sealed, options={**options, "max_timeouts": 1})
        )
        other = arena.open_table(plan("good", "+greedy", sealed=sealed))
        behaving = asyncio.create_task(behave(bad))
        playing = asyncio.create_task(play_all(good))
        machines = {table_id: arena.host.tables[table_id].machine for table_id in (stuck, shared, other)}

        def is_over():
            gone = all(machines[table_id].seats[0].status.name == "LEFT" for table_id in (stuck, shared))
            return gone and arena.host.tables[other].result is not None

        async with asyncio.timeout(BOUND_S):
            while not is_over():
                if not machines[shared].open_decisions(1) and not machines[other].open_decisions(0):
                    pass_time(25)  # of what is asked now the good bot owes nothing
                await asyncio.sleep(0.001)
        for table_id in (stuck, shared):
            table = arena.host.tables[table_id]
            faults = [fault for fault in table.faults if fault.seat == 0]
            assert {fault.kind.name for fault in faults} <= {"TIMEOUT", "REFUSALS"}
            assert len(faults) == (2 if table_id == stuck else 1)
            assert table.faults == faults
            arena.cancel_table(table_id)
        assert (await arena.result(other)).faults == ()
        for task in (behaving, playing):
            task.cancel()
        await asyncio.gather(behaving, playing, return_exceptions=True)
        for stream in (bad, good):
            stream.cancel()


async def play_all(stream):
    while True:
        decision = await stream.decision()
        await stream.act(decision)


# ---------------------------------------------------------------- A37: all are gone


@pytest.mark.parametrize("players", [2, 3, 4])
async def test_a37_all_drop_in_mid_match_and_all_resume(arena, bot, players):
    """Nothing has changed for anybody, and the match goes on to its end without a fault."""
    names = [f"bot-{number}" for number in range(players)]
    streams = [bot() for _ in names]
    secrets = [(await stream.hello(name)).resume_secret for stream, name in zip(streams, names, strict=True)]
    table_id = arena.open_table(plan(*names, options=LONG))
    table = arena.host.tables[table_id]
    playing = [asyncio.create_task(play_all(stream)) for stream in streams]
    await until(lambda: table.feed.last >= 12)
    for task, stream in zip(playing, streams, strict=True):
        task.cancel()
        stream.cancel()
    await asyncio.gather(*playing, return_exceptions=True)
    await until(lambda: all(seat.status.name == "AWAY" for seat in table.machine.seats))
    before = (table.feed.last, [bytes(hand) for hand in table.machine.state.hands], table.machine.state.turn)
    assert table.result is None
    again = [bot(secret) for secret in secrets]
    for stream in again:
        await stream.hello(cursors=[{"table_id": table_id, "last_sequence": before[0]}])
        await stream.expect("seated")
    assert (table.feed.last, [bytes(hand) for hand in table.machine.state.hands], table.machine.state.turn) == before
    await asyncio.gather(*(stream.play() for stream in again))
    assert (await arena.result(table_id)).faults == ()
    for stream in again:
        sequences = [event.sequence for event in stream.events(table_id)]
        assert sequences == list(range(before[0] + 1, table.feed.last + 1))


@pytest.mark.parametrize("watched", [True, False], ids=["watched", "alone"])
@pytest.mark.parametrize("players", [2, 4])
async def test_a37_when_nobody_returns_the_match_is_closed_with_a_result(timed, players, watched):
    arena, _, pass_time = timed
    async with connection(arena.address) as channel:
        await nobody_returns(arena, channel, pass_time, players, watched=watched)


async def nobody_returns(arena, channel, pass_time, players, *, watched):
    names = [f"bot-{number}" for number in range(players)]
    streams = [BotStream(channel) for _ in names]
    secrets = [(await stream.hello(name)).resume_secret for stream, name in zip(streams, names, strict=True)]
    clock = TimeControl(limit_ms=600_000, bank_ms=0, grace_ms=300)
    table_id = arena.open_table(plan(*names, clock=clock))
    for stream in streams:
        await stream.expect("seated")
    watching = None
    if watched:
        watching = tables_stub(channel).WatchTable(tp.WatchTableRequest(table_id=table_id))
        await watching.read()
    for stream in streams:
        stream.cancel()
    table = arena.host.tables[table_id]
    await until(lambda: all(seat.status.name == "AWAY" for seat in table.machine.seats))
    pass_time(299)
    assert table.result is None
    pass_time(1)
    result = await asyncio.wait_for(arena.result(table_id), 60)
    assert (result.cause.name, result.places) == ("ABANDONED", (1,) * players)
    assert {(fault.seat, fault.kind.name) for fault in result.faults} == {(n, "DISCONNECT") for n in range(players)}
    assert arena.record(table_id).record
    if watching is not None:
        while not (message := await watching.read()).HasField("closed"):
            pass
        assert message.closed.result.cause == 2
    late = BotStream(channel, secrets[0])
    await late.hello()
    assert (await late.expect("table_closed")).table_closed.result.cause == 2
    late.cancel()


# ---------------------------------------------------------------- A39: cut anywhere


@pytest.mark.parametrize("sealed", [True, False], ids=["sealed", "open"])
async def test_a39_cut_at_every_decision_no_event_is_lost_or_doubled(arena, bot, sealed):
    """After each decision, answered or not, the stream breaks; what came on all streams is the match."""
    options = {**SMALL, "jump_in": "identical", "match_end": "rounds", "match_rounds": 6}
    stream = bot()
    secret = (await stream.hello("me")).resume_secret
    table_id = arena.open_table(plan("me", "+random", "+greedy", options=options, sealed=sealed))
    heard, cuts = [], 0
    while True:
        message = await stream.expect("decision", "table_closed")
        if message.HasField("table_closed"):
            break
        decision = message.decision
        if cuts % 3:
            await stream.act(decision)
        if cuts % 3 == 1:
            await stream.result(decision.decision_id)
        stream.cancel()
        heard += stream.events(table_id)
        cuts += 1
        last = heard[-1].sequence if heard else 0
        cursors = [{"table_id": table_id, "last_sequence": last}] if last else []
        stream = bot(secret)
        await stream.hello(cursors=cursors)
        if cuts % 3 == 1:
            # The decision that was not answered is asked again, or has been closed by somebody meanwhile.
            message = await stream.expect("decision", "table_closed")
            if message.HasField("table_closed"):
                break
            await stream.act(message.decision)
        if cuts > 90:
            await stream.play()
            break
    heard += stream.events(table_id)
    last = (await arena.result(table_id)).last_sequence
    assert [event.sequence for event in heard] == list(range(1, last + 1))
    assert cuts > 3
    but_the_first = await watched_from(stream.channel, table_id, secret, 1)
    assert [event.SerializeToString() for event in heard[1:]] == but_the_first


async def watched_from(channel, table_id, secret, last):
    request = tp.WatchTableRequest(table_id=table_id, own_view=True, last_sequence=last)
    messages = [message async for message in tables_stub(channel).WatchTable(request, metadata=bearer(secret))]
    return [event.SerializeToString() for message in messages for event in message.events.events]


async def test_a39_from_every_event_number_a_resume_brings_the_rest_and_the_end(start_arena):
    arena = await start_arena()
    async with connection(arena.address) as channel:
        stream = BotStream(channel)
        secret = (await stream.hello("me")).resume_secret
        table_id = arena.open_table(plan("me", "+greedy", options={"hand_size": 2, "max_turns_per_round": 20}))
        closed = await stream.play()
        told = [event.SerializeToString() for event in stream.events(table_id)]
        assert len(told) < 90
        for last in range(1, len(told) + 1):
            again = BotStream(channel, secret)
            await again.hello(cursors=[{"table_id": table_id, "last_sequence": last}])
            assert (await again.expect("table_closed")).table_closed == closed
            assert [event.SerializeToString() for event in again.events(table_id)] == told[last:]
            assert not [message for message in again.heard if message.HasField("decision")]
            assert await watched_from(channel, table_id, secret, last) == told[last:]
            again.cancel()
        assert isinstance(closed, pb.TableClosed)
        stream.cancel()
