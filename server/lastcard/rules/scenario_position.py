"""The position that a scenario starts from, and the state made of it.

Here: `Position`, `build_state`. Not here: reading it (`scenario_keys`), playing on (`scenario`). May import `cards`,
`deal`, `law`, `legality`, `pile`, `purposes`, `ruleset`, `shuffle`, `state`.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from lastcard.rules import purposes
from lastcard.rules.cards import DRAW_TWO, NO_COLOR, WILD_DRAW_FOUR, is_wild, rank_of, text_of
from lastcard.rules.deal import open_with
from lastcard.rules.law import NO_RANK
from lastcard.rules.legality import w4_is_legal
from lastcard.rules.pile import SharedPile
from lastcard.rules.ruleset import Ruleset, may_start
from lastcard.rules.shuffle import SeededChance
from lastcard.rules.state import Phase, State, new_match

Card = tuple[int, int]
"""A face and its colour: its own, or the one chosen for a wild, `NO_COLOR` where that is not known."""


class PositionError(ValueError):
    """A position cannot be read or is not possible; `key` is the key that is wrong, the text a sentence."""

    def __init__(self, key: str, sentence: str) -> None:
        super().__init__(sentence)
        self.key = key


@dataclass(frozen=True, slots=True, kw_only=True)
class Position:
    """Where the cards lie, in faces, and whose turn it is.

    `pile` has the next card first and is followed by `rest`, the cards whose order nobody named. `flip` holds the cards
    that are turned up to start a round; then `discard` is empty and `turn` has no meaning.
    """

    rules: Ruleset
    out: tuple[int, ...]
    hands: tuple[tuple[int, ...], ...]
    pile: tuple[int, ...]
    rest: tuple[int, ...]
    discard: tuple[Card, ...]
    flip: tuple[int, ...]
    turn: int
    direction: int
    dealer: int
    pending: int
    totals: tuple[int, ...]
    chance: SeededChance


class _Ids:
    """Hands out the ids of the cards in play, each once."""

    def __init__(self, faces: Iterable[int]) -> None:
        self.faces = tuple(sorted(faces))
        self._free: dict[int, list[int]] = {}
        for card, face in enumerate(self.faces):
            self._free.setdefault(face, []).append(card)

    def take(self, faces: Iterable[int]) -> list[int]:
        return [self._free[face].pop() for face in faces]


def build_state(position: Position) -> State:
    """The state of a match in the position: its first round, in which nobody owes a call.

    Raises:
        PositionError: no card of `flip` and the pile may start a round.
    """
    state = new_match(position.rules, len(position.hands))
    discarded = [face for face, _ in position.discard]
    held = [face for hand in position.hands for face in hand]
    ids = _Ids([*held, *discarded, *position.flip, *position.pile, *position.rest])
    state.set_deck(ids.faces)
    state.clear_round()
    state.chance = position.chance
    state.round = 1
    state.dealer = position.dealer
    state.totals = list(position.totals)
    for seat in position.out:
        state.active[seat] = False
        state.left_order.append(seat)
    for seat, hand in enumerate(position.hands):
        state.hands[seat] = bytearray(sorted(ids.take(hand)))
    state.discard = bytearray(ids.take(discarded))
    if position.flip:
        _open_round(state, position, ids)
    else:
        state.pile = SharedPile(ids.take((*position.pile, *position.rest)))
        _go_on(state, position)
    return state


def _open_round(state: State, position: Position, ids: _Ids) -> None:
    """Turns up the named cards; one that is put back goes in among those that nobody named."""
    named = [*position.flip, *position.pile]
    rest = list(position.rest)
    if not any(may_start(position.rules, face) for face in (*named, *rest)):
        shown = text_of(position.flip)
        raise PositionError(
            "flip", f"none of {shown} and the pile may start a round; under these rules all are put back."
        )
    turned = 0
    while not may_start(position.rules, (named or rest)[0]):
        turned += 1
        face = (named or rest).pop(0)
        rest.insert(position.chance.uniform(purposes.flip(turned), len(rest) + 1), face)
    start = (named or rest).pop(0)
    state.pile = SharedPile(ids.take((*named, *rest)))
    open_with(state, ids.take([start])[0], [])


def _go_on(state: State, position: Position) -> None:
    """A given top card counts as played by the seat before, and as served unless a penalty is pending."""
    face, color = position.discard[-1]
    rank = rank_of(face)
    state.color = color
    state.top_rank = NO_RANK if is_wild(face) else rank
    state.direction = position.direction
    state.turn = position.turn
    state.turn_number = 1
    state.pending = position.pending
    state.phase = Phase.PENALTY if position.pending else Phase.TURN
    state.jumpable = bool(position.pending) or rank not in (DRAW_TWO, WILD_DRAW_FOUR)
    if position.pending and face == WILD_DRAW_FOUR:
        _note_given_w4(state, position)


def _note_given_w4(state: State, position: Position) -> None:
    """What a challenge of the given W4 is judged by: the hand of the seat before, and the card below (rules.md C34)."""
    state.direction = -position.direction
    seat = state.next_seat(position.turn)
    state.direction = position.direction
    below, color = position.discard[-2] if len(position.discard) > 1 else (WILD_DRAW_FOUR, NO_COLOR)
    state.w4_seat = seat
    state.w4_hand = tuple(state.hand_faces(seat))
    state.w4_challengeable = True
    state.w4_guilty = color != NO_COLOR and not _legal_on(state, seat, below, color)


def _legal_on(state: State, seat: int, below: int, color: int) -> bool:
    """Whether the top W4 was legal on the card below, out of the hand that the seat holds now."""
    now = state.color, state.top_rank, state.hands[seat]
    state.color = color
    state.top_rank = NO_RANK if is_wild(below) else rank_of(below)
    state.hands[seat] = bytearray(sorted([*state.hands[seat], state.discard[-1]]))
    legal = w4_is_legal(state, seat)
    state.color, state.top_rank, state.hands[seat] = now
    return legal
