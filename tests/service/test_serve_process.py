"""A server process that is killed, or held up as a whole, and the streams of bots that live through it."""

import asyncio
import signal

import pytest

from lastcard.v1 import table_service_pb2 as tp
from serve_process import ServeProcess
from service_client import BotStream, connection, tables_stub

ONE_ROUND = {"preset": "official", "options": [{"name": "match_end", "value": "single_round"}]}


@pytest.fixture
async def server(tmp_path):
    async with ServeProcess(tmp_path / "data") as process:
        yield process


def table(*bots, limit_s=600, builtins=1):
    seats = [*(tp.SeatRequest(bot_name=bot) for bot in bots), *[tp.SeatRequest(builtin="greedy")] * builtins]
    clock = {"limit": {"seconds": limit_s}, "bank": {}, "grace": {"seconds": 600}}
    return tp.CreateTableRequest(ruleset=ONE_ROUND, seats=seats, clock=clock)


async def test_time_in_which_the_whole_server_stood_still_is_nobody_s(server):
    async with connection(server.address) as channel:
        stream = BotStream(channel)
        await stream.hello("me")
        await tables_stub(channel).CreateTable(table("me", limit_s=2))
        decision = await stream.decision()
        server.send(signal.SIGSTOP)
        await stream.act(decision)
        await asyncio.sleep(3.5)
        server.send(signal.SIGCONT)
        verdict = await stream.result(decision.decision_id)
        assert (verdict.accepted, verdict.receipt.timed_out) == (True, False)
        stream.cancel()


async def test_a_killed_server_goes_on_at_the_same_address(server):
    async with connection(server.address) as channel:
        stream = BotStream(channel)
        secret = (await stream.hello("me")).resume_secret
        await tables_stub(channel).CreateTable(table("me"))
        for _ in range(3):
            decision = await stream.decision()
            await stream.act(decision)
            await stream.result(decision.decision_id)
        seen = [event.SerializeToString() for event in stream.events()]
        await server.kill()
        assert (await stream.end()).code.name == "UNAVAILABLE"
    await server.start()
    async with connection(server.address) as channel:
        again = BotStream(channel, secret)
        await again.hello(cursors=[{"table_id": decision.table_id, "last_sequence": 1}])
        asked = await again.decision()
        known = [event.SerializeToString() for event in again.events()]
        assert known[: len(seen) - 1] == seen[1:]
        await again.act(asked)
        closed = await again.play()
        assert list(closed.result.faults) == []
        again.cancel()
