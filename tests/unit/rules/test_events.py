"""What each action is told as: every event in its order, with all its fields."""

import pytest

from lastcard.rules.apply import apply
from lastcard.rules.cards import BLUE, FACES, GREEN
from lastcard.rules.events import (
    CardKept,
    CardPlayed,
    CardsDrawn,
    ChallengeResolved,
    ColorChosen,
    DrawCause,
    Event,
    HandsMoved,
    MatchCause,
    MatchEnded,
    PenaltyAccepted,
    PileRebuilt,
    RoundCause,
    RoundEnded,
    SeatAccused,
    SeatLeft,
    SeatSkipped,
    TimedOut,
    TurnStarted,
    UnoCalled,
)
from lastcard.rules.notation import read_move
from lastcard.rules.ruleset import ruleset
from lastcard.rules.scenario_keys import read_position
from lastcard.rules.scenario_position import build_state


class Told(list[Event]):
    """Events that are equal to a list only if the kinds are too: tuples of other kinds with equal fields are equal."""

    def __eq__(self, other: object) -> bool:
        return isinstance(other, list) and [(type(one), one) for one in self] == [(type(one), one) for one in other]

    __hash__ = None  # type: ignore[assignment]


def told(moves: str, preset: str = "official", options: dict[str, object] | None = None, **keys: object) -> Told:
    """The events of the last of the moves, which are separated by commas."""
    state = build_state(read_position({"discard": "R5", **keys}, ruleset(preset, options or {}), "events"))
    events: list[Event] = []
    for move in moves.split(", "):
        events = apply(state, *read_move(move))
    return Told(events)


def cards(text: str) -> tuple[int, ...]:
    return tuple(FACES[word] for word in text.split())


def played(seat: int, card: str, left: int, **fields: object) -> CardPlayed:
    plain = CardPlayed(seat, FACES[card], FACES[card] >> 4, None, False, False, left, 1, 0)
    return plain._replace(**fields)


def test_a_play() -> None:
    assert told("0 R1", hands=["R1 B2 B3", "*7"]) == [played(0, "R1", 2), TurnStarted(1, 2)]


def test_a_play_with_the_call() -> None:
    assert told("0 R1!", hands=["R1 B2", "*7"]) == [played(0, "R1", 1, uno_called=True), TurnStarted(1, 2)]


def test_a_wild() -> None:
    assert told("0 W/G", hands=["W B2 B3", "*7"]) == [played(0, "W", 2, color=GREEN), TurnStarted(1, 2)]


def test_a_skip() -> None:
    assert told("0 RS", hands=["RS B2 B3", "*7", "*7"]) == [played(0, "RS", 2), SeatSkipped(1), TurnStarted(2, 2)]


def test_a_reverse() -> None:
    assert told("0 RV", hands=["RV B2 B3", "*7", "*7"]) == [played(0, "RV", 2, direction=-1), TurnStarted(2, 2)]


def test_a_draw_two() -> None:
    assert told("0 RD", hands=["RD B2 B3", "*7", "*7"], pile="Y1 Y2 *") == [
        played(0, "RD", 2, pending=2),
        CardsDrawn(1, 2, DrawCause.PENALTY, cards("Y1 Y2")),
        TurnStarted(2, 2),
    ]


def test_an_accepted_penalty() -> None:
    assert told("0 W4/G", hands=["W4 B2 B3", "*7", "*7"]) == [played(0, "W4", 2, color=GREEN, pending=4)]
    assert told("0 W4/G, 1 accept", hands=["W4 B2 B3", "*7", "*7"], pile="Y1 Y2 Y3 Y4 *") == [
        PenaltyAccepted(1),
        CardsDrawn(1, 4, DrawCause.PENALTY, cards("Y1 Y2 Y3 Y4")),
        TurnStarted(2, 2),
    ]


def test_a_challenge() -> None:
    assert told("0 W4/G, 1 challenge", hands=["W4 R2 B3", "*7", "*7"], pile="Y1 Y2 Y3 Y4 *") == [
        ChallengeResolved(1, 0, True, cards("R2 B3")),
        CardsDrawn(0, 4, DrawCause.CHALLENGE, cards("Y1 Y2 Y3 Y4")),
        TurnStarted(1, 2),
    ]


def test_drawing_and_keeping() -> None:
    drawn = CardsDrawn(0, 1, DrawCause.TURN, cards("R9"))
    assert told("0 draw", hands=["B2 B3", "*7"], pile="R9 *") == [drawn]
    assert told("0 draw, 0 keep", hands=["B2 B3", "*7"], pile="R9 *") == [CardKept(0), TurnStarted(1, 2)]


def test_drawing_until_playable_is_one_event_after_the_rebuilt_pile() -> None:
    events = told("0 draw", options={"draw_mode": "until_playable"}, hands=["B2", "B3 B4"], pile="Y1", discard="R8 R5")
    assert events == [PileRebuilt(1), CardsDrawn(0, 2, DrawCause.TURN, cards("Y1 R8"))]


def test_drawing_nothing() -> None:
    events = told("0 draw", hands=["B2", "B3 B4"], pile="")
    assert events == [CardsDrawn(0, 0, DrawCause.TURN, ()), TurnStarted(1, 2)]


def test_calls() -> None:
    assert told("0 uno", hands=["R1 B2", "*7"]) == [UnoCalled(0)]
    assert told("0 R1, 0 uno", hands=["R1 B2", "*7"]) == [UnoCalled(0)]
    wrong = told("0 uno", options={"false_uno_penalty": 1}, hands=["R1 B2 B3", "*7"], pile="Y1 *")
    assert wrong == [UnoCalled(0), CardsDrawn(0, 1, DrawCause.FALSE_UNO, cards("Y1"))]
    in_play = told("0 R1!", options={"false_uno_penalty": 1}, hands=["R1 B2 B3", "*7"], pile="Y1 *")
    assert in_play == [
        played(0, "R1", 2, uno_called=True),
        CardsDrawn(0, 1, DrawCause.FALSE_UNO, cards("Y1")),
        TurnStarted(1, 2),
    ]


def test_catches() -> None:
    hands = ["R1 B2", "*7", "*7"]
    caught = told("0 R1, 2 catch 0", hands=hands, pile="Y1 Y2 *")
    assert caught == [SeatAccused(2, 0, True), CardsDrawn(0, 2, DrawCause.CAUGHT, cards("Y1 Y2"))]
    wrong = told("2 catch 0", options={"false_catch_penalty": 1}, hands=hands, pile="Y1 *")
    assert wrong == [SeatAccused(2, 0, False), CardsDrawn(2, 1, DrawCause.FALSE_CATCH, cards("Y1"))]


def test_a_jump_in() -> None:
    hands = ["R6 B1 B2", "*7", "R6 Y1 Y2"]
    events = told("0 R6, 2 jump R6", options={"jump_in": "identical"}, hands=hands)
    assert events == [played(2, "R6", 2, jump_in=True), TurnStarted(0, 3)]


def test_a_seven_swap() -> None:
    events = told("0 R7>1", options={"seven_swap": True}, hands=["R7 B2 B3", "Y1 Y2 Y3", "*7"])
    moved = HandsMoved((1, 0, 2), (3, 2, 7), ((0, cards("Y1 Y2 Y3")), (1, cards("B2 B3"))))
    assert events == [played(0, "R7", 2, target=1), moved, TurnStarted(1, 2)]


def test_a_zero_rotation() -> None:
    events = told("0 R0", options={"zero_rotate": True}, hands=["R0 B2", "Y1 Y2", "G1 G2 G3"])
    hands = ((0, cards("G1 G2 G3")), (1, cards("B2")), (2, cards("Y1 Y2")))
    assert events == [played(0, "R0", 1), HandsMoved((2, 0, 1), (3, 1, 2), hands), TurnStarted(1, 2)]


def test_a_plain_seven_names_no_target() -> None:
    assert told("0 R7>1", hands=["R7 B2 B3", "*7"])[0] == played(0, "R7", 2)


@pytest.mark.parametrize(("move", "by_server"), [("0 color B", False), ("0 timeout", True)])
def test_a_start_colour(move: str, by_server: bool) -> None:
    state = build_state(read_position({"hands": ["*7", "*7"], "flip": "W"}, ruleset(), "events"))
    events = apply(state, *read_move(move))
    choice = [event for event in events if isinstance(event, ColorChosen)]
    assert [(event.seat, event.by_server) for event in choice] == [(0, by_server)]
    assert by_server or choice[0].color == BLUE
    assert events[-1] == TurnStarted(0, 1)
    assert any(isinstance(event, TimedOut) for event in events) is by_server


def test_a_timeout() -> None:
    assert told("0 timeout", hands=["B2 B3", "*7"], pile="Y1 *") == [
        TimedOut(0, 1),
        CardsDrawn(0, 1, DrawCause.TIMEOUT, cards("Y1")),
        TurnStarted(1, 2),
    ]


def test_leaving() -> None:
    assert told("0 leave", hands=["B2 B3", "*7", "*7"]) == [SeatLeft(0, 1, 2, 5, cards("B2 B3")), TurnStarted(1, 2)]


def test_the_last_card() -> None:
    events = told("0 R1", hands=["R1", "B2 W"], totals=[450, 3])
    assert events == [
        played(0, "R1", 0),
        RoundEnded(1, RoundCause.OUT, 0, (52, 0), (502, 3), ((1, tuple(sorted(cards("B2 W")))),)),
        MatchEnded(MatchCause.TARGET, (1, 2), (502, 3)),
    ]


def test_the_last_wild_has_no_colour() -> None:
    assert told("0 W/R", hands=["W", "B2"])[0] == played(0, "W", 0, color=0)
