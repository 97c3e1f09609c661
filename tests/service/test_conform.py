"""`lastcard conform` as a program, the wire between arena and bot, and commands as bots."""

import asyncio
import json
import sys
from pathlib import Path

import pytest

from bot_doubles import BOUND_S
from lastcard.conform.launch import Command, LaunchError, end
from lastcard.conform.wire import Wire
from waiting import process_lives, until

BOT = Path(__file__).parents[2] / "clients/python/examples/my_bot.py"
SCRIPT = """
import signal, sys, os
print("LASTCARD", os.environ["LASTCARD_BOT"], file=sys.stderr, flush=True)
signal.signal(signal.SIGTERM, {answer})
print("ready", file=sys.stderr, flush=True)
while True:
    signal.pause()
"""


async def conform(*arguments):
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "lastcard.cli.main", "conform", *arguments),
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    out, err = await asyncio.wait_for(process.communicate(), BOUND_S * 2)
    return process.returncode, out.decode(), err.decode()


# ----------------------------------------------------------------- the command


@pytest.mark.slow
async def test_a_bot_that_is_right_conforms():
    checks = ("connects", "resumes", "replaced")
    only = [word for name in checks for word in ("--only", name)]
    status, out, err = await conform(*only, "--", "python", str(BOT))
    assert (status, err) == (0, "")
    assert [line.split()[:2] for line in out.splitlines()[:-1]] == [["ok", name] for name in checks]
    assert out.splitlines()[-1].endswith("the bot conforms")


async def test_a_bot_that_does_not_even_connect_is_told_why_as_json():
    status, out, err = await conform("--json", "--", "python", "-c", "raise SystemExit('I am lost')")
    lines = [json.loads(line) for line in out.splitlines()]
    assert (status, err) == (1, "")
    assert (lines[0]["check"], lines[0]["outcome"], lines[0]["output"]) == ("connects", "failed", "I am lost")
    assert lines[0]["text"] == "it did not open its stream: its program ended with status 1, saying: I am lost"
    assert {line["outcome"] for line in lines[1:]} == {"not run"}
    assert len(lines) > 40


# -------------------------------------------------------------------- programs


def script(answer: str) -> Command:
    return Command(["python", "-c", SCRIPT.format(answer=answer)])


async def ready(running) -> None:
    await until(lambda: "ready" in running.complaint())


async def test_a_program_is_started_with_its_environment_and_asked_to_end():
    running = await script("lambda *_: sys.exit(7)").start({"LASTCARD_BOT": "me"})
    await ready(running)
    assert running.complaint() == "LASTCARD me\nready"
    running.terminate()
    assert await asyncio.wait_for(running.wait(), BOUND_S) == 7


async def test_a_program_that_does_not_want_to_end_is_killed(monkeypatch):
    monkeypatch.setattr("lastcard.conform.launch.PATIENCE_S", 0.05)
    running = await script("signal.SIG_IGN").start({"LASTCARD_BOT": "me"})
    await ready(running)
    await asyncio.wait_for(end(running), BOUND_S)
    assert await running.wait() == -9


async def test_a_program_that_does_not_want_to_end_is_killed_also_when_nobody_can_wait_for_it():
    running = await script("signal.SIG_IGN").start({"LASTCARD_BOT": "me"})
    await ready(running)
    ending = asyncio.create_task(end(running))
    await asyncio.sleep(0)
    ending.cancel()
    with pytest.raises(asyncio.CancelledError):
        await ending
    assert await asyncio.wait_for(running.wait(), BOUND_S) == -9


async def test_what_a_program_leaves_behind_ends_with_it():
    child = "import subprocess, sys; print(subprocess.Popen(['sleep', '1000']).pid, file=sys.stderr)"
    running = await Command(["python", "-c", child]).start({})
    assert await asyncio.wait_for(running.wait(), BOUND_S) == 0
    left = int(running.complaint().splitlines()[-1])
    await until(lambda: not process_lives(left))


async def test_a_program_without_a_slash_is_looked_for_beside_the_running_python_first(tmp_path, monkeypatch):
    other = tmp_path / "python"
    other.write_text("#!/bin/sh\nexit 9\n")
    other.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    running = await Command(["python", "-c", "raise SystemExit(3)"]).start({})
    assert await asyncio.wait_for(running.wait(), BOUND_S) == 3
    running = await Command([str(other)]).start({})
    assert await asyncio.wait_for(running.wait(), BOUND_S) == 9


async def test_a_program_that_does_not_exist_cannot_be_started():
    with pytest.raises(LaunchError, match="'no-such-bot' could not be started: No such file"):
        await Command(["no-such-bot"]).start({})


# ------------------------------------------------------------------------ wire


@pytest.fixture
async def echo():
    """A server that says everything back."""

    async def answer(reader, writer):
        while data := await reader.read(100):
            writer.write(data)
        writer.close()

    server = await asyncio.start_server(answer, "127.0.0.1", 0)
    yield f"127.0.0.1:{server.sockets[0].getsockname()[1]}"
    server.close()


@pytest.fixture
async def dialled():
    """Dials wires; all connections are closed at the end."""
    writers = []

    async def dialled(wire):
        host, _, port = wire.address.rpartition(":")
        reader, writer = await asyncio.wait_for(asyncio.open_connection(host, int(port)), BOUND_S)
        writers.append(writer)
        return reader, writer

    yield dialled
    for writer in writers:
        writer.close()
    await asyncio.gather(*(writer.wait_closed() for writer in writers), return_exceptions=True)


async def said_back(reader, writer) -> bytes:
    writer.write(b"hello")
    return await asyncio.wait_for(reader.read(100), BOUND_S)


async def test_a_wire_that_is_cut_takes_new_connections_at_once(echo, dialled):
    async with Wire(echo) as wire:
        reader, writer = await dialled(wire)
        assert await said_back(reader, writer) == b"hello"
        wire.cut()
        assert await asyncio.wait_for(reader.read(100), BOUND_S) == b""
        again = await dialled(wire)
        assert await said_back(*again) == b"hello"


async def test_a_wire_that_leads_nowhere_refuses_connections_until_it_comes_back(echo, dialled):
    async with Wire(echo) as wire:
        address = wire.address
        reader, writer = await dialled(wire)
        await said_back(reader, writer)
        await wire.vanish()
        assert await asyncio.wait_for(reader.read(100), BOUND_S) == b""
        with pytest.raises(ConnectionRefusedError):
            await dialled(wire)
        await wire.come_back()
        assert wire.address == address
        again = await dialled(wire)
        assert await said_back(*again) == b"hello"


async def test_a_dead_connection_says_nothing_more_and_new_ones_work(echo, dialled):
    async with Wire(echo) as wire:
        reader, writer = await dialled(wire)
        await said_back(reader, writer)
        wire.go_dead()
        writer.write(b"anybody?")
        again = await dialled(wire)
        assert await said_back(*again) == b"hello"
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(reader.read(100), 0.05)
