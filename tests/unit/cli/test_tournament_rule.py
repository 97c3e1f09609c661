"""`lastcard tournament rule`: what it writes and prints, and what it refuses."""

import json
from pathlib import Path

import pytest

from lastcard.cli.main import main
from lastcard.tournament import durable
from lastcard.tournament.claim import claimed
from lastcard.tournament.ledger import RulingKind, read_entries
from results_directories import COMPLETE, RUNNING, STOPPED, event_directory, file_text, rotated

ORDERS = [("ann", "ben"), ("ann", "ben"), ("ben", "ann"), ("ann", "ben")]
FIGURES = ("standings.json", "standings.csv", "report.html")


def cup(tmp_path: Path, state: str = COMPLETE, orders: int = 4) -> Path:
    """Four sets of two games, of which ann won three."""
    return event_directory(tmp_path / "out", file_text(("ann", "ben")), rotated(ORDERS[:orders]), state)


def rule(out: Path, *words: str, reason: str = "so it is") -> int:
    return main(["tournament", "rule", str(out), *words, *(["--reason", reason] if words != ("list",) else [])])


def standings(out: Path) -> dict[str, object]:
    return {each["bot"]: each["score"]["mean"] for each in json.loads((out / "standings.json").read_text())["ranking"]}


def content(out: Path) -> dict[Path, bytes]:
    return {path: path.read_bytes() for path in out.rglob("*") if path.is_file()}


@pytest.mark.parametrize("state", [COMPLETE, STOPPED, RUNNING])
def test_a_ruling_is_a_row_and_every_figure_follows(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], state: str
) -> None:
    out = cup(tmp_path, state)
    before = (out / "ledger.jsonl").read_text()
    assert rule(out, "annul", "6", reason="  the power\n failed ") == 0
    told = capsys.readouterr().out
    assert "ruling 1: game 6 is annulled: the power failed\ncup: 8 games, 3 complete sets" in told
    assert (out / "ledger.jsonl").read_text().startswith(before)
    (row,) = read_entries(out / "ledger.jsonl").rulings
    assert (row.kind, row.game, row.reason, row.after, row.stage) == (RulingKind.ANNUL, 6, "the power failed", 8, 1)
    assert standings(out) == {"ann": 1.0, "ben": 0.0}
    assert "66.7%" not in told
    for name in FIGURES:
        assert (out / name).stat().st_size
    assert json.loads((out / "event.json").read_text())["state"] == state


def test_a_disqualified_bot_is_out_of_the_ranking_with_the_reason(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = cup(tmp_path)
    assert rule(out, "disqualify", "ann", reason="it reads the others' files") == 0
    assert "ruling 1: ann is disqualified: it reads the others' files" in capsys.readouterr().out
    assert standings(out) == {"ben": 0.25}
    made = json.loads((out / "standings.json").read_text())
    assert made["disqualified"] == [{"bot": "ann", "reason": "it reads the others' files"}]
    assert "it reads the others" in (out / "report.html").read_text()


def test_a_withdrawn_bot_keeps_its_results(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = cup(tmp_path)
    assert rule(out, "withdraw", "ann") == 0
    assert "ruling 1: ann is withdrawn from stage 2 on: so it is" in capsys.readouterr().out
    assert standings(out) == {"ann": 0.75, "ben": 0.25}


def test_a_ruling_that_is_taken_back_stays_in_the_ledger_and_does_not_hold(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = cup(tmp_path)
    main(["tournament", "report", str(out)])
    before = {name: (out / name).read_bytes() for name in FIGURES[:2]}
    assert rule(out, "disqualify", "ann") == rule(out, "annul", "1") == rule(out, "take-back", "1", reason="sorry") == 0
    assert standings(out) == {"ann": pytest.approx(2 / 3, abs=1e-6), "ben": pytest.approx(1 / 3, abs=1e-6)}
    assert rule(out, "take-back", "2") == 0
    assert {name: (out / name).read_bytes() for name in FIGURES[:2]} == before
    capsys.readouterr()
    assert rule(out, "list") == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split("  ")[0] for line in lines] == ["1", "2", "3", "4"]
    assert [line.split("  ", 2)[2] for line in lines] == [
        "ann is disqualified: so it is (taken back by 3)",
        "game 1 is annulled: so it is (taken back by 4)",
        "ruling 1 is taken back: sorry",
        "ruling 2 is taken back: so it is",
    ]
    assert main(["tournament", "rule", str(out), "list", "--json"]) == 0
    assert [json.loads(line)["number"] for line in capsys.readouterr().out.splitlines()] == [1, 2, 3, 4]


def test_a_complete_event_has_games_to_play_when_a_set_is_played_again(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = cup(tmp_path)
    key = json.loads((out / "event.json").read_text())["event_key"]
    assert rule(out, "annul", "3", "--replay") == 0
    told = capsys.readouterr().out
    assert "ruling 1: game 3 is annulled, its set is played again: so it is" in told
    assert f"there are games to play: lastcard tournament run FILE --resume --out {out}" in told
    state = json.loads((out / "event.json").read_text())
    assert (state["state"], "event_key" in state) == ("stopped", False)
    assert (out / "event.key").read_text() == f"{key}\n"
    assert (out / "store").is_dir()


def test_an_event_of_a_server_is_gone_on_with_by_the_server(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "arena" / "events").mkdir(parents=True)
    (tmp_path / "arena" / "lastcard.sqlite3").touch()
    out = cup(tmp_path).rename(tmp_path / "arena" / "events" / "cup")
    assert rule(out, "annul", "3", "--replay") == 0
    told = capsys.readouterr().out
    assert "there are games to play: when its server runs, lastcard tournament resume cup\n" in told
    assert "--out" not in told


def test_a_complete_event_whose_key_is_damaged_stays_as_it_was(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = cup(tmp_path)
    state = json.loads((out / "event.json").read_text()) | {"event_key": "00" * 32}
    (out / "event.json").write_text(json.dumps(state))
    before = content(out)
    assert rule(out, "annul", "3", "--replay") == 2
    assert "event.json' is damaged; put it back as it was" in capsys.readouterr().err
    assert content(out) == before


def test_json_is_all_that_is_printed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = cup(tmp_path)
    assert rule(out, "annul", "3", "--json") == 0
    told = json.loads(capsys.readouterr().out)
    assert (told["row"], told["kind"], told["game"], told["reason"]) == ("ruling", "annul", 3, "so it is")


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("annul", "9"), "no game 9 has been played; valid are 1 to 8"),
        (("annul", "0"), "no game 0 has been played; valid are 1 to 8"),
        (("disqualify", "cis"), "there is no bot 'cis' in the event; valid are ann, ben"),
        (("withdraw", "cis"), "there is no bot 'cis' in the event; valid are ann, ben"),
        (("take-back", "3"), "there is no ruling 3 to take back; valid are 1, 2"),
        (("annul", "1"), "that is so already by ruling 1: game 1 is annulled: so it is"),
        (("disqualify", "ann"), "that is so already by ruling 2: ann is disqualified: so it is"),
        (("withdraw", "ann"), "that is so already by ruling 2: ann is disqualified: so it is"),
    ],
)
def test_what_cannot_be_ruled_is_refused_and_nothing_is_written(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], words: tuple[str, ...], sentence: str
) -> None:
    out = cup(tmp_path)
    rule(out, "annul", "1")
    rule(out, "disqualify", "ann")
    capsys.readouterr()
    before = content(out)
    assert rule(out, *words) == 2
    assert capsys.readouterr().err == f"lastcard: {sentence}\n"
    assert content(out) == before


@pytest.mark.parametrize(
    ("number", "sentence"),
    [
        ("1", "ruling 1 has been taken back already; there is none that could be"),
        ("2", "ruling 2 took one back; make that one anew instead; there is none that could be"),
    ],
)
def test_what_was_taken_back_is_not_taken_back_again(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], number: str, sentence: str
) -> None:
    out = cup(tmp_path)
    rule(out, "annul", "1")
    rule(out, "take-back", "1")
    capsys.readouterr()
    assert rule(out, "take-back", number) == 2
    assert capsys.readouterr().err == f"lastcard: {sentence}\n"
    assert rule(out, "annul", "1") == 0


@pytest.mark.parametrize("reason", ["", "  \n", "x" * 1001, "a\0b"])
def test_a_reason_is_a_sentence(tmp_path: Path, capsys: pytest.CaptureFixture[str], reason: str) -> None:
    out = cup(tmp_path)
    before = content(out)
    assert rule(out, "annul", "1", reason=reason) == 2
    assert "reason" in capsys.readouterr().err
    assert content(out) == before


def test_nobody_rules_while_the_event_is_played(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = cup(tmp_path, RUNNING)
    before = content(out)
    with claimed(out):
        assert rule(out, "annul", "1") == 2
        assert "is in use by another process, which plays its event; stop it first" in capsys.readouterr().err
        assert rule(out, "list") == 0
        assert capsys.readouterr().out == "there are no rulings\n"
    assert content(out) == before


def test_a_directory_without_an_event_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert rule(tmp_path, "annul", "1") == 2
    assert "has no tournament.toml, so it is no results directory" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


def test_a_torn_last_line_is_cut_off_before_a_ruling(tmp_path: Path) -> None:
    out = cup(tmp_path, RUNNING)
    with (out / "ledger.jsonl").open("a") as ledger:
        ledger.write('{"game": 9, "set')
    assert rule(out, "annul", "1") == 0
    entries = read_entries(out / "ledger.jsonl")
    assert (len(entries.rows), len(entries.rulings), entries.torn) == (8, 1, 0)


def test_a_full_disk_says_what_became_of_the_ruling(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    out = cup(tmp_path)
    whole = durable.replace

    def full(path: Path, data: bytes) -> None:
        if path.name == "standings.json":
            raise OSError(28, "No space left on device")
        whole(path, data)

    with monkeypatch.context() as patch:
        patch.setattr(durable, "replace", full)
        assert rule(out, "annul", "1") == 2
    assert "No space left on device; `lastcard tournament rule" in capsys.readouterr().err
    assert main(["tournament", "report", str(out)]) == 0
    assert "ruling 1" not in capsys.readouterr().err
    assert standings(out)["ann"] == pytest.approx(2 / 3, abs=1e-6)


@pytest.mark.parametrize("text", ["one", "-1", "4294967296", "9" * 5_000])
def test_a_number_is_a_number(tmp_path: Path, capsys: pytest.CaptureFixture[str], text: str) -> None:
    with pytest.raises(SystemExit):
        rule(cup(tmp_path), "annul", text)
    error = capsys.readouterr().err
    assert "is no number; valid are whole numbers from 1 to 4294967295" in error or "required: GAME" in error


def test_a_name_without_a_server_or_a_directory_is_refused(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("LASTCARD_SERVER", raising=False)
    assert rule(Path("friday"), "annul", "1") == 2
    assert capsys.readouterr().err == (
        "lastcard: there is no directory 'friday' here; name a results directory, or with --server HOST:PORT the "
        "server that has a tournament of this name\n"
    )


def test_a_directory_is_ruled_on_though_a_server_is_named_by_the_environment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LASTCARD_SERVER", "127.0.0.1:1")
    out = cup(tmp_path)
    assert rule(out, "annul", "1") == 0
    (row,) = read_entries(out / "ledger.jsonl").rulings
    assert (row.by, row.request) == ("organiser", "")
