import itertools

import pytest

from lastcard.practice.line import MOST_LOSSES, PACKET_BYTES, Conditions, Direction


def taken(conditions: Conditions, count: int = 2_000, size: int = 100, number: int = 1) -> list[float]:
    """What packets took that were said far apart, so that none waits for another."""
    direction = Direction(conditions, number)
    return [direction.arrival_ms(said, size) - said for said in (at * 1e7 for at in range(count))]


def test_a_good_line_takes_half_of_its_round_trip_each_way():
    assert set(taken(Conditions(80))) == {40.0}


def test_jitter_only_adds_and_half_of_it_each_way():
    times = taken(Conditions(80, 40))
    assert min(times) >= 40
    assert max(times) <= 60
    assert max(times) - min(times) > 19
    assert sum(times) / len(times) == pytest.approx(50, abs=1)


def test_a_lost_packet_comes_after_the_time_out_and_twice_as_long_after_the_next():
    conditions = Conditions(80, 0, 0.3)
    assert conditions.timeout_ms == 280
    times = taken(conditions)
    late = [round((time - 40) / 280) for time in times]
    assert set(late) <= {2**losses - 1 for losses in range(MOST_LOSSES + 1)}
    assert late.count(0) / len(late) == pytest.approx(0.7, abs=0.04)
    assert late.count(1) / len(late) == pytest.approx(0.3 * 0.7, abs=0.04)
    assert late.count(3) / len(late) == pytest.approx(0.3 * 0.3 * 0.7, abs=0.03)


def test_the_time_out_grows_with_the_line_and_its_variation_but_has_a_least_one():
    assert Conditions(0, 0).timeout_ms == 200
    assert Conditions(80, 40).timeout_ms == 300
    assert Conditions(80, 600).timeout_ms == 80 + 300 + 400


def test_a_line_that_loses_everything_carries_it_at_last():
    assert max(taken(Conditions(0, 0, 1.0), count=3)) == pytest.approx(200 * (2**MOST_LOSSES - 1))


def test_what_is_said_later_never_arrives_earlier():
    direction = Direction(Conditions(80, 40, 0.2), 1)
    arrivals = [direction.arrival_ms(said, 100) for said in range(0, 4_000, 5)]
    assert all(one <= other for one, other in itertools.pairwise(arrivals))
    blocked = [one == other for one, other in itertools.pairwise(arrivals)]
    assert sum(blocked) > 100, "nothing waited behind a lost packet"


def test_what_needs_many_packets_is_late_more_often():
    conditions = Conditions(0, 0, 0.02)
    small, large = taken(conditions), taken(conditions, size=20 * PACKET_BYTES)
    assert sum(map(bool, small)) / len(small) == pytest.approx(0.02, abs=0.01)
    assert sum(map(bool, large)) / len(large) == pytest.approx(1 - 0.98**20, abs=0.04)


def test_chance_comes_from_the_seed_and_differs_between_ways():
    conditions = Conditions(80, 40, 0.02, seed=7)
    assert taken(conditions, 50) == taken(conditions, 50)
    assert taken(conditions, 50) != taken(conditions, 50, number=2)
    assert taken(conditions, 50) != taken(Conditions(80, 40, 0.02, seed=8), 50)
