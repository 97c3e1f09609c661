"""A view as bytes.

Here: `ViewWriter`, one a table. Not here: what a view holds (`rules.view`, the only code that hides cards). Equal views
give equal bytes. What changes only from round to round (`totals`, `strikes`, the rules, `round_scores`) is kept.
"""

from lastcard.rules.view import View
from lastcard.services.wire.events import hands, present
from lastcard.services.wire.varint import VARINT, joined, nested, number, packed, tag, varint, zigzag

_SEAT = tag(1, VARINT)
_HAND = tag(2)
_DRAWN_CARD = tag(3, VARINT)
_HAND_COUNTS = tag(4)
_ACTIVE_SEATS = tag(5)
_CALLED_SEATS = tag(6)
_CATCHABLE_SEATS = tag(7)
_DISCARD = tag(8)
_BURIED_COUNT = tag(9, VARINT)
_PILE_COUNT = tag(10, VARINT)
_ACTIVE_COLOR = tag(11, VARINT)
_DIRECTION = tag(12, VARINT)
_PENDING = tag(13, VARINT)
_TURN_SEAT = tag(14, VARINT)
_DRAWN_COUNTS = tag(15)
_KNOWN_CARDS = tag(16)
_ROUND = tag(17, VARINT)
_TURN = tag(18, VARINT)
_DEALER = tag(19, VARINT)
_TOTALS = tag(20)
_STRIKES = tag(21)
_RULESET = tag(22)
_ROUND_SCORES = tag(23)
_SCORES = tag(1)


class ViewWriter:
    """Writes the views of one table, whose rules are given as the body of `Ruleset`."""

    __slots__ = ("_key", "_ruleset", "_tail")

    def __init__(self, ruleset_body: bytes) -> None:
        self._ruleset = nested(_RULESET, ruleset_body)
        self._key: object = None
        self._tail = b""

    def body(self, view: View) -> bytes:
        """The body of a `View`."""
        key = (view.totals, view.strikes, view.round_scores)
        if key != self._key:
            self._tail = self._tail_of(view)
            self._key = key
        return b"".join(
            (
                present(_SEAT, view.seat),
                packed(_HAND, view.hand),
                number(_DRAWN_CARD, view.drawn_card),
                packed(_HAND_COUNTS, view.hand_counts),
                packed(_ACTIVE_SEATS, view.active_seats),
                packed(_CALLED_SEATS, view.called_seats),
                packed(_CATCHABLE_SEATS, view.catchable_seats),
                packed(_DISCARD, view.discard),
                number(_BURIED_COUNT, view.buried_count),
                number(_PILE_COUNT, view.pile_count),
                number(_ACTIVE_COLOR, view.active_color),
                number(_DIRECTION, zigzag(view.direction)),
                number(_PENDING, view.pending),
                present(_TURN_SEAT, view.turn_seat),
                packed(_DRAWN_COUNTS, view.drawn_counts),
                hands(_KNOWN_CARDS, view.known_cards) if view.known_cards else b"",
                _ROUND + varint(view.round) if view.round else b"",
                _TURN + varint(view.turn) if view.turn else b"",
                number(_DEALER, view.dealer),
                self._tail,
            )
        )

    def _tail_of(self, view: View) -> bytes:
        return (
            packed(_TOTALS, view.totals)
            + packed(_STRIKES, view.strikes)
            + self._ruleset
            + joined(_ROUND_SCORES, [packed(_SCORES, scores) for scores in view.round_scores])
        )
