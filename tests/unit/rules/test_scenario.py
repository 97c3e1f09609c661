"""Playing scenarios: positions as written, failures as one line, refusals that may change nothing."""

from unittest.mock import patch

import pytest

from lastcard.rules import scenario as runner
from lastcard.rules.actions import Action
from lastcard.rules.cards import text_of
from lastcard.rules.events import Event
from lastcard.rules.reasons import Reason, Refused
from lastcard.rules.scenario import Result, contents, run_scenario
from lastcard.rules.scenario_file import Scenario, read_scenarios
from lastcard.rules.scenario_position import build_state
from lastcard.rules.state import State


def scenario(**keys: str) -> Scenario:
    given = {
        "id": '"one"',
        "hands": '["B2 R7", "*7", "*7"]',
        "discard": '"G1 R5"',
        "pile": '"R9 Y1 *"',
        "steps": '["? turn 0"]',
    } | keys
    lines = "".join(f"{key} = {value}\n" for key, value in given.items() if value)
    return read_scenarios("[[scenario]]\n" + lines)[0]


def run(*steps: str, **keys: str) -> Result:
    return run_scenario(scenario(steps=str(list(steps)), **keys))


def drawn(state: State) -> str:
    pile = state.pile.clone()
    return text_of(state.faces[pile.draw(0)] for _ in range(len(pile)))


def test_a_pass() -> None:
    result = run("0 draw", "? hand 0 R9 R7 B2", "0 R9")
    assert (result.passed, result.line) == (True, "ok one")


@pytest.mark.parametrize(
    ("steps", "line"),
    [
        (["? turn 1"], 'FAIL one step 1 "? turn 1": expected 1, got 0'),
        (["0 draw", "? hand 0 B2"], 'FAIL one step 2 "? hand 0 B2": expected B2, got R7 R9 B2'),
        (["? hand 0"], 'FAIL one step 1 "? hand 0": expected nothing, got R7 B2'),
        (["? legal 0 draw"], 'FAIL one step 1 "? legal 0 draw": expected draw, got R7 draw'),
        (["? legal 1 draw"], 'FAIL one step 1 "? legal 1 draw": expected draw, got nothing'),
        (["? liable 0"], 'FAIL one step 1 "? liable 0": expected liable, got not liable'),
        (["? round over out"], 'FAIL one step 1 "? round over out": expected over out, got on'),
        (["? score 0 0 0"], 'FAIL one step 1 "? score 0 0 0": expected 0 0 0, got none, the round is on'),
        (["? winner 0"], 'FAIL one step 1 "? winner 0": expected 0, got none, the round is on'),
        (["0 R7 -> refused"], 'FAIL one step 1 "0 R7 -> refused": expected refused, got accepted'),
        (
            ["0 R7 -> CARD_NOT_PLAYABLE"],
            'FAIL one step 1 "0 R7 -> CARD_NOT_PLAYABLE": expected CARD_NOT_PLAYABLE, got accepted',
        ),
    ],
)
def test_a_failure_is_one_line(steps: list[str], line: str) -> None:
    assert run(*steps).line == line


def test_a_wrong_refusal_is_told_with_its_sentence() -> None:
    line = run("0 B2").line
    assert line.startswith('FAIL one step 1 "0 B2": expected accepted, got CARD_NOT_PLAYABLE: B2 may not be played')
    line = run("0 B2 -> NOT_YOUR_TURN").line
    assert "expected NOT_YOUR_TURN, got CARD_NOT_PLAYABLE: " in line


def test_steps_after_a_failure_are_not_played() -> None:
    result = run("? turn 1", "? turn 2")
    assert (result.step, result.text) == (1, "? turn 1")


def test_a_refusal_that_changes_something_fails() -> None:
    def careless(state: State, seat: int, action: Action, call_uno: bool = False) -> list[Event]:
        state.pile.draw(seat)
        raise Refused(Reason.CARD_NOT_PLAYABLE, f"{action} and {call_uno} do not matter")

    with patch.object(runner, "apply", careless):
        line = run("0 B2 -> refused").line
    assert "expected nothing changed by a refusal, got a changed state" in line


def test_the_position_is_as_written() -> None:
    state = build_state(scenario(totals="[3, 2, 1]", turn="1", dealer="0", direction="-1").position)
    assert text_of(state.hand_faces(0)) == "R7 B2"
    assert [len(hand) for hand in state.hands] == [2, 7, 7]
    assert text_of(state.faces[card] for card in state.discard) == "G1 R5"
    assert drawn(state).startswith("R9 Y1 ")
    assert (state.turn, state.dealer, state.direction, state.totals) == (1, 0, -1, [3, 2, 1])
    assert len(state.pile) == 108 - 16 - 2


def test_the_deck_is_what_is_named_when_nothing_is_left_open() -> None:
    state = build_state(scenario(hands='["B2", "B2 R7"]', pile='"R9"').position)
    assert text_of(state.faces) == "R5 R7 R9 G1 B2 B2"


def test_hands_filled_without_an_open_pile_leave_the_rest_out_of_play() -> None:
    state = build_state(scenario(pile='"R9 Y1"').position)
    assert drawn(state) == "R9 Y1"
    assert len(state.faces) == 2 + 14 + 2 + 2


def test_a_pile_left_out_holds_all_other_cards() -> None:
    state = build_state(scenario(pile="").position)
    assert len(state.faces) == 108


def test_the_same_scenario_is_the_same_position_and_ids_give_others() -> None:
    one, again, other = (build_state(scenario(id=name).position) for name in ('"a"', '"a"', '"b"'))
    assert contents(one) == contents(again)
    assert contents(one) != contents(other)


def test_a_card_put_back_is_shuffled_in_and_the_named_order_stays() -> None:
    state = build_state(scenario(discard="", flip='"W4 W4 R3 G8"').position)
    assert text_of([state.top_face()]) == "R3"
    order = drawn(state)
    assert order.startswith("G8 R9 Y1 ")
    assert (
        order.split().count("W4") + text_of(f for s in range(3) for f in state.hand_faces(s)).split().count("W4") == 4
    )


def test_contents_see_every_difference() -> None:
    state = build_state(scenario().position)
    before = contents(state)
    assert contents(state.clone()) == before
    for change in (
        lambda copy: copy.hands[1].pop(),
        lambda copy: copy.pile.draw(0),
        lambda copy: setattr(copy, "pending", 2),
        lambda copy: copy.known.setdefault(0, {}).setdefault(1, []).append(16),
        lambda copy: copy.totals.__setitem__(0, 1),
    ):
        copy = state.clone()
        change(copy)
        assert contents(copy) != before
    assert contents(state) == before
