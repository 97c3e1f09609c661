"""Whole matches in virtual time, with bots and networks that do everything wrong; see `world` and `invariants`.

`LASTCARD_SIMULATIONS` sets how many matches are played; `python -m simulation` (with `tests` on the path) plays any
number and says what was reached.
"""

import os
from collections import Counter

import pytest

from simulation.world import World, replay

MATCHES = int(os.environ.get("LASTCARD_SIMULATIONS", "300"))
CHUNK = 20


def played(seed: int) -> World:
    world = World(seed)
    world.play()
    return world


@pytest.mark.parametrize("first", range(1, MATCHES + 1, CHUNK))
def test_matches_keep_every_invariant(first: int) -> None:
    for seed in range(first, min(first + CHUNK, MATCHES + 1)):
        played(seed)


@pytest.mark.parametrize("first", range(10_001, 10_041, CHUNK))
def test_the_same_commands_at_the_same_times_give_the_same_effects(first: int) -> None:
    for seed in range(first, first + CHUNK):
        world = played(seed)
        assert replay(world) == world.told


def test_the_same_seed_gives_the_same_match() -> None:
    one, two = played(77), played(77)
    assert one.log == two.log
    assert one.told == two.told


def test_the_simulation_reaches_what_it_is_for() -> None:
    seen: Counter[str] = Counter()
    for seed in range(20_161, 20_261):
        world = played(seed)
        seen += world.watch.seen
        assert world.table.closed is not None
        seen += Counter([world.table.closed.cause.name, *(blame.kind.name for blame in world.watch.blames)])
    wanted = {
        *("FINISHED", "ABANDONED", "TIMEOUT", "REFUSALS", "DISCONNECT", "START_UP", "LEFT"),
        *("sealed jump", "open jump", "window", "asked again", "transport"),
        *("ACTION_NOT_AVAILABLE", "CARD_NOT_IN_HAND", "CARD_NOT_PLAYABLE", "FORBIDDEN"),
        *("NOT_LIABLE", "STALE_DECISION", "TURN_EXPIRED"),
        *("SeatAccused", "UnoCalled", "HandsMoved", "ChallengeResolved", "PileRebuilt", "TimedOut", "SeatLeft"),
    }
    assert wanted - set(seen) == set()
