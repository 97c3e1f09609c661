"""Plans and results as JSON text, for the store.

Here: `plan_text`, `plan_value`, `result_text`. Not here: what they mean (`plan`). May import only this layer and
`lastcard.rules`. Keys of a plan are hexadecimal, so that a stored plan can be played again bit by bit.
"""

import json
from dataclasses import asdict
from typing import Any

from lastcard.rules.ruleset import ruleset
from lastcard.table.plan import SeatPlan, TablePlan, TableResult
from lastcard.table.timecontrol import TimeControl


def plan_text(plan: TablePlan, deal_key: bytes, salt: bytes) -> str:
    """A plan with the keys that it is played with, which may have come from the system's generator."""
    return json.dumps(
        {
            "preset": plan.rules.preset,
            "options": dict(plan.rules.overrides()),
            "seats": [{"bot": seat.bot, "builtin": seat.builtin, "name": seat.name} for seat in plan.seats],
            "clock": asdict(plan.clock),
            "sealed": plan.sealed,
            "draws": plan.draws,
            "round_pause_ms": plan.round_pause_ms,
            "deal_key": deal_key.hex(),
            "salt": salt.hex(),
            "closed": plan.closed,
        },
        separators=(",", ":"),
    )


def plan_value(text: str, table_id: str) -> TablePlan:
    """The plan that `plan_text` wrote."""
    values: dict[str, Any] = json.loads(text)
    return TablePlan(
        rules=ruleset(values["preset"], values["options"]),
        seats=tuple(SeatPlan(**seat) for seat in values["seats"]),
        clock=TimeControl(**values["clock"]),
        sealed=values["sealed"],
        draws=values["draws"],
        round_pause_ms=values["round_pause_ms"],
        deal_key=bytes.fromhex(values["deal_key"]),
        salt=bytes.fromhex(values["salt"]),
        closed=values["closed"],
        table_id=table_id,
    )


def result_text(result: TableResult) -> str:
    """A result; faults as lists of seat, kind, sequence and evidence."""
    return json.dumps(asdict(result) | {"record_hash": result.record_hash.hex()}, separators=(",", ":"))
