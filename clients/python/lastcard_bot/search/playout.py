"""How a state is played on: every seat by one cheap rule of thumb.

Here: `expected_action`, `play_until`. Not here: what the outcome is worth (`outlook`). Imports `lastcard.rules`.
"""

from lastcard.rules.actions import ACCEPT, CHOOSE_COLOR, DRAW, KEEP, Action, Kind
from lastcard.rules.apply import apply
from lastcard.rules.cards import COLORS
from lastcard.rules.legality import legal_actions
from lastcard.rules.state import Phase, State

STEP_LIMIT = 60
"""Decisions after which a play-out stops, for rules under which a seat waits long for its turn."""


def play_until(state: State, seat: int) -> None:
    """Plays on until it is the turn of `seat` again, the round is over, or `STEP_LIMIT` decisions were taken."""
    for _ in range(STEP_LIMIT):
        if state.phase >= Phase.ROUND_OVER or (state.turn == seat and state.phase == Phase.TURN):
            return
        mover = state.turn
        apply(state, mover, expected_action(state, mover), len(state.hands[mover]) == 2)


def expected_action(state: State, seat: int) -> Action:
    """What a sensible player would do: play the dearest card, wilds last, on a penalty too; otherwise draw."""
    phase = state.phase
    if phase == Phase.COLOR:
        return CHOOSE_COLOR[longest_color(state.hand_faces(seat))]
    plays = [action for action in legal_actions(state, seat) if action.kind == Kind.PLAY]
    if not plays:
        return DRAW if phase == Phase.TURN else KEEP if phase == Phase.DRAWN_CARD else ACCEPT
    if len(plays) == 1:
        return plays[0]
    colored = [action for action in plays if action.card >= 16]
    if not colored:
        color = longest_color(state.hand_faces(seat))
        return next((action for action in plays if action.color == color), plays[0])
    return max(colored, key=_dearness)


def longest_color(faces: bytes) -> int:
    """The colour of which a hand holds most cards; the first of them when several are as long."""
    counts = [0] * 5
    for face in faces:
        counts[face >> 4] += 1
    return max(COLORS, key=counts.__getitem__)


def _dearness(action: Action) -> int:
    """Sorts coloured cards by their points."""
    rank = action.card & 15
    return 20 if rank > 9 else rank
