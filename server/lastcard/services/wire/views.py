"""A view as bytes.

Here: `ViewWriter`, one a table. Not here: what a view holds (`rules.view`, the only code that hides cards). Equal views
give equal bytes. What changes only from round to round (`totals`, `strikes`, the rules, `round_scores`) is kept.
"""

from lastcard.rules.view import View
from lastcard.services.wire.events import hands
from lastcard.services.wire.varint import (
    VARINT,
    counts,
    heads,
    joined,
    nested,
    numbers,
    optional_numbers,
    packed,
    tag,
    varint,
    zigzag,
)

_SEAT = optional_numbers(1)
_HAND = heads(2)
_DRAWN_CARD = numbers(3)
_HAND_COUNTS = heads(4)
_ACTIVE_SEATS = heads(5)
_CALLED_SEATS = heads(6)
_CATCHABLE_SEATS = heads(7)
_DISCARD = heads(8)
_BURIED_COUNT = numbers(9)
_PILE_COUNT = numbers(10)
_ACTIVE_COLOR = numbers(11)
_DIRECTION = {direction: tag(12, VARINT) + varint(zigzag(direction)) for direction in (1, -1)}
_PENDING = numbers(13)
_TURN_SEAT = optional_numbers(14)
_DRAWN_COUNTS = heads(15)
_KNOWN_CARDS = tag(16)
_ROUND = numbers(17)
_TURN = numbers(18)
_DEALER = numbers(19)
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
        (
            seat,
            hand,
            drawn_card,
            hand_counts,
            active_seats,
            called_seats,
            catchable_seats,
            discard,
            buried_count,
            pile_count,
            active_color,
            direction,
            pending,
            turn_seat,
            drawn_counts,
            known_cards,
            round_number,
            turn,
            dealer,
            totals,
            strikes,
            _,
            round_scores,
        ) = view
        key = (totals, strikes, round_scores)
        if key != self._key:
            self._tail = self._tail_of(view)
            self._key = key
        # Faces and seats are below 128, so their bytes are their varints.
        return b"".join(
            (
                _SEAT[seat],
                _HAND[len(hand)],
                hand,
                _DRAWN_CARD[drawn_card],
                counts(_HAND_COUNTS, hand_counts),
                _ACTIVE_SEATS[len(active_seats)],
                bytes(active_seats),
                _CALLED_SEATS[len(called_seats)],
                bytes(called_seats),
                _CATCHABLE_SEATS[len(catchable_seats)],
                bytes(catchable_seats),
                _DISCARD[len(discard)],
                discard,
                _BURIED_COUNT[buried_count],
                _PILE_COUNT[pile_count],
                _ACTIVE_COLOR[active_color],
                _DIRECTION[direction],
                _PENDING[pending],
                _TURN_SEAT[turn_seat],
                counts(_DRAWN_COUNTS, drawn_counts),
                hands(_KNOWN_CARDS, known_cards) if known_cards else b"",
                _ROUND[round_number],
                _TURN[turn],
                _DEALER[dealer],
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
