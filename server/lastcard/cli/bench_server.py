"""The servers of the service benchmark, each a process of its own.

Here: an arena whose bots get a new table for each that ends, and the echo that it is compared with. Not here: load
(clients/cpp/load), figures (`bench_service`). Run with `python -m`; prints its address.
"""

import asyncio
import signal
import sys
from collections.abc import Iterator
from math import gcd
from pathlib import Path
from typing import Any

import grpc

from lastcard.app import Arena, Settings
from lastcard.rules.ruleset import ruleset
from lastcard.services.collector import calm_collector
from lastcard.services.log import configure_log
from lastcard.table.hosted import HostedTable
from lastcard.table.plan import SeatPlan, TablePlan
from lastcard.table.timecontrol import TimeControl

SEATS = 4
ECHO_PATH = "/bench.Echo/Echo"


def groups(bots: int, tables: int) -> Iterator[list[int]]:
    """Who sits together: each bot at `tables` tables, four at a table, none twice at one.

    Seats are filled in rounds over all bots. Where rounds end with a table, each steps by another number, so that bots
    meet others; a number that has no divisor in common with theirs reaches every bot once.
    """
    for place in range(0, bots * tables, SEATS):
        step = 1 if bots % SEATS else 1 + place // bots
        while gcd(step, bots) != 1:
            step += 1
        yield [seat % bots * step % bots for seat in range(place, place + SEATS)]


async def serve_arena(bots: int, tables: int, store: tuple[str, str], until: asyncio.Event) -> None:
    """An arena of `bots` bots with `tables` tables each, four at a table, one match to 500 points after the other.

    `store` is the directory of the store and its durability, which is `none` where nothing is kept.
    """
    data, durability = store
    kept = {} if durability == "none" else {"data": Path(data), "durability": durability}
    settings = Settings(max_tables_per_bot=max(tables, 1), **kept)  # type: ignore[arg-type] # a value of each field's type
    rules = ruleset("official")
    async with Arena(settings) as arena:

        def open_like(table: HostedTable) -> None:
            arena.forget_table(table.table_id)
            arena.open_table(table.plan)

        arena.host.closed_hook = open_like
        clock = TimeControl(limit_ms=60_000)
        for group in groups(bots, tables):
            names = [f"b{number}" for number in group]
            arena.open_table(TablePlan(rules=rules, seats=tuple(SeatPlan(bot=name) for name in names), clock=clock))
        calm_collector()
        print(arena.address, flush=True)
        await until.wait()


async def serve_echo(until: asyncio.Event) -> None:
    """A plain grpc.aio stream that sends every message back."""

    async def echo(_requests: object, context: Any) -> None:
        while (message := await context.read()) is not grpc.aio.EOF:
            await context.write(message)

    method: grpc.RpcMethodHandler[bytes, bytes] = grpc.stream_stream_rpc_method_handler(echo)
    server = grpc.aio.server()
    server.add_generic_rpc_handlers((grpc.method_handlers_generic_handler("bench.Echo", {"Echo": method}),))
    port = server.add_insecure_port("127.0.0.1:0")
    await server.start()
    print(f"127.0.0.1:{port}", flush=True)
    await until.wait()
    await server.stop(None)


async def _main(arguments: list[str]) -> None:
    until = asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, until.set)
    if arguments[0] == "echo":
        await serve_echo(until)
    else:
        bots, tables, data, durability = arguments[1:5]
        await serve_arena(int(bots), int(tables), (data, durability), until)


def main() -> None:
    """Serves until SIGTERM; with uvloop when the last argument is `uvloop`."""
    configure_log("json", "error")
    arguments = sys.argv[1:]
    if arguments[-1] == "uvloop":
        import uvloop  # noqa: PLC0415 - an optional extra

        uvloop.run(_main(arguments[:-1]))
    else:
        asyncio.run(_main(arguments[:-1]))


if __name__ == "__main__":
    main()
