"""How likely a seat is to win the round, estimated when its turn begins.

Here: `outlook`. Not here: how the position came about (`playout`). Imports `lastcard.rules`.

Every seat has a strength, and its chance is its share of the strengths of all. The viewer's follows from its hand, that
of the others from how many cards they hold and how soon they play. The figures are logarithms, to be added up.

Source of the figures: logistic regression over 2.5 million turns of simulated 4-player rounds under `official`, the
others playing by the rule of thumb of `playout`, the viewer by an earlier fit of the same kind. With other numbers of
players and other rules they still put positions in a sensible order, and that is all that is asked of them.
"""

import math
from functools import lru_cache

from lastcard.rules.cards import COLORS, DRAW_TWO, REVERSE, SKIP, WILD_DRAW_FOUR
from lastcard.rules.score import hand_points
from lastcard.rules.state import Phase, State

_CARDS = (0.0, 1.48, 0.08, -0.15, -0.12, -0.25, -0.3, -0.34, -0.29, -0.33, -0.25)
"""By the number of cards in the own hand, the last for 10 and more."""
_WILDS = ((0.0, 0.0, 0.0), (0.42, 6.5, 6.5), (-0.47, 0.98, 2.02), (-0.51, 0.32, 1.17), (-0.42, -0.01, 0.45))
"""By the number of cards (the last for 4 and more), and of wilds among them (2 and more)."""
_FITTING = ((0.0, 0.0), (-1.83, 5.56), (0.19, -0.08), (0.19, -0.34), (0.15, -0.61))
"""By the number of cards (the last for 4 and more), and whether a coloured one fits."""
_MATCHES = (
    (-0.57, 0.68, 0.69),
    (0.33, 0.44, 0.48),
    (0.22, 0.2, 0.23),
    (-0.08, -0.07, -0.13),
    (-0.43, -0.32, -0.34),
    (-0.71, -0.65, -0.47),
    (-1.07, -0.72, -1.23),
    (-1.46, -1.77, -0.83),
)
"""By the cards of the colour in force, and those of other colours with the top card's number or symbol (2 and more)."""
_OTHER_COLORS = ((0.71, 0.24, 0.01, -0.3, -0.6, -1.01), (0.32, 0.03, -0.17, -0.38, -0.71), (0.22, 0.02, -0.19, -0.5))
"""By the cards of each of the three other colours, the longest first."""
_SKIPS = (0.11, 0.19, 0.25, 0.33)
_REVERSES = (0.09, 0.16, 0.22, 0.24)
_DRAW_TWOS = (0.08, 0.16, 0.3, 0.35)
_WILD_DRAW_FOURS = (-0.02, 0.17, 0.35)
_UNSEEN = (0.11, -0.3, 0.32, 0.33, 0.29, 0.29, 0.2, 0.15, 0.13, 0.1, 0.1, 0.04)
"""By how many of 40 unseen cards have the colour in force."""
_NEXT = (0.0, 0.69, 0.22, 0.4, 0.07, -0.21, -0.43, -0.64, -0.97, -1.33, -2.29)
"""Of the seat that plays next, by its cards."""
_THREATENED = ((0.0, 0.0, 0.0), (0.94, 0.16, -0.54), (0.53, -0.28, -0.8), (-0.2, -0.81, -1.16))
"""Of the seat that plays next, by its cards (3 and more), and the draw cards held against it (2 and more)."""
_BETWEEN = (0.0, 1.41, 0.66, 0.32, 0.06, -0.12, -0.26, -0.49, -0.72, -1.1, -1.89)
_BEFORE = (0.0, 1.23, 0.37, -0.03, -0.28, -0.43, -0.51, -0.67, -0.83, -0.9, -1.2)
"""Of the seat that has just played, by its cards."""

POINTS_WORTH = 1 / 250
"""What a point in the hand costs where every seat keeps its own, in rounds won."""


def outlook(state: State, seat: int) -> float:
    """The worth of a state for a seat: its chance to win the round, certain when that is over.

    Where every seat keeps its own points, less what its hand counts.
    """
    if state.phase >= Phase.ROUND_OVER:
        worth = 1.0 if state.winner == seat else 0.0
    else:
        own, draw_cards = _own_strength(state, seat)
        worth = own / (own + _other_strengths(state, seat, draw_cards))
    return worth - hand_points(state, seat) * POINTS_WORTH if state.law.lowest_wins else worth


def _own_strength(state: State, seat: int) -> tuple[float, int]:
    """The strength of the seat whose turn begins, and how many draw cards it holds."""
    color, top_rank = state.color, state.top_rank
    counts = [0] * 5
    ranks = [0] * 16
    same_rank = 0
    for face in state.hands[seat].translate(state.table):
        rank = face & 15
        counts[face >> 4] += 1
        ranks[rank] += 1
        if rank == top_rank and face >> 4 != color:
            same_rank += 1
    wilds, in_color = counts[0], counts[color]
    cards = sum(counts)
    few = min(cards, 4)
    counts[0] = counts[color] = -1
    _, _, third, second, first = sorted(counts)
    strength = (
        _CARDS[min(cards, 10)]
        + _WILDS[few][min(wilds, 2)]
        + _FITTING[few][in_color + same_rank > 0]
        + _MATCHES[min(in_color, 7)][min(same_rank, 2)]
        + _OTHER_COLORS[0][min(first, 5)]
        + _OTHER_COLORS[1][min(second, 4)]
        + _OTHER_COLORS[2][min(third, 3)]
        + _SKIPS[min(ranks[SKIP], 3)]
        + _REVERSES[min(ranks[REVERSE], 3)]
        + _DRAW_TWOS[min(ranks[DRAW_TWO], 3)]
        + _WILD_DRAW_FOURS[min(ranks[WILD_DRAW_FOUR], 2)]
        + _UNSEEN[_unseen_share(state, in_color, cards)]
    )
    return math.exp(strength), ranks[DRAW_TWO] + ranks[WILD_DRAW_FOUR]


def _unseen_share(state: State, in_color: int, cards: int) -> int:
    """How many of 40 cards that the viewer does not see have the colour in force, at most 11."""
    colors, of_color = _colors(state.faces)
    unseen = len(state.faces) - cards - len(state.discard)
    left = of_color[state.color] - in_color - state.discard.translate(colors).count(state.color)
    return min(left * 40 // unseen, 11) if unseen > 0 else 0


@lru_cache(maxsize=16)
def _colors(faces: bytes) -> tuple[bytes, dict[int, int]]:
    """The colour of each card id, padded to 256 for `bytes.translate`, and how many cards of each colour there are."""
    colors = bytes(face >> 4 for face in faces)
    return colors.ljust(256, b"\xff"), {color: colors.count(color) for color in COLORS}


def _other_strengths(state: State, seat: int, draw_cards: int) -> float:
    """The strengths of all others together."""
    counts = []
    other = state.next_seat(seat)
    while other != seat:
        counts.append(min(len(state.hands[other]), 10))
        other = state.next_seat(other)
    strengths = [_NEXT[counts[0]] + _THREATENED[min(counts[0], 3)][min(draw_cards, 2)]]
    if len(counts) > 1:
        strengths += [_BETWEEN[count] for count in counts[1:-1]]
        strengths.append(_BEFORE[counts[-1]])
    return sum(map(math.exp, strengths))
