"""The example bots of all languages conform: no check of the kit fails, required or recommended."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from clients.conftest import command_of, folder_of

LASTCARD = Path(sys.executable).with_name("lastcard")


@pytest.mark.timeout(300)
def test_an_example_bot_conforms(language: Any) -> None:
    command = [str(LASTCARD), "conform", "--json", "--", *command_of(language)]
    done = subprocess.run(command, cwd=folder_of(language), capture_output=True, text=True, check=False)
    assert done.stdout, done.stderr
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    failed = [row for row in rows if row["level"] != "informative" and row["outcome"] not in {"passed", "skipped"}]
    assert failed == []
    assert done.returncode == 0
    assert len(rows) > 40
