import pytest
from hypothesis import given
from hypothesis import strategies as st

from lastcard.tournament.ledger import Row
from lastcard.tournament.thinking import RELATIVE_ERROR, bucket_of, histogram, middle_of, thinking_times
from ledger_rows import played_row


@given(st.integers(0, 86_400_000))
def test_the_middle_of_a_bucket_is_near_every_time_in_it(ms: int) -> None:
    assert abs(middle_of(bucket_of(ms)) - ms) <= RELATIVE_ERROR * ms


@given(st.integers(0, 10_000_000))
def test_longer_times_are_in_no_lower_bucket(ms: int) -> None:
    assert bucket_of(ms) <= bucket_of(ms + 1) <= bucket_of(ms) + 1


def row(number: int, seats: tuple[str, str], times: list[tuple[int, int]]) -> Row:
    made = played_row(number, 1, number - 1, {seats[0]: 1, seats[1]: 2})
    made.times["thinking"] = histogram(times, 2)  # type: ignore[index]
    return made


def test_percentiles_are_those_of_all_games_together() -> None:
    rows = [
        row(1, ("a", "b"), [(0, ms) for ms in range(1, 21)] + [(1, 7)]),
        row(2, ("b", "a"), [(1, ms) for ms in range(21, 31)] + [(1, 5000)]),
    ]
    made = thinking_times(rows, ("a", "b", "c"))
    found = made["a"]
    assert found is not None
    # 31 times: the 16th, the 30th and the 31st; up to 31 ms they are exact.
    assert (found.decisions, found.p50, found.p95, found.longest) == (31, 16, 30, 5000)
    assert found.p99 == pytest.approx(5000, rel=RELATIVE_ERROR)
    assert made["b"] == (1, 7, 7, 7, 7)
    assert made["c"] is None


def test_no_percentile_is_above_the_longest_time() -> None:
    made = thinking_times([row(1, ("a", "b"), [(0, 1024)])], ("a",))["a"]
    assert made == (1, 1024, 1024, 1024, 1024)


def test_rows_without_thinking_times_are_passed_over() -> None:
    assert thinking_times([played_row(1, 1, 0, {"a": 1, "b": 2})], ("a",)) == {"a": None}
