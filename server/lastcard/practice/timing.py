"""What each decision took, and how much of it the line and the bot took.

Here: `Timed`, `Carriage`, `timed`. Not here: what follows from it (`limits`). Imports `line` and
`lastcard.table.receipts_reader`; no input or output, no clock.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass

from lastcard.practice.line import Carried
from lastcard.table.receipts_reader import Receipts

REACTION = "REACTION"
SLACK_MS = 1.0
"""How much the server, which counts whole milliseconds, and the line may differ about a moment."""
HANDED_ON_MS = 5.0
"""How long the server's transport may take from when a question was sent until the line hears it."""


@dataclass(frozen=True, slots=True)
class Timed:
    """One decision: when it was asked, what it took as the server saw it, and what of that was the bot's.

    `bot_ms` is absent where the answer did not come. `credit_ms` is what the server would not charge for the network.
    """

    game: int
    decision: int
    kind: str
    took_ms: int
    bot_ms: float | None
    credit_ms: int
    answered: bool

    @property
    def line_ms(self) -> float | None:
        """What the line took."""
        return None if self.bot_ms is None else self.took_ms - self.bot_ms


class Carriage:
    """What a line carried during one game, to be looked up by the times of receipts."""

    def __init__(self, to_bot: Sequence[Carried], to_server: Sequence[Carried]) -> None:
        self._to_bot, self._to_server = to_bot, to_server
        self._said = [carried.said_ms for carried in to_bot]
        self._arrived = [carried.arrived_ms for carried in to_server]

    def bot_ms(self, sent_ms: int, received_ms: int) -> float | None:
        """How long the bot had a question and did not answer it; absent when the line cannot have carried them.

        The answer arrived last before it was read, or with others that had waited behind it. The question was said to
        the bot at once after it was sent, and arrived last of what was said then: the verdict on the answer before may
        be of the same millisecond. At one table at a time there is nothing else that matters.
        """
        first = bisect_left(self._said, sent_ms - SLACK_MS)
        behind = max(first + 1, bisect_right(self._said, sent_ms + HANDED_ON_MS))
        last = bisect_right(self._arrived, received_ms + SLACK_MS) - 1
        if first == len(self._said) or last < 0:
            return None
        with_it = bisect_left(self._arrived, self._arrived[last] - SLACK_MS)
        thought = self._to_server[with_it].said_ms - max(carried.arrived_ms for carried in self._to_bot[first:behind])
        return min(max(0.0, thought), float(received_ms - sent_ms))


def timed(game: int, receipts: Receipts, seat: int, carriage: Carriage) -> list[Timed]:
    """The decisions of a seat in one game that it answered or that its deadline closed, in their order.

    One that was closed by something else tells nothing about the bot.
    """
    kinds: dict[int, str] = {}
    found: list[Timed] = []
    for item in receipts.items:
        fields = item.fields
        if fields.get("seat") != seat:
            continue
        if item.kind == "asked":
            kinds[fields["decision"]] = fields["kind"]
        receipt = fields.get("receipt")
        if receipt is None:
            continue
        sent_ms, received_ms = receipt["sent_ms"], receipt.get("received_ms")
        kind, credit_ms = kinds[fields["decision"]], receipt["network_credit_ms"]
        if receipt["timed_out"]:
            found.append(Timed(game, fields["decision"], kind, receipt["charged_ms"], None, credit_ms, answered=False))
        elif received_ms is not None:
            bot_ms = carriage.bot_ms(sent_ms, received_ms)
            took_ms = received_ms - sent_ms
            found.append(Timed(game, fields["decision"], kind, took_ms, bot_ms, credit_ms, answered=True))
    return found
