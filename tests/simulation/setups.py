"""Tables to simulate, drawn from a seed: every preset, house rules, both reaction modes, 2 to 10 players.

Here: `draw_setup`. Not here: how they are played (`world`).
"""

from collections.abc import Sequence
from dataclasses import replace
from random import Random

from lastcard.rules.ruleset import PRESETS, Ruleset, ruleset
from lastcard.table.setup import SeatRequest, TableSetup
from lastcard.table.timecontrol import TimeControl

_HOUSE: dict[str, tuple[object, ...]] = {
    "stack_draw_two": ("off", "same"),
    "stack_w4": ("off", "same"),
    "stack_cross": ("off", "four_on_two", "any"),
    "stack_max": (0, 4, 8),
    "jump_in": ("off", "identical", "identical_incl_w4"),
    "jump_in_effect": ("cancel_previous", "accumulate"),
    "zero_rotate": (False, True),
    "seven_swap": (False, True),
    "swap_uno_protected": (False, True),
    "passive_uno": ("exempt", "required"),
    "uno_grace_ms": (0, 300),
    "uno_catch_window": ("next_turn_action", "own_next_turn", "none"),
    "false_catch_penalty": (0, 1),
    "false_uno_penalty": (0, 2),
    "draw_mode": ("one", "until_playable", "up_to_n"),
    "drawn_card": ("may_play", "must_play", "never"),
    "pile_empty": ("reshuffle_keep_top", "end_round"),
    "draw_two_target_loses_turn": (True, False),
    "reverse_two_players": ("skip", "no_effect"),
    "last_card_draw": ("end_at_once", "draw_then_score"),
    "finish_restriction": ("none", "no_wild", "number_only"),
    "start_wild": ("first_player_chooses", "dealer_chooses"),
    "leaver_cards": ("to_discard", "frozen"),
    "timeout_action": ("draw_and_pass", "draw_and_pass", "forfeit"),
    "max_timeouts": (0, 1, 3),
    "hand_size": (1, 3, 7),
    "match_tie": ("shared", "extra_round"),
}
_ENDS: tuple[dict[str, object], ...] = (
    {"match_end": "single_round"},
    {"match_end": "rounds", "match_rounds": 2},
    {"match_end": "target+rounds", "target_points": 120, "match_rounds": 4},
    {"match_end": "time+rounds", "match_time_s": 60, "match_rounds": 5},
)


def draw_rules(random: Random, ends: Sequence[dict[str, object]] = _ENDS, most_turns: int = 400) -> Ruleset:
    """Rules of any preset with any house rules; `ends` are the ways in which the match may end."""
    options = dict(random.choice(ends))
    options["max_turns_per_round"] = min(random.choice((60, 150, 400)), most_turns)
    often = random.choice((0.0, 0.3, 0.7))
    for name, values in _HOUSE.items():
        if random.random() < often:
            options[name] = random.choice(values)
    return ruleset(random.choice(PRESETS), options)


def draw_setup(random: Random) -> TableSetup:
    """A table that a user might ask for; the same generator state gives the same one."""
    players = random.randint(2, 10) if random.random() < 0.5 else random.randint(2, 4)
    setup = _draw_setup(random, players)
    return replace(setup, disguise=setup.salt[0] % 2 == 1)


def _draw_setup(random: Random, players: int) -> TableSetup:
    return TableSetup(
        rules=draw_rules(random),
        seats=tuple(_draw_seat(random, seat) for seat in range(players)),
        salt=random.randbytes(32),
        clock=TimeControl(
            limit_ms=random.choice((200, 1_000, 2_000)),
            bank_ms=random.choice((0, 500, 10_000)),
            reaction_ms=random.choice((100, 500)),
            start_up_ms=5_000,
            grace_ms=random.choice((0, 2_000, 10_000)),
            network_credit_ms=random.choice((0, 20, 100)),
            network_credit_total_ms=random.choice((0, 200, 10_000)),
        ),
        sealed=random.random() < 0.5,
        draws=random.choice(("pile", "per_seat")),
        round_pause_ms=random.choice((0, 0, 3_000)),
        opened_ms=random.randint(0, 1_000),
        idle_ms=20_000,
    )


def _draw_seat(random: Random, seat: int) -> SeatRequest:
    kind = random.random()
    if kind < 0.6:
        return SeatRequest(bot=f"bot{seat}")
    return SeatRequest(builtin="random") if kind < 0.7 else SeatRequest()
