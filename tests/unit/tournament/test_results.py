import stat
from pathlib import Path

import pytest

from lastcard.rules.shuffle import event_key
from lastcard.tournament.results import Results, ResultsError


def test_a_directory_that_is_not_empty_is_refused_untouched(tmp_path: Path) -> None:
    (tmp_path / "thesis.txt").write_text("mine")
    with pytest.raises(ResultsError, match=r"the results directory '.*' is not empty; name another with --out"):
        Results.create(tmp_path, "", "cup", 1)
    with pytest.raises(ResultsError, match=r"holds 'thesis\.txt', so it is no results directory"):
        Results.create(tmp_path, "", "cup", 1, overwrite=True)
    assert [path.name for path in tmp_path.iterdir()] == ["thesis.txt"]


def test_a_file_is_no_directory(tmp_path: Path) -> None:
    (tmp_path / "out").write_text("")
    with pytest.raises(ResultsError, match="is no directory"):
        Results.create(tmp_path / "out", "", "cup", 1)


def test_earlier_results_are_replaced_when_asked(tmp_path: Path) -> None:
    first = Results.create(tmp_path / "out", "old", "cup", 1)
    first.ledger.write_text("")
    first.log("a").write_text("printed")
    second = Results.create(tmp_path / "out", "new", "cup", 2, overwrite=True)
    assert (second.directory / "tournament.toml").read_text() == "new"
    assert not second.log("a").exists()
    assert not second.ledger.exists()


def test_the_key_is_secret_and_follows_from_a_seed_alone(tmp_path: Path) -> None:
    seeded = Results.create(tmp_path / "a", "", "cup", 7)
    assert seeded.key == event_key(7)
    first, second = (Results.create(tmp_path / name, "", "cup", None) for name in "bc")
    assert len(first.key) == 32
    assert first.key != second.key
    path = first.directory / "event.key"
    assert bytes.fromhex(path.read_text()) == first.key
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert first.key.hex() not in (first.directory / "event.json").read_text()
