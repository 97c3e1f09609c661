"""The clock never goes back and does not count time in which the process could not run."""

from lastcard.services.clock import STALL_NS, TICK_S, RunningClock

MS = 1_000_000
START_MS = 1_700_000_000_000


class Times:
    """Both clocks of a system under a test's hand, in nanoseconds."""

    def __init__(self):
        self.monotonic = 5_000_000_123
        self.unix = START_MS * MS

    def clock(self, not_before_ms=0):
        return RunningClock(not_before_ms, monotonic_ns=lambda: self.monotonic, unix_ns=lambda: self.unix)


def test_it_starts_at_the_system_s_time_and_runs_with_the_monotonic_one():
    times = Times()
    clock = times.clock()
    assert clock.now() == START_MS
    times.monotonic += 250 * MS
    assert clock.now() == START_MS + 250


def test_a_jump_of_the_system_s_time_changes_nothing():
    times = Times()
    clock = times.clock()
    for jump in (-3_600_000 * MS, 86_400_000 * MS):
        times.unix += jump
        assert clock.now() == START_MS


def test_it_starts_no_earlier_than_the_last_time_that_is_known():
    times = Times()
    clock = times.clock(START_MS + 9_000)
    assert clock.now() == START_MS + 9_000
    times.monotonic += 10 * MS
    assert clock.now() == START_MS + 9_010


def test_a_pause_of_the_process_is_not_counted_and_told_once():
    times = Times()
    clock = times.clock()
    times.monotonic += 60_000 * MS
    tick_ms = int(TICK_S * 1000)
    assert clock.now() == START_MS + tick_ms
    assert clock.stalled_ms() == 60_000 - tick_ms
    assert clock.stalled_ms() == 0
    times.monotonic += 80 * MS
    assert clock.now() == START_MS + tick_ms + 80


def test_a_loop_that_is_only_busy_is_no_pause():
    times = Times()
    clock = times.clock()
    times.monotonic += STALL_NS
    assert clock.now() == START_MS + STALL_NS // MS
    assert clock.stalled_ms() == 0
