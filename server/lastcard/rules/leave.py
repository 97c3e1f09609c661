"""Leaving the match, and what the server does for a seat whose time ran out.

Here: leave, time out. Not here: when time runs out (`table`). May import `actions`, `draw`, `events`, `penalty`,
`reasons`, `score`, `state`, `turns`.
"""

from lastcard.rules.actions import LeaveCause
from lastcard.rules.cards import COLORS
from lastcard.rules.draw import draw_cards
from lastcard.rules.events import CardKept, DrawCause, Event, RoundCause, SeatLeft, TimedOut
from lastcard.rules.penalty import accept_penalty, choose_color
from lastcard.rules.purposes import color
from lastcard.rules.score import end_match_of_one, end_round, hand_points
from lastcard.rules.state import Phase, State
from lastcard.rules.turns import begin_turn, end_turn


def leave_match(state: State, seat: int, cause: int, events: list[Event]) -> None:
    """Takes a seat out of the match; its cards go under the discards, their points are frozen (C29, C30, C76, C77)."""
    on = state.round_on() and state.active[seat]
    held = state.hands[seat] if on else bytearray()
    cards = tuple(state.hand_faces(seat)) if on else ()
    points = hand_points(state, seat) if on else 0
    events.append(SeatLeft(seat, cause, len(held), points, cards))
    state.active[seat] = False
    state.benched[seat] = False
    state.left_order.append(seat)
    bit = ~(1 << seat)
    state.liable &= bit
    state.called &= bit
    state.fresh &= bit
    state.known.pop(seat, None)
    for seen in state.known.values():
        seen.pop(seat, None)
    if on:
        state.frozen[seat] = points
        if state.rules.leaver_cards == "to_discard":
            state.buried += held
            state.hands[seat] = bytearray()
        _go_on_without(state, seat, events)
    elif sum(state.active) == 1:
        end_match_of_one(state, events)


def _go_on_without(state: State, seat: int, events: list[Event]) -> None:
    """A seat on turn loses what it was asked: a penalty lapses (C44), a colour choice passes on (C9)."""
    remaining = state.active_seats()
    if len(remaining) == 1:
        end_round(state, RoundCause.LEFT, remaining[0], events)
        return
    if state.early_call == seat:
        state.early_call = -1
    if seat != state.turn:
        return
    following = state.next_seat(seat)
    if state.phase == Phase.COLOR:
        state.turn = following
        return
    if state.phase == Phase.PENALTY:
        state.pending = 0
    begin_turn(state, following, events)


def time_out(state: State, seat: int, events: list[Event]) -> None:
    """Does for a seat what the rules do when its time runs out, and removes it after too many (C80, K7, K9)."""
    rules = state.rules
    state.strikes[seat] += 1
    strikes = state.strikes[seat]
    events.append(TimedOut(seat, strikes))
    if rules.timeout_action == "forfeit":
        leave_match(state, seat, LeaveCause.TIMEOUTS, events)
        return
    match state.phase:
        case Phase.TURN:
            state.liable = _closed_by_draw(state, seat)
            draw_cards(state, seat, 1, DrawCause.TIMEOUT, events)
            end_turn(state, events)
        case Phase.DRAWN_CARD:
            events.append(CardKept(seat))
            end_turn(state, events)
        case Phase.PENALTY:
            accept_penalty(state, seat, events)
        case _:
            assert state.chance is not None
            choice = state.chance.uniform(color(state.turn_number + 1), len(COLORS))
            choose_color(state, seat, COLORS[choice], True, events)
    if rules.max_timeouts and strikes >= rules.max_timeouts and state.phase != Phase.MATCH_OVER:
        leave_match(state, seat, LeaveCause.TIMEOUTS, events)


def _closed_by_draw(state: State, seat: int) -> int:
    """The liabilities that outlast a turn action of `seat` (K4)."""
    return 0 if state.law.catch_any_action else state.liable & ~(1 << seat)
