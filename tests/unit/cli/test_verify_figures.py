"""`lastcard verify` on a results directory: that the ranking follows from the ledger."""

import json
from pathlib import Path
from typing import Any

import pytest

from lastcard.cli.main import main
from lastcard.cli.verify_figures import holds_figures, verify_figures
from results_directories import COMPLETE, RUNNING, STOPPED, event_directory, file_text, rotated

ORDERS = [("ann", "ben"), ("ann", "ben"), ("ben", "ann")]


def cup(tmp_path: Path, state: str = COMPLETE) -> Path:
    out = event_directory(tmp_path / "out", file_text(("ann", "ben")), rotated(ORDERS), state)
    main(["tournament", "report", str(out)])
    return out


def changed(out: Path, change: Any) -> None:
    path = out / "standings.json"
    data = json.loads(path.read_text())
    change(data)
    path.write_text(json.dumps(data))


@pytest.mark.parametrize("state", [COMPLETE, STOPPED])
def test_a_ranking_follows_from_games_and_rulings(tmp_path: Path, state: str) -> None:
    out = cup(tmp_path, state)
    found = verify_figures(out)
    assert (found.ok, found.unread) == (True, False)
    assert found.text() == f"ok    {out / 'standings.json'}: follows from 6 games"
    assert main(["tournament", "rule", str(out), "annul", "1", "--reason", "why not"]) == 0
    assert verify_figures(out).text() == f"ok    {out / 'standings.json'}: follows from 6 games and 1 ruling"


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (lambda data: data["ranking"].reverse(), 'ranking[1].rank is 2, but 1 follows from the ledger'),
        (lambda data: data["ranking"][0]["score"].update(mean=0.67), "ranking[1].score.mean is 0.67, but 0.666667 "),
        (lambda data: data["ranking"].pop(), "ranking is a list of 1, but one of 2 follows from the ledger"),
        (lambda data: data.update(sets=True), "sets is true, but 3 follows from the ledger"),
        (lambda data: data.pop("games"), "games is not there, but 6 follows from the ledger"),
        (lambda data: data.update(winner="ben"), 'winner is "ben", but not there follows from the ledger'),
    ],
)  # fmt: skip
def test_what_does_not_follow_is_named(tmp_path: Path, change: Any, sentence: str) -> None:
    out = cup(tmp_path)
    changed(out, change)
    found = verify_figures(out)
    assert (found.ok, found.unread) == (False, False)
    assert found.text().startswith(f"WRONG {out / 'standings.json'}: {sentence}")


def test_a_ruling_that_was_struck_out_of_the_ledger_is_found(tmp_path: Path) -> None:
    out = cup(tmp_path)
    main(["tournament", "rule", str(out), "disqualify", "ann", "--reason", "it talks"])
    lines = (out / "ledger.jsonl").read_text().splitlines(keepends=True)
    (out / "ledger.jsonl").write_text("".join(lines[:-1]))
    assert not verify_figures(out).ok


def test_the_last_digit_may_differ_on_another_machine(tmp_path: Path) -> None:
    out = cup(tmp_path)
    changed(out, lambda data: data["ranking"][0]["score"].update(mean=0.666668))
    assert verify_figures(out).ok


def test_while_it_is_played_nothing_is_said_of_a_ranking(tmp_path: Path) -> None:
    out = cup(tmp_path, RUNNING)
    (out / "standings.json").unlink()
    found = verify_figures(out)
    assert found.ok
    assert "the event is being played or was killed; its ranking is not written yet" in found.text()


@pytest.mark.parametrize("text", [None, "{", "[" * 100_000])
def test_a_ranking_that_cannot_be_read_is_not_wrong_but_unread(tmp_path: Path, text: str | None) -> None:
    out = cup(tmp_path)
    (out / "standings.json").unlink()
    if text is not None:
        (out / "standings.json").write_text(text)
    found = verify_figures(out)
    assert (found.ok, found.unread) == (False, True)
    assert "`lastcard tournament report` writes it again" in found.text()


def test_a_damaged_event_is_said(tmp_path: Path) -> None:
    out = cup(tmp_path)
    (out / "event.json").write_text("{")
    found = verify_figures(out)
    assert (found.ok, found.unread) == (False, True)
    assert "cannot be computed again" in found.text()


def test_the_command_checks_it_and_says_so_by_its_status(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = cup(tmp_path)
    capsys.readouterr()
    assert holds_figures(out)
    assert not holds_figures(tmp_path)
    assert main(["verify", str(out), "--json"]) == 2  # the records are empty files here
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert lines[-1] == {"figures": str(out / "standings.json"), "ok": True, "line": None, "problem": None}
    problem = lines[-2]["problem"]
    assert lines[-2] == {"games": str(out / "ledger.jsonl"), "ok": False, "line": None, "problem": problem}
    assert "but the event has given out set" in problem  # since nobody has drawn these games
    assert [line["ok"] for line in lines[:-2]] == [False] * 6


@pytest.mark.parametrize("name", ["ledger.jsonl", "event.json", "tournament.toml"])
def test_what_the_ranking_follows_from_must_be_there(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str
) -> None:
    out = cup(tmp_path)
    (out / name).unlink()
    assert main(["verify", str(out)]) == 2
    shown = capsys.readouterr()
    assert "standings.json: cannot be computed again" in shown.out
    assert name in shown.out


def test_a_set_whose_games_are_of_different_bots_is_found(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = cup(tmp_path)
    ledger = out / "ledger.jsonl"
    ledger.write_text(ledger.read_text().replace('"ben"', '"zoe"', 1))
    capsys.readouterr()
    assert main(["tournament", "report", str(out)]) == 2
    assert "in game 2 and ann, zoe in game 1 of the same set 1" in capsys.readouterr().err
    assert verify_figures(out).unread
