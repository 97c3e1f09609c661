"""What a tournament asks of the arena when it stops at once and goes on later: suspended tables, tokens of a run."""

import asyncio

import grpc
import pytest

from lastcard.store.opening import close_store, open_store
from lastcard.table.commands import Disconnected
from service_client import BotStream, Ended, connection, plan
from waiting import until


@pytest.fixture
async def seated(start_arena, tmp_path):
    """An arena with a table, a bot with a token at it that is asked something, and its channel."""
    arena = await start_arena(data=tmp_path, anonymous=False)
    token = arena.mint("mine")
    arena.open_table(plan("mine", "+greedy", table_id="game"))
    async with connection(arena.address) as channel:
        stream = BotStream(channel, token)
        await stream.hello()
        yield arena, token, stream, await stream.decision()


async def test_at_suspended_tables_nobody_is_missed(seated, tmp_path):
    arena, _, stream, _ = seated
    at, seats = arena.progress("game"), arena.host.tables["game"].machine.seats
    arena.suspend()
    arena.suspend()
    stream.cancel()
    await until(lambda: not arena.sessions._by_identity)
    await arena.stop(2)
    assert (arena.progress("game"), arena.host.tables["game"].machine.seats) == (at, seats)
    opened = open_store(tmp_path)
    (table,) = opened.remembered.tables
    close_store(opened.connection)
    assert table.checkpoint is not None
    assert table.checkpoint.sequence == at[0]
    assert not [command for _, command in table.commands if isinstance(command, Disconnected)]


async def test_tokens_of_an_earlier_run_are_revoked_and_seats_go_to_new_ones(seated, start_arena, tmp_path):
    arena, old, stream, _ = seated
    at = arena.progress("game")
    arena.suspend()
    stream.cancel()
    await arena.stop(2)
    again = await start_arena(data=tmp_path, anonymous=False)
    async with connection(again.address) as channel:
        earlier = BotStream(channel, old)
        await earlier.hello()
        again.revoke_earlier()
        ended = await earlier.end()
        assert (ended.code, ended.reason) == (grpc.StatusCode.UNAUTHENTICATED, "UNAUTHENTICATED")
        assert await is_refused(BotStream(channel, old))
        mine = BotStream(channel, again.mint("mine"))
        await mine.hello()
        assert again.is_known("game")
        assert again.progress("game") == at
        await mine.play()
        result = await again.result("game")
        assert result.faults == ()
        again.forget_table("game")
        assert not again.is_known("game")
    third = await start_again(start_arena, again, tmp_path)
    async with connection(third.address) as channel:
        assert await is_refused(BotStream(channel, old))
        assert not third.is_known("game")


async def is_refused(stream):
    with pytest.raises(Ended) as ended:
        await stream.hello()
    return ended.value.code == grpc.StatusCode.UNAUTHENTICATED


async def start_again(start_arena, arena, tmp_path):
    await asyncio.wait_for(arena.stop(2), 60)
    return await start_arena(data=tmp_path, anonymous=False)


async def test_a_result_is_known_until_its_table_is_forgotten(seated, start_arena, tmp_path):
    arena, _, stream, decision = seated
    await stream.act(decision)
    await stream.play()
    result = await arena.result("game")
    record = arena.record("game").record
    again = await start_again(start_arena, arena, tmp_path)
    assert again.is_known("game")
    assert await again.result("game") == result
    assert again.record("game").record == record
