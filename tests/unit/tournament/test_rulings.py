import pytest

from lastcard.tournament.rulings import COSTS_THE_GAME, DEFAULT_RULINGS, MEANINGS, Fault, Policy, Ruling, outcome


def test_every_fault_has_a_ruling_and_every_ruling_a_meaning() -> None:
    assert set(DEFAULT_RULINGS) == set(Fault)
    assert set(MEANINGS) == set(Ruling)


def test_without_faults_the_result_stands() -> None:
    assert outcome((2, 1, 2), (0, 30, 0), []) == ((2, 1, 2), (0, 30, 0), (False, False, False), (0, 0, 0))


@pytest.mark.parametrize("kind", [Fault.TIMEOUT, Fault.REFUSALS])
def test_what_the_table_has_charged_already_stands(kind: Fault) -> None:
    assert outcome((1, 2), (30, 0), [(0, kind)]) == ((1, 2), (30, 0), (False, False), (0, 0))


@pytest.mark.parametrize("kind", [Fault.DISCONNECT, Fault.START_UP, Fault.CRASH, Fault.LEFT])
def test_a_loss_moves_the_bot_behind_all_others(kind: Fault) -> None:
    ruled = outcome((1, 2, 3, 4), (90, 0, 0, 0), [(0, kind)])
    assert ruled == ((4, 1, 2, 3), (0, 0, 0, 0), (True, False, False, False), (0, 0, 0, 0))


def test_several_losers_keep_their_order() -> None:
    assert outcome((2, 1, 4, 3), (5, 9, 0, 0), [(1, "crash"), (0, "left")]).places == (4, 3, 2, 1)
    assert outcome((1, 1, 3), (5, 5, 0), [(0, "crash"), (1, "crash"), (1, "crash")]).places == (2, 2, 1)


def test_bots_that_never_turned_up_share_the_last_place() -> None:
    faults = [(0, "start_up"), (2, "start_up"), (3, "crash")]
    assert outcome((4, 1, 2, 3), (0, 0, 0, 0), faults).places == (3, 1, 3, 2)


def test_where_points_are_bad_a_loser_has_the_worst_of_the_table() -> None:
    assert outcome((1, 2, 3), (0, 20, 70), [(0, "crash")], fewest_points_win=True).points == (70, 20, 70)


def test_where_points_are_bad_a_loser_has_at_least_what_a_loss_costs() -> None:
    assert outcome((1, 2), (0, 20), [(1, "left")], fewest_points_win=True, loss_points=350).points == (0, 350)
    assert outcome((1, 2), (0, 420), [(1, "left")], fewest_points_win=True, loss_points=350).points == (0, 420)


def test_other_rulings_are_data() -> None:
    lenient = dict.fromkeys(Fault, Policy(Ruling.STANDS))
    assert outcome((1, 2), (3, 0), [(0, "crash")], rulings=lenient).places == (1, 2)


@pytest.mark.parametrize("ruling", sorted(COSTS_THE_GAME))
def test_a_fault_for_which_a_set_does_not_count_costs_as_much_as_a_loss(ruling: Ruling) -> None:
    strict = dict.fromkeys(Fault, Policy(ruling))
    faults = [(0, "crash"), (2, "start_up")]
    assert outcome((1, 2, 3), (30, 0, 0), faults, rulings=strict) == outcome((1, 2, 3), (30, 0, 0), faults)


def test_a_penalty_is_charged_for_each_fault_and_changes_no_place() -> None:
    rulings = dict(DEFAULT_RULINGS) | {Fault.TIMEOUT: Policy(Ruling.PENALTY, 20), Fault.LEFT: Policy(Ruling.PENALTY, 5)}
    faults = [(0, "timeout"), (0, "timeout"), (1, "left"), (2, "refusals")]
    ruled = outcome((1, 2, 3), (30, 0, 0), faults, rulings=rulings)
    assert ruled == ((1, 2, 3), (-10, -5, 0), (False, False, False), (40, 5, 0))
    ruled = outcome((1, 2, 3), (0, 8, 30), faults, rulings=rulings, fewest_points_win=True)
    assert ruled == ((1, 2, 3), (40, 13, 30), (False, False, False), (40, 5, 0))


def test_a_penalty_comes_on_top_of_a_loss() -> None:
    rulings = dict(DEFAULT_RULINGS) | {Fault.TIMEOUT: Policy(Ruling.PENALTY, 20)}
    assert outcome((1, 2), (30, 0), [(0, "timeout"), (0, "crash")], rulings=rulings) == (
        (2, 1), (-20, 0), (True, False), (20, 0),
    )  # fmt: skip


def test_an_unknown_fault_is_refused() -> None:
    with pytest.raises(ValueError, match="sulking"):
        outcome((1, 2), (3, 0), [(0, "sulking")])
