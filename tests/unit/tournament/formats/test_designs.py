from collections import Counter
from itertools import combinations
from math import comb

import pytest

from lastcard.tournament.balance import Spread, balance_of_schedule
from lastcard.tournament.formats.contract import Stage
from lastcard.tournament.formats.designs import MOST_TABLES, tables_of
from lastcard.tournament.schedule import Schedule, balanced_turns


def bots_of(count: int) -> list[str]:
    return [f"b{number:02}" for number in range(count)]


def meetings(tables: tuple[tuple[str, ...], ...]) -> Counter[tuple[str, ...]]:
    return Counter(pair for table in tables for pair in combinations(sorted(table), 2))


@pytest.mark.parametrize(("count", "size"), [(4, 2), (6, 3), (8, 4), (12, 10)])
def test_all_tables_are_played_where_they_are_few(count: int, size: int) -> None:
    assert tables_of(bots_of(count), size) == tuple(combinations(bots_of(count), size))


@pytest.mark.parametrize(("count", "size"), [(20, 10), (30, 5), (60, 5), (41, 4), (100, 10)])
def test_of_very_many_tables_a_balanced_choice_is_played(count: int, size: int) -> None:
    assert comb(count, size) > MOST_TABLES
    bots = bots_of(count)
    tables = tables_of(bots, size)
    assert len(set(tables)) == len(tables)
    assert all(len(set(table)) == size for table in tables)
    assert len({*Counter(bot for table in tables for bot in table).values()}) == 1  # all play equally often
    met = meetings(tables)
    assert len(met) == comb(count, 2)
    assert max(met.values()) - min(met.values()) <= 2
    assert max(met.values()) <= 2 * (size - 1)
    assert len(tables) <= count * (count - 1) / size + count


@pytest.mark.parametrize(
    ("count", "size", "least", "tables"),
    [
        (7, 3, 1, 7),  # the Fano plane
        (13, 4, 1, 13),  # the projective plane of order 3
        (21, 5, 1, 21),  # of order 4
        (9, 3, 1, 18),
        (12, 4, 3, 36),
        (30, 4, 1, 90),
        (40, 4, 2, 280),
    ],
)
def test_bots_meet_as_often_as_is_asked_and_little_more(count: int, size: int, least: int, tables: int) -> None:
    made = tables_of(bots_of(count), size, meetings=least)
    met = meetings(made)
    assert len(met) == comb(count, 2)
    assert min(met.values()) >= least
    assert max(met.values()) <= least + 1
    assert len(made) == tables


def test_where_some_pairs_would_meet_too_seldom_more_tables_are_played() -> None:
    made = tables_of(bots_of(10), 3, meetings=2)
    assert len(made) == 40  # 30 would do on average
    assert min(meetings(made).values()) >= 2


def test_as_many_meetings_as_there_are_tables_are_all_tables() -> None:
    assert tables_of(bots_of(6), 3, meetings=4) == tuple(combinations(bots_of(6), 3))
    assert tables_of(bots_of(3), 3, meetings=9) == (("b00", "b01", "b02"),)


@pytest.mark.parametrize("asked", [0, 2])
def test_kin_never_shares_a_table_and_all_others_meet(asked: int) -> None:
    bots = bots_of(12)
    owners = {bot: f"o{int(bot[1:]) // 3}" for bot in bots}
    made = tables_of(bots, 3, meetings=asked, owners=owners)
    met = meetings(made)
    assert not any(owners[one] == owners[other] for one, other in met)
    assert len(met) == comb(12, 2) - 4 * 3
    assert min(met.values()) >= max(asked, 1)
    assert len(set(made)) == len(made)
    assert asked == 0 or max(met.values()) <= asked + 2


@pytest.mark.parametrize("asked", [0, 2])
def test_newcomers_make_up_for_the_tables_that_are_missing(asked: int) -> None:
    bots = bots_of(9)
    made = tables_of(bots, 3, meetings=asked, newcomers=bots[7:])
    assert all(set(bots[7:]) & set(table) for table in made)
    met = meetings(made)
    assert all(met[pair] >= max(asked, 1) for pair in combinations(bots, 2) if set(pair) & set(bots[7:]))
    assert asked or made == tuple(table for table in combinations(bots, 3) if set(table) & set(bots[7:]))


def test_neighbours_of_many_tables_come_out_exactly_even_where_they_can() -> None:
    tables = list(combinations(bots_of(12), 4))
    turned = Schedule(Stage(tuple(tables), 2), key=bytes(32), turns=balanced_turns(tables, 2, Counter()))
    assert balance_of_schedule(turned).before == Spread(120, 120)


@pytest.mark.parametrize(("count", "size"), [(6, 3), (8, 4), (5, 3), (60, 5)])
def test_neighbours_are_balanced_over_compositions_too(count: int, size: int) -> None:
    tables = tables_of(bots_of(count), size)
    plain = balance_of_schedule(Schedule(Stage(tables, 1), key=bytes(32)))
    turned = Schedule(Stage(tables, 1), key=bytes(32), turns=balanced_turns(tables, 1, Counter()))
    made = balance_of_schedule(turned)
    assert made.before.most - made.before.least < plain.before.most - plain.before.least
    assert made.before.most <= 3 * size * made.meetings.most / (size - 1)
    assert made.seats.even
    assert made.sets_a_bot.even
    if (count, size) == (6, 3):
        assert made.before == Spread(6, 6)
