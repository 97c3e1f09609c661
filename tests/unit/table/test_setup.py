"""What a table may be set up with."""

import pytest

from lastcard.rules.ruleset import RulesetError, ruleset
from lastcard.table.setup import SeatRequest, SetupError, TableSetup
from lastcard.table.timecontrol import TimeControl

GOOD = {"rules": ruleset(), "seats": (SeatRequest(), SeatRequest(bot="a")), "salt": bytes(32)}


def test_a_setup_has_the_defaults_of_a_table_for_people() -> None:
    setup = TableSetup(**GOOD)
    assert (setup.sealed, setup.draws, setup.round_pause_ms, setup.show_hands) == (False, "pile", 0, True)
    assert setup.clock == TimeControl()


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"salt": b"short"}, "the salt has 5 bytes; it needs 32"),
        ({"draws": "piles"}, "draws is 'piles'; valid are pile and per_seat"),
        ({"clock": TimeControl(limit_ms=0)}, "limit is 0 ms; it must be at least 1 ms"),
        ({"clock": TimeControl(reaction_ms=0)}, "reaction is 0 ms; it must be at least 1 ms"),
        ({"clock": TimeControl(bank_ms=-1)}, "bank is -1 ms; it must be at least 0 ms"),
        ({"clock": TimeControl(grace_ms=-1)}, "grace is -1 ms; it must be at least 0 ms"),
        ({"clock": TimeControl(start_up_ms=-5)}, "start_up is -5 ms; it must be at least 0 ms"),
        ({"round_pause_ms": -1}, "round_pause is -1 ms; it must be at least 0 ms"),
        ({"idle_ms": -1}, "idle is -1 ms; it must be at least 0 ms"),
        (
            {"seats": (SeatRequest(), SeatRequest(bot="a", builtin="greedy"))},
            "seat 1 names the bot 'a' and the builtin 'greedy'; give one",
        ),
    ],
    ids=["salt", "draws", "limit", "reaction", "bank", "grace", "start_up", "pause", "idle", "two occupants"],
)
def test_a_wrong_setup_is_refused_with_what_is_valid(change: dict[str, object], sentence: str) -> None:
    with pytest.raises(SetupError) as refused:
        TableSetup(**{**GOOD, **change})
    assert str(refused.value) == sentence


@pytest.mark.parametrize("players", [1, 11])
def test_C10_a_table_that_cannot_be_dealt_is_refused(players: int) -> None:
    with pytest.raises(RulesetError, match="2 to 10 players"):
        TableSetup(**{**GOOD, "seats": (SeatRequest(),) * players})
