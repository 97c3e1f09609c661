"""How a state is played on: every seat by one cheap rule of thumb.

Here: `play_until`. Not here: what the outcome is worth (`outlook`). Imports `lastcard.rules`.

Most of the time of a search is spent here. So plays go straight to `play_card`, whose condition, that they are legal,
the choice itself has made sure of; everything rarer goes through `apply`.
"""

from lastcard.rules.actions import ACCEPT, CHALLENGE, CHOOSE_COLOR, DRAW, KEEP, NO_TARGET, Kind
from lastcard.rules.apply import apply
from lastcard.rules.cards import COLORS, NO_COLOR, WILD, WILD_DRAW_FOUR
from lastcard.rules.legality import is_seven_swap, legal_actions, may_play_face, swap_targets
from lastcard.rules.play import play_card
from lastcard.rules.state import Phase, State

STEP_LIMIT = 60
"""Decisions after which a play-out stops, for rules under which a seat waits long for its turn."""

SUSPECTS_ONE_IN = 4
"""How seldom a wild draw four of the viewer is expected to be challenged; with "never", bluffing would always pay."""

_DEARNESS = bytes(face & 15 if face & 15 < 10 else 20 for face in range(80))
"""Points of coloured faces."""


def play_until(state: State, seat: int) -> None:
    """Plays on until it is the turn of `seat` again, the round is over, or `STEP_LIMIT` decisions were taken."""
    for _ in range(STEP_LIMIT):
        phase, mover = state.phase, state.turn
        if phase >= Phase.ROUND_OVER or (mover == seat and phase == Phase.TURN):
            return
        if phase == Phase.TURN:
            _take_turn(state, mover)
        elif phase == Phase.DRAWN_CARD:
            _use_drawn(state, mover)
        elif phase == Phase.PENALTY:
            _answer_penalty(state, mover, seat)
        else:
            apply(state, mover, CHOOSE_COLOR[longest_color(state.hand_faces(mover))])


def longest_color(faces: bytes | bytearray) -> int:
    """The colour of which a hand holds most cards; the first of them when several are as long."""
    counts = [0] * 5
    for face in faces:
        counts[face >> 4] += 1
    return max(COLORS, key=counts.__getitem__)


def _take_turn(state: State, seat: int) -> None:
    """Plays the dearest card of the longest colour that can be played, wilds last; draws without one."""
    hand = state.hands[seat]
    faces = hand.translate(state.table)
    playable = state.law.playable[state.color][state.top_rank]
    lengths = [0] * 5
    for face in faces:
        lengths[face >> 4] += 32
    best, place = -1, -1
    for index, face in enumerate(faces):
        if playable[face] and face >= 16 and lengths[face >> 4] + _DEARNESS[face] > best:
            best, place = lengths[face >> 4] + _DEARNESS[face], index
    if place < 0 and faces[0] < 16:
        place = _wild(state, seat, faces)
    if place >= 0 and (len(faces) > 1 or may_play_face(state, seat, faces[place])):
        _play(state, seat, hand[place])
    else:
        apply(state, seat, DRAW)


def _wild(state: State, seat: int, faces: bytearray) -> int:
    """The place in a hand of a wild that may be played, a plain one rather than a wild draw four; -1 without one."""
    if WILD in faces:
        return faces.index(WILD)
    return faces.index(WILD_DRAW_FOUR) if may_play_face(state, seat, WILD_DRAW_FOUR) else -1


def _use_drawn(state: State, seat: int) -> None:
    """Plays the card just drawn where that is allowed."""
    if may_play_face(state, seat, state.faces[state.drawn]):
        _play(state, seat, state.drawn)
    else:
        apply(state, seat, KEEP)


def _answer_penalty(state: State, mover: int, viewer: int) -> None:
    """Passes a penalty on where the rules let it, else accepts; now and then challenges the viewer's wild draw four."""
    legal = legal_actions(state, mover)
    plays = [action for action in legal if action.kind == Kind.PLAY]
    if plays:
        color = longest_color(state.hand_faces(mover))
        chosen = next((play for play in plays if play.color == color), plays[0])
        apply(state, mover, chosen, len(state.hands[mover]) == 2)
        return
    suspected = state.w4_seat == viewer and CHALLENGE in legal and _suspects(state)
    apply(state, mover, CHALLENGE if suspected else ACCEPT)


def _suspects(state: State) -> bool:
    """Whether whoever must draw does not believe in the wild draw four: a matter of chance in each world."""
    assert state.chance is not None
    return state.chance.uniform(f"challenge/{state.turn_number}", SUSPECTS_ONE_IN) == 0


def _play(state: State, seat: int, card: int) -> None:
    """Plays a card that may be played: a wild in the longest colour, a swap with the shortest hand."""
    face = state.faces[card]
    hand = state.hands[seat]
    color = longest_color(hand.translate(state.table)) if face < 16 else NO_COLOR
    target = NO_TARGET
    if is_seven_swap(state, face):
        target = min(swap_targets(state, seat), key=lambda other: len(state.hands[other]), default=NO_TARGET)
    play_card(state, seat, card, color, target, len(hand) == 2, False, [])
