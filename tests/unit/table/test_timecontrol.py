"""The arithmetic of limit and bank."""

import pytest

from lastcard.table.timecontrol import CREDIT_LIMIT_MS, TimeControl, bank_after, charged_ms, left_ms


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


def test_the_network_is_not_charged_up_to_a_limit() -> None:
    assert charged_ms(100, 400) == 300
    assert charged_ms(100, 400, 50) == 250
    assert charged_ms(100, 400, 10_000) == 300 - CREDIT_LIMIT_MS
    assert charged_ms(100, 130, 50) == 0


def test_an_answer_from_before_it_was_sent_costs_nothing() -> None:
    assert charged_ms(500, 480) == 0


def test_the_defaults_are_those_of_the_rules_section_7_8() -> None:
    assert TimeControl() == TimeControl(
        limit_ms=2_000, bank_ms=60_000, reaction_ms=500, start_up_ms=30_000, grace_ms=40_000
    )
