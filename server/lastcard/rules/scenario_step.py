"""The steps of a scenario: moves that must be accepted or refused, and checks of what is true (scenario.md, Steps).

Here: reading a step, what a check expects and finds. Not here: the position (`scenario_position`), playing the steps
(`scenario`). May import `actions`, `cards`, `events`, `legality`, `notation`, `reasons`, `state`.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from lastcard.rules.actions import NO_TARGET, Action, Kind
from lastcard.rules.cards import COLOR_LETTERS, TEXT, text_of
from lastcard.rules.events import RoundCause
from lastcard.rules.legality import catchable, legal_actions
from lastcard.rules.notation import (
    Move,
    NotationError,
    action_text,
    read_action,
    read_color,
    read_face,
    read_move,
    read_seat,
)
from lastcard.rules.reasons import Reason
from lastcard.rules.state import Phase, State

REFUSED = "refused"
"""What stands behind the arrow when any reason will do."""

NOBODY = "nobody"
NOTHING = "nothing"


class StepError(ValueError):
    """A step cannot be read; the text is a sentence that says what would be valid."""


@dataclass(frozen=True, slots=True)
class MoveStep:
    """A move; `refusal` is None where it must be accepted, else a reason's name or `refused`."""

    text: str
    move: Move
    refusal: str | None


@dataclass(frozen=True, slots=True)
class CheckStep:
    """A check: what `find` finds in a state must read as `expected`."""

    text: str
    expected: str
    find: Callable[[State], str]


Step = MoveStep | CheckStep

_Reader = Callable[[list[str], int], tuple[str, Callable[[State], str]]]


def read_step(text: str, seats: int) -> Step:
    """A step of a scenario with `seats` seats.

    Raises:
        StepError: it is no step, or it names a seat that the table has not.
    """
    try:
        if text.lstrip().startswith("?"):
            return _read_check(text, seats)
        return _read_move_step(text, seats)
    except NotationError as error:
        raise StepError(str(error)) from None


def _read_move_step(text: str, seats: int) -> MoveStep:
    before, arrow, after = text.partition("->")
    reason = after.strip()
    if arrow and reason != REFUSED and reason not in Reason.__members__:
        raise StepError(f"{reason!r} is no reason of refusal; valid are {REFUSED}, {', '.join(Reason.__members__)}.")
    move = read_move(before)
    _seat_at_table(move.seat, seats)
    if move.action.target != NO_TARGET:
        _seat_at_table(move.action.target, seats)
    if move.action.kind == Kind.PASS:
        raise StepError("'pass' stands in records only; a scenario's reactions are open.")
    return MoveStep(text, move, reason if arrow else None)


def _read_check(text: str, seats: int) -> CheckStep:
    words = text.strip().removeprefix("?").split()
    if not words or words[0] not in _CHECKS:
        what = words[0] if words else ""
        raise StepError(f"{what!r} is no check; valid are {', '.join(_CHECKS)}.")
    try:
        expected, find = _CHECKS[words[0]](words[1:], seats)
    except _FormError:
        raise StepError(f"the check {words[0]} is written as in `{_FORMS[words[0]]}`.") from None
    return CheckStep(text, expected, find)


class _FormError(Exception):
    """A check has not the words that its form needs."""


def _seat_at_table(seat: int, seats: int) -> int:
    if seat >= seats:
        raise StepError(f"there is no seat {seat}; valid are 0 to {seats - 1}.")
    return seat


def _seat(word: str, seats: int) -> int:
    return _seat_at_table(read_seat(word), seats)


def _number(word: str) -> int:
    digits = word.removeprefix("-")
    if not (digits.isascii() and digits.isdigit() and len(digits) <= 9):
        raise _FormError
    return int(word)


def _one(words: Sequence[str]) -> str:
    if len(words) != 1:
        raise _FormError
    return words[0]


def _numbers(values: Iterable[int]) -> str:
    return " ".join(str(value) for value in values)


def _cards(faces: Iterable[int]) -> str:
    return text_of(sorted(faces)) or NOTHING


def _check_number(find: Callable[[State], int]) -> _Reader:
    def read(words: list[str], seats: int) -> tuple[str, Callable[[State], str]]:  # noqa: ARG001 - a reader's form
        return str(_number(_one(words))), lambda state: str(find(state))

    return read


def _check_turn(words: list[str], seats: int) -> tuple[str, Callable[[State], str]]:
    return str(_seat(_one(words), seats)), lambda state: _seat_or_nobody(state.turn if state.round_on() else None)


def _seat_or_nobody(seat: int | None) -> str:
    return NOBODY if seat is None or seat < 0 else str(seat)


def _check_hand(words: list[str], seats: int) -> tuple[str, Callable[[State], str]]:
    if not words:
        raise _FormError
    seat = _seat(words[0], seats)
    return _cards(read_face(word) for word in words[1:]), lambda state: _cards(state.hand_faces(seat))


def _check_count(words: list[str], seats: int) -> tuple[str, Callable[[State], str]]:
    if len(words) != 2:
        raise _FormError
    seat = _seat(words[0], seats)
    return str(_number(words[1])), lambda state: str(len(state.hands[seat]))


def _check_top(words: list[str], seats: int) -> tuple[str, Callable[[State], str]]:  # noqa: ARG001 - a reader's form
    return TEXT[read_face(_one(words))], lambda state: TEXT[state.top_face()]


def _check_color(words: list[str], seats: int) -> tuple[str, Callable[[State], str]]:  # noqa: ARG001 - a reader's form
    def find(state: State) -> str:
        return COLOR_LETTERS[state.color] if state.color else "none"

    return COLOR_LETTERS[read_color(_one(words))], find


def _check_legal(words: list[str], seats: int) -> tuple[str, Callable[[State], str]]:
    if not words:
        raise _FormError
    seat = _seat(words[0], seats)
    expected = {_listed(words, at) for at in range(1, len(words)) if words[at - 1] not in ("color", "jump")}
    return _actions(expected), lambda state: _actions(legal_actions(state, seat))


def _listed(words: list[str], at: int) -> Action:
    """The action that starts at a word of the list: `color` and `jump` take the next word along."""
    two = words[at] in ("color", "jump")
    action, call_uno = read_action(" ".join(words[at : at + 1 + two]))
    if call_uno or action.kind not in _LISTED:
        raise StepError(
            f"{words[at]!r} is not in the list of legal actions; it holds plays without a call, draw, keep, accept, "
            "challenge, color C and jump CARD."
        )
    return action


_LISTED = (Kind.PLAY, Kind.DRAW, Kind.KEEP, Kind.ACCEPT, Kind.CHALLENGE, Kind.CHOOSE_COLOR, Kind.JUMP_IN)


def _actions(actions: Iterable[Action]) -> str:
    return " ".join(action_text(action) for action in sorted(actions)) or NOTHING


def _check_liable(words: list[str], seats: int) -> tuple[str, Callable[[State], str]]:
    seat = _seat(_one(words), seats)
    return "liable", lambda state: _liability(state, seat)


def _check_not(words: list[str], seats: int) -> tuple[str, Callable[[State], str]]:
    if len(words) != 2 or words[0] != "liable":
        raise _FormError
    seat = _seat(words[1], seats)
    return "not liable", lambda state: _liability(state, seat)


def _liability(state: State, seat: int) -> str:
    return "liable" if seat in catchable(state) else "not liable"


def _check_active(words: list[str], seats: int) -> tuple[str, Callable[[State], str]]:
    expected = sorted({_seat(word, seats) for word in words})
    return _numbers(expected) or NOBODY, lambda state: _numbers(_in_match(state)) or NOBODY


def _in_match(state: State) -> list[int]:
    """The seats that have not left: those that sit out an extra round are still in the match (C85)."""
    return [seat for seat in range(state.players) if seat not in state.left_order]


_ROUND_CAUSES = {cause.name.lower(): cause for cause in RoundCause}


def _check_round(words: list[str], seats: int) -> tuple[str, Callable[[State], str]]:  # noqa: ARG001 - a reader's form
    if words != ["on"] and not (len(words) == 2 and words[0] == "over" and words[1] in _ROUND_CAUSES):
        raise _FormError
    return " ".join(
        words
    ), lambda state: "on" if state.round_on() else f"over {RoundCause(state.round_cause).name.lower()}"


def _check_match(words: list[str], seats: int) -> tuple[str, Callable[[State], str]]:  # noqa: ARG001 - a reader's form
    if _one(words) not in ("on", "over"):
        raise _FormError
    return words[0], lambda state: "over" if state.phase == Phase.MATCH_OVER else "on"


def _check_winner(words: list[str], seats: int) -> tuple[str, Callable[[State], str]]:
    def find(state: State) -> str:
        return "none, the round is on" if state.round_on() else _seat_or_nobody(state.winner)

    return str(_seat(_one(words), seats)), find


def _check_score(words: list[str], seats: int) -> tuple[str, Callable[[State], str]]:
    def find(state: State) -> str:
        return "none, the round is on" if state.round_on() else _numbers(state.round_scores[-1])

    return _points(words, seats), find


def _check_totals(words: list[str], seats: int) -> tuple[str, Callable[[State], str]]:
    return _points(words, seats), lambda state: _numbers(state.totals)


def _points(words: list[str], seats: int) -> str:
    if len(words) != seats:
        raise StepError(f"{len(words)} numbers stand for {seats} seats; one for each seat is valid.")
    return _numbers(_number(word) for word in words)


def _discarded(state: State) -> int:
    """The cards of leavers lie under the discards and count as theirs (rules.md C76)."""
    return len(state.discard) + len(state.buried)


def _all_cards(state: State) -> int:
    return sum(len(hand) for hand in state.hands) + len(state.pile) + _discarded(state)


_CHECKS: dict[str, _Reader] = {
    "turn": _check_turn,
    "hand": _check_hand,
    "count": _check_count,
    "top": _check_top,
    "color": _check_color,
    "direction": _check_number(lambda state: state.direction),
    "pending": _check_number(lambda state: state.pending),
    "pile": _check_number(lambda state: len(state.pile)),
    "discard": _check_number(_discarded),
    "legal": _check_legal,
    "liable": _check_liable,
    "not": _check_not,
    "active": _check_active,
    "round": _check_round,
    "winner": _check_winner,
    "score": _check_score,
    "totals": _check_totals,
    "match": _check_match,
    "cards": _check_number(_all_cards),
}

_FORMS = {
    "turn": "? turn 1",
    "hand": "? hand 0 R5 B2",
    "count": "? count 0 3",
    "top": "? top R5",
    "color": "? color R",
    "direction": "? direction -1",
    "pending": "? pending 4",
    "pile": "? pile 12",
    "discard": "? discard 3",
    "legal": "? legal 0 R5 W/R draw",
    "liable": "? liable 0",
    "not": "? not liable 0",
    "active": "? active 0 2 3",
    "round": "? round on`, `? round over out`, `? round over blocked` or `? round over left",
    "winner": "? winner 2",
    "score": "? score 0 66 0",
    "totals": "? totals 120 66 0",
    "match": "? match over` or `? match on",
    "cards": "? cards 108",
}
