"""States of the rules that a view allows, with the hidden cards drawn by chance.

Here: `Worlds`. Not here: playing them on (`playout`). Imports `lastcard.rules` and `lastcard.v1`.

The hidden cards are as likely in one hand as in another, but for those that the view knows, and for a wild draw four
that may be challenged: whoever plays it has rarely a card of the colour that was in force.
"""

import random
from collections.abc import Iterator, Sequence
from functools import lru_cache

from lastcard.rules.actions import NO_TARGET
from lastcard.rules.actions import Action as RulesAction
from lastcard.rules.cards import COLORS, WILD_DRAW_FOUR, color_of, is_wild, rank_of
from lastcard.rules.law import NO_RANK
from lastcard.rules.pile import SharedPile
from lastcard.rules.ruleset import Ruleset, RulesetError, ruleset
from lastcard.rules.state import Phase, State
from lastcard.v1.action_pb2 import Action, ActionKind
from lastcard.v1.table_pb2 import DecisionKind
from lastcard.v1.view_pb2 import View

DRAWN_AT_MOST = 30
"""Cards of the pile whose order is drawn by chance: more than are taken before the viewer's next turn."""

BLUFF_WEIGHT = 0.07
"""How often a hand that made a wild draw four a bluff is believed, against 1 for one that did not."""

_PHASES: dict[int, Phase] = {
    DecisionKind.DECISION_KIND_TURN: Phase.TURN,
    DecisionKind.DECISION_KIND_DRAWN_CARD: Phase.DRAWN_CARD,
    DecisionKind.DECISION_KIND_PENALTY: Phase.PENALTY,
}


class WorldError(ValueError):
    """A view that no state of the rules could show, or not one that can be played on; the sentence says why."""


class _QuickChance:
    """Chance in a world: fast, nobody's to verify, and the same for the same purpose, so that luck hits all alike."""

    draws = "pile"
    commitment = b""

    def __init__(self, seed: float) -> None:
        self._seed = seed

    def shuffled(self, purpose: str, items: Sequence[int]) -> list[int]:
        """The items in any order."""
        return random.Random(f"{self._seed} {purpose}").sample(list(items), len(items))

    def uniform(self, purpose: str, n: int) -> int:
        """Any number below `n`."""
        return random.Random(f"{self._seed} {purpose}").randrange(n)


class Worlds:
    """The states that fit what the viewer sees at a decision in its own turn.

    Raises `WorldError` when the view fits no state, or the decision is of another kind.
    """

    def __init__(self, view: View, kind: int, legal_actions: Sequence[Action]) -> None:
        if kind not in _PHASES:
            raise WorldError(f"a decision of kind {kind} is not in the viewer's own turn")
        self.view = view
        self._hidden, self._base = _known_state(view, _PHASES[kind])
        self._placed = len(self._hidden) - view.pile_count + DRAWN_AT_MOST
        self._known = {known.seat: self._reserved(known.seat, known.cards) for known in view.known_cards}
        self._order = [seat for seat in range(len(view.hand_counts)) if seat != view.seat]
        if any(action.kind == ActionKind.ACTION_KIND_CHALLENGE for action in legal_actions):
            self._base.w4_seat = _seat_before(view)
            self._base.w4_challengeable = True
            self._order.sort(key=lambda seat: seat != self._base.w4_seat)

    def sample(self, chance: random.Random) -> Iterator[State]:
        """States without end, each independent of the others and free to be changed."""
        while True:
            state = self._base.clone()
            state.chance = _QuickChance(chance.random())
            self._deal(state, chance)
            yield state

    def _reserved(self, seat: int, faces: Sequence[int]) -> bytes:
        """Takes the cards that are known to be in a hand out of the hidden ones."""
        taken = bytearray()
        for face in faces[: self.view.hand_counts[seat]]:
            card = next((card for card in self._hidden if self._base.faces[card] == face), None)
            if card is None:
                raise WorldError(f"card {face} is said to be in the hand of seat {seat}, but all of them are seen")
            self._hidden.remove(card)
            taken.append(card)
        return bytes(taken)

    def _deal(self, state: State, chance: random.Random) -> None:
        """Gives every hidden card a place: the other hands first, then the buried cards, the pile last."""
        cards = self._hidden.copy()
        dealt = self._believe(state, cards, chance) if state.w4_challengeable else 0
        _mix(cards, dealt, self._placed, chance)
        start = 0
        for seat in self._order:
            end = start + self._unknown(seat)
            state.hands[seat] = bytearray(sorted(self._known.get(seat, b"") + bytes(cards[start:end])))
            start = end
        end = start + self.view.buried_count
        state.buried = bytearray(cards[start:end])
        state.pile = SharedPile(cards[end:])

    def _believe(self, state: State, cards: list[int], chance: random.Random) -> int:
        """Puts a hand that is believed of who played the wild draw four in front, and settles whether it was a bluff.

        The colour in force before it is that of the card below; under another wild it is not known, and any will do.
        Returns the number of cards dealt.
        """
        faces = state.faces
        below = faces[state.discard[-2]] if len(state.discard) > 1 else WILD_DRAW_FOUR
        known, count = self._known.get(state.w4_seat, b""), self._unknown(state.w4_seat)
        while True:
            color = chance.choice(COLORS) if is_wild(below) else color_of(below)
            _mix(cards, 0, count, chance)
            hand = sorted(faces[card] for card in (*known, *cards[:count]))
            guilty = any(color_of(face) == color for face in hand)
            if not guilty or chance.random() < BLUFF_WEIGHT:
                state.w4_hand, state.w4_guilty = tuple(hand), guilty
                return count

    def _unknown(self, seat: int) -> int:
        """How many cards of a hand are not known."""
        return self.view.hand_counts[seat] - len(self._known.get(seat, b""))


def _mix(cards: list[int], start: int, end: int, chance: random.Random) -> None:
    """Puts cards drawn by chance from `start` on into the places from `start` to `end`.

    Faster than `Random.shuffle`, and hardly less even.
    """
    draw = chance.random
    total = len(cards)
    for place in range(start, min(end, total)):
        other = place + int(draw() * (total - place))
        cards[place], cards[other] = cards[other], cards[place]


def rules_action(action: Action) -> RulesAction:
    """An action of the wire as one of the rules."""
    return RulesAction(
        action.kind, action.card, action.color, action.target if action.HasField("target") else NO_TARGET
    )


def _known_state(view: View, phase: Phase) -> tuple[list[int], State]:
    """The ids of the hidden cards, and a state in which all but these are in their place."""
    if not view.HasField("seat") or view.seat not in view.active_seats or not view.discard:
        raise WorldError("the view is not that of a seat in a running round")
    state = State(_rules(view.ruleset.SerializeToString(deterministic=True)), len(view.hand_counts))
    unseen: dict[int, list[int]] = {}
    for card, face in enumerate(state.faces):
        unseen.setdefault(face, []).append(card)
    state.hands[view.seat] = bytearray(sorted(_take(unseen, face) for face in view.hand))
    state.discard = bytearray(_take(unseen, face) for face in view.discard)
    hidden = [card for cards in unseen.values() for card in cards]
    elsewhere = sum(view.hand_counts) - len(view.hand) + view.buried_count + view.pile_count
    if elsewhere != len(hidden):
        raise WorldError(f"{elsewhere} cards are said to be hidden, but {len(hidden)} of the deck are unseen")
    top = view.discard[-1]
    state.color = view.active_color
    state.top_rank = NO_RANK if is_wild(top) else rank_of(top)
    state.direction = view.direction
    state.turn = view.seat
    state.turn_number = view.turn
    state.pending = view.pending
    state.dealer = view.dealer
    state.round = view.round
    state.totals = list(view.totals) or state.totals
    state.active = [seat in view.active_seats for seat in range(state.players)]
    state.called = sum(1 << seat for seat in view.called_seats)
    state.liable = sum(1 << seat for seat in view.catchable_seats)
    state.phase = phase
    if phase == Phase.DRAWN_CARD:
        state.drawn = next((card for card in state.hands[view.seat] if state.faces[card] == view.drawn_card), -1)
        if state.drawn < 0:
            raise WorldError(f"the drawn card {view.drawn_card} is not in the hand")
    if state.color not in COLORS:
        raise WorldError(f"colour {state.color} cannot be in force")
    return hidden, state


def _take(unseen: dict[int, list[int]], face: int) -> int:
    """The id of one more card of a face."""
    if not unseen.get(face):
        raise WorldError(f"card {face} is seen more often than the deck holds it")
    return unseen[face].pop()


@lru_cache(maxsize=256)
def _rules(message: bytes) -> Ruleset:
    """The rules that the bytes of a `Ruleset` message name."""
    from lastcard.v1.ruleset_pb2 import Ruleset as Message  # noqa: PLC0415 - not on the path of a decision

    named = Message.FromString(message)
    try:
        return ruleset(named.preset or "official", {option.name: option.value for option in named.options})
    except RulesetError as error:
        raise WorldError(f"the table plays by rules that this version does not know: {error}") from None


def _seat_before(view: View) -> int:
    """The active seat before the viewer in the direction of play."""
    active = list(view.active_seats)
    return active[(active.index(view.seat) - view.direction) % len(active)]
