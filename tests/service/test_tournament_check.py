"""`lastcard tournament check`: bots against copies of themselves, on a real arena, as processes and builtins."""

import json
from collections.abc import Callable, Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from lastcard.cli.main import main
from lastcard.rules.record_reader import read_record
from lastcard.tournament.ledger import Row, read_rows
from lastcard.tournament.scoring import Scoring
from lastcard.tournament.statistics import standings

GREEDY = "from lastcard_bot import run\nfrom lastcard_bot.bots import make_bot\nrun(make_bot('greedy'))\n"
BOT = "import os, random\nfrom lastcard_bot import Bot, run\nclass Mine(Bot):\n    def choose(self, view, legal):\n"
DICE = BOT + "        return random.randrange(len(legal))\nrun(Mine())\n"
CRASHES = BOT + "        os._exit(3)\nrun(Mine())\n"
COUNTS = "        self.asked = getattr(self, 'asked', 0) + 1\n        return self.asked % len(legal)\nrun(Mine())\n"
REMEMBERS = BOT + COUNTS
DICE_OPTIONS = ("--bot", "dice", "--deals", "2", "--out", "kept")
LONGER = ("hand_size = 4", "hand_size = 9")
"""Of dice thrown so often some fall differently in games on the same deal, whatever the deals are."""
HEAD = """\
[tournament]
name = "cup"
table_size = {size}
deals = 900
seed = 5
options = {{ match_end = "single_round", hand_size = 4 }}
"""


class Ended(NamedTuple):
    status: int
    out: str
    err: str


def builtin(name: str) -> str:
    return f'[[bot]]\nname = "{name}"\nbuiltin = "{name}"\n'


def program(name: str, source: str) -> str:
    return f'[[bot]]\nname = "{name}"\ncommand = ["python3", "-c", {json.dumps(source)}]\n'


@pytest.fixture
def check(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Callable[..., Ended]:
    monkeypatch.chdir(tmp_path)

    def call(text: str, *options: str) -> Ended:
        Path("cup.toml").write_text(text)
        status = main(["tournament", "check", "cup.toml", *options])
        return Ended(status, *capsys.readouterr())

    return call


def rows_of(directory: Path) -> list[Row]:
    return sorted(read_rows(directory / "ledger.jsonl")[0], key=lambda row: row.game)


def alike(rows: list[Row], directory: Path) -> Iterator[bool]:
    """Whether the games of each deal have the same events, but for their commitments."""
    for deal in {row.deal for row in rows}:
        games = [read_record((directory / row.record).read_bytes()).events[1:] for row in rows if row.deal == deal]
        yield all(events == games[0] for events in games)


@pytest.mark.slow
def test_deterministic_builtins_and_programs_come_out_exactly_equal(check: Callable[..., Ended]) -> None:
    text = HEAD.format(size=2) + builtin("greedy") + builtin("random") + program("mine", GREEDY)
    found = check(text, "--deals", "2", "--out", "kept", "--json")
    assert (found.status, found.err) == (0, "")
    told: dict[str, Any] = json.loads(found.out)
    names = ["greedy", "random", "mine"]
    assert [(bot["bot"], bot["verdict"], bot["games"]) for bot in told["bots"]] == [
        (name, "deterministic", 4) for name in names
    ]
    for name in names:
        directory = Path("kept") / name
        rows = rows_of(directory)
        assert all(alike(rows, directory))
        for score in ("wins", "points", "places"):
            ranking = standings(rows, [f"{name}.1", f"{name}.2"], Scoring(score=score)).ranking
            assert [standing.rank for standing in ranking] == [1, 1]
            assert ranking[0].score.mean == ranking[1].score.mean
        assert {standing.win_share.mean for standing in ranking} == {Fraction(1, 2)}


@pytest.mark.slow
def test_a_bot_that_throws_dice_is_named_with_the_first_event_that_differs(check: Callable[..., Ended]) -> None:
    text = HEAD.format(size=2).replace(*LONGER) + program("dice", DICE) + builtin("greedy")
    found = check(text, *DICE_OPTIONS, "--json")
    assert (found.status, found.err) == (1, "")
    (told,) = json.loads(found.out)["bots"]
    assert told["verdict"] == "not deterministic"
    dice = Path("kept") / "dice"
    assert not all(alike(rows_of(dice), dice))
    parting = told["partings"][0]
    one, other = (read_record((dice / "records" / f"{game:05d}.jsonl").read_bytes()) for game in parting["games"])
    at = parting["event"] - 1
    assert one.events[1:at] == other.events[1:at]
    assert one.events[at] != other.events[at]
    assert parting["bots"] == [record.header.bots[parting["seat"]] for record in (one, other)]


@pytest.mark.slow
def test_a_bot_that_carries_something_from_game_to_game_is_named(check: Callable[..., Ended]) -> None:
    text = HEAD.format(size=2).replace(*LONGER) + program("mine", REMEMBERS) + builtin("greedy")
    found = check(text, "--bot", "mine", "--deals", "2")
    assert found.status == 1
    assert "mine: not deterministic" in found.out
    assert "after the same" in found.out
    assert "greedy" not in found.out


@pytest.mark.slow
def test_a_bot_that_fails_is_named_with_what_went_wrong_and_a_remote_one_is_not_checked(
    check: Callable[..., Ended],
) -> None:
    text = HEAD.format(size=2) + program("broken", CRASHES) + '[[bot]]\nname = "far"\nremote = true\n'
    found = check(text, "--deals", "1")
    assert found.status == 1
    assert "broken: failed\n  broken." in found.out
    assert "status 3" in found.out
    assert "far: not checked, since it is remote" in found.out


def test_the_deals_of_a_check_are_not_those_of_the_event(check: Callable[..., Ended]) -> None:
    """Who sees them in a check would know them again in the event."""
    text = HEAD.format(size=2) + builtin("greedy") + builtin("random")
    options = ("--bot", "greedy", "--deals", "1", "--json")
    seeds = {json.loads(check(text, *options).out)["seed"] for _ in range(2)}
    assert len(seeds) == 2
    assert json.loads(check(text, *options, "--seed", "8", "--out", "one").out)["seed"] == 8
    check(text, *options, "--seed", "8", "--out", "two")
    one, other = ((Path(where) / "greedy/records/00001.jsonl").read_bytes() for where in ("one", "two"))
    assert one == other


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (("--deals", "0"), "--deals 0: valid are 1 to 10000"),
        (("--bot", "nobody"), "--bot nobody: there is no such bot in cup.toml; there are greedy, random"),
        (("--seed", "-1"), "--seed -1: it must be from 0 to"),
        (("--out", "cup.toml"), "'cup.toml' cannot be used"),
        (("--out", "."), "'.' is not empty; name another directory with --out"),
    ],
)
def test_what_cannot_be_checked_is_refused(
    check: Callable[..., Ended], options: tuple[str, ...], sentence: str
) -> None:
    found = check(HEAD.format(size=2) + builtin("greedy") + builtin("random"), *options)
    assert found.status == 2
    assert sentence in found.err
