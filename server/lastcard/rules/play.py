"""What playing a card does.

Here: the effects of a play in or out of turn. Not here: whether it is allowed (`apply`). May import
`events`, `legality`, `score`, `state`, `turns`, `uno`.
"""

from lastcard.rules.cards import DRAW_TWO, REVERSE, SKIP, WILD_DRAW_FOUR, rank_of
from lastcard.rules.draw import draw_cards
from lastcard.rules.events import CardPlayed, DrawCause, Event, HandsMoved, RoundCause
from lastcard.rules.law import NO_RANK
from lastcard.rules.legality import is_seven_swap, w4_is_legal
from lastcard.rules.score import end_round
from lastcard.rules.state import State
from lastcard.rules.turns import begin_turn, close_turn, face_penalty, pending_of, skip_seat
from lastcard.rules.uno import close_windows, settle_call


def play_card(  # noqa: PLR0917 - a play is all of this, and the hot path passes no bundle
    state: State,
    seat: int,
    card: int,
    color: int,
    target: int,
    call_uno: bool,
    jump_in: bool,
    events: list[Event],
) -> None:
    """Plays the card id `card` out of the hand of `seat`, with all that follows up to the next decision.

    The caller has made sure that it is legal; `color` and `target` are given where the card needs them and ignored
    otherwise.
    """
    if state.liable:
        close_windows(state, seat)
    face = state.faces[card]
    if face == WILD_DRAW_FOUR:
        _note_w4(state, seat)
    hand = state.hands[seat]
    hand.remove(card)
    if state.known:
        _forget(state, seat, face)
    if jump_in:
        _cancel_top(state)
    state.discard.append(card)
    state.progress = True
    state.jumpable = True
    if face >= 16:
        rank = face & 15
        state.color = face >> 4
        state.top_rank = rank
    else:
        rank = face
        last = not hand
        state.color = 0 if last else color
        state.top_rank = NO_RANK
    if rank >= REVERSE:
        if rank == REVERSE:
            state.direction = -state.direction
        else:
            state.pending += pending_of(face)
    swaps = _swaps(state, seat, face, target)
    events.append(
        CardPlayed(
            seat,
            face,
            state.color,
            target if swaps else None,
            call_uno,
            jump_in,
            len(hand),
            state.direction,
            state.pending,
        )
    )
    if swaps:
        _swap_hands(state, seat, target, events)
    elif rank == 0 and state.law.zero_rotate and (hand or state.law.hand_effect_on_last):
        _rotate_hands(state, events)
    settle_call(state, seat, len(hand), call_uno, events)
    if state.dry:
        end_round(state, RoundCause.BLOCKED, None, events)
    elif not _went_out(state, seat, rank, events):
        _pass_on(state, seat, rank, events)


def _note_w4(state: State, seat: int) -> None:
    """Takes the snapshot on which a challenge will be judged, before the card leaves the hand (C34, C36)."""
    state.w4_seat = seat
    state.w4_guilty = not w4_is_legal(state, seat)
    hand = list(state.hand_faces(seat))
    hand.remove(WILD_DRAW_FOUR)
    state.w4_hand = tuple(hand)
    state.w4_challengeable = True


def _forget(state: State, seat: int, face: int) -> None:
    """A card that was known to be in a hand has left it."""
    for seen in state.known.values():
        faces = seen.get(seat)
        if faces and face in faces:
            faces.remove(face)


def _cancel_top(state: State) -> None:
    """The effect of the top card is cancelled by a jump-in on it (C69).

    Under `accumulate` a pending penalty stands instead, where the new card might also have been stacked on it (K11).
    """
    rank = rank_of(state.top_face())
    if rank == REVERSE:
        state.direction = -state.direction
    elif not (state.law.accumulate and state.law.can_stack(rank, rank, state.pending)):
        state.pending = 0


def _swaps(state: State, seat: int, face: int, target: int) -> bool:
    """Whether the play swaps hands: a last seven does not (C64), nor one that may be aimed at nobody (K16)."""
    if not is_seven_swap(state, face) or target < 0:
        return False
    return bool(state.hands[seat]) or state.law.hand_effect_on_last


def _swap_hands(state: State, seat: int, target: int, events: list[Event]) -> None:
    origin = list(range(state.players))
    origin[seat], origin[target] = target, seat
    _move_hands(state, origin, events)


def _rotate_hands(state: State, events: list[Event]) -> None:
    """All hands move one active seat in the direction of play (C66)."""
    origin = list(range(state.players))
    for seat in state.active_seats():
        origin[state.next_seat(seat)] = seat
    _move_hands(state, origin, events)


def _move_hands(state: State, origin: list[int], events: list[Event]) -> None:
    """Seat i gets the hand of `origin[i]`; what was known of it moves along, calls and duties do not (C67)."""
    before = [len(hand) for hand in state.hands]
    old = state.hands
    moved = [seat for seat in range(state.players) if origin[seat] != seat]
    known = state.known
    for viewer in state.active_seats():
        seen = known.get(viewer, {})
        new = {seat: faces for seat in range(state.players) if (faces := seen.get(origin[seat])) and seat != viewer}
        for seat in moved:
            if origin[seat] == viewer:
                new[seat] = list(state.hand_faces(viewer))
        if new or seen:
            known[viewer] = new
    state.hands = [old[origin[seat]] for seat in range(state.players)]
    for seat in moved:
        state.called &= ~(1 << seat)
        if len(state.hands[seat]) != 1:
            state.liable &= ~(1 << seat)
        elif state.law.passive_call_owed and before[seat] != 1:
            state.liable |= 1 << seat
            state.fresh |= 1 << seat
    counts = tuple(len(hand) for hand in state.hands)
    hands = tuple((seat, tuple(state.hand_faces(seat))) for seat in moved)
    events.append(HandsMoved(tuple(origin), counts, hands))


def _went_out(state: State, seat: int, rank: int, events: list[Event]) -> bool:
    """Ends the round when somebody is out; a last draw card is drawn first where the rules say so (M23, C51)."""
    if state.hands[seat]:
        out = [other for other in state.active_seats() if not state.hands[other]] if rank in (0, 7) else []
        if not out:
            return False
        seat = out[0]
    elif state.law.draw_then_score and rank in (DRAW_TWO, WILD_DRAW_FOUR):
        draw_cards(state, state.next_seat(seat), state.pending, DrawCause.PENALTY, events)
    end_round(state, RoundCause.OUT, seat, events)
    return True


def _pass_on(state: State, seat: int, rank: int, events: list[Event]) -> None:
    """Closes the turn and gives the next seat what the card does to it."""
    if not close_turn(state, events):
        return
    if state.dry:
        end_round(state, RoundCause.BLOCKED, None, events)
        return
    following = state.next_seat(seat)
    if rank < SKIP:
        begin_turn(state, following, events)
    elif rank == SKIP or (rank == REVERSE and state.law.reverse_skips_two and sum(state.active) == 2):
        skip_seat(state, following, events)
    elif rank in (DRAW_TWO, WILD_DRAW_FOUR):
        face_penalty(state, following, events)
    else:
        begin_turn(state, following, events)
