"""Maps from cards to whole numbers, written with faces or ranks: `R0=2,5=1,W4=40`.

Here: reading them, expanding them to faces, and their shortest form. Not here: the options that use them
(`option_list`). Imports only `cards`.

A rank (`0` to `9`, `S`, `V`, `D`) stands for its four faces; a face wins over its rank wherever it stands.
"""

from collections.abc import Iterable, Mapping

from lastcard.rules.cards import COLORS, FACES, TEXT, is_wild, rank_of

Pairs = tuple[tuple[str, int], ...]
"""Pairs of a face's or rank's notation and its number."""

RANKS: dict[str, int] = {TEXT[16 + rank][1:]: rank for rank in range(13)}
"""The rank of every notation of a rank that comes in four colours."""


class FaceMapError(ValueError):
    """A map cannot be read; the text is the part of a sentence that says what was wrong."""


def faces_of(key: str) -> tuple[int, ...]:
    """The faces that a key stands for; empty for an unknown key."""
    if key in FACES:
        return (FACES[key],)
    rank = RANKS.get(key)
    return () if rank is None else tuple(16 * color + rank for color in COLORS)


def read_pairs(value: object, low: int, high: int) -> list[tuple[str, int]]:
    """The pairs of a mapping, of pairs, or of the text `KEY=NUMBER,…`.

    Raises:
        FaceMapError: it is none of these, a key is unknown or given twice, or a number is out of range.
    """
    pairs = [(key, _number(key, number, low, high)) for key, number in _raw_pairs(value)]
    seen: set[str] = set()
    for key, _ in pairs:
        if not faces_of(key):
            raise FaceMapError(f"there is no card or rank {key!r}")
        if key in seen:
            raise FaceMapError(f"{key} is given twice")
        seen.add(key)
    return pairs


def _raw_pairs(value: object) -> list[tuple[str, object]]:
    if isinstance(value, Mapping):
        return [(str(key), number) for key, number in value.items()]
    if isinstance(value, str):
        parts = [part.strip() for part in value.split(",")] if value.strip() else []
        return [_split(part) for part in parts]
    if isinstance(value, tuple) and all(isinstance(pair, tuple) and len(pair) == 2 for pair in value):
        return [(str(key), number) for key, number in value]
    raise FaceMapError(f"{value!r} is neither a table nor such a text")


def _split(part: str) -> tuple[str, object]:
    key, equals, number = part.partition("=")
    if not equals:
        raise FaceMapError(f"{part!r} is no pair")
    return key.strip(), number.strip()


def _number(key: str, value: object, low: int, high: int) -> int:
    if isinstance(value, str) and value.isascii() and value.isdigit() and len(value) <= 6:
        value = int(value)
    if not isinstance(value, int) or isinstance(value, bool) or not low <= value <= high:
        raise FaceMapError(f"{value!r} for {key} is not such a number")
    return value


def expand(pairs: Iterable[tuple[str, int]], base: Mapping[int, int]) -> dict[int, int]:
    """The number of every face, ascending: that of `pairs`, else of `base`, else 0; a face wins over its rank."""
    numbers = {face: base.get(face, 0) for face in sorted(TEXT)}
    for key, number in sorted(pairs, key=lambda pair: pair[0] in FACES):
        for face in faces_of(key):
            numbers[face] = number
    return numbers


def compact(pairs: Iterable[tuple[str, int]], base: Mapping[int, int]) -> Pairs:
    """The shortest pairs with the same numbers, so that equal maps are equal values: ranks first, then faces."""
    numbers = expand(pairs, base)
    short: list[tuple[str, int]] = []
    whole_ranks: set[int] = set()
    for text, rank in RANKS.items():
        of_rank = {numbers[16 * color + rank] for color in COLORS}
        changed = any(numbers[16 * color + rank] != base.get(16 * color + rank, 0) for color in COLORS)
        if len(of_rank) == 1 and changed:
            short.append((text, of_rank.pop()))
            whole_ranks.add(rank)
    for face, number in numbers.items():
        if number != base.get(face, 0) and (is_wild(face) or rank_of(face) not in whole_ranks):
            short.append((TEXT[face], number))
    return tuple(short)


def pairs_text(pairs: Pairs) -> str:
    """The pairs as text that `read_pairs` takes."""
    return ",".join(f"{key}={number}" for key, number in pairs)
