"""`lastcard verify`: a line a record, exit status 0, 1 or 2."""

import errno
import json
import os
import shutil
from pathlib import Path

import pytest

from lastcard.cli.main import main
from lastcard.cli.record_files import Listed
from lastcard.cli.verify_command import verified
from lastcard.cli.verify_provenance import Origin
from lastcard.rules.events import MatchEnded
from lastcard.rules.record_reader import read_record
from lastcard.rules.ruleset import ruleset
from lastcard.tournament.luck import luck_of
from record_games import play_game

GAME = play_game(3, options={"match_end": "single_round"}, mischief=False)
REVEALED, HIDDEN = GAME.record(revealed=True), GAME.record(revealed=False)
HASH = GAME.writer().record_hash
WRONG = REVEALED.replace(b'"turn":3}', b'"turn":4}')
WRONG_LINE = 1 + WRONG[: WRONG.index(b'"turn":4}')].count(b"\n")


@pytest.fixture
def results(tmp_path: Path) -> Path:
    """A results directory with two right records, receipts and a ledger."""
    records = tmp_path / "results" / "records"
    records.mkdir(parents=True)
    (records / "00001.jsonl").write_bytes(REVEALED)
    (records / "00002.jsonl").write_bytes(HIDDEN)
    (records / "00001.receipts.ndjson").write_bytes(b'{"header":{}}\n')
    rows = [{"game": game, "record": f"records/0000{game}.jsonl", "record_hash": HASH} for game in (1, 2)]
    ledger = "".join(json.dumps(row) + "\n" for row in [*rows, {"ruling": "annul", "game": 2}])
    (tmp_path / "results" / "ledger.jsonl").write_text(ledger)
    return tmp_path / "results"


def test_right_records_are_status_0_and_say_whether_chance_was_verified(
    results: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["verify", str(results / "records" / "00001.jsonl"), str(results / "records" / "00002.jsonl")]) == 0
    first, second, summary = capsys.readouterr().out.splitlines()
    assert first.startswith("ok ")
    assert "00001.jsonl: 1 round" in first
    assert "chance verified" in first
    assert HASH in first
    assert "not yet revealed" in second
    assert summary == "2 of 2 records are right, 1 of them not yet revealed"


def test_a_single_record_has_no_summary(results: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["verify", str(results / "records" / "00001.jsonl")]) == 0
    assert len(capsys.readouterr().out.splitlines()) == 1


def test_a_wrong_record_is_status_1_and_names_its_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "wrong.jsonl"
    path.write_bytes(WRONG)
    assert main(["verify", str(path)]) == 1
    shown = capsys.readouterr()
    assert shown.out.startswith(f"WRONG {path} line {WRONG_LINE}: ")
    assert "turn_started.turn is 4, the rules give 3" in shown.out
    assert shown.err == ""


def test_a_results_directory_is_checked_against_its_ledger(results: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["verify", str(results)]) == 0
    assert capsys.readouterr().out.splitlines()[-1].startswith("2 of 2 records are right")
    other = play_game(4, options={"match_end": "single_round"}, mischief=False).record(revealed=True)
    (results / "records" / "00002.jsonl").write_bytes(other)
    assert main(["verify", str(results)]) == 1
    assert f"the ledger has {HASH}: it is not the record of that game" in capsys.readouterr().out


def test_a_record_on_other_cards_than_those_of_its_event_is_named_with_the_line_that_reveals_it(results: Path) -> None:
    for game, wrong in ((1, True), (2, False)):  # of the second it is not known yet
        listed = Listed(HASH, game, 1, None, None, None, None, None)
        path = results / "records" / f"0000{game}.jsonl"
        assert verified(path, listed, None).ok
        found = verified(path, listed, Origin(bytes(32)))
        line = len(REVEALED.splitlines()) if wrong else None
        problem = "its salt is not that of game 1 of the event." if wrong else None
        assert (found.ok, found.line, found.problem) == (not wrong, line, problem)


@pytest.mark.parametrize("name", ["seats", "points", "places"])
def test_what_the_ledger_says_of_a_game_must_be_what_its_record_says(
    results: Path, capsys: pytest.CaptureFixture[str], name: str
) -> None:
    record = read_record(REVEALED)
    ended = next(event for event in record.events if isinstance(event, MatchEnded))
    told = {"seats": record.header.bots, "points": ended.totals, "places": ended.places}
    row = {"record": "records/00001.jsonl", "record_hash": HASH} | {key: list(value) for key, value in told.items()}
    ledger = results / "ledger.jsonl"
    ledger.write_text(json.dumps(row) + "\n")
    assert main(["verify", str(results)]) == 0
    row[name] = row[name][::-1]
    assert row[name] != list(told[name])
    ledger.write_text(json.dumps(row) + "\n")
    capsys.readouterr()
    assert main(["verify", str(results)]) == 1
    assert f"its {name} are {json.dumps(list(told[name]))}, the ledger has" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("name", "false", "told"),
    [
        ("cause", "target", 'its cause is "single_round", the ledger has "target"'),
        ("luck", [[9.0, 0.0]] * 4, "its luck is [["),
        ("game", 2, "it is the record of game 1, the ledger has 2"),
    ],
)
def test_what_else_a_line_says_of_its_game_must_be_so(
    results: Path, capsys: pytest.CaptureFixture[str], name: str, false: object, told: str
) -> None:
    record = read_record(REVEALED)
    rules = ruleset(record.header.preset, record.header.options)
    row: dict[str, object] = {"game": 1, "record": "records/00001.jsonl", "record_hash": HASH, "cause": "single_round"}
    row["luck"] = luck_of(record.events, rules, len(record.header.bots))
    ledger = results / "ledger.jsonl"
    ledger.write_text(json.dumps(row) + "\n")
    assert main(["verify", str(results)]) == 0
    ledger.write_text(json.dumps(row | {name: false}) + "\n")
    capsys.readouterr()
    assert main(["verify", str(results)]) == 1
    assert told in capsys.readouterr().out


def test_two_lines_of_a_ledger_cannot_have_one_record(results: Path, capsys: pytest.CaptureFixture[str]) -> None:
    ledger = results / "ledger.jsonl"
    first = ledger.read_text().splitlines(keepends=True)[0]
    ledger.write_text(first + first.replace('"game": 1', '"game": 2'))
    assert main(["verify", str(results)]) == 2
    assert "line 2 names the record 'records/00001.jsonl', as a line before it does" in capsys.readouterr().err


def test_a_record_that_the_ledger_names_must_be_there(results: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (results / "records" / "00002.jsonl").unlink()
    assert main(["verify", str(results)]) == 2
    shown = capsys.readouterr()
    assert "00002.jsonl is in the ledger, but there is no such record" in shown.err
    assert "00001.jsonl" in shown.out


def test_a_damaged_record_in_a_results_directory_is_not_passed_over(
    results: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (results / "records" / "00002.jsonl").write_bytes(b"x" + HIDDEN)
    assert main(["verify", str(results)]) == 1
    assert "00002.jsonl line 1: it is not JSON" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("name", "content", "problem"),
    [
        ("missing.jsonl", None, "cannot be read: No such file or directory"),
        ("empty.jsonl", b"", "is empty, not a record"),
        ("picture.png", b"\x89PNG\r\n", "is no record: a record begins with a header"),
        ("ledger.jsonl", b'{"game":1}\n', "is no record"),
    ],
)
def test_what_is_no_record_is_status_2_and_the_others_are_verified(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str, content: bytes | None, problem: str
) -> None:
    if content is not None:
        (tmp_path / name).write_bytes(content)
    (tmp_path / "right.jsonl").write_bytes(REVEALED)
    assert main(["verify", str(tmp_path / name), str(tmp_path / "right.jsonl")]) == 2
    shown = capsys.readouterr()
    assert problem in shown.err
    assert shown.err.count("\n") == 1
    assert shown.out.startswith("ok ")


def test_a_directory_that_cannot_be_read_is_named(
    results: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    allowed = os.scandir

    def scandir(path: str) -> object:
        if Path(path) == results / "records":
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(path))
        return allowed(path)

    (results / "more").mkdir()
    (results / "more" / "x.jsonl").write_bytes(REVEALED)
    monkeypatch.setattr(os, "scandir", scandir)
    assert main(["verify", str(results)]) == 2
    assert capsys.readouterr().err == f"lastcard: {results / 'records'} cannot be read: Permission denied\n"


def test_a_directory_without_records_is_status_2(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["verify", str(tmp_path)]) == 2
    assert "holds no record; records are files *.jsonl or *.jsonl.gz that begin" in capsys.readouterr().err


@pytest.mark.parametrize("line", ['{"game":', "[" * 100_000], ids=["cut-off", "nested"])
def test_a_ledger_that_cannot_be_read_is_named_with_its_line(
    results: Path, capsys: pytest.CaptureFixture[str], line: str
) -> None:
    with (results / "ledger.jsonl").open("a") as ledger:
        ledger.write(line)
    assert main(["verify", str(results)]) == 2
    assert "ledger.jsonl line 4 is not JSON" in capsys.readouterr().err


def test_json_has_an_object_a_line_for_right_wrong_and_unreadable(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "a.jsonl").write_bytes(REVEALED)
    (tmp_path / "b.jsonl").write_bytes(WRONG)
    names = [str(tmp_path / name) for name in ("a.jsonl", "b.jsonl", "c.jsonl")]
    assert main(["verify", "--json", *names]) == 2
    right, wrong, unread = map(json.loads, capsys.readouterr().out.splitlines())
    assert right == {
        "record": names[0],
        "ok": True,
        "line": None,
        "problem": None,
        "revealed": True,
        "complete": True,
        "rounds": 1,
        "events": len(GAME.events),
        "record_hash": HASH,
    }
    assert (wrong["ok"], wrong["line"]) == (False, WRONG_LINE)
    assert (unread["ok"], unread["line"], unread["record"]) == (False, None, names[2])
    assert "cannot be read" in unread["problem"]


def test_the_same_records_by_directory_and_by_name(results: Path, capsys: pytest.CaptureFixture[str]) -> None:
    shutil.rmtree(results / "records")
    (results / "deep").mkdir()
    (results / "deep" / "x.jsonl").write_bytes(REVEALED)
    (results / "ledger.jsonl").unlink()
    assert main(["verify", "--json", str(results)]) == 0
    assert json.loads(capsys.readouterr().out)["record"] == str(results / "deep" / "x.jsonl")
