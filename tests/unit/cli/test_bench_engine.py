"""`lastcard bench engine`: what it counts, and how it refuses a control that is none."""

import argparse
import json
import sys

import pytest

from lastcard.cli.bench_engine import add_options, play_game, run
from lastcard.cli.errors import CommandError
from lastcard.rules.ruleset import ruleset

CONTROL = "import json; print(json.dumps(dict(name='other', games=1, decisions=10, seconds=0.001)))"


def options(*words: str) -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    add_options(parser)
    return parser.parse_args(["--passes", "1", "--seconds", "0.01", *words])


def test_a_game_is_played_to_its_end_and_is_the_same_for_the_same_number() -> None:
    rules = ruleset("official", {"match_end": "single_round"})
    counts = [play_game(rules, number, lambda: 0.0) for number in (1, 1, 2, 3)]

    assert counts[0] == counts[1]
    assert min(counts) > 5
    assert len(set(counts)) > 1


def test_json_names_every_set_of_rules_and_the_ratio_to_the_control(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(options("--json", "--control", f'{sys.executable} -c "{CONTROL}"')) == 0
    printed = json.loads(capsys.readouterr().out)

    assert printed["control"] == {"name": "other", "us_per_decision": 100.0}
    for row in printed["engine"]:
        assert row["times_faster_than_control"] == pytest.approx(100.0 / row["us_per_decision"], rel=0.01)


def test_without_a_control_plain_python_is_the_measure(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(options()) == 0

    assert "plain Python sieve" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("command", "sentence"),
    [
        ("no-such-command-at-all", "there is no command 'no-such-command-at-all'"),
        (f'{sys.executable} -c "raise SystemExit(3)"', "failed with status 3"),
        (f"{sys.executable} -c \"print('fast')\"", "must print a last line of JSON"),
        (f"{sys.executable} -c \"print('[]')\"", "must print a last line of JSON"),
    ],
)
def test_a_control_that_is_none_is_refused(command: str, sentence: str) -> None:
    with pytest.raises(CommandError, match=sentence):
        run(options("--control", command))


@pytest.mark.parametrize("words", [("--passes", "0"), ("--seconds", "0"), ("--seconds", "-1")])
def test_lengths_must_be_above_nothing(words: tuple[str, str]) -> None:
    with pytest.raises(CommandError, match="must be above 0"):
        run(options(*words))
