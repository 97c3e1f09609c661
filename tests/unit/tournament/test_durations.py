"""Spans of time as people write them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lastcard.tournament.durations import LONGEST_MS, duration_text, milliseconds


@pytest.mark.parametrize(
    ("text", "span_ms"),
    [("500ms", 500), ("2s", 2_000), ("1.5s", 1_500), ("0.001s", 1), ("1m", 60_000), (" 24 h ", LONGEST_MS), ("0s", 0)],
)
def test_a_span_is_read_in_milliseconds(text, span_ms):
    assert milliseconds(text) == span_ms


@pytest.mark.parametrize(
    "text", ["", "2", "s", "-1s", "1.5ms", "0.0001s", "1e3s", "2 days", "1s 500ms", "٢s", "1" * 13 + "s"]
)
def test_what_is_no_span_or_no_whole_milliseconds_is_none(text):
    assert milliseconds(text) is None


@pytest.mark.parametrize(
    ("span_ms", "text"),
    [(0, "0s"), (500, "500ms"), (2_000, "2s"), (1_500, "1.5s"), (60_000, "1m"), (90_000, "90s"), (7_200_000, "2h")],
)
def test_a_span_is_written_short(span_ms, text):
    assert duration_text(span_ms) == text


@given(st.integers(0, LONGEST_MS))
def test_what_is_written_is_read_as_the_same(span_ms):
    assert milliseconds(duration_text(span_ms)) == span_ms
