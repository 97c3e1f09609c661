"""Starting a round: dealer, deal, start card.

Here: `start_round` and what the start card does. Not here: the colour choice that may follow (`penalty`). May import
`cards`, `events`, `pile`, `purposes`, `ruleset`, `state`, `turns`.
"""

from collections.abc import Callable, Sequence

from lastcard.rules.cards import DRAW_TWO, REVERSE, SKIP, WILD, WILD_DRAW_FOUR, rank_of
from lastcard.rules.draw import draw_cards
from lastcard.rules.events import DrawCause, Event, RoundStarted, StartCardTurned
from lastcard.rules.law import NO_RANK
from lastcard.rules.pile import Chance, build_pile
from lastcard.rules.purposes import DEAL, FIRST_DEALER, FIRST_PLAYER, flip, high_card, redeal
from lastcard.rules.ruleset import may_start, start_rule
from lastcard.rules.score import hands_of
from lastcard.rules.state import Phase, State
from lastcard.rules.turns import begin_turn, face_penalty, skip_seat

DEAL_LIMIT = 1000
"""Deals and redraws after which a start card must have been found; only a deck without one gets there (K30)."""


def start_round(state: State, chance: Chance) -> list[Event]:
    """Deals the next round and turns the start card; the state is between rounds of a match that is not over."""
    if state.phase not in (Phase.NOT_STARTED, Phase.ROUND_OVER):
        raise ValueError(f"a round starts between rounds, not in phase {state.phase.name}")
    dealer = _next_dealer(state, chance)
    state.clear_round()
    state.chance = chance
    state.dealer = dealer
    state.round += 1
    events: list[Event] = []
    seats = state.active_seats()
    dealt = len(seats) * state.rules.hand_size
    rest = _deal(state, chance, seats, dealt)
    counts = tuple(len(hand) for hand in state.hands)
    events.append(RoundStarted(state.round, dealer, chance.commitment, counts, hands_of(state)))
    start, rest = turn_start_card(state, chance, rest, events)
    state.pile = build_pile(rest, chance, 1, len(state.faces))
    open_with(state, start, events)
    return events


def _deal(state: State, chance: Chance, seats: list[int], dealt: int) -> list[int]:
    """Deals card by card in seat order from the lowest active seat, and again while no start face is left (K30)."""
    for attempt in range(DEAL_LIMIT):
        order = chance.shuffled(DEAL if attempt == 0 else redeal(attempt), range(len(state.faces)))
        rest = order[dealt:]
        if any(may_start(state.rules, state.faces[card]) for card in rest):
            for index, seat in enumerate(seats):
                state.hands[seat] = bytearray(sorted(order[index : dealt : len(seats)]))
            return rest
    raise ValueError("no deal leaves a card that may start the discard pile: change the deck or the start options")


def turn_start_card(state: State, chance: Chance, rest: Sequence[int], events: list[Event]) -> tuple[int, list[int]]:
    """Turns cards until one may lie, each other going back into the whole pile, which is shuffled again (C1).

    Returns the start card and the order of what is left.
    """
    order = list(rest)
    for attempt in range(1, DEAL_LIMIT):
        card = order[0]
        put_back = not may_start(state.rules, state.faces[card])
        events.append(StartCardTurned(state.faces[card], put_back))
        if not put_back:
            return card, order[1:]
        order = chance.shuffled(flip(attempt), sorted(order))
    raise ValueError("no card of the pile may start the discard pile")


def open_with(state: State, card: int, events: list[Event]) -> None:
    """Lays the start card and gives it the effect that the rules name (C1-C8)."""
    face = state.faces[card]
    rank = rank_of(face)
    state.discard.append(card)
    state.color = face >> 4
    state.top_rank = rank if face >= 16 else NO_RANK
    first = _first_player(state)
    rule = start_rule(state.rules, face)
    effect = _EFFECTS.get(rank)
    if effect is None or rule == "ignore":
        begin_turn(state, first, events)
    else:
        effect(state, first, rule, events)


def _start_skip(state: State, first: int, rule: str, events: list[Event]) -> None:
    skip_seat(state, first, events)


def _start_draw_two(state: State, first: int, rule: str, events: list[Event]) -> None:
    if rule == "draw_only":
        draw_cards(state, first, 2, DrawCause.PENALTY, events)
        begin_turn(state, first, events)
        return
    state.pending = 2
    face_penalty(state, first, events)


def _start_reverse(state: State, first: int, rule: str, events: list[Event]) -> None:
    """C3, C4: with two players the other is skipped, so the dealer plays."""
    state.direction = -1
    if rule == "dealer_first" or (sum(state.active) == 2 and state.law.reverse_skips_two):
        begin_turn(state, state.dealer, events)
    else:
        begin_turn(state, state.next_seat(state.dealer), events)


def _start_wild(state: State, first: int, rule: str, events: list[Event]) -> None:
    state.phase = Phase.COLOR
    state.turn = first if rule == "first_player_chooses" else state.dealer
    state.color_next = first


def _start_wild_draw_four(state: State, first: int, rule: str, events: list[Event]) -> None:
    state.phase = Phase.COLOR
    state.turn = state.dealer
    state.color_next = first
    state.pending = 4


_EFFECTS: dict[int, Callable[[State, int, str, list[Event]], None]] = {
    SKIP: _start_skip,
    REVERSE: _start_reverse,
    DRAW_TWO: _start_draw_two,
    WILD: _start_wild,
    WILD_DRAW_FOUR: _start_wild_draw_four,
}


def _first_player(state: State) -> int:
    if state.rules.first_player == "random":
        seats = state.active_seats()
        assert state.chance is not None
        return seats[state.chance.uniform(FIRST_PLAYER, len(seats))]
    return state.next_seat(state.dealer)


def _next_dealer(state: State, chance: Chance) -> int:
    if state.round == 0 or state.dealer < 0:
        return _first_dealer(state, chance)
    match state.rules.dealer_rotation:
        case "winner" if state.winner is not None and state.active[state.winner]:
            return state.winner
        case "fixed" | "winner" if state.active[state.dealer]:
            return state.dealer
        case _:
            return _clockwise(state, state.dealer)


def _clockwise(state: State, seat: int) -> int:
    """The next active seat clockwise, whatever the direction of the round that ended."""
    for step in range(1, state.players + 1):
        following = (seat + step) % state.players
        if state.active[following]:
            return following
    return seat


def _first_dealer(state: State, chance: Chance) -> int:
    seats = state.active_seats()
    match state.rules.first_dealer:
        case "random":
            return seats[chance.uniform(FIRST_DEALER, len(seats))]
        case "high_card":
            return _high_card(state, chance, seats)
        case _:
            return seats[0]


def _high_card(state: State, chance: Chance, seats: list[int]) -> int:
    """Each draws a card, a symbol counts 0, the highest deals; who is level draws again (M3)."""
    for attempt in range(1, DEAL_LIMIT):
        order = chance.shuffled(high_card(attempt), range(len(state.faces)))
        drawn = {seat: rank_of(state.faces[card]) for seat, card in zip(seats, order, strict=False)}
        values = {seat: rank if rank < SKIP else 0 for seat, rank in drawn.items()}
        highest = max(values.values())
        seats = [seat for seat in seats if values[seat] == highest]
        if len(seats) == 1:
            break
    # A deck without numbers never parts them: then the lowest of the level seats deals.
    return seats[0]
