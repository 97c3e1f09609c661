"""`lastcard tournament report`: what it writes and prints, and which directories it refuses."""

import json
from pathlib import Path

import pytest

from lastcard.cli.main import main
from lastcard.tournament.claim import claimed
from results_directories import COMPLETE, RUNNING, event_directory, file_text, rotated

ORDERS = [("ann", "ben"), ("ann", "ben"), ("ben", "ann")]
FILES = ("standings.json", "standings.csv", "report.html")


def cup(directory: Path, state: str = COMPLETE) -> Path:
    return event_directory(directory, file_text(("ann", "ben")), rotated(ORDERS), state)


def test_all_figures_are_written_and_the_ranking_is_printed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = cup(tmp_path / "out")
    assert main(["tournament", "report", str(out)]) == 0
    told = capsys.readouterr().out
    assert "cup: 6 games, 3 complete sets" in told
    assert "66.7%" in told
    for name in FILES:
        assert f"written: {out / name}" in told
        assert (out / name).stat().st_size
    assert json.loads((out / "standings.json").read_text())["ranking"][0]["bot"] == "ann"


def test_figures_are_computed_again_whatever_was_there(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = cup(tmp_path / "out")
    main(["tournament", "report", str(out)])
    before = {name: (out / name).read_bytes() for name in FILES}
    (out / "standings.json").write_text("{}")
    (out / "standings.csv").unlink()
    (out / "report.html").write_text("")
    assert main(["tournament", "report", str(out)]) == 0
    assert {name: (out / name).read_bytes() for name in FILES} == before
    assert capsys.readouterr().err == ""


def test_json_is_all_that_is_printed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = cup(tmp_path / "out")
    assert main(["tournament", "report", str(out), "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["state"] == "complete"
    assert told["ranking"] == json.loads((out / "standings.json").read_text())["ranking"]
    assert told["written"] == [str(out / name) for name in FILES]


def test_a_directory_in_use_is_read_and_left_alone(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = cup(tmp_path / "out", RUNNING)
    with (out / "ledger.jsonl").open("a") as ledger:
        ledger.write('{"game": 9, "set')
    before = {path: path.read_bytes() for path in out.rglob("*") if path.is_file()}
    page = tmp_path / "so far.html"
    with claimed(out):
        assert main(["tournament", "report", str(out)]) == 0
        told = capsys.readouterr().out
        assert main(["tournament", "report", str(out), "--html", str(page)]) == 0
    assert "cup: 6 games" in told
    assert f"the event is being played, so nothing is written in {out}; --html FILE writes a page elsewhere" in told
    assert {path: path.read_bytes() for path in out.rglob("*") if path.is_file()} == before
    assert "being played" in page.read_text()
    assert 'href="out/records/00001.jsonl"' in page.read_text()


def test_the_page_alone_can_go_elsewhere(tmp_path: Path) -> None:
    out = cup(tmp_path / "out")
    assert main(["tournament", "report", str(out), "--html", str(tmp_path / "page.html")]) == 0
    assert (tmp_path / "page.html").stat().st_size
    assert not any((out / name).exists() for name in FILES)


def test_a_copy_without_records_and_programs_is_reported_on(tmp_path: Path) -> None:
    text = file_text(("ann", "ben")).replace('builtin = "greedy"', 'command = ["gone", "gone.py"]', 1)
    out = event_directory(tmp_path / "out", text, rotated(ORDERS))
    for record in (out / "records").iterdir():
        record.unlink()
    assert main(["tournament", "report", str(out)]) == 0
    page = (out / "report.html").read_text()
    assert "records/0" not in page
    assert "program" in page


def refused(capsys: pytest.CaptureFixture[str], directory: Path, *options: str) -> str:
    assert main(["tournament", "report", str(directory), *options]) == 2
    told = capsys.readouterr()
    assert told.out == ""
    assert told.err.count("\n") == 1
    return told.err.removeprefix("lastcard: ").rstrip()


def test_what_is_no_results_directory_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert "does not exist; name the results directory" in refused(capsys, tmp_path / "nowhere")
    (tmp_path / "file").touch()
    assert "is no directory" in refused(capsys, tmp_path / "file")
    assert "has no tournament.toml, so it is no results directory" in refused(capsys, tmp_path)


@pytest.mark.parametrize(
    ("name", "text", "told"),
    [
        ("event.json", "[]", "event.json' is damaged: it is no JSON object; put it back as it was"),
        ("ledger.jsonl", "what\n", "ledger.jsonl:1: not a row of a ledger"),
        ("ledger.jsonl", "", "has 0 of at least 6 games that were played; put it back as it was"),
        ("tournament.toml", "[tournament]\n", "the table [[bot]] is missing; put the file that was played back"),
    ],
)
def test_what_is_damaged_is_refused_and_left_alone(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str, text: str, told: str
) -> None:
    out = cup(tmp_path / "out")
    (out / name).write_text(text)
    assert told in refused(capsys, out)
    assert not (out / "report.html").exists()
    assert (out / name).read_text() == text


def test_a_page_that_cannot_be_written_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = cup(tmp_path / "out")
    (out / "report.html").mkdir()
    assert "nothing can be written in" in refused(capsys, out)
    page = tmp_path / "nowhere" / "page.html"
    assert f"the page {str(page)!r} cannot be written: No such file" in refused(capsys, out, "--html", str(page))
