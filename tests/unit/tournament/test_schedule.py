from collections import Counter
from itertools import combinations
from math import factorial

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lastcard.tournament.formats.contract import Stage
from lastcard.tournament.schedule import BLOCK_SETS, Game, Schedule, circular_orders

KEY = bytes(32)


@st.composite
def stages(draw: st.DrawFn) -> Stage:
    bots = [f"b{number}" for number in range(draw(st.integers(2, 7)))]
    size = draw(st.integers(2, len(bots)))
    return Stage(tuple(combinations(bots, size)), draw(st.integers(1, 13)))


def by_set(games: list[Game]) -> dict[int, list[Game]]:
    sets: dict[int, list[Game]] = {}
    for game in games:
        sets.setdefault(game.set, []).append(game)
    return sets


@pytest.mark.parametrize("size", range(2, 11))
def test_circular_orders_let_everybody_sit_before_everybody_equally_often(size: int) -> None:
    orders = circular_orders(size)
    assert all(sorted(order) == list(range(size)) for order in orders)
    assert len({tuple(order) for order in orders}) == len(orders) <= factorial(size - 1)
    pairs = Counter((order[seat], order[(seat + 1) % size]) for order in orders for seat in range(size))
    assert len(pairs) == size * (size - 1)
    assert len(set(pairs.values())) == 1


@given(stages())
def test_each_set_is_one_deal_for_one_composition_in_every_rotation_once(stage: Stage) -> None:
    for games in by_set(list(Schedule(stage, key=KEY))).values():
        size = len(games[0].seats)
        assert sorted(game.rotation for game in games) == list(range(size))
        assert len({game.deal for game in games}) == 1
        for seat in range(size):
            assert len({game.seats[seat] for game in games}) == size
        turned = {game.seats[game.seats.index(games[0].seats[0]) :][:1] for game in games}
        assert len(turned) == 1
        circles = {_circle(game.seats) for game in games}
        assert len(circles) == 1


def _circle(seats: tuple[str, ...]) -> tuple[str, ...]:
    first = seats.index(min(seats))
    return seats[first:] + seats[:first]


@given(stages())
def test_each_composition_plays_equally_often_and_every_set_has_its_own_deal(stage: Stage) -> None:
    games = list(Schedule(stage, key=KEY))
    sets = by_set(games)
    assert len(sets) == len({game.deal for game in games}) == stage.deals * len(stage.compositions)
    played = Counter(tuple(sorted(members[0].seats)) for members in sets.values())
    assert played == dict.fromkeys(stage.compositions, stage.deals)


@given(stages())
def test_games_are_numbered_in_the_order_of_play_and_found_by_position(stage: Stage) -> None:
    schedule = Schedule(stage, key=KEY, first_game=11, first_set=5, first_deal=7)
    games = list(schedule)
    assert [game.game for game in games] == list(range(11, 11 + len(schedule)))
    assert sorted({game.set for game in games}) == list(range(5, 5 + schedule.sets))
    assert all(game.deal - game.set == 2 for game in games)
    assert [schedule[position] for position in range(len(schedule))] == games
    assert [game for number in range(schedule.blocks) for game in schedule.block(number)] == games
    again = Schedule(stage, key=KEY, first_game=11, first_set=5, first_deal=7)
    assert again[len(again) - 1] == games[-1]


@given(stages())
def test_a_block_completes_its_sets_and_holds_every_composition_equally_often(stage: Stage) -> None:
    schedule = Schedule(stage, key=KEY)
    for number in range(schedule.blocks):
        sets = by_set(list(schedule.block(number)))
        assert all(len(games) == len(games[0].seats) for games in sets.values())
        assert len({*Counter(tuple(sorted(games[0].seats)) for games in sets.values()).values()}) == 1
        last = number == schedule.blocks - 1
        assert last or len(sets) >= BLOCK_SETS


@pytest.mark.parametrize("size", [3, 4, 5, 6])
def test_neighbours_are_balanced_over_the_deals_of_a_composition(size: int) -> None:
    bots = tuple(f"b{number}" for number in range(size))
    games = list(Schedule(Stage((bots,), len(circular_orders(size)) * 2), key=KEY))
    before = Counter((game.seats[seat], game.seats[(seat + 1) % size]) for game in games for seat in range(size))
    assert len(before) == size * (size - 1)
    assert len(set(before.values())) == 1


def test_the_key_alone_decides_how_rotations_are_scattered() -> None:
    stage = Stage((("a", "b", "c", "d"),), 16)
    first = [(game.set, game.rotation) for game in Schedule(stage, key=KEY)]
    assert first == [(game.set, game.rotation) for game in Schedule(stage, key=bytes(32))]
    assert first != [(game.set, game.rotation) for game in Schedule(stage, key=b"x" * 32)]
    gaps = [second - start for start, second in zip(*_first_two(first), strict=True)]
    assert max(gaps) > 4
    assert len(set(gaps)) > 3


def _first_two(order: list[tuple[int, int]]) -> tuple[list[int], list[int]]:
    places: dict[int, list[int]] = {}
    for place, (number, _) in enumerate(order):
        places.setdefault(number, []).append(place)
    return [each[0] for each in places.values()], [each[1] for each in places.values()]


@given(stages())
def test_without_duplicates_every_game_has_a_deal_of_its_own_and_nothing_else_changes(stage: Stage) -> None:
    plain = list(Schedule(stage, key=KEY, first_game=11, first_set=5, first_deal=7))
    apart = list(Schedule(stage, key=KEY, first_game=11, first_set=5, first_deal=7, duplicates=False))
    assert [game._replace(deal=0) for game in apart] == [game._replace(deal=0) for game in plain]
    assert [game.deal for game in apart] == [game.game for game in apart]


def test_a_position_outside_the_schedule_is_refused() -> None:
    schedule = Schedule(Stage((("a", "b"),), 2), key=KEY)
    assert len(schedule) == 4
    for position in (-1, 4):
        with pytest.raises(IndexError):
            schedule[position]


def test_tables_of_different_sizes_in_one_stage_keep_their_numbers() -> None:
    schedule = Schedule(Stage((("a", "b", "c"), ("d", "e")), 9), key=KEY)
    games = list(schedule)
    assert len(games) == len(schedule) == 9 * 5
    assert [schedule[position] for position in range(len(games))] == games
