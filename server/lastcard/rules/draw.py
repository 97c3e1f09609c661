"""Taking cards off the draw pile.

Here: drawing with its event, rebuilding the pile. Not here: why a seat draws (`apply` and what it calls). May import
`cards`, `events`, `pile`, `state`.
"""

from bisect import insort

from lastcard.rules.events import CardsDrawn, Event, PileRebuilt
from lastcard.rules.pile import build_pile
from lastcard.rules.purposes import rebuild
from lastcard.rules.state import State


def draw_cards(state: State, seat: int, count: int, cause: int, events: list[Event]) -> tuple[int, ...]:
    """Gives `count` cards, or as many as there are (C12-C14), and returns their ids in the order drawn.

    A hand that grew is no longer one card: its duty to call and its call end (C54).
    """
    drawn = []
    hand = state.hands[seat]
    for _ in range(count):
        if not state.pile and not rebuild_pile(state, events):
            break
        card = state.pile.draw(seat)
        insort(hand, card)
        drawn.append(card)
    got = len(drawn)
    if got:
        state.progress = True
        state.drawn_counts[seat] += got
        if state.liable or state.called:
            state.liable &= ~(1 << seat)
            state.called &= ~(1 << seat)
    faces = state.faces
    events.append(CardsDrawn(seat, got, cause, tuple([faces[card] for card in drawn])))
    return tuple(drawn)


def rebuild_pile(state: State, events: list[Event]) -> bool:
    """Shuffles all discards but the top card, and the cards of leavers, into the empty pile; false when there are none.

    Under `pile_empty: end_round` nothing is rebuilt and the round is marked to end (K22).
    """
    if state.rules.pile_empty == "end_round":
        state.dry = True
        return False
    back = sorted(state.discard[:-1] + state.buried)
    if not back:
        return False
    assert state.chance is not None
    state.discard = state.discard[-1:]
    state.buried = bytearray()
    state.rebuilds += 1
    order = back
    if state.chance.draws == "pile":
        order = state.chance.shuffled(rebuild(state.rebuilds), back)
    state.pile = build_pile(order, state.chance, state.rebuilds + 1, len(state.faces))
    events.append(PileRebuilt(len(back)))
    return True
