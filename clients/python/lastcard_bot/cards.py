"""Cards, colours and views in a bot author's words: text, colour, rank, points, counts.

Here: small functions on card values, actions and views. Not here: which cards may be played (that is what
`legal_actions` is for) and simulation (`lastcard_bot.search`). Imports `lastcard.v1` and `lastcard.rules.cards`.
"""

from collections.abc import Iterable

from lastcard.rules.cards import (
    BLUE,
    COLOR_LETTERS,
    COLORS,
    DRAW_TWO,
    GREEN,
    RED,
    REVERSE,
    SKIP,
    TEXT,
    WILD,
    WILD_DRAW_FOUR,
    YELLOW,
    classic_deck,
    color_of,
    is_wild,
    rank_of,
)
from lastcard.v1.action_pb2 import Action, ActionKind
from lastcard.v1.view_pb2 import View

__all__ = [
    "BLUE",
    "COLORS",
    "DRAW_TWO",
    "GREEN",
    "RED",
    "REVERSE",
    "SKIP",
    "WILD",
    "WILD_DRAW_FOUR",
    "YELLOW",
    "action_text",
    "card_text",
    "color_counts",
    "color_of",
    "color_text",
    "hand_text",
    "is_action",
    "is_number",
    "is_wild",
    "next_seat",
    "option",
    "points",
    "rank_of",
    "unseen",
]

_COLOR_NAMES = ("none", "red", "yellow", "green", "blue")
_WORDS = {
    ActionKind.ACTION_KIND_DRAW: "draw",
    ActionKind.ACTION_KIND_KEEP: "keep",
    ActionKind.ACTION_KIND_ACCEPT: "accept",
    ActionKind.ACTION_KIND_CHALLENGE: "challenge",
    ActionKind.ACTION_KIND_UNO: "uno",
    ActionKind.ACTION_KIND_PASS: "pass",
}


def card_text(card: int) -> str:
    """A card in the notation of records: `R5`, `YS`, `GV`, `BD`, `W`, `W4`; `?` and its number if unknown."""
    return TEXT.get(card, f"?{card}")


def hand_text(cards: Iterable[int]) -> str:
    """Several cards in notation, separated by blanks."""
    return " ".join(card_text(card) for card in cards)


def color_text(color: int) -> str:
    """The English name of a colour; `none` for `COLOR_UNSPECIFIED`, `?` and its number if unknown."""
    return _COLOR_NAMES[color] if 0 <= color < len(_COLOR_NAMES) else f"?{color}"


def action_text(action: Action) -> str:
    """An action in the notation of records: `R5`, `W/G`, `R7>2`, `draw`, `color G`, `jump R6`, `catch 2`."""
    kind = action.kind
    if kind in _WORDS:
        return _WORDS[kind]
    letter = COLOR_LETTERS[action.color] if 0 <= action.color < len(COLOR_LETTERS) else f"?{action.color}"
    if kind == ActionKind.ACTION_KIND_CHOOSE_COLOR:
        return f"color {letter}"
    if kind == ActionKind.ACTION_KIND_CATCH:
        return f"catch {action.target}"
    if kind not in (ActionKind.ACTION_KIND_PLAY, ActionKind.ACTION_KIND_JUMP_IN):
        return f"?{kind}"
    color = f"/{letter}" if is_wild(action.card) and action.color else ""
    target = f">{action.target}" if action.HasField("target") else ""
    jump = "jump " if kind == ActionKind.ACTION_KIND_JUMP_IN else ""
    return f"{jump}{card_text(action.card)}{color}{target}"


def is_number(card: int) -> bool:
    """Whether a card is a number card, 0 to 9."""
    return card >= 16 and rank_of(card) < SKIP


def is_action(card: int) -> bool:
    """Whether a card is a coloured action card: skip, reverse or draw two."""
    return card >= 16 and rank_of(card) >= SKIP


def points(card: int) -> int:
    """What a card counts in an opponent's hand: its number, 20 for action cards, 50 for wilds (rules.md M25)."""
    if is_wild(card):
        return 50
    return 20 if rank_of(card) >= SKIP else rank_of(card)


def color_counts(cards: Iterable[int]) -> dict[int, int]:
    """How many of the cards have each of the four colours; wilds are not counted."""
    counts = dict.fromkeys(COLORS, 0)
    for card in cards:
        if not is_wild(card):
            counts[color_of(card)] += 1
    return counts


def next_seat(view: View, seat: int, steps: int = 1) -> int:
    """The active seat that is `steps` places after `seat` in the direction of play."""
    active = list(view.active_seats)
    start = active.index(seat)
    return active[(start + steps * (view.direction or 1)) % len(active)]


def unseen(view: View) -> list[int]:
    """The cards of a classic deck that the viewer sees nowhere, ascending: they are in other hands or in the pile.

    Cards of players who left are among them while they lie hidden under the discards (`view.buried_count`).
    """
    rest = list(classic_deck())
    for card in (*view.hand, *view.discard, *(card for known in view.known_cards for card in known.cards)):
        if card in rest:
            rest.remove(card)
    return rest


def option(view: View, name: str, default: str = "") -> str:
    """The value of a rule option as text if the table departs from its preset in it, otherwise `default`."""
    return next((entry.value for entry in view.ruleset.options if entry.name == name), default)
