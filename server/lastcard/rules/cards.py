"""Cards and colours as whole numbers, and their text notation.

Here: the numbering of faces (the wire's too), their names and the classic deck. Not here: which card may be played
(`legality`), where cards lie (`state`). Imports nothing.

A *face* is `16 * colour + rank`; a *card id* is a place in a deck's tuple of faces, so that two equal faces are two
cards.
"""

from collections.abc import Iterable

NO_CARD = 0
NO_COLOR = 0
RED, YELLOW, GREEN, BLUE = 1, 2, 3, 4
COLORS = (RED, YELLOW, GREEN, BLUE)

SKIP, REVERSE, DRAW_TWO, WILD, WILD_DRAW_FOUR = 10, 11, 12, 13, 14
"""Ranks above the numbers 0 to 9."""

FIRST_COLORED = 16
"""Faces below this are wild."""

COLOR_LETTERS = "-RYGB"
_RANK_TEXT = ("0", "1", "2", "3", "4", "5", "6", "7", "8", "9", "S", "V", "D")

TEXT: dict[int, str] = {
    WILD: "W",
    WILD_DRAW_FOUR: "W4",
    **{16 * color + rank: COLOR_LETTERS[color] + _RANK_TEXT[rank] for color in COLORS for rank in range(13)},
}
"""Notation of every face (scenario.md, Cards and actions)."""

FACES: dict[str, int] = {text: face for face, text in TEXT.items()}
"""The face of every notation."""

UNSUPPORTED = ("WH", "WX", "WC")
"""Notations of the extra wilds of 112-card decks, which are not supported yet."""


def color_of(face: int) -> int:
    """Colour of a face, `NO_COLOR` for wilds."""
    return face >> 4


def rank_of(face: int) -> int:
    """Rank of a face: 0 to 9, `SKIP`, `REVERSE`, `DRAW_TWO`, `WILD` or `WILD_DRAW_FOUR`."""
    return face & 15


def is_wild(face: int) -> bool:
    """Whether a face has no colour of its own."""
    return face < FIRST_COLORED


def text_of(faces: Iterable[int]) -> str:
    """Notation of several faces, separated by blanks."""
    return " ".join(TEXT[face] for face in faces)


def classic_deck() -> tuple[int, ...]:
    """The 108 faces of the classic deck, ascending (rules.md D4-D8, M2)."""
    faces = [WILD] * 4 + [WILD_DRAW_FOUR] * 4
    for color in COLORS:
        for rank in range(13):
            faces += [16 * color + rank] * (1 if rank == 0 else 2)
    return tuple(sorted(faces))
