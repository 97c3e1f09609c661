"""Values as TOML, for a file that a program has changed.

Here: `toml_text`. Not here: reading (`tomllib`), where keys stand (`toml_lines`). May import the standard library only.
"""

import json
import re
from collections.abc import Mapping
from typing import Any

_BARE = re.compile(r"[A-Za-z0-9_-]+")


def toml_text(values: Mapping[str, Any]) -> str:
    """A document with these values, which `tomllib` reads as what they are.

    Tables of the top level are written as `[table]`, lists of tables as `[[table]]`, those within them in one line.

    Raises:
        TypeError: a value is none of text, number, truth, list and table.
    """
    blocks: list[str] = []
    for key, value in values.items():
        if isinstance(value, dict):
            blocks.append(_block(f"[{_key(key)}]", value))
        elif isinstance(value, list) and value and all(isinstance(each, dict) for each in value):
            blocks += [_block(f"[[{_key(key)}]]", each) for each in value]
        else:
            blocks.insert(0, f"{_key(key)} = {_value(value)}\n")
    return "\n".join(blocks)


def _block(header: str, table: Mapping[str, Any]) -> str:
    return "\n".join([header, *(f"{_key(key)} = {_value(value)}" for key, value in table.items())]) + "\n"


def _key(key: str) -> str:
    return key if _BARE.fullmatch(key) else _text(key)


def _value(value: object) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, int | float):
        return repr(value)
    if isinstance(value, str):
        return _text(value)
    if isinstance(value, list):
        return f"[{', '.join(map(_value, value))}]"
    if isinstance(value, dict):
        pairs = ", ".join(f"{_key(key)} = {_value(inner)}" for key, inner in value.items())
        return f"{{ {pairs} }}" if pairs else "{}"
    raise TypeError(f"{value!r} has no form in TOML")


def _text(text: str) -> str:
    """A text as JSON writes it, which is TOML's way too but for the character DEL."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")
