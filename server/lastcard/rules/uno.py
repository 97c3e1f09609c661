"""Calling UNO and catching those who forgot.

Here: duties, calls, catch windows. Not here: the window until a seat's own turn, which closes in `turns`. May import
`actions`, `draw`, `events`, `reasons`, `state`, `turns`.
"""

from lastcard.rules.draw import draw_cards
from lastcard.rules.events import DrawCause, Event, SeatAccused, UnoCalled
from lastcard.rules.reasons import Reason, Refused
from lastcard.rules.state import Phase, State
from lastcard.rules.turns import punish_false_call


def close_windows(state: State, seat: int) -> None:
    """A turn action of `seat` closes the windows that end with it (C54, C55)."""
    if state.law.catch_any_action:
        state.liable = 0
    else:
        state.liable &= ~(1 << seat)
    state.fresh &= state.liable


def settle_call(state: State, seat: int, hand_count: int, call_uno: bool, events: list[Event]) -> None:
    """After a play that left `hand_count` cards: the call counts, or is owed, or was wrong (C53, C61, C63, K5).

    A call made before the play in the same turn counts like one in it.
    """
    early = state.early_call == seat
    if early and hand_count == 1:
        state.early_call = -1
    called = call_uno or (early and hand_count == 1)
    bit = 1 << seat
    if len(state.hands[seat]) == 1:
        if called:
            state.called |= bit
            state.liable &= ~bit
        elif state.law.call_owed:
            state.called &= ~bit
            state.liable |= bit
            state.fresh |= bit
    elif call_uno and hand_count > 1:
        # Who went out with a needless call has won all the same: there is no hand left to punish.
        punish_false_call(state, seat, events)


def call_uno(state: State, seat: int, events: list[Event]) -> None:
    """A call apart from a play: late but in time, or early in the seat's own turn, or wrong (C53, K5).

    Raises:
        Refused: `ACTION_NOT_AVAILABLE` for a wrong call that costs nothing; the state is untouched.
    """
    bit = 1 << seat
    if state.liable & bit:
        events.append(UnoCalled(seat))
        state.liable &= ~bit
        state.called |= bit
    elif _early_call_counts(state, seat):
        events.append(UnoCalled(seat))
        state.early_call = seat
    elif state.rules.false_uno_penalty:
        events.append(UnoCalled(seat))
        punish_false_call(state, seat, events)
    else:
        held = len(state.hands[seat])
        raise Refused(
            Reason.ACTION_NOT_AVAILABLE,
            f"seat {seat} holds {held} cards and owes no call now; call with the play that leaves one card, "
            "before it in your own turn with two cards, or after it until caught",
            seat=seat,
            cards=held,
        )


def _early_call_counts(state: State, seat: int) -> bool:
    """Whether a call before the play is possible: the seat's own turn, two cards, not called yet."""
    in_turn = state.phase in (Phase.TURN, Phase.DRAWN_CARD)
    return seat == state.turn and in_turn and len(state.hands[seat]) == 2 and state.early_call != seat


def accuse(state: State, accuser: int, target: int, events: list[Event]) -> None:
    """Says that `target` forgot to call (C56-C58, K6).

    Raises:
        Refused: `ACTION_NOT_AVAILABLE` for catching oneself, `NOT_LIABLE` for a seat that cannot be caught; the state
            is untouched.
    """
    if target == accuser:
        raise Refused(
            Reason.ACTION_NOT_AVAILABLE, f"seat {accuser} cannot catch itself; name another seat", seat=accuser
        )
    if 0 <= target < state.players and state.liable >> target & 1:
        events.append(SeatAccused(accuser, target, True))
        state.liable &= ~(1 << target)
        draw_cards(state, target, state.rules.uno_penalty, DrawCause.CAUGHT, events)
        return
    present = 0 <= target < state.players and state.active[target]
    if not present or not state.rules.false_catch_penalty:
        liable = ", ".join(str(seat) for seat in range(state.players) if state.liable >> seat & 1)
        raise Refused(
            Reason.NOT_LIABLE,
            f"seat {target} cannot be caught now; " + (f"seats that can: {liable}" if liable else "nobody can"),
            target=target,
        )
    events.append(SeatAccused(accuser, target, False))
    draw_cards(state, accuser, state.rules.false_catch_penalty, DrawCause.FALSE_CATCH, events)
