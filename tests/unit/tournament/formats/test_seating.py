from collections.abc import Iterator, Sequence
from itertools import combinations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lastcard.tournament.formats.seating import Price, divided, price

Met = frozenset[frozenset[str]]


def every_division(bots: Sequence[str], size: int) -> Iterator[tuple[tuple[str, ...], ...]]:
    if not bots:
        yield ()
        return
    for others in combinations(bots[1:], size - 1):
        rest = [bot for bot in bots[1:] if bot not in others]
        for more in every_division(rest, size):
            yield (bots[0], *others), *more


def in_order(bots: Sequence[str], size: int) -> list[Sequence[str]]:
    return [bots[at : at + size] for at in range(0, len(bots), size)]


class Field:
    """Bots in the order of their standings, of which some have met."""

    def __init__(self, count: int, met: Met) -> None:
        self.bots = tuple("abcdefghijklmnopqrstuvwxyz"[:count])
        self._place = {bot: place for place, bot in enumerate(self.bots)}
        self._met = met

    def conflict(self, one: str, other: str) -> int:
        return int(frozenset((one, other)) in self._met)

    def far(self, one: str, other: str) -> int:
        return (self._place[one] - self._place[other]) ** 2


@st.composite
def fields(draw: st.DrawFn) -> tuple[Field, int]:
    size = draw(st.sampled_from([2, 3, 4]))
    count = size * draw(st.integers(1, {2: 4, 3: 3, 4: 2}[size]))
    pairs = list(combinations("abcdefghijkl"[:count], 2))
    met = draw(st.sets(st.sampled_from(pairs), max_size=len(pairs)))
    return Field(count, frozenset(map(frozenset, met))), size


@given(fields())
@settings(deadline=None)
def test_no_division_has_fewer_conflicts(made: tuple[Field, int]) -> None:
    field, size = made
    tables, found = divided(in_order(field.bots, size), field.conflict, field.far)
    assert sorted(bot for table in tables for bot in table) == list(field.bots)
    assert all(len(table) == size for table in tables)
    assert found == price(tables, field.conflict, field.far)
    best = min(price(each, field.conflict, field.far) for each in every_division(field.bots, size))
    assert found.conflicts == best.conflicts
    if size == 2:
        assert found == best


def test_a_division_that_is_best_stays_as_it_is() -> None:
    field = Field(12, frozenset())
    assert divided(in_order(field.bots, 4), field.conflict, field.far) == (
        (("a", "b", "c", "d"), ("e", "f", "g", "h"), ("i", "j", "k", "l")),
        Price(0, 60),
    )


@pytest.mark.parametrize(("size", "rounds"), [(3, 4), (4, 4)])
def test_sixteen_or_nine_bots_need_not_meet_again_until_all_have_met(size: int, rounds: int) -> None:
    """Affine planes: nine bots at tables of three for four rounds; of sixteen at tables of four, four of the five."""
    met: set[frozenset[str]] = set()
    for number in range(rounds):
        field = Field(size * size, frozenset(met))
        tables, found = divided(in_order(field.bots, size), field.conflict, field.far)
        # After two rounds the search may have left the plane; nine bots cannot leave it.
        assert found.conflicts == 0 or (size == 4 and number > 2)
        met |= {frozenset(pair) for table in tables for pair in combinations(table, 2)}


def test_what_groups_that_have_met_force_needs_no_search() -> None:
    """After one round at two tables of ten everybody meets at least four of these again."""
    met = frozenset(frozenset(pair) for table in ("abcdefghij", "klmnopqrst") for pair in combinations(table, 2))
    field = Field(20, met)
    _, found = divided(in_order(field.bots, 10), field.conflict, field.far)
    assert found.conflicts == 40


def test_a_single_table_is_left_alone() -> None:
    field = Field(3, frozenset({frozenset("ab")}))
    assert divided([field.bots], field.conflict, field.far) == ((("a", "b", "c"),), Price(1, 6))
    assert divided([], field.conflict, field.far) == ((), Price(0, 0))
