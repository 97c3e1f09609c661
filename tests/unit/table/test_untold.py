"""Which decisions there are, and what is said of them, tells nobody what others hold (architecture section 4)."""

import pytest

from lastcard.rules.actions import LeaveCause
from lastcard.table.commands import LeaveSeat
from lastcard.table.effects import Ask, Effect, Verdict, Withdraw
from table_driver import CLOCK, Driver, table_of

JUMP = {"jump_in": "identical_incl_w4"}
HOLDS, LACKS = "R1 B4 B5", "G1 B4 B5"
"""A hand with the card that seat 0 plays, and one without."""


def told(driver: Driver, seat: int, since: int = 0) -> list[Effect]:
    """What a seat hears of decisions: those it is asked, those that are closed, verdicts."""
    return [
        effect for effect in driver.told[since:] if isinstance(effect, Ask | Withdraw | Verdict) and effect.seat == seat
    ]


def pair(*hands: str, sealed: bool, **options: object) -> tuple[Driver, Driver]:
    """Two tables that differ only in the last seat's hand."""
    one = table_of(*hands, HOLDS, sealed=sealed, **JUMP, **options)
    two = table_of(*hands, LACKS, sealed=sealed, **JUMP, **options)
    return one, two


@pytest.mark.parametrize("sealed", [True, False])
def test_numbers_of_decisions_do_not_tell_who_holds_the_card(sealed: bool) -> None:
    tables = pair("R1 R2 R3", "B1 B2 B3", sealed=sealed)
    for driver in tables:
        driver.answer(0, "R1")
        if sealed:
            driver.answer(0, "pass")
            driver.answer(2, "pass")
        driver.answer(1, "draw")
        driver.answer(2, "draw")
        driver.answer(0, "draw")
        driver.answer(1, "draw")
    one, two = tables
    assert told(one, 0) == told(two, 0)
    assert told(one, 1) == told(two, 1)


@pytest.mark.parametrize("sealed", [True, False])
@pytest.mark.parametrize("number", [0, *range(1, 20), 4_000_000_000])
def test_asking_for_numbers_does_not_tell_who_holds_the_card(sealed: bool, number: int) -> None:
    verdicts = []
    for driver in pair("R1 R2 R3", "B1 B2 B3", sealed=sealed):
        driver.answer(0, "R1")
        verdicts.append(driver.answer(0, "R2", decision=number))
    assert verdicts[0] == verdicts[1]


def test_a_leaving_during_a_window_does_not_tell_who_holds_the_card() -> None:
    """The targets of a seven change for those who hold it alone: time and questions must not."""
    tables = (
        table_of("R7 R2 R3", "B1 B2", "*5", "R7 B4 B5", sealed=True, seven_swap=True, **JUMP),
        table_of("R7 R2 R3", "B1 B2", "*5", "G7 B4 B5", sealed=True, seven_swap=True, **JUMP),
    )
    for driver in tables:
        driver.answer(0, "R7>1")
        driver.answer(2, "pass")
        driver.at(200).do(LeaveSeat(2, LeaveCause.LEFT))
        assert driver.asked(0).limit_ms == driver.asked(3).limit_ms == CLOCK.reaction_ms
        driver.at(400).answer(0, "pass")
    one, two = tables
    assert told(one, 0) == told(two, 0)
    assert one.table.next_deadline_ms() == two.table.next_deadline_ms()
