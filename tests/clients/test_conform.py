"""The example bots of all languages conform: no check of the kit fails, required or recommended."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from clients.conftest import command_of, folder_of

LASTCARD = Path(sys.executable).with_name("lastcard")


def conform(language: Any, command: list[str], *options: str) -> list[dict[str, Any]]:
    """The verdicts of the kit on a program."""
    words = [str(LASTCARD), "conform", "--json", *options, "--", *command]
    done = subprocess.run(words, cwd=folder_of(language), capture_output=True, text=True, check=False)
    assert done.stdout, done.stderr
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    failed = [row for row in rows if row["level"] != "informative" and row["outcome"] not in {"passed", "skipped"}]
    assert failed == []
    assert done.returncode == 0
    return rows


@pytest.mark.timeout(900)
def test_an_example_bot_conforms(language: Any) -> None:
    assert len(conform(language, command_of(language))) > 40


OF_LISTENERS = ("cursors", "decisions-in-a-frame", "open-at-once", "closed-while-thinking")
"""What says nothing about a bot that wants no events, is asked one thing at a time and answers at once."""


@pytest.mark.timeout(900)
def test_a_bot_that_listens_and_thinks_about_many_things_conforms(language: Any) -> None:
    options = [word for name in OF_LISTENERS for word in ("--only", name)]
    rows = conform(language, command_of(language, language.listener), *options)
    assert {row["check"]: row["outcome"] for row in rows} == dict.fromkeys(OF_LISTENERS, "passed")
