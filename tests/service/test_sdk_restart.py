"""Bots of the SDK through real ends of their server, sudden and orderly: they need not know of them."""

import asyncio
import random
import signal
from collections import Counter

import pytest

from bot_doubles import Listener
from lastcard.v1 import table_service_pb2 as tp
from lastcard_bot import AsyncBot, Bot
from serve_process import ServeProcess
from service_client import connection, tables_stub
from waiting import until

ENDS = 4
RULES = {
    "preset": "official",
    "options": [
        {"name": name, "value": value}
        for name, value in {"match_end": "rounds", "match_rounds": "3", "jump_in": "identical_incl_w4"}.items()
    ],
}
CLOCK = {"limit": {"seconds": 600}, "bank": {}, "reaction": {"seconds": 600}, "grace": {"seconds": 600}}


class Fickle(Listener):
    """Answers at random, so that a second thought would be another answer; remembers how often it thought of what."""

    def __init__(self) -> None:
        super().__init__()
        self.thought: Counter[tuple[str, int]] = Counter()
        self.refused: list[str] = []
        self.chance = random.Random(5)

    def decide(self, decision):
        self.thought[decision.table_id, decision.decision_id] += 1
        return self.chance.randrange(len(decision.legal_actions))

    def on_refused(self, decision, refusal):
        self.refused.append(refusal.message)


class Threaded(Fickle):
    threaded = True
    max_open_decisions = 1


class Later(AsyncBot):
    """The same as a bot of tasks, which takes a moment for each answer."""

    def __init__(self) -> None:
        self.inner = Fickle()
        self.heard = self.inner.heard
        self.thought, self.refused = self.inner.thought, self.inner.refused

    def of(self, hook):
        return self.inner.of(hook)

    async def choose(self, view, legal_actions):
        raise AssertionError("decide is overridden")

    async def decide(self, decision):
        await asyncio.sleep(0.002)
        return self.inner.decide(decision)

    async def on_refused(self, decision, refusal):
        self.inner.on_refused(decision, refusal)

    async def on_event(self, table_id, event):
        self.inner.on_event(table_id, event)

    async def on_snapshot(self, snapshot):
        self.inner.on_snapshot(snapshot)

    async def on_notice(self, notice):
        self.inner.on_notice(notice)

    async def on_receipt(self, table_id, receipt):
        self.inner.on_receipt(table_id, receipt)

    async def on_table_closed(self, closed):
        self.inner.on_table_closed(closed)


@pytest.fixture(autouse=True)
def _short_waits(monkeypatch):
    monkeypatch.setattr("lastcard_bot.connection.HELD_S", 0.0)


@pytest.mark.parametrize(("kind", "sealed"), [(Fickle, True), (Threaded, False), (Later, True)])
async def test_a_bot_plays_through_ends_of_its_server(tmp_path, dial, kind, sealed):
    """At any moment: no event is missed or told twice, nothing is thought of twice, nobody is refused or blamed."""
    bots: list[Bot | AsyncBot] = [kind(), kind()]
    async with ServeProcess(tmp_path / "data") as server:
        for name, bot in zip(("one", "two"), bots, strict=True):
            dial(bot, server.address, name=name)
        tables = await opened(server, sealed=sealed)
        for kill in range(ENDS):
            so_far = len(bots[0].of("event"))
            await until(lambda: len(bots[0].of("event")) >= so_far + 15 + 7 * kill or is_over(bots, tables))  # noqa: B023
            # By turns it is killed, and asked to end.
            server.send((signal.SIGKILL, signal.SIGTERM)[kill % 2])
            await server.wait()
            await server.start()
        await until(lambda: is_over(bots, tables), 100)
        async with connection(server.address) as channel:
            for table_id in tables:
                answer = await tables_stub(channel).GetTable(tp.GetTableRequest(table_id=table_id))
                table = answer.table
                assert list(table.result.faults) == []
                for bot in bots:
                    numbers = [number for where, number in bot.of("event") if where == table_id]
                    assert numbers == list(range(1, table.last_sequence + 1))
    for bot in bots:
        assert bot.refused == []
        assert set(bot.thought.values()) == {1}
        assert Counter(bot.of("closed")) == Counter((table_id,) for table_id in tables)
        receipts = Counter(bot.of("receipt"))
        assert set(receipts.values()) == {1}
        assert any(notice[1] == 4 for notice in bot.of("notice"))


async def opened(server, *, sealed):
    """Three tables of both bots and a builtin."""
    seats = [tp.SeatRequest(bot_name="one"), tp.SeatRequest(bot_name="two"), tp.SeatRequest(builtin="greedy")]
    mode = 1 if sealed else 2
    async with connection(server.address) as channel:
        request = tp.CreateTableRequest(ruleset=RULES, clock=CLOCK, seats=seats, reactions=mode)
        return [(await tables_stub(channel).CreateTable(request)).table.table_id for _ in range(3)]


def is_over(bots, tables):
    return all(len(bot.of("closed")) == len(tables) for bot in bots)
