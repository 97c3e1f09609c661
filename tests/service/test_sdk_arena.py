"""Bots of the SDK at a real arena: whole matches, many tables, cut wires, and servers that go and come back."""

import asyncio
import json
from pathlib import Path

import pytest

from bot_doubles import BOUND_S, First, Listener, Thinker
from lastcard.cli.bots import find_bot
from lastcard.conform.wire import Wire
from lastcard.table.round_trips import ROUND_TRIPS
from lastcard_bot import AsyncBot, Bot, BotError
from lastcard_bot.bots import BOTS, make_bot
from service_client import plan
from waiting import ended, until

EXAMPLE = Path(__file__).resolve().parents[2] / "clients/python/examples/my_bot.py"
LIVELY = {"jump_in": "identical", "seven_swap": True, "zero_rotate": True, "stack_draw_two": "same"}


class Threaded(Listener):
    """Listens, and thinks in a thread of its own."""

    threaded = True
    max_open_decisions = 1


class Tasks(AsyncBot):
    """Listens as a coroutine, and lets others run before it answers."""

    def __init__(self) -> None:
        self.heard: list[tuple[str, tuple]] = []

    of = Listener.of

    async def choose(self, view, legal_actions):
        await asyncio.sleep(0)
        return 0

    async def on_event(self, table_id, event):
        Listener.on_event(self, table_id, event)

    async def on_receipt(self, table_id, receipt):
        Listener.on_receipt(self, table_id, receipt)

    async def on_table_closed(self, closed):
        Listener.on_table_closed(self, closed)


async def finished(arena, table_id):
    async with asyncio.timeout(BOUND_S):
        return await arena.result(table_id)


def heard_whole(bot, table_id: str) -> bool:
    """Whether a bot heard each event of a table once and in order, and its end."""
    numbers = [number for table, number in bot.of("event") if table == table_id]
    return numbers == list(range(1, len(numbers) + 1)) and (table_id,) in bot.of("closed")


def decisions_of(arena, table_id: str, seat: int) -> list[int]:
    """The decisions that were answered or timed out at a seat, by the arena's own account."""
    lines = [json.loads(line) for line in arena.record(table_id).receipts.splitlines()]
    judged = [line["judged"] for line in lines if "judged" in line]
    return [one["decision"] for one in judged if one["seat"] == seat and one.get("receipt")]


# ------------------------------------------------------------------ whole matches


@pytest.mark.parametrize("sealed", [True, False], ids=["sealed", "open"])
@pytest.mark.parametrize("kind", [Listener, Threaded, Tasks])
async def test_whole_matches_of_several_rounds_with_house_rules(arena, dial, kind, sealed):
    bots = {name: kind() for name in ("a", "b", "c")}
    for name, bot in bots.items():
        dial(bot, arena.address, name=name)
        await arena.connected(name)
    rules = {**LIVELY, "match_end": "rounds", "match_rounds": 2}
    table_id = arena.open_table(plan(*bots, options=rules, sealed=sealed))
    result = await finished(arena, table_id)
    assert (result.cause.name, result.faults) == ("FINISHED", ())
    assert result.rounds >= 2, "extra rounds decide between equals"
    for seat, bot in enumerate(bots.values()):
        await until(lambda bot=bot: heard_whole(bot, table_id))
        receipts = [number for _, number in bot.of("receipt")]
        assert len(receipts) == len(set(receipts))
        assert set(decisions_of(arena, table_id, seat)) <= set(receipts)


@pytest.mark.parametrize("kind", [Listener, Threaded, Tasks])
async def test_many_tables_at_once(arena, dial, kind):
    bot = kind()
    dial(bot, arena.address)
    await arena.connected("me")
    tables = [arena.open_table(plan("me", "+greedy", "+random")) for _ in range(12)]
    for table_id in tables:
        assert (await finished(arena, table_id)).faults == ()
    await until(lambda: all(heard_whole(bot, table_id) for table_id in tables))


@pytest.mark.parametrize("name", list(BOTS))
async def test_shipped_bots_dial_in_and_play(arena, dial, name):
    dial(make_bot(name), arena.address)
    await arena.connected("me")
    table_id = arena.open_table(plan("me", "+greedy"))
    assert (await finished(arena, table_id)).faults == ()


async def test_the_example_practises(start_arena, dial):
    arena = await start_arena(practice="greedy,greedy,greedy")
    dial(find_bot(str(EXAMPLE)), arena.address, name="mybot")
    await until(lambda: len(arena.host.tables) > 1)
    first = next(iter(arena.host.tables))
    assert (await finished(arena, first)).faults == ()


async def test_a_bot_that_always_raises_plays_to_the_end(arena, dial, caplog):
    class Raises(Bot):
        def choose(self, view, legal_actions):
            raise LookupError("lost my notes")

    dial(Raises(), arena.address)
    await arena.connected("me")
    table_id = arena.open_table(plan("me", "+greedy"))
    assert (await finished(arena, table_id)).faults == ()
    assert "lost my notes" in caplog.text


async def test_a_bot_that_thinks_for_long_keeps_its_seat(start_arena, dial):
    arena = await start_arena(heartbeat_s=0.05)
    bot = Thinker()
    dial(bot, arena.address)
    await arena.connected("me")
    table_id = arena.open_table(plan("me", "+greedy"))
    await until(lambda: len(bot.began) == 1)
    [session] = arena.sessions._by_identity.values()
    session.trips._trips.clear()
    await until(lambda: len(session.trips._trips) == ROUND_TRIPS)
    assert not session.ended.done()
    assert len(bot.began) == 1
    bot.go.set()
    assert (await finished(arena, table_id)).faults == ()


async def test_a_bot_that_leaves_is_out_and_plays_on_elsewhere(arena, dial):
    class Leaves(Threaded):
        def choose(self, view, legal_actions):
            if not self.of("closed"):
                self.leave(self.of("seated")[0][0])
            return 0

    bot = Leaves()
    dial(bot, arena.address)
    await arena.connected("me")
    first = arena.open_table(plan("me", "+greedy", "+greedy"))
    assert [fault.kind.name for fault in (await finished(arena, first)).faults] == ["LEFT"]
    await until(lambda: (first,) in bot.of("closed"))
    second = arena.open_table(plan("me", "+greedy"))
    assert (await finished(arena, second)).faults == ()


# ------------------------------------------------------------------ tokens


async def test_a_token_says_who_the_bot_is_and_its_end_is_the_bot_s(start_arena, dial):
    arena = await start_arena(anonymous=False)
    token = arena.mint("mine")
    task = dial(First(), arena.address, token=token, name="")
    await arena.connected("mine")
    table_id = arena.open_table(plan("mine", "+greedy"))
    assert (await finished(arena, table_id)).faults == ()
    arena.revoke(token)
    await ended(task)


async def test_a_wrong_token_and_a_wrong_name_are_errors_at_once(start_arena, dial):
    arena = await start_arena(anonymous=False)
    with pytest.raises(BotError, match="the server does not accept the token"):
        await ended(dial(First(), arena.address, token="made-up"))
    with pytest.raises(BotError, match="the token belongs to 'mine', and Hello names 'yours'"):
        await ended(dial(First(), arena.address, token=arena.mint("mine"), name="yours"))
    with pytest.raises(BotError, match="set LASTCARD_TOKEN"):
        await ended(dial(First(), arena.address))


async def test_a_second_program_with_the_same_token_takes_over_and_the_first_gives_way(arena, dial):
    token = arena.mint("mine")
    thinker = Thinker()
    first = dial(thinker, arena.address, token=token, name="mine")
    await arena.connected("mine")
    table_id = arena.open_table(plan("mine", "+greedy"))
    await until(lambda: len(thinker.began) == 1)
    second = dial(First(), arena.address, token=token, name="mine")
    with pytest.raises(BotError, match="another program with the same identity took the session over"):
        await ended(first)
    assert (await finished(arena, table_id)).faults == ()
    assert not second.done()


# ------------------------------------------------------------------ disturbances


def cutting(kind, wire: Wire, every: int):
    """A bot of a kind at which the wire is cut each time it has heard so many events."""
    loop = asyncio.get_running_loop()

    def cut_when_due(heard: int) -> None:
        if heard % every == 0:
            loop.call_soon_threadsafe(wire.cut)

    class Cuts(kind):
        def on_event(self, table_id, event):
            super().on_event(table_id, event)
            cut_when_due(len(self.of("event")))

    class CutsLater(kind):
        async def on_event(self, table_id, event):
            await super().on_event(table_id, event)
            cut_when_due(len(self.of("event")))

    return CutsLater() if issubclass(kind, AsyncBot) else Cuts()


@pytest.mark.parametrize("kind", [Listener, Threaded, Tasks])
async def test_a_cut_wire_costs_nothing_but_time(arena, dial, monkeypatch, kind):
    monkeypatch.setattr("lastcard_bot.connection.HELD_S", 0.0)
    async with Wire(arena.address) as wire:
        bot = cutting(kind, wire, 40)
        dial(bot, wire.address)
        await arena.connected("me")
        options = {"match_end": "rounds", "match_rounds": 4}
        tables = [arena.open_table(plan("me", "+greedy", options=options)) for _ in range(2)]
        for table_id in tables:
            result = await finished(arena, table_id)
            assert (result.cause.name, result.faults) == ("FINISHED", ())
        await until(lambda: all(heard_whole(bot, table_id) for table_id in tables))
        assert wire.connections > 2


@pytest.mark.parametrize("stored", [True, False], ids=["with-its-store", "with-nothing"])
@pytest.mark.parametrize("kind", [Listener, Threaded, Tasks])
async def test_a_server_that_comes_back_finds_the_bot_waiting(start_arena, dial, tmp_path, kind, stored):
    data = tmp_path if stored else None
    arena = await start_arena(data=data)
    bot = kind()
    task = dial(bot, arena.address)
    await arena.connected("me")
    # A round of two bots of which one is never there stands still, so that the server stops in the middle of it.
    other = Thinker()
    stuck = dial(other, arena.address, name="other")
    await arena.connected("other")
    table_id = arena.open_table(plan("me", "other"))
    await until(lambda: bool(other.began) and bool(bot.of("event")))
    stuck.cancel()
    await arena.stop(0)
    other.go.set()
    back = await start_arena(data=data, port=int(arena.address.rpartition(":")[2]))
    async with asyncio.timeout(BOUND_S):
        await back.connected("me")
    again = back.open_table(plan("me", "+greedy"))
    result = await finished(back, again)
    assert (result.cause.name, result.faults) == ("FINISHED", ())
    await until(lambda: heard_whole(bot, again))
    assert (table_id,) not in bot.of("closed")
    assert not task.done()
