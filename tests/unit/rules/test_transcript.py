"""The text of events: moves in the notation of scenario.md, the rest in words."""

import pytest
from hypothesis import given

from event_strategies import EVENTS
from lastcard.rules import events as ev
from lastcard.rules.actions import LeaveCause
from lastcard.rules.cards import FACES
from lastcard.rules.events import DrawCause, Event, MatchCause, RoundCause
from lastcard.rules.notation import read_move
from lastcard.rules.replay import move_of
from lastcard.rules.transcript import event_text

R5, R7, W4, G9, B2 = (FACES[text] for text in ("R5", "R7", "W4", "G9", "B2"))


@pytest.mark.parametrize(
    ("event", "move", "note"),
    [
        (ev.RoundStarted(2, 3, b"", (7, 7), ()), "", "round 2, dealer 3"),
        (ev.StartCardTurned(W4, True), "", "start card W4 put back"),
        (ev.StartCardTurned(R5, False), "", "start card R5"),
        (ev.TurnStarted(1, 9), "", ""),
        (ev.CardPlayed(0, R5, 1, None, False, False, 6, 1, 0), "0 R5", ""),
        (ev.CardPlayed(0, R5, 1, None, True, False, 1, 1, 0), "0 R5!", "1 card left"),
        (ev.CardPlayed(0, R5, 1, None, False, False, 0, 1, 0), "0 R5", "last card"),
        (ev.CardPlayed(2, W4, 4, None, False, False, 3, 1, 8), "2 W4/B", "8 pending"),
        (ev.CardPlayed(2, R7, 1, 0, False, False, 3, 1, 0), "2 R7>0", ""),
        (ev.CardPlayed(2, R5, 1, None, True, True, 1, -1, 0), "2 jump R5!", "1 card left"),
        (ev.CardsDrawn(1, 1, DrawCause.TURN, (G9,)), "1 draw", "1 card: G9"),
        (ev.CardsDrawn(1, 2, DrawCause.TURN, ()), "1 draw", "2 cards"),
        (ev.CardsDrawn(1, 2, DrawCause.PENALTY, (G9, B2)), "", "1 draws 2 cards (penalty): G9 B2"),
        (ev.CardsDrawn(1, 2, DrawCause.CAUGHT, ()), "", "1 draws 2 cards (caught)"),
        (ev.CardsDrawn(1, 1, DrawCause.TIMEOUT, ()), "", "1 draws 1 card (time ran out)"),
        (ev.CardKept(3), "3 keep", ""),
        (ev.PenaltyAccepted(3), "3 accept", ""),
        (ev.ChallengeResolved(1, 0, True, (R5, G9)), "1 challenge", "0 is guilty, it held R5 G9"),
        (ev.ChallengeResolved(1, 0, False, ()), "1 challenge", "0 is not guilty"),
        (ev.ColorChosen(2, 3, False), "2 color G", ""),
        (ev.ColorChosen(2, 3, True), "", "the server names G for 2"),
        (ev.SeatSkipped(2), "", "2 is skipped"),
        (ev.HandsMoved((1, 0, 2), (3, 4, 5), ()), "", "0 has the hand of 1, 1 has the hand of 0"),
        (ev.PileRebuilt(61), "", "the discards become a pile of 61 cards"),
        (ev.UnoCalled(2), "2 uno", ""),
        (ev.SeatAccused(1, 2, True), "1 catch 2", "rightly"),
        (ev.SeatAccused(1, 2, False), "1 catch 2", "wrongly"),
        (ev.TimedOut(2, 3), "2 timeout", "strike 3"),
        (ev.SeatLeft(2, LeaveCause.LEFT, 1, 5, (R5,)), "2 leave", "by its own will, 1 card worth 5: R5"),
        (ev.SeatLeft(2, LeaveCause.DISCONNECTED, 3, 9, ()), "2 leave", "did not come back in time, 3 cards worth 9"),
        (
            ev.RoundEnded(1, RoundCause.OUT, 1, (0, 66), (120, 66), ()),
            "",
            "round over (out of cards), 1 wins; points 0 66, totals 120 66",
        ),
        (
            ev.RoundEnded(1, RoundCause.BLOCKED, None, (0, 0), (0, 0), ()),
            "",
            "round over (blocked), nobody wins; points 0 0, totals 0 0",
        ),
        (
            ev.MatchEnded(MatchCause.TARGET, (2, 1), (120, 520)),
            "",
            "match over (target reached); places 2 1, totals 120 520",
        ),
    ],
)
def test_text_of_an_event(event: Event, move: str, note: str) -> None:
    assert tuple(event_text(event)) == (move, note)


@given(EVENTS)
def test_a_move_reads_back_as_the_action_that_the_event_stands_for(event: Event) -> None:
    move = move_of(event)
    if move is None:
        assert event_text(event).move == ""
    elif not isinstance(event, ev.SeatLeft):  # the notation has no causes of leaving
        assert read_move(event_text(event).move) == move
