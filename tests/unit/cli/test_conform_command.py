"""`lastcard conform`: what it refuses, and its list of checks."""

import json

import pytest

from lastcard.cli.main import main
from lastcard.conform.checks import CHECKS


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--", "./no-such-bot"], "'./no-such-bot' could not be started: No such file or directory"),
        (["--only", "luck", "--", "true"], "there is no check 'luck'; valid are all-of-a-frame, "),
        ([], "no bot is named; give the command that starts it after --"),
        (["--jobs", "0", "--", "true"], "--jobs 0 is no number of checks at a time; valid are 1 to 64"),
        (["--patience", "0", "--", "true"], "--patience 0 is no time to wait; valid are seconds up to 3600"),
    ],
)
def test_what_cannot_be_done_is_said_in_a_sentence(capsys, arguments, sentence):
    assert main(["conform", *arguments]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith(f"lastcard: {sentence}")


def test_the_list_names_every_check_with_what_it_proves(capsys):
    assert main(["conform", "--list"]) == 0
    listed = capsys.readouterr().out
    for check in CHECKS:
        assert f"{check.name} ({check.level.value}): the bot {check.title}.\n  why it matters: {check.proves}" in listed
    assert main(["conform", "--list", "--json", "--only", "replaced"]) == 0
    (line,) = capsys.readouterr().out.splitlines()
    assert json.loads(line)["check"] == "replaced"


def test_checks_have_names_of_their_own_and_tell_a_bots_author_what_to_do():
    names = [check.name for check in CHECKS]
    assert len(set(names)) == len(names)
    assert [check.name for check in CHECKS if check.gate] == names[:1]
    for check in CHECKS:
        assert check.title
        assert check.proves
        assert check.advice
        assert not check.title.endswith(".")
