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

_FIELDS: dict[str, dict[str, type]] = {
    "header": {"format": int, "bots": list, "limit_ms": int, "bank_ms": int},
    "asked": {"seat": int, "decision": int, "kind": str, "sequence": int, "legal": list, "limit_ms": int},
    "answered": {"seat": int, "decision": int, "call_uno": bool, "catch_seats": list, "received_ms": int},
    "judged": {"seat": int, "decision": int, "accepted": bool, "refused_catches": list, "refusals_left": int},
    "withdrawn": {"seat": int, "decision": int, "reason": str},
    "blamed": {"seat": int, "kind": str, "sequence": int, "evidence": str},
}
"""The fields that a line of each kind must have; others may be absent or unknown to this version."""


_OPTIONAL: dict[str, type] = {"choice": int, "action": str, "reason": str, "sentence": str, "receipt": dict}
"""The types of fields that may be absent."""

_RECEIPT: dict[str, type] = {"sent_ms": int, "network_credit_ms": int, "charged_ms": int, "timed_out": bool}
"""The fields that a receipt must have."""


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
    except ValueError as error:
        raise ReceiptsError(f"line {number} is not JSON ({error})") from error
    if not isinstance(value, dict) or len(value) != 1:
        raise ReceiptsError(f"line {number} is not an object with one field")
    kind, fields = next(iter(value.items()))
    if kind in _FIELDS:
        _check(f"line {number}: {kind}", fields, _FIELDS[kind])
        for name, needed in _OPTIONAL.items():
            if name in fields and type(fields[name]) is not needed:
                raise ReceiptsError(f"line {number}: {kind}.{name} has another type than it should")
        if "receipt" in fields:
            _check(f"line {number}: {kind}.receipt", fields["receipt"], _RECEIPT)
    return Item(kind, fields)


def _check(where: str, fields: Any, needed: Mapping[str, type]) -> None:
    for name, kind in needed.items():
        if not isinstance(fields, dict) or type(fields.get(name)) is not kind:
            raise ReceiptsError(f"{where} lacks the field {name!r} or has another type there")
