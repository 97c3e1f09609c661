"""`lastcard tournament run --probe-only`: whether the bots of a file can play, before anybody waits for an event."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest

from lastcard.cli.main import main

HEAD = """\
[tournament]
name = "cup"
table_size = 2
deals = 1
concurrency = 2
options = { match_end = "single_round" }
[clock]
limit = "20s"
start_up = "20s"
[[bot]]
name = "ann"
builtin = "greedy"
[[bot]]
name = "ben"
command = ["lastcard", "bot", "run", "greedy"]
"""
DUD = """\
[[bot]]
name = "dud"
copies = 1
command = ["python3", "-c", "import sys; print('no licence'); sys.exit(5)"]
[[bot]]
name = "far"
remote = true
wait = "10ms"
"""


class Ended(NamedTuple):
    status: int
    out: str
    err: str


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Callable[..., Ended]:
    """The command in this process, beside its file; temporary directories are made there too."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))

    def call(text: str, *options: str) -> Ended:
        Path("cup.toml").write_text(text)
        status = main(["tournament", "run", "cup.toml", "--probe-only", *options])
        return Ended(status, *capsys.readouterr())

    return call


def test_bots_that_are_well_leave_nothing_behind(run: Callable[..., Ended], tmp_path: Path) -> None:
    found = run(HEAD)
    assert (found.status, found.err) == (0, "")
    rows = [line.split() for line in found.out.splitlines()]
    assert rows == [["bot", "processes", "health"], ["ann", "builtin", "well"], ["ben", "2", "well"]]
    assert [path.name for path in tmp_path.iterdir()] == ["cup.toml"]


def test_bots_that_are_not_are_named_and_what_they_printed_is_kept(run: Callable[..., Ended], tmp_path: Path) -> None:
    found = run(HEAD + DUD, "--json")
    assert found.status == 1
    assert "waiting up to 0.01 s for the remote bot far: LASTCARD_SERVER=127.0.0.1:" in found.err
    data = json.loads(found.out)
    assert data["bots"]["ben"] == {"instances": 2, "problem": None}
    assert data["bots"]["dud"]["problem"] == "ended with status 5 before it connected; it printed 'no licence'"
    assert data["bots"]["far"]["problem"] == "did not come within 0.01 s"
    output = Path(data["output"])
    assert "no licence" in (output / "dud.log").read_text()
    assert not (output.parent / "remote").exists()
    assert not list(tmp_path.glob("results"))
    shutil.rmtree(output.parent)


@pytest.mark.parametrize("option", [("--resume",), ("--overwrite",), ("--out", "x"), ("--workers", "2")])
def test_options_of_an_event_have_nothing_to_say(run: Callable[..., Ended], option: tuple[str, ...]) -> None:
    found = run(HEAD, *option)
    assert found.status == 2
    assert f"--probe-only plays no event, so {option[0]} has nothing to say" in found.err
