"""What record and receipts of a game say beside its result: who left, its luck, and the bots' thinking times.

Here: `Reading`, and reading it from the files of a table. Not here: what stands in a row (`director.game`), how luck is
counted (`luck`), how times are kept (`thinking`). May import `lastcard.rules`, `lastcard.table.receipts_reader` and the
pure modules of `tournament`.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from lastcard.rules.actions import LeaveCause
from lastcard.rules.events import Event, RoundStarted, SeatLeft
from lastcard.rules.record_reader import read_record
from lastcard.rules.ruleset import Ruleset
from lastcard.table.receipts_reader import ReceiptsError, read_receipts
from lastcard.tournament.luck import luck_of
from lastcard.tournament.thinking import histogram


class Reading(NamedTuple):
    """What record and receipts of a game say, as plain values: it may have been read in another process.

    `left` is by seat why it left the match, `removed` by seat behind which event the organiser removed it (0: before
    the first deal); `is_dealt` whether there was a deal. `luck` and `thinking` are by seat, as they stand in a row.
    """

    is_dealt: bool
    rounds: int
    left: Mapping[int, int]
    removed: Mapping[int, int]
    luck: tuple[tuple[float, ...], ...] = ()
    thinking: list[dict[str, Any]] = []  # noqa: RUF012 - a named tuple's default; nobody changes it


def reading_of(record: bytes, receipts: bytes, rules: Ruleset, seats: int) -> Reading:
    """What the files of a game say.

    Raises:
        RecordError: the record is damaged.
    """
    events = read_record(record).events
    is_dealt, rounds = False, 0
    left: dict[int, int] = {}
    removed: dict[int, int] = {}
    for number, event in enumerate(events, 1):
        if isinstance(event, RoundStarted):
            is_dealt, rounds = True, rounds + 1
        elif isinstance(event, SeatLeft):
            left[event.seat] = int(event.cause)
            if event.cause == LeaveCause.REMOVED:
                removed[event.seat] = number - 1 if is_dealt else 0
    return Reading(is_dealt, rounds, left, removed, luck_in(events, rules, seats), thinking_in(receipts, seats))


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
