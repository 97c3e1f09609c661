"""Bots as programs of their own: how they are started, what they say when they cannot play, how they end."""

import asyncio
import os
import signal
import sys
from pathlib import Path
from typing import NamedTuple

import grpc
import pytest

from bot_messages import asked, message_refused, seated, table_closed
from lastcard.cli.main import main

BOUND_S = 60.0
ROOT = Path(__file__).resolve().parents[2]
EXAMPLE = ROOT / "clients/python/examples/my_bot.py"
WATCHES = ROOT / "clients/python/examples/watch_table.py"
LASTCARD = (sys.executable, "-m", "lastcard.cli.main")

HEAD = """
import sys, time
from lastcard_bot import AsyncBot, Bot, run

class Mine(Bot):
"""
SLEEPS = HEAD + "    def choose(self, view, legal_actions):\n        time.sleep(600)\n\nrun(Mine())\n"
LEAVES_THE_PROGRAM = HEAD + "    def choose(self, view, legal_actions):\n        sys.exit(3)\n\nrun(Mine())\n"
WRITES = (
    HEAD
    + "    def choose(self, view, legal_actions):\n        return 0\n\n"
    + "    def on_table_closed(self, closed):\n        print('over:', closed.table_id)\n\n"
    + "run(Mine())\nprint('after')\n"
)
FORKS = (
    HEAD
    + "    def choose(self, view, legal_actions):\n"
    + "        return 1 + min(waitstatus_to_exitcode(waitpid(fork() or _exit(0), 0)[1]) for _ in range(30))\n\n"
    + "from os import _exit, fork, waitpid, waitstatus_to_exitcode\nrun(Mine())\n"
)
TASKS = WRITES.replace("(Bot)", "(AsyncBot)").replace("    def", "    async def")


class Ended(NamedTuple):
    status: int
    out: str
    err: str


class Program:
    """A bot's process."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self.process = process

    def kill(self, number: signal.Signals) -> None:
        self.process.send_signal(number)

    async def says(self, text: str) -> None:
        """Returns when a line with this text has come on stderr."""
        assert self.process.stderr is not None
        async with asyncio.timeout(BOUND_S):
            while text not in (await self.process.stderr.readline()).decode():
                assert not self.process.stderr.at_eof(), f"it never said {text!r}"

    async def end(self) -> Ended:
        out, err = await asyncio.wait_for(self.process.communicate(), BOUND_S)
        return Ended(self.process.returncode or 0, out.decode(), err.decode())


@pytest.fixture
async def start():
    """Starts programs; those still running at the end are killed."""
    programs = []

    async def start(*command: str | Path, **environment: str) -> Program:
        kept = {name: value for name, value in os.environ.items() if not name.startswith(("LASTCARD_", "GRPC_"))}
        process = await asyncio.create_subprocess_exec(
            *command,
            env={**kept, **environment},
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
        )
        programs.append(Program(process))
        return programs[-1]

    yield start
    for program in programs:
        if program.process.returncode is None:
            program.process.kill()
            await program.end()


def own(address: str, **more: str) -> dict[str, str]:
    return {"LASTCARD_SERVER": address, **more}


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT], ids=["SIGTERM", "SIGINT"])
async def test_a_program_that_is_asked_to_end_says_goodbye_and_ends_well(scripted, start, number):
    program = await start(sys.executable, EXAMPLE, **own(scripted.address))
    stream = await scripted.stream()
    assert (await stream.open(seated(), asked(1))).bot_name == "mybot"
    await stream.acts(1)
    program.kill(number)
    assert await stream.next() is None, "it half-closes its side"
    stream.end()
    ended = await program.end()
    assert (ended.status, ended.out) == (0, "")
    assert "Traceback" not in ended.err


async def test_a_program_whose_bot_thinks_for_long_ends_at_once_all_the_same(scripted, start):
    program = await start(sys.executable, "-c", SLEEPS, **own(scripted.address))
    stream = await scripted.stream()
    await stream.open(seated(), asked(1))
    program.kill(signal.SIGTERM)
    assert await stream.next() is None
    stream.end()
    assert (await program.end()).status == 0


async def test_a_bot_may_think_in_children_that_it_forks(scripted, start):
    """With gRPC's handlers around a fork, children go on with the bot's connection, and crash."""
    await start(sys.executable, "-c", FORKS, **own(scripted.address))
    stream = await scripted.stream()
    await stream.open(seated(), asked(1))
    assert await stream.acts(1) == [("t", 1, 1)], "each child came to its own end"


async def test_a_program_that_waits_for_its_server_ends_when_asked(scripted, start):
    program = await start(sys.executable, EXAMPLE, **own(scripted.address))
    await (await scripted.stream()).expect("hello")
    await scripted.__aexit__()
    program.kill(signal.SIGTERM)
    assert (await program.end()).status == 0


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT], ids=["SIGTERM", "SIGINT"])
async def test_a_program_that_is_asked_to_end_several_times_at_once_ends_well(start, number):
    # However long a busy machine takes for all of these signals, they are the same wish.
    patient = "from lastcard_bot import signals; signals.SAME_S = 600; from lastcard.cli.main import main; main()"
    program = await start(sys.executable, "-c", patient, "bot", "run", "greedy", "--server", "127.0.0.1:1")
    await program.says("next attempt in")
    for _ in range(10):
        program.kill(number)
        await asyncio.sleep(0.001)
        if program.process.returncode is not None:
            break
    ended = await program.end()
    assert (ended.status, ended.out) == (0, "")
    assert ended.err.splitlines()[-1].endswith("ended: stopped")


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT], ids=["SIGTERM", "SIGINT"])
async def test_a_later_signal_ends_at_once_a_program_that_never_comes_to_its_end(scripted, start, number):
    script = SLEEPS.replace("    def", "    threaded = False\n    def").replace(
        "time.sleep(600)", "print('thinks')\n" + " " * 8 + "time.sleep(600)"
    )
    program = await start(sys.executable, "-u", "-c", script, **own(scripted.address))
    stream = await scripted.stream()
    await stream.open(seated(), asked(1))
    assert await asyncio.wait_for(program.process.stdout.readline(), BOUND_S) == b"thinks\n"
    async with asyncio.timeout(BOUND_S):
        while program.process.returncode is None:
            program.kill(number)
            await asyncio.sleep(0.05)
    ended = await program.end()
    assert ended.status == -number
    assert "Traceback" not in ended.err


@pytest.mark.parametrize("script", [WRITES, TASKS], ids=["blocking", "async"])
async def test_the_end_of_an_event_lets_the_program_go_on(scripted, start, script):
    program = await start(sys.executable, "-c", script, **own(scripted.address, LASTCARD_TOKEN="t", LASTCARD_BOT="bob"))
    stream = await scripted.stream()
    assert (await stream.open(seated(), asked(1))).bot_name == "bob"
    assert stream.metadata["authorization"] == "Bearer t"
    await stream.acts(1)
    # As an arena does: the status alone is lost when the bot is just writing.
    stream.send(table_closed(), message_refused("UNAUTHENTICATED"))
    stream.end_for(grpc.StatusCode.UNAUTHENTICATED, "UNAUTHENTICATED", "the token has been revoked")
    ended = await program.end()
    assert (ended.status, ended.out) == (0, "over: t\nafter\n")


async def test_a_program_whose_session_was_taken_over_says_so_and_fails(scripted, start):
    program = await start(*LASTCARD, "bot", "run", "greedy", "--server", scripted.address)
    stream = await scripted.stream()
    assert (await stream.open(seated())).bot_name == "greedy"
    stream.send(message_refused("SESSION_REPLACED"))
    stream.end_for(grpc.StatusCode.ABORTED, "SESSION_REPLACED")
    ended = await program.end()
    assert ended.status == 1
    last = ended.err.splitlines()[-1]
    assert last.endswith("another program with the same identity took the session over: no, because")
    assert "Traceback" not in ended.err


async def test_a_bot_may_end_the_program_with_a_status_of_its_own(scripted, start):
    program = await start(sys.executable, "-c", LEAVES_THE_PROGRAM, **own(scripted.address))
    stream = await scripted.stream()
    await stream.open(seated(), asked(1))
    assert await stream.next() is None
    stream.end()
    assert (await program.end()).status == 3


async def test_a_bot_may_end_the_program_when_the_server_is_done_with_it(scripted, start):
    script = WRITES.replace("print('over:', closed.table_id)", "sys.exit(4)")
    program = await start(sys.executable, "-c", script, **own(scripted.address))
    stream = await scripted.stream()
    await stream.open(seated(), table_closed())
    stream.end()
    ended = await program.end()
    assert (ended.status, ended.out) == (4, "")


@pytest.mark.parametrize("threaded", [True, False])
async def test_a_coroutine_in_a_blocking_bot_is_explained_in_one_line(scripted, start, threaded):
    waits = f"    threaded = {threaded}\n    def choose(self, view, legal_actions):\n"
    waits += "        import asyncio\n        return asyncio.sleep(0)\n\nrun(Mine())\n"
    program = await start(sys.executable, "-c", HEAD + waits, **own(scripted.address))
    stream = await scripted.stream()
    await stream.open(asked(1))
    assert await stream.next() is None
    stream.end()
    ended = await program.end()
    assert ended.status == 1
    assert ended.err.splitlines()[-1].startswith("error: a method of a blocking Bot is a coroutine")
    assert "Traceback" not in ended.err


@pytest.mark.parametrize(
    ("script", "said"),
    [
        (
            WRITES.replace("(Bot)", "(AsyncBot)"),
            "Mine.choose is no coroutine; write `async def choose`, or derive from Bot",
        ),
        (
            TASKS.replace("(AsyncBot)", "(Bot)"),
            "Mine.choose is a coroutine; write `def choose`, or derive from AsyncBot",
        ),
    ],
    ids=["async", "blocking"],
)
async def test_methods_of_the_wrong_kind_are_refused_before_anything_is_played(start, script, said):
    ended = await (await start(sys.executable, "-c", script, **own("127.0.0.1:1"))).end()
    assert (ended.status, ended.out, ended.err) == (1, "", f"error: {said}\n")


@pytest.mark.parametrize(
    ("environment", "said"),
    [
        ({}, "no server is named; set LASTCARD_SERVER to host:port"),
        ({"LASTCARD_SERVER": "nowhere"}, "server 'nowhere' is no address"),
        ({"LASTCARD_SERVER": "127.0.0.1:1", "LASTCARD_BOT": "a b"}, "'a b' is no name for a bot"),
    ],
    ids=["no-server", "no-address", "no-name"],
)
async def test_a_program_that_cannot_start_says_why_in_one_line(start, environment, said):
    ended = await (await start(sys.executable, EXAMPLE, **environment)).end()
    assert (ended.status, ended.out) == (1, "")
    assert ended.err.startswith(f"error: {said}")
    assert ended.err.count("\n") == 1


async def test_the_command_says_the_same_about_its_use(start):
    ended = await (await start(*LASTCARD, "bot", "run", "greedy")).end()
    assert (ended.status, ended.out) == (2, "")
    assert ended.err == "lastcard: no server is named; give --server HOST:PORT, or set LASTCARD_SERVER\n"


async def test_a_bot_from_a_file_runs_by_the_command(scripted, start):
    program = await start(*LASTCARD, "bot", "run", f"{EXAMPLE}:MyBot", "--server", scripted.address, "--name", "mine")
    stream = await scripted.stream()
    assert (await stream.open(seated(), asked(1))).bot_name == "mine"
    assert await stream.acts(1) == [("t", 1, 0)]
    program.kill(signal.SIGTERM)
    assert await stream.next() is None
    stream.end()
    assert (await program.end()).status == 0


async def test_the_example_of_the_api_follows_a_table_and_writes_a_record_that_verifies(arena, start, tmp_path, capsys):
    runs = f"import os, runpy; os.chdir({str(tmp_path)!r}); runpy.run_path({str(WATCHES)!r}, run_name='__main__')"
    ended = await (await start(sys.executable, "-c", runs, **own(arena.address))).end()
    assert (ended.status, ended.err) == (0, "")
    assert "match_ended\nover, points [" in ended.out
    (record,) = tmp_path.iterdir()
    assert main(["verify", str(record)]) == 0
    assert ended.out.rstrip().rpartition(": ")[2] in capsys.readouterr().out


async def test_the_log_goes_to_stderr(scripted, start):
    program = await start(sys.executable, EXAMPLE, **own(scripted.address))
    stream = await scripted.stream()
    await stream.open(seated(), server_version="7")
    stream.end()
    ended = await program.end()
    assert (ended.status, ended.out) == (0, "")
    assert f"connected to {scripted.address} (server 7) as mybot" in ended.err
    assert "ended: the server ended the session" in ended.err
