import pytest

from soak.trend import Allowed, trend, trends

TIMES = list(range(0, 600, 10))


@pytest.mark.parametrize(
    ("value", "grew"),
    [
        (lambda _: 50, False),
        (lambda time: 50 + time / 10, True),
        (lambda time: 50 + time / 100, False),
        (lambda time: 50 if time < 300 else 90, False),
        (lambda time: 50 + 30 * (time % 50 == 0), False),
        (lambda time: 50 + time / 10 + 30 * (time % 50 == 0), True),
        (lambda time: 110 - time / 10, False),
        (lambda time: 50 + min(time, 240) / 10 + (time >= 480) * 3, False),
    ],
    ids=["flat", "leak", "within-what-is-allowed", "one-jump", "spikes", "leak-with-spikes", "falling", "settles"],
)
def test_what_rises_all_the_time_has_grown(value, grew):
    assert trend(TIMES, [value(time) for time in TIMES], rise=20).grew is grew


def test_a_slope_is_by_the_minute():
    assert trend(TIMES, [7 + time / 10 for time in TIMES], rise=1_000).slope == pytest.approx(6)


def test_the_warm_up_does_not_count():
    samples = [{"seconds": time, "rss": min(time, 400)} for time in TIMES]
    allowed = {"rss": Allowed("memory", 20)}
    assert trends(samples, allowed, 0)["rss"].grew
    assert not trends(samples, allowed, 400)["rss"].grew


def test_too_few_samples_tell_nothing():
    with pytest.raises(ValueError, match="9 samples"):
        trends([{"seconds": time, "rss": 1} for time in range(9)], {"rss": Allowed("memory", 1)}, 0)
