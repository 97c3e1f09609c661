"""`lastcard practice`: a real bot over a slow wire, and what becomes of those that do not play."""

import asyncio
import contextlib
import json
import sys
from pathlib import Path

import pytest

from lastcard.cli.main import main
from lastcard.conform.wire import Wire
from lastcard.practice.line import Conditions
from lastcard.practice.slow_link import SlowLine
from lastcard.table.timecontrol import TimeControl

ROOT = Path(__file__).resolve().parents[2]
BOT = [sys.executable, "-m", "lastcard.cli.main", "bot", "run", "greedy"]
NEVER_CONNECTS = [sys.executable, "-c", "import time; time.sleep(600)"]


async def _echo(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    while chunk := await reader.read(65_536):
        writer.write(chunk)
    writer.close()


async def test_a_slow_wire_carries_everything_in_order_and_not_before_its_time():
    echo = await asyncio.start_server(_echo, "127.0.0.1", 0)
    line = SlowLine(Conditions(20, 10))
    async with echo, Wire(f"127.0.0.1:{echo.sockets[0].getsockname()[1]}", line.link) as wire:
        host, port = wire.address.split(":")
        reader, writer = await asyncio.open_connection(host, int(port))
        for part in range(3):
            writer.write(bytes([part]) * 50_000)
            assert await reader.readexactly(50_000) == bytes([part]) * 50_000
        writer.write_eof()
        assert await reader.read() == b""
        writer.close()
    assert len(line.to_server) >= 3
    assert len(line.to_bot) >= 3
    for way in (line.to_server, line.to_bot):
        assert all(carried.arrived_ms - carried.said_ms >= 10 for carried in way)


async def test_a_wire_that_is_cut_ends_what_is_under_way():
    echo = await asyncio.start_server(_echo, "127.0.0.1", 0)
    line = SlowLine(Conditions(10))
    async with echo, Wire(f"127.0.0.1:{echo.sockets[0].getsockname()[1]}", line.link) as wire:
        host, port = wire.address.split(":")
        reader, writer = await asyncio.open_connection(host, int(port))
        writer.write(b"one")
        assert await reader.readexactly(3) == b"one"
        writer.write(b"two")
        wire.cut()
        with contextlib.suppress(ConnectionResetError):
            assert await reader.read() == b""
        writer.close()


def practice(*options: str, bot: list[str] | None = None) -> int:
    return main(["practice", *options, "--", *(bot or BOT)])


def test_a_bot_plays_over_a_bad_line_and_each_decision_is_measured(capsys):
    options = ("--delay", "10ms", "--jitter", "4ms")
    assert practice(*options, "--games", "2", "--json") == 0
    said = json.loads(capsys.readouterr().out)
    assert {decision["game"] for decision in said["decisions"]} == {1, 2}
    assert all(decision["took_ms"] >= 9 for decision in said["decisions"])
    parts = [decision["took_ms"] - decision["bot_ms"] for decision in said["decisions"]]
    assert all(line_ms >= 9 for line_ms in parts)
    assert practice(*options, "--games", "1", "--limit", "5ms", "--bank", "1ms") == 1
    shown = capsys.readouterr().out
    first = sum(decision["game"] == 1 for decision in said["decisions"])
    assert f"{first} decisions in 1 game over" in shown, "the same seed gives the same games"
    assert "<- asked about" in shown


def test_a_bot_that_does_not_play_is_told_of(capsys):
    assert practice(bot=[sys.executable, "-c", "print('no'); import sys; sys.exit('gave up')"]) == 1
    assert "the bot's program ended with status 1; it wrote last: gave up" in capsys.readouterr().err
    assert practice("--start-up", "100ms", bot=NEVER_CONNECTS) == 1
    assert "the bot did not connect within 0.1 s" in capsys.readouterr().err
    assert practice(bot=["no-such-program"]) == 2
    assert "'no-such-program' could not be started" in capsys.readouterr().err


def test_a_bot_that_hangs_ends_the_practice_with_that_game(capsys, monkeypatch, tmp_path):
    monkeypatch.setattr("lastcard.practice.playing.CLOCK", TimeControl(limit_ms=50, bank_ms=0, reaction_ms=50))
    hangs = tmp_path / "hangs.py"
    hangs.write_text(
        "import time\nfrom lastcard_bot import Bot, run\n\nclass Hangs(Bot):\n"
        "    def choose(self, view, legal_actions):\n        time.sleep(600)\n\nrun(Hangs())\n",
        encoding="utf-8",
    )
    assert practice("--games", "5", bot=[sys.executable, str(hangs)]) == 1
    said = capsys.readouterr().out
    assert "decisions in 1 game over" in said
    assert "50 ms, never answered" in said
    assert "no limit would have been enough for all: some were never answered" in said


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        (("--loss", "70%"), "'70%' is no share of packets; valid are 0% to 50%"),
        (("--loss", "much"), "'much' is no share of packets"),
        (("--loss", "2%%"), "'2%%' is no share of packets"),
        (("--loss", "٢%"), "'٢%' is no share of packets"),
        (("--loss", ""), "'' is no share of packets"),
        (("--delay", "80"), "'80' is not a span of time"),
        (("--rules", "chess"), "There is no preset 'chess'"),
        (("--option", "jump_in"), "'jump_in' is no option; options are written NAME=VALUE"),
        (("--option", "jump_in=yes"), "jump_in"),
        (("--games", "0"), "'0' is not a whole number from 1 to 10000"),
    ],
)
def test_options_that_cannot_be_are_refused(capsys, options, complaint):
    try:
        status = practice(*options)
    except SystemExit as end:
        status = end.code
    assert status == 2
    assert complaint in capsys.readouterr().err


def test_opponents_that_do_not_exist_are_refused_before_the_bot_is_started(capsys):
    assert practice("--opponents", "nobody", bot=["no-such-program"]) == 2
    assert "nobody" in capsys.readouterr().err
