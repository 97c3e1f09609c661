"""The SDK on a stream: what goes over the wire, with a server that does what the test says."""

import asyncio

import pytest

from bot_doubles import BOUND_S, First, Listener, Many, Thinker
from bot_messages import (
    REACTION,
    accepted,
    asked,
    decision_closed,
    events,
    heartbeat,
    refused,
    seated,
    snapshot,
    table_closed,
    view,
)
from lastcard.v1.play_service_pb2 import ServerMessage
from lastcard_bot import Answer, Bot, BotError, Settings, play
from waiting import ended, until

# ------------------------------------------------------------------ opening


async def test_hello_comes_first_and_alone(scripted, dial):
    bot = First()
    bot.version, bot.max_tables = "7", 3
    dial(bot, scripted.address)
    stream = await scripted.stream()
    hello = await stream.open()
    assert [len(frame.messages) for frame in stream.frames] == [1]
    assert (hello.protocol_version, hello.bot_name, hello.bot_version, hello.client_name) == (
        1,
        "me",
        "7",
        "lastcard-python",
    )
    assert (hello.max_tables, hello.max_open_decisions, hello.decisions_only) == (3, 0, True)
    assert "authorization" not in stream.metadata


async def test_a_blocking_bot_wants_one_decision_at_a_time_and_a_listening_one_events(scripted, dial):
    dial(Thinker(), scripted.address)
    assert (await (await scripted.stream()).open()).max_open_decisions == 1
    dial(Listener(), scripted.address)
    assert not (await (await scripted.stream()).open()).decisions_only


@pytest.mark.parametrize(("name", "sent"), [("me", "me"), ("", "")])
async def test_the_token_goes_into_the_metadata(scripted, dial, name, sent):
    dial(First(), scripted.address, token="secret", name=name)
    stream = await scripted.stream()
    assert (await stream.open()).bot_name == sent
    assert stream.metadata["authorization"] == "Bearer secret"


@pytest.mark.parametrize("name", ["grpc_proxy", "https_proxy", "http_proxy"])
async def test_a_proxy_of_the_environment_is_not_used(scripted, dial, monkeypatch, name):
    monkeypatch.setenv(name, "http://127.0.0.1:1")
    dial(First(), scripted.address)
    assert (await (await scripted.stream()).open()).bot_name == "me"


async def test_a_server_of_another_protocol_is_not_played_on(scripted, dial):
    task = dial(First(), scripted.address)
    await (await scripted.stream()).open(protocol_version=9)
    with pytest.raises(BotError, match="protocol version 9"):
        await ended(task)
    assert scripted.no_stream()


# ------------------------------------------------------------------ decisions and answers


async def test_decisions_of_one_frame_are_answered_in_one_frame(scripted, dial):
    dial(First(), scripted.address)
    stream = await scripted.stream()
    await stream.open(*(asked(number, table=table) for table in "abc" for number in (1, 2)))
    assert await stream.acts(6) == [(table, number, 0) for table in "abc" for number in (1, 2)]
    assert [len(frame.messages) for frame in stream.frames] == [1, 6]


async def test_no_frame_is_larger_than_the_server_reads(scripted, dial):
    dial(First(), scripted.address)
    stream = await scripted.stream()
    await stream.open(*(asked(number) for number in range(1, 41)), max_frame_bytes=100)
    assert [number for _, number, _ in await stream.acts(40)] == list(range(1, 41))
    assert max(frame.ByteSize() for frame in stream.frames[1:]) <= 100
    assert len(stream.frames) < 15


async def test_an_asynchronous_bot_answers_many_tables_in_any_order(scripted, dial):
    bot = Many()
    dial(bot, scripted.address)
    stream = await scripted.stream()
    keys = [(f"t{table}", number) for number in (1, 2) for table in range(25)]
    await stream.open(*(asked(number, table=table) for table, number in keys))
    await until(lambda: len(bot.open) == 50)
    for key in keys[::-1]:
        bot.open[key].set_result(2)
        assert await stream.acts(1) == [(*key, 2)]


async def test_a_blocking_bot_answers_many_tables_one_after_the_other(scripted, dial):
    bot = Thinker()
    bot.go.set()
    dial(bot, scripted.address)
    stream = await scripted.stream()
    keys = [(f"t{table}", number) for number in (1, 2) for table in range(25)]
    await stream.open(*(asked(number, table=table) for table, number in keys))
    assert await stream.acts(50) == [(*key, 0) for key in keys]
    assert bot.began == keys


async def test_the_call_of_uno_and_free_catches_go_along(scripted, dial):
    dial(First(), scripted.address)
    stream = await scripted.stream()
    await stream.open(asked(1, "R1", "draw", seen=view("R1 R2", catchable_seats=[1])))
    act = (await stream.expect("act")).act
    assert (act.choice, act.call_uno, list(act.catch_seats)) == (0, True, [1])


async def test_out_of_turn_the_bot_calls_and_catches_by_default(scripted, dial):
    dial(First(), scripted.address)
    stream = await scripted.stream()
    await stream.open(
        asked(1, "jump R6", "uno", "pass", kind=REACTION),
        asked(2, "jump R6", "catch 1", "pass", kind=REACTION),
        asked(3, "jump R6", "pass", kind=REACTION),
    )
    assert await stream.acts(3) == [("t", 1, 1), ("t", 2, 1), ("t", 3, 1)]


async def test_a_refused_answer_is_corrected_by_the_bot(scripted, dial):
    class Learns(First):
        def choose(self, view, legal_actions):
            return Answer(1, call_uno=False)

        def on_refused(self, decision, refusal):
            assert (refusal.message, refusal.refusals_left) == ("no, because", 2)
            return 2

    dial(Learns(), scripted.address)
    stream = await scripted.stream()
    await stream.open(asked(1))
    assert await stream.acts(1) == [("t", 1, 1)]
    stream.send(refused(1))
    assert await stream.acts(1) == [("t", 1, 2)]
    stream.send(accepted(1), asked(2))
    assert await stream.acts(1) == [("t", 2, 1)]


async def test_a_refused_answer_that_nobody_corrects_is_replaced_until_the_refusals_are_used_up(scripted, dial):
    dial(First(), scripted.address)
    stream = await scripted.stream()
    await stream.open(asked(1))
    for left, choice in ((2, 0), (1, 1), (0, 2)):
        assert await stream.acts(1) == [("t", 1, choice)]
        stream.send(refused(1, left=left))
    stream.send(asked(2))
    assert await stream.acts(1) == [("t", 2, 0)]


async def test_a_repeated_decision_gets_the_same_answer_and_a_closed_one_none(scripted, dial):
    bot = Thinker()
    dial(bot, scripted.address)
    stream = await scripted.stream()
    await stream.open(asked(1))
    await until(lambda: bot.began == [("t", 1)])
    stream.send(asked(1), decision_closed(1), asked(2), heartbeat(1))
    await stream.expect("heartbeat_reply")
    bot.go.set()
    assert await stream.acts(1) == [("t", 2, 0)]
    stream.send(asked(2))
    assert await stream.acts(1) == [("t", 2, 0)]
    assert bot.began == [("t", 1), ("t", 2)]


async def test_a_bot_that_raises_plays_on(scripted, dial, caplog):
    class Raises(Bot):
        def choose(self, view, legal_actions):
            raise LookupError("lost my notes")

    dial(Raises(), scripted.address)
    stream = await scripted.stream()
    await stream.open(asked(1), asked(2))
    assert await stream.acts(2) == [("t", 1, 0), ("t", 2, 0)]
    assert "lost my notes" in caplog.text


async def test_nonsense_never_goes_out(scripted, dial):
    class Careless(First):
        def choose(self, view, legal_actions):
            return Answer(0, catch_seats=(-5,))

    dial(Careless(), scripted.address)
    stream = await scripted.stream()
    await stream.open(asked(1))
    act = (await stream.expect("act")).act
    assert (act.choice, list(act.catch_seats)) == (0, [])


# ------------------------------------------------------------------ life


async def test_a_bot_that_thinks_for_long_is_alive(scripted, dial):
    bot = Thinker()
    dial(bot, scripted.address)
    stream = await scripted.stream()
    await stream.open(asked(1))
    await until(lambda: bot.began == [("t", 1)])
    for number in range(1, 6):
        stream.send(heartbeat(number))
        assert (await stream.expect("heartbeat_reply")).heartbeat_reply.number == number
    bot.go.set()
    assert await stream.acts(1) == [("t", 1, 0)]


async def test_everything_is_told_once_and_in_order(scripted, dial):
    bot = Listener()
    dial(bot, scripted.address)
    stream = await scripted.stream()
    notice = ServerMessage()
    notice.notice.table_id, notice.notice.kind = "t", 1
    await stream.open(seated(seat=2), events(1, 2), asked(1))
    await stream.acts(1)
    stream.send(accepted(1), events(2, 3), notice, snapshot(9), asked(2, receipt=1))
    await stream.acts(1)
    stream.send(table_closed(receipt=2), table_closed(receipt=2), ServerMessage())
    for _ in range(2):
        assert (await stream.expect("table_closed_received")).table_closed_received.table_id == "t"
    assert bot.heard == [
        ("seated", ("t", 2)),
        ("event", ("t", 1)),
        ("event", ("t", 2)),
        ("receipt", ("t", 1)),
        ("event", ("t", 3)),
        ("notice", ("t", 1)),
        ("snapshot", ("t", 9)),
        ("receipt", ("t", 2)),
        ("closed", ("t",)),
    ]


async def test_a_bot_may_leave_a_table_from_its_own_thread(scripted, dial):
    class Leaves(Bot):
        def choose(self, view, legal_actions):
            self.leave("t")
            self.leave("nowhere")
            return 0

    dial(Leaves(), scripted.address)
    stream = await scripted.stream()
    await stream.open(seated(), asked(1))
    said = [await stream.next() for _ in range(2)]
    assert sorted(message.WhichOneof("message") for message in said) == ["act", "leave"]
    assert [message.leave.table_id for message in said if message.HasField("leave")] == ["t"]


async def test_a_bot_may_stop_when_it_has_had_enough(scripted, dial, monkeypatch):
    monkeypatch.setattr("lastcard_bot.connection.FLUSH_S", 1_000)  # the stream is half-closed, not broken off

    class Once(Listener):
        def on_table_closed(self, closed):
            super().on_table_closed(closed)
            self.stop()

    bot = Once()
    task = dial(bot, scripted.address)
    stream = await scripted.stream()
    await stream.open(seated(), table_closed())
    await stream.expect("table_closed_received")
    assert await stream.next() is None
    stream.end()
    await ended(task)
    assert bot.of("closed") == [("t",)]
    assert scripted.no_stream()


async def test_the_last_end_is_heard_before_the_bot_ends(scripted, dial):
    heard = []

    class Writes(Bot):
        def choose(self, view, legal_actions):
            return 0

        def on_table_closed(self, closed):
            heard.append(closed.table_id)

    task = dial(Writes(), scripted.address)
    stream = await scripted.stream()
    await stream.open(*(table_closed(f"t{number}") for number in range(100)))
    stream.end()
    await ended(task)
    assert len(heard) == 100


async def test_a_server_that_does_not_end_the_stream_holds_nobody_up(scripted, dial, monkeypatch):
    monkeypatch.setattr("lastcard_bot.connection.FLUSH_S", 0.01)
    bot = First()
    task = dial(bot, scripted.address)
    stream = await scripted.stream()
    await stream.open(asked(1))
    await stream.acts(1)
    bot.stop()
    await ended(task)
    await asyncio.wait_for(stream.over.wait(), BOUND_S)


async def test_cancelling_breaks_the_stream_off(scripted, dial):
    task = dial(First(), scripted.address)
    stream = await scripted.stream()
    await stream.open()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await ended(task)
    await asyncio.wait_for(stream.over.wait(), BOUND_S)


async def test_several_bots_play_in_one_program_and_each_to_its_end(scripted):
    bots = [First(), First()]
    players = [(bot, Settings(server=scripted.address, name=name)) for bot, name in zip(bots, ("a", "b"), strict=True)]
    task = asyncio.create_task(play(*players))
    streams = [await scripted.stream(), await scripted.stream()]
    names = [
        (await stream.open(protocol_version=version)).bot_name for stream, version in zip(streams, (9, 1), strict=True)
    ]
    assert sorted(names) == ["a", "b"]
    streams[1].send(asked(1))
    await streams[1].acts(1)
    assert not task.done()
    streams[1].end()
    with pytest.raises(BotError, match="protocol version 9"):
        await ended(task)
