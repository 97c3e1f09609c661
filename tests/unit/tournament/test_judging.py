"""Which sets count for whom, after faults and rulings."""

import itertools
import random
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lastcard.tournament.formats.contract import SetResult
from lastcard.tournament.judging import MOST_REPLAYS, Judged, SetStatus, complete_sets, judge
from lastcard.tournament.ledger import Row, RulingKind, RulingRow, SeatFault
from lastcard.tournament.rulings import DEFAULT_RULINGS, FORFEITED, Fault, Policy, Ruling, Rulings
from lastcard.tournament.scoring import Scoring

COUNTED, VOID, REPLACED, OPEN = SetStatus.COUNTED, SetStatus.VOID, SetStatus.REPLACED, SetStatus.OPEN


def set_of(
    number: int, bots: str, *, winner: str = "", faults: str = "", replaces: int = 0, evidence: str = "seen"
) -> list[Row]:
    """A set whose games are numbered from 10 × `number`; all are won by `winner`. `faults` is `rotation:bot:kind …`."""
    size, winner = len(bots), winner or bots[0]
    rows = []
    for rotation in range(size):
        seats = tuple(bots[(seat + rotation) % size] for seat in range(size))
        found = [each.split(":") for each in faults.split() if each.startswith(f"{rotation}:")]
        rows.append(
            Row(
                game=10 * number + rotation,
                set=number,
                deal=number,
                rotation=rotation,
                seats=seats,
                points=tuple(30 * (name == winner) for name in seats),
                places=tuple(1 if name == winner else 2 for name in seats),
                cause="single_round",
                faults=tuple(SeatFault(seats.index(bot), bot, kind, 5, evidence) for _, bot, kind in found),
                record="",
                record_hash="",
                replaces=replaces,
            )
        )
    return rows


def ruled(
    number: int, kind: RulingKind, after: int = 10_000, *, about: int | str = 0, replay: bool = False
) -> RulingRow:
    """A ruling made when `after` games were given out."""
    game = about if kind is RulingKind.ANNUL and isinstance(about, int) else None
    ruling = about if kind is RulingKind.TAKE_BACK and isinstance(about, int) else None
    bot = about if isinstance(about, str) else None
    return RulingRow(number, kind, f"reason {number}", 1, after, game=game, bot=bot, ruling=ruling, replay=replay)


def policy(ruling: Ruling, *kinds: Fault) -> Rulings:
    return dict(DEFAULT_RULINGS) | {kind: Policy(ruling) for kind in kinds or (Fault.CRASH,)}


def told(judged: Judged) -> dict[int, tuple[SetStatus, str]]:
    """Each set's status and the bots for which it counts."""
    return {number: (each.status, "".join(sorted(each.counts_for))) for number, each in judged.sets.items()}


def means(judged: Judged, bot: str) -> list[Fraction]:
    return [each.means(judged.scoring.score)[bot] for each in judged.sets.values() if bot in each.counts_for]


def test_complete_sets_count_for_all_and_open_ones_for_nobody() -> None:
    judged = judge([*set_of(1, "abc"), *set_of(2, "abc")[:2]], Scoring())
    assert told(judged) == {1: (COUNTED, "abc"), 2: (OPEN, "")}
    assert [game.counts for game in judged.games] == [(True,) * 3] * 3 + [(False,) * 3] * 2
    assert (judged.owed, judged.rulings) == ((), ())


def test_with_all_orders_a_set_is_complete_after_all_of_them() -> None:
    rows = set_of(1, "abc")
    assert complete_sets(rows) == {1}
    assert complete_sets(rows, all_orders=True) == set()
    assert judge(rows, Scoring(all_orders=True)).sets[1].status is OPEN


@pytest.mark.parametrize("ruling", [Ruling.STANDS, Ruling.LOSS, Ruling.PENALTY])
def test_a_fault_that_costs_the_bot_alone_leaves_the_set_as_it_is(ruling: Ruling) -> None:
    judged = judge(set_of(1, "ab", faults="0:a:crash"), Scoring(rulings=policy(ruling)))
    assert told(judged) == {1: (COUNTED, "ab")}
    assert judged.owed == ()


def test_a_void_set_counts_for_the_bot_at_fault_alone_with_its_loss() -> None:
    judged = judge(set_of(1, "abc", faults="1:a:crash"), Scoring(rulings=policy(Ruling.VOID)))
    assert told(judged) == {1: (VOID, "a")}
    assert means(judged, "a") == [Fraction(2, 3)]
    assert judged.sets[1].why == "crash of a in game 11"
    assert (judged.owed, judged.set_results([1])) == ((), [SetResult(("a",), (2 / 3,))])


def test_a_set_is_played_again_once_it_is_complete() -> None:
    rows, scoring = set_of(1, "abc", faults="0:a:crash"), Scoring(rulings=policy(Ruling.REPLAY))
    assert (judge(rows[:2], scoring).owed, told(judge(rows[:2], scoring))) == ((), {1: (OPEN, "")})
    assert (judge(rows, scoring).owed, told(judge(rows, scoring))) == ((1,), {1: (VOID, "a")})
    again = set_of(2, "abc", winner="b", replaces=1)
    judged = judge([*rows, *again[:1]], scoring)
    assert (judged.owed, told(judged)) == ((), {1: (VOID, "a"), 2: (OPEN, "")})
    judged = judge([*rows, *again], scoring)
    assert told(judged) == {1: (REPLACED, "a"), 2: (COUNTED, "bc")}
    assert (judged.sets[1].by, judged.sets[2].replaces) == (2, 1)
    assert judged.set_results([1]) == [SetResult(("a", "b", "c"), (2 / 3, 1.0, 0.0))]


def test_sets_are_played_again_so_often_and_then_the_fault_costs_the_game_alone() -> None:
    scoring = Scoring(rulings=policy(Ruling.REPLAY))
    rows: list[Row] = []
    for number in range(1, MOST_REPLAYS + 2):
        assert judge(rows, scoring).owed == ((number - 1,) if rows else ())
        rows += set_of(number, "abcd", faults=f"0:{'abcd'[number - 1]}:crash", replaces=number - 1)
    judged = judge(rows, scoring)
    assert judged.owed == ()
    assert told(judged) == {1: (REPLACED, "a"), 2: (REPLACED, "b"), 3: (COUNTED, "cd")}
    assert [judged.sets[number].by for number in (1, 2, 3)] == [2, 3, None]
    assert judged.set_results([1]) == [SetResult(tuple("abcd"), (0.75, 0.0, 0.0, 0.0))]


def test_where_one_fault_voids_and_another_asks_for_another_set_it_is_played() -> None:
    rulings = policy(Ruling.REPLAY) | policy(Ruling.VOID, Fault.LEFT) | {Fault.CRASH: Policy(Ruling.REPLAY)}
    judged = judge(set_of(1, "abc", faults="0:a:left 1:b:crash"), Scoring(rulings=rulings))
    assert (told(judged), judged.owed) == ({1: (VOID, "ab")}, (1,))


def test_what_a_bot_forfeits_because_it_plays_no_more_spoils_no_set() -> None:
    rows = set_of(1, "abc", faults="0:a:start_up", evidence=f"{FORFEITED}set aside after 3 failures")
    judged = judge(rows, Scoring(rulings=policy(Ruling.REPLAY, Fault.START_UP)))
    assert (told(judged), judged.owed) == ({1: (COUNTED, "abc")}, ())
    assert judged.games[0].outcome.lost == (True, False, False)


@given(st.data())
def test_no_bot_does_better_by_a_fault_than_by_a_loss(data: st.DataObject) -> None:
    """Whatever the policy for faults that cost the game, and whoever is at fault where, the culprit's score is that
    under `loss`; and everybody has one score for each set drawn, at most.
    """
    names = "abcd"
    fault = st.tuples(st.integers(0, 3), st.sampled_from(names), st.sampled_from(["crash", "left", "start_up"]))
    drawn = data.draw(st.lists(st.tuples(st.sampled_from(names), st.lists(fault, max_size=2)), min_size=1, max_size=5))
    chosen = data.draw(st.lists(st.sampled_from([Ruling.LOSS, Ruling.VOID, Ruling.REPLAY]), min_size=3, max_size=3))
    kinds = (Fault.CRASH, Fault.LEFT, Fault.START_UP)
    rulings = dict(DEFAULT_RULINGS) | {kind: Policy(each) for kind, each in zip(kinds, chosen, strict=True)}
    rows: list[Row] = []
    for number, (winner, faults) in enumerate(drawn, 1):
        text = " ".join(":".join(map(str, each)) for each in faults)
        rows += set_of(number, names, winner=winner, faults=text)
    planned = len(drawn)
    numbers = itertools.count(planned + 1)
    while owed := judge(rows, Scoring(rulings=rulings)).owed:
        for number in owed:
            extra = data.draw(st.lists(fault, max_size=1))
            text = " ".join(":".join(map(str, each)) for each in extra)
            rows += set_of(next(numbers), names, winner=data.draw(st.sampled_from(names)), faults=text, replaces=number)
    judged, strict = judge(rows, Scoring(rulings=rulings)), judge(rows[: 4 * planned], Scoring())
    for number, (_, faults) in enumerate(drawn, 1):
        culprits = {bot for _, bot, kind in faults if rulings[Fault(kind)].ruling is not Ruling.LOSS}
        (under_loss,) = strict.set_results([number])
        for bot in culprits:
            assert judged.sets[number].means("wins")[bot] == strict.sets[number].means("wins")[bot]
            (now,) = judged.set_results([number])
            assert now.scores[now.composition.index(bot)] == under_loss.scores[under_loss.composition.index(bot)]
    for bot in names:
        assert len(means(judged, bot)) <= planned
        assert len(means(judged, bot)) == sum(
            bot in each.composition for each in judged.set_results(range(1, planned + 1))
        )


def test_an_annulled_game_makes_its_set_void_for_everybody() -> None:
    rows = [*set_of(1, "abc", faults="0:a:crash"), *set_of(2, "abc")]
    judged = judge([*rows, ruled(1, RulingKind.ANNUL, about=11)], Scoring(rulings=policy(Ruling.VOID)))
    assert told(judged) == {1: (VOID, ""), 2: (COUNTED, "abc")}
    assert [game.annulled for game in judged.games] == [False, True, False, False, False, False]
    assert judged.owed == ()
    assert judged.sets[1].why == "game 11 was annulled: reason 1"
    assert judged.set_results([1]) == []


def test_an_annulled_game_is_played_again_when_the_organiser_says_so() -> None:
    rows = [*set_of(1, "abc"), ruled(1, RulingKind.ANNUL, about=11, replay=True)]
    assert judge(rows, Scoring()).owed == (1,)
    judged = judge([*rows, *set_of(2, "abc", winner="b", replaces=1)], Scoring())
    assert told(judged) == {1: (REPLACED, ""), 2: (COUNTED, "abc")}
    assert judged.set_results([1]) == [SetResult(tuple("abc"), (0.0, 1.0, 0.0))]


def test_annulled_sets_do_not_use_up_what_faults_may_ask_for() -> None:
    rows: list[Row | RulingRow] = []
    for number in range(1, MOST_REPLAYS + 2):
        rows += set_of(number, "ab", replaces=number - 1)
        rows.append(ruled(number, RulingKind.ANNUL, about=10 * number, replay=True))
    last = MOST_REPLAYS + 2
    rows += set_of(last, "ab", faults="0:a:crash", replaces=last - 1)
    assert judge(rows, Scoring(rulings=policy(Ruling.REPLAY))).owed == (last,)


def test_when_an_annulment_is_taken_back_the_set_counts_and_the_one_in_its_place_does_not() -> None:
    rows = [
        *set_of(1, "abc"),
        ruled(1, RulingKind.ANNUL, about=11, replay=True),
        *set_of(2, "abc", winner="b", replaces=1),
        ruled(2, RulingKind.TAKE_BACK, about=1),
    ]
    judged = judge(rows, Scoring())
    assert told(judged) == {1: (COUNTED, "abc"), 2: (VOID, "")}
    assert judged.sets[2].why == "set 1, in whose place it was played, counts after all"
    assert (judged.rulings, judged.owed) == ((), ())


def test_when_a_game_of_a_replaced_set_is_annulled_the_set_in_its_place_counts_for_the_culprit_too() -> None:
    rows = [*set_of(1, "ab", faults="0:a:crash"), *set_of(2, "ab", replaces=1)]
    scoring = Scoring(rulings=policy(Ruling.REPLAY))
    assert told(judge(rows, scoring)) == {1: (REPLACED, "a"), 2: (COUNTED, "b")}
    judged = judge([*rows, ruled(1, RulingKind.ANNUL, about=10, replay=True)], scoring)
    assert told(judged) == {1: (REPLACED, ""), 2: (COUNTED, "ab")}


def test_sets_with_a_disqualified_bot_stand_when_all_others_have_met_it_equally_often() -> None:
    rows = [*set_of(1, "ab"), *set_of(2, "ac"), *set_of(3, "bc"), ruled(1, RulingKind.DISQUALIFY, about="a")]
    assert told(judge(rows, Scoring())) == {1: (COUNTED, "ab"), 2: (COUNTED, "ac"), 3: (COUNTED, "bc")}
    judged = judge([*rows, *set_of(4, "ab")], Scoring())
    assert told(judged) == {1: (VOID, ""), 2: (VOID, ""), 3: (COUNTED, "bc"), 4: (VOID, "")}
    assert judged.sets[4].why == "a is disqualified, and not all others have played such sets equally often"
    assert [game.counts for game in judged.games if game.row.set == 1] == [(False, False)] * 2
    results = judged.set_results([1, 2, 3, 4]), judged.table_results([1, 2, 3, 4])
    assert [[each.composition for each in found] for found in results] == [[("b", "c")], [("b",), ("c",), ("b",)]]
    assert told(judge([*rows, *set_of(4, "ab")[:1]], Scoring()))[1] == (COUNTED, "ab")


def test_sets_that_a_disqualified_bot_forfeits_are_another_kind() -> None:
    out = f"{FORFEITED}disqualified: it talks"
    rows = [
        *set_of(1, "ab"),
        *set_of(2, "ac", faults="0:a:start_up", evidence=out),
        *set_of(3, "bc"),
        ruled(1, RulingKind.DISQUALIFY, about="a"),
    ]
    assert told(judge(rows, Scoring())) == {1: (VOID, ""), 2: (VOID, ""), 3: (COUNTED, "bc")}
    rows += [*set_of(4, "ac"), *set_of(5, "ab", faults="1:a:disconnect", evidence=out)]
    assert {status for status, _ in told(judge(rows, Scoring())).values()} == {COUNTED}


def test_with_one_table_for_all_the_others_are_compared_without_a_disqualified_bot() -> None:
    rows = [
        *set_of(1, "abcd"),
        *set_of(2, "abcd", faults="0:a:start_up", evidence=f"{FORFEITED}disqualified: it talks"),
        ruled(1, RulingKind.DISQUALIFY, about="a"),
    ]
    assert told(judge(rows, Scoring())) == {1: (COUNTED, "abcd"), 2: (COUNTED, "abcd")}


@pytest.mark.parametrize("kind", [RulingKind.DISQUALIFY, RulingKind.WITHDRAW])
def test_sets_of_bots_that_are_gone_are_not_played_again(kind: RulingKind) -> None:
    rows = [*set_of(1, "ab", faults="0:a:crash"), *set_of(2, "bc", faults="0:b:crash")]
    scoring = Scoring(rulings=policy(Ruling.REPLAY))
    judged = judge([*rows, ruled(1, kind, about="a")], scoring)
    assert (judged.owed, judged.sets[1].status) == ((2,), VOID)
    again = [*rows, *set_of(3, "ab", replaces=1), ruled(1, kind, about="a")]
    assert judge(again, scoring).sets[1].status is REPLACED


def test_rulings_on_bots_are_told_and_change_no_set() -> None:
    rows = [
        *set_of(1, "abc"),
        ruled(1, RulingKind.DISQUALIFY, about="a"),
        ruled(2, RulingKind.WITHDRAW, about="b"),
        ruled(3, RulingKind.ENTER, about="d"),
        ruled(4, RulingKind.WITHDRAW, about="c"),
        ruled(5, RulingKind.TAKE_BACK, about=4),
    ]
    judged = judge(rows, Scoring())
    assert told(judged) == {1: (COUNTED, "abc")}
    assert judged.disqualified == {"a": "reason 1"}
    assert (list(judged.withdrawn), list(judged.entered)) == (["b"], ["d"])
    assert [row.number for row in judged.rulings] == [1, 2, 3]


@given(st.randoms(use_true_random=False))
def test_the_order_of_the_rows_does_not_matter(chance: random.Random) -> None:
    rows: list[Row | RulingRow] = [
        *set_of(1, "abc", faults="0:a:crash"),
        *set_of(2, "abc", winner="b", replaces=1),
        *set_of(3, "abc"),
        ruled(1, RulingKind.ANNUL, about=30),
        ruled(2, RulingKind.TAKE_BACK, about=1),
        ruled(3, RulingKind.ANNUL, about=31),
    ]
    scoring = Scoring(rulings=policy(Ruling.REPLAY))
    assert judge(chance.sample(rows, len(rows)), scoring) == judge(rows, scoring)
