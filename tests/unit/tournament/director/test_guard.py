import asyncio
import os
import signal
import subprocess
import sys

from lastcard.tournament.director.guard import Guard
from waiting import process_lives, until

SLEEP = [sys.executable, "-c", "import time; time.sleep(60)"]

TOURNAMENT = f"""
import asyncio, os, subprocess, sys
from lastcard.tournament.director.guard import Guard

async def main():
    async with Guard() as guard:
        bots = [subprocess.Popen({SLEEP!r}, start_new_session=True, stdout=subprocess.DEVNULL) for _ in range(3)]
        for bot in bots:
            guard.watch(bot.pid, "mark of " + str(bot.pid))
        guard.forget(bots[2].pid)
        bots.append(subprocess.Popen(
            {SLEEP!r},
            start_new_session=True,
            stdout=subprocess.DEVNULL,
            env=dict(os.environ, LASTCARD_RUN="mark of " + str(bots[0].pid)),
        ))
        await asyncio.sleep(0.2)  # lets the last line out
        print(*(bot.pid for bot in bots), flush=True)
        await asyncio.sleep(60)

asyncio.run(main())
"""


async def test_bots_of_a_killed_tournament_are_killed() -> None:
    tournament = await asyncio.create_subprocess_exec(sys.executable, "-c", TOURNAMENT, stdout=subprocess.PIPE)
    assert tournament.stdout is not None
    first, second, forgotten, away = map(int, (await tournament.stdout.readline()).split())
    try:
        assert all(map(process_lives, (first, second, forgotten, away)))
        tournament.kill()
        await tournament.wait()
        await until(lambda: not any(map(process_lives, (first, second, away))))
        assert process_lives(forgotten)
    finally:
        os.kill(forgotten, signal.SIGKILL)


async def test_what_is_forgotten_outlives_the_guard() -> None:
    bot = await asyncio.create_subprocess_exec(*SLEEP, start_new_session=True)
    try:
        async with Guard() as guard:
            guard.watch(bot.pid, "mark")
            guard.forget(bot.pid)
        assert process_lives(bot.pid)
    finally:
        bot.kill()
        await bot.wait()


async def test_what_is_watched_to_the_end_is_killed() -> None:
    bot = await asyncio.create_subprocess_exec(*SLEEP, start_new_session=True)
    async with Guard() as guard:
        guard.watch(bot.pid, "mark")
    assert await bot.wait() == -signal.SIGKILL
