import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lastcard.tournament.report.scale import Scale, linear, logarithmic

VALUES = st.lists(st.floats(-1e6, 1e6), max_size=20)


@given(VALUES)
def test_all_values_stand_on_a_linear_scale(values: list[float]) -> None:
    scale = linear(values)
    assert scale.low < scale.high
    assert all(scale.low - 1e-6 <= value <= scale.high + 1e-6 for value in values)
    assert 2 <= len(scale.ticks) <= 12
    assert list(scale.ticks) == sorted(scale.ticks)


@given(st.lists(st.floats(0, 1), max_size=20))
def test_a_scale_does_not_go_beyond_what_is_possible(values: list[float]) -> None:
    scale = linear(values, least=0, most=1)
    assert 0 <= scale.low < scale.high <= 1


@given(st.lists(st.floats(0, 1e7), max_size=20))
def test_all_values_stand_on_a_logarithmic_scale(values: list[float]) -> None:
    scale = logarithmic(values, least=0.1)
    assert scale.low < scale.high
    assert all(scale.low * (1 - 1e-9) <= max(value, 0.1) <= scale.high * (1 + 1e-9) for value in values)


@pytest.mark.parametrize(
    ("scale", "value", "place"),
    [
        (Scale(0, 4, ()), 1, 25),
        (Scale(0, 4, ()), 9, 100),
        (Scale(0, 4, ()), -9, 0),
        (Scale(1, 10_000, (), logarithmic=True), 100, 50),
        (Scale(1, 10_000, (), logarithmic=True), 0, 0),
    ],
)
def test_a_value_has_its_place(scale: Scale, value: float, place: float) -> None:
    assert math.isclose(scale.place(value), place)


def test_ticks_are_round() -> None:
    assert linear([0.19, 0.48]).ticks == pytest.approx((0.1, 0.2, 0.3, 0.4, 0.5))
    assert logarithmic([3, 800], least=0.1).ticks == pytest.approx((1, 10, 100, 1000))
