"""What is written down of bots beside their games."""

import json
from pathlib import Path
from typing import Any

import pytest

from lastcard.tournament.director.books import Books
from lastcard.tournament.file import load
from lastcard.tournament.results import Results
from lastcard.tournament.resumption import resume
from results_directories import file_text


def test_a_version_is_on_disk_when_it_is_noted_and_written_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "cup.toml").write_text(file_text(("ann", "ben")))
    file = load(tmp_path / "cup.toml", ("greedy",))
    results = Results.create(tmp_path / "out", file.text, file.name, file.seed)
    written: list[Any] = []
    write = results.write_state
    monkeypatch.setattr(results, "write_state", lambda *given, **more: (written.append(given), write(*given, **more)))
    books = Books(file, results)
    books.note_version("ann", "")
    books.note_version("ann", "1.1")
    assert json.loads((tmp_path / "out" / "event.json").read_text())["versions"] == {"ann": "1.1"}
    books.note_version("ann", "1.1")
    assert len(written) == 1
    assert resume(tmp_path / "out", file).versions == {"ann": "1.1"}
    books.note_version("ann", "1.2")
    assert resume(tmp_path / "out", file).versions == {"ann": "1.2"}
