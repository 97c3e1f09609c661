"""`lastcard bot run --instances`: one command, several processes that share the seats of one bot."""

import asyncio
import signal
import sys

from lastcard.services.identity import identity_of
from service_client import plan
from waiting import until


async def test_instances_share_seats_and_end_together(start_arena):
    arena = await start_arena(anonymous=False)
    tokens = [arena.mint("mine") for _ in range(2)]
    command = ("-m", "lastcard.cli.main", "bot", "run", "greedy", "--server", arena.address, "--instances", "2")
    program = await asyncio.create_subprocess_exec(
        sys.executable, *command, "--token", ",".join(tokens), stderr=asyncio.subprocess.PIPE
    )
    try:
        await until(lambda: all(identity_of(token) in arena.host.lobby.peers for token in tokens))
        tables = [arena.open_table(plan("mine", "+greedy")) for _ in range(2)]
        served = {identity for name in tables for identity in arena.host.tables[name].seat_of}
        assert served == {identity_of(token) for token in tokens}
        for name in tables:
            assert not (await arena.result(name)).faults
        program.send_signal(signal.SIGTERM)
        _, printed = await asyncio.wait_for(program.communicate(), 60)
    finally:
        if program.returncode is None:
            program.kill()
    assert program.returncode == 0
    assert printed.decode().count("ended: stopped") == 2
