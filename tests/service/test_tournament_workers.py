"""`lastcard tournament run --workers`: the same event on several server processes, and what is refused."""

import asyncio
import json
import signal
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import pytest

from lastcard.cli.main import main
from lastcard.tournament.ledger import Row, read_rows
from waiting import until

HEAD = """\
[tournament]
name = "cup"
seed = 3
table_size = 2
deals = 4
options = { match_end = "single_round" }
concurrency = 3
[clock]
start_up = "30s"
limit = "20s"
"""
BUILTIN = '[[bot]]\nname = "%s"\nbuiltin = "greedy"\n'
GREEDY = "from lastcard_bot import run\nfrom lastcard_bot.bots import make_bot\nrun(make_bot('greedy'))\n"
PROGRAM = f'[[bot]]\nname = "%s"\ncommand = ["python3", "-c", {json.dumps(GREEDY)}]\n'
FILE = HEAD + BUILTIN % "ann" + PROGRAM % "ben" + BUILTIN % "cora"


class Ended(NamedTuple):
    status: int
    out: str
    err: str


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Callable[..., Ended]:
    """The command in this process, beside its file."""
    monkeypatch.chdir(tmp_path)

    def call(*options: str, text: str = FILE) -> Ended:
        Path("cup.toml").write_text(text)
        status = main(["tournament", "run", "cup.toml", *options])
        return Ended(status, *capsys.readouterr())

    return call


def rows(out: str) -> list[Row]:
    found = read_rows(Path(out) / "ledger.jsonl")[0]
    return sorted((replace(row, times={}) for row in found), key=lambda row: row.game)


@pytest.mark.slow
def test_the_ledger_does_not_depend_on_the_number_of_workers(run: Callable[..., Ended]) -> None:
    for workers in ("1", "3"):
        found = run("--workers", workers, "--out", f"out{workers}")
        assert (found.status, found.err) == (0, "")
        assert "All 24 records verify" in found.out
    assert rows("out1") == rows("out3")
    for row in rows("out1"):
        assert (Path("out1") / row.record).read_bytes() == (Path("out3") / row.record).read_bytes()
    opened = [json.loads(line) for line in Path("out3/arena.log").read_text().splitlines() if "arena.opened" in line]
    assert sorted(line["worker"] for line in opened) == [1, 2, 3]
    assert len(list(Path("out3/bots").glob("ben*.log"))) == 3
    assert json.loads(Path("out3/event.json").read_text())["stores"] == 3
    assert not Path("out3/store").exists()
    again = run("--workers", "2", "--out", "out3", "--resume")
    assert (again.status, again.err) == (0, "")
    assert "the event is complete: all 24 games were played before\n" in again.out


@pytest.mark.parametrize(
    ("workers", "text", "sentence"),
    [
        ("0", FILE, "--workers is 0; valid are 1 to 64"),
        ("65", FILE, "--workers is 65; valid are 1 to 64"),
        (
            "4",
            FILE,
            "--workers is 4, but only 3 games are played at a time, so that some would have nothing to do; set",
        ),
        (
            "2",
            FILE + '[[bot]]\nname = "dan"\nremote = true\n',
            "the bot 'dan' is remote and dials in at one address, but",
        ),
    ],
)
def test_what_cannot_be_played_on_so_many_workers_is_refused(
    run: Callable[..., Ended], workers: str, text: str, sentence: str
) -> None:
    found = run("--workers", workers, "--out", "out", text=text)
    assert (found.status, found.out) == (2, "")
    assert found.err.startswith(f"lastcard: {sentence}")
    assert not Path("out").exists()


@pytest.mark.slow
@pytest.mark.parametrize("stop", [signal.SIGINT, signal.SIGTERM])
async def test_a_stopped_event_does_not_go_on_without_the_store_of_a_worker(
    tmp_path: Path, stop: signal.Signals
) -> None:
    async def started(*options: str) -> asyncio.subprocess.Process:
        return await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "lastcard.cli.main", "tournament", "run", "cup.toml", "--out", "out", *options),
            cwd=tmp_path,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
        )

    (tmp_path / "cup.toml").write_text(HEAD.replace("deals = 4", "deals = 5_000") + BUILTIN % "ann" + BUILTIN % "ben")
    event = await started("--workers", "2")
    ledger = tmp_path / "out" / "ledger.jsonl"
    await until(lambda: ledger.exists() and ledger.stat().st_size > 5_000)
    event.send_signal(stop)
    out, err = await event.communicate()
    assert (event.returncode, err) == (1, b""), out
    assert b"Stopped before all games were played." in out
    second = tmp_path / "out" / "store" / "worker-2"
    second.rename(tmp_path / "elsewhere")
    event = await started("--resume")
    _, err = await event.communicate()
    assert event.returncode == 2
    assert f"lastcard: the store {'out/store/worker-2'!r} is missing, so the games that were being pl".encode() in err


@pytest.mark.slow
def test_a_worker_whose_store_is_damaged_stops_the_event_before_it_begins(run: Callable[..., Ended]) -> None:
    assert run("--out", "out", text=HEAD + BUILTIN % "ann" + BUILTIN % "ben").status == 0
    state = json.loads(Path("out/event.json").read_text())
    del state["event_key"]
    Path("out/event.json").write_text(json.dumps(state | {"state": "running", "stores": 2}))
    Path("out/store/worker-2").mkdir(parents=True)
    store = Path("out/store/worker-2/lastcard.sqlite3")
    store.write_bytes(b"no store at all" * 1_000)
    found = run("--workers", "2", "--out", "out", "--resume", text=HEAD + BUILTIN % "ann" + BUILTIN % "ben")
    assert found.status == 2
    assert str(store) in found.err
    assert found.err.count("\n") == 1
