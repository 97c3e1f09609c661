"""Answers to a pending penalty, and the colour of a start wild.

Here: accept, challenge, choose_color. Not here: when a penalty is asked or drawn by itself (`turns`). May
import `draw`, `events`, `state`, `turns`.
"""

from lastcard.rules.draw import draw_cards
from lastcard.rules.events import ChallengeResolved, ColorChosen, DrawCause, Event, PenaltyAccepted
from lastcard.rules.state import State
from lastcard.rules.turns import begin_turn, face_penalty, serve_penalty

W4_CARDS = 4
"""Cards of one wild draw four."""


def accept_penalty(state: State, seat: int, events: list[Event]) -> None:
    """Takes the pending penalty."""
    events.append(PenaltyAccepted(seat))
    serve_penalty(state, seat, events)


def challenge(state: State, seat: int, events: list[Event]) -> None:
    """Challenges the wild draw four on top; the verdict is by the hand at its play (M18, C36, C40-C46, K18)."""
    rules = state.rules
    offender, guilty = state.w4_seat, state.w4_guilty
    base, state.pending = state.pending - W4_CARDS, 0
    state.jumpable = False
    state.w4_challengeable = False
    events.append(ChallengeResolved(seat, offender, guilty, state.w4_hand))
    _reveal(state, seat, offender)
    if guilty:
        if state.active[offender]:
            draw_cards(state, offender, base + rules.challenge_guilty_draws, DrawCause.CHALLENGE, events)
        skipped = rules.challenge_success_turn == "challenger_skipped"
    else:
        draw_cards(state, seat, base + rules.challenge_innocent_draws, DrawCause.CHALLENGE, events)
        skipped = True
    begin_turn(state, state.next_seat(seat) if skipped else seat, events)


def _reveal(state: State, challenger: int, offender: int) -> None:
    """Those who were shown the hand know the cards of it (C38)."""
    reveal = state.rules.challenge_reveal
    if reveal == "verdict_only" or not state.active[offender]:
        return
    viewers = state.active_seats() if reveal == "all" else [challenger]
    for viewer in viewers:
        if viewer != offender:
            state.known.setdefault(viewer, {})[offender] = list(state.w4_hand)


def choose_color(state: State, seat: int, color: int, by_server: bool, events: list[Event]) -> None:
    """Names the colour of a wild that opened the round; the round then begins (C2, C9)."""
    events.append(ColorChosen(seat, color, by_server))
    state.color = color
    following, state.color_next = state.color_next, -1
    if not state.active[following]:
        following = state.next_seat(following)
    if state.pending:
        face_penalty(state, following, events)
    else:
        begin_turn(state, following, events)
