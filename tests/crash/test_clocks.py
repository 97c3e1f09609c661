"""Short clocks, and bots that hang, answer late or die: each fault is blamed on the one whose it is, also when the
director is killed in between, and no game is lost.
"""

import json
import sys
import time
from collections import Counter
from pathlib import Path

import pytest

from killing import KILLS, LASTCARD, Process, chance_for
from lastcard.rules.events import SeatLeft, TimedOut
from lastcard.rules.record_reader import read_record
from lastcard.rules.ruleset import ruleset
from lastcard.rules.verify import verify
from lastcard.tournament.ledger import Row, read_rows

pytestmark = [pytest.mark.slow, pytest.mark.timeout(90 + 20 * KILLS)]

LIMIT_S = 2.0
HEAD = f"""\
[tournament]
name = "cup"
seed = 4
table_size = 5
deals = 1
options = {{ match_end = "single_round" }}
concurrency = 5
[clock]
limit = "{LIMIT_S:g}s"
bank = "0s"
reaction = "200ms"
start_up = "30s"
grace = "20s"
[[bot]]
name = "builtin"
builtin = "greedy"
[[bot]]
name = "good"
command = ["lastcard", "bot", "run", "greedy"]
"""
GOOD, GUILTY = ("builtin", "good"), ("hangs", "late", "dies")


def faulty(fault: str) -> str:
    command = json.dumps([sys.executable, str(Path(__file__).with_name("faulty_bot.py"))])
    environment = f'{{ FAULT = "{fault}", LIMIT_S = "{LIMIT_S}" }}'
    # In one copy, which plays all its games at once and so comes to its fault soon.
    return f'[[bot]]\nname = "{fault}"\ncommand = {command}\nenvironment = {environment}\ncopies = 1\n'


def started(directory: Path) -> Process:
    options = ["--resume"] if (directory / "out" / "tournament.toml").exists() else []
    command = (*LASTCARD, "tournament", "run", "cup.toml", "--out", "out", *options)
    return Process(*command, directory=directory, output=directory / "printed.txt")


@pytest.mark.parametrize("kills", [0, max(2, KILLS // 2)], ids=["undisturbed", "killed"])
def test_each_fault_is_blamed_on_the_one_whose_it_is(tmp_path: Path, kills: int) -> None:
    (tmp_path / "cup.toml").write_text(HEAD + "".join(map(faulty, GUILTY)))
    chance = chance_for("clocks")
    for _ in range(kills):
        with started(tmp_path) as process:
            process.wait_for("good is connected")
            time.sleep(chance.uniform(0, 2 * LIMIT_S))
            if not process.lives():
                assert process.ended() == 0, process.printed
                break  # all games are over
    with started(tmp_path) as process:
        assert process.ended() == 0, process.printed
    printed = (tmp_path / "printed.txt").read_text()
    assert printed.count(" goes on behind event ") > 0 or not kills
    rows = sorted(read_rows(tmp_path / "out" / "ledger.jsonl")[0], key=lambda row: row.game)
    assert [row.game for row in rows] == [1, 2, 3, 4, 5]
    kinds = {name: Counter[str]() for name in (*GOOD, *GUILTY)}
    for row in rows:
        check_timeouts(row, (tmp_path / "out" / row.record).read_bytes())
        for fault in row.faults:
            kinds[fault.bot][fault.kind] += 1
    assert {name for name, found in kinds.items() if found} == set(GUILTY)
    assert set(kinds["hangs"]) <= {"timeout", "disconnect"}
    assert set(kinds["late"]) <= {"timeout", "disconnect"}
    assert set(kinds["dies"]) <= {"timeout", "disconnect", "crash", "start_up"}
    assert kinds["hangs"]["timeout"] > 0
    assert kinds["late"]["timeout"] > 0
    assert kinds["dies"]["crash"] > 0
    for row in rows:
        best = min(row.places[row.seats.index(name)] for name in GOOD)
        assert best == 1, row


def check_timeouts(row: Row, data: bytes) -> None:
    """Each time that ran out in the record has its fault, at the same event, and nobody else has one."""
    checked = verify(data)
    assert (checked.ok, checked.problem, checked.record_hash) == (True, None, row.record_hash)
    events = read_record(data).events
    timed_out = [(number - 1, event.seat) for number, event in enumerate(events, 1) if isinstance(event, TimedOut)]
    assert [(fault.sequence, fault.seat) for fault in row.faults if fault.kind == "timeout"] == timed_out
    most = ruleset("official").max_timeouts
    strikes = Counter(seat for _, seat in timed_out)
    assert all(count <= most for count in strikes.values())
    left = {event.seat for event in events if isinstance(event, SeatLeft)}
    assert {seat for seat, count in strikes.items() if count == most} <= left
    assert not left & {row.seats.index(name) for name in GOOD}
