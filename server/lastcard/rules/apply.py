"""The one door through which a match changes: `apply(state, seat, action) -> events`.

Here: refusals in their order (scenario.md, Reasons of refusal) and the way to what each action does. Not here: the
effects (`play`, `penalty`, `uno`, `leave`). May import everything of `rules` but `view`, `scenario`, `record`.
"""

from collections.abc import Callable

from lastcard.rules.actions import Action, Kind
from lastcard.rules.cards import COLORS, FIRST_COLORED, TEXT, WILD_DRAW_FOUR, is_wild, text_of
from lastcard.rules.draw import draw_cards
from lastcard.rules.events import CardKept, CardsDrawn, DrawCause, Event, RoundCause
from lastcard.rules.leave import leave_match, time_out
from lastcard.rules.legality import (
    forced_to_play,
    hand_plays,
    is_seven_swap,
    keep_is_refused,
    legal_actions,
    may_jump,
    may_jump_face,
    may_play_face,
    may_stack_face,
    swap_targets,
)
from lastcard.rules.penalty import accept_penalty, challenge, choose_color
from lastcard.rules.play import play_card
from lastcard.rules.reasons import Reason, Refused
from lastcard.rules.score import end_round
from lastcard.rules.state import COLOR, DRAWN_CARD, MATCH_OVER, NOT_STARTED, PENALTY, ROUND_OVER, TURN, State
from lastcard.rules.turns import end_turn, may_challenge
from lastcard.rules.uno import accuse, call_uno, close_windows

_TURN_DRAW = DrawCause.TURN

_PHASE_TEXT = {
    TURN: "its turn: play a card or draw",
    DRAWN_CARD: "the card it has just drawn: play or keep it",
    PENALTY: "a pending penalty: accept it, or answer it as the rules allow",
    COLOR: "the colour of the start card: name one",
}


def apply(state: State, seat: int, action: Action, call_uno: bool = False) -> list[Event]:
    """Lets a seat do something and returns what happened, up to the next decision.

    `call_uno` calls UNO with a play and counts for plays only.

    Raises:
        Refused: with the first reason that applies; the state is untouched.
    """
    if state.phase >= ROUND_OVER or state.phase == NOT_STARTED:
        _refuse_between_rounds(state, action)
    if not 0 <= seat < state.players or not state.active[seat]:
        _refuse_absent(state, seat, action)
    events: list[Event] = []
    handler = _HANDLERS.get(action.kind)
    if handler is None:
        raise Refused(
            Reason.ACTION_NOT_AVAILABLE,
            f"there is no action of kind {action.kind}; kinds are 1 to {max(_HANDLERS)}",
            kind=action.kind,
        )
    handler(state, seat, action, call_uno, events)
    if state.dry and state.round_on():
        end_round(state, RoundCause.BLOCKED, None, events)
    return events


def _refuse_between_rounds(state: State, action: Action) -> None:
    if state.phase == MATCH_OVER:
        raise Refused(Reason.MATCH_OVER, "the match is over; nothing can be done at this table any more")
    if action.kind != Kind.LEAVE:
        raise Refused(Reason.ROUND_OVER, "no round is being played; wait for the next round's deal")


def _refuse_absent(state: State, seat: int, action: Action) -> None:
    if not 0 <= seat < state.players:
        raise Refused(Reason.FORBIDDEN, f"there is no seat {seat}; seats are 0 to {state.players - 1}", seat=seat)
    if state.benched[seat] and action.kind == Kind.LEAVE:
        return
    what = "sits out the extra round" if state.benched[seat] else "has left the match"
    raise Refused(Reason.FORBIDDEN, f"seat {seat} {what} and can do nothing", seat=seat)


def _require_turn(state: State, seat: int) -> None:
    if seat != state.turn:
        raise Refused(
            Reason.NOT_YOUR_TURN,
            f"seat {seat} is not the one to act; seat {state.turn} is",
            seat=seat,
            turn=state.turn,
        )


def _not_available(state: State, what: str) -> Refused:
    asked = _PHASE_TEXT[state.phase]
    return Refused(
        Reason.ACTION_NOT_AVAILABLE, f"{what} is not possible now; seat {state.turn} is asked for {asked}", what=what
    )


def _play(state: State, seat: int, action: Action, call: bool, events: list[Event]) -> None:
    _require_turn(state, seat)
    phase = state.phase
    face = action.card
    if phase == COLOR or (phase == PENALTY and not state.law.can_answer_penalty(state.top_face() & 15, state.pending)):
        raise _not_available(state, f"playing {TEXT.get(face, face)}")
    card = _card_in_hand(state, seat, face)
    if face < FIRST_COLORED or face & 15 == 7:
        _require_color_and_target(state, seat, action)
    if phase == PENALTY:
        playable = may_stack_face(state, seat, face)
    else:
        playable = may_play_face(state, seat, face)
        if phase == DRAWN_CARD and not state.law.any_card_after_draw:
            playable = playable and face == state.faces[state.drawn]
            card = state.drawn if playable else card
    if not playable:
        raise _not_playable(state, seat, face)
    play_card(state, seat, card, action.color, action.target, call, False, events)


def _card_in_hand(state: State, seat: int, face: int) -> int:
    """The lowest card id of a face in a hand."""
    hand = state.hands[seat]
    index = hand.translate(state.table).find(face) if 0 < face < 256 else -1
    if index < 0:
        raise Refused(
            Reason.CARD_NOT_IN_HAND,
            f"seat {seat} does not hold {TEXT.get(face, face)}; its hand is {text_of(state.hand_faces(seat))}",
            card=TEXT.get(face, face),
        )
    return hand[index]


def _require_color_and_target(state: State, seat: int, action: Action) -> None:
    """A wild needs a colour and a seven swap a target, unless it is the last card (C31, C33, C64, C65)."""
    face = action.card
    last = len(state.hands[seat]) == 1
    if is_wild(face):
        if action.color not in COLORS and not last:
            raise Refused(
                Reason.COLOR_REQUIRED,
                f"{TEXT[face]} needs a colour: R, Y, G or B, as in {TEXT[face]}/R",
                card=TEXT[face],
            )
    elif is_seven_swap(state, face) and (not last or state.law.hand_effect_on_last):
        targets = swap_targets(state, seat)
        # A target that cannot be chosen is no silent "no swap": with nobody to choose, none may be named (K16).
        if action.target not in (targets or [-1]):
            allowed = ", ".join(map(str, targets)) if targets else "none, since nobody may be chosen"
            raise Refused(
                Reason.TARGET_REQUIRED,
                f"{TEXT[face]} needs a seat to swap hands with: {allowed}",
                card=TEXT[face],
                targets=tuple(targets),
            )


def _not_playable(state: State, seat: int, face: int) -> Refused:
    allowed = [action.card for action in legal_actions(state, seat) if action.kind in (Kind.PLAY, Kind.JUMP_IN)]
    faces = text_of(sorted(set(allowed)))
    return Refused(
        Reason.CARD_NOT_PLAYABLE,
        f"{TEXT[face]} may not be played now; " + (f"cards that may: {faces}" if faces else "no card may"),
        card=TEXT[face],
        top=TEXT[state.top_face()],
    )


def _draw(state: State, seat: int, action: Action, call: bool, events: list[Event]) -> None:
    _require_turn(state, seat)
    law = state.law
    if state.phase != TURN:
        raise _not_available(state, "drawing")
    if not law.voluntary_draw:
        plays = hand_plays(state, seat)
        if forced_to_play(state, seat, plays):
            faces = text_of(sorted({play.card for play in plays}))
            raise Refused(
                Reason.ACTION_NOT_AVAILABLE,
                f"drawing is not allowed while a card can be played; cards that can: {faces}",
                cards=faces,
            )
    if state.liable:
        close_windows(state, seat)
    _draw_for_turn(state, seat, events)


def _draw_for_turn(state: State, seat: int, events: list[Event]) -> None:
    """Draws as `draw_mode` says and asks about the card when it can be played; otherwise the turn ends (C18)."""
    law = state.law
    limit = law.draw_limit
    if limit == 1:
        drawn = draw_cards(state, seat, 1, _TURN_DRAW, events)
    else:
        drawn = _draw_until_playable(state, seat, limit, events)
    if drawn and not law.never_play_drawn and not state.dry:
        card = drawn[-1]
        face = state.faces[card]
        if may_play_face(state, seat, face) or (law.any_card_after_draw and hand_plays(state, seat)):
            state.drawn = card
            state.phase = DRAWN_CARD
            return
    end_turn(state, events)


def _draw_until_playable(state: State, seat: int, limit: int, events: list[Event]) -> tuple[int, ...]:
    """Draws card by card until one can be played, at most `limit` (C15, K14); one event tells all."""
    drawn: list[int] = []
    faces: list[int] = []
    told: list[Event] = []
    while len(drawn) < limit:
        one: list[Event] = []
        got = draw_cards(state, seat, 1, _TURN_DRAW, one)
        told += one[:-1]
        if not got:
            break
        drawn += got
        faces.append(state.faces[got[0]])
        if may_play_face(state, seat, faces[-1]):
            break
    events += told
    events.append(CardsDrawn(seat, len(drawn), _TURN_DRAW, tuple(faces)))
    return tuple(drawn)


def _keep(state: State, seat: int, action: Action, call: bool, events: list[Event]) -> None:
    _require_turn(state, seat)
    if state.phase != DRAWN_CARD:
        raise _not_available(state, "keeping a card")
    if keep_is_refused(state, seat):
        face = TEXT[state.faces[state.drawn]]
        raise Refused(
            Reason.ACTION_NOT_AVAILABLE,
            f"the drawn {face} can be played and must be (drawn_card = must_play)",
            card=face,
        )
    events.append(CardKept(seat))
    end_turn(state, events)


def _accept(state: State, seat: int, action: Action, call: bool, events: list[Event]) -> None:
    _require_turn(state, seat)
    if state.phase != PENALTY:
        raise _not_available(state, "accepting a penalty")
    accept_penalty(state, seat, events)


def _challenge(state: State, seat: int, action: Action, call: bool, events: list[Event]) -> None:
    _require_turn(state, seat)
    if state.phase != PENALTY or state.top_face() != WILD_DRAW_FOUR or not may_challenge(state):
        raise _not_available(state, "challenging")
    challenge(state, seat, events)


def _choose_color(state: State, seat: int, action: Action, call: bool, events: list[Event]) -> None:
    _require_turn(state, seat)
    if state.phase != COLOR:
        raise _not_available(state, "naming a colour")
    if action.color not in COLORS:
        raise Refused(Reason.COLOR_REQUIRED, "a colour must be named: R, Y, G or B", color=action.color)
    choose_color(state, seat, action.color, False, events)


def _jump_in(state: State, seat: int, action: Action, call: bool, events: list[Event]) -> None:
    if not may_jump(state, seat):
        raise Refused(
            Reason.ACTION_NOT_AVAILABLE,
            f"seat {seat} cannot jump in now: the rules must allow it, the top card must have been played and not be "
            "answered yet, and the seat must not be on turn",
            seat=seat,
        )
    card = _card_in_hand(state, seat, action.card)
    _require_color_and_target(state, seat, action)
    if action.card != state.top_face() or not may_jump_face(state, seat, action.card):
        raise Refused(
            Reason.CARD_NOT_PLAYABLE,
            f"only a card identical to the top card {TEXT[state.top_face()]} may be jumped in with, "
            f"{TEXT[action.card]} may not",
            card=TEXT[action.card],
            top=TEXT[state.top_face()],
        )
    play_card(state, seat, card, action.color, action.target, call, True, events)


def _uno(state: State, seat: int, action: Action, call: bool, events: list[Event]) -> None:
    call_uno(state, seat, events)


def _catch(state: State, seat: int, action: Action, call: bool, events: list[Event]) -> None:
    accuse(state, seat, action.target, events)


def _pass(state: State, seat: int, action: Action, call: bool, events: list[Event]) -> None:
    raise Refused(Reason.ACTION_NOT_AVAILABLE, "passing answers a reaction only; the table resolves it", what="passing")


def _leave(state: State, seat: int, action: Action, call: bool, events: list[Event]) -> None:
    leave_match(state, seat, action.card, events)


def _timeout(state: State, seat: int, action: Action, call: bool, events: list[Event]) -> None:
    _require_turn(state, seat)
    time_out(state, seat, events)


_Handler = Callable[[State, int, Action, bool, list[Event]], None]
_HANDLERS: dict[int, _Handler] = {
    Kind.PLAY: _play,
    Kind.DRAW: _draw,
    Kind.KEEP: _keep,
    Kind.ACCEPT: _accept,
    Kind.CHALLENGE: _challenge,
    Kind.CHOOSE_COLOR: _choose_color,
    Kind.JUMP_IN: _jump_in,
    Kind.UNO: _uno,
    Kind.CATCH: _catch,
    Kind.PASS: _pass,
    Kind.LEAVE: _leave,
    Kind.TIMEOUT: _timeout,
}
