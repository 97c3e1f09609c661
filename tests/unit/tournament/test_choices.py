import numpy as np
import pytest

from lastcard.tournament.choices import Choices, Stages


def choices_won(ahead: np.ndarray) -> Choices:
    """Choices between two: of each pair that is marked, the one of the row was chosen over that of the column."""
    one, other = np.nonzero(ahead)
    ascending = one < other
    among = np.sort(np.stack([one, other], axis=1), axis=1)
    won = np.stack([ascending, ~ascending], axis=1).astype(float)
    return Choices(len(ahead), "order", [Stages(np.arange(len(one)), among, np.ones(len(one)), won)])


@pytest.mark.parametrize("share", [0.0, 0.1, 0.2, 0.5, 1.0])
def test_groups_are_those_within_which_everybody_was_chosen_over_everybody(share: float) -> None:
    rng = np.random.default_rng(int(10 * share))
    for bots in [*range(1, 12), 40]:
        ahead = (rng.random((bots, bots)) < share) & ~np.eye(bots, dtype=bool)
        choices = choices_won(ahead)
        found = choices.groups()
        assert sorted(bot for group in found for bot in group) == list(range(bots))
        group_of = {bot: group for group in found for bot in group}
        for one in range(bots):
            for other in range(bots):
                both = choices.reaches(one, other) and choices.reaches(other, one)
                assert (group_of[one] == group_of[other]) is (one == other or both)
