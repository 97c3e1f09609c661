"""Ledgers for tests of figures: games whose finishing orders are drawn at random by the strengths of the bots."""

from collections.abc import Mapping, Sequence

import numpy as np

from lastcard.tournament.ledger import Row


def played_row(game: int, set_: int, rotation: int, places: Mapping[str, int], *, luck: Sequence[float] = ()) -> Row:
    """A row of a game without faults; seats are in the order of `places`, points 10 for each bot behind."""
    size = len(places)
    return Row(
        game=game,
        set=set_,
        deal=set_,
        rotation=rotation,
        seats=tuple(places),
        points=tuple(10 * (size - place) for place in places.values()),
        places=tuple(places.values()),
        cause="single_round",
        faults=(),
        record=f"records/{game}.jsonl",
        record_hash="0" * 64,
        luck=tuple(luck),
    )


def random_rows(
    compositions: Sequence[Sequence[str]],
    deals: int,
    strengths: Mapping[str, float],
    rng: np.random.Generator,
    *,
    orders: bool = False,
    hands: float = 0.0,
) -> list[Row]:
    """Games by the Plackett-Luce model in full rotations; `strengths` are logarithms.

    With `orders` everybody has a place of its own, otherwise all but the winner share the second. The hands of a deal
    differ with a deviation of `hands`, which makes the games of a set depend on each other.
    """
    rows: list[Row] = []
    for set_, composition in enumerate((each for _ in range(deals) for each in compositions), start=1):
        size = len(composition)
        dealt = rng.normal(0, hands, size) if hands else np.zeros(size)
        for rotation in range(size):
            seats = [composition[(seat + rotation) % size] for seat in range(size)]
            worth = np.array([strengths[bot] for bot in seats]) + dealt + rng.gumbel(size=size)
            place = np.argsort(np.argsort(-worth)) + 1
            places = [int(each) if orders else min(2, int(each)) for each in place]
            rows.append(played_row(len(rows) + 1, set_, rotation, dict(zip(seats, places, strict=True))))
    return rows
