import json
import os
from dataclasses import replace
from pathlib import Path

import pytest

from lastcard.tournament.ledger import (
    Ledger,
    LedgerError,
    Row,
    RulingKind,
    RulingRow,
    SeatFault,
    open_ledger,
    read_entries,
    read_rows,
)

ROW = Row(
    game=1,
    set=2,
    deal=3,
    rotation=0,
    seats=("a", "b"),
    points=(40, 0),
    places=(1, 2),
    cause="single_round",
    faults=(SeatFault(1, "b", "timeout", 12, "nothing came for 2.000 s — «späť»"),),
    record="records/00001.jsonl",
    record_hash="ab" * 32,
    versions=("1.2", ""),
    luck=((1.5, -2), ()),
    times={"started": "2026-11-29T20:00:00Z", "thinking_ms": [1, 2]},
)

RULING = RulingRow(1, RulingKind.ANNUL, "a wrong preset — «omyl»", 1, 8, "2026-11-30T06:00:00Z", game=1, replay=True)


def lean(row: Row) -> Row:
    """What a ledger keeps of a row in memory."""
    return replace(row, luck=(), times={})


def opened(path: Path) -> Ledger:
    ledger, torn = open_ledger(path)
    assert torn == 0
    return ledger


def test_rows_are_read_back_as_they_were_written(tmp_path: Path) -> None:
    path = tmp_path / "ledger.jsonl"
    ledger = opened(path)
    ledger.append(ROW)
    ledger.append(replace(ROW, game=2, faults=(), times={}))
    assert read_rows(path)[0] == [ROW, replace(ROW, game=2, faults=(), times={})]
    assert ledger.rows[0].seats is ledger.rows[1].seats
    ledger.append(replace(ROW, game=3), replace(ROW, game=4))
    rows, torn = read_rows(path)
    assert ([lean(row) for row in rows], torn) == (list(ledger.rows), 0)
    assert 4 in ledger
    assert 5 not in ledger
    assert opened(path).latest == tuple(rows)


def test_a_row_is_one_line_with_the_documented_fields(tmp_path: Path) -> None:
    path = tmp_path / "ledger.jsonl"
    opened(path).append(ROW)
    (line,) = path.read_text().splitlines()
    data = json.loads(line)
    assert list(data) == [
        "game", "set", "deal", "rotation", "seats", "points", "places", "cause", "faults", "record", "record_hash",
        "versions", "luck", "times",
    ]  # fmt: skip
    assert data["faults"] == [
        {"seat": 1, "bot": "b", "kind": "timeout", "sequence": 12, "evidence": "nothing came for 2.000 s — «späť»"}
    ]


@pytest.mark.parametrize("kept", [1, 20, -1])
def test_a_torn_last_line_is_cut_off_and_said(tmp_path: Path, kept: int) -> None:
    path = tmp_path / "ledger.jsonl"
    opened(path).append(ROW)
    whole = path.read_bytes()
    torn = f"{replace(ROW, game=2).to_json()}\n".encode()[:kept]
    path.write_bytes(whole + torn)
    assert read_rows(path) == ([ROW], len(torn))
    ledger, cut = open_ledger(path)
    assert cut == len(torn)
    assert path.read_bytes() == whole
    ledger.append(replace(ROW, game=2))
    assert [row.game for row in opened(path).rows] == [1, 2]


def test_a_file_that_is_only_a_torn_line_becomes_empty(tmp_path: Path) -> None:
    path = tmp_path / "ledger.jsonl"
    path.write_bytes(b'{"game": 1')
    ledger, cut = open_ledger(path)
    assert (ledger.rows, cut, path.read_bytes()) == ([], 10, b"")


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        ("{", "Expecting property name"),
        ("[]", "a row is a JSON object"),
        ("{}", "the row has no game, set, deal"),
        (ROW.to_json().replace('"game": 1', '"game": "1"'), "game is a whole number from 0 to 10000000000000, not '1'"),
        (
            ROW.to_json().replace('"deal": 3', '"deal": 1' + "0" * 400),
            "deal is a whole number from 0 to 1.*, not 100000",
        ),
        (ROW.to_json().replace('"a", "b"', '"a", "a"'), r"seats are different bots, at least one, not \['a', 'a'\]"),
        (replace(ROW, times={"started_ms": 10**30}).to_json(), r"times\.started_ms is a whole number from 0 to 1"),
        (
            replace(ROW, times={"thinking": [{"max_ms": "x"}]}).to_json(),
            r"times\.thinking\[0\]\.max_ms is a whole number",
        ),
        (
            replace(ROW, times={"thinking": [{"max_ms": 1, "buckets": [[1]]}]}).to_json(),
            r"times\.thinking\[0\]\.buckets has pairs of a number and a count, not \[1\]",
        ),
        (replace(ROW, times={"recovered": 5}).to_json(), r"times\.recovered is a list, not 5"),
        (ROW.to_json().replace("1.5, -2", "NaN"), "luck is a number of at most 10000000000000, not nan"),
        (ROW.to_json().replace('"a", "b"', '"a", 2'), "seats is a text, not 2"),
        (ROW.to_json().replace('"a", "b"', '"a"'), "seats, points and places must be equally many"),
        (ROW.to_json().replace('"kind": "timeout", ', ""), r"faults\[0\] has no kind"),
        (ROW.to_json().replace('"1.2", ', ""), "versions must be as many as seats, or none"),
        (ROW.to_json().replace("1.5, -2", '"much"'), "luck is a number of at most 10000000000000, not 'much'"),
        (
            ROW.to_json().replace('"timeout"', '"sulking"'),
            r"faults\[0\].kind is 'sulking'; valid are timeout, refusals",
        ),
        (ROW.to_json().replace('"seat": 1', '"seat": 2'), "a fault is of seat 2, but there are 2 seats, from 0"),
        (replace(ROW, replaces=2).to_json(), "replaces is a set before set 2, not 2"),
        ('{"row": "remark"}', "row is 'remark'; valid are 'ruling', and none for a game"),
        ('{"row": "ruling"}', "the row has no number, kind, reason, stage, after"),
        (RULING.to_json().replace("annul", "pardon"), "kind is one of annul, disqualify, withdraw, enter, take_back"),
        (replace(RULING, game=None).to_json(), "the ruling has no game"),
        (replace(RULING, number=2).to_json(), "the next ruling is number 1, not 2"),
        (RULING.to_json().replace("true", "1"), "replay is true or false, not 1"),
        (ROW.to_json(), "game 1 has its row already, in line 1"),
        ("", "Expecting value"),
    ],
)
def test_a_broken_line_is_an_error_that_names_it(tmp_path: Path, line: str, sentence: str) -> None:
    path = tmp_path / "ledger.jsonl"
    path.write_text(f"{ROW.to_json()}\n{line}\n{replace(ROW, game=3).to_json()}\n")
    before = path.read_bytes()
    with pytest.raises(LedgerError, match=rf"ledger\.jsonl:2: .*{sentence}"):
        open_ledger(path)
    assert path.read_bytes() == before


def test_a_field_of_a_newer_version_is_passed_over(tmp_path: Path) -> None:
    path = tmp_path / "ledger.jsonl"
    path.write_text(ROW.to_json()[:-1] + ', "mood": "good"}\n')
    assert read_rows(path)[0] == [ROW]


def test_a_game_has_one_row(tmp_path: Path) -> None:
    ledger = opened(tmp_path / "ledger.jsonl")
    ledger.append(ROW)
    with pytest.raises(LedgerError, match="game 1 has its row already"):
        ledger.append(ROW)
    assert len(ledger.rows) == 1


def test_a_row_counts_only_when_it_is_on_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "ledger.jsonl"
    ledger = opened(path)
    ledger.append(ROW)
    whole = path.read_bytes()

    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space left"):
        ledger.append(replace(ROW, game=2))
    assert (len(ledger.rows), 2 in ledger, path.read_bytes()) == (1, False, whole)


def test_rulings_stand_between_the_games_and_are_read_back(tmp_path: Path) -> None:
    path = tmp_path / "ledger.jsonl"
    ledger = opened(path)
    rulings = [
        RULING,
        RulingRow(2, RulingKind.DISQUALIFY, "it talked", 1, 8, bot="b", by="organiser", request="0f" * 16),
        RulingRow(3, RulingKind.TAKE_BACK, "it did not", 1, 8, ruling=2),
    ]
    ledger.append(ROW)
    for ruling in rulings:
        ledger.rule(ruling)
    ledger.append(replace(ROW, game=2))
    told = [json.loads(line) for line in path.read_text().splitlines()]
    assert [line.get("row") for line in told] == [None, *["ruling"] * 3, None]
    assert [(line.get("by"), "request" in line) for line in told[1:3]] == [(None, False), ("organiser", True)]
    again = opened(path)
    assert (list(again.rulings), [row.game for row in again.rows]) == (rulings, [1, 2])
    assert list(read_entries(path)) == [ROW, replace(ROW, game=2), *rulings]
    assert again.entries == ledger.entries == [lean(ROW), replace(lean(ROW), game=2), *rulings]
    with pytest.raises(LedgerError, match="the next ruling is number 4, not 3"):
        again.rule(rulings[2])


def test_a_row_of_an_older_version_has_no_versions_and_no_luck(tmp_path: Path) -> None:
    data = json.loads(ROW.to_json())
    del data["versions"], data["luck"]
    path = tmp_path / "ledger.jsonl"
    path.write_text(json.dumps(data) + "\n")
    assert read_rows(path)[0] == [replace(ROW, versions=(), luck=())]


def test_a_set_in_place_of_another_says_so(tmp_path: Path) -> None:
    path = tmp_path / "ledger.jsonl"
    opened(path).append(replace(ROW, replaces=1))
    assert json.loads(path.read_text())["replaces"] == 1
    assert read_rows(path)[0] == [replace(ROW, replaces=1)]
