"""The bots of ten lines that speak no gRPC conform as those that do, behind `lastcard bridge`."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from clients.conftest import CHOSEN, ROOT

LASTCARD = str(Path(sys.executable).with_name("lastcard"))


@pytest.mark.timeout(900)
@pytest.mark.parametrize("bot", [("sh", "bot.sh"), (sys.executable, "bot.py")], ids=["shell", "python"])
def test_a_bridged_bot_conforms(bot: tuple[str, ...]) -> None:
    if "python" not in CHOSEN:
        pytest.skip("the bridge is Python, which is not among the chosen languages")
    command = [LASTCARD, "conform", "--json", "--", LASTCARD, "bridge", "--", *bot]
    done = subprocess.run(command, cwd=ROOT / "clients" / "bridge", capture_output=True, text=True, check=False)
    assert done.stdout, done.stderr
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    assert [row for row in rows if row["level"] != "informative" and row["outcome"] not in {"passed", "skipped"}] == []
    assert done.returncode == 0
    assert len(rows) > 40
