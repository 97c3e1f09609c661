"""What a seat may do now.

Here: the legal actions of the seat on turn, what may be done out of turn, who can be caught. Not here: refusals and
their reasons (`apply`). May import `actions`, `cards`, `law`, `state`, `turns`.
"""

from collections.abc import Callable

from lastcard.rules.actions import (
    ACCEPT,
    CHALLENGE,
    CHOOSE_COLOR,
    DRAW,
    KEEP,
    UNO,
    Action,
    Kind,
    catch,
    play,
)
from lastcard.rules.cards import COLORS, WILD, WILD_DRAW_FOUR, rank_of
from lastcard.rules.state import COLOR, DRAWN_CARD, PENALTY, TURN, Phase, State
from lastcard.rules.turns import may_challenge

_COLOR_CHOICES = [CHOOSE_COLOR[color] for color in COLORS]


def legal_actions(state: State, seat: int) -> list[Action]:
    """All that a seat may do now but calls, catches and leaving: ordered by kind, card, colour, target.

    For the seat on turn that answers its decision (never empty); for the others, jump-ins.
    """
    if seat != state.turn:
        return jump_actions(state, seat)
    answer = _ANSWERS.get(state.phase)
    return [] if answer is None else answer(state, seat)


def _turn_actions(state: State, seat: int) -> list[Action]:
    actions = hand_plays(state, seat)
    if state.law.voluntary_draw or not forced_to_play(state, seat, actions):
        actions.append(DRAW)
    return actions


def forced_to_play(state: State, seat: int, plays: list[Action]) -> bool:
    """Whether one of the listed plays is more than a bluff: nobody must bluff rather than draw (G16, C17)."""
    if not plays or not state.law.bluff:
        return bool(plays)
    return plays[0].card != WILD_DRAW_FOUR or plays[-1].card != WILD_DRAW_FOUR or w4_is_legal(state, seat)


def hand_plays(state: State, seat: int) -> list[Action]:
    """The plays that a hand allows on the present top card, no penalty pending."""
    law = state.law
    hand = state.hands[seat]
    if len(hand) == 1:
        return _last_card_plays(state, seat)
    table = law.playable[state.color][state.top_rank]
    plays = law.plays
    actions: list[Action] = []
    last = 0
    seven = law.seven_swap
    for face in hand.translate(state.table):
        if face != last:
            last = face
            if table[face]:
                if seven and face & 15 == 7 and face >= 16:
                    actions += _seven_plays(state, seat, face)
                else:
                    actions += plays[face]
            elif face == WILD_DRAW_FOUR and (law.bluff or w4_is_legal(state, seat)):
                actions += plays[face]
    return actions


def _last_card_plays(state: State, seat: int) -> list[Action]:
    """A last wild is listed once without a colour, a last seven without a target (C33, C64)."""
    face = state.faces[state.hands[seat][0]]
    if not may_play_face(state, seat, face):
        return []
    if state.law.hand_effect_on_last and is_seven_swap(state, face):
        return _seven_plays(state, seat, face)
    return [play(face)]


def may_play_face(state: State, seat: int, face: int) -> bool:
    """Whether the seat, who holds the face, may play it on the present top card (7.2, 7.3, H13); bluffs count."""
    law = state.law
    if len(state.hands[seat]) == 1 and not law.finish_allowed[face]:
        return False
    if face == WILD_DRAW_FOUR:
        return law.bluff or w4_is_legal(state, seat)
    return bool(law.playable[state.color][state.top_rank][face])


def w4_is_legal(state: State, seat: int) -> bool:
    """Whether a wild draw four out of this hand would be no bluff (X10, C34-C36, K12)."""
    law = state.law
    rule = law.w4_legality
    if rule == "anytime":
        return True
    color, top = state.color, state.top_rank
    faces = state.hands[seat].translate(state.table)
    if rule == "no_color":
        return not any(face >> 4 == color for face in faces)
    if rule == "no_color_or_number":
        return not any(face >> 4 == color or (face >= 16 and face & 15 == top < 10) for face in faces)
    table = law.playable[color][top]
    alone = len(faces) == 1
    return not any(table[face] and (not alone or law.finish_allowed[face]) for face in faces)


def is_seven_swap(state: State, face: int) -> bool:
    """Whether a face swaps hands."""
    return state.law.seven_swap and face >= 16 and rank_of(face) == 7


def swap_targets(state: State, seat: int) -> list[int]:
    """The seats that a seven may be aimed at: other active ones, but those protected by their call (C65, K16)."""
    protected = state.called if state.rules.swap_uno_protected else 0
    return [other for other in state.active_seats() if other != seat and not protected >> other & 1]


def _seven_plays(state: State, seat: int, face: int) -> list[Action]:
    targets = swap_targets(state, seat)
    return [play(face, target=target) for target in targets] or [play(face)]


def _drawn_actions(state: State, seat: int) -> list[Action]:
    law = state.law
    face = state.faces[state.drawn]
    actions = hand_plays(state, seat)
    if not law.any_card_after_draw:
        actions = [action for action in actions if action.card == face]
    if not keep_is_refused(state, seat):
        actions.append(KEEP)
    return actions


def keep_is_refused(state: State, seat: int) -> bool:
    """Whether the drawn card must be played (K13)."""
    return state.law.must_play_drawn and may_play_face(state, seat, state.faces[state.drawn])


def may_stack_face(state: State, seat: int, face: int) -> bool:
    """Whether a face may answer the pending penalty out of this hand (C47, C48, H2)."""
    law = state.law
    rank = rank_of(face)
    if rank < 12 or face == WILD or not law.can_stack(rank, rank_of(state.top_face()), state.pending):
        return False
    if len(state.hands[seat]) == 1 and not law.finish_allowed[face]:
        return False
    return face != WILD_DRAW_FOUR or law.bluff or w4_is_legal(state, seat)


def _penalty_actions(state: State, seat: int) -> list[Action]:
    actions: list[Action] = []
    law = state.law
    faces = state.hands[seat].translate(state.table)
    if law.can_answer_penalty(rank_of(state.top_face()), state.pending):
        for face in sorted(set(faces)):
            if may_stack_face(state, seat, face):
                actions += [play(face)] if len(faces) == 1 else law.plays[face]
    actions.append(ACCEPT)
    if rank_of(state.top_face()) == WILD_DRAW_FOUR and may_challenge(state):
        actions.append(CHALLENGE)
    return actions


def _color_actions(state: State, seat: int) -> list[Action]:  # noqa: ARG001 - one shape for all phases
    return _COLOR_CHOICES[:]


_ANSWERS: dict[Phase, Callable[[State, int], list[Action]]] = {
    TURN: _turn_actions,
    DRAWN_CARD: _drawn_actions,
    PENALTY: _penalty_actions,
    COLOR: _color_actions,
}


def may_jump(state: State, seat: int) -> bool:
    """Whether a seat might jump in now if it held the right card: a public fact (C68, K2, K3)."""
    law = state.law
    if not (law.jump_in and state.jumpable and seat != state.turn and state.active[seat] and state.round_on()):
        return False
    top = state.top_face()
    return top >= 16 or (top == WILD_DRAW_FOUR and law.jump_four)


def jump_actions(state: State, seat: int) -> list[Action]:
    """The jump-ins that a seat may make now."""
    if not may_jump(state, seat):
        return []
    face = state.top_face()
    hand = state.hands[seat]
    if face not in hand.translate(state.table) or not may_jump_face(state, seat, face):
        return []
    if len(hand) == 1 and not (state.law.hand_effect_on_last and is_seven_swap(state, face)):
        return [Action(Kind.JUMP_IN, face)]
    plays = _seven_plays(state, seat, face) if is_seven_swap(state, face) else state.law.plays[face]
    return [Action(Kind.JUMP_IN, action.card, action.color, action.target) for action in plays]


def may_jump_face(state: State, seat: int, face: int) -> bool:
    """Whether the identical face may be played out of this hand: last-card and wild draw four rules hold here too."""
    law = state.law
    if len(state.hands[seat]) == 1 and not law.finish_allowed[face]:
        return False
    if face == WILD_DRAW_FOUR:
        return law.bluff or w4_is_legal(state, seat)
    return True


def catchable(state: State) -> list[int]:
    """The seats that can be caught now for a forgotten call."""
    if not state.liable:
        return []
    return [seat for seat in range(state.players) if state.liable >> seat & 1]


def reaction_actions(state: State, seat: int) -> list[Action]:
    """What a seat may do out of turn now: jump in, call for itself, catch others (C53, C58)."""
    if not state.round_on() or not state.active[seat]:
        return []
    actions = jump_actions(state, seat)
    if state.liable:
        if state.liable >> seat & 1:
            actions.append(UNO)
        actions += [catch(target) for target in catchable(state) if target != seat]
    return actions
