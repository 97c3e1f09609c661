"""Faults that real programs have had, each under every preset: the whole kind of fault, not the one position.

The positions themselves are scenarios (`tests/scenarios/cases.toml`).
"""

import pytest

from lastcard.rules.ruleset import PRESETS
from lastcard.rules.scenario import run_scenario
from lastcard.rules.scenario_file import read_scenarios

every_preset = pytest.mark.parametrize("preset", PRESETS)


def check(preset: str, hands: list[str], steps: list[str], **keys: str) -> None:
    """Plays the steps under a preset; keys are TOML values."""
    given = {"discard": '"R5"', **keys}
    lines = [f'id = "{preset}"', f'rules = "{preset}"', f"hands = {hands}", f"steps = {steps}"]
    lines += [f"{key} = {value}" for key, value in given.items() if value]
    (scenario,) = read_scenarios("[[scenario]]\n" + "\n".join(lines).replace("'", '"'))
    result = run_scenario(scenario)
    assert result.passed, result.line


@every_preset
def test_A01_no_second_draw(preset: str) -> None:
    steps = ["0 draw", "0 draw -> ACTION_NOT_AVAILABLE", "0 B2 -> CARD_NOT_PLAYABLE", "0 R9", "? turn 1"]
    check(preset, ["B2 B3", "*7", "*7"], steps, pile='"R9 *"')


@every_preset
@pytest.mark.parametrize("pile", ["Y7", "Y7 *", ""])
def test_A02_A03_an_unplayable_draw_passes_the_turn(preset: str, pile: str) -> None:
    check(
        preset, ["B2", "B3 B4"], ["0 draw", "? turn 1", "0 draw -> NOT_YOUR_TURN"], pile=f'"{pile}"', discard='"G3 R5"'
    )


@every_preset
@pytest.mark.parametrize("players", range(2, 11))
def test_A05_reverse_with_two_and_with_more(preset: str, players: int) -> None:
    hands = ["GV R1 B3", *["*7"] * (players - 1)]
    following = 0 if players == 2 else players - 1
    check(preset, hands, ["0 GV", "? direction -1", f"? turn {following}"], discard='"G4"')


@every_preset
@pytest.mark.parametrize("direction", [1, -1])
@pytest.mark.parametrize("gone", range(4))
def test_A06_the_turn_after_a_removal(preset: str, direction: int, gone: int) -> None:
    order = [(gone + direction * step) % 4 for step in (1, 2, 3)]
    steps = [f"{gone} leave"]
    for seat in (*order, order[0]):
        steps += [f"? turn {seat}", f"{seat} timeout"]
    check(preset, ["*5"] * 4, steps, turn=str(gone), direction=str(direction), dealer="0" if gone else "1")


@every_preset
@pytest.mark.parametrize("players", range(3, 11))
@pytest.mark.parametrize("seat", [0, 1, 2])
def test_A07_reverse_takes_effect_at_once(preset: str, players: int, seat: int) -> None:
    hands = ["*5"] * players
    hands[seat] = "RV B2 B3"
    before, after = (seat - 1) % players, (seat + 1) % players
    steps = [f"{seat} RV", "? direction -1", f"? turn {before}", f"{after} draw -> NOT_YOUR_TURN"]
    check(preset, hands, steps, discard='"R3"', turn=str(seat))


@every_preset
@pytest.mark.parametrize("mode", ["one", "until_playable", "up_to_n"])
def test_A08_a_penalty_is_exact_under_every_draw_mode(preset: str, mode: str) -> None:
    steps = ["0 RD", "? hand 1 B1 B2 R1 B4", "? turn 2"]
    options = f'{{ draw_mode = "{mode}", drawn_card = "must_play" }}'
    check(preset, ["RD Y1 Y2", "B1 B2", "*7"], steps, pile='"R1 B4 R9 *"', options=options)


@every_preset
def test_A15_A16_exhausted_piles_are_no_error(preset: str) -> None:
    steps = ["0 RD", "? hand 1 G1 R5", "? turn 2", "2 draw", "? count 2 2", "? turn 0"]
    check(preset, ["RD B1", "G1", "G3 Y4"], steps, pile='""')


@every_preset
@pytest.mark.parametrize("color", "RYGB")
@pytest.mark.parametrize("wild", ["W", "W4"])
def test_A55_the_chosen_colour_is_used(preset: str, wild: str, color: str) -> None:
    others = [letter for letter in "RYGB" if letter != color]
    steps = [f"0 {wild}/{color}", f"? color {color}", f"? top {wild}"]
    if wild == "W":
        steps += [f"1 {other}1 -> CARD_NOT_PLAYABLE" for other in others]
        steps.append(f"1 {color}1")
    hand = "R1 Y1 G1 B1 *3"
    check(preset, [f"{wild} B2 Y3 G4", hand, "*5"], steps, discard='"R5"')


@every_preset
@pytest.mark.parametrize("wild", ["W", "W4"])
def test_A28_a_wild_without_colour_leaves_everything_as_it_was(preset: str, wild: str) -> None:
    steps = [f"0 {wild} -> COLOR_REQUIRED", f"? hand 0 {wild} R2 B3", "? turn 0", "? color R", "0 R2", "? turn 1"]
    check(preset, [f"{wild} R2 B3", "*7"], steps)


@every_preset
def test_A20_no_preset_stacks(preset: str) -> None:
    steps = ["0 RD", "? count 1 4", "? pending 0", "1 BD -> NOT_YOUR_TURN", "2 GD", "? count 0 4", "? turn 1"]
    options = '{ match_symbol = "same_symbol" }'
    check(preset, ["RD Y9 Y8", "BD Y1", "GD Y2 Y3"], steps, discard='"R4"', options=options)


@every_preset
def test_A42_A43_nobody_acts_twice(preset: str) -> None:
    check(
        preset,
        ["R5 R6", "*7"],
        ["0 R5!", "0 R6 -> NOT_YOUR_TURN", "0 draw -> NOT_YOUR_TURN", "? turn 1"],
        discard='"R1"',
    )


@every_preset
def test_A45_A47_reasons(preset: str) -> None:
    steps = [
        "0 W4/B -> CARD_NOT_IN_HAND",
        "0 R9 -> CARD_NOT_IN_HAND",
        "0 B2 -> CARD_NOT_PLAYABLE",
        "1 draw -> NOT_YOUR_TURN",
        "1 R9 -> NOT_YOUR_TURN",
        "0 accept -> ACTION_NOT_AVAILABLE",
        "0 challenge -> ACTION_NOT_AVAILABLE",
        "0 keep -> ACTION_NOT_AVAILABLE",
        "0 color R -> ACTION_NOT_AVAILABLE",
        "? turn 0",
        "? hand 0 B2 G7",
    ]
    check(preset, ["B2 G7", "*7"], steps)


@every_preset
def test_A24_one_offence_is_punished_once(preset: str) -> None:
    steps = [
        "0 R1",
        "0 catch 0 -> refused",
        "2 catch 0",
        "1 catch 0 -> NOT_LIABLE",
        "2 catch 0 -> NOT_LIABLE",
        "? count 0 3",
    ]
    check(preset, ["R1 B2", "*7", "*7"], steps)


@every_preset
def test_A25_an_early_call_counts_for_its_turn_alone(preset: str) -> None:
    steps = ["0 uno", "0 timeout", "1 timeout", "2 timeout", "? count 0 3", "0 uno -> ACTION_NOT_AVAILABLE"]
    hands = ["B2 G7", "*7", "*7"]
    check(preset, hands, steps, pile='"Y1 Y3 Y4 *"')


@every_preset
def test_A26_the_winner_is_not_credited_with_his_own_cards(preset: str) -> None:
    low = preset.endswith("_low")
    steps = ["0 leave", "? winner 1", "? score 123 0" if low else "? score 0 123", "? match over"]
    check(preset, ["B6 B8 R7 RV W4 YS B9 R3", "B1 G8 W Y3"], steps)


@every_preset
@pytest.mark.parametrize("last", ["RD", "W4"])
def test_A27_a_last_draw_card(preset: str, last: str) -> None:
    drawn = (2 if last == "RD" else 4) if preset.startswith("official") else 0
    steps = [f"0 {last}", "? round over out", "? winner 0", f"? count 1 {1 + drawn}", "1 accept -> refused"]
    check(preset, [last, "B5", "W"], steps, discard='"R1"')


@every_preset
def test_A32_a_timeout_is_never_illegal(preset: str) -> None:
    steps = ["0 timeout", "? hand 0 R5 R6 R9", "? turn 1", "? pending 0"]
    check(preset, ["R5 R6", "*7", "*7"], steps, pile='"R9 *"', discard='"R1"')


@every_preset
def test_A35_after_the_end_nothing_is_accepted(preset: str) -> None:
    moves = [
        "0 R1",
        "0 draw",
        "0 uno",
        "0 catch 1",
        "1 draw",
        "0 timeout",
        "0 keep",
        "0 accept",
        "0 challenge",
        "0 color R",
    ]
    after = [f"{move} -> ROUND_OVER" for move in moves]
    check(preset, ["R1 B2", "R5"], ["1 R5", "? round over out", *after], discard='"R9"', turn="1")
    over = [f"{move} -> MATCH_OVER" for move in [*moves, "0 leave"]]
    check(preset, ["R1 B2", "R5"], ["0 leave", *over])


@every_preset
@pytest.mark.parametrize(("card", "owed"), [("RD", 2), ("W4/B", 4)])
@pytest.mark.parametrize("stacking", ["off", "same"])
def test_A09_a_penalty_is_booked_once(preset: str, card: str, owed: int, stacking: str) -> None:
    asked = stacking == "same" or (owed == 4 and preset.startswith("official"))
    keeps = owed == 4 and preset == "german_literal"
    steps = [f"0 {card}", *(["1 accept"] if asked else []), f"? count 1 {3 + owed}", "? pending 0"]
    steps += [f"? turn {1 if keeps else 2}", *(["1 timeout"] if keeps else []), "2 timeout", "0 timeout", "1 timeout"]
    steps += [f"? count 0 {3}", f"? count 1 {4 + owed + keeps}", "? count 2 6", "? pending 0"]
    options = f'{{ stack_draw_two = "{stacking}", stack_w4 = "{stacking}" }}'
    check(preset, [f"{card[:2]} B2 Y3", "G1 G2 G3", "*5"], steps, options=options)


# What stands open when a seat leaves: the steps that lead there, who must then decide, and who after it.
OPEN_DUTIES = {
    "turn": ([], 0, 1),
    "drawn card": (["0 draw"], 0, 1),
    "draw two": (["0 RD"], 1, 2),
    "wild draw four": (["0 W4/G"], 1, 2),
    "stack": (["0 RD", "1 GD"], 2, 3),
}


@every_preset
@pytest.mark.parametrize("duty", OPEN_DUTIES)
def test_A29_A31_a_leaver_takes_his_duty_with_him(preset: str, duty: str) -> None:
    before, seat, following = OPEN_DUTIES[duty]
    options = (
        '{ stack_draw_two = "same", stack_w4 = "same", voluntary_draw = "allowed", w4_legality = "anytime",'
        ' w4_challenge = "next_player" }'
    )
    after = (following + 1) % 4
    steps = [*before, f"? turn {seat}", f"{seat} leave", f"? turn {following}", "? pending 0", f"? count {seat} 0"]
    steps += [f"? count {following} {len(HANDS[following].split())}", f"{following} timeout", f"? turn {after}"]
    check(preset, HANDS, steps, pile='"R9 *"', options=options)


HANDS = ["RD W4 B1 B2", "GD B3 Y3", "Y1 Y2 Y4", "Y6 Y7 Y8"]


@every_preset
@pytest.mark.parametrize("leaves", [0, 1, 2])
def test_A29_no_table_without_a_colour(preset: str, leaves: int) -> None:
    """Whoever leaves while a start wild waits for its colour: somebody who is there names it, and play goes on."""
    chooser = 2 if preset.startswith("danish") else 0
    steps: list[str] = []
    if not preset.startswith("german"):
        left = [seat for seat in (0, 1, 2) if seat != leaves]
        chooser = chooser if chooser != leaves else 1 if leaves == 0 else 0
        steps = [f"? turn {chooser}", *(f"{seat} draw -> refused" for seat in left), f"{chooser} color Y", "? color Y"]
    check(
        preset,
        ["*7", "*7", "*7"],
        [f"{leaves} leave", *steps, f"? turn {1 if leaves == 0 else 0}", f"{1 if leaves == 0 else 0} timeout"],
        discard="",
        flip='"W R5"',
        dealer="2",
    )
