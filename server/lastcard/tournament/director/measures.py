"""What is measured of a game beside its result: luck by its record, thinking times by its receipts.

Here: both, from the files of a table to what stands in a row. Not here: how luck is counted (`luck`), how times are
kept (`thinking`). May import `lastcard.rules`, `lastcard.table.receipts_reader` and the pure modules of `tournament`.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from lastcard.rules.events import Event
from lastcard.rules.ruleset import Ruleset
from lastcard.table.receipts_reader import ReceiptsError, read_receipts
from lastcard.tournament.ledger import Row
from lastcard.tournament.luck import luck_of
from lastcard.tournament.thinking import histogram


def measured(row: Row, events: Sequence[Event], receipts: bytes, rules: Ruleset) -> Row:
    """The row with luck and thinking times of its game."""
    seats = len(row.seats)
    times = {**row.times, "thinking": thinking_in(receipts, seats)}
    return replace(row, luck=luck_in(events, rules, seats), times=times)


def luck_in(events: Sequence[Event], rules: Ruleset, seats: int) -> tuple[tuple[float, ...], ...]:
    """The luck of each seat; nothing where events do not fit the rules, since the game counts all the same."""
    try:
        return luck_of(events, rules, seats)
    except ValueError:
        return ()


def thinking_in(receipts: bytes, seats: int) -> list[dict[str, Any]]:
    """The histogram of each seat's thinking times; nothing where the receipts cannot be read."""
    try:
        items = read_receipts(receipts).items
    except ReceiptsError:
        return []
    return histogram(_times(item.fields for item in items), seats)


def _times(items: Iterable[Mapping[str, Any]]) -> Iterator[tuple[int, int]]:
    """Seat and milliseconds of each decision that was closed by an answer or by its deadline.

    From when the server sent it until the answer arrived; of a decision that was not answered, what was charged.
    """
    for fields in items:
        receipt = fields.get("receipt")
        if receipt is None:
            continue
        if "received_ms" in receipt:
            yield fields["seat"], max(0, receipt["received_ms"] - receipt["sent_ms"])
        elif receipt["timed_out"]:
            yield fields["seat"], max(0, receipt["charged_ms"])
