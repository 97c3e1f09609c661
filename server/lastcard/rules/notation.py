"""The one text notation for cards and actions (scenario.md, Cards and actions).

Here: reading and writing cards, plays, actions and moves. Not here: scenario files (`scenario`), whether an action is
legal (`legality`). Imports only `actions` and `cards`.
"""

import re
from typing import NamedTuple

from lastcard.rules import actions
from lastcard.rules.actions import Action, Kind
from lastcard.rules.cards import COLOR_LETTERS, FACES, NO_COLOR, TEXT, UNSUPPORTED, is_wild

SEATS = 10
"""The most seats of a table; they are numbered from 0."""

COLOR_OF_LETTER: dict[str, int] = {letter: color for color, letter in enumerate(COLOR_LETTERS) if color}
"""The colour of each letter."""

_PLAY = re.compile(r"(?P<card>[A-Z0-9]+(?:/[A-Za-z])?)(?:>(?P<target>[0-9]+))?(?P<uno>!)?")
_PLAIN: dict[str, Action] = {
    "draw": actions.DRAW,
    "keep": actions.KEEP,
    "accept": actions.ACCEPT,
    "challenge": actions.CHALLENGE,
    "uno": actions.UNO,
    "pass": actions.PASS,
    "leave": actions.leave(),
    "timeout": actions.TIMEOUT,
}
_PLAIN_TEXT: dict[int, str] = {action.kind: text for text, action in _PLAIN.items()}
_ACTIONS = f"a card to play, {', '.join(_PLAIN)}, catch SEAT, jump CARD or color COLOR"


class NotationError(ValueError):
    """A text is not in the notation; the error's text is a sentence that says what would be."""


class Move(NamedTuple):
    """A seat and what it does; `call_uno` belongs to a play."""

    seat: int
    action: Action
    call_uno: bool = False


def read_face(text: str) -> int:
    """The face of `R5`, `W4` and so on.

    Raises:
        NotationError: there is no such card, or it is of a 112-card deck.
    """
    if text in UNSUPPORTED:
        raise NotationError(f"the card {text} is of a 112-card deck, which is not yet supported.")
    if text not in FACES:
        raise NotationError(
            f"{text!r} is no card; a card is R, Y, G or B with 0 to 9, S, V or D, or it is W or W4, as in R5 or GD."
        )
    return FACES[text]


def read_color(text: str) -> int:
    """The colour of a letter.

    Raises:
        NotationError: it is none of R, Y, G, B.
    """
    if text not in COLOR_OF_LETTER:
        raise NotationError(f"{text!r} is no colour; valid are R, Y, G and B.")
    return COLOR_OF_LETTER[text]


def read_seat(text: str) -> int:
    """The number of a seat, 0 to 9; whether the table has it is for the caller to see.

    Raises:
        NotationError: it is no such number.
    """
    if not (text.isascii() and text.isdigit() and len(text) == 1):
        raise NotationError(f"{text!r} is no seat; a seat is a number from 0 to {SEATS - 1}.")
    return int(text)


def read_card(text: str) -> tuple[int, int]:
    """Face and chosen colour of `R5`, `W` or `W/G`; no colour unless one stands there.

    Raises:
        NotationError: there is no such card or colour, or the colour belongs to a coloured card.
    """
    face_part, slash, color_part = text.partition("/")
    face = read_face(face_part)
    if not slash:
        return face, NO_COLOR
    color = read_color(color_part)
    if not is_wild(face):
        raise NotationError(f"{text!r} names a colour for {TEXT[face]}, which has its own; only W and W4 take one.")
    return face, color


def read_play(text: str) -> tuple[Action, bool]:
    """The play `R5`, `W/G!`, `R7>2`, and whether it calls UNO.

    Raises:
        NotationError: it is no play.
    """
    match = _PLAY.fullmatch(text)
    if match is None:
        raise NotationError(
            f"{text!r} is no action; valid are {_ACTIONS}; a play is written as in R5, W/G, R7>2 or R5!."
        )
    face, color = read_card(match["card"])
    target = actions.NO_TARGET if match["target"] is None else read_seat(match["target"])
    return actions.play(face, color, target), match["uno"] is not None


def read_action(text: str) -> tuple[Action, bool]:
    """The action `draw`, `R5!`, `jump R6`, and whether it calls UNO.

    Raises:
        NotationError: it is no action.
    """
    words = text.split()
    match words:
        case [word] if word in _PLAIN:
            return _PLAIN[word], False
        case [word]:
            return read_play(word)
        case ["catch", seat]:
            return actions.catch(read_seat(seat)), False
        case ["color", color]:
            return actions.CHOOSE_COLOR[read_color(color)], False
        case ["jump", card]:
            played, call_uno = read_play(card)
            return played._replace(kind=Kind.JUMP_IN), call_uno
        case _:
            raise NotationError(f"{text!r} is no action; valid are {_ACTIONS}.")


def read_move(text: str) -> Move:
    """The move `0 R5!`: a seat and its action.

    Raises:
        NotationError: it is no move.
    """
    seat, _, rest = text.strip().partition(" ")
    if not rest.strip():
        raise NotationError(f"{text!r} is no move; a move is a seat and an action, as in `0 R5` or `1 draw`.")
    number = read_seat(seat)
    return Move(number, *read_action(rest))


def card_text(face: int, color: int = NO_COLOR) -> str:
    """A card, with the colour chosen for it if there is one."""
    return f"{TEXT[face]}/{COLOR_LETTERS[color]}" if color else TEXT[face]


def action_text(action: Action, call_uno: bool = False) -> str:
    """An action as `read_action` reads it; the cause of a leaving is not part of the notation."""
    match action.kind:
        case Kind.PLAY | Kind.JUMP_IN:
            jump = "jump " if action.kind == Kind.JUMP_IN else ""
            target = "" if action.target == actions.NO_TARGET else f">{action.target}"
            return f"{jump}{card_text(action.card, action.color)}{target}{'!' if call_uno else ''}"
        case Kind.CATCH:
            return f"catch {action.target}"
        case Kind.CHOOSE_COLOR:
            return f"color {COLOR_LETTERS[action.color]}"
        case _:
            return _PLAIN_TEXT[action.kind]


def move_text(seat: int, action: Action, call_uno: bool = False) -> str:
    """A move as `read_move` reads it."""
    return f"{seat} {action_text(action, call_uno)}"
