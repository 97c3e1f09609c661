"""`lastcard scenario`: what it prints where, and its exit status."""

import json
from pathlib import Path

import pytest

from lastcard.cli.main import main

PASSES = """\
[[scenario]]
id = "draws"
hands = ["B2 R7", "*7"]
discard = "R5"
steps = ["0 draw"]
"""
FAILS = """\
[[scenario]]
id = "wrong"
hands = ["B2 R7", "*7"]
discard = "R5"
steps = ["? turn 0", "? turn 1"]
"""
UNREADABLE = FAILS.replace("? turn 1", "? turns 1")


@pytest.fixture
def file(tmp_path: Path):
    def write(name: str, text: str) -> str:
        path = tmp_path / name
        path.write_text(text, encoding="utf-8")
        return str(path)

    return write


def test_all_passed(file, capsys):
    assert main(["scenario", file("a.toml", PASSES), file("b.toml", PASSES)]) == 0
    shown = capsys.readouterr()
    assert shown.out == "ok draws\nok draws\n2 passed, 0 failed\n"
    assert shown.err == ""


def test_some_failed(file, capsys):
    assert main(["scenario", file("a.toml", PASSES + FAILS)]) == 1
    shown = capsys.readouterr()
    assert shown.out == 'ok draws\nFAIL wrong step 2 "? turn 1": expected 1, got 0\n1 passed, 1 failed\n'
    assert shown.err == ""


def test_a_file_that_cannot_be_read_does_not_stop_the_others(file, capsys):
    bad = file("bad.toml", UNREADABLE)
    assert main(["scenario", bad, file("a.toml", PASSES), file("b.toml", FAILS)]) == 2
    shown = capsys.readouterr()
    assert shown.out == 'ok draws\nFAIL wrong step 2 "? turn 1": expected 1, got 0\n1 passed, 1 failed\n'
    assert shown.err.startswith(f"{bad}: wrong: step 2 \"? turns 1\": 'turns' is no check; valid are turn, hand")
    assert shown.err.count("\n") == 1


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (None, "it cannot be read: No such file or directory."),
        (b"\xff", "it is not UTF-8 text: byte 0 is not."),
        (b"[[scenario]", "it is not TOML: "),
        (b"", "it holds no scenario; each is a table that begins with [[scenario]]."),
    ],
)
def test_files_that_are_no_scenarios(tmp_path, capsys, content, sentence):
    path = tmp_path / "x.toml"
    if content is not None:
        path.write_bytes(content)
    assert main(["scenario", str(path)]) == 2
    shown = capsys.readouterr()
    assert shown.err.startswith(f"{path}: {sentence}")
    assert shown.out == "0 passed, 0 failed\n"


def test_a_directory_is_no_file(tmp_path, capsys):
    assert main(["scenario", str(tmp_path)]) == 2
    assert capsys.readouterr().err == f"{tmp_path}: it cannot be read: Is a directory.\n"


def test_json(file, capsys):
    assert main(["scenario", "--json", file("a.toml", PASSES + FAILS)]) == 1
    shown = json.loads(capsys.readouterr().out)
    assert (shown["passed"], shown["failed"]) == (1, 1)
    assert [one["id"] for one in shown["scenarios"]] == ["draws", "wrong"]
    assert shown["scenarios"][1]["step"] == 2
    assert (shown["scenarios"][1]["expected"], shown["scenarios"][1]["got"]) == ("1", "0")


def test_a_file_must_be_named(capsys):
    with pytest.raises(SystemExit) as stop:
        main(["scenario"])
    assert stop.value.code == 2
    assert "FILE" in capsys.readouterr().err


def test_a_byte_order_mark_is_no_part_of_the_text(file, capsys):
    assert main(["scenario", file("a.toml", "\ufeff" + PASSES)]) == 0
    assert capsys.readouterr().out == "ok draws\n1 passed, 0 failed\n"


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("a = " + "[" * 5000 + "]" * 5000, "nested too deeply; a scenario has three levels."),
        (PASSES + "players = " + "9" * 5000, "a number with more than 4300 digits; valid are far smaller ones."),
    ],
    ids=["nested", "long-number"],
)
def test_what_the_reader_of_toml_cannot_bear_is_an_error_in_the_file(file, capsys, text, sentence):
    assert main(["scenario", file("a.toml", text), file("b.toml", PASSES)]) == 2
    shown = capsys.readouterr()
    assert shown.out == "ok draws\n1 passed, 0 failed\n"
    assert shown.err.endswith(sentence + "\n")
    assert shown.err.count("\n") == 1
