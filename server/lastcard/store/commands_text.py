"""Commands as JSON lists, for the store.

Here: `commands_text`, `commands_value`. Not here: how they are kept (`sqlite`). The codes are part of the stored format
and never change their meaning; a command gets new fields only at its end, with a default.
"""

import json
from collections.abc import Sequence
from typing import Any

from lastcard.rules.actions import Action, LeaveCause
from lastcard.table.commands import (
    Answer,
    CloseTable,
    Command,
    Connected,
    DecisionSent,
    Disconnected,
    LeaveSeat,
    NextRound,
    NoteFault,
    Occupy,
    Recovered,
    Tick,
)
from lastcard.table.effects import FaultKind
from lastcard.table.journal import Commanded

CODES: dict[type, str] = {
    Occupy: "o",
    Connected: "c",
    Disconnected: "d",
    DecisionSent: "s",
    Answer: "a",
    LeaveSeat: "l",
    Tick: "t",
    NextRound: "n",
    CloseTable: "x",
    NoteFault: "f",
    Recovered: "r",
}

_KINDS: dict[str, Any] = {code: kind for kind, code in CODES.items()}


def commands_text(entries: Sequence[Commanded]) -> str:
    """Entries as a JSON list of `[table, time, code, [fields]]`; bytes are hexadecimal."""
    rows = [(number, at_ms, CODES[type(command)], command) for number, at_ms, command in entries]
    return _encode(rows)


_encode = json.JSONEncoder(separators=(",", ":"), check_circular=False, default=bytes.hex).encode


def commands_value(text: str) -> list[Commanded]:
    """The entries that `commands_text` wrote.

    Raises:
        ValueError, TypeError, LookupError: it did not write this, or in a later version.
    """
    return [Commanded(number, at_ms, _command(code, fields)) for number, at_ms, code, fields in json.loads(text)]


def _command(code: str, fields: list[Any]) -> Command:
    if code not in _KINDS:
        raise ValueError(f"it has a command of the kind {code!r}, which this version does not know")
    kind = _KINDS[code]
    if kind is Answer:
        seat, decision_id, choice, action, call_uno, catch_seats, *times = fields
        action = None if action is None else Action(*action)
        return Answer(seat, decision_id, choice, action, call_uno, tuple(catch_seats), *times)
    if kind is LeaveSeat:
        return LeaveSeat(fields[0], LeaveCause(fields[1]))
    if kind is NoteFault:
        return NoteFault(fields[0], FaultKind(fields[1]), fields[2])
    if kind is NextRound:
        return NextRound(bytes.fromhex(fields[0]))
    command: Command = kind(*fields)
    return command
