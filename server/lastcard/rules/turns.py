"""Whose turn it is: beginning and ending turns, penalties that fall due.

Here: the flow from one seat to the next. Not here: what an action does (`play`, `draw`, `penalty`). May import `draw`,
`events`, `score`, `state`.
"""

from lastcard.rules.cards import DRAW_TWO, WILD_DRAW_FOUR, rank_of
from lastcard.rules.draw import draw_cards
from lastcard.rules.events import DrawCause, Event, RoundCause, SeatSkipped, TurnStarted
from lastcard.rules.score import end_round
from lastcard.rules.state import PENALTY, TURN, State


def begin_turn(state: State, seat: int, events: list[Event]) -> None:
    """Begins a seat's turn, unless the turn cap ends the round first (K8, C23)."""
    if state.dry or state.turn_number >= state.law.max_turns:
        end_round(state, RoundCause.BLOCKED, None, events)
        return
    if state.progress:
        # Drawn before this turn, by a penalty or by who left in mid-turn: it breaks the row and is not of this turn.
        state.idle_turns = 0
        state.progress = False
    state.turn_number += 1
    state.turn = seat
    state.phase = TURN
    state.drawn = -1
    if state.liable:
        _close_own_window(state, seat)
    events.append(TurnStarted(seat, state.turn_number))


def _close_own_window(state: State, seat: int) -> None:
    """A window until the offender's next turn closes as that begins, unless no other turn lay between (C55, K21)."""
    bit = 1 << seat
    if state.law.catch_own_turn and not state.fresh & bit:
        state.liable &= ~bit
    state.fresh &= bit


def end_turn(state: State, events: list[Event]) -> None:
    """Ends the turn of the seat on turn and begins the next one's."""
    if close_turn(state, events):
        begin_turn(state, state.next_seat(state.turn), events)


def close_turn(state: State, events: list[Event]) -> bool:
    """Closes the turn of the seat on turn: a void early call is punished (K5), stalemate is counted (C22).

    False when the round ended by it.
    """
    if state.early_call >= 0:
        caller, state.early_call = state.early_call, -1
        punish_false_call(state, caller, events)
    if state.progress:
        state.idle_turns = 0
        state.progress = False
    else:
        state.idle_turns += 1
        if state.idle_turns >= state.rules.stalemate_turns * sum(state.active):
            end_round(state, RoundCause.BLOCKED, None, events)
            return False
    return True


def punish_false_call(state: State, seat: int, events: list[Event]) -> None:
    """Draws `false_uno_penalty` for a call that was wrong (X17)."""
    penalty = state.rules.false_uno_penalty
    if penalty and state.active[seat]:
        draw_cards(state, seat, penalty, DrawCause.FALSE_UNO, events)


def skip_seat(state: State, seat: int, events: list[Event]) -> None:
    """Passes over `seat`; the one after it begins its turn."""
    events.append(SeatSkipped(seat))
    begin_turn(state, state.next_seat(seat), events)


def face_penalty(state: State, target: int, events: list[Event]) -> None:
    """The pending penalty falls on `target`, who is asked where it has a choice and otherwise draws (C52, K1)."""
    if penalty_is_asked(state):
        state.turn = target
        state.phase = PENALTY
        state.drawn = -1
        return
    serve_penalty(state, target, events)


def penalty_is_asked(state: State) -> bool:
    """Whether the target of the pending penalty may stack or challenge, or somebody may still jump in."""
    law = state.law
    rank = rank_of(state.top_face())
    return (
        law.can_answer_penalty(rank, state.pending)
        or (rank == WILD_DRAW_FOUR and may_challenge(state))
        or (law.jump_in and state.jumpable)
    )


def may_challenge(state: State) -> bool:
    """Whether the wild draw four on top may be challenged: played, not turned up at the start (C1, K19)."""
    return state.law.challenge and state.w4_challengeable


def serve_penalty(state: State, target: int, events: list[Event]) -> None:
    """`target` draws the pending penalty and loses its turn where the rules say so (K10, K17)."""
    count, state.pending = state.pending, 0
    state.jumpable = False
    state.w4_challengeable = False
    loses_turn = state.law.loses_turn(rank_of(state.top_face()))
    draw_cards(state, target, count, DrawCause.PENALTY, events)
    begin_turn(state, state.next_seat(target) if loses_turn else target, events)


def pending_of(face: int) -> int:
    """Cards that a draw card adds to the penalty; 0 for other faces."""
    rank = rank_of(face)
    if rank == DRAW_TWO:
        return 2
    return 4 if rank == WILD_DRAW_FOUR else 0
