"""The notation: every card and action there and back, and a sentence for everything else."""

import pytest

from lastcard.rules import actions
from lastcard.rules.actions import Action, Kind, LeaveCause
from lastcard.rules.cards import BLUE, COLORS, FACES, GREEN, TEXT, UNSUPPORTED
from lastcard.rules.notation import (
    Move,
    NotationError,
    action_text,
    card_text,
    move_text,
    read_action,
    read_card,
    read_face,
    read_move,
)


@pytest.mark.parametrize("face", sorted(TEXT), ids=TEXT.get)
def test_every_card_reads_back(face: int) -> None:
    assert read_face(TEXT[face]) == face
    assert read_card(card_text(face)) == (face, 0)


@pytest.mark.parametrize("color", COLORS)
@pytest.mark.parametrize("wild", ["W", "W4"])
def test_a_wild_reads_back_with_its_colour(wild: str, color: int) -> None:
    assert read_card(card_text(FACES[wild], color)) == (FACES[wild], color)


@pytest.mark.parametrize(
    ("text", "move"),
    [
        ("0 R5", Move(0, actions.play(FACES["R5"]))),
        ("0 W/G!", Move(0, actions.play(FACES["W"], GREEN), True)),
        ("0 R7>2", Move(0, actions.play(FACES["R7"], 0, 2))),
        ("9 R7>2!", Move(9, actions.play(FACES["R7"], 0, 2), True)),
        ("0 W4/B!", Move(0, actions.play(FACES["W4"], BLUE), True)),
        ("0 W4", Move(0, actions.play(FACES["W4"]))),
        ("0 draw", Move(0, actions.DRAW)),
        ("0 keep", Move(0, actions.KEEP)),
        ("1 accept", Move(1, actions.ACCEPT)),
        ("1 challenge", Move(1, actions.CHALLENGE)),
        ("0 uno", Move(0, actions.UNO)),
        ("2 catch 0", Move(2, actions.catch(0))),
        ("2 jump R6", Move(2, actions.jump_in(FACES["R6"]))),
        ("2 jump W4/B!", Move(2, actions.jump_in(FACES["W4"], BLUE), True)),
        ("2 jump R7>1", Move(2, actions.jump_in(FACES["R7"], 0, 1))),
        ("0 color G", Move(0, actions.CHOOSE_COLOR[GREEN])),
        ("1 pass", Move(1, actions.PASS)),
        ("1 leave", Move(1, actions.leave())),
        ("0 timeout", Move(0, actions.TIMEOUT)),
    ],
)
def test_moves_read_and_write_as_in_the_table(text: str, move: Move) -> None:
    assert read_move(text) == move
    assert move_text(*move) == text


def test_blanks_do_not_matter() -> None:
    assert read_move("  2   jump   R6 ") == read_move("2 jump R6")


def test_every_kind_has_a_text_that_reads_back() -> None:
    samples = [
        Action(Kind.PLAY, FACES["R5"]),
        Action(Kind.JUMP_IN, FACES["R5"]),
        Action(Kind.CHOOSE_COLOR, 0, BLUE),
        actions.catch(3),
        *(
            Action(kind)
            for kind in Kind
            if kind not in (Kind.PLAY, Kind.JUMP_IN, Kind.CHOOSE_COLOR, Kind.CATCH, Kind.LEAVE)
        ),
        actions.leave(LeaveCause.LEFT),
    ]
    assert {sample.kind for sample in samples} == set(Kind)
    for sample in samples:
        assert read_action(action_text(sample)) == (sample, False)


@pytest.mark.parametrize("text", UNSUPPORTED)
def test_cards_of_larger_decks_are_named_as_not_supported(text: str) -> None:
    with pytest.raises(NotationError, match=f"{text} is of a 112-card deck"):
        read_move(f"0 {text}/R")


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("", "a move is a seat and an action"),
        ("0", "a move is a seat and an action"),
        ("x R5", "'x' is no seat"),
        ("10 R5", "'10' is no seat"),
        ("-1 R5", "'-1' is no seat"),
        ("٣ R5", "is no seat"),
        ("0 R10", "'R10' is no card"),
        ("0 P5", "'P5' is no card"),
        ("0 r5", "'r5' is no action"),
        ("0 W5", "'W5' is no card"),
        ("0 R", "'R' is no card"),
        ("0 5R", "'5R' is no card"),
        ("0 W/X", "'X' is no colour; valid are R, Y, G and B"),
        ("0 W/g", "'g' is no colour"),
        ("0 R5/G", "names a colour for R5"),
        ("0 W/", "'W/' is no action"),
        ("0 R5!!", "'R5!!' is no action"),
        ("0 R7>", "'R7>' is no action"),
        ("0 R7>x", "'R7>x' is no action"),
        ("0 R7>12", "'12' is no seat"),
        ("0 R7!>1", "'R7!>1' is no action"),
        ("0 fold", "'fold' is no action; valid are a card to play, draw, keep"),
        ("0 draw 2", "'draw 2' is no action"),
        ("0 catch", "'catch' is no action"),
        ("0 catch x", "'x' is no seat"),
        ("0 color", "'color' is no action"),
        ("0 color W", "'W' is no colour"),
        ("0 jump", "'jump' is no action"),
        ("0 jump draw", "'draw' is no action"),
        ("0 R5 R6", "'R5 R6' is no action"),
    ],
)
def test_what_is_not_in_the_notation_is_refused_with_what_is(text: str, named: str) -> None:
    with pytest.raises(NotationError) as error:
        read_move(text)
    assert named in str(error.value)
    assert str(error.value).endswith(".")
