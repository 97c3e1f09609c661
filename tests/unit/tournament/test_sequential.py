from dataclasses import replace
from fractions import Fraction
from itertools import combinations, pairwise, permutations

import numpy as np
import pytest

from lastcard.rules.ruleset import ruleset
from lastcard.tournament.judging import judge
from lastcard.tournament.ledger import Row
from lastcard.tournament.reach import ReachError, reach_of
from lastcard.tournament.row_values import SeatFault
from lastcard.tournament.rulings import DEFAULT_RULINGS, Fault, Policy, Ruling
from lastcard.tournament.scoring import Scoring
from lastcard.tournament.sequential import STAKES, Rounds, evidence_of, means_of, needed, settled, settled_after
from ledger_rows import played_row, random_rows


def rounds_of_winners(chances: np.ndarray, events: int, sets: int, rng: np.random.Generator) -> list[Rounds]:
    """Events of one table in which the winner of each game is drawn by chances."""
    size = len(chances)
    games = rng.multinomial(size, chances, (events, sets)) / size
    plays, par = np.ones((size, 1), dtype=bool), np.array([1 / size])
    return [Rounds(each.T[:, None, :], plays, par) for each in games]


def test_a_bet_is_what_was_computed_by_hand() -> None:
    rows = [
        played_row(1, 1, 0, {"a": 1, "b": 2}),
        played_row(2, 1, 1, {"b": 2, "a": 1}),
        played_row(3, 2, 0, {"a": 1, "b": 2}),
        played_row(4, 2, 1, {"b": 1, "a": 2}),
    ]
    verdict = settled(judge(rows, Scoring()), "ab", 0.95)
    assert (verdict.settled, verdict.rounds, verdict.since, verdict.note) == (False, 2, None, "")
    assert verdict.ranking == ("a", "b")
    assert verdict.needed == pytest.approx(np.log10(2 / 0.05))
    # Differences are 1 and 0, so that each stake b comes to 1 + b.
    assert verdict.pairs[0].evidence == pytest.approx(np.log10(np.mean([1 + stake for stake in STAKES])))


def test_clear_differences_are_settled_and_later_sets_do_not_unsettle_them() -> None:
    rng = np.random.default_rng(1)
    strengths = {"a": 2.0, "b": 0.0, "c": -2.0}
    rows = random_rows(["abc"], 120, strengths, rng, orders=True)
    for scoring in (Scoring(), Scoring("places"), Scoring("points")):
        verdict = settled(judge(rows, scoring), "cba", 0.95, reach=20)
        assert (verdict.settled, verdict.ranking) == (True, ("a", "b", "c"))
        assert verdict.since is not None
        assert settled(judge(rows[: 3 * verdict.since], scoring), "cba", 0.95, reach=20).settled
        assert not settled(judge(rows[: 3 * (verdict.since - 1)], scoring), "cba", 0.95, reach=20).settled


def test_a_set_that_is_not_complete_changes_nothing() -> None:
    rows = random_rows(["abc"], 20, {"a": 1.0, "b": 0.0, "c": -1.0}, np.random.default_rng(2))
    whole = settled(judge(rows[:57], Scoring()), "abc", 0.95)
    assert settled(judge(rows[:59], Scoring()), "abc", 0.95) == whole


def test_only_whole_rounds_of_all_tables_are_looked_at() -> None:
    compositions = list(combinations("abcd", 3))
    rows = random_rows(compositions, 5, dict.fromkeys("abcd", 0.0), np.random.default_rng(3))
    whole = settled(judge(rows[:48], Scoring()), "abcd", 0.95)
    assert whole.rounds == 4
    assert settled(judge(rows[:57], Scoring()), "abcd", 0.95) == whole
    # The ranking is by the means over all tables, as in the standings.
    means = {
        bot: np.mean([row.places[row.seats.index(bot)] == 1 for row in rows[:48] if bot in row.seats]) for bot in "abcd"
    }
    assert [means[bot] for bot in whole.ranking] == sorted(means.values(), reverse=True)


def test_where_nothing_can_be_settled_it_says_why() -> None:
    rows = random_rows(["abc"], 4, dict.fromkeys("abc", 0.0), np.random.default_rng(4))
    assert settled(judge([], Scoring()), "ab", 0.95).note == "a, b sat at no table of which a set is complete"
    assert settled(judge(rows, Scoring()), "a", 0.95).note == "there are no two bots to compare"
    assert settled(judge(rows, Scoring()), "abcd", 0.95).note == "d sat at no table of which a set is complete"
    assert settled(judge(rows[:2], Scoring()), "abc", 0.95).note == "not every table has played a set that counts"


@pytest.mark.parametrize("strict", [True, False])
@pytest.mark.parametrize("bots", [2, 3, 4, 5])
def test_what_is_needed_is_enough_whatever_the_true_order_is(bots: int, strict: bool) -> None:
    """The mean of the bets that are named in the module has come to 1 / (1 − confidence) for every wrong ranking."""
    enough = 10 ** needed(bots, 0.95)
    orders = list(permutations(range(bots)))
    truth = orders[0]
    for ranking in orders:
        # The least that bets have come to when this ranking is settled: enough for its pairs, nothing for others.
        bets = dict.fromkeys(combinations(ranking, 2), enough)
        if strict and ranking != truth:
            neighbours = [(behind, ahead) for ahead, behind in pairwise(truth)]
            assert np.mean([bets.get(pair, 0.0) for pair in neighbours]) >= 20 * (1 - 1e-9)
        if not strict:
            for one, other in combinations(truth, 2):
                assert np.mean([bets.get((one, other), 0.0), bets.get((other, one), 0.0)]) >= 20 * (1 - 1e-9)


@pytest.mark.parametrize(
    "chances",
    [(0.5, 0.5), (0.25, 0.25, 0.25, 0.25), (0.4, 0.25, 0.25, 0.1), (0.26, 0.25, 0.25, 0.24), (0.27, 0.25, 0.24, 0.24)],
)
def test_a_wrong_ranking_is_settled_no_more_often_than_the_confidence_says(chances: tuple[float, ...]) -> None:
    rng = np.random.default_rng(5)
    true_means = np.array(chances)
    events, wrong = 300, 0
    for rounds in rounds_of_winners(true_means, events, 400, rng):
        means, evidence = means_of(rounds), evidence_of(rounds)
        done = settled_after(means, evidence, needed(len(chances), 0.8))
        if done.any():
            order = np.argsort(-means[:, int(np.argmax(done))])
            wrong += not (np.diff(true_means[order]) < 0).all()
    # At a confidence of 0.8 one in five would be allowed; it is far less, since nobody looks only when it is wrong.
    assert wrong / events <= 0.2


def test_mean_scores_over_tables_are_what_is_compared_and_not_who_met() -> None:
    """Where a meets b it does worse, and better where it does not; their means are equal, so nothing is settled."""
    rng = np.random.default_rng(6)
    plays = np.array([[True, True, False], [True, False, True], [False, True, True]])
    wrong = 0
    for _ in range(200):
        scores = np.zeros((3, 3, 200))
        first = rng.random(200) < 0.3
        scores[0, 0], scores[1, 0] = first, ~first  # a and b: 0.3 and 0.7
        scores[0, 1] = rng.random(200) < 0.7  # a and c
        scores[1, 2] = rng.random(200) < 0.3  # b and c
        scores[2, 1], scores[2, 2] = 1 - scores[0, 1], 1 - scores[1, 2]
        evidence = evidence_of(Rounds(scores, plays, np.full(3, 0.5)))
        wrong += max(evidence[0, 1, -1], evidence[1, 0, -1]) >= np.log10(2 / 0.05)
    assert wrong / 200 <= 0.05


def test_the_reach_of_points_follows_from_the_rules() -> None:
    wins, points = Scoring(), Scoring("points")
    deck = 1240  # 108 cards: 4 times 90, 24 times 20, 8 times 50
    single = ruleset("official", {"match_end": "single_round"})
    assert reach_of(wins, single, 4) == 1
    assert reach_of(points, single, 4) == deck
    assert reach_of(points, ruleset("official", {"match_end": "target", "target_points": 500}), 4) == 499 + 2 * deck
    assert reach_of(points, ruleset("official", {"match_end": "rounds", "match_rounds": 3}), 4) == 4 * deck
    assert reach_of(points, ruleset("official", {"match_end": "single_round", "scoring": "round_wins"}), 4) == 1
    shared = {"match_end": "single_round", "scoring": "placement", "match_tie": "fewest_points_left"}
    assert reach_of(points, ruleset("official", shared), 4) == 3
    with pytest.raises(ReachError, match="match_end = time points have none"):
        reach_of(points, ruleset("official", {"match_end": "time"}), 4)
    charged = Scoring(rulings={**DEFAULT_RULINGS, Fault.TIMEOUT: Policy(Ruling.PENALTY, 5)})
    with pytest.raises(ReachError, match="a penalty of points for timeout has none"):
        reach_of(charged, single, 4)
    rows = random_rows(["ab"], 3, {"a": 0.0, "b": 0.0}, np.random.default_rng(7))
    assert settled(judge(rows, points), "ab", 0.95, reach=1).note == ""


def at_fault(row: Row, bot: str) -> Row:
    return replace(row, faults=(SeatFault(row.seats.index(bot), bot, "timeout", 1, "no answer"),))


def ruled(ruling: Ruling) -> Scoring:
    return Scoring(rulings={**DEFAULT_RULINGS, Fault.TIMEOUT: Policy(ruling)})


def test_scores_of_different_sets_are_not_compared_behind_a_set_that_counts_for_one_bot_alone() -> None:
    rows = random_rows(["ab"], 40, {"a": 0.0, "b": 0.0}, np.random.default_rng(8))
    void = [at_fault(rows[4], "a") if row is rows[4] else row for row in rows]
    verdict = settled(judge(void, ruled(Ruling.VOID)), "ab", 0.95)
    without = settled(judge([row for row in rows if row.set != rows[4].set], Scoring()), "ab", 0.95)
    assert verdict.rounds == 39
    assert verdict.pairs == without.pairs


def test_a_set_that_is_played_again_is_compared_in_its_place() -> None:
    rows = random_rows(["ab"], 41, {"a": 0.0, "b": 0.0}, np.random.default_rng(9))
    again = [replace(row, replaces=3) for row in rows[-2:]]
    rows[4:6] = [replace(row, places=place) for row, place in zip(rows[4:6], [(2, 1), (2, 1)], strict=True)]
    played = [*rows[:4], at_fault(rows[4], "a"), rows[5], *rows[6:-2], *again]
    verdict = settled(judge(played, ruled(Ruling.REPLAY)), "ab", 0.95)
    # To a, at fault, a loss and its other game of set 3; to b what it had in the set that took its place.
    as_one = [
        (
            Fraction(rows[5].places[rows[5].seats.index("a")] == 1, 2),
            judge(rows[-2:], Scoring()).sets[41].means("wins")["b"],
        )
    ]
    whole = judge([*rows[:4], *rows[6:-2]], Scoring())
    pairs = [(each.means("wins")["a"], each.means("wins")["b"]) for each in whole.sets.values()]
    scores = np.array(pairs[:2] + as_one + pairs[2:], dtype=np.float64).T[:, None, :]
    evidence = evidence_of(Rounds(scores, np.ones((2, 1), dtype=bool), np.array([0.5])))
    names = dict(zip("ab", range(2), strict=True))
    assert verdict.pairs[0].evidence == pytest.approx(
        evidence[names[verdict.pairs[0].ahead], names[verdict.pairs[0].behind], -1]
    )


def test_a_ranking_is_not_settled_that_is_not_the_printed_one() -> None:
    """Bot a wins what it plays to the end, and would be first if its faults were left out."""
    won = [({"a": 1, "b": 2}, {"b": 2, "a": 1}), ({"a": 2, "b": 1}, {"b": 1, "a": 2})]
    rows = [played_row(2 * set_ - 1 + at, set_, at, won[set_ % 6 == 0][at]) for set_ in range(1, 201) for at in (0, 1)]
    assert settled(judge(rows, Scoring()), "ab", 0.95).settled
    faulty = [at_fault(row, "a") if row.set > 30 else row for row in rows]
    verdict = settled(judge(faulty, ruled(Ruling.VOID)), "ab", 0.95)
    assert (verdict.rounds, verdict.ranking) == (30, ("a", "b"))
    assert verdict.pairs[0].evidence > verdict.needed
    assert (verdict.settled, verdict.since) == (False, None)
    assert "is not that by the sets in which every bot at the table has a result" in verdict.note
