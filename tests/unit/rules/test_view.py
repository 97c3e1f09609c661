"""Who sees what: views, events, and what a seat has learned of other hands (C38, C87, C88, A40, A41)."""

import pytest

from lastcard.rules.apply import apply
from lastcard.rules.cards import FACES, TEXT, text_of
from lastcard.rules.events import CardPlayed, CardsDrawn, ChallengeResolved, Event, HandsMoved, RoundEnded, SeatLeft
from lastcard.rules.notation import read_move
from lastcard.rules.ruleset import ruleset
from lastcard.rules.scenario_keys import read_position
from lastcard.rules.scenario_position import build_state
from lastcard.rules.state import State
from lastcard.rules.view import has_hidden_facts, redact, view_of

SPECTATOR = None


def position(preset: str = "official", options: dict[str, object] | None = None, **keys: object) -> State:
    return build_state(read_position(keys, ruleset(preset, options or {}), "view"))


def do(state: State, *moves: str) -> list[Event]:
    events: list[Event] = []
    for move in moves:
        events += apply(state, *read_move(move))
    return events


def the(kind: type[Event], events: list[Event]) -> Event:
    (event,) = [event for event in events if isinstance(event, kind)]
    return event


def faces(text: str) -> tuple[int, ...]:
    return tuple(sorted(FACES[word] for word in text.split()))


@pytest.mark.parametrize("moves", [["0 W4/G", "1 challenge"]])
@pytest.mark.parametrize(
    ("reveal", "sees"),
    [("challenger_only", {0, 1}), ("all", {0, 1, 2, SPECTATOR}), ("verdict_only", {0})],
)
@pytest.mark.parametrize("hand", ["R2 B1", "B2 B1"], ids=["guilty", "innocent"])
def test_C38_who_sees_a_challenged_hand(reveal: str, sees: set[int | None], hand: str, moves: list[str]) -> None:
    state = position(options={"challenge_reveal": reveal}, hands=[f"W4 {hand}", "*7", "*7"], discard="R5")
    event = the(ChallengeResolved, do(state, *moves))
    assert isinstance(event, ChallengeResolved)
    assert event.hand == faces(hand)
    for viewer in (0, 1, 2, SPECTATOR):
        told = redact(event, viewer, state.rules, True)
        assert told.hand == (faces(hand) if viewer in sees else ())
        assert told._replace(hand=()) == event._replace(hand=())
    for viewer in (1, 2):
        known = dict(view_of(state, viewer).known_cards)
        assert known == ({0: faces(hand)} if viewer in sees else {})
    assert view_of(state, SPECTATOR).known_cards == ()
    assert view_of(state, 0).known_cards == ()


def test_C36_what_is_revealed_is_the_hand_at_the_play() -> None:
    state = position(hands=["W4 R2", "*7", "*7"], pile="Y1 Y2 *", discard="R5")
    event = the(ChallengeResolved, do(state, "0 W4/G", "2 catch 0", "1 challenge"))
    assert event.hand == faces("R2")


def test_a_known_card_is_forgotten_when_it_is_played() -> None:
    state = position(hands=["W4 R2 R3", "R1 *6", "*7"], discard="R5", pile="Y1 Y2 Y3 Y4 Y6 Y7 *")
    do(state, "0 W4/R", "1 challenge")
    assert dict(view_of(state, 1).known_cards) == {0: faces("R2 R3")}
    do(state, "1 R1", "2 timeout", "0 R2")
    assert dict(view_of(state, 1).known_cards) == {0: faces("R3")}


def test_a_leavers_cards_are_forgotten() -> None:
    state = position(hands=["W4 R2 R3", "*7", "*7"], discard="R5")
    do(state, "0 W4/R", "1 challenge", "0 leave")
    assert view_of(state, 1).known_cards == ()


def test_who_swaps_knows_what_he_gave() -> None:
    state = position(options={"seven_swap": True}, hands=["R7 B2 B3", "Y1 Y2", "*7"], discard="R5")
    event = the(HandsMoved, do(state, "0 R7>1"))
    assert isinstance(event, HandsMoved)
    assert redact(event, 0, state.rules, True).hands == ((0, faces("Y1 Y2")),)
    assert redact(event, 1, state.rules, True).hands == ((1, faces("B2 B3")),)
    assert redact(event, 2, state.rules, True).hands == ()
    assert redact(event, SPECTATOR, state.rules, True).hands == ()
    assert event.hand_counts == (2, 2, 7)
    assert dict(view_of(state, 0).known_cards) == {1: faces("B2 B3")}
    assert dict(view_of(state, 1).known_cards) == {0: faces("Y1 Y2")}
    assert dict(view_of(state, 2).known_cards) == {}


def test_what_is_known_moves_with_the_hand() -> None:
    state = position(options={"seven_swap": True, "zero_rotate": True}, hands=["R7 B2 B3", "Y1 R0", "*7"], discard="R5")
    do(state, "0 R7>1", "1 timeout", "2 timeout")
    do(state, "0 R0!")
    assert set(dict(view_of(state, 1).known_cards)[2]) >= set(faces("B2 B3"))
    assert dict(view_of(state, 0).known_cards)[2] == faces("B2 B3")


def test_C87_a_drawn_card_is_told_to_its_drawer_alone() -> None:
    state = position(hands=["B2 B3", "*7"], pile="R9 *", discard="R5")
    event = the(CardsDrawn, do(state, "0 draw"))
    assert redact(event, 0, state.rules, True).cards == faces("R9")
    for viewer in (1, SPECTATOR):
        told = redact(event, viewer, state.rules, True)
        assert (told.cards, told.count) == ((), 1)
        assert view_of(state, viewer).drawn_card == 0
        assert view_of(state, viewer).drawn_counts == (1, 0)
    assert TEXT[view_of(state, 0).drawn_card] == "R9"


def test_C88_what_is_public_and_what_is_not() -> None:
    state = position(hands=["B2 B3", "*7"], pile="R9 Y1", discard="G1 R5")
    for viewer in (0, 1, SPECTATOR):
        view = view_of(state, viewer)
        assert view.hand_counts == (2, 7)
        assert view.pile_count == 2
        assert text_of(view.discard) == "G1 R5"
    assert text_of(view_of(state, 0).hand) == "B2 B3"
    assert view_of(state, SPECTATOR).hand == b""
    assert not any(FACES["R9"] in field for field in view_of(state, 0) if isinstance(field, bytes))


def test_hands_left_over_are_shown_only_where_the_table_shows_them() -> None:
    state = position(hands=["R1", "B2 B3", "W"], discard="R5")
    event = the(RoundEnded, do(state, "0 R1"))
    everything = ((1, faces("B2 B3")), (2, faces("W")))
    for viewer in (0, 1, 2, SPECTATOR):
        assert redact(event, viewer, state.rules, True).hands == everything
        own = tuple(pair for pair in everything if pair[0] == viewer)
        told = redact(event, viewer, state.rules, False)
        assert told.hands == own
        assert told.scores == (55, 0, 0)


def test_a_leavers_hand_is_not_shown() -> None:
    state = position(hands=["R1", "B2 B3", "W"], discard="R5")
    event = the(SeatLeft, do(state, "1 leave"))
    assert redact(event, 1, state.rules, True).cards == faces("B2 B3")
    for viewer in (0, 2, SPECTATOR):
        told = redact(event, viewer, state.rules, True)
        assert (told.cards, told.hand_count, told.points) == ((), 2, 5)


def test_one_who_left_sees_no_hand_any_more() -> None:
    state = position(options={"leaver_cards": "frozen"}, hands=["R1", "B2 B3", "W"], discard="R5")
    do(state, "1 leave")
    assert view_of(state, 1).hand == b""
    assert view_of(state, 1).hand_counts == (1, 2, 1)
    assert view_of(state, 1).active_seats == (0, 2)


def test_public_events_are_passed_on_as_they_are() -> None:
    state = position(hands=["R1 B2", "*7"], discard="R5")
    event = the(CardPlayed, do(state, "0 R1"))
    assert not has_hidden_facts(event)
    assert redact(event, SPECTATOR, state.rules, False) is event


def test_calls_and_liabilities_are_public() -> None:
    state = position(hands=["R1 B2", "R3 B4", "*7"], discard="R5", pile="Y1 Y2 *")
    do(state, "0 R1")
    assert view_of(state, SPECTATOR).catchable_seats == (0,)
    do(state, "1 R3!")
    view = view_of(state, SPECTATOR)
    assert (view.catchable_seats, view.called_seats) == ((), (1,))
