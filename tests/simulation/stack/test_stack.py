"""Whole arenas in virtual time, in which everything goes wrong that can; see `world`, `ledger`, `watched`, `recovered`.

`LASTCARD_ARENAS` sets how many are played; `make simulate SEEDS=n` plays any number on all cores and says what was
reached.
"""

import os
from collections import Counter

import pytest

from simulation.stack.report import outcome_of
from simulation.stack.world import World

ARENAS = int(os.environ.get("LASTCARD_ARENAS", "100"))
CHUNK = 10


@pytest.mark.parametrize("first", range(1, ARENAS + 1, CHUNK))
def test_whatever_happens_every_invariant_holds(first: int) -> None:
    for seed in range(first, min(first + CHUNK, ARENAS + 1)):
        World(seed).play()


def test_the_same_seed_gives_the_same_arena(capsys: pytest.CaptureFixture[str]) -> None:
    outcome_of(9, traced=True)
    first = capsys.readouterr().out
    outcome_of(9, traced=True)
    assert first == capsys.readouterr().out
    assert first.count("\n") > 50


def test_the_simulation_reaches_what_it_is_for() -> None:
    reached: Counter[str] = Counter()
    for seed in range(1_031, 1_091):
        world = World(seed)
        world.play()
        reached += world.reached
    server = ("step", "commit", "time", "end")
    wanted = {
        *(f"crash at a {what}" if what != "end" else "crash at an end" for what in server),
        *("crash in recovery", "power cut", "drain", "drain and crash", "disk full", "pause", "clock set"),
        *("table recovered", "event told again", "decision put again", "verdict told again", "end told again"),
        *("first verdict again", "snapshot", "asked again", "end not acknowledged", "call answered again"),
        *("bot cuts", "bot mute", "bot dies", "bot twins", "bot stalls", "bot blocks", "bot late", "bot ignores"),
        *("bot wrong", "bot strays", "bot floods", "bot rubbish", "bot apart", "answer repeated", "answer held back"),
        *("person sits", "person dozes", "person leaves", "call repeated", "call tried again", "watch resumed"),
        *("ended: reader_too_slow", "ended: session_replaced", "ended: draining"),
        *("given up without heartbeats", "ending RECONNECT", "ending FAIL", "window", "sealed jump", "open jump"),
        *("blame TIMEOUT", "blame REFUSALS", "blame DISCONNECT", "blame START_UP", "blame CRASH", "blame LEFT"),
        *("seat handed over", "seat handed over at once", "tokens renewed"),
        *("closed FINISHED", "STALE_DECISION", "TURN_EXPIRED", "MATCH_OVER", "FORBIDDEN", "transport"),
    }
    assert wanted - set(reached) == set()
