"""Writes the conformance vectors anew: `PYTHONPATH=tests python -m conformance.make_vectors`.

Vectors change only when the rules or the format do; `test_vectors.py` proves that those in the tree are what this
gives.
"""

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from conformance import vectors_of_chance, vectors_of_games, vectors_of_records

DIRECTORY = Path(__file__).parent / "vectors"

MAKERS: dict[str, Callable[[], dict[str, Any]]] = {
    "chance": vectors_of_chance.chance,
    "keys": vectors_of_chance.keys,
    "disguises": vectors_of_chance.disguises,
    "deals": vectors_of_chance.deals,
    "games": vectors_of_games.games,
    "refusals": vectors_of_games.refusals,
    "records": vectors_of_records.records,
}
"""What makes each file of vectors, by its name without `.json`."""

_WIDTH = 118


def text_of(value: dict[str, Any]) -> str:
    """The vectors as JSON in which what fits stands on one line, so that changes can be read."""
    return "".join(_lines(value, "", "")) + "\n"


def _lines(value: Any, indent: str, head: str) -> Iterator[str]:
    flat = json.dumps(value, ensure_ascii=True)
    if not value or not isinstance(value, dict | list) or len(indent + head + flat) <= _WIDTH or _is_row(value):
        yield f"{head}{flat}"
        return
    opening, closing = "{}" if isinstance(value, dict) else "[]"
    yield f"{head}{opening}\n"
    inner = indent + " "
    parts = list(value.items()) if isinstance(value, dict) else [(None, one) for one in value]
    for index, (name, one) in enumerate(parts):
        yield inner
        yield from _lines(one, inner, "" if name is None else f"{json.dumps(name)}: ")
        yield ",\n" if index < len(parts) - 1 else "\n"
    yield indent + closing


def _is_row(value: Any) -> bool:
    """An event stands on one line however long it is, as does a list of numbers or short texts."""
    if isinstance(value, dict):
        return "sequence" in value
    return all(isinstance(one, int) or (isinstance(one, str) and len(one) < 20) for one in value)


def main() -> None:
    """Writes every file."""
    DIRECTORY.mkdir(exist_ok=True)
    for name, make in MAKERS.items():
        (DIRECTORY / f"{name}.json").write_text(text_of(make()), encoding="ascii")


if __name__ == "__main__":
    main()
