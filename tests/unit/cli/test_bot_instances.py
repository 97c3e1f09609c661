import pytest

from lastcard.cli.bot_instances import check_instances
from lastcard.cli.errors import CommandError


def test_each_instance_has_a_token_of_its_own_or_none_has() -> None:
    assert check_instances(1, "") == [""]
    assert check_instances(1, "lct_a") == ["lct_a"]
    assert check_instances(3, "") == ["", "", ""]
    assert check_instances(2, "lct_a, lct_b") == ["lct_a", "lct_b"]


@pytest.mark.parametrize(
    ("count", "tokens", "sentence"),
    [
        (0, "", "--instances is 0; valid are 1 to 256"),
        (257, "", "--instances is 257; valid are 1 to 256"),
        (2, "lct_a", "--instances is 2, but 1 token is given; each instance needs one of its own"),
        (1, "lct_a,lct_b", "--instances is 1, but 2 tokens are given"),
        (2, "lct_a,", "--instances is 2, but 1 token is given; each"),
        (2, "lct_a,lct_a", "a token is given twice"),
    ],
)
def test_what_would_have_instances_replace_each_other_is_refused(count: int, tokens: str, sentence: str) -> None:
    with pytest.raises(CommandError, match=sentence):
        check_instances(count, tokens)
