"""Reading the file of receipts beside a record.

Here: lines to items, as `receipts` writes them. Not here: what is shown of them (`lastcard.cli`). Imports the standard
library only. The format is described in server/docs/record.md.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

KINDS = ("asked", "answered", "judged", "withdrawn", "blamed")
"""The kinds of item."""

_CATCH = {"seat": int, "reason": str}
_RECEIPT = {"sent_ms": int, "network_credit_ms": int, "charged_ms": int, "timed_out": bool}

_FIELDS: dict[str, dict[str, Any]] = {
    "header": {"format": int, "bots": [str], "limit_ms": int, "bank_ms": int},
    "asked": {"seat": int, "decision": int, "kind": str, "sequence": int, "legal": [str], "limit_ms": int},
    "answered": {"seat": int, "decision": int, "call_uno": bool, "catch_seats": [int], "received_ms": int},
    "judged": {"seat": int, "decision": int, "accepted": bool, "refused_catches": [_CATCH], "refusals_left": int},
    "withdrawn": {"seat": int, "decision": int, "reason": str},
    "blamed": {"seat": int, "kind": str, "sequence": int, "evidence": str},
}
"""The fields that a line of each kind must have; others may be absent or unknown to this version.

A type stands for itself, a list for a list of what it holds, a dictionary for an object with these fields.
"""

_OPTIONAL: dict[str, Any] = {
    "choice": int,
    "action": str,
    "reason": str,
    "sentence": str,
    "receipt": _RECEIPT,
    "received_ms": int,
    "bank_left_ms": int,
}
"""The types of fields that may be absent."""

_MOST = 2**63
"""Numbers in a file of receipts are smaller than this, whatever their sign."""


class ReceiptsError(ValueError):
    """A line cannot be read; the text is a sentence that names it."""


@dataclass(frozen=True, slots=True)
class Item:
    """One line: its kind, one of `KINDS`, and its fields as JSON values."""

    kind: str
    fields: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Receipts:
    """The header's fields and the items in their order."""

    header: Mapping[str, Any]
    items: tuple[Item, ...]


def read_receipts(data: bytes) -> Receipts:
    """The receipts in `data`; kinds of line that this version does not know are passed over.

    Raises:
        ReceiptsError: a line is not JSON, lacks a field, or the header is missing or of another format.
    """
    items = [_read_line(number, raw) for number, raw in enumerate(data.split(b"\n"), 1) if raw]
    if not items or items[0].kind != "header":
        raise ReceiptsError("it does not begin with a header of receipts")
    if items[0].fields["format"] != 1:
        raise ReceiptsError(f"it has format {items[0].fields['format']}; this version reads format 1")
    return Receipts(items[0].fields, tuple(item for item in items if item.kind in KINDS))


def _read_line(number: int, raw: bytes) -> Item:
    try:
        value = json.loads(raw)
    except (ValueError, RecursionError) as error:
        raise ReceiptsError(f"line {number} is not JSON ({error})") from error
    if not isinstance(value, dict) or len(value) != 1:
        raise ReceiptsError(f"line {number} is not an object with one field")
    kind, fields = next(iter(value.items()))
    if kind in _FIELDS:
        _check(f"line {number}: {kind}", fields, _FIELDS[kind])
    return Item(kind, fields)


def _check(where: str, value: Any, needed: Any) -> None:
    """Compares a JSON value with the type, list or fields that it must have."""
    if isinstance(needed, list):
        if type(value) is not list:
            raise ReceiptsError(f"{where} is no list")
        for place, entry in enumerate(value):
            _check(f"{where}[{place}]", entry, needed[0])
    elif isinstance(needed, dict):
        if type(value) is not dict:
            raise ReceiptsError(f"{where} is no object")
        for name, kind in needed.items():
            if name not in value:
                raise ReceiptsError(f"{where} lacks the field {name!r}")
            _check(f"{where}.{name}", value[name], kind)
        for name in value.keys() & (_OPTIONAL.keys() - needed.keys()):
            _check(f"{where}.{name}", value[name], _OPTIONAL[name])
    elif type(value) is not needed:
        raise ReceiptsError(f"{where} is not of the type {_NAMES[needed]}")
    elif needed is int and not -_MOST < value < _MOST:
        raise ReceiptsError(f"{where} is too large a number")


_NAMES = {int: "integer", str: "string", bool: "boolean"}
"""What JSON Schema calls the types."""
