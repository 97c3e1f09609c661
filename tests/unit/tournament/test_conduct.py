import pytest

from lastcard.tournament.conduct import Conduct


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


def test_what_is_kept_is_read_back() -> None:
    conduct = Conduct({"ann": 2, "ben": 3}, {"ben": "set aside"})
    again = Conduct.from_dict(conduct.as_dict())
    assert again.as_dict() == conduct.as_dict()
    assert (again.failures("ann"), again.aside("ben")) == (2, "set aside")
    assert Conduct.from_dict({}).as_dict() == {}


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
