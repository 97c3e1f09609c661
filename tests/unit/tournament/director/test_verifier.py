import json
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from lastcard.tournament.director import verifier
from lastcard.tournament.director.verifier import GivenUpError, verify_all
from lastcard.tournament.verifying import Expected, Problem
from record_games import play_game

GAMES = 7


@pytest.fixture
def records(tmp_path: Path) -> list[Expected]:
    """Records of games, the third of them damaged and the last one missing."""
    made = []
    for number in range(GAMES):
        game = play_game(number, players=2)
        path = tmp_path / f"{number}.jsonl"
        path.write_bytes(game.record(revealed=True))
        made.append(Expected(path.name, game.writer().close(), True))
    damaged = tmp_path / "2.jsonl"
    damaged.write_bytes(damaged.read_bytes().replace(b'"seat":0', b'"seat":1', 1))
    (tmp_path / f"{GAMES - 1}.jsonl").unlink()
    return made


def never() -> bool:
    return False


@pytest.mark.parametrize("cores", [1, 3])
def test_all_problems_are_found_in_their_order_whoever_looks(
    tmp_path: Path, records: list[Expected], monkeypatch: pytest.MonkeyPatch, cores: int
) -> None:
    monkeypatch.setattr(verifier, "LEAST", 2)
    monkeypatch.setattr(verifier, "_cores", lambda: cores)
    started: list[Sequence[str]] = []
    popen = subprocess.Popen

    def start(command: Sequence[str], **options: object) -> object:
        started.append(command)
        return popen(command, **options)  # type: ignore[call-overload]

    monkeypatch.setattr(verifier.subprocess, "Popen", start)
    unexpected = [records[0]._replace(revealed=False), records[1]._replace(record_hash="0" * 64), *records[2:]]
    found = verify_all(tmp_path, unexpected, never)
    assert [problem.record for problem in found] == ["0.jsonl", "1.jsonl", "2.jsonl", f"{GAMES - 1}.jsonl"]
    assert found[0] == Problem("0.jsonl", "is revealed before its set is complete")
    assert found[1].sentence.endswith(f"but {'0' * 64} in the ledger")
    assert found[2].sentence.startswith("line ")
    assert found[3].sentence == "cannot be read: No such file or directory"
    assert len(started) == (cores if cores > 1 else 0)


@pytest.mark.parametrize("cores", [1, 2])
def test_verifying_is_left_when_it_is_given_up(
    tmp_path: Path, records: list[Expected], monkeypatch: pytest.MonkeyPatch, cores: int
) -> None:
    monkeypatch.setattr(verifier, "LEAST", 2)
    monkeypatch.setattr(verifier, "_cores", lambda: cores)
    with pytest.raises(GivenUpError):
        verify_all(tmp_path, records, lambda: True)


@pytest.mark.parametrize("instead", ["/bin/true", "/no/such/program"])
def test_what_a_process_that_is_gone_has_not_verified_is_verified_all_the_same(
    tmp_path: Path, records: list[Expected], monkeypatch: pytest.MonkeyPatch, instead: str
) -> None:
    monkeypatch.setattr(verifier, "LEAST", 2)
    monkeypatch.setattr(verifier, "_cores", lambda: 2)
    monkeypatch.setattr(verifier.sys, "executable", instead)
    found = verify_all(tmp_path, records, never)
    assert [problem.record for problem in found] == ["2.jsonl", f"{GAMES - 1}.jsonl"]


def test_a_process_that_nobody_listens_to_ends_without_a_word(tmp_path: Path, records: list[Expected]) -> None:
    process = subprocess.Popen(
        [sys.executable, "-m", "lastcard.tournament.verify_program", str(tmp_path)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdout.close()
    _, said = process.communicate("".join(f"{json.dumps(each)}\n" for each in records).encode())
    assert said == b""
