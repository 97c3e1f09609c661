import pytest

from lastcard.tournament.rulings import DEFAULT_RULINGS, MEANINGS, Fault, Ruling, outcome


def test_every_fault_has_a_ruling_and_every_ruling_a_meaning() -> None:
    assert set(DEFAULT_RULINGS) == set(Fault)
    assert set(MEANINGS) == set(Ruling)


def test_without_faults_the_result_stands() -> None:
    assert outcome((2, 1, 2), (0, 30, 0), []) == ((2, 1, 2), (0, 30, 0), (False, False, False))


@pytest.mark.parametrize("kind", [Fault.TIMEOUT, Fault.REFUSALS])
def test_what_the_table_has_charged_already_stands(kind: Fault) -> None:
    assert outcome((1, 2), (30, 0), [(0, kind)]) == ((1, 2), (30, 0), (False, False))


@pytest.mark.parametrize("kind", [Fault.DISCONNECT, Fault.START_UP, Fault.CRASH, Fault.LEFT])
def test_a_loss_moves_the_bot_behind_all_others(kind: Fault) -> None:
    ruled = outcome((1, 2, 3, 4), (90, 0, 0, 0), [(0, kind)])
    assert ruled == ((4, 1, 2, 3), (0, 0, 0, 0), (True, False, False, False))


def test_several_losers_keep_their_order() -> None:
    assert outcome((2, 1, 4, 3), (5, 9, 0, 0), [(1, "crash"), (0, "left")]).places == (4, 3, 2, 1)
    assert outcome((1, 1, 3), (5, 5, 0), [(0, "crash"), (1, "crash"), (1, "crash")]).places == (2, 2, 1)


def test_bots_that_never_turned_up_share_the_last_place() -> None:
    faults = [(0, "start_up"), (2, "start_up"), (3, "crash")]
    assert outcome((4, 1, 2, 3), (0, 0, 0, 0), faults).places == (3, 1, 3, 2)


def test_where_points_are_bad_a_loser_has_the_worst_of_the_table() -> None:
    assert outcome((1, 2, 3), (0, 20, 70), [(0, "crash")], fewest_points_win=True).points == (70, 20, 70)


def test_other_rulings_are_data() -> None:
    lenient = dict.fromkeys(Fault, Ruling.STANDS)
    assert outcome((1, 2), (3, 0), [(0, "crash")], rulings=lenient).places == (1, 2)


def test_an_unknown_fault_is_refused() -> None:
    with pytest.raises(ValueError, match="sulking"):
        outcome((1, 2), (3, 0), [(0, "sulking")])
