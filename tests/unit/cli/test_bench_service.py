import json
import re
from collections import Counter

import pytest

from lastcard.cli import main as main_module
from lastcard.cli.bench_server import groups
from lastcard.cli.bench_service import Pass, _durability, _lines, _load, _median, _sizes, _sync_ms
from lastcard.cli.errors import CommandError


def test_sizes_are_bots_times_tables():
    assert _sizes("64x1, 8x16") == [(64, 1), (8, 16)]


@pytest.mark.parametrize("text", ["64", "2x1", "x", "5x1", "4x0", ""])
def test_a_size_that_is_none_is_refused_with_an_example(text):
    with pytest.raises(CommandError, match="64x1"):
        _sizes(text)


def test_figures_are_medians_one_by_one():
    passes = [Pass(1, 6, 5, 1, 1, 7, 1), Pass(2, 5, 5, 2, 1, 9, 1), Pass(9, 4, 5, 3, 1, 8, 1)]
    assert _median(passes) == Pass(2, 5, 5, 2, 1, 8, 1)


def test_durabilities_are_compared_with_the_first():
    assert _durability("normal, none") == ("normal", "none")
    echo = Pass(10_000, 0, 50, 1, 1, 1, 1)
    arenas = {"full": Pass(1_000, 1, 200, 3, 9, 9, 0.5), "none": Pass(1_500, 2, 150, 2, 8, 8, 0.5)}
    _, cpu, other = _lines("64x1", echo, arenas)
    assert "4.00 times a message of the echo" in cpu
    assert "none beside full: 1.50 times the moves (1,500/s), 0.75 times the CPU a move (150.0 us)" in other


def test_the_time_of_a_sync_is_measured_where_the_stores_lie(tmp_path):
    assert _sync_ms(tmp_path, 3) > 0
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "arguments",
    [
        ["--pairs", "0"],
        ["--seconds", "0"],
        ["--sizes", "3x1"],
        ["--durability", "most"],
        ["--durability", "full,full"],
        ["--directory", "/nowhere"],
        ["--load", "/nowhere"],
        ["--load", "."],
    ],
    ids=str,
)
def test_options_that_measure_nothing_are_refused(arguments, capsys):
    assert main_module.main(["bench", "service", *arguments]) == 2
    assert re.match("lastcard: (--|there is no load generator at '/)", capsys.readouterr().err)


def load_that_says(tmp_path, script):
    program = tmp_path / "load"
    program.write_text(f"#!/bin/sh\n{script}\n")
    program.chmod(0o755)
    return program


def test_the_load_s_figures_are_read(tmp_path):
    found = {"moves_per_s": 10, "games_per_s": 1, "answered": 40, "server_cpu_s": 0.02, "load_cpu_s": 1, "seconds": 4}
    found |= {"verdict_ms": {"p50": 2, "p99": 3}, "own_event_ms": None}
    program = load_that_says(tmp_path, f"echo \"$@\" >{tmp_path}/words; cat <<'END'\n{json.dumps(found)}\nEND")
    assert _load(program, (7, "127.0.0.1:1"), "arena", (8, 2), 4) == Pass(10, 1, 500, 2, 3, 3, 0.25)
    words = (tmp_path / "words").read_text().split()
    assert words[-2:] == ["--json", "--seated"]
    assert words[words.index("--pid") + 1] == "7"


def test_a_load_that_fails_is_told_with_what_it_said(tmp_path):
    program = load_that_says(tmp_path, "echo 'lastcard_load: no server' >&2; exit 1")
    with pytest.raises(CommandError, match=r"status 1: lastcard_load: no server"):
        _load(program, (7, "127.0.0.1:1"), "echo", (8, 1), 4)


@pytest.mark.parametrize(("bots", "tables"), [(64, 1), (64, 64), (6, 2), (4, 3), (12, 7)])
def test_each_bot_sits_at_its_number_of_tables_and_never_twice_at_one(bots, tables):
    made = list(groups(bots, tables))
    assert all(len(set(group)) == 4 for group in made)
    assert Counter(number for group in made for number in group) == dict.fromkeys(range(bots), tables)
