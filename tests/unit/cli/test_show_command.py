"""`lastcard show`: a game in notation, and what one seat saw, was asked and answered."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from lastcard.cli.main import main
from lastcard.rules import events as ev
from lastcard.rules.actions import DRAW, PASS, TIMEOUT, play
from lastcard.rules.cards import FACES
from lastcard.rules.events import DrawCause
from lastcard.rules.notation import read_move
from lastcard.rules.reasons import Reason
from lastcard.rules.record import RecordWriter
from lastcard.rules.replay import move_of
from lastcard.rules.ruleset import ruleset
from lastcard.table.commands import Answer
from lastcard.table.effects import Ask, Blame, DecisionKind, FaultKind, Receipt, RefusedCatch, Verdict, Withdraw
from lastcard.table.receipts import ReceiptsWriter
from record_games import any_game, play_game

R5, R6, Y2, Y3, B1, G4 = (FACES[text] for text in ("R5", "R6", "Y2", "Y3", "B1", "G4"))
EVENTS = (
    ev.RoundStarted(1, 1, bytes(32), (2, 2), ((0, (R5, R6)), (1, (Y2, Y3)))),
    ev.StartCardTurned(FACES["R9"], False),
    ev.TurnStarted(0, 1),
    ev.CardPlayed(0, R5, 1, None, False, False, 1, 1, 0),
    ev.TurnStarted(1, 2),
    ev.CardsDrawn(1, 1, DrawCause.TURN, (B1,)),
    ev.TurnStarted(0, 3),
    ev.TimedOut(0, 1),
    ev.CardsDrawn(0, 1, DrawCause.TIMEOUT, (G4,)),
    ev.TurnStarted(1, 4),
)


@pytest.fixture
def record(tmp_path: Path) -> Path:
    """The beginning of a game between a bot and one whose name is a command for terminals."""
    writer = RecordWriter(
        ruleset("german", {"hand_size": 2}), ["ann", "b\x1b[2J"], draws="pile", reactions="sealed", labels={"game": "7"}
    )
    writer.add(1, EVENTS)
    writer.close()
    path = tmp_path / "game.jsonl"
    path.write_bytes(writer.to_bytes())
    return path


def with_receipts(record: Path) -> Path:
    """The record, with receipts beside it."""
    writer = ReceiptsWriter(["ann", "b"], limit_ms=2_000, bank_ms=60_000, reaction_ms=500, start_up_ms=1, grace_ms=1)
    legal = (play(R5), play(R6), DRAW)
    writer.asked(3, Ask(0, 1, DecisionKind.TURN, legal, 2_000, 60_000, None))
    writer.answered(Answer(0, 1, 9, None, False, (), 1_005))
    writer.judged(Verdict(0, 1, False, None, True, False, "choice 9 is not one of 0 to 2", None, (), 2))
    writer.answered(Answer(0, 1, 0, None, True, (1,), 1_012))
    refused = RefusedCatch(1, Reason.NOT_LIABLE, "seat 1 cannot be caught now")
    writer.judged(
        Verdict(0, 1, True, None, False, False, "", Receipt(1, 1_000, 1_012, 2, 10, 60_000, False), (refused,), 0)
    )
    writer.asked(4, Ask(1, 2, DecisionKind.REACTION, (PASS,), 500, None, None))
    writer.answered(Answer(1, 2, None, PASS, False, (), 1_020))
    writer.judged(Verdict(1, 2, True, None, False, False, "", Receipt(2, 1_013, 1_020, 0, 7, None, False), (), 0))
    writer.asked(7, Ask(0, 3, DecisionKind.TURN, (play(R6), DRAW), 2_000, 60_000, None))
    writer.withdrawn(Withdraw(0, 3, Reason.TURN_EXPIRED, Receipt(3, 1_030, None, 0, 2_000, 0, True)))
    writer.blamed(Blame(0, FaultKind.TIMEOUT, 7, "decision 3: no answer within 2000 ms"))
    record.with_name("game.receipts.ndjson").write_bytes(writer.to_bytes())
    return record


def test_a_game_is_shown_in_notation(record: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["show", str(record)]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[:3] == [
        "game 7",
        "rules german with hand_size = 2; draws pile; reactions sealed",
        "seats 0 ann, 1 b\\x1b[2J",
    ]
    assert lines[3].startswith("10 events, record right, chance not yet revealed, hash ")
    assert lines[4:] == [
        "",
        "round 1, dealer 1",
        "      0 holds R5 R6",
        "      1 holds Y2 Y3",
        "      start card R9",
        "   1  0 R5          1 card left",
        "   2  1 draw        1 card: B1",
        "   3  0 timeout     strike 1",
        "      0 draws 1 card (time ran out): G4",
    ]


@pytest.mark.parametrize("seed", range(0, 60, 3))
def test_every_game_can_be_shown_and_its_moves_read_back(
    seed: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    game = any_game(seed)
    path = tmp_path / "game.jsonl"
    path.write_bytes(game.record(revealed=True))
    assert main(["show", str(path)]) == 0
    shown = capsys.readouterr().out.splitlines()
    moves = [line[6:].split("  ")[0] for line in shown if line[6:7].isdigit()]
    expected = [move for event in game.events if (move := move_of(event)) is not None]
    found = [move for text in moves if (move := _read(text)) is not None]
    # What the server does for a seat whose time ran out is no move of that seat.
    by_server = sum(
        isinstance(before, ev.TimedOut) and isinstance(event, ev.CardKept | ev.PenaltyAccepted)
        for before, event in zip(game.events, game.events[1:], strict=False)
    )
    assert len(found) == len(expected) - by_server
    assert sum(move.action == TIMEOUT for move in found) == sum(isinstance(one, ev.TimedOut) for one in game.events)


def _read(text: str):
    try:
        return read_move(text)
    except ValueError:
        return None


def test_a_seat_sees_what_it_was_asked_and_answered_and_how_long_it_took(
    record: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["show", str(with_receipts(record)), "--seat", "0"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[4:] == [
        "as seat 0 saw it",
        "",
        "round 1, dealer 1",
        "      0 holds R5 R6",
        "      start card R9",
        "      ? TURN #1: hand R5 R6; top R9, colour R; others hold 1:2",
        "        may: R5 R6 draw",
        "        answered choice 9: refused, CHOICE_OUT_OF_RANGE: choice 9 is not one of 0 to 2",
        "        answered R5!, catch 1: accepted",
        "        catch 1 refused, NOT_LIABLE",
        "        answered after 12 ms (charged 10 ms, bank left 60000 ms)",
        "   1  0 R5          1 card left",
        "   2  1 draw        1 card",
        "      ? TURN #3: hand R6; top R5, colour R; others hold 1:3",
        "        may: R6 draw",
        "        closed: time ran out (charged 2000 ms, bank left 0 ms)",
        "      FAULT TIMEOUT: decision 3: no answer within 2000 ms",
        "   3  0 timeout     strike 1",
        "      0 draws 1 card (time ran out): G4",
    ]


def test_the_other_seat_sees_its_own(record: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["show", str(with_receipts(record)), "--seat", "1"]) == 0
    shown = capsys.readouterr().out
    assert "R6" not in shown
    assert "G4" not in shown
    assert "? REACTION #2: hand Y2 Y3; top R5, colour R; others hold 0:1" in shown
    assert "answered pass: accepted" in shown
    assert "answered after 7 ms (charged 7 ms)" in shown
    assert "FAULT" not in shown


def test_a_missing_file_of_receipts_is_said_and_hands_are_shown(
    record: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["show", str(record), "--seat", "0"]) == 0
    shown = capsys.readouterr().out
    assert "game.receipts.ndjson is not beside the record" in shown
    assert "      hand R5 R6\n   1  0 R5" in shown
    assert "?" not in shown


def test_json_has_events_and_questions(record: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["show", str(with_receipts(record)), "--seat", "0", "--json"]) == 0
    value = json.loads(capsys.readouterr().out)
    assert (value["seat"], value["receipts"], value["ok"]) == (0, "game.receipts.ndjson", True)
    assert value["header"]["bots"] == ["ann", "b\x1b[2J"]
    assert [event["sequence"] for event in value["events"]] == list(range(1, 11))
    assert value["events"][5]["move"] == "1 draw"
    assert value["events"][5]["event"]["cards_drawn"]["cards"] == []
    assert [question["decision"] for question in value["questions"]] == [1, 3]
    assert value["questions"][0]["took_ms"] == 12
    assert value["questions"][1]["took_ms"] is None


def test_a_wrong_record_is_shown_and_said_to_be_wrong(record: Path, capsys: pytest.CaptureFixture[str]) -> None:
    record.write_bytes(record.read_bytes().replace(b'"turn":2}', b'"turn":3}'))
    assert main(["show", str(record)]) == 1
    shown = capsys.readouterr().out
    assert "RECORD WRONG in line 6: " in shown
    assert "turn_started.turn is 3, the rules give 2." in shown
    assert "0 R5" in shown


def test_a_right_record_is_status_0(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    game = play_game(3, options={"match_end": "single_round"}, mischief=False)
    path = tmp_path / "game.jsonl"
    path.write_bytes(game.record(revealed=False))
    assert main(["show", str(path)]) == 0
    assert "record right, chance not yet revealed" in capsys.readouterr().out
    assert main(["show", str(path), "--json"]) == 0
    value = json.loads(capsys.readouterr().out)
    assert (value["ok"], value["revealed"]) == (True, False)
    assert "seat" not in value


def test_verify_and_show_need_nothing_but_the_standard_library() -> None:
    code = (
        "import sys, lastcard.cli.verify_command, lastcard.cli.show_command;"
        "print(*sorted({name.partition('.')[0] for name in sys.modules} - sys.stdlib_module_names))"
    )
    found = subprocess.run([sys.executable, "-I", "-c", code], capture_output=True, text=True, check=True)
    assert {name for name in found.stdout.split() if not name.startswith("_")} <= {"lastcard"}


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (["missing.jsonl"], "cannot be read: No such file or directory"),
        (["."], "cannot be read: Is a directory"),
        (["game.jsonl", "--seat", "2"], "--seat 2: there is no such seat; this game has seats 0 to 1"),
        (["game.jsonl", "--seat", "-1"], "there is no such seat"),
        (["torn.jsonl"], "torn.jsonl cannot be shown: line 3"),
        (["rules.jsonl", "--seat", "0"], "as a seat saw it: line 1: There is no preset 'swiss'"),
        (["bad.jsonl", "--seat", "0"], "bad.receipts.ndjson is no file of receipts: line 1 is not JSON"),
    ],
)
def test_what_cannot_be_shown_is_one_sentence_and_status_2(
    record: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    arguments: list[str],
    problem: str,
) -> None:
    monkeypatch.chdir(record.parent)
    data = record.read_bytes()
    Path("torn.jsonl").write_bytes(b"".join(data.splitlines(keepends=True)[:3])[:-9])
    Path("rules.jsonl").write_bytes(data.replace(b'"german"', b'"swiss"'))
    Path("bad.jsonl").write_bytes(data)
    Path("bad.receipts.ndjson").write_bytes(b"x\n")
    assert main(["show", *arguments]) == 2
    shown = capsys.readouterr()
    assert problem in shown.err
    assert (shown.err.count("\n"), shown.out) == (1, "")
