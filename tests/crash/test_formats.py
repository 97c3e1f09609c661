"""Tournaments of every format whose process is killed or stopped at random moments come to the undisturbed ledger.

The server plays all bots, so that the tournaments are short and the same each time.
"""

import re
import signal
from dataclasses import replace
from pathlib import Path

import pytest

from killing import KILLS, LASTCARD, Process, chance_for, wait_until
from lastcard.cli.main import main
from lastcard.tournament.formats import FORMATS
from lastcard.tournament.ledger import Row, read_rows

pytestmark = [pytest.mark.slow, pytest.mark.timeout(120 + 20 * KILLS)]

EXAMPLES = Path(__file__).parents[2] / "server" / "examples"

SETTLED = """\
[tournament]
name = "settled"
seed = 8
options = { match_end = "single_round" }
table_size = 2
deals = 400
stop = "significant"
"""
BOTS = "".join(f'[[bot]]\nname = "{name}"\nbuiltin = "{name}"\n' for name in ("random", "greedy"))
SEATS = SETTLED.replace("400", "20").replace('stop = "significant"', 'seats = "all"')


def text_of(name: str) -> str:
    """The example of a format, shortened for few kills."""
    made = {"settled": SETTLED, "round-robin": SEATS}
    if name in made:
        return made[name] + BOTS
    text = (EXAMPLES / f"{name}.toml").read_text()
    return (
        text if KILLS >= 10 else re.sub(r"(deals|best_of) += \d", r"\1 = 1", re.sub(r"rounds +=.*", "rounds = 3", text))
    )


def rows_of(directory: Path) -> list[Row]:
    ledger = directory / "ledger.jsonl"
    rows = read_rows(ledger)[0] if ledger.exists() else []
    return [replace(row, times={}) for row in sorted(rows, key=lambda row: row.game)]


def games_of(directory: Path) -> int:
    ledger = directory / "ledger.jsonl"
    return ledger.read_bytes().count(b"\n") if ledger.exists() else 0


@pytest.mark.parametrize("name", [*FORMATS, "settled"])
def test_an_event_that_is_killed_or_stopped_comes_to_the_undisturbed_ledger(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("cup.toml").write_text(text_of(name))
    assert main(["tournament", "run", "cup.toml", "--out", "undisturbed", "--json"]) == 0
    expected = rows_of(Path("undisturbed"))
    chance = chance_for(name)
    hit = 0
    for number in range(max(2, KILLS // 2)):
        begun = Path("disturbed/tournament.toml").exists()
        options = ["--resume"] if begun else ["--overwrite"] if Path("disturbed").exists() else []
        command = (*LASTCARD, "tournament", "run", "cup.toml", "--out", "disturbed", *options)
        with Process(*command, directory=tmp_path, output=tmp_path / "printed.txt") as process:
            # The first time early, so that the event is hit before it is over.
            at = chance.randrange(len(expected) - 1 if number else 3)
            wait_until(lambda at=at: games_of(Path("disturbed")) > at or not process.lives(), "that games end")
            if number % 2:
                process.signal(signal.SIGINT)
                process.ended()
            else:
                process.kill()
        hit += games_of(Path("disturbed")) < len(expected)
    assert hit
    assert main(["tournament", "run", "cup.toml", "--out", "disturbed", "--resume", "--json"]) == 0
    assert rows_of(Path("disturbed")) == expected
    for file in ("standings.csv", "records/00001.jsonl"):
        assert Path("disturbed", file).read_bytes() == Path("undisturbed", file).read_bytes()
    print(f"{name}: of {max(2, KILLS // 2)} kills and stops {hit} came before the end")
