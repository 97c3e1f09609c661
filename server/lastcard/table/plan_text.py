"""Plans and results as JSON text, for the store.

Here: `plan_text`, `plan_value`, `result_text`, `result_value`. Not here: what they mean (`plan`). May import only this
layer and `lastcard.rules`. Keys of a plan are hexadecimal, so that a stored plan can be played again bit by bit. What
an older server wrote stays readable: a key that it did not know yet takes its default.
"""

import json
from dataclasses import asdict
from typing import Any

from lastcard.rules.ruleset import ruleset
from lastcard.table.effects import Blame, CloseCause, FaultKind
from lastcard.table.plan import LONGEST_MS, SeatPlan, TablePlan, TableResult
from lastcard.table.timecontrol import TimeControl

_OLD_CREDIT = {"network_credit_ms": 100, "network_credit_total_ms": LONGEST_MS}
"""What a server credited that did not say so: banks of its tables come out the same when they are played again."""


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
            "disguise": plan.disguise,
            "round_pause_ms": plan.round_pause_ms,
            "deal_key": deal_key.hex(),
            "salt": salt.hex(),
            "closed": plan.closed,
        },
        separators=(",", ":"),
    )


def plan_value(text: str, table_id: str) -> TablePlan:
    """The plan that `plan_text` wrote, now or in an earlier version.

    Raises:
        ValueError: the text is no plan that this server can play.
    """
    values = _object(text, "plan")
    try:
        rules = ruleset(values.pop("preset"), values.pop("options"))
        seats = tuple(SeatPlan(**seat) for seat in values.pop("seats"))
        clock = TimeControl(**_OLD_CREDIT | values.pop("clock"))
        for name in ("deal_key", "salt"):
            values[name] = bytes.fromhex(values[name])
        return TablePlan(rules=rules, seats=seats, clock=clock, table_id=table_id, **values)
    except (KeyError, TypeError) as error:
        raise ValueError(f"{text[:80]!r}... is no plan that this server can read: {error}") from error


def result_text(result: TableResult) -> str:
    """A result; faults as lists of seat, kind, sequence and evidence."""
    return json.dumps(asdict(result) | {"record_hash": result.record_hash.hex()}, separators=(",", ":"))


def result_value(text: str) -> TableResult:
    """The result that `result_text` wrote, now or in an earlier version.

    Raises:
        ValueError: the text is no result that this server can read.
    """
    values = _object(text, "result")
    try:
        for name in ("names", "points", "places", "thinking_ms"):
            values[name] = tuple(values[name])
        values["cause"] = CloseCause(values["cause"])
        values["faults"] = tuple(Blame(fault[0], FaultKind(fault[1]), *fault[2:]) for fault in values["faults"])
        values["record_hash"] = bytes.fromhex(values["record_hash"])
        return TableResult(**values)
    except (KeyError, TypeError, IndexError) as error:
        raise ValueError(f"{text[:80]!r}... is no result that this server can read: {error}") from error


def _object(text: str, what: str) -> dict[str, Any]:
    values = json.loads(text)
    if not isinstance(values, dict):
        raise ValueError(f"{text[:80]!r} is no {what}")  # noqa: TRY004 - the text is wrong, whatever it holds
    return values
