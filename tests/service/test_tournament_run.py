"""Whole tournaments by the command line: a real arena, bots as processes of their own that dial in over gRPC."""

import asyncio
import json
import signal
import sys
from collections.abc import Callable
from dataclasses import replace
from importlib.metadata import version
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from lastcard.cli.main import main
from lastcard.rules.verify import verify
from lastcard.tournament.ledger import Row, read_rows
from waiting import until

GREEDY = "from lastcard_bot import run\nfrom lastcard_bot.bots import make_bot\nrun(make_bot('greedy'))\n"
NUMBERED = GREEDY.replace("run(make_bot('greedy'))", "bot = make_bot('greedy')\nbot.version = '2.7'\nrun(bot)")
BOT = "import os, sys, time\nfrom lastcard_bot import Bot, run\nclass Mine(Bot):\n    def choose(self, view, legal):\n"
IN_GAMES = (
    "        return 0\n    def decide(self, decision):\n"
    "        if not decision.table_id.startswith('game'):\n            return super().decide(decision)\n"
)
"""Passes the health probe, and does what follows in games."""
CRASHES = BOT + IN_GAMES + "        print('out of luck', flush=True)\n        os._exit(3)\nrun(Mine())\n"
HANGS = BOT + IN_GAMES + "        time.sleep(600)\nrun(Mine())\n"
CRASHES_NOW_AND_THEN = """
import os
from lastcard_bot import run
from lastcard_bot.bots.greedy_bot import GreedyBot
class Mine(GreedyBot):
    answered = 0
    def choose(self, view, legal_actions):
        self.answered += 1
        if self.answered == 25:
            os._exit(1)
        return super().choose(view, legal_actions)
run(Mine(0))
"""

HEAD = """\
[tournament]
name = "cup"
seed = 3
table_size = {size}
deals = {deals}
options = {{ match_end = "single_round" }}
concurrency = 2
[clock]
limit = "{limit}"
bank = "{bank}"
start_up = "30s"
grace = "{grace}"
"""


class Ended(NamedTuple):
    status: int
    out: str
    err: str


def head(size: int, deals: int, *, limit: str = "20s", bank: str = "20s", grace: str = "20s") -> str:
    return HEAD.format(size=size, deals=deals, limit=limit, bank=bank, grace=grace)


def builtin(name: str) -> str:
    return f'[[bot]]\nname = "{name}"\nbuiltin = "greedy"\n'


def program(name: str, source: str) -> str:
    return f'[[bot]]\nname = "{name}"\ncommand = ["python3", "-c", {json.dumps(source)}]\n'


async def started(tmp_path: Path, text: str, *options: str) -> asyncio.subprocess.Process:
    (tmp_path / "cup.toml").write_text(text)
    return await asyncio.create_subprocess_exec(
        sys.executable,
        *("-m", "lastcard.cli.main", "tournament", "run", "cup.toml", *options),
        cwd=tmp_path,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )


async def ended(process: asyncio.subprocess.Process) -> Ended:
    async with asyncio.timeout(100):
        out, err = await process.communicate()
    assert process.returncode is not None
    return Ended(process.returncode, out.decode(), err.decode())


async def run(tmp_path: Path, text: str, *options: str) -> Ended:
    return await ended(await started(tmp_path, text, *options))


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Callable[..., Ended]:
    """The command in this process, beside the file, for what needs no signal."""
    monkeypatch.chdir(tmp_path)

    def call(text: str, *options: str) -> Ended:
        Path("cup.toml").write_text(text)
        status = main(["tournament", "run", "cup.toml", *options])
        return Ended(status, *capsys.readouterr())

    return call


def rows_of(directory: Path) -> list[Row]:
    rows, torn = read_rows(directory / "ledger.jsonl")
    assert torn == 0
    return sorted(rows, key=lambda row: row.game)


def check_records(directory: Path, rows: list[Row], *, revealed: bool = True) -> None:
    assert {path.name for path in (directory / "records").glob("*.jsonl")} == {Path(row.record).name for row in rows}
    for row in rows:
        found = verify((directory / row.record).read_bytes())
        assert (found.ok, found.problem) == (True, None)
        assert found.record_hash == row.record_hash
        assert found.revealed or not revealed


async def test_a_cup_of_processes_and_builtins_is_played_ranked_and_verified(tmp_path: Path) -> None:
    text = head(3, 2) + program("ann", NUMBERED) + program("ben", GREEDY) + builtin("cora")
    found = await run(tmp_path, text)
    assert (found.status, found.err) == (0, "")
    assert "All 6 records verify" in found.out
    assert "results/cup" in found.out
    directory = tmp_path / "results" / "cup"
    rows = rows_of(directory)
    assert [row.game for row in rows] == list(range(1, 7))
    assert {frozenset(row.seats) for row in rows} == {frozenset(("ann", "ben", "cora"))}
    assert {(row.set, row.rotation) for row in rows} == {(set_, rotation) for set_ in (1, 2) for rotation in range(3)}
    for row in rows:
        assert row.cause == "single_round"
        assert row.faults == ()
        assert sorted(row.places) == [1, 2, 2]
        assert row.times["decisions"] > 0
        assert dict(zip(row.seats, row.versions, strict=True)) == {
            "ann": "2.7",
            "ben": "1",
            "cora": version("lastcard"),
        }
    check_records(directory, rows)
    data = json.loads((directory / "standings.json").read_text())
    assert [standing["games"] for standing in data["ranking"]] == [6, 6, 6]
    assert "connected" in (directory / "bots" / "ann.log").read_text()
    assert "lastcard_bot" not in (directory / "arena.log").read_text()


async def test_bots_that_crash_hang_or_do_not_start_lose_and_the_others_play_on(tmp_path: Path) -> None:
    text = (
        head(4, 2, limit="200ms", bank="0s", grace="300ms")
        + builtin("good")
        + program("crash", CRASHES)
        + program("hang", HANGS)
        + program("absent", "import sys; print('no licence'); sys.exit(5)")
    )
    found = await run(tmp_path, text, "--json", "--out", "out")
    assert (found.status, found.err) == (0, "")
    data = json.loads(found.out)
    assert data["complete"]
    assert (data["records_verified"], data["problems"]) == (8, [])
    assert set(data["set_aside"]) == {"crash", "hang", "absent"}
    assert "status 5 before it connected; it printed 'no licence'" in data["set_aside"]["absent"]
    assert "status 3; it printed 'out of luck'" in data["set_aside"]["crash"]
    assert "removed after too many timeouts" in data["set_aside"]["hang"]
    assert (data["ranking"][0]["rank"], data["ranking"][0]["bot"]) == (1, "good")
    assert data["ranking"][0]["win_share"]["mean"] == 1
    assert {each["rank"] for each in data["ranking"][1:]} == {2}
    rows = rows_of(tmp_path / "out")
    assert len(rows) == 8
    check_records(tmp_path / "out", rows)
    kinds = _kinds(rows)
    assert kinds["good"] == set()
    assert kinds["absent"] == {"start_up"}
    assert {"crash", "timeout"} <= kinds["crash"] | kinds["hang"]
    assert "timeout" in kinds["hang"]
    assert all(fault.evidence for row in rows for fault in row.faults)
    incidents = [json.loads(line)["bot"] for line in (tmp_path / "out" / "incidents.jsonl").read_text().splitlines()]
    assert incidents.count("absent") >= 4  # of both copies, and that it is set aside


def _kinds(rows: list[Row]) -> dict[str, set[str]]:
    kinds: dict[str, set[str]] = {name: set() for row in rows for name in row.seats}
    for row in rows:
        for fault in row.faults:
            kinds[fault.bot].add(fault.kind)
    return kinds


async def test_a_crash_without_consequence_leaves_the_ledger_as_it_would_be(tmp_path: Path) -> None:
    ledgers: list[list[Row]] = []
    for number, source in enumerate((GREEDY, CRASHES_NOW_AND_THEN)):
        text = head(2, 3) + program("ann", source) + builtin("ben")
        found = await run(tmp_path, text, "--json", "--out", f"out{number}")
        assert (found.status, found.err) == (0, "")
        ledgers.append(rows_of(tmp_path / f"out{number}"))
    assert any(row.times["recovered"] for row in ledgers[1])
    assert _without_times(ledgers[0]) == _without_times(ledgers[1])


def _without_times(rows: list[Row]) -> list[Row]:
    return [replace(row, times={}) for row in rows]


async def test_interrupted_once_it_ends_after_the_running_games(tmp_path: Path) -> None:
    process = await started(tmp_path, head(2, 5_000) + builtin("ann") + builtin("ben"), "--out", "out")
    ledger = tmp_path / "out" / "ledger.jsonl"
    await until(lambda: ledger.exists() and ledger.stat().st_size > 5_000)
    process.send_signal(signal.SIGINT)
    found = await ended(process)
    assert (found.status, found.err) == (1, "")
    assert "Stopped before all games were played." in found.out
    rows = rows_of(tmp_path / "out")
    assert 0 < len(rows) < 10_000
    assert json.loads((tmp_path / "out" / "standings.json").read_text())["games"] == len(rows)
    check_records(tmp_path / "out", rows, revealed=False)


def test_identical_deterministic_bots_come_out_exactly_equal(here: Callable[..., Ended]) -> None:
    text = head(4, 7).replace("table_size", "disguise = false\ntable_size")
    found = here(text + "".join(map(builtin, ("ann", "ben", "cora", "dan"))), "--json", "--out", "out")
    assert (found.status, found.err) == (0, "")
    ranking = json.loads(found.out)["ranking"]
    assert [(each["rank"], each["win_share"]["mean"]) for each in ranking] == [(1, 0.25)] * 4
    assert len({each["points"]["mean"] for each in ranking}) == 1
    assert ranking[0]["score"]["note"].startswith("all 7 sets came out the same")


@pytest.mark.parametrize(
    ("bots", "sentence"),
    [
        (builtin("a") + builtin("a"), "cup.toml:17: bot[2].name: 'a' is taken by bot[1] in line 14; names must differ"),
        (
            builtin("a") + '[[bot]]\nname = "b"\ncommand = ["no-such-bot"]\n',
            "cup.toml:18: bot[2].command: there is no program 'no-such-bot' that can be run; looked for in ",
        ),
        (
            builtin("a") + "[[bots]]\nname = 'b'\n",
            "cup.toml:16: bots: unknown key \"bots\" (did you mean 'bot'?); valid",
        ),
    ],
)
def test_a_wrong_file_is_refused_before_anything_starts(
    tmp_path: Path, here: Callable[..., Ended], bots: str, sentence: str
) -> None:
    found = here(head(2, 1) + bots)
    assert (found.status, found.out) == (2, "")
    assert found.err.startswith(f"lastcard: {sentence}")
    assert found.err.count("\n") == 1
    assert list(_content(tmp_path)) == [str(tmp_path / "cup.toml")]


def test_results_that_are_there_are_kept_unless_they_are_to_be_replaced(
    tmp_path: Path, here: Callable[..., Ended]
) -> None:
    text = head(2, 1) + builtin("ann") + builtin("ben")
    assert here(text, "--out", "out").status == 0
    before = _content(tmp_path / "out")
    found = here(text, "--out", "out")
    assert (found.status, found.out) == (2, "")
    assert found.err.startswith("lastcard: the results directory 'out' is not empty; name another with --out")
    assert _content(tmp_path / "out") == before
    assert here(text, "--out", "out", "--overwrite").status == 0


def _content(directory: Path) -> dict[str, Any]:
    return {str(path): path.read_bytes() for path in directory.rglob("*") if path.is_file()}
