"""The states that fit what a bot sees and what it knows of the deal.

Here: `InformedWorlds`, `ScriptedPile`. Not here: where the knowledge comes from (`knowledge`), how it is used (`bot`).
"""

import random
from collections.abc import Iterable, Mapping, Sequence

from lastcard.rules.pile import Pile
from lastcard.rules.state import State
from lastcard.v1.action_pb2 import Action
from lastcard.v1.view_pb2 import View
from lastcard_bot.search.worlds import WorldError, Worlds

Script = Mapping[int, Sequence[int | None]]
"""By seat, the faces that it draws next; `None` where one is not known. Seat -1 stands for whoever draws."""

ANYBODY = -1


class ScriptedPile:
    """A pile from which the cards come that are known to, and others by chance where none is known."""

    def __init__(self, rest: Iterable[int], script: Mapping[int, list[int | None]]) -> None:
        self._rest = list(rest)
        self._script = {seat: list(cards) for seat, cards in script.items()}

    def __len__(self) -> int:
        return len(self._rest) + sum(card is not None for cards in self._script.values() for card in cards)

    def draw(self, seat: int) -> int:
        """The next card of the seat's script, or else any other."""
        for cards in (self._script.get(seat), self._script.get(ANYBODY)):
            if cards:
                card = cards.pop(0)
                if card is not None:
                    return card
        if self._rest:
            return self._rest.pop()
        # Only cards are left that were expected elsewhere.
        cards = next(cards for cards in self._script.values() if any(card is not None for card in cards))
        return next(cards.pop(index) for index, card in enumerate(cards) if card is not None)  # type: ignore[return-value]

    def ids(self) -> list[int]:
        """The cards left, ascending."""
        return sorted([*self._rest, *(card for cards in self._script.values() for card in cards if card is not None)])

    def clone(self) -> Pile:
        """A pile that draws the same."""
        return ScriptedPile(self._rest, self._script)


class InformedWorlds(Worlds):
    """Worlds in which `hands` (by seat, faces) are where they are known to be, and the `script` is drawn.

    Raises `WorldError` when what is known cannot be so.
    """

    def __init__(
        self,
        view: View,
        kind: int,
        legal_actions: Sequence[Action],
        hands: Mapping[int, Sequence[int]],
        script: Script,
    ) -> None:
        informed = View()
        informed.CopyFrom(view)
        del informed.known_cards[:]
        for seat, faces in hands.items():
            if len(faces) > view.hand_counts[seat]:
                raise WorldError(f"seat {seat} holds {view.hand_counts[seat]} cards, not {len(faces)}")
            if faces:
                informed.known_cards.add(seat=seat, cards=faces)
        super().__init__(informed, kind, legal_actions)
        self._script: dict[int, list[int | None]] = {}
        for seat, faces_to_come in script.items():
            self._script[seat] = [None if face is None else self._take(face) for face in faces_to_come]
        self._placed = len(self._hidden)

    def _take(self, face: int) -> int | None:
        """The id of a hidden card of a face, which is hidden no more; none where it has turned up elsewhere."""
        card = next((card for card in self._hidden if self._base.faces[card] == face), None)
        if card is not None:
            self._hidden.remove(card)
        return card

    def _deal(self, state: State, chance: random.Random) -> None:
        super()._deal(state, chance)
        rest = state.pile.ids()
        chance.shuffle(rest)
        state.pile = ScriptedPile(rest, self._script)
