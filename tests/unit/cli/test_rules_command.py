"""`lastcard rules`: presets, options, values and meanings."""

import json

import pytest

from lastcard.cli.main import main
from lastcard.rules.ruleset import OPTIONS, PRESETS, ruleset


def test_presets_are_listed_with_their_departures(capsys):
    assert main(["rules"]) == 0
    shown = capsys.readouterr().out
    assert all(f"{preset}: " in shown for preset in PRESETS)
    assert "voluntary_draw = forbidden" in shown


@pytest.mark.parametrize("preset", PRESETS)
def test_every_option_of_a_preset_is_shown_with_value_and_meaning(capsys, preset):
    assert main(["rules", preset]) == 0
    shown = capsys.readouterr().out
    flat = " ".join(shown.split())
    rules = ruleset(preset)
    for option in OPTIONS:
        value = rules.value(option.name)
        assert f"\n  {option.name} = {option.text(value) or '-'}\n" in shown
        assert f"{option.help} here: {option.meaning(value)}." in flat


def test_every_value_can_be_shown(capsys):
    assert main(["rules", "german", "--values"]) == 0
    shown = capsys.readouterr().out
    assert "> forbidden: no, drawing is for those who cannot play" in shown
    assert "- allowed: yes, at any turn" in shown
    assert "two_vs_two: opposite seats are partners (not yet supported)" in shown
    assert "valid: a whole number from 1 to 15" in shown


def test_without_a_preset_the_values_are_shown_of_official(capsys):
    for options in (["--values"], ["--values", "--json"]):
        assert main(["rules", *options]) == 0
        shown = capsys.readouterr().out
        assert main(["rules", "official", *options]) == 0
        assert capsys.readouterr().out == shown


def test_options_laid_over_a_preset_are_marked(capsys):
    assert main(["rules", "german", "jump_in=identical", "hand_size=5"]) == 0
    shown = capsys.readouterr().out
    assert "\n  jump_in = identical *\n" in shown
    assert "\n  hand_size = 5 *\n" in shown
    assert "\n  seven_swap = false\n" in shown


def test_json(capsys):
    assert main(["rules", "danish", "seven_swap=true", "--json"]) == 0
    shown = json.loads(capsys.readouterr().out)
    assert shown["preset"] == "danish"
    options = {option["name"]: option for option in shown["options"]}
    assert list(options) == [option.name for option in OPTIONS]
    assert options["seven_swap"]["value"] == "true"
    assert options["seven_swap"]["override"] is True
    assert options["uno_catch_window"]["value"] == "own_next_turn"
    assert options["uno_catch_window"]["override"] is False
    assert {"value": "same_number", "meaning": "any number of cards of the same number", "supported": False} in options[
        "play_multiple"
    ]["values"]


def test_json_of_all_presets(capsys):
    assert main(["rules", "--json"]) == 0
    shown = json.loads(capsys.readouterr().out)
    assert [one["preset"] for one in shown] == list(PRESETS)
    assert shown[PRESETS.index("official")]["departures"] == {}


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        (["swiss"], "valid are german, danish, official"),
        (["german", "jump"], "options are written NAME=VALUE"),
        (["german", "jump=on"], "There is no option 'jump'"),
        (["german", "jump_in=on"], "jump_in must be one of off, identical, identical_incl_w4, not 'on'"),
        (["german", "jump_in=off", "jump_in=identical"], "'jump_in' is given twice: as 'off' and as 'identical'"),
        (["german", "jump_in=off", "jump_in=off"], "'jump_in' is given twice"),
        (["", "--values"], "There is no preset ''"),
        (["german", "teams=two_vs_two"], "not yet supported"),
    ],
)
def test_what_does_not_exist_is_refused_in_one_sentence(capsys, arguments, named):
    assert main(["rules", *arguments]) == 2
    shown = capsys.readouterr()
    assert shown.out == ""
    assert named in shown.err
    assert shown.err.count("\n") == 1
