"""The record of a table names those who play, whatever happened at its seats before."""

import json

import pytest

from lastcard.rules.actions import LeaveCause
from lastcard.rules.ruleset import ruleset
from lastcard.services.wire.frames import WireEncoder
from lastcard.table.commands import CloseTable, LeaveSeat, NextRound, Occupy
from lastcard.table.hosted import HostedTable
from lastcard.table.journal import RememberedTable, TableOpened
from lastcard.table.plan import SeatPlan, TablePlan
from lastcard.table.plan_text import plan_text
from lastcard.table.recovery import stored_plan, taken_up

KEY = b"k" * 32
EARLY_LEAVER = (Occupy(0, "ann"), LeaveSeat(0, LeaveCause.LEFT), Occupy(1, "bob"), Occupy(2, "eve"))
"""Ann leaves before the others have come: that is the first event, and Eve's name is not known then."""


def headers(*commands: object) -> tuple[dict[str, object], dict[str, object], HostedTable]:
    """Record's and receipts' headers of a table that was told these commands and then closed."""
    plan = TablePlan(rules=ruleset(), seats=(SeatPlan(bot="ann"), SeatPlan(), SeatPlan()))
    told = [(1_000 + number, command) for number, command in enumerate([*commands, CloseTable()])]
    opened = TableOpened(1, "t", 1_000, "", plan_text(plan, KEY, KEY))
    remembered = RememberedTable(opened, (), told, True, None)  # type: ignore[arg-type] # commands, one and all
    table, files = taken_up(remembered, stored_plan(remembered), WireEncoder("0"))
    assert files is not None
    record, receipts = (json.loads(data.split(b"\n")[0])["header"] for data in (files.record, files.receipts))
    return record, receipts, table


@pytest.mark.parametrize("rounds", [0, 1], ids=["closed before the match", "one round begun"])
def test_who_comes_after_somebody_left_is_named_in_record_and_receipts(rounds: int) -> None:
    record, receipts, table = headers(*EARLY_LEAVER, *[NextRound(bytes(32))] * rounds)
    assert record["bots"] == ["ann", "bob", "eve"]
    assert receipts["bots"] == ["ann", "bob", "eve"]
    assert table.result is not None
    assert table.result.names == ("ann", "bob", "eve")
