"""The named sets of rules, each as its departures from the options' defaults.

Here: the departures, as in rules.md section 8. Not here: the options themselves (`option_list`). Imports nothing of
ours.
"""

from collections.abc import Mapping

_GERMAN: dict[str, bool | str] = {
    "first_dealer": "random",
    "start_skip": "ignore",
    "start_draw_two": "ignore",
    "start_reverse": "ignore",
    "start_wild": "redraw",
    "start_wild_draw_four": "redraw",
    "voluntary_draw": "forbidden",
    "w4_legality": "no_color_or_number",
    "w4_enforcement": "reject",
    "w4_challenge": "off",
    "uno_catch_window": "next_turn_action",
    "last_card_draw": "end_at_once",
}

_DANISH: dict[str, bool | str] = {
    "first_dealer": "random",
    "start_skip": "apply",
    "start_draw_two": "apply",
    "start_reverse": "right_of_dealer",
    "start_wild": "dealer_chooses",
    "start_wild_draw_four": "dealer_chooses_apply",
    "voluntary_draw": "allowed",
    "w4_legality": "anytime",
    "w4_enforcement": "reject",
    "w4_challenge": "off",
    "uno_catch_window": "own_next_turn",
    "last_card_draw": "end_at_once",
}

DEPARTURES: Mapping[str, Mapping[str, bool | str]] = {
    "german": _GERMAN,
    "danish": _DANISH,
    "official": {},
    "german_literal": {**_GERMAN, "w4_target_loses_turn": False},
    "danish_literal": {**_DANISH, "match_symbol": "off", "passive_uno": "required"},
    "danish_low": {**_DANISH, "scoring": "each_keeps_own"},
    "official_low": {"scoring": "each_keeps_own"},
}
"""Options of every preset that are not at their default (rules.md section 8)."""

ABOUT: Mapping[str, str] = {
    "german": "the German way: a special start card does nothing, drawing only for those who cannot play",
    "danish": "the Danish way: W4 at any time, the dealer plays the start card, late catches",
    "official": "Mattel's sheet",
    "german_literal": "german to the letter: the target of a wild draw four keeps the turn",
    "danish_literal": "danish to the letter: symbols never match, a hand swapped to one card owes the call",
    "danish_low": "danish, everybody keeps the own points and fewest win",
    "official_low": "official, everybody keeps the own points and fewest win",
}
"""What each preset is, as part of a sentence."""

PRESETS: tuple[str, ...] = tuple(DEPARTURES)
"""The names of all presets."""
