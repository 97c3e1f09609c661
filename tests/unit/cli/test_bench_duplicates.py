"""`lastcard bench duplicates`: the ratio of variances, and that what is compared is played as it says."""

import json

import numpy as np
import pytest

import lastcard.cli.main as main_module
from lastcard.cli import bench_duplicates, duplicate_worth
from lastcard.cli.bench_duplicates import Match, Part, play_part
from lastcard.cli.duplicate_worth import differences, worth
from lastcard.cli.series import Series

GREEDY = Match(("greedy", "greedy"), "official", ())


def sets_of(noise_a_set: float, noise_a_game: float, count: int, size: int, seed: int = 1) -> np.ndarray:
    """Differences in which the games of a set share a part of their luck."""
    chance = np.random.default_rng(seed)
    shared = chance.normal(0, noise_a_set, (count, 1)) if noise_a_set else np.zeros((count, 1))
    return shared + chance.normal(0, noise_a_game, (count, size))


def test_independent_games_in_sets_are_worth_as_much_as_independent_games() -> None:
    found = worth(sets_of(0, 1, 2_000, 2, seed=2), sets_of(0, 1, 2_000, 2), 1)
    assert found.low < 1 < found.high
    assert abs(found.ratio - 1) < 0.1
    assert (found.sets, found.games) == (2_000, 4_000)


def test_games_that_make_up_for_each_other_save_games() -> None:
    """Each game has the luck ±x of its deal, which the other of the set takes back, and as much luck of its own."""
    chance = np.random.default_rng(3)
    deal = chance.normal(0, 1, (4_000, 1)) * np.array([[1, -1]])
    found = worth(deal + chance.normal(0, 1, (4_000, 2)), sets_of(0, 2**0.5, 4_000, 2), 1)
    assert found.low < 0.5 < found.high
    assert found.high - found.low < 0.1


def test_games_that_repeat_their_luck_cost_games() -> None:
    found = worth(sets_of(1, 0.01, 3_000, 4), sets_of(0, 1, 3_000, 4), 1)
    assert found.low < 4 < found.high


def test_the_interval_holds_the_true_ratio_about_as_often_as_it_says(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(duplicate_worth, "RESAMPLES", 400)
    held = 0
    for seed in range(40):
        found = worth(sets_of(0, 1, 60, 2, seed=seed), sets_of(0, 1, 60, 2, seed=1_000 + seed), seed)
        held += found.low <= 1 <= found.high
    assert held >= 33


@pytest.mark.parametrize(
    ("sets", "independent", "sentence"),
    [
        (np.zeros((1, 2)), np.ones((2, 2)), "1 sets tell nothing"),
        (np.zeros((9, 2)), np.eye(2), "all sets came out the same"),
        (np.eye(2), np.zeros((9, 2)), "all independent games came out the same"),
    ],
)
def test_what_has_no_variance_is_refused(sets: np.ndarray, independent: np.ndarray, sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        worth(sets, independent, 1)


def test_independent_games_of_which_few_differ_give_an_interval() -> None:
    """Every third draw of the bootstrap misses the set that differs."""
    independent = np.vstack([np.ones((9, 2)), [[0, 1]]])
    found = worth(sets_of(0, 1, 10, 2), independent, 1)
    assert 0 < found.low < found.ratio < found.high < 1_000


def test_differences_are_those_of_each_game() -> None:
    assert differences([[(1, 0), (0, 1)], [(0.5, 0.5), (3, 1)]]).tolist() == [[1, -1], [0, 2]]


@pytest.mark.parametrize("way", ["pile", "per_seat", "all"])
def test_equal_bots_come_out_exactly_equal_in_every_set_of_duplicates(way: str) -> None:
    for values in play_part(Part(GREEDY, way, 4, 7)).values():
        assert np.all(values.mean(axis=1) == 0)
        assert np.any(values != 0)


def test_equal_bots_do_not_come_out_equal_in_independent_games() -> None:
    found = play_part(Part(GREEDY, "independent", 8, 7))
    assert found["wins"].shape == (8, 2)
    assert np.any(found["wins"].mean(axis=1) != 0)


@pytest.mark.parametrize(
    ("way", "draws", "disguise"),
    [("pile", "pile", False), ("per_seat", "per_seat", False), ("disguised", "per_seat", True)],
)
def test_each_way_is_played_as_it_says(way: str, draws: str, disguise: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    made = []

    class Spy(Series):
        def __init__(self, *args, **options):
            made.append((options["draws"], options["disguise"]))
            super().__init__(*args, **options)

    monkeypatch.setattr(bench_duplicates, "Series", Spy)
    play_part(Part(GREEDY, way, 1, 7))
    assert made == [(draws, disguise)]


@pytest.mark.slow
def test_the_command_prints_figures_that_do_not_depend_on_the_processes(capsys: pytest.CaptureFixture[str]) -> None:
    arguments = [
        "bench",
        "duplicates",
        "--bots",
        "greedy",
        "random",
        "--sets",
        "20",
        "--json",
        "--option",
        "hand_size=2",
    ]
    found = []
    for processes in ("1", "2"):
        assert main_module.main([*arguments, "--processes", processes]) == 0
        found.append(json.loads(capsys.readouterr().out))
    assert found[0]["scores"] == found[1]["scores"]
    assert set(found[0]["scores"]) == {"wins", "points", "places"}
    assert set(found[0]["scores"]["wins"]) == {"independent", "pile", "per_seat", "disguised"}
    assert found[0]["scores"]["wins"]["pile"]["games"] == 40


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--players", "11"], "--players 11: a table has 2 to 10 players"),
        (["--players", "3", "--bots", "greedy", "random"], "--players 3: --bots names 2; give one of the two"),
        (["--bots", "greedy"], "--bots names 1; a table has 2 to 10 players"),
        (["--bots", "greedy", "nobody"], "there is no bot 'nobody'"),
        (["--sets", "0"], "--sets 0: there must be at least one"),
        (["--sets", "1"], "1 sets tell nothing about their variance"),
        (["--players", "5", "--ways", "all"], "every order of 5 seats is too many"),
        (["--option", "match_end=time"], "a series in one process has no clock"),
    ],
)
def test_what_cannot_be_measured_is_refused(
    arguments: list[str], sentence: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main_module.main(["bench", "duplicates", *arguments, "--processes", "1"]) == 2
    assert sentence in capsys.readouterr().err
