"""The main path of a bot's stream."""

import asyncio

from lastcard.v1 import play_service_pb2 as pb
from service_client import BotStream, connection, plan
from waiting import until


async def test_a_bot_is_seated_asked_judged_and_told_the_end(arena, bot):
    stream = bot()
    welcome = await stream.hello("me", client_name="test")
    assert welcome.bot_name == "me"
    assert welcome.resume_secret
    assert welcome.protocol_version == 1
    table_id = arena.open_table(plan("me", "+greedy", "+random"))
    seated = (await stream.expect("seated")).seated
    assert (seated.table_id, seated.seat, seated.resumed, seated.last_sequence) == (table_id, 0, False, 0)
    assert [seat.name for seat in seated.seats] == ["me", "greedy", "random"]
    closed = await stream.play()
    result = await arena.result(table_id)
    assert closed.table_id == table_id
    assert list(closed.result.points) == list(result.points)
    assert closed.result.record_hash == result.record_hash
    assert result.faults == ()


async def test_every_event_comes_once_and_in_order(arena, bot):
    stream = bot()
    await stream.hello("me")
    arena.open_table(plan("me", "+greedy", "+random"))
    await stream.play()
    sequences = [event.sequence for event in stream.events()]
    assert sequences == list(range(1, len(sequences) + 1))
    assert stream.events()[-1].WhichOneof("event") == "match_ended"


async def test_a_decision_contains_the_events_up_to_its_number(arena, bot):
    stream = bot()
    await stream.hello("me")
    arena.open_table(plan("me", "+greedy", options={"match_end": "rounds", "match_rounds": 9}))
    for _ in range(5):
        decision = (await stream.expect("decision", where=lambda decision: decision.HasField("bank_left"))).decision
        assert stream.events()[-1].sequence == decision.sequence
        assert decision.view.turn_seat == 0
        assert decision.view.seat == 0
        await stream.act(decision)


async def test_receipts_account_for_every_decision(arena, bot):
    stream = bot()
    await stream.hello("me")
    arena.open_table(plan("me", "+greedy"))
    first = await stream.decision()
    assert not first.HasField("previous_receipt")
    await stream.act(first)
    result = await stream.result()
    assert result.accepted
    assert result.receipt.decision_id == first.decision_id
    assert result.receipt.received_at.ToMilliseconds() >= result.receipt.sent_at.ToMilliseconds()
    second = await stream.decision()
    assert second.previous_receipt == result.receipt


async def test_one_stream_carries_all_tables_of_a_bot(arena, bot):
    stream = bot()
    await stream.hello("me")
    tables = {arena.open_table(plan("me", "+greedy")) for _ in range(5)}
    closed = set()
    while closed != tables:
        closed.add((await stream.play()).table_id)
    assert {message.seated.table_id for message in stream.heard if message.HasField("seated")} == tables


async def test_a_bot_that_thinks_of_one_thing_at_a_time_is_asked_one_thing_at_a_time(arena, bot):
    stream = bot()
    await stream.hello("me", max_open_decisions=1)
    for _ in range(3):
        arena.open_table(plan("me", "+greedy"))
    open_decisions = set()
    closed = 0
    while closed < 3:
        message = await stream.next()
        match message.WhichOneof("message"):
            case "decision" if message.decision.HasField("time_left"):
                open_decisions.add((message.decision.table_id, message.decision.decision_id))
                assert len(open_decisions) == 1
                await stream.act(message.decision)
            case "decision_closed":
                open_decisions.discard((message.decision_closed.table_id, message.decision_closed.decision_id))
            case "act_result":
                open_decisions.discard((message.act_result.table_id, message.act_result.decision_id))
            case "table_closed":
                closed += 1


async def test_a_bot_takes_no_more_tables_than_it_wants(arena, bot):
    stream = bot()
    await stream.hello("me", max_tables=1)
    first, second = (arena.open_table(plan("me", "+greedy")) for _ in range(2))
    assert (await stream.play()).table_id == first
    assert (await stream.expect("seated")).seated.table_id == second
    seated_before_the_end = [message.seated.table_id for message in stream.heard if message.HasField("seated")]
    assert seated_before_the_end == [first, second]


async def test_a_bot_that_has_left_a_table_has_room_for_another(arena, bot):
    stream = bot()
    await stream.hello("me", max_tables=1)
    first = arena.open_table(plan("me", "other", "third"))
    for name in ("other", "third"):
        await bot().hello(name)
    await stream.expect("seated")
    second = arena.open_table(plan("me", "+greedy"))
    await until(lambda: arena.host.tables[first].machine.running)
    await stream.send({"leave": {"table_id": first}})
    assert (await stream.expect("seated")).seated.table_id == second
    assert arena.host.tables[first].result is None


async def test_with_decisions_only_no_events_come(arena, bot):
    stream = bot()
    await stream.hello("me", decisions_only=True)
    arena.open_table(plan("me", "+greedy"))
    await stream.play()
    kinds = {message.WhichOneof("message") for message in stream.heard}
    assert kinds <= {"welcome", "seated", "decision", "act_result", "decision_closed", "table_closed", "heartbeat"}


async def test_many_answers_may_come_in_one_frame(arena, bot):
    stream = bot()
    await stream.hello("me")
    for _ in range(4):
        arena.open_table(plan("me", "+greedy"))
    asked = [await stream.decision() for _ in range(4)]
    assert len({decision.table_id for decision in asked}) == 4
    await stream.send(
        *[
            {"act": {"table_id": decision.table_id, "decision_id": decision.decision_id, "choice": 0}}
            for decision in asked
        ]
    )
    judged = [await stream.result() for _ in range(4)]
    assert {result.table_id for result in judged} == {decision.table_id for decision in asked}
    assert all(result.accepted for result in judged)


async def test_two_bots_play_each_other_and_see_their_own_cards_alone(arena, bot):
    streams = [bot(), bot()]
    for seat, stream in enumerate(streams):
        await stream.hello(f"bot-{seat}")
    arena.open_table(plan("bot-0", "bot-1"))
    await asyncio.gather(*(stream.play() for stream in streams))
    for seat, stream in enumerate(streams):
        asked = [message.decision for message in stream.heard if message.HasField("decision")]
        assert {decision.view.seat for decision in asked} == {seat}
        assert all(len(decision.view.hand) == decision.view.hand_counts[seat] for decision in asked)
        started = next(event.round_started for event in stream.events() if event.HasField("round_started"))
        assert [hand.seat for hand in started.hands] == [seat]
        drawn = [event.cards_drawn for event in stream.events() if event.HasField("cards_drawn")]
        assert all(len(draw.cards) == (draw.count if draw.seat == seat else 0) for draw in drawn)
    numbers = [[event.sequence for event in stream.events()] for stream in streams]
    assert numbers[0] == numbers[1]


async def test_a_reserved_seat_waits_for_its_bot(arena, bot):
    table_id = arena.open_table(plan("late", "+greedy"))
    assert not arena.is_connected("late")
    stream = bot()
    await stream.hello("late")
    assert (await stream.expect("seated")).seated.table_id == table_id
    await arena.connected("late")
    await stream.play()


async def test_a_bot_may_leave_and_the_match_goes_on(arena, bot):
    stream = bot()
    await stream.hello("me")
    table_id = arena.open_table(plan("me", "+greedy", "+random"))
    await stream.decision()
    await stream.send({"leave": {"table_id": table_id}})
    closed = (await stream.expect("table_closed")).table_closed
    result = await arena.result(table_id)
    assert result.places[0] == 3
    assert [(fault.seat, fault.kind.name) for fault in result.faults] == [(0, "LEFT")]
    assert closed.result.places[0] == 3
    left = next(event.seat_left for event in stream.events() if event.HasField("seat_left"))
    assert left.seat == 0


async def test_a_stream_that_the_bot_ends_is_ended_with_ok(bot):
    stream = bot()
    await stream.hello("me")
    await stream.call.done_writing()
    assert (await stream.end()).code.name == "OK"


async def test_heartbeats_tell_that_the_server_lives(start_arena):
    arena = await start_arena(heartbeat_s=0.1)
    async with connection(arena.address) as channel:
        stream = BotStream(channel)
        welcome = await stream.hello("me")
        assert welcome.heartbeat_interval.ToMilliseconds() == 100
        first = (await stream.expect("heartbeat")).heartbeat.number
        await stream.send({"heartbeat_reply": {"number": first}})
        assert (await stream.expect("heartbeat")).heartbeat.number == first + 1
        stream.cancel()


async def test_the_served_api_is_the_documented_one():
    assert [method.name for method in pb.DESCRIPTOR.services_by_name["PlayService"].methods] == ["Play"]
