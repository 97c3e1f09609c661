"""Formats at the command line: bots that withdraw and enter between two runs, and what is shown of them."""

import csv
import json
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest

from lastcard.cli.main import main
from lastcard.cli.tournament_words import shown_event
from lastcard.tournament.file import load
from lastcard.tournament.ledger import Row, read_entries

HEAD = """\
[tournament]
name = "cup"
seed = 3
options = { match_end = "single_round" }
table_size = 2
"""
KEYS = {
    "round-robin": "deals = 1",
    "gauntlet": 'deals = 1\nchallenger = "b0"',
    "swiss": "deals = 1\nrounds = 4",
    "knockout": "best_of = 1",
    "ladder": "deals = 1\nrounds = 4",
}


class Ended(NamedTuple):
    status: int
    out: str
    err: str


def text(name: str, *bots: str) -> str:
    tables = "".join(f'[[bot]]\nname = "{bot}"\nbuiltin = "greedy"\n' for bot in bots)
    return f'{HEAD}format = "{name}"\n{KEYS[name]}\n{tables}'


@pytest.fixture
def lastcard(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Callable[..., Ended]:
    """The command in this process, in a directory of its own."""
    monkeypatch.chdir(tmp_path)

    def call(*arguments: str) -> Ended:
        status = main(["tournament", *arguments])
        return Ended(status, *capsys.readouterr())

    return call


def rows() -> list[Row]:
    return sorted(read_entries(Path("out/ledger.jsonl")).rows, key=lambda row: row.game)


def killed_after(games: int) -> None:
    """Make of a complete event one that was killed when so many games had their rows."""
    ledger = Path("out/ledger.jsonl")
    lines = ledger.read_bytes().splitlines(keepends=True)
    ledger.write_bytes(b"".join(sorted(lines, key=lambda line: json.loads(line)["game"])[:games]))
    state = json.loads(Path("out/event.json").read_text())
    del state["event_key"]
    Path("out/event.json").write_text(json.dumps(state | {"state": "running", "games": games}))
    Path("out/store").mkdir()


@pytest.mark.parametrize("name", KEYS)
def test_who_withdraws_forfeits_what_was_given_out_and_is_in_no_later_stage(
    name: str, lastcard: Callable[..., Ended]
) -> None:
    Path("cup.toml").write_text(text(name, "b0", "b1", "b2", "b3"))
    assert lastcard("run", "cup.toml", "--out", "out").status == 0
    before = [row.seats for row in rows()]
    killed_after(1)
    ruled = lastcard("rule", "out", "withdraw", "b3", "--reason", "its author asked for it")
    assert (ruled.status, ruled.err) == (0, "")
    found = lastcard("run", "cup.toml", "--out", "out", "--resume")
    assert (found.status, found.err) == (0, "")
    first = {"round-robin": 12, "gauntlet": 6}.get(name, 4)
    assert [row.seats for row in rows()[:first]] == before[:first]
    for row in rows()[1:first]:
        assert [fault.bot for fault in row.faults] == ["b3"] * ("b3" in row.seats)
        assert all(fault.evidence == "forfeited: withdrawn: its author asked for it" for fault in row.faults)
        assert "b3" not in row.seats or row.places[row.seats.index("b3")] == 2
    assert not any("b3" in row.seats for row in rows()[first:])


@pytest.mark.parametrize("name", ["swiss", "ladder", "round-robin", "gauntlet"])
def test_bots_that_enter_late_are_in_the_later_stages_and_in_the_ranking(
    name: str, lastcard: Callable[..., Ended]
) -> None:
    Path("cup.toml").write_text(text(name, "b0", "b1", "b2", "b3"))
    assert lastcard("run", "cup.toml", "--out", "out").status == 0
    first = len(rows()) if name in {"round-robin", "gauntlet"} else 4
    before = rows()[:first]
    killed_after(3)
    Path("cup.toml").write_text(text(name, "b0", "b1", "b2", "b3", "b4"))
    found = lastcard("run", "cup.toml", "--out", "out", "--resume", "--enter", "b4")
    assert (found.status, found.err) == (0, "")
    assert [row.seats for row in rows()[:first]] == [row.seats for row in before]
    later = rows()[first:]
    assert any("b4" in row.seats for row in later)
    if name == "round-robin":
        assert {frozenset(row.seats) for row in later} == {frozenset({"b4", bot}) for bot in ("b0", "b1", "b2", "b3")}
    made = json.loads(Path("out/standings.json").read_text())
    assert "b4" in {each["bot"] for each in made["ranking"]}
    assert (made["format_ranking"] is None) == (name in {"round-robin", "gauntlet"})
    again = lastcard("run", "cup.toml", "--out", "out", "--resume")
    assert again.status == 0


def test_a_knockout_takes_nobody_in_and_says_why(lastcard: Callable[..., Ended]) -> None:
    Path("cup.toml").write_text(text("knockout", "b0", "b1", "b2", "b3"))
    assert lastcard("run", "cup.toml", "--out", "out").status == 0
    killed_after(3)
    ledger = Path("out/ledger.jsonl").read_bytes()
    Path("cup.toml").write_text(text("knockout", "b0", "b1", "b2", "b3", "b4"))
    found = lastcard("run", "cup.toml", "--out", "out", "--resume", "--enter", "b4")
    assert found.status == 2
    assert "'b4' cannot enter a knock-out that has begun" in found.err
    assert Path("out/ledger.jsonl").read_bytes() == ledger


def test_the_formats_own_ranking_comes_first_where_it_has_one(lastcard: Callable[..., Ended]) -> None:
    Path("cup.toml").write_text(text("knockout", "b0", "b1", "b2"))
    found = lastcard("run", "cup.toml", "--out", "out")
    assert found.status == 0
    assert "stage 1, round 1: 2 games\n" in found.out
    table = found.out[found.out.index("place  bot  by the format") :].splitlines()[1:4]
    assert table[0].split()[0] == "1"
    assert "winner of the final" in table[0]
    assert "out in round 1" in table[2]
    made = json.loads(Path("out/standings.json").read_text())
    assert [(each["place"], each["note"]) for each in made["format_ranking"]] == [
        (1, "winner of the final"),
        (2, "final"),
        (3, "out in round 1"),
    ]
    with Path("out/standings.csv").open() as file:
        by_bot = {line["bot"]: line for line in csv.DictReader(file)}
    winner = made["format_ranking"][0]["bot"]
    assert (by_bot[winner]["format_place"], by_bot[winner]["format_note"]) == ("1", "winner of the final")


def test_an_endless_ladder_says_how_it_ends(tmp_path: Path) -> None:
    path = tmp_path / "cup.toml"
    path.write_text(text("ladder", "b0", "b1"))
    file = load(path, ("greedy",))
    assert "it goes on until it is stopped" not in " ".join(shown_event(file, Path("out")).opening)
    path.write_text(text("ladder", "b0", "b1").replace("rounds = 4", ""))
    file = load(path, ("greedy",))
    assert "it goes on until it is stopped: Ctrl-C stops after" in " ".join(shown_event(file, Path("out")).opening)


def test_the_balance_of_a_design_is_printed_at_the_start(lastcard: Callable[..., Ended]) -> None:
    Path("cup.toml").write_text(text("round-robin", "b0", "b1", "b2").replace("deals = 1", 'deals = 1\nseats = "all"'))
    found = lastcard("run", "cup.toml", "--out", "out")
    assert found.status == 0
    assert "cup: 3 bots, round-robin, tables of 2, 1 deal in every order of the seats" in found.out
    assert "3 bots at 3 different tables: 3 sets, 6 games; sets a bot: 2\n" in found.out
    assert "sets in which two bots meet: 1; games of a bot in each seat: 2; games in which one sits" in found.out
