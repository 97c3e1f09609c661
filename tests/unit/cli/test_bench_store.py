import json

import pytest

from lastcard.cli import bench_store
from lastcard.cli import main as main_module
from lastcard.store import compaction


@pytest.fixture(autouse=True)
def _small(monkeypatch):
    monkeypatch.setattr(bench_store, "TABLES", 20)
    monkeypatch.setattr(bench_store, "OPEN_AT_ONCE", 20)
    monkeypatch.setattr(bench_store, "LIFE", 20)
    monkeypatch.setattr(compaction, "LEAST", 100)


def test_the_store_is_measured_with_and_without_compaction_and_at_a_start(tmp_path, capsys):
    arguments = ["--pairs", "1", "--commits", "40", "--batch", "50", "--directory", str(tmp_path)]
    assert main_module.main(["bench", "store", *arguments]) == 0
    writing, left, start = capsys.readouterr().out.splitlines()
    assert "us of CPU a command" in writing
    assert "without compaction 2,000" in left
    assert start.endswith("for 20 open tables with 300 commands each")
    assert main_module.main(["bench", "store", *arguments, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["without_compaction"]["journal"] == 2_000
    assert found["writing"]["needed"] <= found["writing"]["journal"] < 1_500
    assert list(tmp_path.iterdir()) == []
    assert compaction.LEAST == 100


@pytest.mark.parametrize("arguments", [["--pairs", "0"], ["--commits", "0"], ["--batch", "0"], ["--directory", "/no"]])
def test_options_that_measure_nothing_are_refused(arguments, capsys):
    assert main_module.main(["bench", "store", *arguments]) == 2
    assert capsys.readouterr().err.startswith("lastcard: --")
