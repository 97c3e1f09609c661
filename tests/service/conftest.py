"""A real arena on a real port for each test that wants one."""

import asyncio

import pytest

from lastcard.app import Arena, Settings
from lastcard.conform.arena import ScriptedArena
from lastcard.services.log import configure_log
from lastcard_bot import Settings as BotSettings
from lastcard_bot import play
from service_client import BotStream, connection


@pytest.fixture(autouse=True)
def _quiet_log():
    configure_log("json", "error")


@pytest.fixture
async def start_arena():
    """Starts arenas with the settings given; all are stopped at the end."""
    arenas = []

    async def start(**settings):
        arena = Arena(Settings(**settings))
        await arena.start()
        arenas.append(arena)
        return arena

    yield start
    for arena in arenas:
        await arena.stop(2)


@pytest.fixture
async def arena(start_arena):
    """An arena that keeps nothing on disk."""
    return await start_arena()


@pytest.fixture
async def channel(arena):
    async with connection(arena.address) as opened:
        yield opened


@pytest.fixture
async def bot(channel):
    """Opens play streams; all are broken off at the end."""
    streams = []

    def open_stream(token=""):
        streams.append(BotStream(channel, token))
        return streams[-1]

    yield open_stream
    for stream in streams:
        stream.cancel()


@pytest.fixture
async def scripted():
    """A server that does what the test says, for the SDK's side of the stream."""
    async with ScriptedArena() as arena:
        yield arena


@pytest.fixture
async def dial():
    """Plays bots of the SDK; those that still play at the end are cancelled."""
    tasks = []

    def dial(bot, address, **settings):
        where = BotSettings(server=address, **{"name": "me", **settings})
        tasks.append(asyncio.create_task(play((bot, where))))
        return tasks[-1]

    yield dial
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
