import numpy as np
import pytest
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components

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
        count, label = connected_components(csr_array(ahead), directed=True, connection="strong")
        expected = {tuple(np.flatnonzero(label == number).tolist()) for number in range(count)}
        found = choices_won(ahead).groups()
        assert len(found) == count
        assert set(found) == expected
