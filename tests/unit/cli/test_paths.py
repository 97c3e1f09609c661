"""Paths on the command line: an empty one names nothing."""

import pytest

from lastcard.cli.main import main


@pytest.mark.parametrize(
    "argv",
    [
        ["verify", ""],
        ["verify", "game.jsonl", ""],
        ["show", ""],
        ["scenario", ""],
        ["tournament", "run", ""],
        ["tournament", "run", "cup.toml", "--out", ""],
    ],
    ids=" ".join,
)
def test_an_empty_path_is_not_the_present_directory(argv: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stop:
        main(argv)
    assert stop.value.code == 2
    shown = capsys.readouterr()
    assert "'' is no path; the present directory is '.'" in shown.err
    assert (shown.err.count("\n"), shown.out) == (1, "")
