"""The example bots in events: all at the same tables without a fault, and each against a bot that plays at random."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from clients.conftest import CHOSEN, LANGUAGES, ROOT, command_of, folder_of

LASTCARD = Path(sys.executable).with_name("lastcard")
POLYGLOT = ROOT / "server" / "examples" / "polyglot.toml"


def rows_of(file: Path, results: Path) -> list[dict[str, Any]]:
    """The games of an event that is played now, after `lastcard verify` has found everything right."""
    for command in ("tournament", "run", str(file), "--out", str(results)), ("verify", str(results)):
        done = subprocess.run([LASTCARD, *command], capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr
    lines = (results / "ledger.jsonl").read_text(encoding="utf-8").splitlines()
    return [row for row in map(json.loads, lines) if "seats" in row]


def faults_of(rows: list[dict[str, Any]]) -> list[Any]:
    """Who did what wrong: timeouts, refusals, crashes, disconnects, starts that failed."""
    return [fault for row in rows for fault in row["faults"]]


@pytest.mark.timeout(900)
def test_bots_in_all_languages_play_at_the_same_tables_without_a_fault(tmp_path: Path) -> None:
    if len(CHOSEN) < len(LANGUAGES):
        pytest.skip("not all languages were chosen")
    for language in LANGUAGES:
        command_of(language)
    rows = rows_of(POLYGLOT, tmp_path / "polyglot")
    assert len(rows) == 60
    assert all(len(set(row["seats"])) == len(LANGUAGES) for row in rows)
    assert faults_of(rows) == []
    assert {row["cause"] for row in rows} == {"single_round"}


EVENT = """
[tournament]
name = "{name}"
seed = 1
table_size = 2
deals = 60
options = {{ match_end = "single_round" }}

[[bot]]
name = "{name}"
command = {command}
directory = {directory}

[[bot]]
name = "random"
builtin = "random"
"""


@pytest.mark.timeout(900)
def test_an_example_bot_beats_random_clearly(language: Any, tmp_path: Path) -> None:
    """Two bots of equal strength would be that far apart in less than one event in a thousand."""
    command = command_of(language)
    file = tmp_path / "event.toml"
    file.write_text(
        EVENT.format(name=language.folder, command=json.dumps(command), directory=json.dumps(str(folder_of(language))))
    )
    rows = rows_of(file, tmp_path / "results")
    assert len(rows) == 120
    assert faults_of(rows) == []
    won = sum(row["places"][row["seats"].index(language.folder)] == 1 for row in rows)
    assert won >= 78
