import pytest

from lastcard.practice.limits import Outcome, lost_reactions, under, unseen_share, within
from lastcard.practice.timing import Timed


def decisions(*took: int, game: int = 1, kind: str = "TURN", credit: int = 0, answered: bool = True) -> list[Timed]:
    return [Timed(game, at, kind, ms, 1.0, credit, answered) for at, ms in enumerate(took, 1)]


@pytest.mark.parametrize(
    ("took", "limit", "bank", "outcome"),
    [
        ((100, 200, 300), 300, 0, Outcome(0, 0, 0)),
        ((100, 301, 300), 300, 0, Outcome(1, 1, 0)),
        ((100, 301, 300), 300, 1, Outcome(1, 0, 1)),
        ((400, 400, 400), 300, 250, Outcome(3, 1, 250)),
        ((400, 200, 400), 300, 250, Outcome(2, 0, 200)),
        ((900, 301), 300, 250, Outcome(2, 2, 250)),
    ],
    ids=["kept", "no bank", "bank", "bank empty", "bank refills not", "a timeout takes the bank"],
)
def test_limit_and_bank(took, limit, bank, outcome):
    assert under(decisions(*took), limit, bank) == outcome


def test_each_game_has_a_bank_of_its_own():
    both = [*decisions(500, game=1), *decisions(500, game=2)]
    assert under(both, 300, 200) == Outcome(2, 0, 200)
    assert under(decisions(500, 500), 300, 200) == Outcome(2, 1, 200)


def test_one_that_was_never_answered_is_lost_whatever_the_limit():
    assert under(decisions(10, answered=False), 60_000, 60_000).lost == 1


def test_credit_spares_the_bank_and_moves_no_deadline():
    late = decisions(400, 400, credit=80)
    assert under(late, 300, 1_000, credit_ms=100, credit_total_ms=10_000) == Outcome(2, 0, 40)
    assert under(late, 300, 1_000, credit_ms=50, credit_total_ms=10_000) == Outcome(2, 0, 100)
    assert under(late, 300, 1_000, credit_ms=100, credit_total_ms=90) == Outcome(2, 0, 110)
    assert under(late, 300, 50, credit_ms=100, credit_total_ms=10_000).lost == 2


def test_reactions_have_a_time_of_their_own_and_no_bank():
    asked = [*decisions(600, 400, kind="REACTION"), *decisions(900)]
    assert lost_reactions(asked, 500) == 1
    assert under(asked, 500, 1_000) == Outcome(1, 0, 400)
    assert lost_reactions(decisions(1, kind="REACTION", answered=False), 500) == 1


@pytest.mark.parametrize(
    ("share", "limit"), [(0.5, 50), (0.9, 90), (0.99, 100), (1.0, 100), (0.01, 10)], ids=lambda value: f"{value:g}"
)
def test_the_least_limit_for_a_share(share, limit):
    assert within(decisions(*range(100, 0, -10)), share) == limit


def test_no_limit_is_enough_for_what_was_never_answered():
    asked = [*decisions(10, 20, 30), *decisions(40, answered=False)]
    assert within(asked, 0.75) == 30
    assert within(asked, 0.76) is None
    assert within([], 0.5) is None


def test_what_was_not_seen_is_bounded_by_how_much_was_seen():
    assert unseen_share(0) == 1
    assert unseen_share(1) == pytest.approx(0.95)
    assert unseen_share(59) == pytest.approx(0.05, abs=0.001)
    assert (1 - unseen_share(1_000)) ** 1_000 == pytest.approx(0.05)
