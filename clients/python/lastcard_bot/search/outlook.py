"""How likely a seat is to win the round, estimated when its turn begins.

Here: `outlook`. Not here: how the position came about (`playout`). Imports `lastcard.rules`.

Every seat has a strength; the chance of a seat is its share of the exponentials. The viewer's strength comes from its
hand, that of the others from how many cards they hold and how soon they play.

Source of the figures: logistic regression over 2.5 million turns of simulated 4-player rounds under `official`, three
seats playing by the rule of thumb of `playout`. With other numbers of players and other rules they only need to put
positions in the right order.
"""

import math

from lastcard.rules.cards import DRAW_TWO, SKIP
from lastcard.rules.score import hand_points
from lastcard.rules.state import Phase, State

_CARDS = (0.0, 1.65, 0.36, 0.08, 0.54, 0.16, -0.14, -0.42, -0.63, -0.91, -1.29)
"""By the number of cards in the own hand, the last for 10 and more."""
_WILDS = ((0.0, 0.0, 0.0), (0.96, 5.53, 5.53), (-0.4, 1.44, 0.76), (-0.62, 0.63, 1.77), (-0.76, 0.05, 0.92))
"""By the number of cards (4 and more are one), and of wilds among them."""
_CAN_PLAY = ((0.0, 0.0), (-2.58, 6.07), (-0.39, 0.62), (-0.38, 0.36), (-0.83, -0.36))
"""By the number of cards (4 and more are one), and whether a coloured card can be played now."""
_COLORS = (2.4, 0.04, -0.08, -0.07, -0.03)
"""By the number of colours in the hand."""
_SKIPS = (0.27, 0.34, 0.4)
_DRAW_TWOS = (0.21, 0.41, 0.6)
_NEXT = (0.0, 1.38, 0.53, 0.09, -0.2, -0.42, -0.58, -0.7, -0.95, -1.18, -1.86)
"""Of the seat that plays next, by its number of cards."""
_BETWEEN = (0.0, 1.37, 0.6, 0.25, -0.03, -0.22, -0.39, -0.64, -0.9, -1.36, -2.34)
_BEFORE = (0.0, 1.19, 0.29, -0.14, -0.43, -0.6, -0.71, -0.88, -1.08, -1.15, -1.41)
"""Of the seat that has just played, by its number of cards."""

POINTS_WORTH = 1 / 250
"""What a point in the hand costs where every seat keeps its own, in units of a round won."""


def outlook(state: State, seat: int) -> float:
    """The worth of a state for a seat: the chance to win the round, certain when it is over.

    Where every seat keeps its own points, less what its hand counts.
    """
    if state.phase >= Phase.ROUND_OVER:
        worth = 1.0 if state.winner == seat else 0.0
    else:
        own = math.exp(_own_strength(state, seat))
        worth = own / (own + _other_strengths(state, seat))
    return worth - hand_points(state, seat) * POINTS_WORTH if state.law.lowest_wins else worth


def _own_strength(state: State, seat: int) -> float:
    """The logarithm of the strength of the seat whose turn begins."""
    playable = state.law.playable[state.color][state.top_rank]
    faces = state.hands[seat].translate(state.table)
    wilds = skips = twos = can_play = colors = 0
    for face in faces:
        if face < 16:
            wilds += 1
            continue
        colors |= 1 << (face >> 4)
        if playable[face]:
            can_play = 1
        rank = face & 15
        if rank == DRAW_TWO:
            twos += 1
        elif rank == SKIP:
            skips += 1
    count = len(faces)
    few = min(count, 4)
    return (
        _CARDS[min(count, 10)]
        + _WILDS[few][min(wilds, 2)]
        + _CAN_PLAY[few][can_play]
        + _COLORS[colors.bit_count()]
        + _SKIPS[min(skips, 2)]
        + _DRAW_TWOS[min(twos, 2)]
    )


def _other_strengths(state: State, seat: int) -> float:
    """The strengths of all others together."""
    counts = []
    other = state.next_seat(seat)
    while other != seat:
        counts.append(min(len(state.hands[other]), 10))
        other = state.next_seat(other)
    strengths = [_NEXT[counts[0]]]
    if len(counts) > 1:
        strengths += [_BETWEEN[count] for count in counts[1:-1]]
        strengths.append(_BEFORE[counts[-1]])
    return sum(map(math.exp, strengths))
