"""Options and presets: values, refusals, texts, maps, decks."""

import dataclasses
import re
from collections.abc import Mapping

import pytest

from lastcard.rules.cards import FACES, classic_deck
from lastcard.rules.option_list import BY_NAME
from lastcard.rules.options import Choice, Number
from lastcard.rules.ruleset import OPTIONS, PRESETS, Ruleset, RulesetError, check_players, ruleset


def refused(options: Mapping[str, object], preset: str = "official") -> str:
    with pytest.raises(RulesetError) as error:
        ruleset(preset, options)
    sentence = str(error.value)
    assert sentence.endswith(".")
    return sentence


def test_fields_are_the_options_in_their_order() -> None:
    fields = [field.name for field in dataclasses.fields(Ruleset)]
    assert fields == ["preset", *("deck_name" if option.name == "deck" else option.name for option in OPTIONS)]


def test_presets_are_those_of_section_8() -> None:
    assert PRESETS == (
        "german", "danish", "official", "german_literal", "danish_literal", "danish_low", "official_low",
    )  # fmt: skip


@pytest.mark.parametrize(
    ("preset", "name", "value"),
    [
        ("german", "start_skip", "ignore"),
        ("german", "start_wild", "redraw"),
        ("german", "voluntary_draw", "forbidden"),
        ("german", "w4_legality", "no_color_or_number"),
        ("german", "w4_target_loses_turn", True),
        ("german", "last_card_draw", "end_at_once"),
        ("german_literal", "w4_target_loses_turn", False),
        ("german_literal", "voluntary_draw", "forbidden"),
        ("danish", "start_reverse", "right_of_dealer"),
        ("danish", "start_wild_draw_four", "dealer_chooses_apply"),
        ("danish", "w4_legality", "anytime"),
        ("danish", "uno_catch_window", "own_next_turn"),
        ("danish", "match_symbol", "same_symbol"),
        ("danish_literal", "match_symbol", "off"),
        ("danish_literal", "passive_uno", "required"),
        ("danish_low", "scoring", "each_keeps_own"),
        ("danish_low", "start_wild", "dealer_chooses"),
        ("official_low", "scoring", "each_keeps_own"),
        ("official", "first_dealer", "high_card"),
        ("official", "w4_enforcement", "bluff_allowed"),
        ("official", "w4_challenge", "next_player"),
        ("official", "last_card_draw", "draw_then_score"),
    ],
)
def test_value_of_a_preset(preset: str, name: str, value: object) -> None:
    assert ruleset(preset).value(name) == value


@pytest.mark.parametrize("preset", PRESETS)
def test_common_values_of_section_8(preset: str) -> None:
    rules = ruleset(preset)
    assert (rules.min_players, rules.max_players, rules.hand_size, rules.deck()) == (2, 10, 7, classic_deck())
    assert (rules.draw_mode, rules.draw_limit, rules.drawn_card) == ("one", 3, "may_play")
    assert (rules.match_end, rules.target_points, rules.match_rounds, rules.match_time_s) == ("target", 500, 10, 1800)
    assert (rules.challenge_guilty_draws, rules.challenge_innocent_draws) == (4, 6)  # K29
    assert (rules.stack_draw_two, rules.jump_in, rules.seven_swap, rules.stack_max) == ("off", "off", False, 0)
    assert rules.overrides() == ()


@pytest.mark.parametrize("option", OPTIONS, ids=lambda option: option.name)
def test_every_value_survives_its_text_and_has_a_meaning(option: object) -> None:
    assert isinstance(option, tuple(type(one) for one in OPTIONS))
    texts = list(option.meanings) if not isinstance(option, Number) else [str(option.low), str(option.high)]
    for text in texts:
        if isinstance(option, Choice) and text in option.unsupported:
            with pytest.raises(RulesetError, match="not yet supported"):
                option.parse(text)
            continue
        if isinstance(option, Number) and option.only is not None and text != str(option.only):
            continue
        value = option.parse(text)
        assert option.text(value) == text
        assert option.parse(value) == value
        assert option.meaning(value)
    assert re.fullmatch(r"[A-Z].*\.", option.help)


def test_typed_and_text_values_are_equal() -> None:
    typed: dict[str, object] = {"seven_swap": True, "hand_size": 5, "jump_in": "identical", "card_points": {"W": 40}}
    text: dict[str, object] = {"seven_swap": "true", "hand_size": "5", "jump_in": "identical", "card_points": "W=40"}
    assert ruleset("german", typed) == ruleset("german", text)
    assert ruleset("german", typed).overrides() == (
        ("card_points", "W=40"),
        ("hand_size", "5"),
        ("jump_in", "identical"),
        ("seven_swap", "true"),
    )


def test_overrides_make_the_same_rules_again() -> None:
    rules = ruleset("danish", {"deck": "custom", "deck_counts": "5=2,R0=3,W=4", "hand_size": 3, "match_end": "rounds"})
    assert ruleset("danish", dict(rules.overrides())) == rules


def test_an_option_set_to_the_presets_value_is_no_override() -> None:
    assert ruleset("german", {"voluntary_draw": "forbidden"}).overrides() == ()


def test_unknown_preset_names_the_presets() -> None:
    sentence = refused({}, "swiss")
    assert "'swiss'" in sentence
    assert all(preset in sentence for preset in PRESETS)


def test_unknown_option_names_the_options() -> None:
    sentence = refused({"stack": "on"})
    assert "'stack'" in sentence
    assert all(name in sentence for name in BY_NAME)


@pytest.mark.parametrize(
    ("name", "value", "named"),
    [
        ("draw_mode", "two", "one, until_playable, up_to_n"),
        ("draw_mode", 1, "one, until_playable, up_to_n"),
        ("stack_draw_two", False, "off, same"),
        ("seven_swap", "yes", "true or false"),
        ("seven_swap", 1, "true or false"),
        ("hand_size", "16", "from 1 to 15"),
        ("hand_size", 0, "from 1 to 15"),
        ("hand_size", True, "from 1 to 15"),
        ("hand_size", "1_0", "from 1 to 15"),
        ("hand_size", "٣", "from 1 to 15"),
        ("hand_size", "", "from 1 to 15"),
        ("hand_size", 7.0, "from 1 to 15"),
        ("hand_size", "9" * 5000, "from 1 to 15"),
        ("uno_penalty", 5, "from 0 to 4"),
        ("match_end", "points", "target, rounds, time, single_round"),
        ("match_end", "target+target", "target, rounds, time, single_round"),
        ("match_end", "", "target, rounds, time, single_round"),
        ("match_end", 5, "target, rounds, time, single_round"),
        ("card_points", "Q=3", "'Q'"),
        ("card_points", "R5", "no pair"),
        ("card_points", "R5=501", "from 0 to 500"),
        ("card_points", {"R5": "x"}, "from 0 to 500"),
        ("card_points", {"R5": True}, "from 0 to 500"),
        ("card_points", "R5=1,R5=2", "twice"),
        ("card_points", 5, "neither"),
    ],
)
def test_bad_value_is_refused_with_what_is_valid(name: str, value: object, named: str) -> None:
    sentence = refused({name: value})
    assert name in sentence
    assert named in sentence


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("play_multiple", "same_number"),
        ("deck", "swap112"),
        ("deck", "shuffle112"),
        ("teams", "two_vs_two"),
        ("play_on", "for_places"),
        ("elimination", "at_target"),
        ("hand_limit_out", 25),
    ],
)
def test_what_is_not_built_yet_says_so(name: str, value: object) -> None:
    sentence = refused({name: value})
    assert f"{name} = {value} is not yet supported" in sentence


@pytest.mark.parametrize(
    ("options", "named"),
    [
        ({"min_players": 5, "max_players": 4}, "exceeds max_players"),
        ({"deck": "custom"}, "needs deck_counts"),
        ({"deck_counts": {"5": 1}}, "is for deck = custom"),
        ({"deck": "custom", "deck_counts": {"5": 1}}, "need 15 cards, but the deck has 4"),
        ({"deck": "custom", "deck_counts": {"W4": 50}}, "may start a round"),
        ({"deck": "custom", "deck_counts": "1=40,2=24,W=1"}, "has 257 cards; at most 256"),
    ],
)
def test_contradictions_are_refused(options: dict[str, object], named: str) -> None:
    assert named in refused(options)


def test_match_end_has_one_spelling() -> None:
    assert ruleset("official", {"match_end": "time + target"}).match_end == "target+time"


def test_maps_have_one_form() -> None:
    by_faces = {f"{color}5": 9 for color in "RYGB"}
    assert ruleset("official", {"card_points": by_faces}).card_points == (("5", 9),)
    assert ruleset("official", {"card_points": "W=50,3=3"}).card_points == ()
    assert ruleset("official", {"card_points": "R5=1,5=2"}).card_points == (("R5", 1), ("Y5", 2), ("G5", 2), ("B5", 2))


def test_points() -> None:
    rules = ruleset("official")
    assert [rules.points(FACES[text]) for text in ("R0", "B9", "YS", "GV", "RD", "W", "W4")] == [
        0,
        9,
        20,
        20,
        20,
        50,
        50,
    ]
    changed = ruleset("official", {"card_points": "W=40,9=10,R9=1"})
    assert [changed.points(FACES[text]) for text in ("W", "W4", "B9", "R9")] == [40, 50, 10, 1]


def test_custom_deck() -> None:
    rules = ruleset("official", {"deck": "custom", "deck_counts": "5=4,R0=1,W4=2"})
    assert rules.deck() == tuple(sorted([FACES["W4"]] * 2 + [FACES["R0"]] + [FACES[f"{c}5"] for c in "RYGB"] * 4))


def test_c10_players_are_checked_against_rules_and_deck() -> None:
    check_players(ruleset("official"), 10)
    check_players(ruleset("official", {"hand_size": 10}), 10)
    with pytest.raises(RulesetError, match="10 players with hand_size = 11 and a start card need 111 cards"):
        check_players(ruleset("official", {"hand_size": 11}), 10)
    with pytest.raises(RulesetError, match="for 3 to 4 players, not 5"):
        check_players(ruleset("official", {"min_players": 3, "max_players": 4}), 5)
    with pytest.raises(RulesetError, match="for 2 to 10 players, not 1"):
        check_players(ruleset("official"), 1)


def test_k30_a_wild_only_deck_may_start_where_the_rules_let_it() -> None:
    deck: dict[str, object] = {"deck": "custom", "deck_counts": "W=50"}
    assert len(ruleset("official", deck).deck()) == 50
    assert "may start a round" in refused(deck, "german")
