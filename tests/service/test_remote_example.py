"""The example of a remote bot, as its first lines say: one command here, one elsewhere."""

import asyncio
import os
import sys
from pathlib import Path

import pytest

from lastcard.tournament.ledger import read_rows
from waiting import until

EXAMPLE = Path(__file__).parents[2] / "server" / "examples" / "remote-cup.toml"


async def started(*command: str, **environment: str) -> asyncio.subprocess.Process:
    return await asyncio.create_subprocess_exec(
        sys.executable,
        *("-m", "lastcard.cli.main", *command),
        env={**os.environ, **environment},
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )


def variables(path: Path) -> dict[str, str]:
    """What a shell has in its environment that has read the file."""
    return dict(line.split("=", 1) for line in path.read_text().splitlines())


@pytest.mark.slow
async def test_a_remote_bot_joins_a_tournament(tmp_path: Path) -> None:
    event = await started("tournament", "run", str(EXAMPLE), "--out", str(tmp_path / "out"))
    visitor = None
    try:
        given = tmp_path / "out" / "remote" / "visitor.env"
        await until(given.exists)
        visitor = await started("bot", "run", "shrewd", **variables(given))
        async with asyncio.timeout(60):
            out, err = await event.communicate()
            _, log = await visitor.communicate()
    finally:
        for process in filter(None, (event, visitor)):
            if process.returncode is None:
                process.kill()
    assert (event.returncode, err.decode()) == (0, "")
    assert "waiting up to 300 s for the remote bot visitor: LASTCARD_SERVER=127.0.0.1:" in out.decode()
    assert visitor.returncode == 0, log.decode()
    assert "so the event is over" in log.decode()
    rows, _ = read_rows(tmp_path / "out" / "ledger.jsonl")
    assert len(rows) == 30
    assert not any(row.faults for row in rows)
    assert not given.parent.exists()
