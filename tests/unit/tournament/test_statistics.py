import csv
import io
import json
import math
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lastcard.tournament.adjustment import luck_adjusted
from lastcard.tournament.crosstable import crosstable
from lastcard.tournament.formats.contract import SetResult, Stage
from lastcard.tournament.judging import judge
from lastcard.tournament.ledger import Row, SeatFault
from lastcard.tournament.ratings import ratings
from lastcard.tournament.remembering import later_gains
from lastcard.tournament.rows import RulingKind, RulingRow
from lastcard.tournament.rulings import DEFAULT_RULINGS, Fault, Policy, Ruling
from lastcard.tournament.schedule import Game, Schedule
from lastcard.tournament.standings import as_dict, standings_csv, standings_json
from lastcard.tournament.statistics import (
    Estimate,
    RunningStandings,
    Scoring,
    complete_sets,
    estimate,
    set_results,
    standings,
    standings_of,
    win_shares,
)
from lastcard.tournament.thinking import histogram
from ledger_rows import random_rows


def row(
    number: int, set_: int, rotation: int, places: dict[str, int], points: Sequence[int] = (), *, faults: str = ""
) -> Row:
    """A row of seats in the order of `places`; `faults` is `seat:kind …`."""
    made = tuple(
        SeatFault(int(seat), list(places)[int(seat)], kind, 1, "seen")
        for seat, kind in (each.split(":") for each in faults.split())
    )
    return Row(
        game=number,
        set=set_,
        deal=set_,
        rotation=rotation,
        seats=tuple(places),
        points=tuple(points) or (0,) * len(places),
        places=tuple(places.values()),
        cause="single_round",
        faults=made,
        record=f"records/{number}.jsonl",
        record_hash="0" * 64,
    )


# Two bots, three complete sets: a wins 2, 1 and 1 games of 2, and one of the open set, which counts for no mean.
ROWS = [
    row(1, 1, 0, {"a": 1, "b": 2}, (30, 0)),
    row(2, 1, 1, {"b": 2, "a": 1}, (0, 50)),
    row(3, 2, 0, {"a": 1, "b": 2}, (10, 0)),
    row(4, 2, 1, {"b": 1, "a": 2}, (20, 0)),
    row(5, 3, 0, {"a": 2, "b": 1}, (0, 90), faults="0:timeout 0:timeout 1:refusals"),
    row(6, 3, 1, {"b": 2, "a": 1}, (0, 40)),
    row(7, 4, 0, {"a": 1, "b": 2}, (70, 0), faults="1:timeout"),
]


T_OF_2 = 4.302652729749464
"""Student's quantile for two degrees of freedom."""


def ends(made: Estimate) -> tuple[float, float]:
    """Both ends of an interval, with the mean between them."""
    assert made.interval is not None
    assert made.mean is not None
    assert made.interval[0] < made.mean < made.interval[1]
    return made.interval


def test_means_and_intervals_are_those_computed_by_hand() -> None:
    made = standings(ROWS, ("b", "a"), Scoring())
    assert (made.games, made.sets, made.games_in_open_sets) == (7, 3, 1)
    first, second = made.ranking
    assert (first.rank, first.bot, first.games, first.sets) == (1, "a", 7, 3)
    # Sets 1, 1/2, 1/2: mean 2/3, deviation 1/sqrt(12), t(0.975, 2) = 4.30265.
    assert first.score.mean == Fraction(2, 3)
    for end in ends(first.score):
        assert (2 / 3 - end) ** 2 == pytest.approx(T_OF_2**2 / 12 / 3 * end * (1 - end) / (2 / 9))
    # Points a set: 40, 5, 20.
    assert first.points.mean == Fraction(65, 3)
    deviation = math.sqrt(((40 - 65 / 3) ** 2 + (5 - 65 / 3) ** 2 + (20 - 65 / 3) ** 2) / 2)
    for end in ends(first.points):
        assert (65 / 3 - end) ** 2 == pytest.approx(T_OF_2**2 * deviation**2 / 3 * end / (65 / 3))
    assert first.place.mean == Fraction(4, 3)
    assert (first.places, first.faults) == ({1: 5, 2: 2}, {"timeout": 2})
    assert (second.rank, second.bot, second.score.mean, second.faults) == (
        2, "b", Fraction(1, 3), {"refusals": 1, "timeout": 1},
    )  # fmt: skip


def test_the_order_of_rows_does_not_matter() -> None:
    assert standings(ROWS[::-1], ("a", "b"), Scoring()) == standings(ROWS, ("a", "b"), Scoring())


@pytest.mark.parametrize(
    ("scoring", "best", "least"),
    [
        (Scoring("wins"), "a", False),
        (Scoring("points"), "b", False),
        (Scoring("points", fewest_points_win=True), "a", True),
        (Scoring("places"), "a", True),
    ],
)
def test_the_score_decides_what_is_best(scoring: Scoring, best: str, least: bool) -> None:
    rows = [
        row(1, 1, 0, {"a": 1, "b": 2}, (1, 2)),
        row(2, 1, 1, {"b": 2, "a": 1}, (5, 1)),
    ]
    made = standings(rows, ("a", "b"), scoring)
    assert (made.ranking[0].bot, made.scoring.least_is_best) == (best, least)


def test_ties_share_the_win_and_the_rank() -> None:
    rows = [row(number + 1, 1, number, {"a": 1, "b": 1, "c": 3}) for number in range(3)]
    made = standings(rows, ("c", "b", "a"), Scoring())
    assert [(each.rank, each.bot, each.score.mean) for each in made.ranking] == [
        (1, "b", Fraction(1, 2)),
        (1, "a", Fraction(1, 2)),
        (3, "c", Fraction(0)),
    ]


def test_a_loss_by_ruling_gives_the_win_to_the_next() -> None:
    rows = [row(1, 1, 0, {"a": 1, "b": 2}, (9, 0), faults="0:crash"), row(2, 1, 1, {"b": 2, "a": 1}, (0, 9))]
    by_name = {each.bot: each for each in standings(rows, ("a", "b"), Scoring()).ranking}
    assert (by_name["a"].score.mean, by_name["a"].lost_by_ruling) == (Fraction(1, 2), 1)
    assert (by_name["b"].score.mean, by_name["b"].places) == (Fraction(1, 2), {1: 1, 2: 1})
    assert by_name["a"].points.mean == Fraction(9, 2)


def test_where_all_lose_by_ruling_nobody_wins() -> None:
    rows = [row(number + 1, 1, number, {"a": 1, "b": 1}, (), faults="0:start_up 1:start_up") for number in range(2)]
    assert [each.score.mean for each in standings(rows, ("a", "b"), Scoring()).ranking] == [0, 0]


def test_where_no_interval_can_be_given_it_says_why() -> None:
    assert estimate([]) == (None, None, "no complete set")
    mean, interval, note = estimate([Fraction(1, 2)])
    assert (mean, interval, note) == (Fraction(1, 2), None, "an interval needs at least 2 complete sets, not 1")
    mean, interval, note = estimate([Fraction(1, 4)] * 9)
    assert (mean, interval) == (Fraction(1, 4), None)
    assert note.startswith("all 9 sets came out the same")
    assert estimate([Fraction(0)] * 9, least=0).interval is None


def test_a_bot_that_always_or_never_wins_still_has_a_bound() -> None:
    # (1 - m) ** 20 = 0.025 at m = 0.16843...
    assert estimate([Fraction(0)] * 20, 0, 1).interval == pytest.approx((0, 0.1684335))
    assert estimate([Fraction(1)] * 20, 0, 1).interval == pytest.approx((1 - 0.1684335, 1))
    assert estimate([Fraction(4)] * 20, 1, 4).interval == pytest.approx((4 - 3 * 0.1684335, 4))


def test_set_results_are_the_mean_scores_of_complete_sets() -> None:
    assert set_results(ROWS, Scoring("points")) == {
        1: SetResult(("a", "b"), (40.0, 0.0)),
        2: SetResult(("a", "b"), (5.0, 10.0)),
        3: SetResult(("a", "b"), (20.0, 45.0)),
    }
    assert set_results(ROWS, Scoring())[1] == SetResult(("a", "b"), (1.0, 0.0))
    assert set_results(ROWS, Scoring("places"))[1] == SetResult(("a", "b"), (1.0, 2.0))


def test_a_bot_without_games_stands_last_without_figures() -> None:
    made = standings(ROWS, ("z", "a", "b"), Scoring())
    last = made.ranking[-1]
    assert (last.rank, last.bot, last.games, last.score.mean) == (3, "z", 0, None)


def test_complete_sets_are_those_with_every_rotation() -> None:
    assert complete_sets(ROWS) == {1, 2, 3}
    assert complete_sets([]) == set()


@given(st.integers(2, 5), st.integers(1, 7), st.data())
def test_identical_deterministic_bots_come_out_exactly_equal(size: int, deals: int, data: st.DataObject) -> None:
    """When the seats alone decide, as with equal bots on one deal, all have the same score in every set."""
    bots = tuple(f"bot{number}" for number in range(size + data.draw(st.integers(0, 1))))
    compositions = (bots[:size],) if len(bots) == size else (bots[:size], bots[1:])
    by_deal = {deal: data.draw(st.permutations(range(1, size + 1))) for deal in range(1, deals * len(compositions) + 1)}

    def played(game: Game) -> Row:
        return Row(
            **game._asdict(),
            points=tuple(place * 7 for place in by_deal[game.deal]),
            places=tuple(by_deal[game.deal]),
            cause="single_round",
            faults=(),
            record="",
            record_hash="",
        )

    rows = [played(game) for game in Schedule(Stage(compositions, deals), key=bytes(32))]
    made = standings(rows, bots, Scoring())
    assert {each.score.mean for each in made.ranking} == {Fraction(1, size)}
    assert {each.place.mean for each in made.ranking} == {Fraction(size + 1, 2)}
    assert {each.rank for each in made.ranking} == {1}


def test_win_shares_of_a_game_add_up_to_one() -> None:
    from lastcard.tournament.rulings import outcome

    for places in [(1, 2, 3), (1, 1, 3), (1, 1, 1)]:
        assert sum(win_shares(outcome(places, (0, 0, 0), []))) == 1


def test_the_files_say_what_the_figures_are() -> None:
    made = standings(ROWS, ("a", "b"), Scoring())
    data = json.loads(standings_json(made, "cup"))
    assert data == as_dict(made, "cup")
    assert (data["tournament"], data["score"], data["unit"], data["games"], data["sets"]) == (
        "cup",
        "wins",
        "set",
        7,
        3,
    )
    assert data["ranking"][0]["bot"] == "a"
    assert data["ranking"][0]["score"] == {"mean": 0.666667, "low": 0.139544, "high": 0.961036, "note": ""}
    best, other = csv.DictReader(io.StringIO(standings_csv(made)))
    assert (best["rank"], best["bot"], best["score"], best["place_1"], best["faults_timeout"]) == (
        "1", "a", "0.666667", "5", "2",
    )  # fmt: skip
    assert (other["bot"], other["faults_refusals"], other["faults_crash"]) == ("b", "1", "0")


def test_a_figure_that_cannot_be_given_is_an_empty_cell() -> None:
    made = standings(ROWS[:2], ("a", "b"), Scoring())
    best, _ = csv.DictReader(io.StringIO(standings_csv(made)))
    assert (best["score"], best["score_low"], best["score_high"]) == ("1.0", "", "")


def test_the_files_hold_ratings_meetings_luck_and_thinking_times() -> None:
    rng = np.random.default_rng(1)
    rows = []
    for row in random_rows(["abc"], 40, {"a": 0.5, "b": 0.0, "c": 0.0}, rng):
        luck = tuple((0.0, float(value)) for value in rng.normal(0, 2, 3))
        times = {"thinking": histogram([(seat, seat + 1) for seat in range(3)], 3)}
        rows.append(replace(row, luck=luck, times=times))
    judged = judge(rows, Scoring())
    made = standings_of(judged, "abc")
    data = as_dict(made, "cup")
    best = data["ranking"][0]
    rating = next(each for each in ratings(judged, "abc").ratings if each.bot == best["bot"])
    assert best["rating"]["mean"] == pytest.approx(rating.rating, abs=1e-6)
    adjusted = next(each for each in luck_adjusted(judged, "abc") if each.bot == best["bot"])
    assert best["luck_adjusted"]["variance_ratio"] == pytest.approx(adjusted.variance_ratio, abs=1e-6)
    assert best["thinking_ms"] == {"decisions": 120, "p50": 2, "p95": 3, "p99": 3, "max": 3}
    gain = later_gains(judged, [best["bot"]])[best["bot"]]
    assert best["later_gain"]["mean"] == pytest.approx(float(gain.mean or 0), abs=1e-6)
    assert data["ratings"] == {"basis": "winner", "sets": 40}
    assert len(data["who_beats_whom"]) == 6
    meeting = data["who_beats_whom"][0]
    assert meeting["ahead"]["mean"] == pytest.approx(
        float(crosstable(judged, "abc")[meeting["bot"], meeting["other"]].ahead.mean or 0), abs=1e-6
    )
    assert data["settled"]["rounds"] == 40
    line = next(csv.DictReader(io.StringIO(standings_csv(made))))
    assert line["rating"] == str(best["rating"]["mean"])
    assert (line["thinking_max_ms"], line["luck_adjusted_high"]) == ("3", str(best["luck_adjusted"]["high"]))


def test_running_standings_are_those_of_all_rows() -> None:
    rng = np.random.default_rng(2)
    rows = random_rows(["abc", "abd"], 5, dict.fromkeys("abcd", 0.0), rng)
    for scoring in (Scoring(), Scoring("points"), Scoring("places")):
        running = RunningStandings("abcd", scoring)
        for count, row in enumerate(rows, start=1):
            running.add(row)
            assert running.standings() == standings(rows[:count], "abcd", scoring)._replace(judged=None)


def test_running_standings_are_not_judged_anew_when_bots_come_and_go(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = random_rows(["ab"], 3, dict.fromkeys("ab", 0.0), np.random.default_rng(2))
    running = RunningStandings("ab", Scoring(), rows)
    running.add(RulingRow(1, RulingKind.WITHDRAW, "tired", stage=1, after=6, bot="a"))
    monkeypatch.setattr("lastcard.tournament.statistics.standings", None)
    assert running.standings() == standings(rows, "ab", Scoring())._replace(judged=None)


def test_running_standings_follow_rulings_and_sets_that_are_played_again() -> None:
    rulings = {**DEFAULT_RULINGS, Fault.CRASH: Policy(Ruling.REPLAY)}
    scoring = Scoring(rulings=rulings)
    crashed = SeatFault(0, "a", "crash", 1, "seen")
    rows: list[Row | RulingRow] = [
        replace(row, faults=(crashed,)) if row.game == 3 else replace(row, replaces=2 if row.set == 3 else 0)
        for row in random_rows(["ab"], 3, {"a": 1.0, "b": 0.0}, np.random.default_rng(3))
    ]
    rows.append(RulingRow(1, RulingKind.ANNUL, "a mistake", stage=0, after=6, game=1))
    running = RunningStandings("ab", scoring)
    for count, row in enumerate(rows, start=1):
        running.add(row)
        assert running.standings() == standings(rows[:count], "ab", scoring)._replace(judged=None)


@pytest.mark.parametrize(
    ("chance", "sets"), [(0.02, 20), (0.05, 10), (0.05, 50), (0.25, 5), (0.25, 20), (0.5, 10), (0.97, 30)]
)
def test_intervals_of_shares_hold_the_truth_about_as_often_as_they_say(chance: float, sets: int) -> None:
    rng = np.random.default_rng(4)
    held = total = 0
    for wins in rng.binomial(4, chance, (600, sets)):
        made = estimate([Fraction(int(each), 4) for each in wins], 0, 1)
        if made.interval is not None:
            total += 1
            held += made.interval[0] <= chance <= made.interval[1]
    # Student's intervals hold 0.02 of 20 sets always and of 50 sets 92 times in 100.
    assert held / total >= 0.93


@pytest.mark.parametrize("sets", [5, 10, 40])
def test_intervals_of_points_hold_the_truth_although_points_are_skewed(sets: int) -> None:
    rng = np.random.default_rng(5)
    held = 0
    for _ in range(600):
        points = (rng.random((sets, 4)) < 0.25) * rng.gamma(3, 30, (sets, 4)).astype(int)
        made = estimate([Fraction(int(each), 4) for each in points.sum(axis=1)], 0)
        if made.interval is not None:
            held += made.interval[0] <= 0.25 * 89.5 <= made.interval[1]
    assert held / 600 >= 0.93


def test_the_interval_without_bounds_is_students() -> None:
    made = estimate([Fraction(each) for each in (1, 2, 6)])
    half = T_OF_2 * math.sqrt(7) / math.sqrt(3)
    assert made.interval == pytest.approx((3 - half, 3 + half))
    above = estimate([Fraction(each) for each in (1, 2, 6)], most=10)
    below = estimate([Fraction(-each) for each in (1, 2, 6)], least=-10)
    assert above.interval is not None
    assert below.interval == pytest.approx((-above.interval[1], -above.interval[0]))
