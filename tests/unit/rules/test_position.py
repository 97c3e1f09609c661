"""The position that events tell is the one that the rules keep."""

from hypothesis import given
from hypothesis import strategies as st

from lastcard.rules import events as ev
from lastcard.rules.position import Position
from record_games import any_game


@given(st.integers(0, 10_000))
def test_hands_colour_and_penalty_follow_from_the_events(seed: int) -> None:
    game = any_game(seed)
    position = Position(game.players)
    frozen = game.rules.leaver_cards == "frozen"
    gone: set[int] = set()
    for event in game.events:
        position.follow(event)
        match event:
            case ev.RoundStarted():
                gone.clear()
                assert tuple(map(len, position.hands)) == event.hand_counts
            case ev.SeatLeft():
                gone.add(event.seat)
            case ev.CardPlayed():
                assert len(position.hands[event.seat]) == event.hand_count
                assert (position.top, position.color, position.pending) == (event.card, event.color, event.pending)
            case ev.RoundEnded():
                left = {seat: list(cards) for seat, cards in event.hands if not (frozen and seat in gone)}
                assert {seat: hand for seat, hand in enumerate(position.hands) if hand} == left


def test_a_penalty_that_was_drawn_is_no_longer_pending() -> None:
    position = Position(2)
    position.follow(ev.CardPlayed(0, 28, 1, None, False, False, 6, 1, 2))
    assert position.pending == 2
    position.follow(ev.CardsDrawn(1, 2, ev.DrawCause.PENALTY, (21, 20)))
    assert (position.pending, position.hands[1]) == (0, [20, 21])


def test_events_that_break_the_rules_are_followed_all_the_same() -> None:
    position = Position(2)
    position.follow(ev.CardPlayed(7, 28, 1, None, False, False, 6, 1, 2))
    position.follow(ev.CardPlayed(0, 28, 1, None, False, False, 6, 1, 4))
    position.follow(ev.CardsDrawn(9, 1, ev.DrawCause.TURN, (21,)))
    assert (position.hands, position.pending) == ([[], []], 4)
