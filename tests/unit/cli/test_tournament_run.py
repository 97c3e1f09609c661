"""`lastcard tournament run`: what is refused before anything starts."""

from pathlib import Path

import pytest

from lastcard.cli import tournament_run
from lastcard.cli.main import main

FILE = """\
[tournament]
name = "cup"
table_size = 2
deals = 1
[[bot]]
name = "ann"
builtin = "greedy"
[[bot]]
name = "ben"
builtin = "greedy"
"""


def test_a_results_directory_that_cannot_be_made_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "cup.toml").write_text(FILE)
    (tmp_path / "file").touch()
    out = tmp_path / "file" / "out"
    assert main(["tournament", "run", str(tmp_path / "cup.toml"), "--out", str(out)]) == 2
    told = f"the results directory {str(out)!r} cannot be made: Not a directory; name another with --out"
    assert capsys.readouterr().err == f"lastcard: {told}\n"


def test_interrupts_that_come_together_count_once(monkeypatch: pytest.MonkeyPatch) -> None:
    stops: list[float] = []
    stop = tournament_run.once_a_moment(lambda: stops.append(now))
    for now in (7.0, 7.001, 7.4, 8.0, 8.2, 8.6):
        monkeypatch.setattr(tournament_run.time, "monotonic", lambda: now)  # noqa: B023 - called at once
        stop()
    assert stops == [7.0, 8.0, 8.6]
