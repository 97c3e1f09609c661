"""Running checks against bots of this process.

Here: `in_memory`, which needs neither network nor time, and `over_grpc`. Not here: what must come out.
"""

import asyncio
import functools
from collections.abc import Callable, Mapping, Sequence

from conform.calls import GrpcDialer, MemoryArena
from conform.launching import Launch
from conform.raw_bot import RightBot
from conform.virtual import in_virtual_time
from lastcard.conform.bench import Bench
from lastcard.conform.checking import Check
from lastcard.conform.launch import Launcher
from lastcard.conform.running import Verdict, run_check

AT_A_TIME = 40


@functools.cache
def in_memory(bot: type[RightBot], check: Check) -> Verdict:
    """What a check says about a raw bot, in virtual time; the same each time."""
    arena = MemoryArena()
    launcher = Launch(bot, lambda _: arena.dialer())
    return in_virtual_time(run_check(check, Bench(launcher, arena=arena)))


async def over_grpc(launchers: Mapping[str, Launcher], checks: Sequence[Check]) -> list[tuple[str, Verdict]]:
    """What checks say about bots on real ports, by name; those that measure time run in less of a crowd."""
    free = asyncio.Semaphore(AT_A_TIME)

    async def one(name: str, check: Check) -> tuple[str, Verdict]:
        async with free:
            return name, await run_check(check, Bench(launchers[name]))

    crowd = [one(name, check) for check in checks for name in launchers if not check.alone]
    verdicts = await asyncio.gather(*crowd)
    for check in checks:
        if check.alone:
            verdicts += await asyncio.gather(*(one(name, check) for name in launchers))
    return verdicts


def raw_over_grpc(bot: type[RightBot]) -> Launcher:
    """A raw bot that dials in over gRPC."""
    dialer: Callable[[str], GrpcDialer] = GrpcDialer
    return Launch(bot, dialer)
