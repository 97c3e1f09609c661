from lastcard.table.flood import BURST, PATIENCE, PER_SECOND, Allowance


def test_a_burst_is_allowed_and_then_the_wait_is_told():
    allowance = Allowance(0)
    assert [allowance.take(0) for _ in range(BURST)] == [0] * BURST
    wait_ms = allowance.take(0)
    assert 0 < wait_ms <= 1_000 / PER_SECOND + 1
    assert allowance.take(wait_ms) == 0


def test_the_bucket_never_holds_more_than_a_burst():
    allowance = Allowance(0)
    later = 1_000_000
    assert [allowance.take(later) for _ in range(BURST)] == [0] * BURST
    assert allowance.take(later) > 0


def test_patience_ends_and_comes_back_when_it_is_quiet():
    allowance = Allowance(0)
    for _ in range(BURST + PATIENCE):
        allowance.take(0)
    assert allowance.is_exhausted()
    assert allowance.take(1_000_000) == 0
    assert not allowance.is_exhausted()
