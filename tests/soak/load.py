"""The load of the soak: everything that peers do to a server, a little of each, all the time.

Here: `play`, `come_and_go`, `watch`, `poll`, `flood`, `stall`, `rubbish`. Not here: the server (`server`). Run as
`python -m soak.load ADDRESS`, until SIGTERM. Whatever ends a call is expected here; what must not happen shows in the
server's figures and log.
"""

import asyncio
import os
import random
import signal
import sys
from collections.abc import Awaitable, Callable
from contextlib import suppress
from itertools import count

import grpc
import grpc.aio

from lastcard.v1 import table_service_pb2 as tp
from raw_peer import RawPeer
from service_client import BotStream, Ended, bearer, connection, tables_stub

BOTS = 16
"""Bots that play; half of them are seated at a table each moment, and each may have some tables."""

TABLES = 24
"""Tables that are open at once, as far as the load sees to it."""

SPECTATORS = 6
PEOPLE = 2

THINKS_S = 0.004
"""How long a bot takes for the decisions of one frame."""

CLOCK = {
    "limit": {"seconds": 5},
    "bank": {"seconds": 30},
    "grace": {"seconds": 20},
    "network_credit": {"nanos": 50_000_000},
}

PRESETS = ("official", "german", "danish")

EXPECTED = (Ended, grpc.aio.AioRpcError, TimeoutError, OSError, asyncio.InvalidStateError)


class Load:
    """All of it, on a few connections."""

    def __init__(self, address: str) -> None:
        self._address = address
        self._running: dict[str, None] = {}
        """Tables to watch."""
        self._numbers = count(1)

    async def run(self, stop: asyncio.Event) -> None:
        """Everything at once until it is to stop."""
        jobs: list[Callable[[], Awaitable[None]]] = [
            lambda number=number: self.play(f"bot-{number}") for number in range(BOTS)
        ]
        jobs += [self.watch] * SPECTATORS + [
            lambda number=number: self.poll(f"person-{number}") for number in range(PEOPLE)
        ]
        jobs += [self.open_tables, self.come_and_go, self.flood, self.stall, self.rubbish]
        tasks = [asyncio.create_task(for_ever(job)) for job in jobs]
        await stop.wait()
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def open_tables(self) -> None:
        """Opens a table whenever there is room."""
        async with connection(self._address) as channel:
            tables = tables_stub(channel)
            while True:
                listed = await tables.ListTables(tp.ListTablesRequest(page_size=100))
                alive = [table for table in listed.tables if table.state != 3]
                self._running = {table.table_id: None for table in alive if table.state == 2}
                for _ in range(max(0, TABLES - len(alive))):
                    await tables.CreateTable(self._request())
                await asyncio.sleep(0.1)

    def _request(self) -> tp.CreateTableRequest:
        names = random.sample(range(BOTS), random.choice((1, 2, 2, 3, 4)))
        seats = [tp.SeatRequest(bot_name=f"bot-{number}") for number in names]
        seats += [tp.SeatRequest(builtin=random.choice(("greedy", "random")))] * random.choice((1, 2))
        return tp.CreateTableRequest(
            request_id=f"soak-{next(self._numbers)}",
            seats=seats,
            clock=CLOCK,
            reactions=random.choice((1, 2)),
            ruleset={"preset": random.choice(PRESETS), "options": [{"name": "match_end", "value": "single_round"}]},
        )

    async def play(self, name: str) -> None:
        """A bot that loses its stream now and then, and comes back from the last number it has seen."""
        secret, seen = "", dict[str, int]()
        async with connection(self._address) as channel:
            while True:
                stream = BotStream(channel, secret)
                try:
                    async with asyncio.timeout(random.uniform(5, 40)):
                        cursors = [{"table_id": table, "last_sequence": number} for table, number in seen.items()]
                        secret = (await stream.hello(name, cursors=cursors)).resume_secret or secret
                        await self._answer(stream, seen)
                except EXPECTED:
                    await asyncio.sleep(random.uniform(0, 1))
                finally:
                    stream.cancel()

    async def _answer(self, stream: BotStream, seen: dict[str, int]) -> None:
        while True:
            message = await stream.next()
            stream.heard.clear()
            kind = message.WhichOneof("message")
            if kind == "decision":
                await asyncio.sleep(THINKS_S)
                await stream.act(message.decision, random.randrange(max(1, len(message.decision.legal_actions) - 1)))
            elif kind == "table_events":
                seen[message.table_events.table_id] = message.table_events.events[-1].sequence
            elif kind == "heartbeat":
                await stream.send({"heartbeat_reply": {"number": message.heartbeat.number}})
            elif kind == "table_closed":
                seen.pop(message.table_closed.table_id, None)
                await stream.send({"table_closed_received": {"table_id": message.table_closed.table_id}})

    async def come_and_go(self) -> None:
        """Streams opened and dropped: after the welcome, before saying anything, in mid-sentence."""
        async with connection(self._address) as channel:
            while True:
                stream = BotStream(channel)
                with suppress(*EXPECTED):
                    way = random.randrange(4)
                    if way == 0:
                        await stream.hello(f"guest-{next(self._numbers)}")
                    elif way == 1:
                        await asyncio.sleep(0.01)
                    elif way == 2:
                        await stream.hello("guest")
                        await stream.call.done_writing()
                        await stream.end()
                    else:
                        await stream.send()
                        await stream.end()
                stream.cancel()
                await asyncio.sleep(0.03)

    async def watch(self) -> None:
        """A spectator who sees some of a table, at once or delayed, and goes."""
        async with connection(self._address) as channel:
            while True:
                if not self._running:
                    await asyncio.sleep(0.2)
                    continue
                table_id = random.choice(list(self._running))
                request = tp.WatchTableRequest(table_id=table_id, delay={"seconds": random.choice((0, 0, 2))})
                call = tables_stub(channel).WatchTable(request)
                with suppress(*EXPECTED):
                    async with asyncio.timeout(random.uniform(1, 15)):
                        while await call.read() is not grpc.aio.EOF:
                            pass
                call.cancel()

    async def poll(self, name: str) -> None:
        """A person without a stream: joins a table, looks and moves by single calls, leaves some tables early."""
        async with connection(self._address) as channel:
            tables = tables_stub(channel)
            while True:
                seats = [tp.SeatRequest(open=True), tp.SeatRequest(builtin="greedy")]
                made = (await tables.CreateTable(tp.CreateTableRequest(seats=seats, clock=CLOCK))).table.table_id
                me = bearer((await tables.JoinTable(tp.JoinTableRequest(table_id=made, name=name))).resume_secret)
                leaves_after = random.choice((5, 1_000))
                for _ in range(leaves_after):
                    found = await tables.GetTable(tp.GetTableRequest(table_id=made), metadata=me)
                    if found.table.state == 3:
                        break
                    for decision in found.decisions:
                        act = {"table_id": made, "decision_id": decision.decision_id, "choice": 0}
                        await tables.SubmitAction(tp.SubmitActionRequest(act=act), metadata=me)
                    await asyncio.sleep(0.05)
                else:
                    await tables.LeaveTable(tp.LeaveTableRequest(table_id=made), metadata=me)

    async def flood(self) -> None:
        """Messages that answer nothing until the stream is cut, and calls until they are refused."""
        async with connection(self._address) as channel:
            while True:
                stream = BotStream(channel)
                with suppress(*EXPECTED):
                    await stream.hello("noisy")
                    await stream.send(*[{"leave": {"table_id": "t"}}] * 4_000)
                    await stream.end()
                stream.cancel()
                with suppress(*EXPECTED):
                    for _ in range(400):
                        metadata = bearer("lct_made-up")
                        await tables_stub(channel).GetTable(tp.GetTableRequest(table_id="x"), metadata=metadata)
                await asyncio.sleep(20)

    async def stall(self) -> None:
        """A bot that reads nothing while builtins play as fast as they can, and a spectator who does the same."""
        while True:
            async with connection(self._address, small=True) as channel, connection(self._address) as other:
                stream = BotStream(channel)
                with suppress(*EXPECTED):
                    await stream.hello("stalled")
                    options = [{"name": "match_end", "value": "rounds"}, {"name": "match_rounds", "value": "50"}]
                    seats = [tp.SeatRequest(bot_name="stalled"), tp.SeatRequest(builtin="greedy")]
                    seats.append(tp.SeatRequest(builtin="random"))
                    request = tp.CreateTableRequest(
                        seats=seats,
                        clock={"limit": {"nanos": 5_000_000}, "bank": {}},
                        ruleset={"preset": "official", "options": [*options, {"name": "max_timeouts", "value": "1"}]},
                    )
                    table_id = (await tables_stub(other).CreateTable(request)).table.table_id
                    call = tables_stub(channel).WatchTable(tp.WatchTableRequest(table_id=table_id))
                    await asyncio.sleep(15)
                    call.cancel()
                stream.cancel()

    async def rubbish(self) -> None:
        """Connections that speak no HTTP/2, or nothing at all."""
        while True:
            for speech in (os.urandom(2_000), b"GET / HTTP/1.1\r\n\r\n", b""):
                with suppress(*EXPECTED):
                    async with RawPeer(self._address) as peer:
                        await peer.send(speech)
                        await peer.closed(1)
            await asyncio.sleep(1)


async def for_ever(job: Callable[[], Awaitable[None]]) -> None:
    """Does a job again when it was broken off by the server."""
    while True:
        with suppress(*EXPECTED):
            await job()
        await asyncio.sleep(0.2)


async def _main(address: str) -> None:
    stop = asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, stop.set)
    await Load(address).run(stop)


if __name__ == "__main__":
    asyncio.run(_main(sys.argv[1]))
