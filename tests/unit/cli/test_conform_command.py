"""`lastcard conform`: what it refuses, and its list of checks."""

import argparse
import asyncio
import json
import re

import pytest

from lastcard.cli.conform_command import EPILOG, add_parser, judge
from lastcard.cli.main import main
from lastcard.conform import checking
from lastcard.conform.checking import Level
from lastcard.conform.checks import CHECKS


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--", "./no-such-bot"], "'./no-such-bot' could not be started: No such file or directory"),
        (["--", "no such bot"], "'no such bot' could not be started: No such file or directory; give the program and "),
        (["--", __file__], f"{__file__!r} could not be started: Permission denied; make it executable (chmod +x), "),
        (["--only", "luck", "--", "true"], "there is no check 'luck'; valid are all-of-a-frame, "),
        (
            ["--only", "catch", "--", "true"],
            "there is no check 'catch'; did you mean refused-catch? (`lastcard conform --list`",
        ),
        (["--only", "tokens", "--", "true"], "there is no check 'tokens'; did you mean token, "),
        (
            ["--only", "uno-call", "--", "true"],
            "there is no check 'uno-call'; did you mean calls-uno, calls-uno-after-rotation, ",
        ),
        ([], "no bot is named; give the command that starts it after --"),
    ],
)
def test_what_cannot_be_done_is_said_in_a_sentence(capsys, arguments, sentence):
    assert main(["conform", *arguments]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith(f"lastcard: {sentence}")


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--jobs", "0", "--", "true"], "argument --jobs: '0' is not a whole number from 1 to 64"),
        (["--jobs", "x", "--", "true"], "argument --jobs: 'x' is not a whole number from 1 to 64"),
        *[
            (
                ["--patience", word, "--", "true"],
                f"argument --patience: {word!r} is no time to wait; valid are 1 to 3600",
            )
            for word in ("0", "-1", "nan", "inf", "2h", "20x", "", "٣")
        ],
        (["python", "-c", "1"], "unrecognized arguments: -c 1; put -- before COMMAND, as in the examples"),
    ],
)
def test_words_that_cannot_be_understood_are_refused_in_a_sentence(capsys, arguments, sentence):
    with pytest.raises(SystemExit) as ended:
        main(["conform", *arguments])
    assert ended.value.code == 2
    assert capsys.readouterr().err.startswith(f"lastcard conform: {sentence}")


@pytest.mark.parametrize("patience", ["300", "5m", "300s"])
def test_patience_is_seconds_or_a_span_of_time(patience):
    parser = argparse.ArgumentParser()
    add_parser(parser.add_subparsers())
    assert parser.parse_args(["conform", "--patience", patience]).patience == 300


def test_examples_name_checks_that_there_are():
    named = re.findall(r"--only (\S+)", EPILOG)
    assert named
    assert set(named) <= {check.name for check in CHECKS}


async def test_bots_are_gone_when_nobody_reads_the_report_any_more(monkeypatch):
    ended = []

    async def first(_):
        return None

    async def second(_):
        try:
            await asyncio.Event().wait()
        finally:
            await asyncio.sleep(0)
            ended.append("second")

    def nobody_reads(*_, **__):
        raise BrokenPipeError

    monkeypatch.setattr("builtins.print", nobody_reads)
    checks = [checking.check(run.__name__, Level.REQUIRED, "t", proves="p", advice="a")(run) for run in (first, second)]
    with pytest.raises(BrokenPipeError):
        await judge(checks, ["true"], 20.0, 2, as_lines=True)
    assert ended == ["second"]


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
