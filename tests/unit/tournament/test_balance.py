from itertools import combinations

from lastcard.tournament.balance import Balance, Spread, balance_of_games, balance_of_schedule, balance_text
from lastcard.tournament.formats.contract import Stage
from lastcard.tournament.schedule import Schedule, Seats, games_a_set

KEY = bytes(32)


def schedule(deals: int, seats: Seats = "rotations") -> Schedule:
    return Schedule(Stage(tuple(combinations("abcd", 3)), deals), key=KEY, seats=seats)


def test_the_balance_of_all_tables_of_three_out_of_four() -> None:
    assert balance_of_schedule(schedule(2)) == Balance(
        bots=4,
        tables=4,
        sets=8,
        games=24,
        sets_a_bot=Spread(6, 6),
        meetings=Spread(4, 4),
        seats=Spread(6, 6),
        before=Spread(6, 6),
        apart=(),
    )


def test_one_deal_leaves_neighbours_uneven() -> None:
    made = balance_of_schedule(schedule(1))
    assert made.seats == Spread(3, 3)
    assert made.before == Spread(0, 6)
    assert not made.before.even


def test_every_order_of_the_seats_is_balanced_by_one_deal() -> None:
    made = balance_of_schedule(schedule(1, "all"))
    assert (made.sets, made.games) == (4, 24)
    assert (made.sets_a_bot, made.meetings, made.seats) == (Spread(3, 3), Spread(2, 2), Spread(6, 6))
    assert made.before == Spread(6, 6)
    orders = {game.seats for game in schedule(1, "all")}
    assert len(orders) == 4 * games_a_set(3, "all")


def test_played_games_have_the_balance_of_their_schedule() -> None:
    for seats in ("rotations", "all"):
        made = schedule(3, seats)
        assert balance_of_games("abcd", iter(made), seats) == balance_of_schedule(made)


def test_games_of_different_sizes_and_bots_that_never_meet() -> None:
    games = [*Schedule(Stage((("a", "b"), ("c", "d", "e")), 2), key=KEY)]
    made = balance_of_games("abcde", games)
    assert (made.sets, made.games, made.sets_a_bot) == (4, 10, Spread(2, 2))
    assert len(made.apart) == 6
    assert made.before == Spread(3, 4)  # of two; of three, each circular order once
    before = "games in which one sits right before another"
    assert list(balance_text(made)) == [
        "5 bots at 2 different tables: 4 sets, 10 games; sets a bot: 2",
        f"balance: sets in which two bots meet: 2; games of a bot in each seat: 2; {before}: 3 to 4",
        "never at one table: a and c, a and d, a and e and 3 more pairs",
    ]


def test_a_single_table_is_told_as_one() -> None:
    games = [*Schedule(Stage((("a", "b"),), 2), key=KEY)]
    assert next(balance_text(balance_of_games("ab", games))).startswith("2 bots at one table: 2 sets, 4 games")
