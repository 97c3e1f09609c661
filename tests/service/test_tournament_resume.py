"""`lastcard tournament run --resume` at the command line; what killed processes come to is in `tests/crash`."""

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from lastcard.cli.main import main
from lastcard.tournament.claim import claimed
from lastcard.tournament.ledger import Row, read_rows

FILE = """\
[tournament]
name = "cup"
seed = 3
table_size = 2
deals = 2
options = { match_end = "single_round" }
[[bot]]
name = "ann"
builtin = "greedy"
[[bot]]
name = "ben"
builtin = "greedy"
"""


class Ended(NamedTuple):
    status: int
    out: str
    err: str


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Callable[..., Ended]:
    """The command in this process, beside its file."""
    monkeypatch.chdir(tmp_path)
    Path("cup.toml").write_text(FILE)

    def call(*options: str) -> Ended:
        status = main(["tournament", "run", "cup.toml", "--out", "out", *options])
        return Ended(status, *capsys.readouterr())

    return call


def rows() -> list[Row]:
    found = read_rows(Path("out/ledger.jsonl"))[0]
    return sorted((replace(row, times={}) for row in found), key=lambda row: row.game)


def content() -> dict[str, Any]:
    return {str(path): path.read_bytes() for path in Path("out").rglob("*") if path.is_file()}


def unfinished() -> None:
    """Make of a complete event one that was killed when it had two rows and half of a third."""
    ledger = Path("out/ledger.jsonl")
    lines = ledger.read_bytes().splitlines(keepends=True)
    ledger.write_bytes(b"".join(lines[:2]) + lines[2][:100])
    state = json.loads(Path("out/event.json").read_text())
    del state["event_key"]
    Path("out/event.json").write_text(json.dumps(state | {"state": "running", "games": 2}))
    Path("out/store").mkdir()


def test_a_killed_event_is_gone_on_with(run: Callable[..., Ended]) -> None:
    assert run().status == 0
    expected = rows()
    unfinished()
    found = run("--resume")
    assert (found.status, found.err) == (0, "")
    cut = "a last line of the ledger that was not written to its end (100 bytes) is cut off"
    assert f"resumed: 2 games finished before; {cut}\n" in found.out
    assert "All 4 records verify" in found.out
    assert rows() == expected


def test_what_was_cut_off_stands_in_the_json_too(run: Callable[..., Ended]) -> None:
    assert run("--json").status == 0
    unfinished()
    data = json.loads(run("--resume", "--json").out)
    assert (data["complete"], data["cut_off_bytes"], data["records_verified"]) == (True, 100, 4)


def test_of_a_complete_event_the_ranking_is_printed_again(run: Callable[..., Ended]) -> None:
    first = run()
    before = content()
    found = run("--resume")
    assert (found.status, found.err) == (0, "")
    assert "the event is complete: all 4 games were played before\n" in found.out
    ranking = first.out[first.out.index("rank  bot") :]
    assert found.out.endswith(ranking)
    assert content() == before


def test_records_of_a_complete_event_are_verified_again(run: Callable[..., Ended]) -> None:
    run()
    record = Path("out/records/00002.jsonl")
    record.write_bytes(record.read_bytes().replace(b'"seat":0', b'"seat":1', 1))
    found = run("--resume")
    assert found.status == 1
    assert "1 of 4 records do not verify." in found.out


def test_resume_and_overwrite_are_not_given_together(run: Callable[..., Ended]) -> None:
    found = run("--resume", "--overwrite")
    sentence = "lastcard: --resume goes on with an event and --overwrite replaces it; give one of the two\n"
    assert found == (2, "", sentence)
    assert not Path("out").exists()


def test_where_there_is_no_event_none_is_begun(run: Callable[..., Ended]) -> None:
    found = run("--resume")
    assert (found.status, found.out) == (2, "")
    assert found.err.startswith("lastcard: there is no event in 'out', which does not exist; name its directory with")
    assert not Path("out").exists()


def test_without_resume_an_unfinished_event_is_refused_by_naming_it(run: Callable[..., Ended]) -> None:
    run()
    unfinished()
    before = content()
    found = run()
    assert (found.status, found.out) == (2, "")
    assert "it holds an event that has not been played to its end; go on with it with --resume, name " in found.err
    assert content() == before


@pytest.mark.parametrize("options", [(), ("--resume",), ("--overwrite",)])
def test_an_event_that_another_process_plays_is_left_alone(run: Callable[..., Ended], options: tuple[str, ...]) -> None:
    run()
    unfinished()
    before = content()
    with claimed(Path("out")):
        found = run(*options)
    assert (found.status, found.out) == (2, "")
    assert found.err.startswith("lastcard: the results directory 'out' is in use by another process, which plays its")
    assert content() == before


def test_a_changed_file_is_refused(run: Callable[..., Ended]) -> None:
    run()
    unfinished()
    before = content()
    Path("cup.toml").write_text(FILE.replace("deals = 2", "deals = 3"))
    found = run("--resume")
    assert (found.status, found.out) == (2, "")
    assert "tournament.deals is 3 (line 5), but was 2 (line 5)" in found.err
    assert content() == before


def test_a_damaged_store_is_refused_with_what_to_do(run: Callable[..., Ended]) -> None:
    run()
    unfinished()
    store = Path("out/store/lastcard.sqlite3")
    store.write_bytes(b"no store at all" * 1_000)
    before = content()
    found = run("--resume")
    assert found.status == 2
    assert str(store) in found.err
    assert "what is in the ledger stands; with an empty directory in place of the store, the games that" in found.err
    assert content() | {"out/arena.log": b""} == before | {"out/arena.log": b""}
    store.unlink()
    assert run("--resume").status == 0


def test_a_damaged_line_of_the_ledger_is_named(run: Callable[..., Ended]) -> None:
    run()
    unfinished()
    ledger = Path("out/ledger.jsonl")
    ledger.write_bytes(ledger.read_bytes().replace(b'"game": 2', b'"game": x', 1))
    found = run("--resume")
    assert found.status == 2
    assert "put the line back as it was to go on; the other lines stand" in found.err


@pytest.mark.slow
def test_what_an_organiser_rules_is_played_and_a_bot_enters(
    run: Callable[..., Ended], capsys: pytest.CaptureFixture[str]
) -> None:
    assert run().status == 0
    assert main(["tournament", "rule", "out", "annul", "2", "--replay", "--reason", "the lights went out"]) == 0
    capsys.readouterr()
    found = run("--resume")
    assert (found.status, found.err) == (0, "")
    assert "All 6 records verify" in found.out
    assert "1 set void, or replaced by another on a fresh deal" in found.out
    Path("cup.toml").write_text(FILE + '[[bot]]\nname = "cis"\nbuiltin = "random"\n')
    refused = run("--resume")
    assert refused.status == 2
    assert "a bot enters with --enter NAME, and stands behind the others (cis)" in refused.err
    found = run("--resume", "--enter", "cis", "--json")
    assert (found.status, found.err) == (0, "")
    assert {each["bot"] for each in json.loads(found.out)["ranking"]} == {"ann", "ben", "cis"}
    assert Path("out/tournament.toml").read_text() == Path("cup.toml").read_text()
    assert {frozenset(row.seats) for row in rows()[6:]} == {frozenset(("ann", "cis")), frozenset(("ben", "cis"))}
    assert run("--resume").status == 0
    assert main(["verify", "out"]) == 0
    assert "follows from 14 games and 2 rulings" in capsys.readouterr().out


def test_a_bot_enters_an_event_that_goes_on(run: Callable[..., Ended]) -> None:
    found = run("--enter", "cis")
    assert (found.status, found.out) == (2, "")
    assert "--enter is for a bot that is new in an event that goes on; give --resume with it" in found.err
