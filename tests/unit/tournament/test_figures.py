import json
import math
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lastcard.tournament.figures import figures_of
from lastcard.tournament.intervals import Estimate
from lastcard.tournament.judging import judge
from lastcard.tournament.ledger import Row, SeatFault
from lastcard.tournament.rulings import DEFAULT_RULINGS, Fault, Policy, Ruling
from lastcard.tournament.scoring import SCORES, Score, Scoring
from lastcard.tournament.standings import as_dict, standings_csv
from lastcard.tournament.statistics import standings_of
from lastcard.tournament.thinking import histogram
from ledger_rows import played_row

BOTS = ("a", "b", "c", "d", "e")


@st.composite
def ledgers(draw: st.DrawFn) -> list[Row]:
    """Sets of all sizes and outcomes, some of them not complete, with faults, and with luck and times or without."""
    rows: list[Row] = []
    for set_ in range(1, draw(st.integers(0, 8)) + 1):
        seats = draw(st.lists(st.sampled_from(BOTS), min_size=2, max_size=4, unique=True))
        size = len(seats)
        for rotation in range(draw(st.sampled_from([size, size, size, size - 1]))):
            turned = seats[rotation:] + seats[:rotation]
            worth = draw(st.lists(st.integers(1, 3), min_size=size, max_size=size))
            places = {bot: 1 + sum(other < own for other in worth) for bot, own in zip(turned, worth, strict=True)}
            row = played_row(len(rows) + 1, set_, rotation, places)
            if draw(st.booleans()):
                luck = tuple((float(seat), draw(st.floats(-9, 9))) for seat in range(size))
                times = {"thinking": histogram([(0, draw(st.integers(0, 99_999)))], size)}
                row = replace(row, luck=luck, times=times)
            if draw(st.integers(0, 9)) == 0:
                seat, kind = draw(st.integers(0, size - 1)), draw(st.sampled_from(sorted(Fault)))
                row = replace(row, faults=(SeatFault(seat, turned[seat], kind, 1, "seen"),))
            rows.append(row)
    return rows


policies = st.sampled_from([Policy(Ruling.LOSS), Policy(Ruling.VOID), Policy(Ruling.PENALTY, 7)]).map(
    lambda policy: {**DEFAULT_RULINGS, Fault.CRASH: policy, Fault.TIMEOUT: policy}
)


@pytest.mark.slow
@given(ledgers(), st.sampled_from(SCORES), policies)
@settings(max_examples=80, deadline=None)
def test_every_ledger_has_figures_that_are_numbers_or_say_why_not(
    rows: list[Row], score: Score, rulings: dict[Fault, Policy]
) -> None:
    judged = judge(rows, Scoring(score, rulings=rulings))
    made = standings_of(judged, BOTS)
    data = as_dict(made, "cup")
    json.dumps(data, allow_nan=False)
    assert len(standings_csv(made).splitlines()) == len(made.ranking) + 1
    figures = figures_of(judged, BOTS)
    for rating in figures.ratings.ratings:
        assert (rating.rating is None or rating.interval is None) == bool(rating.note)
        if rating.rating is not None and rating.interval is not None:
            assert rating.interval[0] < rating.rating < rating.interval[1]
    for (one, other), cell in figures.meetings.items():
        back = figures.meetings[other, one].ahead
        assert cell.ahead.mean is not None
        assert back.mean == 1 - cell.ahead.mean
        check(cell.ahead)
    for standing in made.ranking:
        check(standing.score)
        check(standing.place)
    # The order in which games were written down changes nothing.
    assert as_dict(standings_of(judge(rows[::-1], judged.scoring), BOTS), "cup") == data


def check(made: Estimate) -> None:
    assert (made.mean is None or made.interval is None) == bool(made.note)
    if made.mean is not None and made.interval is not None:
        low, high = made.interval
        assert low <= float(made.mean) * (1 + 1e-12) + 1e-12
        assert high >= float(made.mean) * (1 - 1e-12) - 1e-12
        assert math.isfinite(low)
        assert math.isfinite(high)


def test_points_need_their_reach_to_be_settled() -> None:
    rows = [played_row(number + 1, number // 2 + 1, number % 2, {"a": 1, "b": 2}) for number in range(60)]
    judged = judge(rows, Scoring("points"))
    assert figures_of(judged, "ab").verdict is None
    verdict = figures_of(judged, "ab", confidence=0.9, reach=20).verdict
    assert verdict is not None
    assert (verdict.settled, verdict.confidence) == (True, 0.9)
    wins = judge(rows, Scoring())
    assert figures_of(wins, "ab").verdict == figures_of(wins, "ab", reach=1).verdict
