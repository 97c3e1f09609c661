"""Cards, actions and views in a bot author's words."""

import pytest

from bot_messages import action, view
from lastcard.rules.cards import FACES, classic_deck
from lastcard.v1.action_pb2 import Action
from lastcard.v1.view_pb2 import View
from lastcard_bot import cards


@pytest.mark.parametrize("text", list(FACES))
def test_every_card_has_a_text(text):
    assert cards.card_text(FACES[text]) == text


def test_several_cards_and_unknown_ones():
    assert cards.hand_text([FACES["R5"], FACES["W4"], 15, 300]) == "R5 W4 ?15 ?300"


@pytest.mark.parametrize(
    ("color", "text"), [(0, "none"), (1, "red"), (2, "yellow"), (3, "green"), (4, "blue"), (5, "?5"), (-1, "?-1")]
)
def test_colours_have_names(color, text):
    assert cards.color_text(color) == text


@pytest.mark.parametrize(
    "text",
    [
        "R5",
        "W/G",
        "W4/B",
        "R7>2",
        "draw",
        "keep",
        "accept",
        "challenge",
        "color Y",
        "jump R6",
        "uno",
        "catch 2",
        "pass",
    ],
)
def test_actions_are_written_as_in_records(text):
    assert cards.action_text(action(text)) == text


@pytest.mark.parametrize(
    ("made", "text"), [(Action(kind=55), "?55"), (Action(kind=6, color=9), "color ?9"), (Action(kind=1, card=13), "W")]
)
def test_unknown_actions_and_colours_have_a_text_too(made, text):
    assert cards.action_text(made) == text


@pytest.mark.parametrize(
    ("text", "number", "symbol", "points"),
    [
        ("R0", True, False, 0),
        ("G9", True, False, 9),
        ("BS", False, True, 20),
        ("YV", False, True, 20),
        ("RD", False, True, 20),
        ("W", False, False, 50),
        ("W4", False, False, 50),
    ],
)
def test_M25_kinds_and_points(text, number, symbol, points):
    face = FACES[text]
    assert (cards.is_number(face), cards.is_action(face), cards.points(face)) == (number, symbol, points)


def test_colours_are_counted_without_wilds():
    held = [FACES[text] for text in ("R1", "R1", "BD", "W", "W4")]
    assert cards.color_counts(held) == {cards.RED: 2, cards.YELLOW: 0, cards.GREEN: 0, cards.BLUE: 1}


@pytest.mark.parametrize(
    ("direction", "seat", "steps", "after"),
    [(1, 0, 1, 2), (1, 5, 1, 0), (-1, 0, 1, 5), (-1, 5, 2, 0), (0, 2, 1, 5), (1, 0, 3, 0)],
)
def test_seats_follow_in_the_direction_of_play_and_those_who_left_are_passed_over(direction, seat, steps, after):
    assert cards.next_seat(View(active_seats=[0, 2, 5], direction=direction), seat, steps) == after


def test_what_is_seen_nowhere_is_the_rest_of_the_deck():
    seen = view("R0 W", discard=[FACES["R1"]])
    seen.known_cards.add(seat=1, cards=[FACES["R1"], FACES["W4"]])
    rest = cards.unseen(seen)
    assert rest == sorted(rest)
    assert sorted([*rest, *(FACES[text] for text in ("R0", "W", "R1", "R1", "W4"))]) == list(classic_deck())


def test_more_of_a_card_than_a_classic_deck_holds_is_borne():
    assert FACES["R0"] not in cards.unseen(view("R0 R0"))


def test_an_option_is_read_where_the_table_departs_from_its_preset():
    seen = view(options={"jump_in": "identical"})
    assert cards.option(seen, "jump_in", "off") == "identical"
    assert cards.option(seen, "seven_swap", "false") == "false"
    assert cards.option(seen, "seven_swap") == ""
