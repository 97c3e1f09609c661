"""A real arena on a real port for each test that wants one."""

import asyncio

import pytest

from lastcard import app
from lastcard.app import Arena, Settings
from lastcard.conform.arena import ScriptedArena
from lastcard.services.log import configure_log
from lastcard.table.pump import Pump
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


class Time:
    """An arena's clock: it stands until a test moves it on."""

    def __init__(self, not_before_ms: int = 0) -> None:
        self.ms = max(1_000_000, not_before_ms)

    def now(self) -> int:
        return self.ms

    def stalled_ms(self) -> int:
        return 0


@pytest.fixture
def times(monkeypatch):
    """The clocks of all arenas that are started after this, each of which stands until a test moves it on."""
    made = []

    def clock(not_before_ms):
        made.append(Time(not_before_ms))
        return made[-1]

    monkeypatch.setattr(app, "RunningClock", clock)
    arm = Pump._arm
    # The loop's own time goes on, too: it must not look at what is due while a test has put time forward.
    monkeypatch.setattr(Pump, "_arm", lambda pump, due: arm(pump, due) if due <= pump._clock() else None)
    return made


@pytest.fixture
async def timed(times, start_arena):
    """An arena, its time, and `pass_time`: moves time on and has the timer see it, unless it is late."""
    arena = await start_arena(heartbeat_s=3_600)
    (time,) = times

    def pass_time(ms, *, timer=True):
        time.ms += ms
        if timer:
            arena.host.pump._on_time()

    return arena, time, pass_time


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
