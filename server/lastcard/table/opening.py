"""A new table from its plan.

Here: `new_table`, `Opened`, `random_id`. Not here: who sits at it and who is told (`host`). What a plan leaves to
chance comes from the system's generator here, and nowhere else.
"""

import os
from base64 import b32encode
from typing import NamedTuple

from lastcard.table.hosted import HostedTable, Outlet
from lastcard.table.machine import Table
from lastcard.table.plan import TablePlan
from lastcard.table.ports import TableEncoder
from lastcard.table.setup import SeatRequest, TableSetup

ID_BYTES = 10
"""Random bytes of a table's id: nobody guesses one, and it stays short since every message carries it."""

KEY_BYTES = 32


class Opened(NamedTuple):
    """How a table is known: its number in the journal, its id, who opened it (empty for the server), and when."""

    number: int
    table_id: str
    owner: str
    at_ms: int


def new_table(plan: TablePlan, encoder: TableEncoder, outlet: Outlet, opened: Opened) -> HostedTable:
    """The table of a plan that has been checked, with nobody at it."""
    salt = plan.salt or os.urandom(KEY_BYTES)
    setup = TableSetup(
        rules=plan.rules,
        seats=tuple(SeatRequest(seat.bot or "", seat.builtin or "", seat.name) for seat in plan.seats),
        salt=salt,
        clock=plan.clock,
        sealed=plan.sealed,
        draws=plan.draws,
        disguise=plan.disguise,
        round_pause_ms=plan.round_pause_ms,
        show_hands=not plan.closed,
        opened_ms=opened.at_ms,
    )
    return HostedTable(
        number=opened.number,
        table_id=opened.table_id,
        plan=plan,
        machine=Table(setup),
        encoder=encoder,
        outlet=outlet,
        deal_key=plan.deal_key or os.urandom(KEY_BYTES),
        salt=salt,
        owner=opened.owner,
        created_ms=opened.at_ms,
    )


def random_id() -> str:
    """An id for a table that was given none."""
    return b32encode(os.urandom(ID_BYTES)).decode().lower()
