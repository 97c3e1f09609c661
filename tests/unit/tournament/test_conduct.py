import pytest

from lastcard.tournament.conduct import COUNTS, CRASHES, DISCONNECTS, STARTS, Conduct


def test_three_failures_without_a_whole_game_between_set_a_bot_aside() -> None:
    conduct = Conduct()
    assert [conduct.fail("ann", "fell").in_a_row for _ in range(2)] == [1, 2]
    assert conduct.finish("ann")
    assert not conduct.finish("ann")
    found = [conduct.fail("ann", why) for why in ("fell", "fell", "hung")]
    assert [failure.in_a_row for failure in found] == [1, 2, 3]
    assert [failure.aside for failure in found[:2]] == [None, None]
    assert found[2].aside == conduct.aside("ann") == "set aside after 3 failures in a row, the last: hung"
    assert (conduct.failures("ben"), conduct.aside("ben")) == (0, None)


def test_a_bot_that_is_set_aside_stays_so() -> None:
    conduct = Conduct({}, {"ann": "set aside"})
    conduct.finish("ann")
    assert conduct.aside("ann") == "set aside"


def test_programs_that_were_started_before_a_failure_do_not_fail_once_more() -> None:
    conduct = Conduct()
    first = conduct.troubles("ann")
    assert [conduct.fail_program("ann", "fell", first) is None for _ in range(3)] == [False, True, True]
    assert conduct.failures("ann") == 1
    later = conduct.troubles("ann")
    failure = conduct.fail_program("ann", "hung", later)
    assert failure is not None
    assert failure.in_a_row == 2
    assert conduct.fail_program("ann", "fell", first) is None
    assert conduct.fail_program("ann", "fell", conduct.troubles("ann")) is not None
    assert conduct.aside("ann") == "set aside after 3 failures in a row, the last: fell"
    assert conduct.fail_program("ann", "fell", conduct.troubles("ann")) is None


def test_games_that_were_on_when_another_was_lost_are_the_same_trouble() -> None:
    conduct = Conduct()
    assert conduct.fail_game("ann", "left", began_ms=10, ended_ms=20) is not None
    again = Conduct.from_dict(conduct.as_dict())
    for kept in (conduct, again):
        assert kept.fail_game("ann", "left", began_ms=15, ended_ms=30) is None
        assert kept.fail_game("ann", "left", began_ms=21, ended_ms=31) is not None
        assert kept.failures("ann") == 2
        assert kept.fail_game("ben", "left", began_ms=0, ended_ms=5) is not None


def test_what_happens_is_counted_and_kept() -> None:
    conduct = Conduct()
    for what in (STARTS, STARTS, CRASHES, DISCONNECTS):
        conduct.note("ann", what)
    conduct.fail("ann", "fell")
    conduct.finish("ann")
    again = Conduct.from_dict(conduct.as_dict())
    assert [again.count("ann", what) for what in COUNTS] == [2, 1, 1, 1]
    assert again.count("ben", STARTS) == 0
    assert again.as_dict()["ann"]["failures_in_a_row"] == 0


def test_what_is_kept_is_read_back() -> None:
    conduct = Conduct({"ann": 2, "ben": 3}, {"ben": "set aside"})
    again = Conduct.from_dict(conduct.as_dict())
    assert again.as_dict() == conduct.as_dict()
    assert (again.failures("ann"), again.aside("ben")) == (2, "set aside")
    assert Conduct.from_dict({}).as_dict() == {}
    assert Conduct.from_dict({"ann": {"failures_in_a_row": 1, "set_aside": None}}).failures("ann") == 1
    with pytest.raises(ValueError, match="'ann' has -1 starts, not a whole number from 0"):
        Conduct.from_dict({"ann": {"failures_in_a_row": 1, "set_aside": None, "starts": -1}})


@pytest.mark.parametrize(
    "data",
    [
        [],
        {"ann": 3},
        {"ann": {}},
        {"ann": {"failures_in_a_row": "2"}},
        {"ann": {"failures_in_a_row": 0, "set_aside": 1}},
    ],
)
def test_what_is_not_conduct_is_refused(data: object) -> None:
    with pytest.raises(ValueError, match="has no failures_in_a_row, or a set_aside that is no text"):
        Conduct.from_dict(data)
