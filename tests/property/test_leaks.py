"""What a viewer gets, byte by byte, does not depend on cards that it cannot see (architecture section 4; A40, A41).

Every preset, both ways of reacting and of drawing, open and closed tables; seats, spectators, and spectators who own a
seat; streams, watched tables and single calls; after a resume and after a snapshot. See `hidden_pairs`;
`LASTCARD_LEAK_PAIRS` sets how many pairs of games are compared.
"""

import os
from collections import Counter
from random import Random

import pytest

from hidden_pairs import Pair
from hidden_world import TABLE
from lastcard.rules.ruleset import PRESETS, ruleset
from lastcard.table.plan import SeatPlan, TablePlan
from lastcard.table.timecontrol import TimeControl

CLOCK = TimeControl(limit_ms=2_000, bank_ms=1_000, reaction_ms=400, start_up_ms=30_000, grace_ms=3_000)
PAIRS = int(os.environ.get("LASTCARD_LEAK_PAIRS", "15"))
"""Pairs of games of each preset and way of reacting."""

STEPS = 100

HOUSE: dict[str, tuple[object, ...]] = {
    "jump_in": ("off", "identical", "identical_incl_w4", "identical_incl_w4"),
    "seven_swap": (False, True),
    "zero_rotate": (False, True),
    "stack_draw_two": ("off", "same"),
    "passive_uno": ("exempt", "required"),
    "false_catch_penalty": (0, 1),
    "false_uno_penalty": (0, 1),
    "uno_grace_ms": (0, 700),
    "challenge_reveal": ("challenger_only", "all", "verdict_only"),
    "draw_mode": ("one", "until_playable"),
    "max_timeouts": (0, 2),
    "leaver_cards": ("to_discard", "frozen"),
    "hand_size": (2, 3, 7),
    "scoring": ("round_wins", "winner_takes_sum"),
}


def plan_of(preset: str, rng: Random, *, sealed: bool, draws: str, closed: bool) -> TablePlan:
    options: dict[str, object] = {"match_end": "rounds", "match_rounds": 2, "max_turns_per_round": 60}
    for name, values in HOUSE.items():
        if rng.random() < 0.6:
            options[name] = rng.choice(values)
    if closed:
        options["scoring"] = "round_wins"  # otherwise the points at the end tell the games apart
    # With two seats and an order of draws for each there is nothing to exchange that the other would not soon see.
    players = rng.choice((3, 3, 4, 5) if draws == "per_seat" else (2, 3, 3, 4, 5))
    return TablePlan(
        rules=ruleset(preset, options),
        seats=tuple(SeatPlan(bot=f"bot{seat}") for seat in range(players)),
        clock=CLOCK,
        sealed=sealed,
        draws=draws,
        closed=closed,
        deal_key=rng.randbytes(32),
        salt=rng.randbytes(32),
        table_id=TABLE,
    )


def played(plan: TablePlan, viewer: int | None, rng: Random) -> Pair:
    pair = Pair(plan, viewer, rng)
    try:
        for _ in range(STEPS):
            pair.step()
            if not pair.same:
                break
    finally:
        pair.close()
    return pair


@pytest.mark.parametrize("sealed", [True, False], ids=["sealed", "open"])
@pytest.mark.parametrize("preset", PRESETS)
def test_no_byte_depends_on_what_is_hidden(preset: str, sealed: bool) -> None:
    done: Counter[str] = Counter()
    for number in range(PAIRS):
        rng = Random(f"{preset} {sealed} {number}")
        draws, closed = rng.choice(("pile", "per_seat")), rng.random() < 0.5
        plan = plan_of(preset, rng, sealed=sealed, draws=draws, closed=closed)
        viewer = rng.choice((None, *range(len(plan.seats))))
        pair = played(plan, viewer, rng)
        done.update(pair.kinds)
        done["differ"] += pair.differs
    assert done["differ"] > PAIRS
    assert {"_move", "_wrong", "_drop", "_ask_about", "_restart"} <= set(done)
