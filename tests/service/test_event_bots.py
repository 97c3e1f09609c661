"""Bots of an event at a real arena: remote ones that dial in, probes that they fail, copies that die in mid-game."""

import asyncio
import json
import os
import signal
import socket
import stat
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from bot_doubles import First
from lastcard.app import Arena, Settings
from lastcard.cli.main import main
from lastcard.services.event_arena import EventArena
from lastcard.tournament import notices
from lastcard.tournament.director import Director, probe
from lastcard.tournament.file import load
from lastcard.tournament.ledger import read_rows
from lastcard.tournament.passes import Passes
from lastcard.tournament.results import Results
from lastcard.tournament.resumption import resume
from service_client import BotStream, Ended, connection
from waiting import until

FILE = """\
[tournament]
name = "cup"
seed = 3
table_size = 2
deals = {deals}
concurrency = 2
options = {{ match_end = "single_round" }}
[clock]
limit = "{limit}"
bank = "0s"
start_up = "{start_up}"
grace = "20s"
[[bot]]
name = "ann"
builtin = "greedy"
{bots}
"""
REMOTE = '[[bot]]\nname = "ben"\nremote = true\nwait = "{wait}"\n'


class Event:
    """An event at an arena in this process; `told` is all that those who look on were told."""

    def __init__(self, tmp_path: Path, bots: str, *, deals: int = 2, limit: str = "20s", start_up: str = "20s") -> None:
        path = tmp_path / "cup.toml"
        path.write_text(FILE.format(deals=deals, limit=limit, start_up=start_up, bots=bots))
        self.file = load(path, ("greedy",))
        self.directory = tmp_path / "out"
        self.told: list = []
        self.director: Director
        self.reports: list = []

    @asynccontextmanager
    async def on(self, port: int = 0):
        """The event while it is played."""
        begun = self.directory.exists()
        file = self.file
        results = (
            resume(self.directory, file) if begun else Results.create(self.directory, file.text, file.name, file.seed)
        )
        settings = Settings(data=results.store, anonymous=False, port=port)
        async with Arena(settings) as arena, asyncio.timeout(100):
            self.director = Director(file, results, (EventArena(arena),), self.told.append)
            playing = asyncio.create_task(self.director.run())
            try:
                yield arena
                self.reports.append(await playing)
            finally:
                playing.cancel()
                await asyncio.gather(playing, return_exceptions=True)

    def told_of(self, kind: type) -> list:
        return [notice for notice in self.told if isinstance(notice, kind)]

    @property
    def rows(self) -> list:
        return read_rows(self.directory / "ledger.jsonl")[0]

    async def remote_pass(self):
        """What the owner of the remote bot is given."""
        passes = Passes(self.directory)
        await until(lambda: passes.read("ben", 1) is not None)
        return passes.read("ben", 1)

    def conduct(self) -> dict:
        return json.loads((self.directory / "event.json").read_text())["bots"]["ben"]


def mode_of(path: str) -> int:
    return stat.S_IMODE(Path(path).stat().st_mode)


async def test_a_remote_bot_dials_in_with_its_pass_and_is_told_when_it_is_over(tmp_path, dial):
    event = Event(tmp_path, REMOTE.format(wait="30s"))
    async with event.on() as arena:
        given = await event.remote_pass()
        assert (given.server, given.bot) == (arena.address, "ben")
        (awaited,) = event.told_of(notices.RemoteAwaited)
        assert (awaited.server, awaited.token, awaited.wait_ms) == (given.server, given.token, 30_000)
        assert mode_of(awaited.path) == 0o600
        assert given.text() == f"LASTCARD_SERVER={given.server}\nLASTCARD_TOKEN={given.token}\nLASTCARD_BOT=ben\n"
        playing = dial(First(), given.server, token=given.token, name="")
    await asyncio.wait_for(playing, 60)
    (report,) = event.reports
    assert report.complete
    assert len(event.rows) == 4
    assert not any(row.faults for row in event.rows)
    assert not (event.directory / "remote").exists()
    assert (event.conduct()["starts"], event.conduct()["failures"]) == (1, 0)


async def test_a_remote_bot_that_does_not_come_is_set_aside_and_the_event_goes_on(tmp_path):
    event = Event(tmp_path, REMOTE.format(wait="50ms"), start_up="50ms")
    async with event.on():
        pass
    assert event.reports[0].complete
    first, *later = [notice.why for notice in event.told_of(notices.BotFailed)]
    assert first == "did not come within 0.05 s"
    assert all(why.startswith("was removed because it did not turn up (game ") for why in later)
    assert len(later) == 2
    assert {fault.kind for row in event.rows for fault in row.faults} == {"start_up"}
    assert all(row.places[row.seats.index("ben")] == 2 for row in event.rows)


async def test_a_remote_bot_may_come_late(tmp_path, dial):
    event = Event(tmp_path, REMOTE.format(wait="50ms"), deals=3)
    async with event.on():
        given = await event.remote_pass()
        await until(lambda: event.told_of(notices.GameStarted))
        assert [notice.why for notice in event.told_of(notices.BotFailed)] == ["did not come within 0.05 s"]
        dial(First(), given.server, token=given.token, name="")
    assert event.reports[0].complete
    assert not any(row.faults for row in event.rows)


async def test_a_remote_bot_comes_back_by_itself_to_an_event_that_is_gone_on_with(tmp_path, dial):
    event = Event(tmp_path, REMOTE.format(wait="30s"), deals=6)
    async with event.on() as arena:
        given = await event.remote_pass()
        playing = dial(First(), given.server, token=given.token, name="")
        await until(lambda: event.told_of(notices.GameFinished))
        event.director.stop()
        event.director.stop()
        port = int(arena.address.rpartition(":")[2])
    assert not event.reports[0].complete
    assert event.conduct()["starts"] == 1
    async with event.on(port) as arena:
        assert Passes(event.directory).read("ben", 1) == given
        assert arena.address == given.server
    await asyncio.wait_for(playing, 60)
    assert event.reports[1].complete
    assert len(event.rows) == 12
    assert not any(row.faults for row in event.rows)
    assert event.told_of(notices.BotFailed) == []


async def answers_nonsense(address: str, token: str) -> None:
    """Plays as a program that knows no rules and cannot be taught any; three refusals count as a timeout."""
    async with connection(address) as channel:
        stream = BotStream(channel, token)
        await stream.hello()
        try:
            while True:
                decision = await stream.decision()
                for _ in range(3):
                    await stream.act(decision, 9_999)
        except (Ended, asyncio.InvalidStateError):
            return


async def test_a_bot_that_answers_rubbish_is_named_before_the_first_game(tmp_path):
    event = Event(tmp_path, REMOTE.format(wait="30s"))
    async with event.on():
        given = await event.remote_pass()
        playing = asyncio.create_task(answers_nonsense(given.server, given.token))
    playing.cancel()
    await asyncio.gather(playing, return_exceptions=True)
    whys = [notice.why for notice in event.told_of(notices.BotFailed)]
    assert len(whys) == 3
    assert all(why.startswith("failed the health probe: ") for why in whys)
    told = [type(notice) for notice in event.told]
    assert told.index(notices.BotSetAside) < told.index(notices.GameStarted)
    assert event.reports[0].complete
    assert not list((event.directory / "records").glob("probe*"))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("source", "why", "limit_ms"),
    [
        ("        import os\n        os._exit(7)\n", "ended with status 7", 60_000),
        ("        import time\n        time.sleep(600)\n", "failed the health probe: timeout: ", 200),
    ],
)
async def test_a_program_that_crashes_or_hangs_when_it_is_to_play_is_named_before_the_first_game(
    tmp_path, monkeypatch, source, why, limit_ms
):
    monkeypatch.setattr(probe, "LEAST_LIMIT_MS", limit_ms)
    head = "from lastcard_bot import Bot, run\nclass Mine(Bot):\n    def choose(self, view, legal):\n"
    code = f"{head}{source}run(Mine())\n"
    command = f'[[bot]]\nname = "ben"\ncopies = 1\ncommand = ["python3", "-c", {json.dumps(code)}]\n'
    event = Event(tmp_path, command, limit=f"{limit_ms}ms")
    async with event.on():
        pass
    whys = [notice.why for notice in event.told_of(notices.BotFailed)]
    assert len(whys) == 3
    assert all(each.startswith(why) for each in whys)
    told = [type(notice) for notice in event.told]
    assert told.index(notices.BotSetAside) < told.index(notices.GameStarted)
    assert {fault.kind for row in event.rows for fault in row.faults} == {"start_up"}


@pytest.mark.slow
async def test_a_copy_that_is_killed_in_mid_game_is_stood_in_for_by_another(tmp_path):
    waits = (
        "import os, time\nfrom pathlib import Path\nfrom lastcard_bot import run\n"
        "from lastcard_bot.bots.greedy_bot import GreedyBot\n"
        f"here = Path({str(tmp_path)!r})\n"
        "class Mine(GreedyBot):\n"
        "    asked = 0\n"
        "    def decide(self, decision):\n"
        "        self.asked += decision.table_id.startswith('game')\n"
        "        if self.asked == 5:\n"
        "            (here / f'asked-{os.getpid()}').touch()\n"
        "            while not (here / 'go').exists():\n"
        "                time.sleep(0.02)\n"
        "        return super().decide(decision)\n"
        "run(Mine(0))\n"
    )
    command = f'[[bot]]\nname = "ben"\ncopies = 2\ncommand = ["python3", "-c", {json.dumps(waits)}]\n'
    event = Event(tmp_path, command, limit="90s")
    async with event.on() as arena:
        await until(lambda: len(event.told_of(notices.GameStarted)) == 2)
        await until(lambda: len(list(tmp_path.glob("asked-*"))) == 2)
        tables = [arena.host.tables[f"game-{number:05d}"] for number in (1, 2)]
        assert all(table.feed.last > 8 for table in tables)
        before = {table.table_id: table.links[table.plan.seats.index(_seat_of(table))].identity for table in tables}
        assert len(set(before.values())) == 2
        os.kill(int(next(tmp_path.glob("asked-*")).name[6:]), signal.SIGKILL)
        await until(lambda: event.told_of(notices.BotFailed))
        (tmp_path / "go").touch()
    assert event.reports[0].complete
    assert not any(row.faults for row in event.rows)
    assert [fault["kind"] for row in event.rows for fault in row.times["recovered"]] == ["crash"]
    assert (event.conduct()["crashes"], event.conduct()["failures"]) == (1, 1)
    assert event.told_of(notices.BotFailed)[0].why.startswith("was ended by SIGKILL")


def _seat_of(table):
    return next(seat for seat in table.plan.seats if seat.bot == "ben")


def test_an_address_that_is_taken_is_refused_with_what_to_do(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    Path("cup.toml").write_text(FILE.format(deals=1, limit="20s", start_up="20s", bots=REMOTE.format(wait="1s")))
    with socket.create_server(("127.0.0.1", 0)) as taken:
        address = f"127.0.0.1:{taken.getsockname()[1]}"
        assert main(["tournament", "run", "cup.toml", "--listen", address]) == 2
    told = capsys.readouterr().err
    assert f"cannot listen on {address}: the port is taken" in told
    assert "name another address with --listen" in told


def test_whoever_lets_others_dial_in_is_warned(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    Path("cup.toml").write_text(
        FILE.format(deals=1, limit="20s", start_up="20s", bots='[[bot]]\nname = "ben"\nbuiltin = "greedy"')
    )
    assert main(["tournament", "run", "cup.toml", "--listen", "0.0.0.0:0", "--json"]) == 0
    assert "warning: listening on 0.0.0.0:0 without TLS" in capsys.readouterr().err
