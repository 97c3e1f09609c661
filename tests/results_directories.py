"""Results directories for tests, made without playing: a file, a state, rows and files of records that hold nothing.

Here: making them. Not here: playing (`director`), records that verify.
"""

from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

from lastcard.tournament.conduct import Conduct
from lastcard.tournament.event_state import COMPLETE, RUNNING, STOPPED
from lastcard.tournament.ledger import Row, SeatFault
from lastcard.tournament.results import Results

__all__ = ["COMPLETE", "RUNNING", "STOPPED", "event_directory", "file_text", "set_rows"]


def file_text(bots: Sequence[str], *, size: int = 2, deals: int = 4, more: str = "") -> str:
    """A tournament file with these bots, all builtin; `more` stands at the end of its table [tournament]."""
    entries = "".join(f'[[bot]]\nname = "{bot}"\nbuiltin = "greedy"\n' for bot in bots)
    head = f'[tournament]\nname = "cup"\nseed = 7\ntable_size = {size}\ndeals = {deals}\n'
    return f"{head}{more}\n{entries}"


def set_rows(number: int, seats: Sequence[str], ranks: Sequence[str], **fields: Any) -> list[Row]:
    """The games of a set, in every rotation, each won by the bot that is first in `ranks` and so on.

    `fields` are laid over those of its first game.
    """
    size = len(seats)
    rows = []
    for rotation in range(size):
        here = tuple(seats[(seat + rotation) % size] for seat in range(size))
        game = (number - 1) * size + rotation + 1
        row: dict[str, Any] = {
            "game": game,
            "set": number,
            "deal": number,
            "rotation": rotation,
            "seats": here,
            "points": tuple(40 * (size - 1 - ranks.index(bot)) for bot in here),
            "places": tuple(1 + ranks.index(bot) for bot in here),
            "cause": "single_round",
            "faults": (),
            "record": f"records/{game:05}.jsonl",
            "record_hash": f"{game:064x}",
            "times": {
                "started_ms": 1_795_000_000_000 + 1000 * game,
                "ended_ms": 1_795_000_000_700 + 1000 * game,
                "thinking_ms": [30 + 10 * seat for seat in range(size)],
                "decisions": 40,
                "recovered": [],
            },
        }
        rows.append(Row(**(row | (fields if rotation == 0 else {}))))
    return rows


def event_directory(
    directory: Path, text: str, rows: Sequence[Row], state: str = COMPLETE, conduct: Conduct | None = None
) -> Path:
    """Make the directory of an event that is so far."""
    results = Results.create(directory, text, "cup", 7)
    results.ledger.write_text("".join(f"{row.to_json()}\n" for row in rows))
    for row in rows:
        path = directory / row.record
        if path.parent == directory / "records":
            path.write_text("")
    results.write_state(state, "cup", games=len(rows), conduct=conduct or Conduct())
    if state == COMPLETE:
        results.close()
    return directory


def fault(row: Row, bot: str, kind: str, evidence: str) -> SeatFault:
    """A fault of a bot in a game."""
    return SeatFault(row.seats.index(bot), bot, kind, 5, evidence)


def rotated(orders: Sequence[Sequence[str]]) -> list[Row]:
    """Sets one after the other, each with its order of finish; all bots sit at one table."""
    assert all(set(one) == set(other) for one, other in pairwise(orders))
    return [row for number, order in enumerate(orders, 1) for row in set_rows(number, sorted(order), order)]
