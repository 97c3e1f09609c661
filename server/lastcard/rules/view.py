"""What a viewer may see: the only code that hides cards, of views and of events.

Here: `view_of`, `redact`, `told_more`. Not here: their bytes (`services`), their JSON (`record_json`). May import
`events`, `legality`, `state`.
"""

from collections.abc import Callable, Sequence
from typing import NamedTuple

from lastcard.rules.events import (
    CardsDrawn,
    ChallengeResolved,
    Event,
    Hands,
    HandsMoved,
    RoundEnded,
    RoundStarted,
    SeatLeft,
)
from lastcard.rules.legality import catchable
from lastcard.rules.ruleset import Ruleset
from lastcard.rules.state import Phase, State


class View(NamedTuple):
    """All that one seat, or a spectator (`seat` is `None`), may know; fields as in the wire's `View`.

    Cards are faces; `hand` is ascending, `discard` has the top card last. Equal positions give equal views.
    """

    seat: int | None
    hand: bytes
    drawn_card: int
    hand_counts: tuple[int, ...]
    active_seats: tuple[int, ...]
    called_seats: tuple[int, ...]
    catchable_seats: tuple[int, ...]
    discard: bytes
    buried_count: int
    pile_count: int
    active_color: int
    direction: int
    pending: int
    turn_seat: int | None
    drawn_counts: tuple[int, ...]
    known_cards: Hands
    round: int
    turn: int
    dealer: int
    totals: tuple[int, ...]
    strikes: tuple[int, ...]
    ruleset: Ruleset
    round_scores: tuple[tuple[int, ...], ...]


def view_of(state: State, seat: int | None) -> View:
    """What `seat` may know now; `None` is a spectator, who sees public facts alone."""
    table = state.table
    known: Hands = ()
    hand, drawn = b"", 0
    if seat is not None:
        hand = bytes(state.hands[seat].translate(table)) if state.active[seat] else b""
        if state.drawn >= 0 and seat == state.turn and state.phase == Phase.DRAWN_CARD:
            drawn = state.faces[state.drawn]
        if state.known:
            known = _known(state, seat)
    called = state.called if state.early_call < 0 else state.called | 1 << state.early_call
    return View(
        seat,
        hand,
        drawn,
        tuple(map(len, state.hands)),
        tuple(state.active_seats()),
        tuple([other for other in range(state.players) if called >> other & 1]) if called else (),
        tuple(catchable(state)) if state.liable else (),
        bytes(state.discard.translate(table)),
        len(state.buried),
        len(state.pile),
        state.color,
        state.direction,
        state.pending,
        state.turn if state.turn >= 0 else None,
        tuple(state.drawn_counts),
        known,
        state.round,
        state.turn_number,
        max(state.dealer, 0),
        tuple(state.totals),
        tuple(state.strikes),
        state.rules,
        tuple(state.round_scores),
    )


def _known(state: State, seat: int) -> Hands:
    seen = state.known.get(seat, {})
    return tuple((other, tuple(sorted(faces))) for other, faces in sorted(seen.items()) if faces)


def redact(event: Event, viewer: int | None, rules: Ruleset, show_hands: bool) -> Event:
    """What `viewer` gets of an event; `None` is a spectator.

    `show_hands` tells whether the table shows the hands left over at the end of a round. An event without hidden facts
    comes back as the same object.
    """
    hide = _HIDING.get(type(event))
    return event if hide is None else hide(event, viewer, rules, show_hands)


def has_hidden_facts(event: Event) -> bool:
    """Whether viewers may get different bytes of an event."""
    return type(event) in _HIDING


def told_more(event: Event, players: int) -> Sequence[int]:
    """The seats that may be told more of an event than a spectator; all others get what a spectator gets."""
    if isinstance(event, (CardsDrawn, SeatLeft)):
        return (event.seat,)
    if isinstance(event, ChallengeResolved):
        return (event.offender, event.challenger)
    return range(players) if has_hidden_facts(event) else ()


def _own(hands: Hands, viewer: int | None) -> Hands:
    return tuple(pair for pair in hands if pair[0] == viewer)


def _hide_round_started(event: RoundStarted, viewer: int | None, rules: Ruleset, show_hands: bool) -> Event:
    return event._replace(hands=_own(event.hands, viewer))


def _hide_cards_drawn(event: CardsDrawn, viewer: int | None, rules: Ruleset, show_hands: bool) -> Event:
    return event if event.seat == viewer else CardsDrawn(event.seat, event.count, event.cause, ())


def _hide_challenge(event: ChallengeResolved, viewer: int | None, rules: Ruleset, show_hands: bool) -> Event:
    shown = viewer == event.offender or (
        rules.challenge_reveal == "all" or (rules.challenge_reveal == "challenger_only" and viewer == event.challenger)
    )
    return event if shown else event._replace(hand=())


def _hide_hands_moved(event: HandsMoved, viewer: int | None, rules: Ruleset, show_hands: bool) -> Event:
    return event._replace(hands=_own(event.hands, viewer))


def _hide_seat_left(event: SeatLeft, viewer: int | None, rules: Ruleset, show_hands: bool) -> Event:
    return event if event.seat == viewer else event._replace(cards=())


def _hide_round_ended(event: RoundEnded, viewer: int | None, rules: Ruleset, show_hands: bool) -> Event:
    return event if show_hands else event._replace(hands=_own(event.hands, viewer))


_HIDING: dict[type, Callable[..., Event]] = {
    RoundStarted: _hide_round_started,
    CardsDrawn: _hide_cards_drawn,
    ChallengeResolved: _hide_challenge,
    HandsMoved: _hide_hands_moved,
    SeatLeft: _hide_seat_left,
    RoundEnded: _hide_round_ended,
}
