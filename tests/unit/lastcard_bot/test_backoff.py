"""Waits between attempts."""

import random

from lastcard_bot.backoff import Backoff


class Least(random.Random):
    """No jitter at all."""

    def random(self) -> float:
        return 0.0


def test_waits_double_up_to_the_most():
    backoff = Backoff(0.2, 5.0, Least())
    assert [backoff.next_s() for _ in range(7)] == [0.2, 0.4, 0.8, 1.6, 3.2, 5.0, 5.0]


def test_after_a_connection_that_held_the_waits_begin_anew():
    backoff = Backoff(0.2, 5.0, Least())
    for _ in range(5):
        backoff.next_s()
    backoff.reset()
    assert backoff.next_s() == 0.2


def test_jitter_shortens_by_up_to_half():
    waits = {Backoff(1.0, 5.0, random.Random(seed)).next_s() for seed in range(200)}
    assert 0.5 < min(waits) < 0.55
    assert 0.95 < max(waits) <= 1.0


def test_bots_do_not_come_back_in_step():
    assert len({Backoff().next_s() for _ in range(10)}) > 1
