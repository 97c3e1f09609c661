"""The arithmetic of limit and bank."""

import pytest

from lastcard.table.timecontrol import TimeControl, bank_after, credited_ms, left_ms


@pytest.mark.parametrize(
    ("bank", "limit", "charged", "left"),
    [(5_000, 1_000, 0, 5_000), (5_000, 1_000, 1_000, 5_000), (5_000, 1_000, 1_001, 4_999), (100, 1_000, 1_200, 0)],
    ids=["nothing used", "exactly the limit", "a millisecond more", "more than there is"],
)
def test_the_bank_pays_what_exceeds_the_limit(bank: int, limit: int, charged: int, left: int) -> None:
    assert bank_after(bank, limit, charged) == left


@pytest.mark.parametrize(
    ("elapsed", "left"),
    [(0, (1_000, 5_000)), (999, (1, 5_000)), (1_000, (0, 5_000)), (1_500, (0, 4_500)), (9_000, (0, 0))],
)
def test_the_limit_is_used_before_the_bank(elapsed: int, left: tuple[int, int]) -> None:
    assert left_ms(1_000, 5_000, elapsed) == left


@pytest.mark.parametrize(
    ("elapsed", "known", "credit", "spared"),
    [
        (300, 0, 0, 0),
        (300, 50, 50, 0),
        (1_000, 50, 50, 0),
        (1_020, 50, 50, 20),
        (1_500, 50, 50, 50),
        (1_500, 5_000, 100, 100),
        (30, 50, 30, 0),
        (0, 50, 0, 0),
        (1_500, -7, 0, 0),
    ],
    ids=["unknown", "quick", "at-limit", "half", "slow", "capped", "quicker-than-the-network", "at-once", "nonsense"],
)
def test_the_network_is_credited_up_to_a_limit(elapsed: int, known: int, credit: int, spared: int) -> None:
    assert credited_ms(elapsed, known, 100, 1_000, 10_000) == (credit, spared)


@pytest.mark.parametrize(
    ("elapsed", "left", "credit", "spared"),
    [(1_500, 100, 100, 100), (1_500, 99, 99, 99), (1_500, 0, 0, 0), (1_050, 49, 49, 49), (1_050, 50, 100, 50),
     (900, 0, 100, 0)],
)  # fmt: skip
def test_all_credits_together_spare_a_bank_no_more_than_their_total(elapsed, left, credit, spared) -> None:
    assert credited_ms(elapsed, 5_000, 100, 1_000, left) == (credit, spared)
    assert bank_after(5_000, 1_000, elapsed - credit) == bank_after(5_000, 1_000, elapsed) + spared


def test_the_defaults_are_those_of_the_rules_section_7_8() -> None:
    assert TimeControl() == TimeControl(
        limit_ms=2_000, bank_ms=60_000, reaction_ms=500, start_up_ms=30_000, grace_ms=40_000, network_credit_ms=0
    )
