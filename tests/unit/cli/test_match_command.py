"""`lastcard match`: what it says of bots that do not do as they should, and what goes where."""

import json
from pathlib import Path

import pytest

from lastcard.cli.main import main

BOTS = """\
from lastcard_bot import Bot

class Printing(Bot):
    def choose(self, view, legal_actions):
        print("thinking")
        return 0

class Bad(Bot):
    def choose(self, view, legal_actions):
        return "[/bold]"

class Exiting(Bot):
    def choose(self, view, legal_actions):
        raise SystemExit(0)
"""


@pytest.fixture
def bots(tmp_path: Path) -> str:
    path = tmp_path / "bots_of_match.py"
    path.write_text(BOTS)
    return str(path)


def test_what_bots_print_does_not_mix_with_the_result(bots: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["match", f"{bots}:Printing", "random", "--games", "2", "--json"]) == 0
    shown = capsys.readouterr()
    ranking = json.loads(shown.out)["ranking"]
    assert {row["bot"] for row in ranking} == {"bots_of_match:Printing", "random"}
    assert "thinking\n" in shown.err


def test_a_bad_reply_is_shown_as_it_is(bots: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["match", f"{bots}:Bad", "random", "--games", "2"]) == 1
    assert "not str '[/bold]'" in capsys.readouterr().out


def test_a_bot_that_exits_ends_the_series_with_a_sentence(bots: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["match", f"{bots}:Exiting", "random", "--games", "2"]) == 2
    assert "lastcard: bots_of_match:Exiting failed: SystemExit: 0 (" in capsys.readouterr().err


def test_an_option_that_is_given_twice_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    twice = ["--option", "match_end=rounds", "--option", "match_end=target"]
    assert main(["match", "greedy", "random", *twice]) == 2
    assert capsys.readouterr().err == "lastcard: option 'match_end' is given twice: as 'rounds' and as 'target'\n"
