"""Whether a bot does better when a deal comes again: the first games of its sets against the later ones."""

from fractions import Fraction

from lastcard.tournament.judging import judge
from lastcard.tournament.ledger import Row
from lastcard.tournament.remembering import later_gains
from lastcard.tournament.scoring import Scoring


def rows(sets: int, wins: dict[int, str], *, order: tuple[int, ...] = (0, 1)) -> list[Row]:
    """Sets of two games each; `wins` names the winner of a set's first and second game in the order of play."""
    made = []
    for number in range(sets):
        for place, rotation in enumerate(order):
            seats = ("a", "b") if rotation == 0 else ("b", "a")
            winner = wins[place]
            made.append(
                Row(
                    game=2 * number + place + 1,
                    set=number + 1,
                    deal=number + 1,
                    rotation=rotation,
                    seats=seats,
                    points=(0, 0),
                    places=tuple(1 if name == winner else 2 for name in seats),
                    cause="single_round",
                    faults=(),
                    record="",
                    record_hash="",
                )
            )
    return made


def test_a_bot_that_wins_when_a_deal_comes_again_is_told_apart() -> None:
    judged = judge(rows(12, {0: "b", 1: "a"}), Scoring())
    found = later_gains(judged, ["a", "b"])
    assert found["a"].mean == 1
    assert found["b"].mean == -1
    assert found["a"].interval is not None
    assert found["a"].interval[0] > 0.3


def test_a_bot_that_wins_always_gains_nothing_by_memory() -> None:
    assert later_gains(judge(rows(12, {0: "a", 1: "a"}), Scoring()), ["a"])["a"].mean == 0


def test_the_order_of_play_counts_and_not_that_of_the_rotations() -> None:
    judged = judge(rows(12, {0: "b", 1: "a"}, order=(1, 0)), Scoring())
    assert later_gains(judged, ["a"])["a"].mean == 1


def test_later_games_count_by_their_mean() -> None:
    made = []
    for game, winner in enumerate("aab", 1):
        seats = tuple("abc"[game - 1 :] + "abc"[: game - 1])
        made.append(
            Row(
                game=game,
                set=1,
                deal=1,
                rotation=game - 1,
                seats=seats,
                points=(0, 0, 0),
                places=tuple(1 if name == winner else 2 for name in seats),
                cause="single_round",
                faults=(),
                record="",
                record_hash="",
            )
        )
    found = later_gains(judge(made, Scoring()), ["a", "b", "c"])
    assert [found[bot].mean for bot in "abc"] == [Fraction(-1, 2), Fraction(1, 2), 0]


def test_without_a_complete_set_nothing_is_said() -> None:
    found = later_gains(judge(rows(1, {0: "a", 1: "b"})[:1], Scoring()), ["a"])
    assert (found["a"].mean, found["a"].note) == (None, "no complete set")
