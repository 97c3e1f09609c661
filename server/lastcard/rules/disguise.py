"""Renaming the colours of a deal, so that who has seen it does not know it again by its cards.

Here: `Disguise`, which tells what colours and cards become, `DisguisedChance`, `chance_of`. Not here: the shuffles
themselves (`shuffle`). Imports `cards`, `purposes` and `shuffle`.

A disguised round is the plain one with other names for its colours: the same hands, the same draws, as far as the same
is done. The names follow from the game's salt and the round's seed, so that they differ from game to game on one deal,
stay secret with the salt, and are bound by the commitment.

Two colours change names only if the deck holds the same cards of both, or the cards in play would tell the names (and
not be those that the ruleset says). In a classic deck all four may.

The algorithm, in full: the *key* is `HMAC(salt, "lastcard/disguise" ‖ 0x00 ‖ seed)`. For each group of colours that may
change names, ascending, with c the least of them, these colours (1 red, 2 yellow, 3 green, 4 blue) are shuffled under
the key for the purpose `colors/c`; the first then stands for the least, the second for the next, and so on. A card's id
becomes that of the same rank in the other colour, the k-th card of a face the k-th of the other. Where a plain round
shuffles cards, a disguised one shuffles the plain ids of these cards, ascending, and renames what comes of it; a colour
drawn by lot is renamed, too; all other lots are the same.
"""

import hmac
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence

from lastcard.rules.cards import COLORS, FIRST_COLORED, NO_COLOR, color_of, rank_of
from lastcard.rules.purposes import COLOR, colors
from lastcard.rules.shuffle import SeededChance

_RANKS = 16


class Disguise:
    """What the colours and cards of a deck become; `faces` are the deck's by card id.

    `colors[c]` is the new name of colour c (0 stays 0), `cards[id]` the card that stands for a card.
    """

    __slots__ = ("_plain", "cards", "colors")

    def __init__(self, key: bytes, faces: Sequence[int]) -> None:
        lots = SeededChance(key, key)
        self.colors = [NO_COLOR, *COLORS]
        for group in _alike(faces):
            for color, name in zip(group, lots.shuffled(colors(group[0]), group), strict=True):
                self.colors[color] = name
        places: defaultdict[int, list[int]] = defaultdict(list)
        for card, face in enumerate(faces):
            places[face].append(card)
        self.cards = [0] * len(faces)
        self._plain = [0] * len(faces)
        for face, cards in places.items():
            for card, other in zip(cards, places[self.face(face)], strict=True):
                self.cards[card] = other
                self._plain[other] = card

    def face(self, face: int) -> int:
        """The face that stands for a face; a wild stands for itself."""
        return face if face < FIRST_COLORED else _RANKS * self.colors[color_of(face)] + rank_of(face)

    def plain(self, cards: Sequence[int]) -> list[int]:
        """The cards for which these stand, ascending."""
        return sorted([self._plain[card] for card in cards])


class DisguisedChance:
    """The chance of one round with its colours renamed; the deck's `faces` tell which colours may be."""

    __slots__ = ("_chance", "_disguise", "commitment", "draws")

    def __init__(self, seed: bytes, salt: bytes, draws: str, faces: Sequence[int]) -> None:
        self._chance = SeededChance(seed, salt, draws)
        self._disguise = Disguise(disguise_key(seed, salt), faces)
        self.commitment = self._chance.commitment
        self.draws = draws

    def shuffled(self, purpose: str, items: Sequence[int]) -> list[int]:
        """The cards in an order drawn for the purpose: that of the plain round, renamed."""
        cards = self._disguise.cards
        return [cards[card] for card in self._chance.shuffled(purpose, self._disguise.plain(items))]

    def uniform(self, purpose: str, n: int) -> int:
        """A number from 0 to n − 1 drawn for the purpose; one that stands for a colour is renamed."""
        number = self._chance.uniform(purpose, n)
        if purpose.startswith(COLOR):
            return COLORS.index(self._disguise.colors[COLORS[number]])
        return number


def chance_of(
    seed: bytes, salt: bytes, draws: str, faces: Sequence[int], *, disguised: bool
) -> SeededChance | DisguisedChance:
    """The chance of one round of a game with a deck of `faces`."""
    return DisguisedChance(seed, salt, draws, faces) if disguised else SeededChance(seed, salt, draws)


def disguise_key(seed: bytes, salt: bytes) -> bytes:
    """What the names of the colours in one round of a game are drawn from."""
    return hmac.digest(salt, b"lastcard/disguise\0" + seed, "sha256")


def _alike(faces: Sequence[int]) -> Iterator[tuple[int, ...]]:
    """The colours, ascending, in groups of which the deck holds the same cards."""
    held = Counter(faces)
    groups: defaultdict[tuple[int, ...], list[int]] = defaultdict(list)
    for color in COLORS:
        groups[tuple([held[_RANKS * color + rank] for rank in range(_RANKS)])].append(color)
    return map(tuple, groups.values())
