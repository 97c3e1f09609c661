"""A tournament on a small disk that is full at some moment stops with a sentence, and comes to the undisturbed ledger.

The disk is a file system of its own in memory, for which a test must be allowed to mount one. `make crash` runs it; in
`make test` disks are full in `tests/unit/tournament/director/test_full_disk.py`, at every step.
"""

import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from killing import KILLS, LASTCARD
from lastcard.tournament.ledger import Row, read_rows

pytestmark = [
    pytest.mark.slow,
    pytest.mark.timeout(240),
    pytest.mark.skipif(KILLS < 10, reason="it takes half a minute; make crash runs it"),
]

CUP = """\
[tournament]
name = "cup"
seed = 11
table_size = 2
deals = 20
options = { match_end = "single_round" }
concurrency = 4
[clock]
limit = "60s"
reaction = "60s"
start_up = "60s"
grace = "120s"
[[bot]]
name = "ann"
command = ["lastcard", "bot", "run", "greedy"]
[[bot]]
name = "ben"
builtin = "greedy"
"""
SMALL, LARGE = "1200k", "40m"


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Path]:
    place = tmp_path / "disk"
    place.mkdir()
    mount = shutil.which("mount")
    command = [mount or "mount", "-t", "tmpfs", "-o", f"size={SMALL}", "tmpfs", str(place)]
    if mount is None or subprocess.run(command, capture_output=True, check=False).returncode:
        pytest.skip("a small file system cannot be mounted here; tests/unit/tournament/director has full disks for all")
    yield place
    subprocess.run(["umount", str(place)], check=True)


def run(file: Path, out: Path, *options: str) -> subprocess.CompletedProcess[str]:
    command = [*LASTCARD, "tournament", "run", str(file), "--out", str(out), *options]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def rows_of(out: Path) -> list[Row]:
    rows, torn = read_rows(out / "ledger.jsonl")
    assert torn == 0
    return sorted((replace(row, times={}) for row in rows), key=lambda row: row.game)


def test_an_event_whose_disk_is_full_stops_and_goes_on(tmp_path: Path, disk: Path) -> None:
    file = tmp_path / "cup.toml"
    file.write_text(CUP)
    whole, out = tmp_path / "whole", disk / "out"
    assert run(file, whole).returncode == 0
    stopped = run(file, out)
    assert stopped.returncode == 1, stopped.stderr
    (sentence,) = stopped.stderr.splitlines()
    assert "make room" in sentence
    assert "--resume goes on with the event" in sentence
    before = len(rows_of(out))
    again = run(file, out, "--resume")
    assert again.returncode in (1, 2), again.stderr
    (sentence,) = again.stderr.splitlines()
    assert "make room" in sentence
    assert "in place of the store" not in sentence
    assert before <= len(rows_of(out)) < 40
    subprocess.run(["mount", "-o", f"remount,size={LARGE}", str(disk)], check=True)
    assert run(file, out, "--resume").returncode == 0
    assert rows_of(out) == rows_of(whole)
    checked = subprocess.run([*LASTCARD, "verify", str(out)], capture_output=True, text=True, check=False)
    assert checked.returncode == 0, checked.stdout
    assert "40 of 40 records are right" in checked.stdout
