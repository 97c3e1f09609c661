"""Scenario files that cannot be read: each kind of error names the scenario, the key or step, and what is valid."""

import pytest

from lastcard.rules.scenario_file import KEYS, ScenarioFileError, read_scenarios

GOOD = {
    "id": '"one"',
    "hands": '["B2 R7", "*7", "*7"]',
    "discard": '"G1 R5"',
    "steps": '["0 draw"]',
}


def file_text(**changes: str | None) -> str:
    keys = {**GOOD, **changes}
    return "[[scenario]]\n" + "".join(f"{key} = {value}\n" for key, value in keys.items() if value is not None)


def problem(text: str) -> str:
    with pytest.raises(ScenarioFileError) as error:
        read_scenarios(text)
    assert len(error.value.problems) == 1
    return error.value.problems[0]


def test_the_good_file_is_good() -> None:
    (scenario,) = read_scenarios(file_text())
    assert (scenario.id, scenario.about, len(scenario.steps)) == ("one", "", 1)
    assert scenario.position.rules.preset == "official"
    assert scenario.position.dealer == 2


@pytest.mark.parametrize(
    ("changes", "where", "valid"),
    [
        ({"id": None}, "scenario number 1: id", "a text on one line"),
        ({"id": "5"}, "scenario number 1: id", "a text on one line"),
        ({"id": '" "'}, "scenario number 1: id", "a text on one line"),
        ({"id": '"a\\nb"'}, "scenario number 1: id", "a text on one line"),
        ({"abuot": '"x"'}, "one: abuot", ", ".join(KEYS)),
        ({"about": "3"}, "one: about", "no text"),
        ({"rules": '"swiss"'}, "one: rules", "german, danish, official"),
        ({"rules": "3"}, "one: rules", "german, danish, official"),
        ({"options": "3"}, "one: options", 'draw_mode = "one"'),
        ({"options": '{ draw = "one" }'}, "one: options", "draw_mode"),
        ({"options": '{ draw_mode = "two" }'}, "one: options", "one, until_playable, up_to_n"),
        ({"options": '{ teams = "two_vs_two" }'}, "one: options", "not yet supported"),
        ({"players": "4"}, "one: players", "4 does not fit 3 hands"),
        ({"players": "true"}, "one: players", "does not fit"),
        ({"hands": None}, "one: hands", "a list with a text for each seat"),
        ({"hands": '"R5"'}, "one: hands", "a list with a text for each seat"),
        ({"hands": "[5]"}, "one: hands", "a list with a text for each seat"),
        ({"hands": '["R5"]'}, "one: hands", "2 to 10 players, not 1"),
        ({"hands": str(["*1"] * 11)}, "one: hands", "2 to 10 players, not 11"),
        ({"hands": '["R10", "*7"]'}, "one: hands", "'R10' is no card"),
        ({"hands": '["W/G", "*7"]'}, "one: hands", "'W/G' is no card"),
        ({"hands": '["WH", "*7"]'}, "one: hands", "112-card deck"),
        ({"hands": '["*", "*7"]'}, "one: hands", "written *7"),
        ({"hands": '["*x", "*7"]'}, "one: hands", "written *7"),
        ({"hands": '["*0", "*7"]'}, "one: hands", "written *7"),
        ({"hands": '["*60", "*60"]'}, "one: hands", "120 cards are wanted with *, but only 106"),
        ({"hands": '["", "*7", "*7"]'}, "one: hands", "seat 0 is active and must hold a card"),
        ({"out": "[1]"}, "one: hands", "seat 1 is out and holds no card"),
        ({"out": "1"}, "one: out", "no list of seats"),
        ({"out": "[3]"}, "one: out", "valid are 0 to 2"),
        ({"out": "[-1]"}, "one: out", "valid are 0 to 2"),
        ({"out": '["1"]'}, "one: out", "valid are 0 to 2"),
        ({"out": "[1, 1]"}, "one: out", "twice"),
        ({"out": "[1, 2]", "hands": '["B2", "", ""]'}, "one: out", "at least 2 must be"),
        ({"discard": None}, "one: discard", "either discard or flip"),
        ({"flip": '"R5"'}, "one: discard", "either discard or flip"),
        ({"discard": "5"}, "one: discard", "no text of cards"),
        ({"discard": '""'}, "one: discard", "at least the top card"),
        ({"discard": '"R5/G"'}, "one: discard", "only W and W4 take one"),
        ({"discard": '"W/X"'}, "one: discard", "valid are R, Y, G and B"),
        ({"discard": '"Y0 Y0 R5"'}, "one: discard", "Y0 is named 2 times, but the deck holds 1"),
        ({"discard": '"W"'}, "one: color", "W needs a colour"),
        ({"discard": '"W"', "color": '"X"'}, "one: color", "valid are R, Y, G and B"),
        ({"discard": '"W/G"', "color": '"R"'}, "one: color", "contradicts the top card"),
        ({"color": '"G"'}, "one: color", "contradicts the top card"),
        ({"color": "1"}, "one: color", "valid are R, Y, G and B"),
        ({"discard": None, "flip": '""'}, "one: flip", "at least one card"),
        ({"discard": None, "flip": '"W/G"'}, "one: flip", "'W/G' is no card"),
        ({"discard": None, "flip": '"W4"', "pile": '"W4"', "hands": '["B1", "B2"]'}, "one: flip", "put back"),
        ({"discard": None, "flip": '"R5"', "turn": "0"}, "one: turn", "cannot be given with flip"),
        ({"discard": None, "flip": '"R5"', "color": '"R"'}, "one: color", "cannot be given with flip"),
        ({"discard": None, "flip": '"R5"', "direction": "-1"}, "one: direction", "cannot be given with flip"),
        ({"discard": None, "flip": '"RD"', "pending": "2"}, "one: pending", "cannot be given with flip"),
        ({"pile": "3"}, "one: pile", "no text of cards"),
        ({"pile": '"* R9"'}, "one: pile", "at the end"),
        ({"pile": '"R9 *7"'}, "one: pile", "at the end"),
        ({"pile": '"R5 R5 *"'}, "one: pile", "R5 is named 3 times, but the deck holds 2"),
        ({"turn": "3"}, "one: turn", "valid are 0, 1, 2"),
        ({"turn": '"0"'}, "one: turn", "valid are 0, 1, 2"),
        ({"turn": "0", "out": "[0]", "hands": '["", "*7", "*7"]'}, "one: turn", "valid are 1, 2"),
        ({"dealer": "1", "out": "[1]", "hands": '["B1", "", "*7"]'}, "one: dealer", "valid are 0, 2"),
        ({"direction": "0"}, "one: direction", "1 (clockwise) and -1"),
        ({"direction": "true"}, "one: direction", "1 (clockwise) and -1"),
        ({"pending": "-2"}, "one: pending", "a whole number from 0"),
        ({"pending": "2"}, "one: pending", "only a draw two or a W4"),
        ({"pending": "3", "discard": '"RD"'}, "one: pending", "an even number from 2"),
        ({"pending": "2", "discard": '"W4/R"'}, "one: pending", "an even number from 4"),
        ({"totals": "[0, 0]"}, "one: totals", "a list of 3 numbers"),
        ({"totals": "[0, 0, -1]"}, "one: totals", "a whole number from 0"),
        ({"totals": "[0, 0, 1.5]"}, "one: totals", "a whole number from 0"),
        ({"steps": None}, "one: steps", "at least one text"),
        ({"steps": "[]"}, "one: steps", "at least one text"),
        ({"steps": "[3]"}, "one: steps", "at least one text"),
    ],
)
def test_a_key_that_is_wrong(changes: dict[str, str | None], where: str, valid: str) -> None:
    sentence = problem(file_text(**changes))
    assert sentence.startswith(f"{where}: ")
    assert valid in sentence
    assert sentence.endswith(".")


@pytest.mark.parametrize(
    ("step", "valid"),
    [
        ("0 fold", "valid are a card to play, draw, keep"),
        ("0", "a move is a seat and an action"),
        ("", "a move is a seat and an action"),
        ("3 draw", "there is no seat 3; valid are 0 to 2"),
        ("0 catch 3", "there is no seat 3"),
        ("0 R7>3", "there is no seat 3"),
        ("0 R5/G", "only W and W4 take one"),
        ("0 R12", "is no card"),
        ("0 WX", "112-card deck"),
        ("0 pass", "records only"),
        ("0 R5 -> NOPE", "NOT_YOUR_TURN, CARD_NOT_IN_HAND"),
        ("0 R5 ->", "valid are refused, NOT_YOUR_TURN"),
        ("0 R5 -> card_not_playable", "valid are refused, NOT_YOUR_TURN"),
        ("?", "valid are turn, hand, count"),
        ("? turns 1", "valid are turn, hand, count"),
        ("? turn", "`? turn 1`"),
        ("? turn 1 2", "`? turn 1`"),
        ("? turn x", "'x' is no seat"),
        ("? turn 3", "there is no seat 3"),
        ("? turn 1 -> refused", "`? turn 1`"),
        ("? hand", "`? hand 0 R5 B2`"),
        ("? hand 0 W/G", "'W/G' is no card"),
        ("? count 0", "`? count 0 3`"),
        ("? count 0 x", "`? count 0 3`"),
        ("? top R5 G5", "`? top R5`"),
        ("? top W/G", "is no card"),
        ("? color W", "valid are R, Y, G and B"),
        ("? direction north", "`? direction -1`"),
        ("? pending", "`? pending 4`"),
        ("? legal", "`? legal 0 R5 W/R draw`"),
        ("? legal 0 uno", "not in the list of legal actions"),
        ("? legal 0 R5!", "not in the list of legal actions"),
        ("? legal 0 color", "'color' is no action"),
        ("? legal 0 catch", "'catch' is no action"),
        ("? liable", "`? liable 0`"),
        ("? not 0", "`? not liable 0`"),
        ("? active 0 3", "there is no seat 3"),
        ("? round over", "`? round over blocked`"),
        ("? round", "`? round on`"),
        ("? round over lost", "`? round over left`"),
        ("? match", "`? match over`"),
        ("? match done", "`? match on`"),
        ("? winner", "`? winner 2`"),
        ("? score 0 1", "one for each seat"),
        ("? totals 0 1 2 3", "one for each seat"),
        ("? totals 0 1 x", "`? totals 120 66 0`"),
        ("? cards", "`? cards 108`"),
    ],
)
def test_a_step_that_is_wrong(step: str, valid: str) -> None:
    sentence = problem(file_text(steps=f'["? turn 0", "{step}"]'))
    assert sentence.startswith(f'one: step 2 "{step}": ')
    assert valid in sentence


@pytest.mark.parametrize(
    ("text", "valid"),
    [
        ("[[scenario]\n", "it is not TOML"),
        ("", "it holds no scenario"),
        ("scenario = 3\n", "it holds no scenario"),
        ("scenario = []\n", "it holds no scenario"),
        ("scenario = [3]\n", "it holds no scenario"),
        ("title = 'x'\n" + file_text(), "'title' stands outside of a scenario"),
        (file_text() + file_text(), "scenario number 2: id: one is the id of an earlier scenario"),
    ],
)
def test_a_file_that_is_wrong(text: str, valid: str) -> None:
    assert valid in problem(text)


def test_every_wrong_scenario_is_reported() -> None:
    text = file_text(turn="9") + file_text(id='"two"') + file_text(id='"three"', steps='["?"]')
    with pytest.raises(ScenarioFileError) as error:
        read_scenarios(text)
    assert [sentence.split(":")[0] for sentence in error.value.problems] == ["one", "three"]


def test_direction_and_no_penalty_may_stand_beside_flip() -> None:
    text = file_text(discard=None, flip='"R5"', direction="1", pending="0")
    assert read_scenarios(text)[0].position.flip


def test_dealer_is_the_last_active_seat_by_default() -> None:
    text = file_text(out="[2]", hands='["B1", "B2", ""]')
    assert read_scenarios(text)[0].position.dealer == 1
