"""`lastcard bridge` as a process, with programs as they are: shell scripts, and such that die or talk too much."""

import asyncio
import os
import re
import signal
import sys
from pathlib import Path

import pytest

from bot_messages import asked, seated
from lastcard.cli.main import main
from lastcard_bot.program import MOST_LINE, Program
from lastcard_bot.settings import BotError
from waiting import process_lives, until

BOUND_S = 60.0
ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "clients/README.md").read_text(encoding="utf-8")


class Started:
    """The command and what it says."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self.process = process

    async def end(self) -> tuple[int, str]:
        """Status and standard error, once it has ended."""
        _, err = await asyncio.wait_for(self.process.communicate(), BOUND_S)
        assert self.process.returncode is not None
        return self.process.returncode, err.decode()


@pytest.fixture
async def bridge(scripted):
    """Starts `lastcard bridge -- COMMAND`; what still runs at the end is killed."""
    started = []

    async def start(*command: str, server: str = scripted.address) -> Started:
        kept = {name: value for name, value in os.environ.items() if not name.startswith("LASTCARD_")}
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "lastcard.cli.main", "bridge", "--", *command),
            env=kept | {"LASTCARD_SERVER": server, "LASTCARD_BOT": "mine", "LASTCARD_TOKEN": "secret"},
            stderr=asyncio.subprocess.PIPE,
        )
        started.append(Started(process))
        return started[-1]

    yield start
    for one in started:
        if one.process.returncode is None:
            one.process.kill()
            await one.process.wait()


@pytest.mark.parametrize("language", ["sh", "python"])
def test_the_bots_of_the_page_are_those_that_are_tested(language):
    shown = re.search(rf"```{language}\n(.*?)```", PAGE, re.DOTALL)
    assert shown is not None
    file = ROOT / "clients/bridge" / f"bot.{language[:2]}"
    assert shown[1] == file.read_text(encoding="utf-8")
    assert len([line for line in shown[1].splitlines() if line.strip()]) <= 10


@pytest.mark.parametrize("command", [("sh", "clients/bridge/bot.sh"), (sys.executable, "clients/bridge/bot.py")])
async def test_the_bots_of_the_page_play_whole_matches_without_a_fault(bridge, start_arena, command):
    arena = await start_arena(practice="random", rules="official")
    over = []
    seat_again = arena.host.closed_hook
    assert seat_again is not None

    def closed(table):
        over.append(table)
        seat_again(table)

    arena.host.closed_hook = closed
    token = arena.mint("mine")
    arena.adopt("mine", "secret")
    started = await bridge(*command, server=arena.address)
    await until(lambda: len(over) >= 2)
    started.process.send_signal(signal.SIGTERM)
    status, err = await started.end()
    assert status == 0, err
    assert "WARNING" not in err
    assert "ERROR" not in err
    for table in over:
        result = await arena.result(table.table_id)
        assert not result.faults
    arena.revoke(token)


async def test_a_closed_terminal_ends_the_program_too(bridge, scripted):
    started = await bridge("sh", "-c", 'trap "" HUP TERM; while read -r line; do echo "$$" >&2; done')
    stream = await scripted.stream()
    await stream.open(seated(), asked(7))
    started.process.send_signal(signal.SIGHUP)
    assert await stream.next() is None
    stream.end()
    status, err = await started.end()
    assert status == 0, err
    assert "ended: stopped" in err


async def test_a_program_that_dies_is_told_of_with_status_1(bridge, scripted):
    started = await bridge("sh", "-c", "read line; exit 7")
    stream = await scripted.stream()
    await stream.open(seated(), asked(7))
    assert await stream.next() is None
    stream.end()
    status, err = await started.end()
    assert status == 1
    assert "lastcard: sh ended with status 7 while it was to play" in err


async def test_the_bridge_ends_with_a_program_that_is_done_and_hides_its_token(bridge, scripted):
    started = await bridge("sh", "-c", 'read line; echo "token <$LASTCARD_TOKEN> of $LASTCARD_BOT" >&2')
    stream = await scripted.stream()
    await stream.open(seated())
    assert stream.metadata["authorization"] == "Bearer secret"
    assert await stream.next() is None
    stream.end()
    status, err = await started.end()
    assert status == 0, err
    assert "token <> of mine" in err


def test_a_program_that_cannot_be_started_is_refused(capfd):
    assert main(["bridge", "--server", "127.0.0.1:9", "--", "no-such-program"]) == 2
    assert "cannot start 'no-such-program' (No such file or directory)" in capfd.readouterr().err


def test_settings_that_cannot_be_are_refused(capfd, monkeypatch):
    monkeypatch.delenv("LASTCARD_SERVER", raising=False)
    assert main(["bridge", "--", "cat"]) == 2
    assert "no server is named" in capfd.readouterr().err
    assert main(["bridge", "--server", "here", "--", "cat"]) == 2
    assert "'here' is no address" in capfd.readouterr().err
    with pytest.raises(SystemExit):
        main(["bridge", "--server", "127.0.0.1:9", "--max-open-decisions", "-1", "--", "cat"])
    assert "--max-open-decisions: '-1' is not a whole number from 0 to 4294967295" in capfd.readouterr().err


def ignore(_: str) -> None:
    """Takes a line."""


async def start(*command: str) -> Program:
    return await Program.start(command, dict(os.environ))


async def test_a_program_that_ignores_the_end_is_killed_with_its_group(monkeypatch):
    monkeypatch.setattr("lastcard_bot.program.END_S", 0.1)
    program = await start(
        "sh", "-c", "trap '' TERM; sh -c 'while :; do sleep 1; done' & echo $!; while :; do sleep 1; done"
    )
    lines: list[str] = []
    reading = asyncio.create_task(program.read(lines.append))
    await until(lambda: bool(lines))
    await program.end()
    await asyncio.wait_for(reading, BOUND_S)
    await until(lambda: not process_lives(int(lines[0])))


async def test_lines_that_are_too_long_and_closed_outputs_are_told(monkeypatch):
    monkeypatch.setattr("lastcard_bot.program.END_S", 0.1)
    endless = await start("sh", "-c", "yes | tr -d '\\n'")
    with pytest.raises(BotError, match=f"sh wrote a line of more than {MOST_LINE} bytes"):
        await endless.read(ignore)
    await endless.end()
    closed = await start("sh", "-c", "exec >&-; while :; do sleep 1; done")
    with pytest.raises(BotError, match="sh closed its standard output"):
        await closed.read(ignore)
    await closed.end()


async def test_a_program_that_does_not_read_is_told_of_and_ended(monkeypatch):
    monkeypatch.setattr("lastcard_bot.program.MOST_UNREAD", 100_000)
    deaf = await start("sh", "-c", "while :; do sleep 1; done")
    for _ in range(10):
        deaf.write("x" * 100_000)
    with pytest.raises(BotError, match="sh does not read: more than 100000 bytes wait for it"):
        await asyncio.wait_for(deaf.read(ignore), BOUND_S)
    await deaf.end()
