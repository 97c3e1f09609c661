"""Chance that depends on nothing but a position and a seed.

Here: `chance_of`. Not here: what is done with it. Imports `lastcard.v1`.
"""

import random

from lastcard.v1.view_pb2 import View


def chance_of(view: View, seed: int) -> random.Random:
    """A generator that is the same for equal positions and seeds, in every process and on every machine."""
    return random.Random(seed.to_bytes(16, "big", signed=True) + view.SerializeToString(deterministic=True))
