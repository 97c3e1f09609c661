"""Slow, silent and many peers: readers that stop, streams that replace each other, streams opened and dropped."""

import asyncio
import gc
import json
import os
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import grpc
import pytest

from lastcard.services import boundary
from lastcard.table.backlog import BURST_FACTOR, RESUME_BYTES
from lastcard.table.mail import Detach
from lastcard.table.timecontrol import TimeControl
from lastcard.v1 import play_service_pb2 as pb
from lastcard.v1 import table_service_pb2 as tp
from service_client import BotStream, connection, plan, reason_of, tables_stub
from waiting import until

PLAY = "/lastcard.v1.PlayService/Play"
QUICK = TimeControl(limit_ms=20_000, bank_ms=0)
LONG = {"match_end": "rounds", "match_rounds": 100_000}


def tasks() -> list[str]:
    """The tasks of the loop that are not the test's own and not gRPC's standing ones."""
    names = [task.get_coro().__qualname__ for task in asyncio.all_tasks() if task is not asyncio.current_task()]
    return sorted(name for name in names if "AioServer" not in name)


# ------------------------------------------------------------------ readers that stop


@pytest.fixture
async def busy_table(start_arena):
    """An arena with a small outbox, and a table at which two builtins play fast and a bot that is out is told all."""
    arena = await start_arena(outbox_bytes=65_536)

    def open_table(name):
        options = {**LONG, "max_timeouts": 1}
        clock = TimeControl(limit_ms=1, bank_ms=0)
        return arena.open_table(plan(name, "+greedy", "+random", clock=clock, options=options))

    return arena, open_table


async def test_a44_who_reads_nothing_is_cut_while_others_play_as_ever_and_holds_nothing_afterwards(
    busy_table, monkeypatch
):
    """It never reads a byte more, so even its end cannot be told; what waited for it is gone all the same."""
    monkeypatch.setattr(boundary, "STATUS_S", 0.2)
    arena, open_table = busy_table
    async with connection(arena.address, small=True) as slow_channel, connection(arena.address) as channel:
        slow, quick = BotStream(slow_channel), BotStream(channel)
        await quick.hello("quick")
        await slow.hello("slow")
        table_id = arena.open_table(plan("quick", "+greedy", clock=QUICK, options=LONG))
        playing = asyncio.create_task(quick.play())
        table = arena.host.tables[table_id]
        busy = open_table("slow")
        (session,) = [one for one in arena.sessions._by_identity.values() if one.bot == "slow"]
        bound = BURST_FACTOR * 65_536 + 2 * RESUME_BYTES
        most = 0
        while arena.is_connected("slow"):
            most = max(most, session._outbox.bytes)
            await asyncio.sleep(0.001)
        assert most <= bound + 65_536
        assert session._outbox.bytes == 0
        before = table.feed.last
        await until(lambda: table.feed.last > before + 50)
        await until(lambda: tasks().count("_handle_exceptions") == 1)
        arena.cancel_table(busy)
        arena.cancel_table(table_id)
        assert (await playing).result.faults == []
        slow.cancel()
        quick.cancel()


async def test_a44_a_watcher_that_reads_nothing_is_cut_and_the_table_is_rid_of_it(busy_table):
    arena, open_table = busy_table
    table_id = open_table("nobody")
    arena.remove_seat(table_id, 0)
    table = arena.host.tables[table_id]
    async with connection(arena.address, small=True) as slow_channel:
        call = tables_stub(slow_channel).WatchTable(tp.WatchTableRequest(table_id=table_id))
        await call.read()
        assert len(table.watchers) == 1
        await until(lambda: not table.watchers, 100)
        assert len(arena._tables._watching) == 0
        arena.cancel_table(table_id)
        with pytest.raises(grpc.aio.AioRpcError) as error:
            await _read_on(call)
        assert reason_of(error.value) == "READER_TOO_SLOW"


async def _read_on(call):
    while await call.read() is not grpc.aio.EOF:
        pass


async def test_a_watcher_may_begin_with_more_than_is_kept_for_it(start_arena):
    """All that it has missed comes at once, and it has had no time to read."""
    arena = await start_arena(outbox_bytes=65_536)
    # Long enough for that many bytes, and by a given deal short enough that all its events are still kept.
    rounds = {"match_end": "rounds", "match_rounds": 44}
    table_id = arena.open_table(plan("+greedy", "+random", options=rounds, deal_key=bytes(32), salt=bytes(32)))
    result = await arena.result(table_id)
    async with connection(arena.address) as channel:
        call = tables_stub(channel).WatchTable(tp.WatchTableRequest(table_id=table_id, last_sequence=1))
        size = (await call.read()).ByteSize()
        assert size > 65_536
        assert result.last_sequence < 8_192
        call.cancel()


# ------------------------------------------------------------------ bots that block

BLOCKS = """
import ctypes
from lastcard_bot import Bot, run

class Blocker(Bot):
    threaded = False

    def choose(self, view, legal_actions):
        ctypes.PyDLL(None).usleep(2_500_000)  # the whole interpreter stands still: PyDLL keeps its lock
        return 0

run(Blocker())
"""


async def test_a_bot_that_blocks_while_it_thinks_is_not_dead(start_arena, tmp_path):
    """Its interpreter stands still far longer than the keep-alive allows; its transport answers all the same."""
    arena = await start_arena(keepalive_s=0.1, keepalive_timeout_s=1.5)
    (tmp_path / "blocker.py").write_text(BLOCKS)
    process = await asyncio.create_subprocess_exec(
        sys.executable, str(tmp_path / "blocker.py"), env={**os.environ, "LASTCARD_SERVER": arena.address}
    )
    try:
        await asyncio.wait_for(arena.connected("blocker"), 60)
        table_id = arena.open_table(plan("blocker", "+greedy"))
        table = arena.host.tables[table_id]
        gone = []
        arena.host.pump._bus.to_hosts = _telling(arena.host.pump._bus.to_hosts, gone)
        await until(lambda: table.links[0].receipt is not None and table.machine.open_decisions(0))
        assert gone == []
        assert table.faults == []
    finally:
        process.kill()
        await process.wait()


def _telling(to_hosts, gone):
    def told(batch):
        gone.extend(mail for mail in batch if isinstance(mail, Detach))
        to_hosts(batch)

    return told


# ------------------------------------------------------------------ streams that replace each other


async def test_of_many_streams_of_one_identity_the_last_has_the_seat(arena, bot):
    first = bot()
    secret = (await first.hello("me")).resume_secret
    table_id = arena.open_table(plan("me", "+greedy"))
    await first.decision()
    others = [bot(secret) for _ in range(30)]
    await asyncio.gather(*[stream.hello("me") for stream in others[:-1]])
    await others[-1].hello("me")
    ends = [await stream.end() for stream in (first, *others[:-1])]
    assert {(end.code.name, end.reason) for end in ends} == {("ABORTED", "SESSION_REPLACED")}
    last = others[-1]
    await last.act(await last.decision(table_id))
    assert (await last.result()).accepted
    await until(lambda: len(arena.sessions) == 1 and len(arena.host.lobby.peers) == 1)
    assert arena.host.tables[table_id].machine.seats[0].status.name == "PRESENT"


@pytest.mark.parametrize("order", ["old-first", "new-first"])
async def test_a36_in_whatever_order_the_ends_of_both_streams_are_noticed(arena, bot, order):
    old = bot()
    secret = (await old.hello("me")).resume_secret
    table_id = arena.open_table(plan("me", "+greedy"))
    await old.decision()
    seats = arena.host.tables[table_id].machine
    (old_session,) = arena.sessions._by_identity.values()
    new = bot(secret)
    await new.hello("me")
    await new.decision()
    (new_session,) = arena.sessions._by_identity.values()
    sessions = [old_session, new_session] if order == "old-first" else [new_session, old_session]
    arena.sessions.close(sessions[0])
    assert seats.seats[0].status.name == ("PRESENT" if order == "old-first" else "AWAY")
    arena.sessions.close(sessions[1])
    assert seats.seats[0].status.name == "AWAY"
    third = bot(secret)
    await third.hello("me")
    await third.act(await third.decision())
    assert (await third.result()).accepted


async def test_a_late_answer_on_the_stream_that_was_replaced_takes_effect_at_most_once(arena, bot):
    """Both streams answer; whichever is judged, the other hears the same or that the decision is closed."""
    old = bot()
    secret = (await old.hello("me")).resume_secret
    table_id = arena.open_table(plan("me", "+greedy", deal_key=bytes(32), salt=bytes(32)))
    decision = await old.decision()
    new = bot(secret)
    await new.hello("me")
    asked = await new.decision()
    assert asked.decision_id == decision.decision_id
    table = arena.host.tables[table_id]
    with suppress(asyncio.InvalidStateError, grpc.aio.AioRpcError):  # the end of the old stream was here before
        await old.act(decision)
    await new.act(asked)
    verdict = await new.result(asked.decision_id)
    assert verdict.accepted
    assert table.machine.last_receipt(0).decision_id >= asked.decision_id
    plays = [event for event in new.events() if event.HasField("card_played") and event.card_played.seat == 0]
    assert len(plays) <= 1


# ------------------------------------------------------------------ opened and dropped


async def drop(channel, *, hello: bool) -> None:
    """Opens a stream and drops it, after the welcome or before saying anything."""
    call = channel.stream_stream(PLAY)()
    if hello:
        opening = pb.PlayRequest(messages=[pb.ClientMessage(hello={"protocol_version": 1, "bot_name": "x"})])
        with suppress(grpc.aio.AioRpcError):  # of very many at once gRPC's core refuses some
            await call.write(opening.SerializeToString())
            await call.read()
    else:
        await asyncio.sleep(0.02)
    call.cancel()


def held(arena) -> dict[str, int]:
    """What an arena holds for its peers."""
    return {
        "sessions": len(arena.sessions),
        "lazy": len(arena.sessions._lazy),
        "blocked": len(arena.sessions._blocked),
        "addresses": len(arena.sessions._addresses._receivers),
        "peers": len(arena.host.lobby.peers),
        "bots": len(arena.host.lobby._by_bot),
        "kept": len(arena.host.lobby._kept),
        "known": len(arena.identities._known),
        "silent": len(arena._patience),
        "tasks": len(tasks()),
        "journal": len(arena.host.pump.journal),
    }


@pytest.mark.parametrize("hello", [True, False], ids=["hello", "silent"])
async def test_streams_opened_and_dropped_leave_nothing(start_arena, hello):
    arena = await start_arena(newcomers_per_s=100_000)
    async with connection(arena.address) as channel:
        await drop(channel, hello=hello)
        await until(lambda: held(arena)["sessions"] == 0 == held(arena)["silent"])
        before = held(arena)
        objects = []
        for _ in range(3):
            for _ in range(5):
                await asyncio.gather(*[drop(channel, hello=hello) for _ in range(100)])
            await until(lambda: all(count <= before[name] for name, count in held(arena).items()))
            gc.collect()
            objects.append(len(gc.get_objects()))
        # The names of the last newcomers are remembered, and nothing else.
        assert objects[2] - objects[1] < 500


@pytest.mark.slow
@pytest.mark.timeout(240)
async def test_ten_thousand_streams_opened_and_dropped_leave_a_server_as_it_was(tmp_path: Path):
    """A process of its own: the memory that the system sees; a game goes on meanwhile and feels nothing."""
    command = [sys.executable, "-m", "lastcard.cli.main", "serve", "--port", "0", "--data", str(tmp_path / "data")]
    command += ["--newcomers-per-s", "100000", "--log-level", "warning"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)  # noqa: ASYNC220
    try:
        address = process.stdout.readline().split()[-1]
        async with connection(address) as channel, connection(address) as other:
            stream = BotStream(other)
            await stream.hello("honest")
            clock = {"limit": {"seconds": 20}, "bank": {}}  # whatever else the machine has to do
            seats = [tp.SeatRequest(bot_name="honest"), tp.SeatRequest(builtin="greedy")]
            options = [{"name": "match_end", "value": "rounds"}, {"name": "match_rounds", "value": "100000"}]
            request = tp.CreateTableRequest(
                seats=seats, clock=clock, ruleset={"preset": "official", "options": options}
            )
            await tables_stub(other).CreateTable(request)
            playing = asyncio.create_task(play_on(stream))
            sizes = []
            for _ in range(3):  # of these the third must take no more than the others did
                for hello in (True, False):
                    for _ in range(50):
                        await asyncio.gather(*[drop(channel, hello=hello) for _ in range(100)])
                sizes.append(_taken_kib(process.pid))
            # gRPC itself keeps some 350 bytes of each call that is cancelled: 3.5 MiB for ten thousand. What it has
            # not come to yet when the last call is dropped takes more, for a while.
            await until(lambda: _taken_kib(process.pid) - max(sizes[:2]) < 16 * 1024)
            playing.cancel()
            with suppress(asyncio.CancelledError):
                await playing
            stream.cancel()
        process.terminate()
        _, log = process.communicate(timeout=100)
    finally:
        process.kill()
        process.wait()
        process.stdout.close()
        process.stderr.close()
    # It may be that the machine did not let it run for a while; that it says so is right.
    complaints = [line for line in log.splitlines() if json.loads(line)["event"] != "arena.stalled"]
    assert (process.returncode, complaints) == (0, [])


async def play_on(stream) -> None:
    """Plays, and remembers nothing; a move that came too late is an error."""
    while True:
        message = await stream.next()
        stream.heard.clear()
        if message.HasField("decision"):
            await stream.act(message.decision)
        assert not message.HasField("decision_closed") or message.decision_closed.reason != 9


def _taken_kib(pid: int) -> int:
    """The memory of its own that a process has in use, wherever the system keeps it just now."""
    lines = dict(line.split(":", 1) for line in Path(f"/proc/{pid}/status").read_text().splitlines())
    return sum(int(lines[name].split()[0]) for name in ("RssAnon", "VmSwap"))
